"""Runs a scheduler against a world, one page at a time, and watches it.

The same scheduler makes the same crawl in every world that answers alike: in a simulation, over
HTTP, in a replayed capture. A policy that breaks a rule for policies ends its run with one line
that names it and the step.
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
    asked_again,
    budget_of,
    failure,
    handle_of,
    never_offered,
    page_of,
    reason,
)
from counterpoint.crawler.policy.kernels import ASKED, GROW, OFFERED, UNKNOWN, offer
from counterpoint.crawler.policy.protocol import NONE, Outcome, Pages, Request, Scheduler, Scope
from counterpoint.crawler.policy.tables import FIRST, grown, room_for
from counterpoint.crawler.policy.watch import TooLong, watched


class World(Protocol):
    """Where pages are fetched."""

    def fetch(self, page: int) -> Outcome:
        """Fetch a page by its handle; what cannot be fetched has another status than 200."""
        ...


@dataclass(frozen=True)
class Ended:
    """How a crawl went.

    Attributes
    ----------
    why : str
        Why it ended, in one line.
    failed : bool
        Whether it ended because the policy broke a rule for policies.
    order : int64 array
        The pages in the order of visits.
    digest : str
        Of the order: BLAKE2b over the handles as 64 bits each, little end first.
    """

    why: str
    failed: bool
    order: Pages = field(repr=False, compare=False)
    digest: str

    @property
    def steps(self) -> int:
        """How many pages were fetched."""
        return len(self.order)


def digest_of(order: Pages) -> str:
    """Return what pins an order of visits: 32 hexadecimal digits."""
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
) -> Ended:
    """Fetch what a scheduler asks for until the budget is spent or it has nothing to ask for.

    Parameters
    ----------
    name : str
        How the policy is called in messages.
    scheduler : Scheduler
        A new one, made for the same starts and budget.
    world : World
        Its errors are not caught: they are no fault of the policy.
    starts : sequence of int
        The pages that are offered from the start.
    budget : int
        How many pages may be fetched.
    scope : Scope
        Of the policy; only where all pages are `Scope.KNOWN` a page may be asked for again.
    on_outcome : callable, optional
        Told each outcome after the scheduler was told; its errors are not caught.
    step_limit : float
        Seconds that the policy may take for a step; it is stopped after at most twice as many.
    may_overspend : bool
        Leave it to the policy to end (`Policy.overspends`); it fails if it has spent K + 2 budgets.

    Returns
    -------
    Ended
        Also if the policy failed: `Ended.why` then says ``NAME: step 17: what it did``.
    """
    budget = budget_of(budget, len(starts), may_overspend)
    run = _Crawl(scheduler, world, starts, scope)
    why, failed = run.run(budget, on_outcome, step_limit)
    if may_overspend and len(run.order) == budget:
        why, failed = f"step {budget}: {ENDLESS}", True
    order = np.frombuffer(run.order, dtype=np.int64) if run.order else NONE
    return Ended(f"{name}: {why}" if failed else why, failed, order, digest_of(order))


class _Crawl:
    """One run: what was offered and asked for so far."""

    def __init__(
        self, scheduler: Scheduler, world: World, starts: Sequence[int], scope: Scope
    ) -> None:
        self.scheduler, self.world = scheduler, world
        self.again = scope is Scope.KNOWN
        self.standing = np.zeros(FIRST, dtype=np.uint8)
        self.order = array("q")
        self.mark = 0  # the step that the policy is at; 0 while it is not its turn
        self.offer(np.asarray(starts, dtype=np.int64))

    def offer(self, links: Pages) -> None:
        """Let the policy ask for some pages."""
        if offer(links, self.standing) == GROW:
            self.standing = grown(self.standing, room_for(links))
            offer(links, self.standing)

    def run(
        self, budget: int, on_outcome: Callable[[Outcome], None] | None, limit: float
    ) -> tuple[str, bool]:
        """Run until it ends; return why, and whether the policy failed."""
        step = 0
        try:
            with watched(limit, lambda: self.mark):
                try:
                    return self._steps(budget, on_outcome or _ignore), False
                finally:  # before the watch ends, as it asks
                    step, self.mark = self.mark, 0
        except (Exception, SystemExit, GeneratorExit, TooLong) as error:
            if not step and not isinstance(error, TooLong):
                raise  # it is the world's
            why = failure(error, limit)
        return f"step {step or len(self.order)}: {why}", True

    def _steps(self, budget: int, on_outcome: Callable[[Outcome], None]) -> str:
        fetch, scheduler, order = self.world.fetch, self.scheduler, self.order
        ask, tell = scheduler.next, scheduler.observe
        standing, table = self.standing, self.standing.data
        for step in range(1, budget + 1):
            self.mark = step
            request = ask()
            if request is None:
                return reason(scheduler)
            page = request.page if type(request) is Request else page_of(request)
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
        """Return a page that is no ordinary request, if it may be asked for."""
        handle = handle_of(page)
        if not 0 <= handle < len(self.standing) or self.standing[handle] == UNKNOWN:
            raise never_offered(handle)
        if self.standing[handle] == ASKED and not self.again:
            raise asked_again(handle)
        return handle


def _ignore(outcome: Outcome) -> None:
    """Do nothing."""
