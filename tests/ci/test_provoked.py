"""The gate when something around it fails: workers, memory, folders, signals."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path

import pytest

from counterpoint.ci import gate, report
from counterpoint.ci.gate import Outcome
from counterpoint.spec.notation import SpecError
from tests.counterpoint.starting import start
from tests.counterpoint.test_command_line import cpu_seconds, processes, wait_until

from .test_gate import EXPECTED, PETERSON, outcome, said


@pytest.mark.parametrize(
    "job", [replace(PETERSON, reference="petersen"), replace(PETERSON, parameters={"first": "x"})]
)
def test_a_job_that_cannot_be_loaded_falls(job: gate.Job) -> None:
    """One wrong job that takes the report of all the others with it."""
    found = outcome(job)
    assert found.answer == "fell"
    assert "petersen" in said(found) or "first is flag or turn" in said(found)
    assert gate.exit_code([found]) == 1


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (BrokenProcessPool("ended"), "ended from outside, perhaps for want of memory"),
        (MemoryError(), "MemoryError: the problem is too large"),
        (RecursionError(), "RecursionError: the problem is too large"),
    ],
)
def test_a_worker_that_ends_leaves_its_job_unknown(error: Exception, why: str) -> None:
    """A worker that the system has ended, shown as a traceback, or its job as passed."""
    future: Future[Outcome] = Future()
    future.set_exception(error)
    found = gate._result(future, PETERSON)
    assert found.answer == "unknown"
    assert why in found.unknown[0][1]
    assert gate.exit_code([found]) == 3


def workers(parent: int) -> list[int]:
    """Return the processes that a gate has begun."""
    return [pid for pid, of, state in processes() if of == parent and state != "Z"]


def gone(pids: set[int]) -> None:
    """Wait until none of the processes runs any more."""
    deadline = time.monotonic() + 10
    while running := {pid for pid, _, state in processes() if state != "Z"} & pids:
        assert time.monotonic() < deadline, running
        time.sleep(0.05)


def test_workers_end_with_a_gate_that_is_killed(tmp_path: Path) -> None:
    """Workers that go on for minutes after the gate was killed, and nobody waits for them."""
    process = start("gate", cwd=tmp_path)
    wait_until(lambda: len(workers(process.pid)) >= 3, process)
    children = set(workers(process.pid))
    process.kill()
    process.communicate(timeout=30)
    gone(children)


def test_ctrl_c_while_workers_begin_is_one_line(tmp_path: Path) -> None:
    """Tracebacks of workers that a Ctrl-C reached while they were importing."""
    process = start("gate", cwd=tmp_path)
    wait_until(lambda: any(cpu_seconds(w) > 0.05 for w in workers(process.pid)), process)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert err.strip() == "counterpoint: interrupted; nothing was written"


def test_a_worker_that_is_killed_leaves_a_report(tmp_path: Path) -> None:
    """A gate without a report because the system ended one of its workers."""
    process = start("gate", "--only", "specs", cwd=tmp_path)
    wait_until(lambda: len(workers(process.pid)) >= 3, process)
    os.kill(max(workers(process.pid)), signal.SIGKILL)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (3, "")
    assert "ended from outside, perhaps for want of memory" in " ".join(out.split())
    assert (tmp_path / "report" / "index.html").exists()


# Folders


def test_a_link_to_a_report_stays_a_link(tmp_path: Path) -> None:
    """A link that is replaced by a folder, so that what it led to is never new again."""
    (tmp_path / "published").mkdir()
    link = tmp_path / "report"
    link.symlink_to("published")
    report.write(link, [outcome(PETERSON)], 1.0)
    assert link.is_symlink()
    assert (tmp_path / "published" / "index.html").exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["published", "report"]


def test_an_exchange_that_fails_brings_the_old_report_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No report at all, because the new one could not take the place of the old one."""
    folder = tmp_path / "report"
    report.write(folder, [outcome(PETERSON)], 1.0)
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    real = os.replace
    calls: list[str] = []

    def failing(source: str, target: str) -> None:
        calls.append(str(target))
        if len(calls) == 2:
            raise OSError(39, "Directory not empty")
        real(source, target)

    monkeypatch.setattr(report.os, "replace", failing)
    monkeypatch.setattr(report.page, "write", lambda *_: None)
    with pytest.raises(OSError, match="not empty"):
        report.write(folder, [outcome(EXPECTED)], 1.0)
    assert len(calls) == 3
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before
    assert [p.name for p in tmp_path.iterdir()] == ["report"]


def test_the_present_folder_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shell that stands in a folder which is not there any more."""
    inside = tmp_path / "work"
    inside.mkdir()
    monkeypatch.chdir(inside)
    for named in (Path("."), inside, Path(".."), tmp_path):
        with pytest.raises(SpecError, match="cannot replace the present folder"):
            report.refuse_foreign(named)
    report.refuse_foreign(Path("report"))


def test_a_parent_that_cannot_be_written_is_seen_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gate that has run for ten minutes and then cannot write."""
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(SpecError, match=f"nothing can be written in {tmp_path}"):
        report.refuse_foreign(tmp_path / "report")


def test_the_page_does_not_say_that_all_holds_where_something_is_unknown(tmp_path: Path) -> None:
    """A check that was cut off, summed up as one in which all properties hold."""
    found = outcome(PETERSON)
    cut = replace(found, unknown=(("ranges", "ranges is unknown: the time limit was reached"),))
    for shown, says in ((found, True), (cut, False)):
        folder = tmp_path / str(says)
        report.write(folder, [shown], 1.0)
        text = (folder / "index.html").read_text()
        assert (f"All {len(found.verdicts)} properties hold." in text) is says
