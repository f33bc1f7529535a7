"""The world of addresses, for crawls over HTTP and for replayed captures.

Handles are assigned in the order in which addresses are met. If each page has one address, a
scheduler, which ignores the values of handles, visits the same pages in the same order as in a
simulation by page numbers. If a page has several addresses (aliases, session ids, redirects,
frames), each address is a page here, while a simulation by numbers knows that they are one page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from counterpoint.crawler.documents.addresses import Spelling, normalized, site
from counterpoint.crawler.documents.exchange import Exchange, Source
from counterpoint.crawler.documents.scope import ScopeRules
from counterpoint.crawler.documents.traps import Alike
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import NONE, Content, Outcome, Pages, Scope

LEFT = 302
"""The status of a page that redirects to another site, if the crawl must stay on its sites."""


class Handles:
    """Assigns a handle to each address, numbers from 0 on in the order in which addresses are met.

    Equivalent addresses have the same handle; the first of them is kept.

    Parameters
    ----------
    spelling : Spelling
        Which addresses are equivalent.
    """

    def __init__(self, spelling: Spelling = Spelling.SAFE) -> None:
        self._key = spelling.key
        self._addresses: list[str] = []
        self._handles: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._addresses)

    def __contains__(self, address: str) -> bool:
        return self._key(address) in self._handles

    def handle(self, address: str) -> int:
        """Return the handle of an address; a new handle if the address was not met before."""
        handle = self._handles.setdefault(self._key(address), len(self._addresses))
        if handle == len(self._addresses):
            self._addresses.append(address)
        return handle

    def address(self, handle: int) -> str:
        """Return the address of a handle."""
        if not 0 <= handle < len(self._addresses):
            raise KeyError(handle)
        return self._addresses[handle]


class LinkFilter:
    """Decides which links a policy sees, by rules of scope and detectors of traps.

    Parameters
    ----------
    rules : ScopeRules
    handles : Handles
        The pages that the policy has seen.
    spelling : Spelling
        Which addresses are the same page.
    """

    def __init__(self, rules: ScopeRules, handles: Handles, spelling: Spelling) -> None:
        self._rules, self._handles, self._key = rules, handles, spelling.key
        self._accepted: set[str] = set()
        self._counts: Counter[str] = Counter()

    def accepts(self, address: str) -> bool:
        """Return whether the policy sees links to an address; count it if a detector counts."""
        if self._rules.problem(address):
            return False
        if not self._rules.detectors.counts or address in self._handles:
            return True
        key = self._key(address)
        alike = self._rules.detectors.alike(address)
        if key in self._accepted:  # a document can link to a page more than once
            return True
        if any(self._is_full(one) for one in alike):
            return False
        self._counts.update(one.name for one in alike)
        self._accepted.add(key)
        return True

    def _is_full(self, alike: Alike) -> bool:
        if self._counts[alike.name] >= alike.most:
            return True
        twin = alike.twin
        return bool(twin) and (twin in self._handles or self._key(twin) in self._accepted)


class WebOutcomes:
    """Makes outcomes of pages that a crawler has fetched.

    Parameters
    ----------
    starts : sequence of str
        The start page of each site.
    scope : Scope
        Which links the policy sees.
    stay : bool
        Whether a policy of scope `Scope.WEB` sees only links to the sites of the start pages.
    spelling : Spelling
        Which addresses are the same page.
    reads : bool
        Whether the policy gets the contents of pages, if they are there.
    rules : ScopeRules, optional
        Which links the policy sees.

    Attributes
    ----------
    handles : Handles
        The handles of all addresses that the policy has seen.
    starts : list of int
        Handles of the start pages.

    Raises
    ------
    CrawlError
        If a start is not an address, or two of them are on the same site (for a policy of scope
        `Scope.WEB`: are the same page).
    """

    def __init__(
        self,
        starts: Sequence[str],
        scope: Scope,
        *,
        stay: bool = False,
        spelling: Spelling = Spelling.SAFE,
        reads: bool = False,
        rules: ScopeRules | None = None,
    ) -> None:
        if scope is Scope.KNOWN:
            raise CrawlError("a policy that visits known pages again needs a world of known pages")
        checked = _checked(starts, scope, spelling)
        self.scope, self.handles = scope, Handles(spelling)
        self.starts = [self.handles.handle(address) for address in checked]
        self._within = frozenset(map(site, checked)) if stay else None
        self._reads = reads
        self._filter = LinkFilter(rules, self.handles, spelling) if rules else None
        if rules:
            rules.require(checked)
        self._hosts: dict[str, int] = {}

    def host(self, page: int) -> int:
        """Return the number of a page's host."""
        return self._hosts.setdefault(site(self.handles.address(page)), len(self._hosts))

    def outcome(self, page: int, exchange: Exchange) -> Outcome:
        """Return the outcome of a page that was fetched, as the policy sees it."""
        if self._leaves(exchange):
            return Outcome(page, LEFT, time=exchange.time)
        if exchange.status != 200:
            return Outcome(page, exchange.status, time=exchange.time)
        links, content = self._offered(exchange)
        return Outcome(
            page, 200, links, exchange.external, exchange.size, 0, exchange.time, content
        )

    def _leaves(self, exchange: Exchange) -> bool:
        stays = self.scope is Scope.SITE or self._within is not None
        return stays and exchange.of_site != site(exchange.address)

    def _offered(self, exchange: Exchange) -> tuple[Pages, Content | None]:
        """Return the links that the policy sees, and the content of the page."""
        if self.scope is Scope.SITE:
            own = exchange.of_site
            exchange = exchange.leading(lambda address: site(address) == own)
        elif self._within is not None:
            within = self._within
            exchange = exchange.leading(lambda address: site(address) in within)
        if self._filter is not None:
            exchange = exchange.leading(self._filter.accepts)
        handles = list(map(self.handles.handle, exchange.links))
        found = list(dict.fromkeys(handles))  # two addresses may have the same handle
        links = np.array(found, dtype=np.int64) if found else NONE
        if exchange.content is None or not self._reads:
            return links, None
        anchors = dict(zip(reversed(handles), reversed(exchange.content.anchors), strict=True))
        return links, exchange.content._replace(anchors=tuple(map(anchors.__getitem__, found)))


