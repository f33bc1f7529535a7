"""Processes that are ended from outside, and results that no process may send."""

from __future__ import annotations

import os
import signal
from dataclasses import replace

import pytest

from counterpoint.sim_web import profile
from counterpoint.studies.comparison import pool
from counterpoint.studies.comparison.comparison import Comparison, compare
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.comparison.worker import Worker

QUEUE = "tests.studies.comparison.policies:Queue"
PLAN = ComparisonPlan((QUEUE, "breadth-first"), profile.load("broder-1999"), 20, 300)


class Ended(Worker):
    """A process that is killed before it makes a web, as many times as `times` says."""

    times = 0

    def send(self, seed: int, policies: tuple[int, ...]) -> None:
        """Kill the process."""
        if Ended.times > 0:
            Ended.times -= 1
            os.kill(self._process.pid, signal.SIGKILL)
            self._process.wait()
        super().send(seed, policies)


def compared_with(times: int, monkeypatch: pytest.MonkeyPatch) -> Comparison:
    """Compare while processes are killed."""
    monkeypatch.setattr(Ended, "times", times)
    monkeypatch.setattr(pool, "Worker", Ended)
    return compare(PLAN, 1)


@pytest.mark.long
def test_a_process_that_is_killed_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """A policy that is blamed for a process that had not run it, or a comparison that ends."""
    found = compared_with(1, monkeypatch)
    assert not found.fell
    assert [one.runs[0].steps for one in found.policies] == [20, 20]


def test_a_web_that_cannot_be_made_is_no_failure_of_a_policy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A comparison that starts processes for ever."""
    with pytest.raises(MemoryError, match="a process was ended from outside"):
        compared_with(2, monkeypatch)


class Idle:
    """A process as the pool sees it, which sends nothing."""

    def __init__(self, plan: ComparisonPlan) -> None:
        self.ended = False

    def send(self, seed: int, policies: tuple[int, ...]) -> None:
        """Take a job."""

    def at(self) -> tuple[int, int]:
        """Be at the second step."""
        return 0, 3

    def end(self) -> None:
        """End."""
        self.ended = True


@pytest.mark.parametrize(
    ("seed", "policy", "valid"), [(5, 0, True), (5, 1, False), (4, 0, False), (5, 7, False)]
)
def test_only_the_run_that_is_due_is_taken(
    seed: int, policy: int, valid: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run of another web or of another policy, which a process sends by mistake."""
    monkeypatch.setattr(pool, "Worker", Idle)
    workers = pool.WorkerPool(PLAN, 1)
    workers._give(pool._Job(5, [0, 1]))
    (worker,) = workers._busy
    run = pool.PolicyRun(seed, policy, "spent")
    if valid:
        assert list(workers._taken(worker, run)) == [run]
        assert workers._busy[worker].left == [1]
        return
    for message in (run, replace(run, seed=5, policy=1), None, "text", 7):
        with pytest.raises(pool.ChannelError):
            list(workers._taken(worker, message))
    assert workers._busy[worker].left == [0, 1]
    failed = workers._failed(worker, "did harm")
    assert (failed.policy, failed.why) == (0, f"{QUEUE}: step 2: did harm")
    assert workers._again[0].left == [1]
