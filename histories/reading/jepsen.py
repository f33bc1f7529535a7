"""Reads the histories of Jepsen: lists with appends and registers, in EDN and in JSON.

An operation is a map with ``type`` (invoke, ok, fail, info), ``process`` and ``value``: a
transaction as a list of ``[append k v]``, ``[w k v]`` and ``[r k v]``. What another process than a
client does, and operations that are no transactions, are left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from counterpoint.histories.history import History, HistoryError, Kind

from .building import Builder
from .lines import whole_number

KINDS: dict[str, Kind] = {"append": "append", "w": "write", "r": "read"}
ENDS = ("ok", "fail", "info")


def read_operations(operations: Iterable[tuple[int, Any]]) -> History:
    """Return the history of operations.

    Parameters
    ----------
    operations : iterable of (int, dict)
        Each with its place.

    Raises
    ------
    HistoryError
        If one is wrong or cannot have happened.
    """
    reader = _Reader()
    for place, operation in operations:
        reader.take(place, operation)
    return reader.history()


class _Reader:
    def __init__(self) -> None:
        self.builder = Builder()
        self._invoked: dict[Any, tuple[int, Any]] = {}

    def take(self, place: int, operation: Any) -> None:
        """Take the next operation."""
        if type(operation) is not dict:
            raise HistoryError(place, "an operation is a map")
        kind, process = operation.get("type"), operation.get("process")
        if kind not in ("invoke", *ENDS):
            raise HistoryError(place, f"the type is {kind!r}; known: invoke, {', '.join(ENDS)}")
        if not _is_transaction(operation):
            return
        if operation.get("time") is not None:
            self.builder.at(place, whole_number(place, operation["time"], "time"))
        if kind == "invoke":
            self.builder.begin(place, process)
            self._invoked[process] = (place, operation["value"])
            return
        if process not in self._invoked:
            self.builder.begin(place, process)  # a history of answers alone
        begun, called = self._invoked.pop(process, (place, None))
        if called is not None and operation.get("value") is not None:
            _must_be_of(place, operation["value"], begun, called)
        self._end(place, process, kind, operation, called)

    def history(self) -> History:
        """Return the history; a transaction without an answer may have done its writes."""
        for process, (place, value) in self._invoked.items():
            self._operations(place, process, value, with_reads=False)
        return self.builder.history()

    def _end(self, place: int, process: Any, kind: str, operation: Any, called: Any) -> None:
        value = operation.get("value")
        if kind == "ok":
            self._operations(place, process, value, with_reads=True)
            self.builder.commit(place, process)
            return
        self._operations(place, process, called if value is None else value, with_reads=False)
        if kind == "fail":
            self.builder.abort(place, process)
        else:
            self.builder.lose(place, process)

    def _operations(self, place: int, process: Any, value: Any, with_reads: bool) -> None:
        """Add the operations of a transaction; what it read if it has committed."""
        for kind, key, what in _micro(place, value):
            if kind == "read":
                if not with_reads:
                    continue
                what = tuple(what) if isinstance(what, list | tuple) else what
            elif type(what) not in (int, str):
                raise HistoryError(place, f"a {kind} needs a whole number or a text: {what!r}")
            self.builder.operation(place, process, kind, key, what)


def _is_transaction(operation: dict[str, Any]) -> bool:
    """Return whether an operation is a transaction of a client."""
    if operation.get("f", "txn") != "txn" or operation.get("process") == "nemesis":
        return False
    value = operation.get("value")
    return isinstance(value, list | tuple) or (value is None and operation["type"] != "invoke")


def _micro(place: int, value: Any) -> list[tuple[Kind, Any, Any]]:
    """Return the operations within a transaction."""
    found: list[tuple[Kind, Any, Any]] = []
    for one in value or ():
        if not isinstance(one, list | tuple) or len(one) != 3 or one[0] not in KINDS:
            raise HistoryError(place, f"{one!r} is none of [append k v], [w k v], [r k v]")
        if type(one[1]) is not int and not isinstance(one[1], str):
            raise HistoryError(place, f"the key {one[1]!r} is no whole number and no text")
        key = one[1] if type(one[1]) is int else str(one[1])
        found.append((KINDS[one[0]], key, one[2]))
    return found


def _must_be_of(place: int, value: Any, begun: int, called: Any) -> None:
    """Refuse an answer to another transaction than was invoked."""
    answered, asked = _micro(place, value), _micro(begun, called)
    same = len(answered) == len(asked) and all(
        a[:2] == b[:2] and (a[0] == "read" or a[2] == b[2])
        for a, b in zip(answered, asked, strict=True)
    )
    if not same:
        raise HistoryError(place, f"the answer is to another transaction than line {begun:,} "
                                  "invoked")  # fmt: skip
