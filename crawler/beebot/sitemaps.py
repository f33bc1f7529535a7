"""Finds the sitemaps of sites, and notes which pages are sitemaps.

A site's robots.txt names its sitemaps; if it names none, ``/sitemap.xml`` is tried. They become
known with the answer of the site's start page, one level below it, but they are no links of that
page: the tables of links have what documents contain. An index names further sitemaps, which are
its links. The store notes each of them, so that another process, a resumed crawl and a later plan
also know that it is a sitemap.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from counterpoint.crawler.documents.addresses import Spelling, site
from counterpoint.crawler.documents.robots import Rules, origin
from counterpoint.crawler.fetching.job import Fetched
from counterpoint.crawler.store.recording import Page, Recording
from counterpoint.crawler.store.schema import stored_key

from .discovery import Discovery
from .document import Document
from .plan import CrawlPlan

USUAL = "/sitemap.xml"
"""Where a sitemap is looked for if robots.txt names none."""


class Meet(Protocol):
    """Stores that a page leads to others; see `Discovery.lead`."""

    def __call__(
        self, recording: Recording, page: Page, targets: list[Page], rules: Rules | None = None
    ) -> list[Page]:
        """Return the targets as they are now."""
        ...


class SitemapNames:
    """Notes the sitemaps that the answers of a plan name.

    Parameters
    ----------
    plan : CrawlPlan
    discovery : Discovery
    meet : callable
        Stores the pages to which a page leads.
    """

    def __init__(self, plan: CrawlPlan, discovery: Discovery, meet: Meet) -> None:
        self._discovery, self._meet = discovery, meet
        self._key = Spelling(plan.options.normalize).key
        self._wanted = plan.options.sitemaps
        self._starts = frozenset(plan.start_keys()) if self._wanted else frozenset()

    def take(
        self, recording: Recording, page: Page, fetched: Fetched, found: Document,
        targets: Iterable[tuple[int, int]],
    ) -> None:  # fmt: skip
        """Note the sitemaps that an answer names.

        Parameters
        ----------
        recording : Recording
        page : Page
            The page that was answered, with the address to which redirects led.
        fetched : Fetched
        found : Document
            The document of the answer.
        targets : iterable of (int, int)
            The positions of its references to pages that the store has, and these pages.
        """
        is_start = page.key in self._starts
        if found.status != 200 or not (is_start or fetched.job.sitemap):
            return
        recording.write("forget sitemaps", {"page": page.id})
        if is_start:
            self._take_start(recording, page, fetched.rules)
        if found.names_sitemaps:
            named = dict.fromkeys(target for _, target in targets)
            self._note(recording, page, named, fetched.job.sitemap)

    def _take_start(self, recording: Recording, page: Page, rules: Rules | None) -> None:
        address = page.final or page.address
        named = rules.sitemaps if rules is not None else ()
        keys = {
            stored_key(self._key(one)): one for one in named or (f"{origin(address)}{USUAL}",)
            if self._is_followed(address, one)
        }  # fmt: skip
        known = recording.known(list(keys))
        targets = [known.get(key) or self._discovery.new(one, key) for key, one in keys.items()]
        met = self._meet(recording, page, targets, rules)
        self._note(recording, page, [one.id for one in met], (site(address),))

    def _is_followed(self, address: str, sitemap: str) -> bool:
        return site(sitemap) == site(address) or self._discovery.follows(sitemap)

    def _note(
        self, recording: Recording, page: Page, named: Iterable[int], hosts: Sequence[str]
    ) -> None:  # fmt: skip
        recording.write("add sitemap", [
            {"page": one, "named_on": page.id, "host": host} for one in named for host in hosts
        ])  # fmt: skip

    def recall(self, recording: Recording, page: Page) -> None:
        """Meet the sitemaps that the robots.txt of a site named when its start page was answered.

        Parameters
        ----------
        recording : Recording
        page : Page
            A page that the store answers.
        """
        if page.key in self._starts:
            address = page.final or page.address
            rows = recording.read("named sitemaps", page=page.id)
            self._meet(recording, page, [
                one for one in rows if self._is_followed(address, one.address)
            ])  # fmt: skip

    def are_unread(self, recording: Recording, page: Page) -> bool:
        """Return whether a page was answered without what sitemaps need, and so is asked again.

        It is a start page whose site was crawled without sitemaps, or a sitemap that was fetched
        before it was known to be one: then its body was not read.
        """
        if not self._wanted or page.status != 200:
            return False
        if page.key in self._starts and not recording.read("names sitemaps", page=page.id):
            return True
        return not page.size and bool(recording.read("is sitemap", page=page.id))
