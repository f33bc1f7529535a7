"""Formulas on the lassos of the bounded engine, as conditions for z3.

The truth of an `until` at the place where the cycle begins is known after one turn of the cycle: if
the second part has not been true by then, it never is. So two passes over the states suffice (A.
Biere, K. Heljanko, T. Junttila, T. Latvala and V. Schuppan, *Linear encodings of bounded LTL model
checking*, LMCS 2006).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from counterpoint.models.ltl.normal import Term


class FormulaOnLasso:
    """A run of one length whose last state is the one where its cycle begins.

    The place where the cycle begins is read twice; a formula does not depend on how long a run
    stays in a state.

    Parameters
    ----------
    conditions : sequence of sequence of z3 expressions
        For each state, the conditions of the formula.
    begins : sequence of z3 expressions
        For each state whether the cycle begins there; exactly one is true.
    """

    def __init__(self, conditions: Sequence[Sequence[Any]], begins: Sequence[Any]) -> None:
        self._conditions, self._begins = conditions, begins
        self._known: dict[Term, list[Any]] = {}

    def truth(self, term: Term) -> list[Any]:
        """Return whether a formula is true at each place."""
        if term not in self._known:
            self._known[term] = self._made(term)
        return self._known[term]

    def _made(self, term: Term) -> list[Any]:
        if term.op in ("true", "false"):
            return [z3.BoolVal(term.op == "true")] * len(self._conditions)
        if term.op == "literal":
            place = abs(term.literal) - 1
            found = [one[place] for one in self._conditions]
            return found if term.literal > 0 else list(map(z3.Not, found))
        parts = [self.truth(part) for part in term.parts]
        if term.op in ("and", "or"):
            joint = z3.And if term.op == "and" else z3.Or
            return [joint(*now) for now in zip(*parts, strict=True)]
        until = term.op == "until"
        once = self._pass(*parts, until=until, after=z3.BoolVal(not until))
        again = z3.Or(*(z3.And(b, t) for b, t in zip(self._begins, once, strict=True)))
        return self._pass(*parts, until=until, after=again)

    def _pass(self, first: list[Any], second: list[Any], *, until: bool, after: Any) -> list[Any]:
        """Return the truth of an until or release at each place, from that after the last one."""
        found: list[Any] = []
        for a, b in zip(reversed(first), reversed(second), strict=True):
            after = z3.Or(b, z3.And(a, after)) if until else z3.And(b, z3.Or(a, after))
            found.append(after)
        return found[::-1]
