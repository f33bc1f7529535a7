"""A world made of addresses: what a scheduler crawls when pages are fetched, or replayed.

Handles are given in the order in which addresses are met, so a scheduler, which minds no handle's
number, visits the same pages in the same order as in a simulation by page numbers: wherever a page
has one address. Where it has several (aliases, session ids, redirects, frames), a page here is an
address; a simulation by numbers knows that they are one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterpoint.crawler.documents.addresses import Spelling, normalized, site
from counterpoint.crawler.documents.exchange import Exchange, Source
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import NONE, Content, Outcome, Pages, Scope

from .handles import Handles

LEFT = 302
"""The status of what redirects off its site, where sites are not left."""


class WebWorld:
    """Fetches pages by handle, one at a time.

    Parameters
    ----------
    source : Source
        Brings pages.
    starts : sequence of str
        The start page of each site.
    scope : Scope
        Which links the policy is told of.
    stay : bool
        Tell a policy that is told of links anywhere of those to the sites of the start pages only.
    spelling : Spelling
        Which addresses are one page.
    reads : bool
        Whether the policy is told what pages say, if the source brings that.

    Attributes
    ----------
    handles : Handles
        Of all addresses that were offered.
    starts : list of int
        Handles of the start pages.

    Raises
    ------
    CrawlError
        If a start is no address, or two of them are of one site (for a policy that is told of links
        anywhere: are one page).
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
    ) -> None:
        if scope is Scope.KNOWN:
            raise CrawlError("a policy that visits known pages again needs a world that knows them")
        checked = _checked(starts, scope, spelling)
        self.source, self.scope, self.handles = source, scope, Handles(spelling)
        self.starts = [self.handles.handle(address) for address in checked]
        self._within = frozenset(map(site, checked)) if stay else None
        self._reads = reads
        self._hosts: dict[str, int] = {}

    def host(self, page: int) -> int:
        """Return the number of a page's host."""
        return self._hosts.setdefault(site(self.handles.address(page)), len(self._hosts))

    def fetch(self, page: int) -> Outcome:
        """Fetch a page, and offer what it links to."""
        told = self.source.get(self.handles.address(page))
        if self._leaves(told):
            return Outcome(page, LEFT, time=told.time)
        if told.status != 200:
            return Outcome(page, told.status, time=told.time)
        links, content = self._offered(told)
        return Outcome(page, 200, links, told.external, told.size, 0, told.time, content)

    def _leaves(self, told: Exchange) -> bool:
        stays = self.scope is Scope.SITE or self._within is not None
        return stays and told.of_site != site(told.address)

    def _offered(self, told: Exchange) -> tuple[Pages, Content | None]:
        """Return the links that the policy is told of, and what the page says."""
        if self.scope is Scope.SITE:
            own = told.of_site
            told = told.leading(lambda address: site(address) == own)
        elif self._within is not None:
            within = self._within
            told = told.leading(lambda address: site(address) in within)
        handles = list(map(self.handles.handle, told.links))
        found = list(dict.fromkeys(handles))  # two addresses may have one handle
        links = np.array(found, dtype=np.int64) if found else NONE
        if told.content is None or not self._reads:
            return links, None
        anchors = dict(zip(reversed(handles), reversed(told.content.anchors), strict=True))
        return links, told.content._replace(anchors=tuple(map(anchors.__getitem__, found)))


def _checked(starts: Sequence[str], scope: Scope, spelling: Spelling) -> list[str]:
    """Return start addresses in their one spelling."""
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
