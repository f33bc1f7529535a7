"""Compares the conditions of temporal properties, and ranks, with plain Python."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.spec.notation import Property, SpecError, Values

from .comparing import show_state
from .evaluating import Evaluation
from .ranks import numbers, plain_numbers
from .trace import System

MOST = 100
"""The most states in which the conditions are compared."""


def difference(system: System, claims: Sequence[Property], states: Sequence[Values]) -> str:
    """Return the first difference between what was traced and plain Python; "" if there is none.

    Parameters
    ----------
    system : System
        The traced spec.
    claims : sequence of Property
        Temporal properties, and ranks.
    states : sequence of states
        The states in which they are compared, at most `MOST` of them.
    """
    model = system.model
    for claim in claims:
        is_rank = claim.kind == "decreases"
        read = numbers(system, claim) if is_rank else system.formulas(claim.method)
        for values in states[:MOST]:
            state = Evaluation(system.cells, values)
            engine = tuple(state.value(one) for one in read)
            try:
                plain = plain_numbers(model, claim, values) if is_rank \
                    else tuple(map(int, model.conditions(claim, values)))  # fmt: skip
            except SpecError as error:
                return f"plain Python fails in {claim.name}: {error}"
            if plain != engine:
                return (f"{claim.name} means two things, at {show_state(model, values)}: in plain "
                        f"Python: {plain}; in the engine: {engine}")  # fmt: skip
    return ""
