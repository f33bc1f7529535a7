"""Policies that break the rules: the report names the step, and the other policies are measured."""

from __future__ import annotations

import pytest

from counterpoint.crawler.errors import CrawlError
from counterpoint.sim_web import profile
from counterpoint.studies.comparison.comparison import Comparison, compare
from counterpoint.studies.comparison.plan import ComparisonPlan
from tests.examples import one_in

HERE = "tests.studies.comparison.policies"


def compared(*names: str, seeds: int = 2, processes: int = 2, limit: float = 30.0) -> Comparison:
    """Compare policies of `policies.py` on small webs."""
    policies = tuple(f"{HERE}:{name}" for name in names)
    web_profile = profile.load("broder-1999")
    return compare(
        ComparisonPlan(policies, web_profile, 30, 600, range(seeds), 3, step_limit=limit), processes
    )


@pytest.mark.long
def test_a_failing_policy_is_named_and_others_are_measured() -> None:
    """A failing policy that stops the comparison, or is measured although it broke a rule."""
    lines = {
        "Raises": "step 4: KeyError: 'no such site' (policies.py:",
        "NeverOffered": "step 3: requested page 1000000000, which it has not seen yet",
        "TheSame": "step 2: requested page ",
        "Dies": "step 3: its process was ended with exit code 3",
        "Interrupts": "step 3: KeyboardInterrupt (policies.py:",
        "CannotBeMade": "while it was made: ZeroDivisionError: no sites (policies.py:",
    }
    found = compared("Queue", *lines, "Stack")
    assert len(found.fell) == len(lines)
    for message, (name, line) in zip(found.fell, lines.items(), strict=True):
        assert message.startswith(f"{HERE}:{name}: {line}")
        assert "\n" not in message
    assert [len(policy.runs) for policy in found.policies] == [2, 0, 0, 0, 0, 0, 0, 2]
    assert found.policies[0].values("pages") == found.policies[-1].values("pages") == [30, 30]


@pytest.mark.long
def test_a_policy_that_writes_into_its_input_harms_no_other() -> None:
    """A policy that changes the web of the next policies, or its own start pages."""
    found = compared("Scribbles", "Queue", processes=1)
    assert not found.fell
    first, second = ([run.digest for run in policy.runs] for policy in found.policies)
    assert first == second == [run.digest for run in compared("Queue").policies[0].runs]


HANG = {
    "Loops": "step 6: took longer than 1 s of processor time",
    "LoopsInC": "step 2: took longer than 1 s of processor time",
    "HangsInC": "step 7: did not end within 10 s",
    "Sleeps": "step 3: did not end within 10 s",
    "ListensInC": "step 5: did not end within 10 s",
    "HangsWhileMade": "while it was made: did not end within 10 s",
}


@pytest.mark.parametrize(
    "number", [1, pytest.param(len(HANG), marks=pytest.mark.slow)], ids=["one", "all"]
)
def test_a_policy_that_hangs_is_killed(number: int) -> None:
    """A step that never returns, in Python or in C: the command waits, or says that it fell."""
    lines = dict(list(HANG.items())[:number])
    found = compared("Queue", *lines, "Stack", seeds=1, limit=1.0)
    assert found.unknown == [f"{HERE}:{name}: {line}" for name, line in lines.items()]
    assert not found.fell
    assert [len(policy.runs) for policy in found.policies] == [1, *[0] * number, 1]


@pytest.mark.long
def test_compiling_is_not_counted() -> None:
    """A policy that is stopped on the first run alone, because Numba compiles its code then."""
    found = compared("Compiles", seeds=1, processes=1, limit=0.4)
    assert not found.fell and not found.unknown
    assert found.policies[0].runs[0].steps == 30


@pytest.mark.long
@pytest.mark.parametrize("processes", one_in(2, [3, 1]))
def test_the_first_web_of_a_failure_is_reported(processes: int) -> None:
    """A message that depends on which process was faster."""
    found = compared("OnSomeWebs", "Queue", seeds=6, processes=processes)
    assert len(found.fell) == 1
    assert found.fell[0].startswith(f"{HERE}:OnSomeWebs: step 1: ValueError: seed 2 (")
    assert len(found.policies[1].runs) == 6


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Absent", "has no Absent"),
        ("NUMBER", "it is of type int"),
        ("NoScheduler", "NoScheduler is not a scheduler"),
    ],
)
def test_an_object_that_is_no_policy_is_refused(name: str, message: str) -> None:
    """A comparison that starts with an object that is no policy."""
    with pytest.raises(CrawlError, match=message):
        compared("Queue", name, processes=1)


def test_a_policy_named_twice_is_refused() -> None:
    """Two rows with the same name, which a reader cannot distinguish."""
    with pytest.raises(CrawlError, match="is named twice"):
        compared("Queue", "Queue", processes=1)
