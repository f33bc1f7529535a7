"""The scheduler of a plan, and its progress.

The scheduler and the store stay consistent: all calls here happen within one transaction, and if it
fails, the `CrawlRun` is discarded. The calls of `next` and `observe` are numbered in one sequence;
a number for which the store has neither a request nor an outcome is that of a `next` that returned
None.
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
    RuleViolation,
    as_handle,
    asked_again,
    failure_text,
    idle_reason,
    never_offered,
    request_limit,
    requested_page,
)
from counterpoint.crawler.policy.protocol import NONE, Outcome, Request
from counterpoint.crawler.policy.watch import StepTimeout
from counterpoint.crawler.store.recording import Page, Recording, asked_already
from counterpoint.memory import is_exhausted

from .contents import PageContent
from .discovery import Discovery
from .frontier import NotRepeated, StoredFrontier
from .plan import CrawlPlan

SITEMAP_ENDINGS = (".xml", ".xml.gz", ".rss", ".atom", "/sitemap.txt")
"""A start page with such an address is read as a sitemap, unless it is HTML."""


class PolicyFailure(Exception):
    """The policy broke a rule for policies, or raised an error; the message says which."""


class Visit(NamedTuple):
    """A visit that is not answered yet: its number, page, site, and validators of the last copy.

    ``sitemap`` has the sites whose sitemap it is; it is empty if it is none.
    """

    number: int
    page: int
    seed: int | None
    address: str
    etag: str = ""
    modified: str = ""
    sitemap: tuple[str, ...] = ()


class Mark:
    """The number of the policy's present step; 0 while the policy does not run."""

    def __init__(self) -> None:
        self.step = 0

    def __call__(self) -> int:
        """Return the step."""
        return self.step


