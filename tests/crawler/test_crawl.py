"""The crawl loop: the actions that it allows a policy, and its message on any other."""

from __future__ import annotations

import hashlib
import struct
import threading
from collections.abc import Callable

import numba
import numpy as np
import pytest

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Outcome, Request, Scope
from counterpoint.crawler.worlds.crawl import CrawlResult, crawl, digest_of


class Endless:
    """Page n links to the next two, and to one far away."""

    def fetch(self, page: int) -> Outcome:
        return Outcome(page, 200, np.array([page + 1, page + 2, page + 3000]), 1)


class Doing:
    """A policy whose action is a function of the step's number."""

    why = ""

    def __init__(self, act: Callable[[int], object]) -> None:
        self.act, self.step = act, 0

    def next(self) -> Request | None:
        self.step += 1
        return self.act(self.step)  # type: ignore[return-value]

    def observe(self, outcome: Outcome) -> None:
        pass


def ended(act: Callable[[int], object], **options: object) -> CrawlResult:
    """Return the end of a run whose policy acts in a given way."""
    return crawl("mine", Doing(act), Endless(), [0], 20, **options)  # type: ignore[arg-type]


def at(step: int, bad: object) -> Callable[[int], object]:
    """Return a function that acts correctly except at one step."""
    return lambda n: bad if n == step else Request(n - 1)


