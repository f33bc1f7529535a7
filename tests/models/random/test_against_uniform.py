"""Random runs reach and find at least what a uniform walk of as many steps does, on many specs."""

from __future__ import annotations

import pytest
from hypothesis import Phase, settings
from hypothesis.database import InMemoryExampleDatabase

from counterpoint.models.explore import exhaustive
from counterpoint.models.random import stateful
from counterpoint.spec.notation import Model, Spec, action
from tests.models.random import gallery
from tests.models.random.machines import Election
from tests.models.random.services import IdleBuffer, Lease, LockService, Retry
from tests.models.random.uniform import UniformWalk

STEPS = 64
RUNS = 60

LARGE = {"retry", "retry server=forgets", "token-ring maker=anyone", "election disk=lost"}
"""Those that take seconds."""

SMALL = dict([*gallery.strangers(), *gallery.examples(), *gallery.random_ones(12)])


def uniform(model: Model, seed: int, runs: int = RUNS) -> UniformWalk:
    """Return uniform walks that were made."""
    walk = UniformWalk(model, seed)
    for _ in range(runs):
        walk.walk(STEPS)
    return walk


def test_the_uniform_walk_is_right() -> None:
    """A peer that judges wrongly, and so is easily beaten."""
    for model in (
        Model(Lease(fencing="none")),
        SMALL["two_phase_commit impatient=yes"],
        SMALL["random 6"],
    ):
        walk = uniform(model, 0, runs=1500)
        verdicts = exhaustive.check(model)
        shown = {v.claim.name for v in verdicts if v.trace is not None}
        assert set(walk.found) <= shown
        assert len(walk.found) >= len(shown) - 1
        assert len(walk.seen) <= (verdicts[0].states or 0)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.long if n in LARGE else ()) for n in SMALL]
)
def test_runs_reach_more_states_than_a_uniform_walk(name: str) -> None:
    """Runs that stay where they are and reach a quarter of what a uniform walk reaches."""
    model = SMALL[name]
    reached = [uniform(model, seed) for seed in range(3)]
    verdicts = stateful.check(model, runs=RUNS)
    assert (verdicts[0].states or 0) >= max(len(walk.seen) for walk in reached)
    found = {v.claim.name for v in verdicts if v.trace is not None}
    assert found >= set.intersection(*(set(walk.found) for walk in reached))


@pytest.mark.parametrize(
    ("name", "share"),
    [
        ("lease", 0.4),
        ("idle-buffer", 0.99),
        ("token-ring", 0.9),
        ("odometer", 0.99),
    ],
)
def test_runs_reach_a_good_share_of_the_states(name: str, share: float) -> None:
    """A weakness that the uniform walk has as well."""
    model = SMALL[name]
    total = exhaustive.check(model)[0].states or 0
    for seed in range(2):
        verdicts = stateful.check(model, runs=RUNS, random_seed=seed)
        assert (verdicts[0].states or 0) >= share * total


WRONG = (
    Lease(fencing="none"),
    IdleBuffer(guard="late"),
    LockService(expiry="forgets"),
    Retry(server="forgets"),
    Election(disk="lost"),
)


@pytest.mark.parametrize("spec", WRONG, ids=lambda s: s.name)
def test_a_test_class_finds_what_is_wrong(spec: Spec) -> None:
    """A test of a user that passes in most runs although the spec is wrong."""
    case = stateful.machine(spec).TestCase
    case.settings = settings(case.settings, database=None, derandomize=True)
    with pytest.raises(stateful.Violation) as caught:
        case("runTest").runTest()
    steps = exhaustive.check(Model(spec), wanted=caught.value.claims)[0].depth or 0
    assert steps <= len(caught.value.trace.steps) <= 3 * steps


class Repaired(Election):
    """The same after a repair, under the same name: votes survive a restart."""

    @action
    def restart(s, w):
        """Start again."""
        s.leads[w] = False


Repaired.__qualname__ = Election.__qualname__


def test_a_test_begins_with_what_failed_last() -> None:
    """A failed test that passes when it is run again, since other runs are made."""
    database = InMemoryExampleDatabase()

    def run(kind: type[Spec], number: int) -> None:
        case = stateful.machine(kind(disk="lost")).TestCase
        case.settings = settings(
            case.settings, database=database, max_examples=number, phases=[Phase.generate]
        )
        case("runTest").runTest()

    with pytest.raises(stateful.Violation) as first:
        run(Election, 500)
    with pytest.raises(stateful.Violation) as again:
        run(Election, 1)
    assert len(again.value.trace.steps) <= len(first.value.trace.steps)
    Repaired.__module__ = Election.__module__
    run(Repaired, 1)
    assert not any(b"restart" in text for texts in database.data.values() for text in texts)


def test_what_the_database_has_of_another_spec_is_forgotten() -> None:
    """A traceback after the spec has changed, or a database that grows."""
    database = InMemoryExampleDatabase()
    key = f"counterpoint {Lease.__module__}:{Lease.__qualname__} {Lease().parameters!r}".encode()
    texts = (b"x", b"[]", b'{"start": [1], "steps": []}', b'{"start": [], "steps": [[[]]]}')
    for text in texts:
        database.save(key, text)
    case = stateful.machine(Lease()).TestCase
    case.settings = settings(case.settings, database=database, max_examples=2)
    case("runTest").runTest()
    assert set(database.fetch(key)) == set()
