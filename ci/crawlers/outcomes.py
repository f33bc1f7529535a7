"""Comparisons with baselines, as outcomes of which reports are made."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.ci.outcome import Finding, Level, Outcome, Place


def outcome_of(
    group: str, name: str, fell: Sequence[str], unknown: Sequence[str] = (),
    details: Sequence[str] = (), warnings: Sequence[str] = (), seconds: float = 0.0,
    again: str = "", place: Place | None = None, detail: object = None,
) -> Outcome:  # fmt: skip
    """Return an outcome with sentences as its findings; details have the level of the answer."""
    level: Level = "fell" if fell else "unknown" if unknown else "warning"
    findings = [
        *(Finding(text, "fell", place=place) for text in fell),
        *(Finding(text, "unknown", place=place) for text in unknown),
        *(Finding(text, level, place=place) for text in details),
        *(Finding(text, "warning", place=place) for text in warnings),
    ]
    return Outcome(
        "crawler", group, name, "", tuple(findings), seconds, again, place, (), detail,
    )  # fmt: skip
