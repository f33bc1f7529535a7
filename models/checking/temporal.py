"""Which engine judges temporal properties, and the answers of the others."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.verdict import Disagreement, Verdict
from counterpoint.spec.notation import TEMPORAL, Model, Property
from counterpoint.spec.notation.memory import Digests, said_of_change

from .watchdog import interrupting_endless_calls

if TYPE_CHECKING:
    from .engines import Options

JUDGE = "exhaustive"
"""The engine that judges temporal properties."""


def added(
    engine: str,
    model: Model,
    limits: Limits,
    wanted: Sequence[Property],
    others: list[Verdict],
    before: Digests,
    asked: Options,
) -> list[Verdict]:
    """Add the verdicts on temporal properties, in the order of the wanted properties.

    Parameters
    ----------
    engine : str
        The engine's name. Another one than `JUDGE` has no answer.
    model, wanted
        As for `engines.check`.
    limits : Limits
        Those of the engine, from which the other verdicts have taken their time.
    others : list of Verdict
        The engine's verdicts on the other properties.
    before : Digests
        What the spec remembered before the engine ran.
    asked : Options
        The options of the engine.
    """
    temporal = [claim for claim in wanted if claim.kind in TEMPORAL]
    if engine == JUDGE:
        found = _judged(model, limits, temporal, before, asked)
    else:
        why = f"the engine {engine} does not judge temporal properties: use {JUDGE}"
        found = [Verdict(model, one, engine, "unknown", "", reason=why) for one in temporal]
    places = {claim.name: k for k, claim in enumerate(wanted)}
    return sorted([*others, *found], key=lambda verdict: places[verdict.claim.name])


def _judged(
    model: Model, limits: Limits, wanted: Sequence[Property], before: Digests, asked: Options
) -> list[Verdict]:
    """Judge temporal properties; if the engine and plain Python disagree, they are unknown."""
    judging = importlib.import_module("counterpoint.models.explore.liveness.judging")
    choices = {"explorer": asked.explorer, "compared": asked.compared}
    given = {name: value for name, value in choices.items() if value is not None}
    try:
        with interrupting_endless_calls(limits):
            found: list[Verdict] = judging.check(model, limits, wanted, **given)
        reason = said_of_change(before, model.spec.remembered())
        if not reason:
            return found
    except (Disagreement, LimitReached) as error:
        reason = str(error)
    return [Verdict(model, one, JUDGE, "unknown", "", seconds=limits.elapsed(), reason=reason)
            for one in wanted]  # fmt: skip
