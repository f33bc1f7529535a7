"""Finds from whom each transaction read.

A writer is found by the number of the version where that was recorded, and else by the value, which
must then have been written once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from .history import Fate, History, HistoryError, Label, Operation, Transaction
from .sources import INITIAL, Fault, Finding, Read, Sources


def sources_of(history: History) -> Sources:
    """Return from whom each transaction read.

    Raises
    ------
    HistoryError
        If a read has two possible writers, or a version two writers.
    """
    return _Reader(history).sources()


class _Written(NamedTuple):
    """A write: by whom, where, whether it is the last of its transaction."""

    writer: int
    place: int
    is_last: bool


class _Reader:
    def __init__(self, history: History) -> None:
        self._history = history
        self._found = Sources(history)
        self._writes: dict[tuple[Label, Any], list[_Written]] = {}
        self._versions: dict[tuple[Label, int], int] = {}

    def sources(self) -> Sources:
        """Return from whom each transaction read."""
        for one in self._history.transactions:
            self._note_writes(one)
        self._note_versions()
        for one in self._history.transactions:
            reads = _ReadsOf(self, one).all()
            self._found.reads.append(list(reads))
        self._found.findings.sort(key=lambda one: one.place)
        self._order_versions()
        return self._found

    def _order_versions(self) -> None:
        """Order versions by their numbers, also those that were learned from reads."""
        found: dict[Label, list[tuple[int, int]]] = {what: [] for what in self._found.versions}
        for (what, version), writer in self._versions.items():
            found[what].append((version, writer))
        for what, several in found.items():
            self._found.versions[what] = [writer for _, writer in sorted(several)]

    def _note_writes(self, one: Transaction) -> None:
        wrote: dict[Label, Any] = {}
        last = {op.object: k for k, op in enumerate(one.operations) if op.kind != "read"}
        for k, op in enumerate(one.operations):
            if op.kind == "read":
                continue
            key = (op.object, op.value)
            self._writes.setdefault(key, []).append(
                _Written(one.number, op.place, last[op.object] == k)
            )
            is_list = op.kind == "append"
            wrote[op.object] = (*wrote.get(op.object, ()), op.value) if is_list else op.value
        self._found.wrote.append(wrote)

    def _note_versions(self) -> None:
        numbered: dict[Label, list[tuple[int, int]]] = {}
        for one in self._history.transactions:
            for what, version in one.versions.items():
                other = self._versions.setdefault((what, version), one.number)
                if other != one.number:
                    raise HistoryError(one.end, f"version {version} of {what} was installed by "
                                       f"{self._history.name(other)} already")  # fmt: skip
                numbered.setdefault(what, []).append((version, one.number))
        writers: dict[Label, int] = {}
        for one in self._history.of(Fate.COMMITTED):
            for what in self._found.wrote[one.number]:
                writers[what] = writers.get(what, 0) + 1
        for what, found in numbered.items():
            if len(found) != writers[what]:
                raise HistoryError(None, f"the versions of {what} were recorded for "
                                   f"{len(found):,} of its {writers[what]:,} committed "
                                   "writers")  # fmt: skip
            self._found.versions[what] = [number for _, number in sorted(found)]

    def fault(self, one: Finding) -> None:
        """Add what is wrong with a read."""
        self._found.findings.append(one)

    def is_initial(self, value: Any) -> bool:
        """Return whether objects contain a value before anybody writes."""
        return value is None or value == () or bool(value == self._history.initial)

    def by_version(self, what: Label, version: int) -> int | None:
        """Return who installed a version of an object."""
        return INITIAL if version == 0 else self._versions.get((what, version))

    def learns(self, what: Label, version: int, writer: int) -> bool:
        """Return whether a transaction can have installed a version of which no commit says so.

        It can if it may have committed and nobody knows; then it is known now.
        """
        if what not in self._found.versions or self.fate(writer) in (Fate.ABORTED, Fate.LIVE):
            return True
        if self.fate(writer) is Fate.COMMITTED or version < 0:
            return False
        return self._versions.setdefault((what, version), writer) == writer

    def last_value(self, writer: int, what: Label) -> Any:
        """Return the value that a transaction wrote last."""
        return None if writer == INITIAL else self._found.wrote[writer][what]

    def by_value(self, reader: Transaction, op: Operation, value: Any) -> _Written | None:
        """Return who wrote a value that another transaction read; None if nobody else did.

        Raises
        ------
        HistoryError
            If there are two who could have.
        """
        others = [one for one in self._writes.get((op.object, value), ())
                  if one.writer != reader.number]  # fmt: skip
        several = len({one.writer for one in others}) > 1
        if several or (others and self.is_initial(value)):
            where = " and ".join(f"line {one.place:,}" for one in others[:2])
            also = "" if several else " and is the initial value"
            raise HistoryError(op.place, f"{op.object} = {value!r} was written on {where}{also}, "
                                         "so that it is open whose value was read: write "
                                         "different values, or record versions")  # fmt: skip
        return max(others, key=lambda one: one.is_last, default=None)

    def asked(self, writer: int) -> int | None:
        """Return the place where a transaction asked to commit, if that was recorded."""
        return self._history.transactions[writer].asked

    def fate(self, writer: int) -> Fate:
        """Return what became of a transaction."""
        return self._history.transactions[writer].fate

    def name(self, writer: int) -> str:
        """Return the name of a transaction."""
        return self._history.name(writer)


class _ReadsOf:
    """Goes through the operations of one transaction."""

    def __init__(self, known: _Reader, one: Transaction) -> None:
        self._known, self._one = known, one
        self._own: dict[Label, Any] = {}
        self._before: dict[Label, Read] = {}

    def all(self) -> Iterator[Read]:
        """Yield what it read of others."""
        for op in self._one.operations:
            if op.kind == "write":
                self._own[op.object] = op.value
            elif op.kind == "append":
                self._own[op.object] = (*self._own.get(op.object, ()), op.value)
            else:
                found = self._external(op)
                if found is not None and self._is_new(found, op):
                    yield found

    def _external(self, op: Operation) -> Read | None:
        """Return what a read says about others; None if it is of the transaction's own copy."""
        own = self._own.get(op.object)
        if type(op.value) is tuple or type(own) is tuple:
            return self._list(op, op.value or (), own or ())
        if own is not None:
            if op.value == own:
                return None
            self._fault(Fault.INTERNAL, op, f"read {op.object} = {op.value!r} after it had "
                                            f"written {own!r} itself")  # fmt: skip
        writer = self._writer(op, op.value)
        return None if writer is None else Read(op.object, writer, op.value, op.place)

    def _writer(self, op: Operation, value: Any) -> int | None:
        """Return who wrote a value that was read; None, with a finding, if nobody did."""
        by_version = None
        if op.version is not None:
            by_version = self._known.by_version(op.object, op.version)
        if by_version is not None:
            return self._checked(op, value, by_version)
        if self._known.is_initial(value) and op.version is None:
            if value is not None:
                self._known.by_value(self._one, op, value)
            return INITIAL
        written = self._known.by_value(self._one, op, value)
        if written is None:
            self._unwritten(op, value)
            return None
        writer = written.writer
        if op.version is not None and not self._known.learns(op.object, op.version, writer):
            self._fault(Fault.GARBAGE, op, f"read {op.object} = {value!r} as version {op.version}, "
                                           f"which {self._known.name(writer)} did not "
                                           "install")  # fmt: skip
            return None
        self._look_at_fate(op, value, writer)
        if not written.is_last:
            self._fault(Fault.INTERMEDIATE, op,
                        f"read {op.object} = {value!r}, which {self._known.name(writer)} "
                        f"overwrote itself", writer)  # fmt: skip
        return writer

    def _look_at_fate(self, op: Operation, value: Any, writer: int) -> None:
        fate = self._known.fate(writer)
        asked = self._known.asked(writer)
        if fate not in (Fate.ABORTED, Fate.LIVE) and asked is not None and op.place < asked:
            self._fault(Fault.EARLY, op, f"read {op.object} = {value!r} of "
                                         f"{self._known.name(writer)}, which asked to commit later "
                                         f"(line {asked:,})", writer)  # fmt: skip
        if fate in (Fate.ABORTED, Fate.LIVE):
            did = "aborted" if fate is Fate.ABORTED else "has not asked to commit"
            self._fault(Fault.ABORTED, op, f"read {op.object} = {value!r} of "
                                           f"{self._known.name(writer)}, which {did}",
                        writer)  # fmt: skip

    def _checked(self, op: Operation, value: Any, writer: int) -> int | None:
        """Return a writer found by a version, if it wrote the value that was read."""
        wrote = self._known.last_value(writer, op.object)
        is_same = self._known.is_initial(value) if writer == INITIAL else wrote == value
        if is_same:
            return writer
        source = "the initial one" if writer == INITIAL else f"{wrote!r} of " \
            f"{self._known.name(writer)}"  # fmt: skip
        self._fault(Fault.GARBAGE, op, f"read {op.object} = {value!r} as version {op.version}, "
                                       f"which is {source}")  # fmt: skip
        return None

    def _unwritten(self, op: Operation, value: Any) -> None:
        """Note that nobody else wrote a value that was read."""
        later = any(one.kind != "read" and (one.object, one.value) == (op.object, value)
                    for one in self._one.operations)  # fmt: skip
        if later:
            self._fault(Fault.FUTURE, op, f"read {op.object} = {value!r}, which it wrote itself, "
                                          "but not as the newest value")  # fmt: skip
        else:
            self._fault(Fault.GARBAGE, op, f"read {op.object} = {value!r}, which nobody wrote")

    def _list(self, op: Operation, value: tuple[Any, ...], own: tuple[Any, ...]) -> Read | None:
        """Return what a list that was read says about others."""
        if own and value[len(value) - len(own) :] != own:
            self._fault(Fault.INTERNAL, op, f"read {op.object} = {_list(value)} after it had "
                                            f"appended {_list(own)} itself")  # fmt: skip
            value = tuple(one for one in value if one not in own)
        elif own:
            value = value[: len(value) - len(own)]
        if len(set(value)) < len(value):
            self._fault(Fault.GARBAGE, op, f"read {op.object} = {_list(value)}, in which an "
                                           "element stands twice")  # fmt: skip
            return None
        chain: list[int] = []
        for k, element in enumerate(value):
            writer = self._element(op, value, k, element)
            if writer is None:
                return None
            if not chain or chain[-1] != writer:
                chain.append(writer)
        if len(set(chain)) < len(chain):
            self._fault(Fault.ORDER, op, f"read {op.object} = {_list(value)}, in which what "
                                         "one transaction appended is apart")  # fmt: skip
            return None
        return Read(op.object, chain[-1] if chain else INITIAL, value, op.place, tuple(chain))

    def _element(self, op: Operation, value: tuple[Any, ...], k: int, element: Any) -> int | None:
        """Return who appended an element of a list that was read."""
        written = self._known.by_value(self._one, op, element)
        if written is None:
            self._unwritten(op, element)
            return None
        writer = written.writer
        self._look_at_fate(op, element, writer)
        appended = self._known.last_value(writer, op.object)
        first = k - appended.index(element)
        if value[max(first, 0) : first + len(appended)] != appended:
            self._fault(Fault.INTERMEDIATE, op,
                        f"read {op.object} = {_list(value)}, where {self._known.name(writer)} "
                        f"appended {_list(appended)}", writer)  # fmt: skip
        return writer

    def _is_new(self, found: Read, op: Operation) -> bool:
        """Return whether a read is not a repeated one; note one that differs from the first."""
        before = self._before.setdefault(found.object, found)
        if before is found:
            return True
        both_initial = before.writer == found.writer == INITIAL
        if not both_initial and (before.writer, before.value) != (found.writer, found.value):
            self._fault(Fault.UNREPEATABLE, op, f"read {found.object} = {_shown(before.value)} and "
                                                f"then {_shown(found.value)}")  # fmt: skip
            return True
        return False

    def _fault(self, fault: Fault, op: Operation, text: str, writer: int | None = None) -> None:
        name = self._one.name
        self._known.fault(Finding(fault, self._one.number, op.place, f"{name} {text}", writer))


def _list(value: tuple[Any, ...]) -> str:
    return f"[{', '.join(map(repr, value))}]"


def _shown(value: Any) -> str:
    return _list(value) if type(value) is tuple else repr(value)
