"""The order and the words that all reports share: what fell comes first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..outcome import Answer, Finding, Outcome

ANSWERS: tuple[Answer, ...] = ("fell", "unknown", "as expected")
"""The answers, the worst first."""

MARKS = {"fell": "✗", "unknown": "?", "as expected": "✓"}

KINDS = {
    "check": "checks",
    "scenario": "files of scenarios",
    "policy": "policies",
    "crawler": "crawlers",
    "baseline": "baselines",
}
"""The kinds of outcomes in the order of reports, with their plurals."""

_LEVELS = ("fell", "unknown", "warning")


def worst_first(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Return what fell, then what is unknown, then the rest; otherwise the order is kept."""
    return sorted(outcomes, key=lambda one: ANSWERS.index(one.answer))


def grouped(outcomes: Iterable[Outcome]) -> dict[tuple[str, str], list[Outcome]]:
    """Return the outcomes by kind and group; kinds are in the order of `KINDS`."""
    found: dict[tuple[str, str], list[Outcome]] = {}
    for one in sorted(outcomes, key=lambda one: list(KINDS).index(one.kind)):
        found.setdefault((one.kind, one.group), []).append(one)
    return found


def findings(outcome: Outcome) -> list[Finding]:
    """Return the findings of an outcome, the worst level first."""
    return sorted(outcome.findings, key=lambda one: _LEVELS.index(one.level))


def counted(number: int, kind: str) -> str:
    """Return a number of outcomes of a kind: ``1 check``, ``2 policies``."""
    if number == 1:
        return "1 file of scenarios" if kind == "scenario" else f"1 {kind}"
    return f"{number:,} {KINDS[kind]}"


def totals(outcomes: Sequence[Outcome]) -> str:
    """Return the result in one line: how many of each kind are as expected, and how many not."""
    parts = [_total(kind, [o for o in outcomes if o.kind == kind]) for kind in KINDS]
    return "; ".join(part for part in parts if part) or "nothing was checked"


def _total(kind: str, own: Sequence[Outcome]) -> str:
    if not own:
        return ""
    if kind == "baseline":  # there are outcomes for unused ones alone
        return f"{len(own):,} unused {kind if len(own) == 1 else KINDS[kind]}"
    answers = [one.answer for one in own]
    good = answers.count("as expected")
    parts = [f"{good:,} of {counted(len(own), kind)} as expected"]
    parts += [f"{answers.count(a):,} {a}" for a in ANSWERS[:2] if a in answers]
    return ", ".join(parts)
