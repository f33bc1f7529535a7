"""Every reachable state, breadth first, so that the first counterexample is a shortest one.

The guarded commands of the trace become generated Python over packed states (`generate`); every
trace that is reported has been replayed by the plain-Python spec.
"""

from __future__ import annotations

import gc
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any

from spec.notation import Model, Property, RangeError, Step, Values
from spec.notation import _nodes as nodes
from spec.notation._nodes import Node

from .generate import Expander, Packing, compile_function, judge_source, packing, size_of
from .limits import LimitReached, Limits
from .trace import System, trace
from .verdict import Answer, Trace, Verdict, explained, in_steps, replay, what_failed

CHUNK = 4096
"""States expanded between two looks at the limits."""

MEMO_COST = 150
"""Claims with more nodes are judged once for each value of the cells that they read."""


class Disagreement(Exception):
    """Generated code and plain Python do not do the same: an error in this program."""


Judge = Callable[[bytes], int]


def _remembered(judge: Judge, layout: Packing, claims: Sequence[Node]) -> Judge:
    """Return the judge with a memory, keyed by the bytes that the claims read."""
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


def judges(layout: Packing, claims: dict[str, Node]) -> list[tuple[list[str], Judge]]:
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


@dataclass
class Exploration:
    """What an exhaustive run found; it can be asked for traces afterwards.

    Attributes
    ----------
    states : list of bytes
        Every state reached, packed, in the order of discovery.
    parent, via : array
        For each state, the place of the one before and the command between.
    levels : list of int
        ``levels[d]``: the number of states within d steps.
    transitions : int
        Steps that were possible, over all expanded states.
    failures : dict
        Name of a claim to (state, command): where it first failed, or a witness was first reached;
        command is -1 where the state itself decides.
    taken : list of int
        How often each command was taken.
    complete : bool
        Whether every state was expanded.
    reason : str
        If not, why.
    """

    system: System
    layout: Packing
    states: list[bytes] = field(default_factory=list)
    parent: array[int] = field(default_factory=lambda: array("L"))
    via: array[int] = field(default_factory=lambda: array("L"))
    levels: list[int] = field(default_factory=list)
    transitions: int = 0
    failures: dict[str, tuple[int, int]] = field(default_factory=dict)
    taken: list[int] = field(default_factory=list)
    complete: bool = False
    reason: str = ""

    def trace_to(self, state: int, command: int = -1) -> Trace:
        """Return the run to a state, and one step further if a command is given, replayed."""
        steps: list[Step] = []
        commands = self.system.commands
        at = state
        while self.via[at] < len(commands):
            steps.append(commands[self.via[at]].step)
            at = self.parent[at]
        model = self.system.model
        found = replay(model, steps[::-1], self.layout.unpack(self.states[at]))
        if found.states[-1] != self.layout.unpack(self.states[state]):
            raise Disagreement(f"{model.name}: plain Python does not replay {steps[::-1]}")
        if command < 0:
            return found
        last = commands[command].step
        try:
            after = model.take(found.states[-1], last)
        except RangeError:
            return Trace(found.states, (*found.steps, last))
        if after is None:
            raise Disagreement(f"{model.name}: plain Python cannot take {last}")
        return Trace((*found.states, after), (*found.steps, last))

    def find(self, values: Values) -> int | None:
        """Return the place of a state; None if it was not reached."""
        packed = self.layout.pack(values)
        return next((i for i, state in enumerate(self.states) if state == packed), None)

    def dead_actions(self) -> list[str]:
        """Return the actions that were never possible."""
        alive = {c.step.action for c, n in zip(self.system.commands, self.taken, strict=True) if n}
        return [a.name for a in self.system.model.actions if a.name not in alive]


