"""A queue of addresses in the order of a policy, for a crawler of any kind.

The crawler fetches; the policy decides what comes next. The scheduler is made as in ``compare`` and
gets the same outcomes, so that it makes the same crawl if one page is fetched at a time. A queue is
for one thread; several need a lock around `next` and `done`::

    queue = PolicyQueue("opic", ["http://a.test/"], budget=1000)
    while (address := queue.next()) is not None:
        answer = fetch(address)
        queue.done(address, answer.status, answer.links, size=len(answer.body))
    print(queue.why)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

from counterpoint.crawler.documents.addresses import joined, normalized, site
from counterpoint.crawler.documents.exchange import Exchange
from counterpoint.crawler.documents.scope import ScopeRules
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.judging import (
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
from counterpoint.crawler.policy.protocol import Content, Scope
from counterpoint.crawler.schedulers.finding import find
from counterpoint.crawler.worlds.web_world import WebOutcomes


class PolicyQueue:
    """Asks a policy which address is fetched next.

    Parameters
    ----------
    policy : str
        A policy as `compare` takes it: ``NAME``, ``NAME,key=value`` or ``module:attribute``.
    starts : sequence of str
        The addresses of the start pages; for a policy over sites one of each site.
    budget : int
        How many pages may be fetched in all.
    seed : int
        The seed of the policy's random choices.
    query : str
        The topic, for policies that read pages.
    stay : bool
        Whether only links to the sites of ``starts`` are followed.
    rules : ScopeRules, optional
        Which links are followed.
    now : callable, optional
        The clock, in seconds; tests pass another one.

    Attributes
    ----------
    why : str
        Why the last `next` returned None; "" if it did not.
    steps : int
        How many addresses were returned.

    Raises
    ------
    CrawlError
        If there is no such policy, if it cannot crawl, or if a start is no address.
    """

    def __init__(
        self, policy: str, starts: Sequence[str], budget: int, seed: int = 0, *, query: str = "",
        stay: bool = False, rules: ScopeRules | None = None, now: Callable[[], float] | None = None,
    ) -> None:  # fmt: skip
        if not isinstance(policy, str):
            raise CrawlError(
                f"a policy is named by a text such as opic or module:Policy, not by {policy!r:.40}"
            )
        if isinstance(starts, str):
            raise CrawlError(f"starts is a list of addresses, not the text {starts!r:.40}")
        chosen = find(policy)
        if chosen.policy.oracle:
            raise CrawlError(f"{policy}: needs the truth about pages, which is not known here")
        if chosen.policy.scope is Scope.KNOWN:
            raise CrawlError(f"{policy}: revisits known pages and follows no links")
        if not starts:
            raise CrawlError(f"{policy}: needs at least one start page")
        if budget < 1:
            raise CrawlError(f"a budget is at least one page, not {budget}")
        self.policy, self.reads = policy, chosen.policy.reads
        self._world = WebOutcomes(starts, chosen.policy.scope, stay=stay, reads=self.reads,
                                  rules=rules)  # fmt: skip
        self._scheduler = chosen.scheduler(self._world.starts, budget, seed, query=query,
                                           hosts=self._world.host)  # fmt: skip
        self._most = request_limit(budget, len(starts), chosen.policy.overspends)
        self._now = now or time.monotonic
        self._begun = self._now()
        self._offered = set(self._world.starts)
        self._asked: set[int] = set()
        self._in_flight: dict[str, int] = {}
        self.why, self.steps = "", 0
        self._failed: CrawlError | None = None

    @property
    def in_flight(self) -> int:
        """How many addresses were returned and are not done."""
        return len(self._in_flight)

    def knows(self, address: str) -> bool:
        """Return whether the policy knows an address."""
        return address in self._world.handles

    def next(self) -> str | None:
        """Return the address to fetch next; None if there is none now, see `why`.

        Further addresses may follow as long as some are in flight.

        Raises
        ------
        CrawlError
            If the policy fails or breaks a rule for policies; the crawl must end.
        """
        self.why = ""
        if self._failed is not None:
            raise self._failed
        if self.steps == self._most:
            self.why = SPENT
            return None
        try:
            request = self._scheduler.next()
            if request is None:
                self.why = idle_reason(self._scheduler)
                return None
            page = as_handle(requested_page(request))
            if page not in self._offered:
                raise never_offered(page)
            if page in self._asked:
                raise asked_again(page)
        except Exception as error:
            raise self._failure(error) from error
        self._asked.add(page)
        self.steps += 1
        address = self._world.handles.address(page)
        self._in_flight[address] = page
        return address

    def done(
        self, address: str, status: int, links: Iterable[str] = (), *, final: str = "",
        size: int = 0, content: Content | None = None,
    ) -> None:  # fmt: skip
        """Tell the policy what became of an address.

        Parameters
        ----------
        address : str
            As `next` returned it.
        status : int
            The status of HTTP, after redirects; 0: no answer came.
        links : iterable of str
            The links of the page in the order of appearance, on any site, as they stand there or as
            whole addresses; what leads to no address of http or https is left out.
        final : str
            The address to which redirects led; "" if there were none.
        size : int
            The bytes of the page.
        content : Content, optional
            The text of the page with an anchor for each distinct link, for policies that read.
            What is left out of ``links`` has none.

        Raises
        ------
        ValueError, TypeError
            If the address is not in flight, or an argument is wrong; the address stays in flight
            then.
        CrawlError
            If the policy fails.
        """
        end = _checked(status, links, final)
        page = self._in_flight.get(address)
        if page is None:
            raise ValueError(f"{address} is not in flight: it was not returned, or is done")
        found = [one for one in (joined(end or address, link) for link in links) if one is not None]
        distinct = tuple(dict.fromkeys(found))
        if content is not None and len(content.anchors) != len(distinct):
            raise ValueError(f"{address}: {len(content.anchors)} anchors for {len(distinct)} "
                             "distinct links; give each link one")  # fmt: skip
        own = site(end or address)
        exchange = Exchange(
            address, status, end, distinct,
            sum(site(one) != own for one in found), size, self._now() - self._begun,
            content=content,
        )  # fmt: skip
        outcome = self._world.outcome(page, exchange)
        del self._in_flight[address]
        self._offered.update(outcome.links.tolist())
        try:
            self._scheduler.observe(outcome)
        except Exception as error:
            raise self._failure(error) from error

    def _failure(self, error: Exception) -> CrawlError:
        said = f"{self.policy}: step {self.steps + 1}: {failure_text(error, LIMIT)}"
        self._failed = CrawlError(said)
        return self._failed


def _checked(status: object, links: object, final: str) -> str:
    """Return the normalized address to which redirects led, "" if there were none.

    Raises
    ------
    ValueError, TypeError
        If an argument is wrong.
    """
    if type(status) is not int or not (status == 0 or 100 <= status <= 599):
        raise ValueError(
            f"a status is a number from 100 to 599, or 0 for no answer, not {status!r}"
        )
    if isinstance(links, (str, bytes)):
        raise TypeError(f"links is a list of texts, not one text: {links!r:.40}")
    end = normalized(final) if final else ""
    if end is None:
        raise ValueError(f"final is an address, not {final!r:.40}")
    return end
