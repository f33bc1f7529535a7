"""What no policy may do: it is named with its step, and the others still report."""

from __future__ import annotations

import pytest

from counterpoint.crawler.errors import CrawlError
from counterpoint.sim_web import profile
from counterpoint.studies.comparison.comparison import Comparison, compare
from counterpoint.studies.comparison.plan import Plan
from tests.examples import one_in

HERE = "tests.studies.comparison.policies"


def compared(*names: str, seeds: int = 2, processes: int = 2, limit: float = 30.0) -> Comparison:
    """Compare policies of this folder on small webs."""
    policies = tuple(f"{HERE}:{name}" for name in names)
    told = profile.load("broder-1999")
    return compare(Plan(policies, told, 30, 600, range(seeds), 3, step_limit=limit), processes)


def test_who_falls_is_named_and_the_others_report() -> None:
    """A policy that takes the others with it, or is measured although it cheated."""
    lines = {
        "Raises": "step 4: KeyError: 'no such site' (policies.py:",
        "NeverOffered": "step 3: asked for page 1000000000, which was never offered",
        "TheSame": "step 2: asked for page ",
        "Dies": "step 3: its process was ended",
        "Interrupts": "step 3: its process was ended",
        "CannotBeMade": "while it was made: ZeroDivisionError: no sites (policies.py:",
    }
    found = compared("Queue", *lines, "Stack")
    assert len(found.fell) == len(lines)
    for said, (name, line) in zip(found.fell, lines.items(), strict=True):
        assert said.startswith(f"{HERE}:{name}: {line}")
        assert "\n" not in said
    assert [len(policy.runs) for policy in found.policies] == [2, 0, 0, 0, 0, 0, 0, 2]
    assert found.policies[0].values("pages") == found.policies[-1].values("pages") == [30, 30]


def test_who_writes_into_what_it_is_told_harms_nobody() -> None:
    """A policy that changes the web on which the next ones are measured, or its own starts."""
    found = compared("Scribbles", "Queue", processes=1)
    assert not found.fell
    first, second = ([run.digest for run in policy.runs] for policy in found.policies)
    assert first == second == [run.digest for run in compared("Queue").policies[0].runs]


HANG = {
    "HangsInC": "step 7: took longer than 1 s",
    "Loops": "step 6: took longer than 1 s",
    "ListensInC": "step 5: took longer than 1 s",
    "HangsWhileMade": "while it was made: took longer than 1 s",
}


@pytest.mark.parametrize(
    "number", [1, pytest.param(len(HANG), marks=pytest.mark.slow)], ids=["one", "all"]
)
def test_who_hangs_is_ended(number: int) -> None:
    """A step that never returns, in Python or in C, and a command that waits for it."""
    lines = dict(list(HANG.items())[:number])
    found = compared("Queue", *lines, "Stack", seeds=1, limit=1.0)
    assert found.fell == [f"{HERE}:{name}: {line}" for name, line in lines.items()]
    assert [len(policy.runs) for policy in found.policies] == [1, *[0] * number, 1]


@pytest.mark.parametrize("processes", one_in(2, [3, 1]))
def test_the_first_web_on_which_it_fell_is_told(processes: int) -> None:
    """A line that depends on which process was faster."""
    found = compared("OnSomeWebs", "Queue", seeds=6, processes=processes)
    assert len(found.fell) == 1
    assert found.fell[0].startswith(f"{HERE}:OnSomeWebs: step 1: ValueError: seed 2 (")
    assert len(found.policies[1].runs) == 6


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Absent", "has no Absent"),
        ("NUMBER", "a int is no policy"),
        ("NoScheduler", "NoScheduler is no scheduler"),
    ],
)
def test_what_is_no_policy_is_refused(name: str, said: str) -> None:
    """A comparison that begins with a policy that is none."""
    with pytest.raises(CrawlError, match=said):
        compared("Queue", name, processes=1)


def test_a_policy_named_twice_is_refused() -> None:
    """Two rows of the same name, of which nobody knows which is which."""
    with pytest.raises(CrawlError, match="is named twice"):
        compared("Queue", "Queue", processes=1)
