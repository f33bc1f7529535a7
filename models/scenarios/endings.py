"""Which temporal properties a run that a person writes is sure to violate."""

from __future__ import annotations

from dataclasses import replace

from counterpoint.models.lassos import fault_of_lasso
from counterpoint.models.runs.walk import Walk
from counterpoint.models.verdict import Trace
from counterpoint.spec.notation import Property


def as_endless(walk: Walk, trace: Trace) -> Trace:
    """Return a run that no step can go on from as a lasso that stays in its last state."""
    ends = trace.loop is None and not walk.fault and not walk.options
    return replace(trace, loop=len(trace.steps)) if ends else trace


def surely_violated(walk: Walk, trace: Trace) -> list[Property]:
    """Return the temporal properties that a run violates, however it goes on.

    A run whose steps are repeated for ever, or that no step can go on from, is judged as a whole.
    Another run can only break an `until`; what else it may violate depends on what follows.

    Parameters
    ----------
    walk : Walk
    trace : Trace
        Its run, perhaps as a lasso.
    """
    if walk.fault:
        return []
    model, run = walk.model, as_endless(walk, trace)
    return [claim for claim in model.temporal if fault_of_lasso(model, claim, run) == ""]
