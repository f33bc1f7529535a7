"""What asking for an address brought: the same for pages fetched now and pages recorded before."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from .pages import links as reading
from .pages.addresses import site
from .pages.decoding import loaded


class Exchange(NamedTuple):
    """A page that was asked for, and what came.

    Attributes
    ----------
    address : str
        What was asked for.
    status : int
        Of the last answer, when redirects were followed; 0: none came.
    final : str
        Where redirects led; "" if there were none.
    links : tuple of str
        The distinct addresses the page links to, in the order of appearance, on any site; but not
        those on its own site that robots.txt forbids.
    external : int
        How many links lead to other sites, copies included.
    size : int
        Bytes of the document, uncompressed.
    time : float
        Seconds from the beginning of the crawl to the answer.
    problem : str
        What went wrong, in one line; "" if nothing did.
    """

    address: str
    status: int
    final: str = ""
    links: tuple[str, ...] = ()
    external: int = 0
    size: int = 0
    time: float = 0.0
    problem: str = ""

    @property
    def of_site(self) -> str:
        """The site that answered."""
        return site(self.final or self.address)

    @property
    def outside(self) -> list[str]:
        """The distinct links to other sites."""
        own = self.of_site
        return [address for address in self.links if site(address) != own]


class Source(Protocol):
    """Whatever brings pages for addresses."""

    def get(self, address: str) -> Exchange:
        """Ask for an address, in its one spelling."""
        ...


def is_html(content_type: str) -> bool:
    """Tell whether a header Content-Type speaks of HTML; so does one that is missing."""
    kind = content_type.partition(";")[0].strip().lower()
    return kind in ("", "text/html", "application/xhtml+xml")


def with_links(exchange: Exchange, body: bytes, content_type: str) -> Exchange:
    """Return an exchange with what its document tells; without links unless it is HTML and 200."""
    if exchange.status != 200 or not is_html(content_type):
        return exchange
    document = loaded(body, content_type)
    address = exchange.final or exchange.address
    found = reading.read(document.text, address, document.encoding)
    return exchange._replace(
        links=tuple(dict.fromkeys(found.all)), external=len(found.external), size=len(body)
    )
