"""A plan on a real Dask cluster: a scheduler and two workers on loopback."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from counterpoint.crawler.errors import CrawlError
from counterpoint.sim_web import profile
from counterpoint.studies.comparison import cluster
from counterpoint.studies.comparison.cluster import compare_on
from counterpoint.studies.comparison.comparison import as_json, compare
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.papers import coverage
from counterpoint.studies.papers.study import on_cluster, run_all

HERE = "tests.studies.comparison.policies"
ROOT = Path(__file__).parents[3]

_PART = """
import sys
sys.path[:] = {path!r}
from distributed.cli.{module} import main
main({arguments!r})
"""


def part(folder: Path, module: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Start the scheduler or a worker by its command."""
    path = [str(ROOT / "src"), *sys.path]
    program = _PART.format(path=path, module=module, arguments=list(arguments))
    with (folder / f"{module}-{time.monotonic_ns()}.log").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, "-c", program], cwd=folder, stdout=log, stderr=log,
            start_new_session=True,
        )  # fmt: skip


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and its children."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


class Cluster:
    """A scheduler and two workers."""

    def __init__(self, folder: Path) -> None:
        self.folder, file = folder, folder / "scheduler.json"
        self.scheduler = part(folder, "dask_scheduler", "--host", "127.0.0.1", "--port", "0",
                              "--no-dashboard", "--scheduler-file", str(file))  # fmt: skip
        self.workers: list[subprocess.Popen[bytes]] = []
        try:
            self.address = self._address(file)
        except BaseException:
            self.end()
            raise

    def _address(self, file: Path) -> str:
        """The scheduler's address; the scheduler's file exists before it is written."""
        until = time.monotonic() + 60
        while not file.exists() or not file.read_text().endswith("}"):
            assert time.monotonic() < until, "the scheduler did not begin"
            assert self.scheduler.poll() is None, "the scheduler has ended"
            time.sleep(0.1)
        address: str = json.loads(file.read_text())["address"]
        return address

    def add_worker(self) -> None:
        """Start a worker with one thread."""
        self.workers.append(part(
            self.folder, "dask_worker", self.address, "--nthreads", "1", "--no-dashboard",
            "--no-nanny", "--host", "127.0.0.1", "--local-directory", str(self.folder),
        ))  # fmt: skip

    def end(self) -> None:
        """End the scheduler and the workers."""
        for process in [*self.workers, self.scheduler]:
            end(process)


@pytest.fixture
def two_workers(tmp_path: Path) -> Iterator[Cluster]:
    """A cluster of two workers."""
    made = Cluster(tmp_path)
    try:
        made.add_worker()
        made.add_worker()
        yield made
    finally:
        made.end()


def divmod_of(number: int) -> tuple[int, int]:
    """Return a number divided by 7."""
    return divmod(number, 7)


def reciprocal(number: int) -> float:
    """Return 1 divided by a number."""
    return 1 / number


def process_of(_: int) -> int:
    """Return the process that works."""
    return os.getpid()


def plan(seeds: int, *names: str) -> ComparisonPlan:
    """Return a small plan."""
    policies = ("R1", "R2", *(f"{HERE}:{name}" for name in names))
    return ComparisonPlan(policies, profile.load("sample"), 60, 12_000, range(seeds))


@pytest.mark.long
def test_results_equal_local_ones_after_a_killed_worker(two_workers: Cluster) -> None:
    """Runs that are lost or repeated after a worker was killed; a policy that ends its worker."""
    wanted = plan(8, "Raises", "Queue")
    heard = []

    def tell(line: str) -> None:
        heard.append(line)
        if len(heard) == 3:
            end(two_workers.workers[0])

    found = compare_on(two_workers.address, wanted, tell)
    assert two_workers.workers[0].poll() is not None
    assert as_json(found) == as_json(compare(wanted, 2))
    assert found.fell[0].startswith(f"{HERE}:Raises: step 4: ")


@pytest.mark.long
def test_a_study_on_a_cluster(two_workers: Cluster) -> None:
    """Parts of a study that come back in another order, or a study that runs here after all."""
    with on_cluster(two_workers.address):
        assert run_all(divmod_of, range(40), 1) == [divmod(k, 7) for k in range(40)]
        found = coverage.study(range(3))
        with pytest.raises(ZeroDivisionError):
            run_all(reciprocal, [1, 0], 1)
    assert found.to_json() == coverage.study(range(3)).to_json()
    assert run_all(process_of, [0], 1) == [os.getpid()]


def test_a_study_needs_a_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A study that waits for ever for workers."""
    monkeypatch.setattr(cluster, "WORKERS", 0.5)
    made = Cluster(tmp_path)
    try:
        with pytest.raises(CrawlError, match="has no workers"), on_cluster(made.address):
            run_all(reciprocal, [1], 1)
    finally:
        made.end()


class Idle:
    """A client of a scheduler that has a worker and does nothing."""

    def wait_for_workers(self, many: int, timeout: float) -> None:
        """Return at once."""

    def close(self, timeout: float) -> None:
        """Return at once."""


def test_a_full_disk_is_no_lost_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    """A result that cannot be kept, reported as an error of the network; or the reverse."""
    monkeypatch.setattr(cluster, "connected", lambda _: Idle())
    with pytest.raises(OSError, match="No space") as raised, on_cluster("tcp://a:1"):
        raise OSError(errno.ENOSPC, "No space left on device", "kept/hits.json")
    assert not isinstance(raised.value, CrawlError)
    with pytest.raises(CrawlError, match="tcp://a:1 is lost: Timed out"), on_cluster("tcp://a:1"):
        raise OSError("Timed out during handshake")


def test_a_scheduler_without_workers_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command that waits for ever for workers."""
    monkeypatch.setattr(cluster, "WORKERS", 0.5)
    made = Cluster(tmp_path)
    try:
        with pytest.raises(CrawlError, match="has no workers"):
            compare_on(made.address, plan(1))
    finally:
        made.end()


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("tcp://127.0.0.1:9", "no scheduler answers at tcp://127.0.0.1:9"),
        ("nonsense", "named as tcp://host:port, not 'nonsense'"),
        ("what://127.0.0.1:9", "no scheduler answers"),
        ("tcp://127.0.0.1", "no scheduler answers"),
    ],
)
def test_a_scheduler_that_does_not_answer_is_reported(
    address: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A traceback, or minutes of waiting."""
    monkeypatch.setattr(cluster, "REACH", 1.0)
    begun = time.monotonic()
    with pytest.raises(CrawlError, match=message):
        compare_on(address, plan(1))
    assert time.monotonic() - begun < 30


def test_without_dask_the_option_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """A traceback of the import."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(CrawlError, match=r"pip install 'counterpoint\[dask\]'"):
        compare_on("tcp://127.0.0.1:9", plan(1))
