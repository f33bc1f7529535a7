"""A plan that is under way: its scheduler, and how far it is.

What is decided and what is stored are kept in step: everything here happens within one transaction,
and if that fails the `Run` is thrown away. The calls of the scheduler are numbered, `next` and
`observe` together; a number without a request or an outcome in the store is that of a `next` that
returned None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from counterpoint.crawler.documents.addresses import site
from counterpoint.crawler.policy.judging import (
    ENDLESS,
    LIMIT,
    SPENT,
    Wrong,
    asked_again,
    budget_of,
    failure,
    handle_of,
    never_offered,
    page_of,
    reason,
)
from counterpoint.crawler.policy.protocol import NONE, Outcome, Request, Scope
from counterpoint.crawler.policy.watch import TooLong
from counterpoint.crawler.store.recording import Page, Recording, asked_already

from .contents import Said
from .discovery import Discovery
from .frontier import NotRepeated, Stored
from .plan import Plan


class Failed(Exception):
    """The policy broke a rule for policies; the message says what."""


class Flying(NamedTuple):
    """A visit that is not answered yet."""

    number: int
    page: int
    seed: int | None
    address: str
    etag: str = ""
    modified: str = ""


class Mark:
    """Which step the policy is at; 0 while it is not its turn."""

    def __init__(self) -> None:
        self.step = 0

    def __call__(self) -> int:
        """Return the step."""
        return self.step


class Run:
    """A plan's scheduler at some point of its log.

    Parameters
    ----------
    plan : Plan
    mark : Mark
        Watched by whoever stops a policy that takes too long.
    offered : mapping of int to int
        How many start pages of each site there are.
    """

    def __init__(self, plan: Plan, mark: Mark, offered: Mapping[int, int]) -> None:
        self.plan, self._mark = plan, mark
        self.events = self.visits = self.fetched = 0
        self.flying: dict[int, Flying] = {}
        self.idle = False
        self.why = self.ended = ""
        self.failed = False
        self.known = plan.scope is Scope.KNOWN
        policy = plan.chosen.policy
        self.limit = budget_of(plan.budget, len(plan.starts), policy.overspends)
        self._overspends = policy.overspends
        self.frontier = Stored([of.number for of in plan.told.sites])
        self.starts = frozenset(plan.starts)
        self.reads = policy.reads and not self.known
        self.scheduler = plan.chosen.scheduler(
            plan.starts,
            plan.budget,
            plan.seed,
            None,
            self.frontier,
            plan.told.query,
            self.frontier.host,
        )
        self.discovery = Discovery(plan, offered)

    def policy(self, step: int, call: Callable[..., Any], *given: Any) -> Any:
        """Let the policy do something; raise `Failed` if that breaks a rule."""
        mark = self._mark
        mark.step = step
        try:
            return call(*given)
        except NotRepeated:
            raise
        except (Exception, SystemExit, GeneratorExit, TooLong) as error:
            if error is self.frontier.trouble:
                raise
            raise Failed(f"{self.plan.policy}: step {step}: {failure(error, LIMIT)}") from error
        finally:
            mark.step = 0

    def ask(self) -> int | None:
        """Ask the scheduler for a page; None if it has none."""
        event, self.events = self.events, self.events + 1
        page: int | None = self.policy(self.visits + 1, self._asked)
        self.idle = page is None
        self._event = event
        return page

    def _asked(self) -> int | None:
        request = self.scheduler.next()
        if request is None:
            self.why = reason(self.scheduler)
            return None
        page = request.page if type(request) is Request else page_of(request)
        return page if type(page) is int else handle_of(page)

    def admit(self, recording: Recording, handle: int) -> Page:
        """Return a page that the scheduler asks for, if it may."""
        page = recording.page(handle)
        if page is None or not (handle in self.starts if self.known else (page.place or 0) >= 0
                                and page.place is not None):  # fmt: skip
            raise self._wrong(never_offered(handle))
        if not self.known and asked_already(page):
            raise self._wrong(asked_again(handle))
        return page

    def _wrong(self, wrong: Wrong) -> Failed:
        return Failed(f"{self.plan.policy}: step {self.visits + 1}: {wrong}")

    def issue(self, recording: Recording, page: Page, worker: str | None = None) -> Flying:
        """Write down that a page is asked for, and who fetches it."""
        if not self.known:
            recording.write("issue page", {"id": page.id})
        copy = recording.read("copy", page=page.id) if self.known else []
        etag, modified = copy[0][:2] if copy else ("", "")
        visit = Flying(self.visits, page.id, page.seed, page.address, etag, modified)
        recording.write("issue visit", {
            "plan": self.plan.number, "number": visit.number, "page": page.id, "seed": page.seed,
            "host": site(page.address), "issued": self._event, "worker": worker,
        })  # fmt: skip
        self.visits += 1
        self.flying[visit.number] = visit
        return visit

    def observe(
        self, recording: Recording, visit: Flying, outcome: Outcome, told: list[int], fresh: int,
        *, recalled: bool, problem: str = "", said: Said | None = None,
    ) -> None:  # fmt: skip
        """Write down what a visit brought, and tell the scheduler."""
        del self.flying[visit.number]
        recording.write("observe visit", {
            "plan": self.plan.number, "number": visit.number, "observed": self.events,
            "recalled": recalled, "status": outcome.status, "external": outcome.external,
            "fresh": fresh, "size": outcome.size, "difference": outcome.difference,
            "time": outcome.time, "problem": problem,
        })  # fmt: skip
        self.fetched += int(not recalled)
        self.tell(visit.number, visit.seed, outcome, told, fresh, said)

    def tell(
        self, number: int, seed: int | None, outcome: Outcome, told: list[int], fresh: int,
        said: Said | None = None,
    ) -> None:  # fmt: skip
        """Tell the scheduler what a visit brought."""
        self.events += 1
        self.idle = False
        frontier = self.frontier
        frontier.latest = (frontier.number_of.get(seed, -1), fresh)
        if told and not frontier.used:
            outcome = outcome._replace(links=np.array(told, dtype=np.int64))
        if said is not None and outcome.status == 200:
            outcome = outcome._replace(content=said.of(outcome.links.tolist()))
        self.policy(number + 1, self.scheduler.observe, outcome)

    def spent(self) -> bool:
        """Tell whether the budget is spent; a policy that was to end by itself has then failed."""
        if self.visits < self.limit:
            return False
        if self._overspends:
            raise Failed(f"{self.plan.policy}: step {self.limit}: {ENDLESS}")
        self.why = SPENT
        return True

    def outcome(self, page: int, status: int, external: int, size: int, difference: int,
                time: float) -> Outcome:  # fmt: skip
        """Return what a scheduler is told, but for links."""
        if status != 200:
            return Outcome(page, status, time=time) if status != 304 else Outcome(
                page, status, NONE, external, size, difference, time)  # fmt: skip
        return Outcome(page, status, NONE, external, size, difference, time)
