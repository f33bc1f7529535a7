"""Runs the explorer in C and reads its results."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, overload

from counterpoint.models.explore.python.exploration import Exploration
from counterpoint.models.explore.python.generate import in_order
from counterpoint.models.explore.python.generated import conditions_to_check
from counterpoint.models.limits import LimitReached, Limits, resident_bytes
from counterpoint.models.symbolic.symmetry import InterchangeableIndices, interchangeable
from counterpoint.models.symbolic.trace import System
from counterpoint.models.verdict import Disagreement, Trace, extended, violates
from counterpoint.spec.notation import Property, Values

from .compiler import Compilation
from .layout import BitPacking, bit_packing
from .source import ExplorerSource

SLICE = 0.1
"""Seconds of C between two looks at the limits."""

ALONE = 1 << 20
"""With fewer states, a second thread costs more than it gains."""

RUNNING, COMPLETE, DECIDED, NO_MEMORY, LIMIT_REACHED, TABLE_FULL = range(6)
NEVER = 2**64 - 1

SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "create": (ctypes.c_void_p, [ctypes.c_int, ctypes.c_uint64, ctypes.c_uint64]),
    "begin": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64]),
    "advance": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_double]),
    "origin": (
        ctypes.c_int,
        [
            ctypes.c_void_p,
            ctypes.c_uint64,
            ctypes.POINTER(ctypes.c_uint64),
            ctypes.POINTER(ctypes.c_int),
        ],
    ),
    "states": (ctypes.c_void_p, [ctypes.c_void_p]),
    "count": (ctypes.c_uint64, [ctypes.c_void_p]),
    "transitions": (ctypes.c_uint64, [ctypes.c_void_p]),
    "stands": (ctypes.c_uint64, [ctypes.c_void_p]),
    "memory": (ctypes.c_uint64, [ctypes.c_void_p]),
    "depth": (ctypes.c_uint64, [ctypes.c_void_p]),
    "levels": (ctypes.POINTER(ctypes.c_uint64), [ctypes.c_void_p]),
    "taken": (ctypes.POINTER(ctypes.c_uint64), [ctypes.c_void_p]),
    "failed": (ctypes.POINTER(ctypes.c_uint64), [ctypes.c_void_p]),
    "destroy": (None, [ctypes.c_void_p]),
}
"""Functions of the explorer in C: the result and the arguments."""


class Machine:
    """An explorer in C; its memory is freed with this object."""

    def __init__(self, library: ctypes.CDLL, threads: int, memory: int, alone: int) -> None:
        self._functions: dict[str, Callable[..., Any]] = {}
        for name, (result, arguments) in SIGNATURES.items():
            function = library[name]
            function.restype, function.argtypes = result, arguments
            self._functions[name] = function
        self._pointer = self._functions["create"](threads, memory, alone)
        if not self._pointer:
            raise LimitReached("there is not enough memory for the explorer")

    @property
    def address(self) -> int:
        """Where the explorer is in memory."""
        found: int = self._pointer
        return found

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function, pointer = self._functions[name], self._pointer
        return lambda *arguments: function(pointer, *arguments)

    def __del__(self) -> None:
        if self.__dict__.get("_pointer"):
            self._functions["destroy"](self._pointer)


class States(Sequence[bytes]):
    """The states in the memory of an explorer in C."""

    def __init__(self, machine: Machine, size: int) -> None:
        self._machine, self._size = machine, size

    def __len__(self) -> int:
        count: int = self._machine.count()
        return count

    @overload
    def __getitem__(self, place: int) -> bytes: ...
    @overload
    def __getitem__(self, place: slice) -> list[bytes]: ...
    def __getitem__(self, place: int | slice) -> bytes | list[bytes]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        return ctypes.string_at(self._machine.states() + place % len(self) * self._size, self._size)

    def __iter__(self) -> Iterator[bytes]:
        return (self[i] for i in range(len(self)))


class CompiledExploration(Exploration):
    """An exploration whose states stay in the explorer's memory."""

    machine: Machine
    library: ctypes.CDLL
    order: Sequence[int]
    temporal: Sequence[Property] = ()
    symmetry: InterchangeableIndices | None = None

    def origin(self, state: int) -> tuple[int, int] | None:
        """Return the number of the state before and the command between; None if initial."""
        parent, command = ctypes.c_uint64(), ctypes.c_int()
        found = self.machine.origin(state, ctypes.byref(parent), ctypes.byref(command))
        if found == -2:
            raise MemoryError
        if found < 0:
            raise Disagreement(f"{self.system.model.name}: no state leads to state {state}")
        return (parent.value, self.order[command.value]) if found else None

    def trace_to(self, state: int, command: int = -1, claim: Property | None = None) -> Trace:
        """Return the run to a state, and one step further if a command is given, replayed."""
        if self.symmetry is None:
            return super().trace_to(state, command, claim)
        passed: list[tuple[int, int]] = []
        at = state
        while (before := self.origin(at)) is not None:
            passed.append((at, before[1]))
            at = before[0]
        found = Trace((self.layout.unpack(self.states[at]),), ())
        for reached, via in reversed(passed):
            wanted = self.symmetry.representative(self.layout.unpack(self.states[reached]))
            found = self._further(found, via, partial(self._ends_in, wanted))
        if command < 0:
            return found
        model = self.system.model
        return self._further(found, command, lambda t: claim is None or violates(model, claim, t))

    def _ends_in(self, wanted: Values, found: Trace) -> bool:
        assert self.symmetry is not None
        taken = len(found.states) > len(found.steps)
        return taken and self.symmetry.representative(found.states[-1]) == wanted

    def _further(self, found: Trace, command: int, right: Callable[[Trace], bool]) -> Trace:
        """Return a run with one more step, which may differ from a command's step in its members.

        Parameters
        ----------
        found : Trace
            The run.
        command : int
            The command.
        right : callable
            Decides whether the longer run is the wanted one.
        """
        model, action = self.system.model, self.system.commands[command].step.action
        for step in model.steps:
            if step.action != action:
                continue
            longer = extended(model, found, step)
            if longer is not None and right(longer):
                return longer
        raise Disagreement(
            f"{model.name}: plain Python finds no step {action} like the explored one"
        )


