"""The exhaustive, bounded and stateful engines agree on right and wrong crawlers."""

from __future__ import annotations

import pytest

from counterpoint.models.checking import engines
from counterpoint.models.checking.engines import Options
from counterpoint.models.lassos import confirm_lasso
from counterpoint.models.loading import load, mutants
from counterpoint.models.verdict import replay
from tests.examples import one_in
from tests.spec.crawl.kills import KILLS

WRONG = [
    (f"{of}/{name}", claim, steps)
    for of, table in KILLS.items()
    for name, (steps, claim) in table.items()
    if steps and (of, steps) not in {("breadth-first", 7), ("breadth-first", 8)}
]
"""All mutants except those slow for z3 and those that are wrong from the start."""


@pytest.mark.long
@pytest.mark.parametrize(("reference", "name", "steps"), one_in(3, WRONG))
def test_z3_kills_each_mutant_as_early(reference: str, name: str, steps: int) -> None:
    """A counterexample that is not the shortest, or that only one engine accepts."""
    of, _, slip = reference.partition("/")
    mutation = mutants(of)[slip].mutation
    assert mutation is not None
    model = load(reference, [f"{n}={v}" for n, v in mutation.at.items()])
    claim = model.property_named(name)
    (found,) = engines.check(model, "bounded", wanted=[claim], options=Options(steps=steps))
    assert (found.answer, found.depth) == ("violated", steps)
    assert found.trace is not None
    assert found.trace.states[0] in model.initial_states()
    steps_again = replay(model, found.trace.steps, found.trace.states[0])
    assert steps_again.states == found.trace.states
    if found.trace.loop is not None:
        confirm_lasso(model, claim, found.trace)


@pytest.mark.long
@pytest.mark.parametrize(
    ("reference", "name"),
    [
        ("frontier/queued-twice", "done-is-fetched-or-given-up"),
        ("frontier/failure-is-not-counted-down", "the-count-is-right"),
        ("breadth-first/level-never-counted", "one-level-down"),
        ("focused-hits/indexed-unfetched", "the-index-holds-only-fetched-pages"),
        ("scent/never-halved", "scent-is-bounded"),
    ],
)
def test_random_runs_find_slips(reference: str, name: str) -> None:
    """Random runs that are always too short to find an error."""
    model = load(reference)
    options = Options(runs=500)
    (found,) = engines.check(
        model, "stateful", wanted=[model.property_named(name)], options=options
    )
    assert found.answer == "violated"
