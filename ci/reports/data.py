"""The outcomes as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ..outcome import Outcome, exit_code
from .order import totals


def as_json(outcomes: Sequence[Outcome]) -> str:
    """Return all outcomes as JSON, those of checks with the verdicts of their properties."""
    document = {
        "total": totals(outcomes),
        "exit_code": exit_code(outcomes),
        "outcomes": [_one(outcome) for outcome in outcomes],
    }
    return json.dumps(document, indent=2, ensure_ascii=False)


def _one(outcome: Outcome) -> dict[str, Any]:
    parts: dict[str, Any] = {
        "kind": outcome.kind,
        "group": outcome.group,
        "name": outcome.name,
        "answer": outcome.answer,
        "why": outcome.why,
        "seconds": round(outcome.seconds, 3),
        "again": outcome.again,
        "place": outcome.place and asdict(outcome.place),
        "findings": [asdict(one) for one in outcome.findings],
    }
    if outcome.kind == "check":
        verdicts = outcome.detail.verdicts if outcome.detail is not None else ()
        parts["verdicts"] = [one.to_json() for one in verdicts]
    return parts