@contextmanager
def _without_collector() -> Iterator[None]:
    """Keep the cycle collector out of the way: states make no cycles, and there are millions."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def explore(
    model: Model, limits: Limits | None = None, wanted: Sequence[Property] | None = None
) -> Exploration:
    """Visit every reachable state, or as many as the limits allow.

    Parameters
    ----------
    model : Model
        What to explore.
    limits : Limits, optional
        Time and memory; none by default.
    wanted : sequence of Property, optional
        The properties to judge; all by default.
    """
    limits = limits or Limits()
    system = trace(model)
    layout = packing(model.cells)
    run = Exploration(system, layout, taken=[0] * len(system.commands))
    with _without_collector():
        _Explorer(run, limits, model.properties if wanted is None else wanted).go()
    return run


class _Explorer:
    def __init__(self, run: Exploration, limits: Limits, wanted: Sequence[Property]) -> None:
        self.run, self.limits = run, limits
        self.names = {p.name for p in wanted}
        kinds = {p.name: p.kind for p in wanted}
        claims = {
            name: nodes.negation(node) if kinds[name] == "sometimes" else node
            for name, node in run.system.claims.items()
            if name in kinds
        }
        self.judges = judges(run.layout, claims)
        self.may_end: Judge | None = None
        if run.system.may_end is not None and "no-deadlock" in kinds:
            source = judge_source(run.layout, [run.system.may_end], "judge")
            self.may_end = compile_function(source, "judge")
        source = Expander(run.system, run.layout).source()
        self.expand = compile_function(source, "expand")

    def go(self) -> None:
        run = self.run
        seen: set[bytes] = set()
        start = len(run.system.commands)  # stands for "initial" in `via`
        for values in run.system.model.initial_states():
            state = run.layout.pack(values)
            if state not in seen:
                seen.add(state)
                run.states.append(state)
                run.parent.append(0)
                run.via.append(start)
        if not run.states:
            run.reason = "there is no initial state"
            return
        try:
            self._judge(0)
            self._levels(seen)
        except LimitReached as limit:
            run.reason = str(limit)

    def _levels(self, seen: set[bytes]) -> None:
        run, first = self.run, 0
        while first < len(run.states):
            run.levels.append(len(run.states))
            last = len(run.states)
            for begin in range(first, last, CHUNK):
                chunk = run.states[begin : min(begin + CHUNK, last)]
                new = len(run.states)
                run.transitions += self.expand(
                    chunk, begin, seen, run.states, run.parent, run.via, run.taken, self._report
                )
                self._judge(new)
                if self.names and self.names <= run.failures.keys():
                    return
                self.limits.check(f"{len(run.states):,} states, {len(run.levels) - 1} steps deep")
            first = last
        run.complete = True

    def _judge(self, first: int) -> None:
        states = self.run.states
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
        """Note what generated code found: a step that fails a claim, or a state without a step."""
        run = self.run
        if command < 0 and not (self.may_end and self.may_end(run.states[state])):
            return
        if name in self.names:
            run.failures.setdefault(name, (state, command))


def check(
    model: Model, limits: Limits | None = None, wanted: Sequence[Property] | None = None
) -> list[Verdict]:
    """Return a verdict for each property, from one exploration."""
    limits = limits or Limits()
    wanted = model.properties if wanted is None else wanted
    run = explore(model, limits, wanted)
    return verdicts(run, wanted, limits.elapsed())


def verdicts(run: Exploration, wanted: Sequence[Property], seconds: float) -> list[Verdict]:
    """Return what an exploration says of each property."""
    dead = run.dead_actions() if run.complete else []
    notes = (f"never possible: {', '.join(dead)}",) if dead else ()
    return [_verdict(run, claim, seconds, notes) for claim in wanted]


def _verdict(run: Exploration, claim: Property, seconds: float, notes: tuple[str, ...]) -> Verdict:
    model = run.system.model
    reached = max(len(run.levels) - 1, 0)
    extent = "all states" if run.complete else in_steps(reached)
    verdict = Verdict(
        model, claim, "exhaustive", "holds", extent, len(run.states), run.transitions, reached,
        seconds, notes=notes,
    )  # fmt: skip
    witness = claim.kind == "sometimes"
    if claim.name in run.failures:
        found = run.trace_to(*run.failures[claim.name])
        answer: Answer = "holds" if witness else "violated"
        extent = in_steps(len(found.steps))
        changed = replace(
            verdict, answer=answer, extent=extent, depth=len(found.steps), trace=found
        )
        return explained(replace(changed, reason=what_failed(model, claim, found)))
    if not run.complete:
        return replace(verdict, answer="unknown", reason=run.reason)
    if witness:
        return replace(verdict, answer="violated", reason="no reachable state satisfies it")
    return verdict
