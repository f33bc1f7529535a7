"""A short way to write histories."""

from __future__ import annotations

import re
from typing import Any

from counterpoint.histories.history import History
from counterpoint.histories.reading.building import Builder

_EVENT = re.compile(r"(\+?)([a-z])(\?-|\?\d+|\d+|\[[\d,]*\])$")


def history_of(text: str) -> History:
    """Return the history in a text.

    ``0: x1 y?2 c; 1: +z3 z[3] a`` says that process 0 writes 1 to x, reads 2 from y and commits,
    and that process 1 appends 3 to z, reads the list [3] and aborts. ``?-`` reads the initial
    value, ``t`` asks to commit, ``i`` is an indeterminate end. A process begins its next
    transaction with its next event.
    """
    builder = Builder()
    running: set[int] = set()
    place = 0
    for part in text.split(";"):
        head, _, events = part.partition(":")
        process = int(head)
        for event in events.split():
            place += 1
            if process not in running:
                running.add(process)
                builder.begin(place, process)
                place += 1
            if event in ("c", "a", "i"):
                {"c": builder.commit, "a": builder.abort, "i": builder.lose}[event](place, process)
                running.discard(process)
            elif event == "t":
                builder.ask(place, process)
            else:
                _operation(builder, place, process, event)
    return builder.history()


def _operation(builder: Builder, place: int, process: int, event: str) -> None:
    found = _EVENT.match(event)
    assert found, event
    plus, what, value = found.groups()
    if value.startswith("?"):
        read: Any = None if value == "?-" else int(value[1:])
        builder.operation(place, process, "read", what, read)
    elif value.startswith("["):
        elements = tuple(int(one) for one in value[1:-1].split(",") if one)
        builder.operation(place, process, "read", what, elements)
    else:
        builder.operation(place, process, "append" if plus else "write", what, int(value))
