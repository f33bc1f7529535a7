"""Leaves out the links of pages that a crawl without a store does not follow.

The rules are those of `counterpoint.crawler.beebot.following`, decided by what this crawl has asked
for so far.
"""

from __future__ import annotations

from collections import Counter

from counterpoint.crawler.documents.addresses import Spelling
from counterpoint.crawler.documents.copies import depending, noted, together
from counterpoint.crawler.documents.exchange import Exchange, Source
from counterpoint.crawler.documents.scope import ScopeRules


class Following:
    """A `Source` with the links of another one that are followed.

    Parameters
    ----------
    source : Source
    rules : ScopeRules
    nofollow : bool
        Whether links are left out of which the page asks that they are not followed.
    canonical : bool
        Whether a page that names another one as canonical has the link to that page alone.
    """

    def __init__(
        self, source: Source, rules: ScopeRules, *, nofollow: bool = False, canonical: bool = False
    ) -> None:
        self._source, self._rules = source, rules
        self._nofollow, self._canonical = nofollow, canonical
        self._key = Spelling.SAFE.key
        self._unfit: set[str] = set()
        self._copies: Counter[str] = Counter()

    def get(self, address: str) -> Exchange:
        """Return the other source's exchange, with the links that are followed."""
        exchange = self._source.get(address)
        if self._nofollow and exchange.nofollow:
            shut = frozenset(exchange.nofollow)
            exchange = exchange.leading(lambda link: link not in shut)
        return self._reduced(exchange) if self._canonical else exchange

    def _reduced(self, exchange: Exchange) -> Exchange:
        """Return an exchange that has one link if its page is a copy."""
        own, to = {self._key(exchange.address)}, exchange.canonical
        if exchange.status != 200 or not exchange.size:
            self._unfit |= own
            note = depending(self._copies[self._key(exchange.address)])
            return exchange._replace(problem=together(exchange.problem, note))
        own.add(self._key(exchange.final or exchange.address))
        if to not in exchange.links or self._key(to) in own | self._unfit or (
            self._rules.problem(to)
        ):  # fmt: skip
            return exchange
        self._unfit |= own
        self._copies[self._key(to)] += 1
        copy = exchange.leading(lambda link: link == to)
        return copy._replace(problem=noted(exchange.problem, to))
