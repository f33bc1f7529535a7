"""Policies that harm their process: each falls with its name, and no other policy notices."""

from __future__ import annotations

import pytest

from counterpoint.sim_web import profile
from counterpoint.studies.comparison.comparison import Comparison, compare
from counterpoint.studies.comparison.plan import ComparisonPlan

from .vandals import HARM, LEFT

HERE = "tests.studies.comparison.vandals"


def compared(*names: str) -> Comparison:
    """Compare policies of `vandals.py`, all of them in one process as long as it lasts."""
    policies = tuple(f"{HERE}:{name}" for name in names)
    return compare(ComparisonPlan(policies, profile.load("broder-1999"), 30, 600, range(1), 3), 1)


@pytest.fixture(scope="module")
def alone() -> str:
    """Return the digest of the order of a policy that harms nobody."""
    (policy,) = compared("Neighbour").policies
    assert policy.fell is None
    return policy.runs[0].digest


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow) if name == "TakesMoreAndMore" else name
        for name in HARM
    ],
)
def test_harm_is_the_failure_of_its_policy(name: str, alone: str) -> None:
    """A comparison that ends, a failure without a name, or one that changes what others crawl."""
    first, last = f"{HERE}:{name}", f"{HERE}:Neighbour"
    found = compared(name, "Neighbour", "Queue")
    (line,) = found.fell
    assert HARM[name] in line and line.startswith(f"{first}: ")
    assert "\n" not in line
    assert found.policies[1].name == last
    assert [one.runs[0].digest for one in found.policies[1:]] == [alone, alone]


@pytest.mark.long
def test_what_a_policy_leaves_is_not_left_to_the_next(alone: str) -> None:
    """A thread, a handler or a closed file of one policy that makes another fail."""
    names = [name for vandal in LEFT for name in (vandal, "Neighbour")]
    for vandal in LEFT:
        found = compared(vandal, "Neighbour")
        assert not found.fell, vandal
        assert {one.runs[0].digest for one in found.policies} == {alone}, names


@pytest.mark.long
def test_a_policy_that_ends_its_process_when_it_is_deleted_falls(alone: str) -> None:
    """The policy after it that is blamed, because the process ended in its time."""
    found = compared("EndsWhenDeleted", "Neighbour")
    assert found.fell == [
        f"{HERE}:EndsWhenDeleted: after its last step: its process was ended with exit code 4"
    ]
    assert found.policies[1].runs[0].digest == alone
