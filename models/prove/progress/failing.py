"""Shows why a rank does not prove a temporal property: by a state in which a condition fails."""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.models.prove.obstacle import Reachable, nearest
from counterpoint.models.symbolic.evaluating import Evaluation
from counterpoint.models.symbolic.ranks import plain_numbers
from counterpoint.models.verdict import Disagreement
from counterpoint.spec.notation import Fairness, Model, RangeError, Step, Values
from counterpoint.spec.notation.nodes import Node

from .rule import Gap, Rule


def lines_of(rule: Rule, reachable: Reachable) -> tuple[str, tuple[str, ...]]:
    """Return why a rule does not prove a property, and the state that shows it, in words.

    Parameters
    ----------
    rule : Rule
        With the gap that was found.
    reachable : Reachable
        Searches the state among the reachable ones.

    Raises
    ------
    Disagreement
        If plain Python does not confirm the state.
    """
    gap = rule.found
    assert gap is not None
    if gap.gave_up:
        return f"z3 gave up on the question whether {gap.reason}: {gap.gave_up}", ()
    return gap.reason, tuple(_Failing(rule, gap).lines(reachable))


class _Failing:
    """A state in which a condition of the rule fails."""

    def __init__(self, rule: Rule, gap: Gap) -> None:
        self.rule, self.gap = rule, gap
        self.model: Model = rule.system.model
        first = [values[0] for values in self.model.initial_values()]
        frame = rule.prover.frame
        self.state = frame.values(nearest(rule.prover, first, frame.show(gap.where)))
        self.rank = self._rank(self.state)
        self._confirm()

    def _true(self, node: Node, values: Values) -> bool:
        return bool(Evaluation(self.rule.system.cells, values).value(node))

    def _rank(self, values: Values) -> tuple[int, ...]:
        """Return the rank in a state, in plain Python, and compare it with what z3 has read."""
        if self.rule.ranked is None:
            return ()
        plain = plain_numbers(self.model, self.rule.ranked, values)
        state = Evaluation(self.rule.system.cells, values)
        if plain != tuple(map(state.value, self.rule.rank)):
            raise Disagreement(f"{self.model.name}: the rank {self.rule.ranked.method} is {plain} "
                               "in plain Python, and another one for z3")  # fmt: skip
        return plain

    def _confirm(self) -> None:
        """Check in plain Python that the lemmas hold in the state."""
        lemmas = self.rule.prover.lemmas
        if not self._true(self.gap.where, self.state) or not all(
            self.model.holds(lemma, self.state) for lemma in lemmas
        ):
            raise Disagreement(f"{self.model.name}: plain Python does not confirm the state in "
                               f"which {self.rule.claim.name} is not proved")  # fmt: skip

    def lines(self, reachable: Reachable) -> Iterator[str]:
        """Yield the state in words, what happens there, and whether it is reachable."""
        first = self.model.initial_values()
        differing = [
            f"  {cell.label} = {self.model.show_value(cell, value)}"
            for cell, value, several in zip(self.model.cells, self.state, first, strict=True)
            if value not in several
        ]
        yield f"{self.rule.claim.name}: {self.gap.reason}."
        where = "this state" if differing else "the initial state"
        known = self._lemmas()
        known += [f"the rank is {shown(self.rank)}"] if self.rank else []
        known = known or ["a run may wait"]
        yield f"In {where} {' and '.join(known)}{':' if differing else '.'}"
        yield from differing
        yield from self._step() if self.gap.command is not None else ()
        yield from self._promises() if self.gap.helps else ()
        with_ends = Model(self.model.spec, self.model.reference)
        trace, line = reachable.way(with_ends, self.state)
        yield f"{line}." if trace is not None else line

    def _lemmas(self) -> list[str]:
        """Return in words which lemmas hold in the state."""
        kept = [lemma for lemma in self.rule.prover.lemmas if lemma.kind == "lemma"]
        whole = len(kept) == len(self.model.lemmas)
        return ["all lemmas hold" if whole else "the lemmas that are kept hold"] if kept else []

    def _step(self) -> Iterator[str]:
        assert self.gap.command is not None
        step = self.rule.system.commands[self.gap.command].step
        after = self._after(self.state, step)
        if after is None:
            raise Disagreement(f"{self.model.name}: plain Python cannot take "
                               f"{self.model.show_step(step)}")  # fmt: skip
        name, rank = self.model.show_step(step), self._rank(after)
        yield f"After {name} the rank is {shown(rank)}." if rank else f"{name} is possible there."

    def _after(self, values: Values, step: Step) -> Values | None:
        try:
            return self.model.take(values, step)
        except RangeError:
            return None

    def _promises(self) -> Iterator[str]:
        """Yield for each promise that is due in the state why it does not help."""
        found = False
        for promise in self.rule.promises:
            if self._is_due(promise, self.state):
                found = True
                yield f"  {promise.name} does not help: {self._why(promise)}"
        if not found:
            yield "  No step that is promised is possible there."

    def _moves(self, values: Values) -> Iterator[tuple[Step, Values]]:
        """Yield the steps that change the state, without what only a proof records."""
        kept = [k for k in range(len(values)) if k not in self.rule.without]
        for step in self.model.steps:
            after = self._after(values, step)
            if after is not None and any(after[k] != values[k] for k in kept):
                yield step, after

    def _is_due(self, promise: Fairness, values: Values) -> bool:
        return any(step in promise.steps for step, _ in self._moves(values))

    def _why(self, promise: Fairness) -> str:
        for step, after in self._moves(self.state):
            if self._true(self.rule.goal, after) or self._rank(after) < self.rank:
                continue
            name = self.model.show_step(step)
            if step in promise.steps:
                rank = f"the rank {shown(self.rank)}" if self.rank else "all as far from the goal"
                return f"{name} leaves {rank}"
            if not self._is_due(promise, after):
                return f"after {name} it is not possible any more"
        return "not in all states that may follow" + (" with this rank" if self.rank else "")


def shown(rank: tuple[int, ...]) -> str:
    """Return a rank as text: one number, or several in parentheses."""
    return str(rank[0]) if len(rank) == 1 else str(rank)