class WebWorld(WebOutcomes):
    """Fetches pages by handle, one at a time.

    Parameters
    ----------
    source : Source
        Fetches pages by address.
    starts, scope, stay, spelling, reads, rules
        As for `WebOutcomes`.

    Raises
    ------
    CrawlError
        As for `WebOutcomes`.
    """

    def __init__(
        self,
        source: Source,
        starts: Sequence[str],
        scope: Scope,
        *,
        stay: bool = False,
        spelling: Spelling = Spelling.SAFE,
        reads: bool = False,
        rules: ScopeRules | None = None,
    ) -> None:
        super().__init__(starts, scope, stay=stay, spelling=spelling, reads=reads, rules=rules)
        self.source = source

    def fetch(self, page: int) -> Outcome:
        """Fetch a page, and return its outcome."""
        return self.outcome(page, self.source.get(self.handles.address(page)))


def _checked(starts: Sequence[str], scope: Scope, spelling: Spelling) -> list[str]:
    """Return the normalized start addresses.

    Parameters
    ----------
    starts : sequence of str
    scope : Scope
        For `Scope.SITE`, no two of them may be on the same site; else, be the same page.
    spelling : Spelling
        Which addresses are the same page.

    Raises
    ------
    CrawlError
        If a start is not an address, or two of them exclude each other.
    """
    found: dict[str, str] = {}
    for start in starts:
        address = normalized(start)
        if address is None:
            raise CrawlError(f"'{start}' is no address such as http://example.org/")
        same = site(address) if scope is Scope.SITE else spelling.key(address)
        if same in found:
            what = f"are both on {same}: a site has one" if scope is Scope.SITE else "are one page"
            raise CrawlError(f"{found[same]} and {address} {what}")
        found[same] = address
    return list(found.values())
