"""Histories that a transactional memory of the specs makes, as a recorder would write them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from counterpoint.histories.history import History
from counterpoint.histories.reading.building import Builder
from counterpoint.spec.notation import Model, Values
from counterpoint.spec.stm.memory import Source, Status
from tests import reference

Event = tuple[str, int, int | None, Any]
"""What happened, the transaction, the object and the value."""


def reached(model: Model, most: int) -> Iterator[tuple[Values, tuple[Event, ...]]]:
    """Yield reachable states, each with the events of a shortest run to it.

    States that differ only in the run are visited once; the criteria are about the state.
    """
    paths: dict[Values, tuple[Event, ...]] = dict.fromkeys(model.initial_states(), ())
    todo = list(paths)
    for values in todo:  # which grows
        yield values, paths[values]
        for after in reference.successors(model, values).values():
            if not isinstance(after, str) and after not in paths and len(paths) < most:
                paths[after] = paths[values] + tuple(_events(model, values, after))
                todo.append(after)


def _events(model: Model, before: Values, after: Values) -> Iterator[Event]:
    """Yield what a recorder would write of a step."""
    a, b = model.at(before), model.at(after)
    for t in model.spec.transactions:
        old, new = a.status[t], b.status[t]
        if old == Status.NOT_BEGUN and new != old:
            yield "begin", t, None, None
        for x in model.spec.objects:
            if a.source[t, x] == Source.NOT_READ != b.source[t, x]:
                source = b.source[t, x]
                yield "read", t, x, None if source == Source.FIRST else f"{x} of {source}"
            if b.wrote[t, x] and not a.wrote[t, x]:
                yield "write", t, x, f"{x} of {t}"
        asks = new == Status.COMMITTING or (old == Status.LIVE and new == Status.COMMITTED)
        if new != old and asks:
            yield "ask", t, None, None
        if new != old and new in (Status.COMMITTED, Status.ABORTED):
            yield "commit" if new == Status.COMMITTED else "abort", t, None, None


def events_of(model: Model, states: Sequence[Values]) -> tuple[Event, ...]:
    """Return the events of a run."""
    return tuple(e for before, after in pairwise(states) for e in _events(model, before, after))


def recorded(events: tuple[Event, ...]) -> History:
    """Return events as a recorded history; a transaction without an end has not asked to commit."""
    builder = Builder()
    for place, (kind, t, x, value) in enumerate(events, start=1):
        if kind == "begin":
            builder.begin(place, t, label=t)
        elif kind == "ask":
            builder.ask(place, t)
        elif kind == "commit":
            builder.commit(place, t)
        elif kind == "abort":
            builder.abort(place, t)
        else:
            assert x is not None
            builder.operation(place, t, "read" if kind == "read" else "write", x, value)
    return builder.history(asks=True)
