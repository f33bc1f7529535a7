"""Some transactions of a large recording, as a history of its own.

They keep their names and lines; what they have read from is there as well, so that what they did
can be explained as in the whole history.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any

from counterpoint.histories.deciding.edges import Edge
from counterpoint.histories.history import History, HistoryError
from counterpoint.histories.reading.edn import forms_of
from counterpoint.histories.reading.jepsen import read_operations
from counterpoint.histories.reading.json_lines import read_events
from counterpoint.histories.reading.lines import lines_of
from counterpoint.histories.resolving import sources_of
from counterpoint.histories.sources import INITIAL, Sources

from .recording import Recording


class Excerpt:
    """The transactions of some cycles, and those that these have read from.

    Parameters
    ----------
    recording : Recording
    file : binary file
        From which that was read.
    cycles : iterable of sequence of Edge
        Between the transactions of the whole recording.
    """

    def __init__(
        self, recording: Recording, file: IO[bytes], cycles: Iterable[Sequence[Edge]]
    ) -> None:
        inside = {k for cycle in cycles for edge in cycle for k in _transactions(edge)}
        chosen = sorted(inside.union(*map(recording.sources, inside)))
        self._numbers = {number: k for k, number in enumerate(chosen)}
        history = _read(recording, file, chosen)
        for one, number in zip(history.transactions, chosen, strict=True):
            one.fate = recording.fate(number)
            if one.label is None:
                one.label = number
        history.counts = recording.counts()
        self.sources: Sources = sources_of(history)

    def cycle(self, cycle: Sequence[Edge]) -> list[Edge]:
        """Return a cycle of the whole recording as one between the transactions that are here."""
        return [
            edge._replace(
                source=self._numbers[edge.source],
                target=self._numbers[edge.target],
                about=edge.about if edge.about in (None, INITIAL) else self._numbers[edge.about],
            )
            for edge in cycle
        ]


def _transactions(edge: Edge) -> Iterator[int]:
    yield from (edge.source, edge.target)
    if edge.about not in (None, INITIAL):
        yield edge.about


def _read(recording: Recording, file: IO[bytes], chosen: Sequence[int]) -> History:
    if recording.form == "events":
        return _events(recording, file, chosen)
    places = [place for number in chosen for place in recording.places(number)]
    one = _json_at if recording.form == "jepsen-json" else _edn_at
    return read_operations((line, one(file, offset)) for line, offset in sorted(places))


def _events(recording: Recording, file: IO[bytes], chosen: Sequence[int]) -> History:
    file.seek(0)
    first = next(lines_of(file), None)
    lines = []
    if first is not None and json.loads(first[1]).get("type") == "history":
        lines.append(first)
    file.seek(0)
    with Recording(file, "events") as again:
        places = again.find(chosen)
    for line, offset in places:
        file.seek(offset)
        lines.append((line, file.readline()))
    return read_events(lines)


def _json_at(file: IO[bytes], offset: int) -> Any:
    decoder = json.JSONDecoder()
    for text in _texts(file, offset):
        try:
            return decoder.raw_decode(text)[0]
        except ValueError:
            continue
    raise AssertionError("the kernel has read this operation")


def _edn_at(file: IO[bytes], offset: int) -> Any:
    for text in _texts(file, offset):
        try:
            return next(forms_of(text))[1]
        except HistoryError:
            continue
    raise AssertionError("the kernel has read this operation")


def _texts(file: IO[bytes], offset: int) -> Iterator[str]:
    """Yield what stands from an offset on, with ever more lines."""
    file.seek(offset)
    data = b""
    while line := file.readline():
        data += line
        yield data.decode()
