"""The share of all reachable states that random runs have visited."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import replace

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import TEMPORAL, Model, SpecError

from .watchdog import interrupting_endless_calls

SHARE_SECONDS = 10.0
"""The time for counting all states, to report the share that random runs reached."""


def with_share(
    model: Model, limits: Limits, known: Sequence[Verdict], mine: list[Verdict]
) -> list[Verdict]:
    """Add the share of all reachable states that the stateful engine reached.

    Verdicts on temporal properties are left as they are: random runs do not judge them.
    """
    if all(v.claim.kind in TEMPORAL for v in mine):
        return mine
    total = next((v.states for v in known if v.extent == "all states" and v.states), None)
    if total is None:
        exhaustive = importlib.import_module("counterpoint.models.explore.exhaustive")
        seconds = min(SHARE_SECONDS, limits.seconds or SHARE_SECONDS)
        own = Limits(seconds, limits.bytes)
        try:
            with interrupting_endless_calls(own):
                run = exhaustive.explore(model, own, ())
            total = len(run.states) if run.complete else None
        except LimitReached:
            total = None
        except SpecError as error:
            # A text without one meaning is refused; a range too wide without a compiler is not.
            wide = importlib.import_module("counterpoint.models.explore.python.generate").too_wide
            if not (why := wide(model.cells)) or why not in str(error):
                raise
            total = None
    return [v if v.claim.kind in TEMPORAL else replace(v, notes=(*v.notes, _note(v, total)))
            for v in mine]  # fmt: skip


def _note(verdict: Verdict, total: int | None) -> str:
    if not total:
        return "too many states to compute the share that was reached"
    return f"reached {(verdict.states or 0) / total:.1%} of {total:,} states"
