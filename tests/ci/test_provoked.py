"""The gate under failures of its environment: workers, memory, folders, signals."""

from __future__ import annotations

import os
import pickle
import signal
import time
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import pytest

from counterpoint.ci import gate, reports
from counterpoint.ci.converting import of_check
from counterpoint.ci.gate import JobOutcome
from counterpoint.ci.outcome import exit_code
from counterpoint.ci.reports import counterexamples, writing
from counterpoint.models.checking.pool import ProcessEndedError
from counterpoint.spec.notation import SpecError
from tests.counterpoint.starting import cpu_seconds, processes, start, wait_until

from .test_gate import EXPECTED, PETERSON, outcome, surprises


@pytest.mark.parametrize(
    "job", [replace(PETERSON, reference="petersen"), replace(PETERSON, parameters={"first": "x"})]
)
def test_a_job_that_cannot_be_loaded_fails_alone(job: gate.Job) -> None:
    """One invalid job that prevents the report of all the others."""
    found = outcome(job)
    assert found.answer == "fell"
    assert "petersen" in surprises(found) or "first is flag or turn" in surprises(found)
    assert exit_code([found]) == 1


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (ProcessEndedError("ended"), "killed, perhaps because memory ran out"),
        (MemoryError(), "MemoryError: the problem is too large"),
        (RecursionError(), "RecursionError: the problem is too large"),
        (TypeError("of a bug"), "the check ended with an error: TypeError: of a bug"),
    ],
)
def test_a_worker_that_ends_leaves_its_job_unknown(error: Exception, why: str) -> None:
    """A worker killed by the system that ends in a traceback, or whose job counts as passed."""
    future: Future[JobOutcome] = Future()
    future.set_exception(error)
    found = gate._result(future, PETERSON)
    assert found.answer == "unknown"
    assert why in found.unknown[0][1]
    assert exit_code([found]) == 3


class Unreadable:
    """A part of an outcome whose class cannot be made again in another process."""

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), ("one argument too many",)


def test_a_result_that_cannot_be_read_is_no_want_of_memory() -> None:
    """A result that ends the gate with a traceback, or is reported as a process that was killed."""
    future: Future[bytes] = Future()
    future.set_result(pickle.dumps(Unreadable()))
    found = gate._result(future, PETERSON)
    assert found.answer == "unknown"
    why = found.unknown[0][1]
    assert why.startswith("the result of its process cannot be read: TypeError: Unreadable()")


GATE = (
    "gate", "--config", str(Path(__file__).parents[2] / "counterpoint.toml"), "--report", "report",
)  # fmt: skip
"""The gate of this repository; the report is written into the present folder."""


def workers(parent: int) -> list[int]:
    """Return the worker processes of a gate."""
    return [pid for pid, of, state in processes() if of == parent and state != "Z"]


def wait_until_ended(pids: set[int]) -> None:
    """Wait until all of the processes have ended."""
    deadline = time.monotonic() + 10
    while running := {pid for pid, _, state in processes() if state != "Z"} & pids:
        assert time.monotonic() < deadline, running
        time.sleep(0.05)


def test_workers_end_with_a_killed_gate(tmp_path: Path) -> None:
    """Workers that run for minutes after the gate was killed."""
    process = start(*GATE, cwd=tmp_path)
    wait_until(lambda: len(workers(process.pid)) >= 3, process)
    children = set(workers(process.pid))
    process.kill()
    process.communicate(timeout=30)
    wait_until_ended(children)


def test_ctrl_c_while_workers_start_is_one_line(tmp_path: Path) -> None:
    """Tracebacks of workers that receive Ctrl-C while they import modules."""
    process = start(*GATE, cwd=tmp_path)
    wait_until(lambda: any(cpu_seconds(w) > 0.05 for w in workers(process.pid)), process)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert err.strip() == "counterpoint: interrupted; nothing was written"


SLOW = """
[[check]]
spec = "window-stm"
set = { transactions = 4, objects = 4 }

[[check]]
spec = "peterson"
"""


@pytest.mark.parametrize("seconds", [0.0, 0.003, 1.0], ids=["starting", "importing", "checking"])
def test_a_killed_worker_does_not_prevent_the_report(tmp_path: Path, seconds: float) -> None:
    """A gate that waits for ever, has no report or loses other checks, because of one worker."""
    (tmp_path / "counterpoint.toml").write_text(SLOW)
    process = start("gate", "--processes", "1", cwd=tmp_path)
    wait_until(lambda: len(workers(process.pid)) >= 2, process)
    worker = max(workers(process.pid))  # the other one is Python's tracker of resources
    wait_until(lambda: cpu_seconds(worker) >= seconds, process)
    os.kill(worker, signal.SIGKILL)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (3, "")
    assert "killed, perhaps because memory ran out" in " ".join(out.split())
    assert "1 of 2 checks as expected, 1 unknown" in out
    assert (tmp_path / "report" / "index.html").exists()


# Folders


def test_a_link_to_a_report_stays_a_link(tmp_path: Path) -> None:
    """A symbolic link that is replaced by a folder, so that its target is never updated again."""
    (tmp_path / "published").mkdir()
    link = tmp_path / "report"
    link.symlink_to("published")
    reports.write(link, [of_check(outcome(PETERSON))], 1.0)
    assert link.is_symlink()
    assert (tmp_path / "published" / "index.html").exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["published", "report"]


def test_a_failed_exchange_restores_the_old_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No report at all, because the new one could not be moved to its place."""
    folder = tmp_path / "report"
    reports.write(folder, [of_check(outcome(PETERSON))], 1.0)
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    real = os.replace
    calls: list[str] = []

    def failing(source: str, target: str) -> None:
        calls.append(str(target))
        if len(calls) == 2:
            raise OSError(39, "Directory not empty")
        real(source, target)

    monkeypatch.setattr(writing.os, "replace", failing)
    monkeypatch.setattr(counterexamples.page, "write", lambda *_: None)
    with pytest.raises(OSError, match="not empty"):
        reports.write(folder, [of_check(outcome(EXPECTED))], 1.0)
    assert len(calls) == 3
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before
    assert [p.name for p in tmp_path.iterdir()] == ["report"]


def test_the_current_folder_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shell whose current folder has been deleted."""
    inside = tmp_path / "work"
    inside.mkdir()
    monkeypatch.chdir(inside)
    for named in (Path("."), inside, Path(".."), tmp_path):
        with pytest.raises(SpecError, match="cannot replace the present folder"):
            reports.refuse_foreign(named)
    reports.refuse_foreign(Path("report"))


def test_a_read_only_parent_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gate that runs for ten minutes and then cannot write its report."""
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(SpecError, match=f"nothing can be written in {tmp_path}"):
        reports.refuse_foreign(tmp_path / "report")


def test_the_page_shows_an_unknown_check(tmp_path: Path) -> None:
    """A check without a result, summed up as one in which all properties hold."""
    found = outcome(PETERSON)
    cut = replace(found, unknown=(("ranges", "ranges is unknown: the time limit was reached"),))
    for shown, says in ((found, True), (cut, False)):
        folder = tmp_path / str(says)
        reports.write(folder, [of_check(shown)], 1.0)
        text = (folder / "index.html").read_text()
        assert (f"All {len(found.verdicts)} properties hold." in text) is says
