"""Verdicts on temporal properties, from all reachable states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from counterpoint.models.explore.compiled.explorer import CompiledExploration
from counterpoint.models.explore.exhaustive import Exploration, UnpackedStates, explore
from counterpoint.models.lassos import promised, violated_by
from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.ltl.automaton import Automaton
from counterpoint.models.ltl.reading import violations
from counterpoint.models.symbolic import comparing
from counterpoint.models.symbolic.trace import System
from counterpoint.models.verdict import Disagreement, Trace, Verdict, replayed
from counterpoint.spec.notation import Model, Property

from .compiled import CompiledGraph
from .early import expanded_part, is_shortest
from .generated import GeneratedGraph
from .lasso import shortest
from .product import violation
from .question import BROKEN, QUESTIONS, Graph, Path, Search


def check(
    model: Model,
    limits: Limits,
    wanted: Sequence[Property],
    explorer: str = "auto",
    compared: int = comparing.STATES,
) -> list[Verdict]:
    """Return a verdict for each temporal property.

    The guarded commands are compared with plain Python in some states, as for other properties, and
    so are the conditions of the temporal properties.

    Parameters
    ----------
    model : Model
    limits : Limits
    wanted : sequence of Property
        Temporal properties.
    explorer : str
        One of `exhaustive.EXPLORERS`.
    compared : int
        The most states that are compared with plain Python.

    Raises
    ------
    Disagreement
        If plain Python does not confirm a lasso, or a condition.
    """

    def unknown(reason: str) -> list[Verdict]:
        seconds = limits.elapsed()
        return [Verdict(model, one, "exhaustive", "unknown", "", seconds=seconds, reason=reason)
                for one in wanted]  # fmt: skip

    first: dict[str, Verdict] = {}

    def early(run: Exploration) -> bool:
        first.update(_early(run, limits, wanted, compared))
        return len(first) == len(wanted)

    try:
        _ = model.fairness
        _refuse_large(model, wanted)
        run = explore(model, limits, (), explorer, temporal=wanted, early=early)
        if len(first) == len(wanted):
            return [first[one.name] for one in wanted]
        if not run.complete:
            return [first.get(one.claim.name, one) for one in unknown(run.reason)]
        found = comparing.compare(run.system, UnpackedStates(run), (), most=compared)
        if found.difference:
            return comparing.with_comparison(unknown(found.difference), found)
        graph = graph_of(run, limits)
        return [first.get(one.name)
                or replace(verdict_from(graph, one, limits, compared), compared=found.states)
                for one in wanted]  # fmt: skip
    except LimitReached as limit:
        return unknown(str(limit))


def _refuse_large(model: Model, wanted: Sequence[Property]) -> None:
    """Raise SpecError for a formula whose automaton would be too large."""
    for claim in wanted:
        if claim.kind == "temporal":
            violations(System(model), claim)


def _early(
    run: Exploration, limits: Limits, wanted: Sequence[Property], compared: int
) -> dict[str, Verdict]:
    """Return the violations that the first states of a run show, with shortest lassos."""
    part = expanded_part(run)
    if part is None:
        return {}
    found = comparing.compare(part.system, UnpackedStates(part), (), most=compared)
    if found.difference:
        return {}
    graph = GeneratedGraph(part, limits)
    note = f"found among the first {len(part.states):,} states"
    verdicts = [verdict_from(graph, one, limits, compared) for one in wanted]
    return {
        one.claim.name: replace(one, compared=found.states, notes=(note,))
        for one in verdicts
        if one.trace is not None and is_shortest(part, one.trace)
    }


def graph_of(run: Exploration, limits: Limits) -> Graph:
    """Return the graph of a complete exploration, by the explorer that made it."""
    if isinstance(run, CompiledExploration):
        return CompiledGraph(run, limits)
    return GeneratedGraph(run, limits)


def verdict_from(
    graph: Graph, claim: Property, limits: Limits, compared: int = comparing.STATES
) -> Verdict:
    """Return the verdict on one temporal property."""
    return _Judged(graph, claim, limits, compared).verdict()


class _Judged:
    """The search for a violation of one property."""

    def __init__(self, graph: Graph, claim: Property, limits: Limits, compared: int) -> None:
        self.graph, self.claim, self.limits, self.compared = graph, claim, limits, compared
        self.run, self.model = graph.run, graph.run.system.model
        self._compare()

    def _compare(self) -> None:
        """Compare the conditions with plain Python in states that are spread over all."""
        number = len(self.run.states)
        for state in range(0, number, max(1, number // max(1, self.compared))):
            values = self.run.layout.unpack(self.run.states[state])
            plain = self.model.conditions(self.claim, values)
            compiled = self.graph.conditions(self.claim, state)
            if plain != compiled:
                raise Disagreement(
                    f"{self.claim.name} is {plain} in plain Python and {compiled} as compiled"
                )

    def verdict(self) -> Verdict:
        """Return the verdict."""
        run = self.run
        reached = max(len(run.levels) - 1, 0)
        steps = self.graph.size
        found = self._until_is_broken() if self.claim.kind == "until" else None
        if found is None:
            found = self._lasso()
        verdict = Verdict(
            self.model, self.claim, "exhaustive", "holds", self._reach(), len(run.states),
            run.transitions, reached, self.limits.elapsed(), notes=self._notes(steps),
        )  # fmt: skip
        return verdict if found is None else violated_by(verdict, found)

    def _notes(self, steps: int) -> tuple[str, ...]:
        run, notes = self.run, [*self.run.notes]
        if dead := run.dead_actions():
            notes.append(f"never possible: {', '.join(dead)}")
        notes.append(f"{steps:,} steps that change the state; {promised(self.graph.promises.all)}")
        if never := self._never_due(dead):
            notes.append(f"fair, but it never changes the state: {', '.join(never)}")
        if names := leaving(run):
            actions = " or ".join(names)
            notes.append(f"a step of {actions} leaves a range: it counts as not possible")
        return tuple(notes)

    def _reach(self) -> str:
        """Return of which runs the property holds, in words."""
        runs = "all runs within ranges" if leaving(self.run) else "all runs"
        if self.claim.kind == "leads-to" and not self.graph.ever(self.claim):
            return f"{runs}, but its first condition is never true"
        if self.claim.kind == "temporal" and self._is_constant():
            return f"{runs}: its formula is always true for these parameters"
        if self.claim.kind == "temporal" and self._is_vacuous():
            return f"{runs}, but its first condition is never true"
        return runs

    def _is_constant(self) -> bool:
        """Return whether a formula says nothing of the run."""
        return self.model.shapes.of(self.model, self.claim.method).constant

    def _is_vacuous(self) -> bool:
        """Return whether a formula always(implies(first, ...)) has a first part that is false."""
        shape = self.model.shapes.of(self.model, self.claim.method)
        if shape.op != "always" or shape.parts[0].op != "implies":
            return False
        first = shape.parts[0].parts[0]
        number = len(self.run.system.formulas(self.claim.method))
        seen = set(self.graph.truths(self.claim, (1 << number) - 1))
        states = [[bool(truth >> k & 1) for k in range(number)] for truth in seen]
        return first.op == "condition" and not any(one[first.number] for one in states)

    def _never_due(self, dead: Sequence[str]) -> list[str]:
        """Return the promises that are due in no state, but those of actions never possible."""
        promises, ever = self.graph.promises, 0
        for command in self.graph.changing:
            ever |= promises.kept_by[command]
        return [one.name for k, one in enumerate(promises.all)
                if not ever >> k & 1 and one.name.partition("(")[0] not in dead]  # fmt: skip

    def _until_is_broken(self) -> Trace | None:
        """Return the shortest run to a state in which neither condition of `until` is true."""
        search = self.graph.ask(self.claim, BROKEN)
        state = search.nearest_wanted()
        return None if state is None else self._trace(search, state, [], loops=False)

    def _lasso(self) -> Trace | None:
        if self.claim.kind == "temporal":
            lasso = violation(self.graph, self.claim, self.automaton(), self.limits)
            return None if lasso is None else self._replayed(*lasso)
        search = self.graph.ask(self.claim, QUESTIONS[self.claim.kind])
        found = shortest(search, self.graph.promises)
        return None if found is None else self._trace(search, *found)

    def automaton(self) -> Automaton:
        """Return the automaton of the violations of a formula."""
        return violations(self.run.system, self.claim)

    def _trace(self, search: Search, state: int, cycle: Path, loops: bool = True) -> Trace:
        """Return the replayed run to a state, and from there through a cycle."""
        return self._replayed(*search.way(state), cycle, loops)

    def _replayed(self, enters: int, inner: Path, cycle: Path, loops: bool = True) -> Trace:
        """Return the run to a state, through a region, and through a cycle.

        Parameters
        ----------
        enters : int
            The state.
        inner, cycle : Path
            The steps from there, and the steps that are repeated for ever.
        loops : bool
            Whether there is a cycle.
        """
        commands = self.run.system.commands
        outer = self.run.trace_to(enters)
        taken = [*outer.steps, *(commands[command].step for command, _ in (*inner, *cycle))]
        found = replayed(self.model, taken, outer.states[0])
        expected = [self.run.layout.unpack(self.run.states[s]) for _, s in (*inner, *cycle)]
        if list(found.states[len(outer.states) :]) != expected:
            raise Disagreement("plain Python reaches other states than the engine's lasso has")
        return replace(found, loop=len(outer.steps) + len(inner) if loops else None)


def leaving(run: Exploration) -> list[str]:
    """Return the actions of which some step leaves a range."""
    taken = zip(run.system.commands, run.taken, strict=True)
    return list(dict.fromkeys(one.step.action for one, n in taken if one.leaves and n))
