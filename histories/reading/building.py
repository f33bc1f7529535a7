"""Builds a history from events, and refuses events that cannot have happened."""

from __future__ import annotations

from typing import Any

from counterpoint.histories.history import (
    Fate,
    History,
    HistoryError,
    Kind,
    Label,
    Operation,
    Transaction,
)


class Builder:
    """Takes the events of a recording, one after the other.

    A process runs one transaction at a time; each event belongs to the transaction that its
    process has begun last. All methods raise `HistoryError` for an event that is out of place.
    """

    def __init__(self) -> None:
        self._all: list[Transaction] = []
        self._open: dict[Label | None, Transaction] = {}
        self._lost: dict[Label | None, int] = {}
        self._kinds: dict[Label, tuple[str, int]] = {}
        self._time: tuple[int, int] | None = None
        self._asked = False

    def at(self, place: int, time: int | None) -> None:
        """Note the time of an event, which must not go back."""
        if time is None:
            return
        if self._time is not None and time < self._time[1]:
            raise HistoryError(place, f"the time goes back: {time:,} after {self._time[1]:,} on "
                                      f"line {self._time[0]:,}")  # fmt: skip
        self._time = (place, time)

    def begin(self, place: int, process: Label | None, label: Label | None = None) -> Transaction:
        """Begin a transaction."""
        if process in self._open:
            raise HistoryError(place, f"process {process} begins a transaction, and the one that "
                                      f"it began on line {self._open[process].begin:,} has "
                                      "no end")  # fmt: skip
        if process in self._lost:
            raise HistoryError(place, f"process {process} begins a transaction, though what became "
                                      "of its last one is unknown (line "
                                      f"{self._lost[process]:,}): the next one needs another "
                                      "process")  # fmt: skip
        found = Transaction(len(self._all), process, place, label=label)
        self._all.append(found)
        self._open[process] = found
        return found

    def operation(
        self, place: int, process: Label | None, kind: Kind, what: Label, value: Any,
        version: int | None = None,
    ) -> None:  # fmt: skip
        """Add an operation to the transaction of a process."""
        found = self._current(place, process, f"a {kind} of {what}")
        if found.asked is not None:
            raise HistoryError(place, f"process {process} goes on after it asked to commit on line "
                                      f"{found.asked:,}")  # fmt: skip
        self._must_fit(place, kind, what, value)
        found.operations.append(Operation(kind, what, value, place, version))

    def ask(self, place: int, process: Label | None) -> None:
        """Note that a transaction asks to commit."""
        found = self._current(place, process, "a try-commit")
        if found.asked is not None:
            raise HistoryError(place, f"process {process} asks to commit twice")
        found.asked = place
        self._asked = True

    def commit(
        self, place: int, process: Label | None, versions: dict[Label, int] | None = None
    ) -> None:
        """End a transaction that has committed."""
        found = self._ended(place, process, Fate.COMMITTED, "a commit")
        wrote = {one.object for one in found.operations if one.kind != "read"}
        as_text: dict[Label, Label] = {str(what): what for what in wrote}
        given = versions or {}
        found.versions = {as_text.get(what, what): one for what, one in given.items()}
        for what, version in found.versions.items():
            if version <= 0:
                raise HistoryError(place, f"version {version} of {what}: commits install versions "
                                          "from 1 on; 0 is the initial one")  # fmt: skip
            if what not in wrote:
                raise HistoryError(place, f"the commit installs a version of {what}, which the "
                                          "transaction did not write")  # fmt: skip

    def abort(self, place: int, process: Label | None) -> None:
        """End a transaction that has aborted."""
        self._ended(place, process, Fate.ABORTED, "an abort")

    def lose(self, place: int, process: Label | None) -> None:
        """Note that nobody knows whether a transaction has committed, or will."""
        found = self._ended(place, process, Fate.COMMITTING, "an indeterminate end")
        found.end = None
        if process is not None:
            self._lost[process] = place

    def history(
        self, initial: Any = None, facts: dict[str, Any] | None = None, *, asks: bool = False
    ) -> History:
        """Return the history so far.

        A transaction without an end is live; it is committing if it has asked to commit, or if the
        recording has no such events at all, since it may have asked. With ``asks`` the recorder is
        known to write them.
        """
        for one in self._all:
            if one.fate is Fate.LIVE and (one.asked is not None or not (asks or self._asked)):
                one.fate = Fate.COMMITTING
        return History(self._all, initial, facts or {})

    def _current(self, place: int, process: Label | None, event: str) -> Transaction:
        found = self._open.get(process)
        if found is None:
            raise HistoryError(place, f"{event} of process {process}, which has begun no "
                                      "transaction")  # fmt: skip
        return found

    def _ended(self, place: int, process: Label | None, fate: Fate, event: str) -> Transaction:
        found = self._current(place, process, event)
        del self._open[process]
        found.end, found.fate = place, fate
        return found

    def _must_fit(self, place: int, kind: Kind, what: Label, value: Any) -> None:
        """Refuse an object that is a list in one place and no list in another."""
        if kind == "read" and (value is None or value == ()):
            return
        is_list = kind == "append" or (kind == "read" and type(value) is tuple)
        now = "list" if is_list else "value"
        before, line = self._kinds.setdefault(what, (now, place))
        if before != now:
            raise HistoryError(place, f"{what} is used as a {now}, and on line {line:,} as a "
                                      f"{before}")  # fmt: skip
