"""Compares the engine for any number of members with the oracle at several sizes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import product

from counterpoint.models.limits import Limits
from counterpoint.models.prove.sizes import any_number
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import SpecError
from tests.oracle.comparing import Judged, Outcome, modelled, never_fails

SIZES = (1, 2, 3, 4)
MOST = 400
"""States that the oracle visits at each size; claims that hold in all of them count as true."""

TRIED = ("broken", "no proof", "not kept", "time limit")
"""Words in the reason of an unknown by which the engine says that it tried. Without one of them it
says that the claim, or the spec, is one that it does not take."""


@dataclass
class ForAnyNumber(Outcome):
    """The result of the comparison, with the number of true claims that were proved.

    Attributes
    ----------
    reasons : Counter
        The reasons why claims were left unknown.
    true, proved : int
        The accepted claims that are true at all sizes tried, and those of them that were proved.
    """

    reasons: Counter[str] = field(default_factory=Counter)
    true: int = 0
    proved: int = 0


def sizes_of(names: tuple[str, ...]) -> list[dict[str, int]]:
    """Return sizes for each index, smallest first; several indices are not large at once."""
    most = 4 if len(names) == 1 else 5
    chosen = [dict(zip(names, sizes, strict=True)) for sizes in product(SIZES, repeat=len(names))]
    return sorted((c for c in chosen if sum(c.values()) <= most), key=lambda c: sum(c.values()))


def for_any_number(source: str, seconds: float = 8.0) -> ForAnyNumber:
    """Compare the claims proved for any number with their truth at some numbers."""
    outcome = ForAnyNumber()
    model = modelled(source)
    try:
        verdicts = any_number.check(model, Limits(seconds))
    except SpecError:
        outcome.answers["refused"] += 1
        return outcome
    except Exception as error:
        outcome.wrong.append(f"the engine fails: {error!r}")
        return outcome
    judged = [Judged(source, MOST, **sizes) for sizes in sizes_of(model.spec.any_number)]
    for verdict in verdicts:
        _compare(outcome, verdict, judged)
    answered = {verdict.claim.name for verdict in verdicts}
    claims = [c for c in model.properties if c.kind in ("invariant", "transition")]
    outcome.answers["refused"] += sum(claim.name not in answered for claim in claims)
    return outcome


def _compare(outcome: ForAnyNumber, verdict: Verdict, judged: list[Judged]) -> None:
    """Compare one verdict."""
    errors = [j.error for j in judged if _concerns(j, verdict)]
    false = [never_fails(j, verdict)[1] for j in judged if not never_fails(j, verdict)[0]]
    held = verdict.answer == "holds"
    taken = held or any(word in verdict.reason for word in TRIED)
    outcome.answers[verdict.answer if taken else "refused"] += 1
    if not held:
        outcome.reasons[verdict.reason.partition(":")[0][:60]] += 1
    if errors:
        outcome.check(not held, f"{verdict.claim.name} proved, but it is an error: {errors[0]}")
        return
    outcome.check(not (held and false), (false or [""])[0])
    if taken and not false and verdict.claim.kind in ("invariant", "transition"):
        outcome.true += 1
        outcome.proved += held


def _concerns(judged: Judged, verdict: Verdict) -> bool:
    """Return whether a spec's error lies in an action or in the claim of a verdict."""
    method = judged.error.partition(":")[0]
    others = {c.method for c in (*judged.model.properties, *judged.model.lemmas)}
    return bool(judged.error) and method not in others - {verdict.claim.method}
