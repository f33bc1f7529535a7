"""The outcomes as SARIF 2.1.0, which code scanning reads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..outcome import Finding, Outcome, exit_code
from .order import KINDS
from .places import place_of

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

_RULES = {
    "check": "A property of a spec has another verdict than expected.",
    "scenario": "A scenario is not met.",
    "policy": "A crawl policy differs from its baseline.",
    "crawler": "A crawler breaks a condition, or differs from its baseline.",
    "baseline": "A baseline belongs to nothing.",
}

_LEVELS = {"fell": "error", "unknown": "warning", "warning": "note"}


def sarif(outcomes: Sequence[Outcome], folder: Path | None = None) -> str:
    """Return a log of SARIF with a result for each finding.

    A finding without a place is a notification of the run, since GitHub refuses a log in which a
    result has no place.

    Parameters
    ----------
    outcomes : sequence of Outcome
    folder : Path, optional
        The folder to which places are relative; by default the present one.
    """
    here = folder or Path()
    found = [(one, outcome) for outcome in outcomes for one in outcome.findings]
    placed = [pair for pair in found if place_of(*pair, here) is not None]
    notes = [{"level": _LEVELS[one.level], "message": _text(one, outcome)}
             for one, outcome in found if place_of(one, outcome, here) is None]  # fmt: skip
    driver = {
        "name": "Counterpoint",
        "version": metadata.version("counterpoint"),
        "rules": [_rule(kind) for kind in KINDS],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [{
            "executionSuccessful": True,
            "exitCode": exit_code(outcomes),
            "toolExecutionNotifications": notes,
        }],
        "results": [_result(one, outcome, here) for one, outcome in placed],
    }  # fmt: skip
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1)


def _rule(kind: str) -> dict[str, Any]:
    return {"id": kind, "shortDescription": {"text": _RULES[kind]}}


def _text(finding: Finding, outcome: Outcome) -> dict[str, str]:
    again = f"\nTo reproduce: {outcome.again}" if outcome.again else ""
    return {"text": f"{outcome.name}: {finding.text}{again}"}


def _result(finding: Finding, outcome: Outcome, folder: Path) -> dict[str, Any]:
    place = place_of(finding, outcome, folder)
    assert place is not None
    return {
        "ruleId": outcome.kind,
        "ruleIndex": list(KINDS).index(outcome.kind),
        "level": _LEVELS[finding.level],
        "message": _text(finding, outcome),
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": quote(place.path)},
            "region": {"startLine": max(1, place.line)},
        }}],
    }  # fmt: skip