WRONG = {
    "again": (at(5, Request(3)), 5, "requested page 3 a second time"),
    "never": (at(5, Request(2900)), 5, "requested page 2900, which it has not seen yet"),
    "beyond": (at(5, Request(10**30)), 5, f"requested page {10**30}, which it has not seen yet"),
    "below": (at(5, Request(-1)), 5, "requested page -1, which it has not seen yet"),
    "no-page": (at(5, Request("x")), 5, "requested 'x', which is not an integer"),  # type: ignore[arg-type]
    "fraction": (at(5, Request(2.0)), 5, "requested 2.0, which is not an integer"),  # type: ignore[arg-type]
    "number": (at(5, 4), 5, "returned 4, which is not a Request"),
    "first": (at(1, Request(1)), 1, "requested page 1, which it has not seen yet"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_no_policy_may_do(case: str) -> None:
    """A crawl that continues, or a message without the policy, the step and the mistake."""
    act, step, message = WRONG[case]
    end = ended(act)
    assert end == CrawlResult(f"mine: step {step}: {message}", True, end.order, end.digest)
    assert end.order.tolist() == list(range(step - 1))


def test_asking_for_ever_for_the_same_page() -> None:
    """A policy that requests one page forever and spends the budget."""
    assert ended(lambda n: Request(0)).why == "mine: step 2: requested page 0 a second time"


def test_known_pages_may_be_asked_for_again() -> None:
    """A refusal of policies that fetch known pages again to keep copies fresh."""
    end = ended(lambda n: Request(0), scope=Scope.KNOWN)
    assert (end.steps, end.failed, end.why) == (20, False, "the budget is spent")


def test_an_exception_of_the_policy() -> None:
    """A traceback, or an error without its place, in `observe` as well as in `next`."""

    def act(n: int) -> object:
        return Request(n - 1) if n < 4 else 1 // 0

    end = ended(act)
    assert end.why.startswith("mine: step 4: ZeroDivisionError: integer division")
    assert "(test_crawl.py:" in end.why and end.failed

    class Deaf(Doing):
        def observe(self, outcome: Outcome) -> None:
            raise SystemExit("two\nlines")

    why = crawl("mine", Deaf(lambda n: Request(n - 1)), Endless(), [0], 20).why
    assert why.startswith("mine: step 1: SystemExit: two (test_crawl.py:")


class Mute(Exception):
    """An exception whose ``str`` fails."""

    def __str__(self) -> str:
        raise ValueError


@pytest.mark.parametrize("error", [GeneratorExit, Mute])
def test_an_exception_that_is_unlike_others(error: type[BaseException]) -> None:
    """A traceback of ours for an unusual exception of a policy."""

    def act(n: int) -> object:
        raise error

    assert ended(act).why.startswith(f"mine: step 1: {error.__name__} (test_crawl.py:")


@pytest.mark.parametrize(
    ("why", "message", "failed"),
    [
        ("two\n lines", "two lines", False),
        (17, "mine: step 3: its attribute `why` is 17, which is not a str", True),
        (None, "the policy has nothing to fetch and gives no reason", False),
    ],
)
def test_a_reason_is_one_line_of_text(why: object, message: str, failed: bool) -> None:
    """A report that breaks because of a policy's reason for its end."""
    policy = Doing(at(3, None))
    policy.why = why  # type: ignore[assignment]
    end = crawl("mine", policy, Endless(), [0], 20)
    assert (end.why, end.failed) == (message, failed)


def test_an_exception_of_the_world_is_not_the_policys() -> None:
    """An error of ours that is blamed on the policy and hidden."""

    class Broken(Endless):
        def fetch(self, page: int) -> Outcome:
            raise ConnectionError("gone")

    with pytest.raises(ConnectionError):
        crawl("mine", Doing(at(0, None)), Broken(), [0], 20)

    class Negative(Endless):
        def fetch(self, page: int) -> Outcome:
            return Outcome(page, 200, np.array([-3]))

    with pytest.raises(CrawlError, match="-3 is not a page"):
        crawl("mine", Doing(at(0, None)), Negative(), [0], 20)


def stuck(n: int) -> object:
    """Wait and never return from the fifth step, whatever is raised."""
    while n == 5:
        try:
            threading.Event().wait(0.001)
        except Exception:
            continue
    return Request(n - 1)


def busy(n: int) -> object:
    """Compute and never return from the fifth step, whatever is raised."""
    while n == 5:
        try:
            sum(range(1000))
        except Exception:
            continue
    return Request(n - 1)


@pytest.mark.parametrize(
    ("policy", "why"),
    [(stuck, "did not end within 0.5 s"), (busy, "took longer than 0.05 s of processor time")],
)
def test_a_step_that_does_not_end(policy: Callable[[int], object], why: str) -> None:
    """A run that hangs; also in a thread, and if the policy catches exceptions."""
    end = ended(policy, step_limit=0.05)
    assert (end.why, end.failed, end.timed_out) == (f"mine: step 5: {why}", True, True)
    found = []
    thread = threading.Thread(target=lambda: found.append(ended(policy, step_limit=0.05).why))
    thread.start()
    thread.join(30)
    assert found == [end.why]


def waiting(n: int) -> object:
    """Wait at the fifth step for three times the limit of its processor time."""
    if n == 5:
        threading.Event().wait(0.3)
    return Request(n - 1)


def compiling(n: int) -> object:
    """Compile a function at the fifth step."""
    if n == 5:
        numba.njit(lambda x: np.sort(np.unique(x)).cumsum())(np.arange(9))
    return Request(n - 1)


@pytest.mark.parametrize("policy", [waiting, compiling])
@pytest.mark.parametrize("apart", [False, True])
def test_time_that_a_policy_does_not_use_is_not_counted(
    policy: Callable[[int], object], apart: bool
) -> None:
    """A policy that falls on a busy machine, or because its code is compiled for the first time."""
    found = []

    def run() -> None:
        found.append(ended(policy, step_limit=0.1))

    if apart:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join(60)
    else:
        run()
    assert (found[0].why, found[0].failed) == ("the budget is spent", False)


def test_a_slow_world_is_not_the_policys_fault() -> None:
    """A policy stopped because a page came late."""

    class Slow(Endless):
        def fetch(self, page: int) -> Outcome:
            threading.Event().wait(0.12)
            return super().fetch(page)

    end = crawl("mine", Doing(at(0, None)), Slow(), [0], 3, step_limit=0.05)
    assert (end.steps, end.failed) == (3, False)


def test_a_silent_end() -> None:
    """An end without a reason."""
    assert ended(lambda n: None).why == "the policy has nothing to fetch and gives no reason"


def test_overspending() -> None:
    """A printed rule cut off at the budget, or an endless one that runs forever."""
    end = ended(at(31, None), may_overspend=True)
    assert (end.steps, end.failed) == (30, False)
    end = ended(at(0, None), may_overspend=True)
    assert (end.steps, end.why) == (63, "mine: step 63: does not stop far beyond the budget")


def test_outcomes_are_told_in_order() -> None:
    """A recorder that misses a step, or gets it before the policy does."""
    pages: list[int] = []
    policy = Doing(at(0, None))
    end = crawl("mine", policy, Endless(), [0], 9, on_outcome=lambda o: pages.append(o.page))
    assert pages == end.order.tolist() == list(range(9))


def test_the_digest_is_that_of_the_order() -> None:
    """A digest that depends on the machine, or on anything but the order."""
    expected = hashlib.blake2b(struct.pack("<3q", 5, 1, 2**40), digest_size=16).hexdigest()
    assert digest_of(np.array([5, 1, 2**40])) == expected
    assert ended(at(0, None)).digest != ended(at(9, None)).digest
