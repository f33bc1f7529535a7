"""Reads our own format: JSON Lines, one event a line; see docs/reference/histories.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from counterpoint.histories.history import History, HistoryError, Label

from .building import Builder
from .lines import json_of, label, scalar, whole_number

KEYS = {
    "begin": {"transaction"},
    "read": {"object", "value", "version"},
    "write": {"object", "value"},
    "append": {"object", "value"},
    "try-commit": set(),
    "commit": {"versions"},
    "abort": set(),
    "indeterminate": set(),
}
"""The keys of each type of event, besides ``type``, ``process``, ``time``."""

Event = dict[str, Any]


def read_events(lines: Iterable[tuple[int, bytes]]) -> History:
    """Return the history in lines of JSON.

    Parameters
    ----------
    lines : iterable of (int, bytes)
        Their numbers and contents; empty ones are left out.

    Raises
    ------
    HistoryError
        If a line is wrong or its event cannot have happened.
    """
    return _history((place, json_of(place, line)) for place, line in lines)


def history_of_events(events: Iterable[Event]) -> History:
    """Return the history of events that are in memory; their places are their numbers from 1 on.

    Raises
    ------
    HistoryError
        If an event is wrong or cannot have happened.
    """
    return _history(enumerate(events, start=1))


def _history(events: Iterable[tuple[int, Any]]) -> History:
    builder = Builder()
    facts: Event = {}
    for number, (place, event) in enumerate(events):
        if type(event) is not dict:
            raise HistoryError(place, "an event is an object in braces")
        if event.get("type") == "history":
            if number:
                raise HistoryError(place, 'only the first line can be of type "history"')
            facts = {key: value for key, value in event.items() if key != "type"}
            scalar(place, facts.get("initial"), "initial")
        else:
            _take(builder, place, event)
    return builder.history(facts.get("initial"), facts)


def _take(builder: Builder, place: int, event: Event) -> None:
    kind = event.get("type")
    known = KEYS.get(kind) if isinstance(kind, str) else None
    if known is None:
        raise HistoryError(place, f"the type is {kind!r}; known: {', '.join(KEYS)}")
    for key in event:
        if key not in known and key not in ("type", "process", "time"):
            raise HistoryError(place, f"an event of type {kind} has no {key!r}")
    time = event.get("time")
    if time is not None:
        builder.at(place, whole_number(place, time, "time"))
    process = label(place, event, "process")
    _EVENTS[str(kind)](builder, place, process, event)


def _begin(builder: Builder, place: int, process: Label, event: Event) -> None:
    named = "transaction" in event
    builder.begin(place, process, label(place, event, "transaction") if named else None)


def _read(builder: Builder, place: int, process: Label, event: Event) -> None:
    value = event.get("value")
    if type(value) is list:
        value = tuple(scalar(place, one, "value") for one in value)
        if None in value:
            raise HistoryError(place, "the list that was read contains null")
    else:
        scalar(place, value, "value")
    version = event.get("version")
    if version is not None:
        version = whole_number(place, version, "version")
    if "value" not in event:
        raise HistoryError(place, "a read needs the value that it returned")
    builder.operation(place, process, "read", label(place, event, "object"), value, version)


def _write(builder: Builder, place: int, process: Label, event: Event) -> None:
    value = scalar(place, event.get("value"), "value")
    if value is None:
        raise HistoryError(place, f"a {event['type']} needs a value that is not null")
    kind = event["type"]
    builder.operation(place, process, kind, label(place, event, "object"), value)


def _commit(builder: Builder, place: int, process: Label, event: Event) -> None:
    given = event.get("versions", {})
    if type(given) is not dict:
        raise HistoryError(place, '"versions" is an object: {"x": 7}')
    versions: dict[Label, int] = {}
    for what, version in given.items():
        versions[what] = whole_number(place, version, "version")
    builder.commit(place, process, versions)


_EVENTS: dict[str, Callable[[Builder, int, Label, Event], None]] = {
    "begin": _begin,
    "read": _read,
    "write": _write,
    "append": _write,
    "try-commit": lambda builder, place, process, event: builder.ask(place, process),
    "commit": _commit,
    "abort": lambda builder, place, process, event: builder.abort(place, process),
    "indeterminate": lambda builder, place, process, event: builder.lose(place, process),
}
