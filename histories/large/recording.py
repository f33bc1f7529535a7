"""A recording that the kernel has read."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import IO

from counterpoint.histories.deciding.edges import Edge, Kind
from counterpoint.histories.history import Counts, Fate, Label
from counterpoint.histories.kernel.library import library
from counterpoint.histories.ladder import LADDER
from counterpoint.histories.sources import INITIAL

KINDS = (Kind.WW, Kind.WR, Kind.RW, Kind.SESSION, Kind.REAL_TIME, Kind.EFFECT, Kind.VISIBLE)
"""As the kernel counts them."""

FATES = (Fate.LIVE, Fate.COMMITTED, Fate.ABORTED, Fate.COMMITTING)

NUMBERS = {one.name: k for k, one in enumerate(LADDER)}
"""The criteria, as the kernel counts them."""

FORMS = {"events": 0, "jepsen-json": 1, "jepsen-edn": 2}
"""The formats, as the kernel counts them."""

_NONE = 0xFFFFFFFF
_DONE, _HANDED_OVER, _NO_MEMORY, _STOPPED = 0, 1, 2, 3
_HOLDS, _VIOLATED = 0, 1


class HandedOver(Exception):
    """The kernel does not know what to say of this recording; the message says why."""


class Recording:
    """A recording that the kernel has read; a context that frees it.

    Parameters
    ----------
    file : binary file
        With a number, at its beginning.
    form : str
        One of `FORMS`.

    Raises
    ------
    NoCompiler
        If the kernel cannot be compiled.
    MemoryError
        If there is too little memory.
    """

    def __init__(self, file: IO[bytes], form: str) -> None:
        self._library = library()
        self.form = form
        self._kernel = self._library.kernel_new(file.fileno(), FORMS[form])
        if not self._kernel:
            raise MemoryError("there is not enough memory")

    def __enter__(self) -> Recording:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self._library.kernel_free(self._kernel)

    def read(self) -> None:
        """Read the file.

        Raises
        ------
        HandedOver
            If there is something in it that is wrong or that the kernel does not know.
        """
        self._called(self._library.kernel_read)

    def fits(self, criterion: str, sessions: bool) -> bool:
        """Return whether a criterion holds.

        Raises
        ------
        HandedOver
            If the kernel does not know.
        """
        answer = ctypes.c_int()
        self._called(self._library.kernel_judge, NUMBERS[criterion], sessions,
                     ctypes.byref(answer))  # fmt: skip
        if answer.value not in (_HOLDS, _VIOLATED):
            raise HandedOver(self._reason()[0])
        return answer.value == _HOLDS

    def cycle(self) -> list[Edge]:
        """Return the cycle of the criterion that was judged last and is violated."""
        found = (ctypes.c_uint32 * 5)()
        cycle = []
        for k in range(self._library.kernel_cycle_size(self._kernel)):
            self._library.kernel_cycle(self._kernel, k, found)
            source, target, kind, what, about = found
            edge = Edge(source, target, KINDS[kind])
            if what != _NONE:
                edge = edge._replace(object=self._label(what))
            if edge.kind in (Kind.RW, Kind.VISIBLE):
                edge = edge._replace(about=INITIAL if about == _NONE else about)
            cycle.append(edge)
        return cycle

    def _label(self, number: int) -> Label:
        value = ctypes.c_int64()
        letters = self._library.kernel_object(self._kernel, number, ctypes.byref(value))
        return ctypes.string_at(letters, value.value).decode() if letters else value.value

    def counts(self) -> Counts:
        """Return the numbers of what the recording contains."""
        found = (ctypes.c_uint64 * 12)()
        self._library.kernel_counts(self._kernel, found)
        met = sorted((found[4 + k], k) for k in range(4) if found[k])
        fates = {FATES[k]: int(found[k]) for _, k in met}
        return Counts(found[8], found[9], found[10], fates)

    def sources(self, transaction: int) -> set[int]:
        """Return the transactions that one has read from."""
        size = self._library.kernel_sources(self._kernel, transaction, None, 0)
        found = (ctypes.c_uint32 * size)()
        self._library.kernel_sources(self._kernel, transaction, found, size)
        return set(found)

    def fate(self, transaction: int) -> Fate:
        """Return what became of a transaction."""
        return FATES[self._transaction(transaction)[0]]

    def places(self, transaction: int) -> list[tuple[int, int]]:
        """Return of a history of Jepsen the lines and offsets of a transaction's operations."""
        _, begin, first, last, line = self._transaction(transaction)
        places = [(begin, first)]
        if last not in (first, _NEVER):
            places.append((line, last))
        return places

    def _transaction(self, number: int) -> list[int]:
        found = (ctypes.c_uint64 * 5)()
        self._library.kernel_transaction(self._kernel, number, found)
        return list(found)

    def find(self, transactions: Iterable[int]) -> list[tuple[int, int]]:
        """Return the lines and offsets of transactions' events; the file is at its beginning."""
        chosen = set(transactions)
        wanted = bytearray(max(chosen, default=-1) + 1)
        for number in chosen:
            wanted[number] = 1
        self._called(self._library.kernel_find, bytes(wanted), len(wanted))
        size = ctypes.c_uint64()
        found = self._library.kernel_found(self._kernel, ctypes.byref(size))
        return [(found[2 * k], found[2 * k + 1]) for k in range(size.value)]

    def _reason(self) -> tuple[str, int]:
        line = ctypes.c_uint32()
        reason = self._library.kernel_reason(self._kernel, ctypes.byref(line))
        return reason.decode(), line.value

    def _called(self, function: Callable[..., int], *arguments: object) -> None:
        """Call the kernel in a thread, so that the user can interrupt it."""
        codes: list[int] = []
        thread = threading.Thread(target=lambda: codes.append(function(self._kernel, *arguments)))
        thread.start()
        try:
            while thread.is_alive():
                thread.join(0.5)
        except BaseException:
            self._library.kernel_stop(self._kernel)
            thread.join()
            raise
        reason, line = self._reason()
        if codes[0] == _NO_MEMORY:
            raise MemoryError(reason)
        if codes[0] != _DONE:
            raise HandedOver(f"line {line:,}: {reason}")


_NEVER = (1 << 64) - 1
