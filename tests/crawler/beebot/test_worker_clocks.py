"""The clocks by which several workers keep the pauses of one host."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.crawler.beebot import crawling
from counterpoint.crawler.beebot.leases import Worker
from counterpoint.crawler.fetching.hosts import Hosts
from counterpoint.crawler.fetching.manners import Manners, Patience
from counterpoint.crawler.fetching.network import Answer
from counterpoint.crawler.store.opening import Store

SHIFT = 1e9
"""Seconds by which the database's clock is ahead of the clock of this machine."""
PAGE = "http://a.test/x"
waits = st.floats(0, 2)


class ReadStore:
    """A store that can be read."""

    @contextmanager
    def reading(self) -> Iterator[object]:
        """Yield a connection that nobody uses."""
        yield None


def worker(asking: list[tuple[float, float]]) -> tuple[Worker, list[float]]:
    """Return a worker, and the time of the machine, which it looks at.

    Parameters
    ----------
    asking : list of (float, float)
        Seconds before and after the database reads its clock, for each time that it is asked.
    """
    shown, left = [50.0], iter(asking)

    def database_clock(_: object) -> float:
        before, after = next(left)
        found = shown[0] + before + SHIFT
        shown[0] += before + after
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(crawling, "database_clock", database_clock)
        patch.setattr(crawling, "Recording", lambda connection: connection)
        patch.setattr(crawling, "elapsed", lambda: shown[0])
        made = crawling._worker(cast(Store, ReadStore()), 0.1, 20.0)
    return made, shown


@given(st.lists(st.tuples(waits, waits), min_size=5, max_size=5))
def test_a_clock_is_behind_by_no_more_than_it_says(asking: list[tuple[float, float]]) -> None:
    """A clock ahead of the database's, or one that an answer that came late has set."""
    with pytest.MonkeyPatch.context() as patch:
        made, shown = worker(asking)
        patch.setattr(crawling, "elapsed", lambda: shown[0])
        true = shown[0] + SHIFT
        assert true - made.behind - 1e-6 <= made.here() <= true + 1e-6
    assert made.behind <= min(before + after for before, after in asking) + 1e-6


@pytest.mark.skipif(sys.platform != "linux", reason="the clock has another name elsewhere")
def test_a_clock_goes_on_while_the_machine_sleeps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that trusts its lease after a sleep in which others have taken its hosts.

    While a machine sleeps, the clock of `time.monotonic` stands still and that of the time since
    the boot does not. The spec `leases` has the consequence as ``clock=stands-still``.
    """
    since_boot, read = [1000.0], time.clock_gettime
    boot = time.CLOCK_BOOTTIME
    monkeypatch.setattr(
        time, "clock_gettime", lambda number: since_boot[0] if number == boot else read(number)
    )
    monkeypatch.setattr(time, "monotonic", lambda: 7.0)
    monkeypatch.setattr(crawling, "database_clock", lambda _: since_boot[0] + SHIFT)
    monkeypatch.setattr(crawling, "Recording", lambda connection: connection)
    here = crawling._worker(cast(Store, ReadStore()), 0.1, 20.0).here
    until = here() + 20.0
    assert here() < until
    since_boot[0] += 30.0
    assert here() > until


@given(waits, waits, st.floats(0, 1), st.floats(0, 1))
def test_another_worker_keeps_the_pause(
    first: float, second: float, of_first: float, of_second: float
) -> None:
    """A host that is asked too early, because the clocks of two workers differ."""
    true = [SHIFT]

    def hosts(behind: float, share: float) -> Hosts:
        return Hosts(
            Manners(delay=3.0), Patience(), lambda: true[0] - share * behind, behind=behind
        )

    one, other = hosts(first, of_first), hosts(second, of_second)
    true[0] += 100
    host = one.of(PAGE)
    one.begun(host, PAGE)
    one.ended(host, PAGE, Answer(200, b"", {}), of_robots=False)
    (state,) = one.handed_out()
    other.refresh(state)
    free: Any = other.of(PAGE).free_at + of_second * second  # by the true clock
    assert true[0] + 3.0 - 1e-6 <= free <= true[0] + 3.0 + first + second + 1e-6


def test_a_long_pause_of_another_worker_is_kept() -> None:
    """A pause of ten minutes that counts as a clock that was set back, and so is not kept."""
    one = Hosts(Manners(delay=700.0), Patience(), lambda: SHIFT, behind=0.05)
    other = Hosts(Manners(delay=700.0), Patience(), lambda: SHIFT - 0.03, behind=0.05)
    host = one.of(PAGE)
    one.begun(host, PAGE)
    one.ended(host, PAGE, Answer(200, b"", {}), of_robots=False)
    (state,) = one.handed_out()
    other._begun -= 10_000
    other.refresh(state)
    assert other.of(PAGE).free_at >= SHIFT + 700.0
