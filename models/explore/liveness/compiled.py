"""Answers to questions about temporal properties from the explorer in C."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from ctypes import POINTER, c_double, c_int, c_int64, c_uint16, c_uint32, c_uint64, c_void_p
from functools import cached_property
from typing import Any

from counterpoint.models.explore.compiled.explorer import (
    COMPLETE,
    LIMIT_REACHED,
    RUNNING,
    SLICE,
    CompiledExploration,
    Machine,
)
from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.symbolic.fairness import promises_of
from counterpoint.models.verdict import Disagreement
from counterpoint.spec.notation import Property

from .question import Path, Question

NOBODY = 2**32 - 1
WORD = 64

SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "live_create": (c_void_p, [c_void_p]),
    "ask": (None, [c_void_p, *[c_int] * 5]),
    "proceed": (c_int, [c_void_p, c_double]),
    "nearest_wanted": (c_int64, [c_void_p]),
    "next_fair": (c_int64, [c_void_p, c_uint64]),
    "is_wanted": (c_int, [c_void_p, c_uint64]),
    "condition": (c_int, [c_void_p, c_int, c_uint64]),
    "due_in": (POINTER(c_uint64), [c_void_p, c_uint64]),
    "due_in_part": (None, [c_void_p, c_uint32, POINTER(c_uint64)]),
    "shortest_way": (c_int64, [c_void_p, c_uint32, c_uint32, POINTER(c_uint64), c_int]),
    "first_steps": (POINTER(c_uint64), [c_void_p]),
    "next_states": (POINTER(c_uint32), [c_void_p]),
    "commands": (POINTER(c_uint16), [c_void_p]),
    "depths": (POINTER(c_uint32), [c_void_p]),
    "befores": (POINTER(c_uint32), [c_void_p]),
    "queue": (POINTER(c_uint32), [c_void_p]),
    "part_with": (c_uint32, [c_void_p, c_uint64]),
    "path": (POINTER(c_uint64), [c_void_p]),
    "visited": (c_uint64, [c_void_p]),
    "reached": (c_uint64, [c_void_p]),
    "bytes_of_liveness": (c_uint64, [c_void_p]),
    "live_destroy": (None, [c_void_p]),
}
"""Functions of liveness.c: the result and the arguments."""


class Liveness:
    """The graph in C of one explorer; its memory is freed with this object."""

    def __init__(self, library: ctypes.CDLL, machine: Machine) -> None:
        self._machine = machine  # its states are needed as long as this object
        self._functions: dict[str, Callable[..., Any]] = {}
        for name, (result, arguments) in SIGNATURES.items():
            function = library[name]
            function.restype, function.argtypes = result, arguments
            self._functions[name] = function
        self._pointer = self._functions["live_create"](machine.address)
        if not self._pointer:
            raise LimitReached("there is no memory left")

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function, pointer = self._functions[name], self._pointer
        return lambda *arguments: function(pointer, *arguments)

    def __del__(self) -> None:
        if self.__dict__.get("_pointer"):
            self._functions["live_destroy"](self._pointer)

    def go(self, limits: Limits, doing: str) -> None:
        """Do what was begun last, to its end."""
        status = RUNNING
        while status == RUNNING:
            status = self.proceed(SLICE)
            if status == RUNNING:
                limits.check(doing)
        if status == LIMIT_REACHED:
            assert limits.bytes is not None
            raise LimitReached(f"the memory limit of {limits.bytes / 2**20:.0f} MB was reached")
        if status != COMPLETE:
            raise LimitReached("there is no memory left")


class CompiledGraph:
    """All reachable states with the steps between them, in the memory of the explorer in C.

    Parameters
    ----------
    run : CompiledExploration
        A complete exploration, by an explorer for the same temporal properties.
    limits : Limits

    Raises
    ------
    LimitReached
        If time or memory end before.
    """

    def __init__(self, run: CompiledExploration, limits: Limits) -> None:
        self.run, self._limits = run, limits
        self.order: Sequence[int] = run.order
        self.promises = promises_of(run.system)
        self.live = Liveness(run.library, run.machine)
        self.live.go(limits, f"the steps between {len(run.states):,} states")
        self._places: dict[str, tuple[int, ...]] = {}
        for claim in run.temporal:
            first = sum(map(len, self._places.values()))
            number = len(run.system.formulas(claim.method))
            self._places[claim.name] = tuple(range(first, first + number))

    @property
    def size(self) -> int:
        """The number of steps that change the state."""
        found: int = self.live.first_steps()[len(self.run.states)]
        return found

    @property
    def changing(self) -> set[int]:
        """The commands of which some step changes the state."""
        if not self.size:
            return set()
        found = ctypes.cast(self.live.commands(), POINTER(c_uint16 * self.size)).contents
        return {self.order[k] for k in set(memoryview(found).cast("B").cast("H"))}

    def truths(self, claim: Property, places: int) -> Sequence[int]:
        """Return for each state which conditions of a property are true, as a mask."""
        wanted = [(1 << place, k) for place, k in enumerate(self._places[claim.name])
                  if places >> place & 1]  # fmt: skip
        true = self.live.condition
        found = []
        for state in range(len(self.run.states)):
            if state % 65536 == 0:
                self._limits.check(f"{claim.name}: its conditions in {state:,} states")
            found.append(sum(bit for bit, k in wanted if true(k, state)))
        return found

    def following(self, state: int) -> Iterator[tuple[int, int]]:
        """Yield the command and the next state of each step that changes a state."""
        first, targets, commands, _ = self._arrays
        steps = slice(first[state], first[state + 1])
        for command, after in zip(commands[steps], targets[steps], strict=True):
            yield self.order[command], after

    def due(self, state: int) -> int:
        """Return the mask of the promises that are due in a state."""
        words = self.promises.words
        masks = self._arrays[3][state * words : (state + 1) * words]
        return sum(mask << WORD * w for w, mask in enumerate(masks))

    @cached_property
    def _arrays(self) -> tuple[Any, Any, Any, Any]:
        """The places of the steps of each state, their targets and commands; what is due."""
        live = self.live
        return live.first_steps(), live.next_states(), live.commands(), live.due_in(0)

    def conditions(self, claim: Property, state: int) -> tuple[bool, ...]:
        """Return the conditions of a temporal property in a state."""
        return tuple(bool(self.live.condition(k, state)) for k in self._places[claim.name])

    def ever(self, claim: Property) -> bool:
        """Return whether the first condition of a property is true in some state."""
        first = self._places[claim.name][0]
        return any(self.live.condition(first, state) for state in range(len(self.run.states)))

    def ask(self, claim: Property, question: Question) -> CompiledSearch:
        """Return the answer to a question about a property; the next question ends it."""
        first, *rest = self._places[claim.name]
        self.live.ask(*question, first, rest[0] if rest else -1)
        self.live.go(self._limits, f"{claim.name}: {len(self.run.states):,} states")
        return CompiledSearch(self)


class CompiledSearch:
    """The answer to a question, in C; see `question.Search`."""

    def __init__(self, graph: CompiledGraph) -> None:
        self._graph, self._live = graph, graph.live
        self._depth, self._before = self._live.depths(), self._live.befores()

    def nearest_wanted(self) -> int | None:
        """Return the nearest state of the region that is wanted, the least of several."""
        found: int = self._live.nearest_wanted()
        return None if found < 0 else found

    def candidates(self) -> Iterator[int]:
        """Yield the states of the fair parts that have a wanted state, the nearest first."""
        queue = self._live.queue()
        place = self._live.next_fair(0)
        while place >= 0:
            yield queue[place]
            place = self._live.next_fair(place + 1)

    def part(self, state: int) -> int:
        """Return the number of a state's fair part."""
        found: int = self._live.part_with(state)
        return found

    def depth(self, state: int) -> int:
        """Return the length of the shortest run to a state of the region."""
        found: int = self._depth[state]
        return found

    def way(self, state: int) -> tuple[int, Path]:
        """Return the state where the way to a state enters the region, and the steps from there."""
        steps: Path = []
        while (before := self._before[state]) != NOBODY:
            steps.append((self._command_between(before, state), state))
            state = before
        return state, steps[::-1]

    def _command_between(self, before: int, after: int) -> int:
        first, targets = self._live.first_steps(), self._live.next_states()
        place = next(i for i in range(first[before], first[before + 1]) if targets[i] == after)
        command: int = self._graph.order[self._live.commands()[place]]
        return command

    def is_wanted(self, state: int) -> bool:
        """Return whether a state is wanted."""
        return bool(self._live.is_wanted(state))

    def due(self, state: int) -> int:
        """Return the mask of the promises that are due in a state."""
        return self._mask(self._live.due_in(state))

    def due_in_part(self, part: int) -> int:
        """Return the mask of the promises that are due in some state of a part."""
        words = (c_uint64 * self._graph.promises.words)()
        self._live.due_in_part(part, words)
        return self._mask(words)

    def _mask(self, words: Any) -> int:
        found = 0
        for w in range(self._graph.promises.words):
            found |= words[w] << WORD * w
        return found

    def way_within(
        self, begin: int, left: int, missing: bool, goal: int | None = None
    ) -> tuple[Path, int]:
        """Return a shortest way within a part, and how many states were visited to find it."""
        size = self._graph.promises.words
        words = (c_uint64 * size)(*(left >> WORD * w & (1 << WORD) - 1 for w in range(size)))
        length = self._live.shortest_way(
            begin, NOBODY if goal is None else goal, words, int(missing)
        )
        if length == -2:
            raise LimitReached("there is no memory left")
        if length < 0:
            raise Disagreement("a fair part is not strongly connected")
        path, targets, commands = (
            self._live.path(), self._live.next_states(), self._live.commands()
        )  # fmt: skip
        places = [path[i] for i in range(length - 1, -1, -1)]
        steps = [(self._graph.order[commands[place]], targets[place]) for place in places]
        return steps, self._live.visited()
