"""A formula as a Promela model: the claim is an automaton of the runs that violate it.

The process is that of the other temporal properties: its variable ``promise`` counts the promises
of fairness that are met. The automaton accepts a run if it violates the formula, if all promises
are met again and again, and if no promise is given up that is due later. Other steps of the process
than those of the spec change none of the formula's conditions, and a formula does not depend on how
long a run stays in a state.

An ``ltl`` block would say the same, but Spin may need minutes to make a claim of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.models.ltl.automaton import Automaton, Move
from counterpoint.models.ltl.construction import automaton_of
from counterpoint.models.ltl.normal import FALSE, TRUE, Term, conjunction, literal, release, until
from counterpoint.models.ltl.reading import negated, violations
from counterpoint.models.symbolic.trace import System, trace
from counterpoint.spec.notation import Model, Property, SpecError, nodes
from counterpoint.spec.notation.nodes import Node

from ._expressions import PromelaPrinter, places_of
from .promela import comment, flag, refuse_wide
from .promela_runs import RunWriter, changing

State = tuple[int, int]
"""A state of the automaton, and how many of its acceptance sets were met since all were."""


def promela_of_runs(model: Model, claim: Property) -> str:
    """Return a spec and the negation of a temporal property as a Promela model.

    Parameters
    ----------
    model : Model
        The spec.
    claim : Property
        A temporal property.

    Raises
    ------
    SpecError
        If the spec is endless, or has no initial state, numbers beyond Spin's 32 bits, or a formula
        that is too large.
    """
    if model.spec.endless:
        raise SpecError(f"--to promela cannot say {claim.name}: {model.name} is endless, and the "
                        "ranges of a model have ends")  # fmt: skip
    traced = trace(model, wanted=())
    system = System(model, tuple(changing(traced)))
    if claim.kind == "temporal":
        violations(system, claim)  # refuses what is too large
    formulas = system.formulas(claim.method)
    writes = FormulaWriter if claim.kind == "temporal" else RunWriter
    writer = writes(system, (), PromelaPrinter(places_of(model)), claim=claim, formulas=formulas)
    refuse_wide(traced, *formulas)
    return "\n".join(writer.lines()) + "\n"


class FormulaWriter(RunWriter):
    """Writes a model with one formula and all promises of fairness."""

    @property
    def stay(self) -> Node:
        """The condition that is true in all states of the violating part of a run: none."""
        return nodes.TRUE

    def _claim(self) -> list[str]:
        given_up = list(self._never_due())
        self._met, self._kept = len(self.formulas), len(self.formulas) + 1
        automaton = automaton_of(self._violating(bool(given_up)))
        name = f"{self.claim.name}: {self.claim.description}"
        return [
            "",
            f"/* {comment(name).rstrip(': ')}",
            " * The claim accepts a run that violates it, and that meets all promises again and",
            " * again. It moves before each step of the process, so it reads every state. */",
            *self._defined(automaton),
            f"#define met (promise == {self.done})",
            *(["#define kept (" + " \\\n    && ".join(given_up) + ")"] if given_up else []),
            "",
            f"never {flag(self.claim)}",
            "{",
            *self._states(automaton),
            "}",
        ]

    def _violating(self, gives_up: bool) -> Term:
        """Return the formula of the runs that the claim accepts."""
        parts = [negated(self.system, self.claim),
                 release(FALSE, until(TRUE, literal(self._met + 1)))]  # fmt: skip
        if gives_up:
            parts.append(release(FALSE, literal(self._kept + 1)))
        return conjunction(parts)

    def _defined(self, automaton: Automaton) -> Iterator[str]:
        """Yield the definitions of the conditions that the automaton reads."""
        used = 0
        for m in (m for several in automaton.moves for m in several):
            used |= m.yes | m.no
        for place, node in enumerate(self.formulas):
            if used >> place & 1:
                yield f"#define p{place} ({self._condition(node)})"

    def _never_due(self) -> Iterator[str]:
        for number, _ in self._strong():
            yield f"!(given_up_{number} && c_expr {{ possible_{number} () }})"

    def _states(self, automaton: Automaton) -> Iterator[str]:
        """Yield the states of the claim, which accepts in those where all sets are met."""
        todo: list[State] = [(0, 0)]
        begun = "begun && " if self.extra_states else ""
        if begun:
            yield from ("begin:", "  if", "  :: !begun -> goto begin")
            yield from self._moves(automaton, (0, 0), todo, begun)
            yield "  fi;"
        for state in todo:  # which grows
            yield from (f"{_label(state, automaton)}:", "  if")
            yield from list(self._moves(automaton, state, todo)) or ["  :: false -> skip"]
            yield "  fi;"

    def _moves(
        self, automaton: Automaton, state: State, todo: list[State], begun: str = ""
    ) -> Iterator[str]:
        for m in automaton.moves[state[0]]:
            target = (m.target, _level(automaton.sets, state[1], m))
            if target not in todo:
                todo.append(target)
            yield f"  :: {begun}{self._reads(m)} -> goto {_label(target, automaton)}"

    def _reads(self, move: Move) -> str:
        names = [*(f"p{k}" for k in range(len(self.formulas))), "met", "kept"]
        parts = [f"{'' if move.yes >> k & 1 else '!'}{name}" for k, name in enumerate(names)
                 if (move.yes | move.no) >> k & 1]  # fmt: skip
        return " && ".join(parts) or "true"


def _level(sets: int, met: int, move: Move) -> int:
    """Return how many acceptance sets are met after a move, one after the other."""
    met %= sets or 1
    while met < sets and not move.puts_off >> met & 1:
        met += 1
    return met


def _label(state: State, automaton: Automaton) -> str:
    accepts = "accept_" if state[1] == automaton.sets else ""
    return f"{accepts}state_{state[0]}" + (f"_met_{state[1]}" if automaton.sets > 1 else "")
