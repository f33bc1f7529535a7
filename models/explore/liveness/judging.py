"""Verdicts on temporal properties, from all reachable states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

from counterpoint.models.explore.exhaustive import UnpackedStates
from counterpoint.models.explore.python.generate import (
    BytePacking,
    compile_function,
    judge_source,
    too_wide,
)
from counterpoint.models.explore.python.generated import GeneratedExplorer
from counterpoint.models.lassos import confirm_lasso, promises, what_happens
from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.symbolic import comparing
from counterpoint.models.symbolic.trace import trace
from counterpoint.models.verdict import Disagreement, Trace, Verdict, explained, in_steps, replayed
from counterpoint.spec.notation import Explanation, Model, Property

from .graph import StateGraph, fair_parts, state_graph
from .lasso import Path, Region, region, shortest

Judge = Callable[[int], bool]


def check(model: Model, limits: Limits, wanted: Sequence[Property]) -> list[Verdict]:
    """Return a verdict for each temporal property.

    All states are explored in Python. The guarded commands are compared with plain Python in some
    of them, as for other properties, and so are the conditions of the temporal properties.

    Parameters
    ----------
    model : Model
    limits : Limits
    wanted : sequence of Property
        Temporal properties.

    Raises
    ------
    Disagreement
        If plain Python does not confirm a lasso, or a condition.
    """

    def unknown(reason: str) -> list[Verdict]:
        seconds = limits.elapsed()
        return [Verdict(model, one, "exhaustive", "unknown", "", seconds=seconds, reason=reason)
                for one in wanted]  # fmt: skip

    try:
        _ = model.fairness
        system = trace(model, limits)
        if wide := too_wide(model.cells):
            return unknown(f"temporal properties are judged in Python only, and {wide}")
        explorer = GeneratedExplorer(system, limits, ())
        explorer.go()
        run = explorer.run
        if not run.complete:
            return unknown(run.reason)
        found = comparing.compare(system, UnpackedStates(run), ())
        if found.difference:
            return comparing.with_comparison(unknown(found.difference), found)
        graph = state_graph(run, limits)
        return [replace(_Judged(graph, one, limits).verdict(), compared=found.states)
                for one in wanted]  # fmt: skip
    except LimitReached as limit:
        return unknown(str(limit))


class _Judged:
    """The search for a violation of one property."""

    def __init__(self, graph: StateGraph, claim: Property, limits: Limits) -> None:
        self.graph, self.claim, self.limits = graph, claim, limits
        self.run, self.model = graph.run, graph.run.system.model

    @cached_property
    def truth(self) -> bytes:
        """Bit k of byte s: whether condition k of the property is false in state s."""
        layout = self.run.layout
        assert isinstance(layout, BytePacking)
        formulas = self.run.system.formulas(self.claim.method)
        judge = compile_function(judge_source(layout, formulas, "judge"), "judge")
        found = bytearray()
        for k, state in enumerate(self.run.states):
            if k % 512 == 0:
                self.limits.check()
            found.append(judge(state))
        self._compare(found, len(formulas))
        return bytes(found)

    def _compare(self, found: bytearray, number: int) -> None:
        """Compare the conditions with plain Python in states that are spread over all."""
        stride = max(1, len(found) // comparing.STATES)
        for state in range(0, len(found), stride):
            values = self.run.layout.unpack(self.run.states[state])
            plain = self.model.conditions(self.claim, values)
            compiled = tuple(not found[state] >> k & 1 for k in range(number))
            if plain != compiled:
                raise Disagreement(
                    f"{self.claim.name} is {plain} in plain Python and {compiled} as compiled"
                )

    def first(self, state: int) -> bool:
        """Return whether the first, or only, condition is true in a state."""
        return not self.truth[state] & 1

    def second(self, state: int) -> bool:
        """Return whether the second condition is true in a state."""
        return not self.truth[state] & 2

    def verdict(self) -> Verdict:
        """Return the verdict."""
        run = self.run
        reached = max(len(run.levels) - 1, 0)
        steps = len(self.graph.targets)
        found = self._until_is_broken() if self.claim.kind == "until" else None
        if found is None:
            found = self._lasso()
        verdict = Verdict(
            self.model, self.claim, "exhaustive", "holds", "all runs", len(run.states),
            run.transitions, reached, self.limits.elapsed(), notes=self._notes(steps),
        )  # fmt: skip
        if found is None:
            return verdict
        confirm_lasso(self.model, self.claim, found)
        changed = replace(
            verdict, answer="violated", extent=_extent(found), depth=len(found.steps), trace=found,
            reason=what_happens(self.model, self.claim, found),
        )  # fmt: skip
        changed = explained(changed)
        if found.loop is not None and not changed.explanation.lines:
            words = promises(self.model, found)
            changed = replace(changed, explanation=Explanation(tuple(words)))
        return changed

    def _notes(self, steps: int) -> tuple[str, ...]:
        notes = [f"{steps:,} steps that change the state; fair: {self._promised()}"]
        if self.claim.kind == "leads-to" and not any(map(self.first, range(len(self.truth)))):
            notes.append("its first condition is never true, so it says nothing")
        return tuple(notes)

    def _promised(self) -> str:
        found: dict[str, None] = {}
        for one in self.graph.promises:
            strength = "strongly" if one.strong else "weakly"
            found.setdefault(f"{one.name.partition('(')[0]} {strength}")
        return ", ".join(found) or "no action"

    def _until_is_broken(self) -> Trace | None:
        """Return the shortest run to a state in which neither condition of `until` is true."""
        whole = region(self.graph, lambda s: not self.second(s), None)
        broken = [s for s in whole.depth if not self.first(s)]
        if not broken:
            return None
        state = min(broken, key=lambda s: (whole.depth[s], s))
        return self._trace(whole, state, [], loops=False)

    def _lasso(self) -> Trace | None:
        inside, entry, wanted = self._region()
        reached = region(self.graph, inside, entry)
        parts = fair_parts(self.graph, reached.depth)
        found = shortest(self.graph, reached, parts, wanted)
        return None if found is None else self._trace(reached, *found)

    def _region(self) -> tuple[Judge, Judge | None, Judge | None]:
        """Return where a violating run stays, where it enters, and what its cycle must have.

        The second is None if the run must be there from the beginning, and the third if the cycle
        may be any.
        """

        def neither(state: int) -> bool:
            return not self.first(state)

        def waits(state: int) -> bool:
            return not self.second(state)

        regions: dict[str, tuple[Judge, Judge | None, Judge | None]] = {
            "eventually": (neither, None, None),
            "infinitely-often": (neither, _always, None),
            "stays": (_always, _always, neither),
            "leads-to": (waits, self.first, None),
            "until": (lambda state: self.first(state) and waits(state), None, None),
        }
        return regions[self.claim.kind]

    def _trace(self, reached: Region, state: int, cycle: Path, loops: bool = True) -> Trace:
        """Return the replayed run to a state, and from there through a cycle."""
        enters, inner = reached.way(state)
        commands = self.run.system.commands
        outer = self.run.trace_to(enters)
        places = [place for place, _ in (*inner, *cycle)]
        taken = [*outer.steps, *(commands[self.graph.commands[place]].step for place in places)]
        found = replayed(self.model, taken, outer.states[0])
        expected = [self.run.layout.unpack(self.run.states[s]) for _, s in (*inner, *cycle)]
        if list(found.states[len(outer.states) :]) != expected:
            raise Disagreement("plain Python reaches other states than the engine's lasso has")
        return replace(found, loop=len(outer.steps) + len(inner) if loops else None)


def _extent(found: Trace) -> str:
    """Return the length of a lasso in words."""
    if found.loop is None:
        return in_steps(len(found.steps))
    return f"{in_steps(found.loop)}, then {len(found.steps) - found.loop or 'none'} for ever"


def _always(state: int) -> bool:
    return True