class CrawlRun:
    """A plan's scheduler at some point of its log.

    Parameters
    ----------
    plan : CrawlPlan
    mark : Mark
        Set during each step, so that a watch can interrupt a step that takes too long.
    offered : mapping of int to int
        How many start pages of each site there are.
    """

    def __init__(self, plan: CrawlPlan, mark: Mark, offered: Mapping[int, int]) -> None:
        self.plan, self._mark = plan, mark
        self.events = self.visits = self.fetched = 0
        self.in_flight: dict[int, Visit] = {}
        self.idle = False
        self.why = self.ended = ""
        self.failed = False
        self.known, self.due = plan.revisits, 0.0
        policy = plan.chosen.policy
        self.limit = request_limit(plan.visits, len(plan.starts), policy.overspends)
        self._overspends = policy.overspends
        self.frontier = StoredFrontier([one.number for one in plan.options.sites])
        if not self.known:  # a policy may ask for the hosts of start pages when it is made
            for page, one in zip(plan.starts, plan.start_keys().values(), strict=True):
                self.frontier.set_host(page, one.site)
        self.starts = frozenset(plan.starts)
        self.reads = policy.reads and not self.known
        self.scheduler = plan.chosen.scheduler(
            plan.starts,
            plan.visits,
            plan.seed,
            None,
            self.frontier,
            plan.options.query,
            self.frontier.host,
        )
        self.discovery = Discovery(plan, offered)

    def policy(self, step: int, call: Callable[..., Any], *arguments: Any) -> Any:
        """Call the policy.

        Parameters
        ----------
        step : int
            The number of the step, for messages.
        call : callable
        *arguments
            The arguments of ``call``.

        Raises
        ------
        PolicyFailure
            If the policy breaks a rule, raises an error, or takes too long.
        MemoryError
            If it gets no memory.
        """
        mark = self._mark
        mark.step = step
        try:
            return call(*arguments)
        except NotRepeated:
            raise
        except (Exception, SystemExit, GeneratorExit, StepTimeout) as error:
            if error is self.frontier.trouble:
                raise  # the crawl can be resumed, and the policy is not to blame
            failed = f"{self.plan.policy}: step {step}: {failure_text(error, LIMIT)}"
            if is_exhausted(error):
                raise MemoryError(failed) from error  # it can be resumed, too
            raise PolicyFailure(failed) from error
        finally:
            mark.step = 0

    def ask(self) -> int | None:
        """Return the handle that the scheduler requests next; None if it requests none."""
        event, self.events = self.events, self.events + 1
        page: int | None = self.policy(self.visits + 1, self._asked)
        self.idle = page is None
        self._event = event
        return page

    def _asked(self) -> int | None:
        request = self.scheduler.next()
        if request is None:
            self.why = idle_reason(self.scheduler)
            return None
        page = request.page if type(request) is Request else requested_page(request)
        return page if type(page) is int else as_handle(page)

    def admit(self, recording: Recording, handle: int) -> Page:
        """Return the page of a handle, if the scheduler may request it; else raise the failure."""
        page = recording.page(handle)
        if page is None or not self._is_offered(page):
            raise self._wrong(never_offered(handle))
        if not self.known and asked_already(page):
            raise self._wrong(asked_again(handle))
        return page

    def _is_offered(self, page: Page) -> bool:
        if self.known and not self.plan.keeps:
            return page.id in self.starts
        return page.place is not None and page.place >= 0

    def _wrong(self, wrong: RuleViolation) -> PolicyFailure:
        return PolicyFailure(f"{self.plan.policy}: step {self.visits + 1}: {wrong}")

    def issue(self, recording: Recording, page: Page, worker: str | None = None) -> Visit:
        """Store a request.

        Parameters
        ----------
        recording : Recording
        page : Page
        worker : str, optional
            The worker that fetches the page, if several crawl the store.
        """
        if not self.known:
            recording.write("issue page", {"id": page.id})
        copy = recording.read("copy", page=page.id) if self.known else []
        etag, modified = (copy[0].etag, copy[0].modified) if copy else ("", "")
        named = self.sitemap(recording, page)
        visit = Visit(self.visits, page.id, page.seed, page.address, etag, modified, named)
        recording.write("issue visit", {
            "plan": self.plan.number, "number": visit.number, "page": page.id, "seed": page.seed,
            "host": site(page.address), "issued": self._event, "worker": worker,
        })  # fmt: skip
        self.visits += 1
        self.in_flight[visit.number] = visit
        return visit

    def sitemap(
        self, recording: Recording, page: Page | Visit, issued: int | None = None
    ) -> tuple[str, ...]:
        """Return the sites whose sitemap a page is, if this plan reads sitemaps.

        A plan that visits known pages again reads all sitemaps that the store has as such. A start
        page whose address ends as that of a sitemap is one of its own site.

        Parameters
        ----------
        recording : Recording
        page : Page or Visit
        issued : int, optional
            The call that made a request for it: names that came later do not count.
        """
        if not (self.known or self.plan.options.sitemaps):
            return ()
        number = page.id if isinstance(page, Page) else page.page
        rows = recording.read(
            "sitemap", page=number, plan=self.plan.number, issued=self.events + 1 if issued is None
            else issued,
        )  # fmt: skip
        found = tuple(row.host for row in rows)
        path = page.address.partition("?")[0].lower()
        if not found and number in self.starts and path.endswith(SITEMAP_ENDINGS):
            return (site(page.address),)
        return found

    def observe(
        self, recording: Recording, visit: Visit, outcome: Outcome, links: list[int], fresh: int,
        *, recalled: bool, problem: str = "", content: PageContent | None = None,
    ) -> None:  # fmt: skip
        """Store the outcome of a visit, and pass it to the scheduler.

        Parameters
        ----------
        recording : Recording
        visit : Visit
        outcome : Outcome
            Without links and content.
        links : list of int
            The pages of `Outcome.links`.
        fresh : int
            How many pages got a place by this outcome.
        recalled : bool
            Whether the outcome came from the store, without a fetch.
        problem : str
            Why there is no document, or what is wrong with it.
        content : PageContent, optional
            The page's content, for policies that read.
        """
        del self.in_flight[visit.number]
        recording.write("observe visit", {
            "plan": self.plan.number, "number": visit.number, "observed": self.events,
            "recalled": recalled, "status": outcome.status, "external": outcome.external,
            "fresh": fresh, "size": outcome.size, "difference": outcome.difference,
            "time": outcome.time, "problem": problem,
        })  # fmt: skip
        self.fetched += int(not recalled)
        self.tell(visit.number, visit.seed, outcome, links, fresh, content)

    def tell(
        self, number: int, seed: int | None, outcome: Outcome, links: list[int], fresh: int,
        content: PageContent | None = None,
    ) -> None:  # fmt: skip
        """Pass an outcome to the scheduler, with its links and content.

        Parameters
        ----------
        number : int
            The number of the visit.
        seed : int or None
            The number of the page's site in the store.
        outcome : Outcome
            Without links and content.
        links : list of int
            The pages of `Outcome.links`.
        fresh : int
            How many pages got a place by this outcome.
        content : PageContent, optional
            The page's content, for policies that read.
        """
        self.events += 1
        self.idle = False
        frontier = self.frontier
        frontier.latest = (frontier.number_of.get(seed, -1), fresh)
        if links and not frontier.used:
            outcome = outcome._replace(links=np.array(links, dtype=np.int64))
        if content is not None and outcome.status == 200:
            outcome = outcome._replace(content=content.for_links(outcome.links.tolist()))
        self.policy(number + 1, self.scheduler.observe, outcome)

    def spent(self) -> bool:
        """Return whether the budget is spent; fail a policy that should have ended by itself."""
        if self.visits < self.limit:
            return False
        if self._overspends:
            raise PolicyFailure(f"{self.plan.policy}: step {self.limit}: {ENDLESS}")
        self.why = SPENT
        return True

    def outcome(self, page: int, status: int, external: int, size: int, difference: int,
                time: float) -> Outcome:  # fmt: skip
        """Return the outcome of a page, without its links and content.

        Parameters
        ----------
        page : int
        status : int
            Of HTTP; 0: no answer came.
        external : int
            External links on the page.
        size, difference : int
            Bytes of the document, and bytes that changed since the last visit.
        time : float
            When the answer came, in seconds.
        """
        if status != 200:
            return Outcome(page, status, time=time) if status != 304 else Outcome(
                page, status, NONE, external, size, difference, time)  # fmt: skip
        return Outcome(page, status, NONE, external, size, difference, time)
