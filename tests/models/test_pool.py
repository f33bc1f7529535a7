"""A pool of processes: results, errors, processes that are killed, and the end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from threading import Thread

import pytest

from counterpoint.models.checking.pool import ProcessEndedError, ProcessPool, RemoteTracebackError
from tests.counterpoint.starting import processes

LONG = 60.0
"""Seconds that a task would take which is not ended before."""


class AwkwardError(Exception):
    """An error that pickle writes, and cannot read."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first} {second}")


class UnspeakableError(Exception):
    """An error without memory for its words."""

    def __str__(self) -> str:
        raise MemoryError

    def __reduce__(self) -> str:
        raise MemoryError


def unspeakable() -> None:
    """Raise such an error."""
    raise UnspeakableError


def awkward() -> None:
    """Raise such an error."""
    raise AwkwardError("two", "words")


def divided(number: int) -> float:
    """Return a number, or raise ZeroDivisionError."""
    return 1 / number


@pytest.fixture
def pool() -> Iterator[ProcessPool]:
    """Return a pool of two processes, which is closed with its test."""
    made = ProcessPool(2)
    yield made
    made.end()
    made.close()


def children() -> list[int]:
    """Return the processes of the pool, the youngest last; this process has no others."""
    return sorted(
        pid
        for pid, parent, state in processes()
        if parent == os.getpid() and state != "Z" and _is_worker(pid)
    )


def _is_worker(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return b"spawn_main" in file.read()
    except OSError:  # it has ended in the meantime
        return False


def soon(number: int) -> list[int]:
    """Return the processes of the pool as soon as there are so many."""
    deadline = time.monotonic() + 30
    while len(found := children()) < number:
        assert time.monotonic() < deadline, found
    return found


def test_tasks_run_in_other_processes(pool: ProcessPool) -> None:
    """Tasks that run in this process, or each in a process of its own."""
    pids = [pool.submit(os.getpid) for _ in range(6)]
    found = {one.result(30) for one in pids}
    assert 1 <= len(found) <= 2
    assert os.getpid() not in found
    assert [pool.submit(divided, n).result(30) for n in (1, 2)] == [1, 0.5]


def test_an_error_comes_with_its_traceback(pool: ProcessPool) -> None:
    """An error of which nobody can see where it was raised, or which ends the process."""
    first = pool.submit(divided, 0)
    with pytest.raises(ZeroDivisionError, match="division by zero") as caught:
        first.result(30)
    assert isinstance(caught.value.__cause__, RemoteTracebackError)
    assert "return 1 / number" in str(caught.value.__cause__)
    assert pool.submit(divided, 1).result(30) == 1


def test_an_error_that_cannot_be_read_keeps_its_words(pool: ProcessPool) -> None:
    """Such an error that looks as if the process had been killed, and loses all other tasks."""
    with pytest.raises(RuntimeError, match="AwkwardError: two words"):
        pool.submit(awkward).result(30)
    assert pool.submit(divided, 1).result(30) == 1


@pytest.mark.parametrize("code", [None, 0, 3])
def test_an_exit_in_a_task_is_an_error_of_the_task(pool: ProcessPool, code: int | None) -> None:
    """A task that ends the process of its caller, with a code that says that all is well."""
    with pytest.raises(RuntimeError, match=r"^SystemExit: "):
        pool.submit(sys.exit, code).result(30)
    assert pool.submit(divided, 1).result(30) == 1


def test_an_error_that_cannot_be_packed_means_no_memory(pool: ProcessPool) -> None:
    """An error without memory for its traceback that ends the process, as if it had been killed."""
    with pytest.raises(MemoryError):
        pool.submit(unspeakable).result(30)
    assert pool.submit(divided, 1).result(30) == 1


def test_errors_that_are_kept_do_not_keep_processes() -> None:
    """A pool that waits for ever for a process whose pipe the traceback of an error keeps."""
    own = ProcessPool(2)
    failed = [own.submit(divided, 0), own.submit(divided, lambda: 0)]
    errors = [type(one.exception(30)) for one in failed]
    assert errors[0] is ZeroDivisionError and issubclass(errors[1], Exception)
    closing = Thread(target=own.close, daemon=True)
    closing.start()
    closing.join(30)
    assert not closing.is_alive()


def test_a_result_that_cannot_be_sent_is_an_error_of_its_task(pool: ProcessPool) -> None:
    """A process that ends because of it, or a caller that waits for ever."""
    with pytest.raises(TypeError, match="cannot pickle"):
        pool.submit(open, os.devnull).result(30)
    assert pool.submit(divided, 1).result(30) == 1


@pytest.mark.parametrize("seconds", [0.0, 0.001, 0.01, 0.1])
def test_a_process_that_is_killed_loses_its_own_task_alone(
    pool: ProcessPool, seconds: float
) -> None:
    """A pool that waits for ever for a process that was killed while it started, or is broken."""
    first = pool.submit(time.sleep, LONG)
    (victim,) = soon(1)
    time.sleep(seconds)
    others = [pool.submit(divided, 1) for _ in range(4)]
    os.kill(victim, signal.SIGKILL)
    with pytest.raises(ProcessEndedError):
        first.result(30)
    assert [one.result(30) for one in others] == [1] * 4


def test_the_end_ends_tasks_and_starts_no_other(pool: ProcessPool) -> None:
    """Ctrl-C after which the pool works on at the remaining tasks."""
    tasks = [pool.submit(time.sleep, LONG) for _ in range(6)]
    soon(2)
    pool.end()
    pool.close()
    assert children() == []
    for one in tasks:
        with pytest.raises((ProcessEndedError, CancelledError)):
            one.result(0)


def test_a_pool_that_is_not_closed_does_not_keep_python_alive() -> None:
    """A command that has printed everything, and does not end."""
    text = (
        "import os\n"
        "from counterpoint.models.checking.pool import ProcessPool\n"
        "pool = ProcessPool(1)\n"
        "print(pool.submit(os.getppid).result() == os.getpid())\n"
    )
    made = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=60, check=True
    )
    assert (made.stdout, made.stderr) == ("True\n", "")
