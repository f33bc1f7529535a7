"""Which engine judges temporal properties, and the answers of the others."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.verdict import Disagreement, Verdict
from counterpoint.spec.notation import TEMPORAL, Model, Property
from counterpoint.spec.notation.memory import changed_names as remembers

from .watchdog import interrupting_endless_calls

JUDGE = "exhaustive"
"""The engine that judges temporal properties."""


def added(
    engine: str,
    model: Model,
    limits: Limits,
    wanted: Sequence[Property],
    others: list[Verdict],
    one_of_all: bool,
    explorer: str | None,
) -> list[Verdict]:
    """Add the verdicts on temporal properties, in the order of the wanted properties.

    Parameters
    ----------
    engine : str
        The engine's name. Another one than `JUDGE` has no answer, and is silent about them if it is
        one of all engines.
    model, limits, wanted
        As for `engines.check`.
    others : list of Verdict
        The engine's verdicts on the other properties.
    one_of_all : bool
        Whether all engines were asked for.
    explorer : str or None
        One of `exhaustive.EXPLORERS`.
    """
    temporal = [claim for claim in wanted if claim.kind in TEMPORAL]
    if not temporal or (engine != JUDGE and one_of_all):
        return others
    if engine == JUDGE:
        found = _judged(model, limits, temporal, explorer or "auto")
    else:
        why = f"the engine {engine} does not judge temporal properties: use {JUDGE}"
        found = [Verdict(model, one, engine, "unknown", "", reason=why) for one in temporal]
    places = {claim.name: k for k, claim in enumerate(wanted)}
    return sorted([*others, *found], key=lambda verdict: places[verdict.claim.name])


def _judged(
    model: Model, limits: Limits, wanted: Sequence[Property], explorer: str
) -> list[Verdict]:
    """Judge temporal properties; if the engine and plain Python disagree, they are unknown."""
    judging = importlib.import_module("counterpoint.models.explore.liveness.judging")
    before = model.spec.remembered()
    try:
        with interrupting_endless_calls(limits):
            found: list[Verdict] = judging.check(model, limits, wanted, explorer)
        changed = remembers(before, model.spec.remembered())
        if not changed:
            return found
        reason = (
            f"{', '.join(changed)} changed while the spec was run: declare all that a run "
            f"stores as variables"
        )
    except (Disagreement, LimitReached) as error:
        reason = str(error)
    return [Verdict(model, one, JUDGE, "unknown", "", seconds=limits.elapsed(), reason=reason)
            for one in wanted]  # fmt: skip
