"""The crawl loop: what it lets a policy do, and what it says of one that does anything else."""

from __future__ import annotations

import hashlib
import struct
import threading
from collections.abc import Callable

import numpy as np
import pytest

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Outcome, Request, Scope
from counterpoint.crawler.worlds.crawl import Ended, crawl, digest_of


class Endless:
    """Page n links to the next two, and to one far away."""

    def fetch(self, page: int) -> Outcome:
        return Outcome(page, 200, np.array([page + 1, page + 2, page + 3000]), 1)


class Doing:
    """A policy that does what a function of the step's number returns."""

    why = ""

    def __init__(self, act: Callable[[int], object]) -> None:
        self.act, self.step = act, 0

    def next(self) -> Request | None:
        self.step += 1
        return self.act(self.step)  # type: ignore[return-value]

    def observe(self, outcome: Outcome) -> None:
        pass


def ended(act: Callable[[int], object], **options: object) -> Ended:
    """Return how a policy that acts so ends."""
    return crawl("mine", Doing(act), Endless(), [0], 20, **options)  # type: ignore[arg-type]


def at(step: int, bad: object) -> Callable[[int], object]:
    """Return an act that is in order but for one step."""
    return lambda n: bad if n == step else Request(n - 1)


WRONG = {
    "again": (at(5, Request(3)), 5, "asked for page 3 again"),
    "never": (at(5, Request(2900)), 5, "asked for page 2900, which was never offered"),
    "beyond": (at(5, Request(10**30)), 5, f"asked for page {10**30}, which was never offered"),
    "below": (at(5, Request(-1)), 5, "asked for page -1, which was never offered"),
    "no-page": (at(5, Request("x")), 5, "asked for 'x', which is no page"),  # type: ignore[arg-type]
    "fraction": (at(5, Request(2.0)), 5, "asked for 2.0, which is no page"),  # type: ignore[arg-type]
    "number": (at(5, 4), 5, "returned 4, which is no Request"),
    "first": (at(1, Request(1)), 1, "asked for page 1, which was never offered"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_no_policy_may_do(case: str) -> None:
    """A crawl that goes on, or a message that does not name the policy, the step and the slip."""
    act, step, said = WRONG[case]
    end = ended(act)
    assert end == Ended(f"mine: step {step}: {said}", True, end.order, end.digest)
    assert end.order.tolist() == list(range(step - 1))


def test_asking_for_ever_for_the_same_page() -> None:
    """A policy that never moves on and spends the budget."""
    assert ended(lambda n: Request(0)).why == "mine: step 2: asked for page 0 again"


def test_known_pages_may_be_asked_for_again() -> None:
    """Policies that keep copies fresh, refused."""
    end = ended(lambda n: Request(0), scope=Scope.KNOWN)
    assert (end.steps, end.failed, end.why) == (20, False, "the budget is spent")


def test_an_exception_of_the_policy() -> None:
    """A traceback, or an error without its place; of `observe` as well as of `next`."""

    def act(n: int) -> object:
        return Request(n - 1) if n < 4 else 1 // 0

    end = ended(act)
    assert end.why.startswith("mine: step 4: ZeroDivisionError: integer division")
    assert "(test_crawl.py:" in end.why and end.failed

    class Deaf(Doing):
        def observe(self, outcome: Outcome) -> None:
            raise SystemExit("two\nlines")

    said = crawl("mine", Deaf(lambda n: Request(n - 1)), Endless(), [0], 20).why
    assert said.startswith("mine: step 1: SystemExit: two (test_crawl.py:")


class Mute(Exception):
    """Cannot be said."""

    def __str__(self) -> str:
        raise ValueError


@pytest.mark.parametrize("error", [GeneratorExit, Mute])
def test_an_exception_that_is_unlike_others(error: type[BaseException]) -> None:
    """A traceback of ours for what a policy did."""

    def act(n: int) -> object:
        raise error

    assert ended(act).why.startswith(f"mine: step 1: {error.__name__} (test_crawl.py:")


@pytest.mark.parametrize(
    ("why", "said", "failed"),
    [
        ("two\n lines", "two lines", False),
        (17, "mine: step 3: why is 17, which is no text", True),
        (None, "the policy has nothing to fetch and does not say why", False),
    ],
)
def test_a_reason_is_one_line_of_text(why: object, said: str, failed: bool) -> None:
    """A report that breaks because of what a policy says at its end."""
    policy = Doing(at(3, None))
    policy.why = why  # type: ignore[assignment]
    end = crawl("mine", policy, Endless(), [0], 20)
    assert (end.why, end.failed) == (said, failed)


def test_an_exception_of_the_world_is_not_the_policys() -> None:
    """A fault of ours, blamed on the policy and kept quiet."""

    class Broken(Endless):
        def fetch(self, page: int) -> Outcome:
            raise ConnectionError("gone")

    with pytest.raises(ConnectionError):
        crawl("mine", Doing(at(0, None)), Broken(), [0], 20)

    class Negative(Endless):
        def fetch(self, page: int) -> Outcome:
            return Outcome(page, 200, np.array([-3]))

    with pytest.raises(CrawlError, match="-3 is no page"):
        crawl("mine", Doing(at(0, None)), Negative(), [0], 20)


def stuck(n: int) -> object:
    """Never come back from the fifth step, whatever happens."""
    while n == 5:
        try:
            threading.Event().wait(0.001)
        except Exception:
            continue
    return Request(n - 1)


def test_a_step_that_does_not_end() -> None:
    """A run that hangs, also in a thread, and if the policy catches what it can."""
    expected = "mine: step 5: took longer than 0.2 s"
    assert ended(stuck, step_limit=0.2).why == expected
    found = []
    thread = threading.Thread(target=lambda: found.append(ended(stuck, step_limit=0.2).why))
    thread.start()
    thread.join(30)
    assert found == [expected]


def test_a_slow_world_is_not_the_policys_fault() -> None:
    """A policy stopped because a page came late."""

    class Slow(Endless):
        def fetch(self, page: int) -> Outcome:
            threading.Event().wait(0.12)
            return super().fetch(page)

    end = crawl("mine", Doing(at(0, None)), Slow(), [0], 3, step_limit=0.05)
    assert (end.steps, end.failed) == (3, False)


def test_a_silent_end() -> None:
    """An end without any reason."""
    assert ended(lambda n: None).why == "the policy has nothing to fetch and does not say why"


def test_overspending() -> None:
    """A rule as printed cut at the budget, or one that never ends running for ever."""
    end = ended(at(31, None), may_overspend=True)
    assert (end.steps, end.failed) == (30, False)
    end = ended(at(0, None), may_overspend=True)
    assert (end.steps, end.why) == (63, "mine: step 63: spends without end")


def test_outcomes_are_told_in_order() -> None:
    """A recorder that misses a step, or is told before the policy."""
    told: list[int] = []
    policy = Doing(at(0, None))
    end = crawl("mine", policy, Endless(), [0], 9, on_outcome=lambda o: told.append(o.page))
    assert told == end.order.tolist() == list(range(9))


def test_the_digest_is_that_of_the_order() -> None:
    """A digest that depends on the machine, or on anything but the order."""
    expected = hashlib.blake2b(struct.pack("<3q", 5, 1, 2**40), digest_size=16).hexdigest()
    assert digest_of(np.array([5, 1, 2**40])) == expected
    assert ended(at(0, None)).digest != ended(at(9, None)).digest
