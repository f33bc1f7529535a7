"""Helpers for the tests of every protocol."""

from __future__ import annotations

from counterpoint.models.explore import exhaustive
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import Model
from counterpoint.spec.stm.memory import TransactionalMemory

CRITERIA = (
    "serializability",
    "strict-serializability",
    "virtual-world-consistency",
    "opacity",
    "tms2",
)


def lengths(*of: int) -> dict[str, int]:
    """Return the length of the shortest counterexample to each criterion, weakest first."""
    return dict(zip(CRITERIA, of, strict=True))


def violated(verdicts: list[Verdict]) -> dict[str, int | None]:
    """Return the violated properties with the length of their traces."""
    return {v.claim.name: v.depth for v in verdicts if v.answer == "violated"}


def assert_counts(
    spec: type[TransactionalMemory],
    given: dict[str, object],
    states: int,
    transitions: int,
    broken: dict[str, int],
) -> None:
    """Assert the exact results of an exhaustive run; no action is dead, no verdict unknown."""
    verdicts = exhaustive.check(Model(spec(**given)))
    assert violated(verdicts) == broken
    assert (verdicts[0].states, verdicts[0].transitions) == (states, transitions)
    assert {v.answer for v in verdicts} <= {"holds", "violated"}
    alone = given.get("transactions") == 1 or given.get("processes") == 1
    assert alone or given.get("operations") == 1 or "programs" in given or not verdicts[0].notes


def edges(spec: type[TransactionalMemory], claim: str, **given: object) -> set[tuple[str, str]]:
    """Return the order constraints in the shortest counterexample to a criterion."""
    verdicts = exhaustive.check(Model(spec(**given)))
    verdict = next(v for v in verdicts if v.claim.name == claim)
    assert verdict.answer == "violated"
    return {(a, b) for a, b, _ in verdict.explanation.edges}
