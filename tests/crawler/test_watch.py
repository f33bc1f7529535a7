"""What takes too long is stopped, in the main thread and in others, and leaves nothing behind."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from crawler.watch import TooLong, watched

TRACED = """
import sys, threading
from crawler.watch import watched

def quick():
    with watched(60.0, lambda: 0):
        pass

thread = threading.Thread(target=quick)
thread.start()
thread.join()
sys.setprofile(lambda *told: None)
print(sum(abs(n) for n in range(1000)))
"""


HURRIED = """
import sys, threading
from contextlib import suppress
from crawler.watch import TooLong, watched

def steps():
    for _ in range(3000):
        with suppress(TooLong), watched(0.0005, lambda: 1):
            sum(range(20_000))

sys.setswitchinterval(float(sys.argv[1]))
thread = threading.Thread(target=steps)
thread.start()
thread.join()
for other in threading.enumerate():
    if other is not threading.current_thread():
        other.join(30)
print(threading.active_count())
"""


def still() -> bool:
    """Stand still until somebody stops it."""
    with suppress(TooLong), watched(0.01, lambda: 1):
        while True:
            pass
    return True


@pytest.mark.parametrize("apart", [False, True])
def test_what_stands_still_is_stopped(apart: bool) -> None:
    """A policy that computes for ever."""
    if not apart:
        assert still()
        return
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(still).result(60)


def test_a_stop_that_comes_last_does_not_get_away() -> None:
    """A step that was done in time by a hair, and ends what comes after it."""

    def short() -> int:
        for _ in range(300):
            with suppress(TooLong), watched(0.0005, lambda: 1):
                sum(range(20_000))
        return sum(range(100_000))

    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(short).result(60) == sum(range(100_000))


@pytest.mark.parametrize("switching", ["1e-6", "5e-3"])
def test_a_stop_anywhere_leaves_nothing_locked(switching: str) -> None:
    """A stop that comes while a watch ends: in a lock's hands, it held that lock for ever."""
    told = subprocess.run(
        [sys.executable, "-c", HURRIED, switching],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert told.stdout.split() == ["1"]


def test_a_traced_process_goes_on() -> None:
    """A process that does nothing any more after a crawl, if somebody profiles or traces it."""
    told = subprocess.run(
        [sys.executable, "-c", TRACED], capture_output=True, text=True, timeout=60, check=True
    )
    assert told.stdout.split() == ["499500"]
