"""The window protocol in C, used from Python by ctypes; threads run in it without Python's lock."""

from __future__ import annotations

import ctypes
import threading
from functools import cache
from pathlib import Path
from typing import Any

from counterpoint.memories import points
from counterpoint.memories.interface import Aborted, Memory
from counterpoint.memories.recording import Recorder
from counterpoint.models.explore.compiled.compiler import Compilation

from .look import KEPT, Look, ObjectLook, TransactionLook
from .readings import Switches

SOURCE = Path(__file__).with_name("window.c")
"""The program; ``window.h`` beside it is its interface for programs in C."""

PARTICIPANTS = 64
"""How many transactions can run in one memory at the same time."""

NO_END = 2**63 - 1
"""The top of a window whose versions have not ended."""

NOBODY, KEPT_BY_NOBODY = -1, -2
"""What ``window_look_object`` says where no participant holds the lock."""

REASONS = {
    1: "its window is empty",
    2: "something it read is locked",
    5: "there is no room for what it knows",
}
"""The reasons of ``window_reason`` for which a read aborts its transaction."""


@cache
def library(names: tuple[str, ...] = ()) -> ctypes.CDLL:
    """Return the compiled memory with some switches, compiled once in a process.

    Parameters
    ----------
    names : tuple of str
        As `Switches.names` gives them.

    Raises
    ------
    NoCompiler
        If there is no C compiler.
    """
    bits = [f"1ull << {name.upper().replace('-', '_')}" for name in names]
    text = f"#define WINDOW_SWITCHES ({' | '.join(bits) or '0'})\n"
    for file in (SOURCE, SOURCE.with_name("look.c")):
        path = str(file.resolve()).replace("\\", "\\\\").replace('"', '\\"')
        text += f'#include "{path}"\n'
    found = Compilation(text).load()
    transaction, integer = ctypes.c_void_p, ctypes.c_int64
    several = ctypes.POINTER(integer)
    for name, result, *arguments in (
        ("open", ctypes.c_void_p, ctypes.c_uint32),
        ("close", None, ctypes.c_void_p),
        ("join", transaction, ctypes.c_void_p),
        ("leave", None, transaction),
        ("begin", None, transaction, integer),
        ("read", ctypes.c_int, transaction, ctypes.c_uint32, ctypes.POINTER(integer)),
        ("write", ctypes.c_int, transaction, ctypes.c_uint32, integer),
        ("commit", ctypes.c_int, transaction),
        ("abort", None, transaction),
        ("reason", ctypes.c_int, transaction),
        ("version_read", integer, transaction, ctypes.c_uint32),
        ("version_written", integer, transaction, ctypes.c_uint32),
        ("look_clock", integer, ctypes.c_void_p),
        ("look_object", None, ctypes.c_void_p, ctypes.c_uint32, several),
        ("look_transaction", ctypes.c_int, transaction, several),
        ("look_entry", None, transaction, ctypes.c_uint32, several),
    ):
        function = getattr(found, f"window_{name}")
        function.restype, function.argtypes = result, arguments
    points.connect(found)
    return found


class CompiledWindowMemory(Memory):
    """The window protocol in C. Its parameters are those of `python_memory.WindowMemory`.

    Raises
    ------
    NoCompiler
        If there is no C compiler.
    MemoryError
        If there is no room for the objects.
    """

    def __init__(self, objects: int, record: Recorder | None, switches: Switches) -> None:
        super().__init__(objects, record)
        self._library = library(tuple(switches.names()))
        self._memory = self._library.window_open(objects)
        if not self._memory:
            raise MemoryError(f"there is no room for {objects} objects")
        self._free: list[int] = []
        self._all: list[int] = []
        self._lock = threading.Lock()

    def __del__(self) -> None:
        """Free the memory, when no transaction refers to it any more."""
        for participant in getattr(self, "_all", ()):
            self._library.window_leave(participant)
        if getattr(self, "_memory", None):
            self._library.window_close(self._memory)

    def _participant(self) -> int:
        with self._lock:
            if self._free:
                return self._free.pop()
            found = self._library.window_join(self._memory)
            if not found:
                raise RuntimeError(f"{PARTICIPANTS} transactions are live, which is the most")
            self._all.append(found)
            return int(found)

    def _leave(self, inside: _Inside) -> None:
        with self._lock:
            self._free.append(inside.participant)

    def look(self) -> Look:
        """Return what it has inside, while no thread is between two steps."""
        library = self._library
        labels: dict[int, int | str | None] = {NOBODY: None, KEPT_BY_NOBODY: KEPT}
        out = (ctypes.c_int64 * 5)()
        running = []
        for participant in self._all:
            if library.window_look_transaction(participant, out):
                labels[out[0]] = out[1]
                running.append(self._look_at(participant, *out[1:]))
        objects = []
        for x in range(self.objects):
            library.window_look_object(self._memory, x, out)
            value, date, _, holder = out[:4]
            objects.append(ObjectLook(value, date, labels.get(holder, KEPT)))
        return Look(library.window_look_clock(self._memory), objects, running)

    def _look_at(
        self, participant: int, label: int, bottom: int, commit_time: int, top: int
    ) -> TransactionLook:
        found = TransactionLook(label, bottom, commit_time)
        out = (ctypes.c_int64 * 5)()
        for x in range(self.objects):
            self._library.window_look_entry(participant, x, out)
            read, value, overwritten, wrote, published = out
            if read:
                found.reads[x] = value
            for has, objects in ((overwritten, found.overwritten), (wrote, found.writes),
                                 (published, found.published)):  # fmt: skip
                if has:
                    objects.add(x)
        if len(found.overwritten) == 1:  # the memory in C keeps the least end alone
            (x,) = found.overwritten
            found.ends[x] = None if top == NO_END else top
        return found

    def _begin(self, label: int) -> _Inside:
        inside = _Inside(self._participant(), label)
        self._library.window_begin(inside.participant, label)
        points.end_if_stopped()
        return inside

    def _read(self, inside: Any, x: int) -> tuple[int, int | None]:
        tx, value = inside.participant, ctypes.c_int64()
        if not self._library.window_read(tx, x, ctypes.byref(value)):
            reason = REASONS.get(self._library.window_reason(tx), "it was aborted")
            self._leave(inside)
            points.end_if_stopped()
            raise Aborted(f"transaction {inside.label}: {reason}, at its read of {x}")
        if self.record is None or x in inside.written:
            return value.value, None
        return value.value, self._library.window_version_read(tx, x)

    def _write(self, inside: Any, x: int, value: int) -> None:
        if not self._library.window_write(inside.participant, x, value):
            raise MemoryError("there is no room for another object in the transaction")
        inside.written.add(x)

    def _commit(self, inside: Any) -> dict[int, int] | None:
        tx, library = inside.participant, self._library
        committed = library.window_commit(tx)
        versions = None
        if committed:
            of = inside.written if self.record is not None else ()
            versions = {x: library.window_version_written(tx, x) for x in sorted(of)}
        self._leave(inside)
        points.end_if_stopped()
        return versions

    def _abort(self, inside: Any) -> None:
        self._library.window_abort(inside.participant)
        self._leave(inside)


class _Inside:
    """A live transaction: its participant in C, and the objects that it has written."""

    def __init__(self, participant: int, label: int) -> None:
        self.participant, self.label = participant, label
        self.written: set[int] = set()
