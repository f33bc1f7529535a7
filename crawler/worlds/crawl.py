"""Runs a scheduler in a world, one page at a time, and checks that it keeps the rules for policies.

A scheduler makes the same crawl in all worlds that give the same answers: in a simulation, over
HTTP, in a replayed capture. If a policy breaks a rule, its crawl ends with one line that names the
policy and the step.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from counterpoint.crawler.policy.judging import (
    ENDLESS,
    LIMIT,
    SPENT,
    as_handle,
    asked_again,
    failure_text,
    idle_reason,
    never_offered,
    request_limit,
    requested_page,
)
from counterpoint.crawler.policy.kernels import ASKED, GROW, OFFERED, UNKNOWN, offer
from counterpoint.crawler.policy.protocol import NONE, Outcome, Pages, Request, Scheduler, Scope
from counterpoint.crawler.policy.tables import FIRST, grown, room_for
from counterpoint.crawler.policy.watch import StepTimeout, watched
from counterpoint.memory import is_exhausted


class World(Protocol):
    """The source of pages, by handle."""

    def fetch(self, page: int) -> Outcome:
        """Fetch a page; if that fails, the outcome has another status than 200."""
        ...


@dataclass(frozen=True)
class CrawlResult:
    """The result of a crawl.

    Attributes
    ----------
    why : str
        Why the crawl ended, in one line.
    failed : bool
        Whether it ended because the policy broke a rule for policies.
    order : int64 array
        The pages in the order of visits.
    digest : str
        A digest of the order: BLAKE2b over the handles as little-endian 64-bit integers.
    timed_out : bool
        Whether it ended because a step took too long. That says nothing about the rules, and
        another machine might have gone on.
    exhausted : bool
        Whether it ended because there was no memory left.
    """

    why: str
    failed: bool
    order: Pages = field(repr=False, compare=False)
    digest: str
    timed_out: bool = False
    exhausted: bool = False

    @property
    def steps(self) -> int:
        """How many pages were fetched."""
        return len(self.order)


def digest_of(order: Pages) -> str:
    """Return the digest of an order of visits: 32 hexadecimal digits."""
    return hashlib.blake2b(order.astype("<i8").tobytes(), digest_size=16).hexdigest()


def crawl(
    name: str,
    scheduler: Scheduler,
    world: World,
    starts: Sequence[int],
    budget: int,
    scope: Scope = Scope.WEB,
    *,
    on_outcome: Callable[[Outcome], None] | None = None,
    step_limit: float = LIMIT,
    may_overspend: bool = False,
) -> CrawlResult:
    """Fetch the pages that a scheduler requests until the budget is spent or it requests none.

    Parameters
    ----------
    name : str
        The name of the policy in messages.
    scheduler : Scheduler
        A new scheduler, made for the same starts and budget.
    world : World
        Its errors are not caught, since the policy is not to blame for them.
    starts : sequence of int
        The pages that the policy knows from the start.
    budget : int
        How many pages may be fetched.
    scope : Scope
        The policy's scope; only with `Scope.KNOWN` may it request a page again.
    on_outcome : callable, optional
        Called with each outcome after the scheduler has observed it; its errors are not caught.
    step_limit : float
        Seconds of processor time that the policy may take for a step; it is stopped after at most
        twice that time. A step that waits is stopped later, see `watch.PATIENCE`.
    may_overspend : bool
        Whether the policy must end by itself (`Policy.overspends`); it fails when it has spent K +
        2 budgets.

    Returns
    -------
    CrawlResult
        Also if the policy failed: `CrawlResult.why` is then ``NAME: step 17: ...``.
    """
    budget = request_limit(budget, len(starts), may_overspend)
    run = _Crawl(scheduler, world, starts, scope)
    why, failed = run.run(budget, on_outcome, step_limit)
    if may_overspend and len(run.order) == budget:
        why, failed = f"step {budget}: {ENDLESS}", True
    order = np.frombuffer(run.order, dtype=np.int64) if run.order else NONE
    why = f"{name}: {why}" if failed else why
    return CrawlResult(why, failed, order, digest_of(order), run.timed_out, run.exhausted)


class _Crawl:
    """A run: the pages that the policy has seen and requested so far."""

    def __init__(
        self, scheduler: Scheduler, world: World, starts: Sequence[int], scope: Scope
    ) -> None:
        self.scheduler, self.world = scheduler, world
        self.again = scope is Scope.KNOWN
        self.standing = np.zeros(FIRST, dtype=np.uint8)
        self.order = array("q")
        self.mark = 0  # the policy's present step; 0 while the policy does not run
        self.timed_out = self.exhausted = False
        self.offer(np.asarray(starts, dtype=np.int64))

    def offer(self, links: Pages) -> None:
        """Mark pages as seen, so that the policy may request them."""
        if offer(links, self.standing) == GROW:
            self.standing = grown(self.standing, room_for(links))
            offer(links, self.standing)

    def run(
        self, budget: int, on_outcome: Callable[[Outcome], None] | None, limit: float
    ) -> tuple[str, bool]:
        """Run the crawl.

        Parameters
        ----------
        budget : int
            The largest number of steps.
        on_outcome : callable or None
            Called with each outcome.
        limit : float
            Seconds of processor time that the policy may take for a step.

        Returns
        -------
        tuple of str and bool
            Why the crawl ended, and whether the policy failed.
        """
        step = 0
        try:
            with watched(limit, lambda: self.mark):
                try:
                    return self._steps(budget, on_outcome or _ignore), False
                finally:  # `watched` requires that the mark is 0 when the block is left
                    step, self.mark = self.mark, 0
        except (Exception, SystemExit, GeneratorExit, StepTimeout) as error:
            if not step and not isinstance(error, StepTimeout):
                raise  # it is an error of the world
            self.timed_out, self.exhausted = isinstance(error, StepTimeout), is_exhausted(error)
            why = failure_text(error, limit)
        return f"step {step or len(self.order)}: {why}", True

    def _steps(self, budget: int, on_outcome: Callable[[Outcome], None]) -> str:
        fetch, scheduler, order = self.world.fetch, self.scheduler, self.order
        ask, tell = scheduler.next, scheduler.observe
        standing, table = self.standing, self.standing.data
        for step in range(1, budget + 1):
            self.mark = step
            request = ask()
            if request is None:
                return idle_reason(scheduler)
            page = request.page if type(request) is Request else requested_page(request)
            if type(page) is not int or not 0 <= page < len(table) or table[page] != OFFERED:
                page = self._judged(page)
            table[page] = ASKED
            order.append(page)
            self.mark = 0
            outcome = fetch(page)
            if offer(outcome.links, standing) == GROW:
                self.offer(outcome.links)
                standing, table = self.standing, self.standing.data
            self.mark = step
            tell(outcome)
            self.mark = 0
            on_outcome(outcome)
        return SPENT

    def _judged(self, page: object) -> int:
        """Return the handle of a request that failed the fast check, if it is valid after all."""
        handle = as_handle(page)
        if not 0 <= handle < len(self.standing) or self.standing[handle] == UNKNOWN:
            raise never_offered(handle)
        if self.standing[handle] == ASKED and not self.again:
            raise asked_again(handle)
        return handle


def _ignore(outcome: Outcome) -> None:
    """Do nothing."""