class CompiledExplorer:
    """Prints and compiles the explorer of one spec, in the background, and runs it.

    Parameters
    ----------
    system : System
        What to explore.
    wanted : sequence of Property
        What to judge.
    reduce : sequence of str
        With ``symmetry``, one state of each class under symmetry is visited; with
        ``partial-order``, commands wait for others if that changes no answer.
    temporal : sequence of Property
        The temporal properties that are judged after the exploration; not with reductions.

    Raises
    ------
    NoCompiler
        If there is none.
    """

    def __init__(
        self,
        system: System,
        wanted: Sequence[Property],
        reduce: Sequence[str] = (),
        temporal: Sequence[Property] = (),
    ) -> None:
        self.reduce, self.temporal = reduce, temporal
        self.system, self.order = system, in_order(system.commands)
        self.layout: BitPacking = bit_packing(system.model.cells)
        claims = conditions_to_check(system, wanted)
        others = [p.name for p in wanted if p.name not in claims]
        self.symmetry: InterchangeableIndices | None = None
        if "symmetry" in reduce:
            found = interchangeable(system, claims.values())
            self.symmetry = found if found.indices else None
        waiting = "partial-order" in reduce
        source = ExplorerSource(
            system, self.layout, self.order, claims, others, self.symmetry, waiting, temporal
        )
        self.names = source.names
        self._compilation = Compilation(source.text())
        self._library: ctypes.CDLL | None = None

    def ready(self) -> bool:
        """Return whether the explorer can start without waiting.

        Raises
        ------
        NoCompiler
            If the compiler failed.
        """
        if self._library is None and self._compilation.ready():
            self._library = self._compilation.load()
        return self._library is not None

    def stop(self) -> None:
        """Kill the compiler if it still runs."""
        self._compilation.stop()

    def explore(self, limits: Limits, threads: int | None = None) -> CompiledExploration:
        """Visit every state, or as many as the limits allow.

        Parameters
        ----------
        limits : Limits
            Time and memory.
        threads : int, optional
            The number of threads; by default two, the second of which starts at `ALONE` states.

        Raises
        ------
        NoCompiler
            If the compiler failed.
        """
        run = CompiledExploration(self.system, self.layout, [], taken=[0] * len(self.order))
        run.order, run.symmetry, run.temporal = self.order, self.symmetry, self.temporal
        try:
            library, alone = self._wait(limits), 0 if threads else ALONE
            run.library = library
            run.machine = Machine(library, threads or _threads(), _memory(limits), alone)
            run.states = States(run.machine, self.layout.size)
            self._go(run, limits)
        except LimitReached as limit:
            run.reason = str(limit)
        finally:
            self.stop()
        if len(run.states):
            self._read(run)
        return run

    def _wait(self, limits: Limits) -> ctypes.CDLL:
        while not self.ready():
            self._compilation.wait(SLICE)
            limits.check("compiling")
        assert self._library is not None
        return self._library

    def _go(self, run: CompiledExploration, limits: Limits) -> None:
        machine = run.machine
        states = self.system.model.initial_states(limits.check)
        initial = b"".join(dict.fromkeys(map(self.layout.pack, states)))
        if not initial:
            raise LimitReached("there is no initial state")
        status = machine.begin(initial, len(initial) // self.layout.size)
        while status == RUNNING:
            status = machine.advance(SLICE)
            if status == RUNNING:
                limits.check(f"{machine.count():,} states, {machine.depth() - 1} steps deep")
        if status == LIMIT_REACHED:
            assert limits.bytes is not None
            raise LimitReached(f"the memory limit of {limits.bytes / 2**20:.0f} MB was reached")
        if status == NO_MEMORY:
            raise LimitReached("there is no memory left")
        if status == TABLE_FULL:
            raise LimitReached(f"the table is full with {machine.count():,} states")
        run.complete = status == COMPLETE

    def _read(self, run: CompiledExploration) -> None:
        """Copy the counters of the explorer."""
        machine = run.machine
        if self.symmetry is not None:
            names = " and ".join(name for name, _ in self.symmetry.indices)
            run.notes.append(f"symmetry of {names}: they stand for {machine.stands():,} states")
        elif "symmetry" in self.reduce:
            run.notes.append("no symmetry: no members are interchangeable")
        if "partial-order" in self.reduce:
            run.notes.append("partial order: steps may have waited, so runs need not be shortest")
        run.transitions = machine.transitions()
        run.levels = machine.levels()[: machine.depth()]
        taken, failed = machine.taken(), machine.failed()
        for place, command in enumerate(self.order):
            run.taken[command] = taken[place]
        for i, name in enumerate(self.names):
            if failed[i] != NEVER:
                state, place = failed[i] >> 16, failed[i] & 0xFFFF
                run.failures[name] = (state, self.order[place - 1] if place else -1)


def _memory(limits: Limits) -> int:
    return NEVER if limits.bytes is None else max(0, limits.bytes - resident_bytes())


def _threads() -> int:
    try:
        return min(2, len(os.sched_getaffinity(0)))
    except AttributeError:
        return min(2, os.cpu_count() or 1)
