"""The explorer in generated Python, which needs no compiler and starts at once."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from operator import itemgetter
from typing import Any

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.symbolic.trace import System
from counterpoint.spec.notation import Property, nodes
from counterpoint.spec.notation.nodes import Node

from .exploration import Exploration
from .generate import BytePacking, Expander, compile_function, judge_source, packing, size_of

CHUNK = 4096
"""The number of states expanded between two checks of the limits."""

MEMO_COST = 150
"""Claims with more nodes are evaluated once for each combination of the cells they read."""

Judge = Callable[[bytes], int]


def _remembered(judge: Judge, layout: BytePacking, claims: Sequence[Node]) -> Judge:
    """Return the judge with a cache, whose keys are the bytes that the claims read."""
    offsets = sorted(
        layout.offset[c] + k
        for c in nodes.cells_of(claims)
        if c in layout.offset
        for k in range(layout.width[c])
    )
    memory: dict[Any, int] = {}
    if not offsets:
        return judge
    low, high = offsets[0], offsets[-1] + 1
    whole = high - low <= len(offsets) * 5 // 4
    key: Callable[[bytes], Any] = itemgetter(slice(low, high)) if whole else itemgetter(*offsets)

    def remembering(state: bytes) -> int:
        part = key(state)
        found = memory.get(part)
        if found is None:
            found = memory[part] = judge(state)
        return found

    return remembering


def judges(layout: BytePacking, claims: dict[str, Node]) -> list[tuple[list[str], Judge]]:
    """Return functions that together judge all claims of a packed state.

    Returns
    -------
    list of (names, judge)
        ``judge(state)`` has bit k set where the claim ``names[k]`` is false.
    """
    groups: list[tuple[set[Any], list[str], bool]] = []
    for name in sorted(claims, key=lambda n: -len(nodes.cells_of([claims[n]]))):
        support, costly = nodes.cells_of([claims[name]]), size_of(claims[name]) > MEMO_COST
        for known, names, kind in groups:
            if kind == costly and (not costly or support <= known):
                names.append(name)
                break
        else:
            groups.append((support, [name], costly))
    found = []
    for _, names, costly in groups:
        wanted = [claims[n] for n in names]
        judge = compile_function(judge_source(layout, wanted, "judge"), "judge")
        found.append((names, _remembered(judge, layout, wanted) if costly else judge))
    return found


def conditions_to_check(system: System, wanted: Sequence[Property]) -> dict[str, Node]:
    """Return the conditions to check in every state, by name: invariants and negated witnesses."""
    kinds = {p.name: p.kind for p in wanted}
    return {
        name: nodes.negation(node) if kinds[name] == "sometimes" else node
        for name, node in system.claims.items()
        if name in kinds
    }


@contextmanager
def _without_collector() -> Iterator[None]:
    """Disable the cycle collector: there are millions of states, and they form no cycles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class GeneratedExplorer:
    """Visits states with generated Python code.

    Parameters
    ----------
    system : System
        What to explore.
    limits : Limits
        Time and memory.
    wanted : sequence of Property
        What to judge.
    """

    def __init__(self, system: System, limits: Limits, wanted: Sequence[Property]) -> None:
        layout = packing(system.model.cells)
        self._layout = layout
        self._states: list[bytes] = []
        self.run = Exploration(system, layout, self._states, taken=[0] * len(system.commands))
        self.limits = limits
        self.names = {p.name for p in wanted}
        self.judges = judges(layout, conditions_to_check(system, wanted))
        self.may_end: Judge | None = None
        if system.may_end is not None and "no-deadlock" in self.names:
            self.may_end = compile_function(
                judge_source(layout, [system.may_end], "judge"), "judge"
            )
        self.expand = compile_function(Expander(system, layout).source(), "expand")

    def go(self, until: Callable[[int], bool] = lambda states: False) -> bool:
        """Visit every state, or as many as the limits allow.

        Parameters
        ----------
        until : callable
            Called between chunks with the number of states; if it returns true, the run is
            abandoned.

        Returns
        -------
        bool
            Whether the run was not abandoned.
        """
        run = self.run
        seen: set[bytes] = set()
        start = len(run.system.commands)  # stands for "initial" in `via`
        try:
            with _without_collector():
                for values in run.system.model.initial_states(self.limits.check):
                    state = self._layout.pack(values)
                    if state not in seen:
                        seen.add(state)
                        self._states.append(state)
                        run.parent.append(0)
                        run.via.append(start)
                if not run.states:
                    run.reason = "there is no initial state"
                    return True
                self._judge(0)
                return self._levels(seen, until)
        except LimitReached as limit:
            run.reason = str(limit)
        return True

    def _levels(self, seen: set[bytes], until: Callable[[int], bool]) -> bool:
        run, states, first = self.run, self._states, 0
        while first < len(states):
            run.levels.append(len(states))
            last = len(states)
            for begin in range(first, last, CHUNK):
                chunk = states[begin : min(begin + CHUNK, last)]
                new = len(states)
                run.transitions += self.expand(
                    chunk, begin, seen, states, run.parent, run.via, run.taken, self._report
                )
                self._judge(new)
                if self.names and self.names <= run.failures.keys():
                    return True
                if until(len(states)):
                    return False
                self.limits.check(f"{len(states):,} states, {len(run.levels) - 1} steps deep")
            first = last
        run.complete = True
        return True

    def _judge(self, first: int) -> None:
        states = self._states
        for names, judge in self.judges:
            for i in range(first, len(states)):
                if i % 512 == 0:
                    self.limits.check()
                bits = judge(states[i])
                if bits:
                    for k, name in enumerate(names):
                        if bits >> k & 1:
                            self.run.failures.setdefault(name, (i, -1))

    def _report(self, state: int, command: int, name: str) -> None:
        """Record a result of the generated code: a step that violates a claim, or a deadlock.

        Parameters
        ----------
        state : int
            The number of the state.
        command : int
            The command; -1 for a deadlock.
        name : str
            The claim.
        """
        run = self.run
        if command < 0 and not (self.may_end and self.may_end(self._states[state])):
            return
        if name in self.names:
            run.failures.setdefault(name, (state, command))
