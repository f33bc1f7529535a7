"""The laboratory of workers: a few of its runs, and that it finds errors."""

from __future__ import annotations

import pytest

from tests.faults.fault_webs import expected
from tests.faults.workers import running
from tests.oracle.seeds import this_week
from tests.postgres import Server

SEED = this_week(0, 1).start // 1_000_000
RUNS = 2


@pytest.mark.long
@pytest.mark.parametrize("number", range(RUNS))
def test_workers_that_come_and_go(postgres: Server, number: int) -> None:
    """A page lost, a host asked by two at once, a traceback; other runs each week."""
    counts, wrong = running.one_run(postgres, SEED, number)
    assert not wrong, "\n".join([*wrong, running.repeat(SEED, number)])
    assert counts["kills"] + counts["stops"] + counts["interrupts"] + counts["joins"] >= 3
    assert counts["requests"] > 50
    assert counts["compared"] > 500


@pytest.mark.long
def test_a_difference_is_found(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """A laboratory that finds nothing, here a row that no crawl has stored."""
    monkeypatch.setattr(running, "EVENTS", (0, 0))
    monkeypatch.setattr(running, "expected", lambda *of: expected(*of) | {("none", 0, "none")})
    counts, wrong = running.one_run(postgres, SEED, 0)
    assert counts["differences"] == 1
    assert len(wrong) == 1
    assert "('none', 0, 'none')" in wrong[0]
