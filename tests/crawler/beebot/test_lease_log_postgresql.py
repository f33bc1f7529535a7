"""The lease log of real workers on PostgreSQL, one of which is suspended for a while."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from tests.faults.command import LEASE, Command
from tests.faults.fault_webs import DELAY, served, starts, web
from tests.postgres import Server

from .test_lease_log import held_against

WORKERS = 3


@pytest.mark.slow
def test_a_run_explains_what_workers_on_postgresql_do(postgres: Server, tmp_path: Path) -> None:
    """A line that a process does not write, or that has another time than the database.

    Whether the suspended worker loses a host depends on when it is suspended, not the answer.
    """
    of, where, log = web(1), postgres.database(), tmp_path / "leases"
    (tmp_path / "sites").write_text("".join(f"{start}\n" for start in starts(of)))
    with served(of, tmp_path / "access") as proxy:
        arguments = ["crawl", "breadth-first", "--db", where, "--seeds", str(tmp_path / "sites"),
                     "--budget", "100000", "--proxy", proxy, "--delay", str(DELAY), "--stay",
                     "--lease-log", str(log)]  # fmt: skip
        workers = [Command(arguments, tmp_path / "output", tmp_path / f"errors-{k}")
                   for k in range(WORKERS)]  # fmt: skip
        try:
            end = time.monotonic() + 60
            while not log.exists() or b'"ask"' not in log.read_bytes():
                assert time.monotonic() < end, (tmp_path / "errors-0").read_text()
                time.sleep(0.05)
            workers[0].send(signal.SIGSTOP)
            time.sleep(LEASE + 1.0)
            workers[0].send(signal.SIGCONT)
            codes = [one.wait() for one in workers]
        finally:
            for one in workers:
                one.end()
    errors = [(tmp_path / f"errors-{k}").read_text() for k in range(WORKERS)]
    assert codes == [0] * WORKERS, errors
    assert log.read_bytes().count(b'"ask"') > WORKERS
    found = held_against(log, WORKERS, timed=True)
    assert found.answer == "holds", found.obstacle
    assert held_against(log, WORKERS, timed=False).answer == "holds"
