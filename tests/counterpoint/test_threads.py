"""Work in threads that Ctrl-C ends."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from counterpoint.threads import for_each

ROOT = Path(__file__).resolve().parents[2]

INTERRUPTED_ANYWHERE = """
import _thread, sys
from counterpoint.threads import for_each

count = last = 0

def trace(frame, event, argument):
    # The main thread is interrupted at the event with the number `last`.
    global count
    count += 1
    if count == last:
        sys.settrace(None)
        _thread.interrupt_main()
    return trace

while True:
    last, count = last + 1, 0
    sys.settrace(trace)
    try:
        for_each(str, range(4), 2, str)
    except KeyboardInterrupt:
        continue
    finally:
        sys.settrace(None)
    if count < last:
        break
print(last)
"""


def test_an_interruption_at_any_point_ends_the_work() -> None:
    """A lock of the pool that the interrupted main thread keeps, so that all threads hang.

    The main thread is interrupted once at each line and at each call and return, also of the
    standard library, while four items are handed to two threads.
    """
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_ANYWHERE],
        capture_output=True, text=True, check=False, cwd=ROOT, timeout=60,
        env={"PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 100


def test_after_ctrl_c_nothing_else_begins() -> None:
    """A pool that does all its work before it ends; a second Ctrl-C that leaves it behind."""
    begun: list[int] = []
    gate = threading.Event()

    def work(item: int) -> None:
        begun.append(item)
        if item:
            gate.wait(60)

    def interrupt(_: object) -> None:
        if not gate.is_set():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            gate.set()

    with pytest.raises(KeyboardInterrupt):
        for_each(work, range(1000), 1, interrupt)
    assert begun in ([0], [0, 1])
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_after_an_error_nothing_else_begins() -> None:
    """Items that are done although the result is lost."""
    begun: list[int] = []
    gate = threading.Event()

    def work(item: int) -> int:
        begun.append(item)
        if item:
            gate.wait(60)
        return item

    def refuse(_: int) -> None:
        gate.set()
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        for_each(work, range(1000), 1, refuse)
    assert len(begun) < 1000


def test_results_come_in_the_order_of_the_items() -> None:
    """Results that are lost, or in the order in which threads end."""
    found: list[int] = []
    for_each(lambda item: item * item, range(50), 4, found.append)
    assert found == [item * item for item in range(50)]


def test_another_thread_than_the_main_one_works_too() -> None:
    """A signal handler that is set in a thread, which Python refuses."""
    found: list[int] = []
    thread = threading.Thread(target=lambda: for_each(abs, [-1, -2], 2, found.append))
    thread.start()
    thread.join()
    assert found == [1, 2]
