"""Steps that take too long are stopped, in the main thread and in others, without leftovers."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import suppress

import pytest

from counterpoint.crawler.policy.watch import StepTimeout, watched

TRACED = """
import sys, threading
from counterpoint.crawler.policy.watch import watched

def quick():
    with watched(60.0, lambda: 0):
        pass

thread = threading.Thread(target=quick)
thread.start()
thread.join()
sys.setprofile(lambda *given: None)
print(sum(abs(n) for n in range(1000)))
"""


HURRIED = """
import _thread, sys, threading, time
from counterpoint.crawler.policy.watch import StepTimeout, watched

rounds, stops = [], []

def steps():
    for number in range(2000):
        mark = [0]

        def at():
            given = mark[0]
            time.sleep(1e-6 * (number % 71))  # so that what it tells is often over
            return given

        try:
            with watched(0.0002, at):
                try:
                    mark[0] = 1
                    for _ in range(2000 * (number % 67)):
                        pass
                finally:
                    mark[0] = 0
        except StepTimeout:
            stops.append(number)
        rounds.append(number)

sys.setswitchinterval(float(sys.argv[1]))
threads = [threading.Thread(target=steps) for _ in range(int(sys.argv[2]))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
until = time.monotonic() + 30
while _thread._count() and time.monotonic() < until:
    time.sleep(0.01)
print(len(rounds), bool(stops), _thread._count())
"""


def still() -> bool:
    """Wait until the watch stops it."""
    mark = 1
    with suppress(StepTimeout), watched(0.01, lambda: mark):
        try:
            while True:
                pass
        finally:
            mark = 0
    return True


@pytest.mark.parametrize("apart", [False, True])
def test_what_stands_still_is_stopped(apart: bool) -> None:
    """A policy that computes forever."""
    if not apart:
        assert still()
        return
    stood: list[bool] = []
    thread = threading.Thread(target=lambda: stood.append(still()), daemon=True)
    thread.start()
    thread.join(60)
    assert stood == [True]


@pytest.mark.long
@pytest.mark.parametrize(("switching", "threads"), [("1e-6", 1), ("1e-5", 2)])
def test_a_stop_anywhere_leaves_nothing_behind(switching: str, threads: int) -> None:
    """A stop during the end of a watch that leaves a lock taken, or that escapes."""
    completed = subprocess.run(
        [sys.executable, "-c", HURRIED, switching, str(threads)],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert (completed.stdout.split(), completed.stderr) == ([str(2000 * threads), "True", "0"], "")


def test_a_traced_process_goes_on() -> None:
    """A process that hangs after a crawl if it is profiled or traced."""
    completed = subprocess.run(
        [sys.executable, "-c", TRACED], capture_output=True, text=True, timeout=60, check=True
    )
    assert completed.stdout.split() == ["499500"]
