"""The result of a request for an address; fetched and recorded pages have the same form."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, Protocol

from counterpoint.crawler.policy.protocol import Content

from . import links as reading
from .addresses import site
from .decoding import loaded
from .directives import CANONICAL, NOFOLLOW
from .links import Kind, Reading
from .sitemaps import may_be_sitemap

DAMAGED = "the body is not whole in the capture"
"""The problem of an answer of which the capture has a part."""
NOT_CAPTURED = "not in the capture"
"""The problem of an exchange for what a captured web does not have: what it was is unknown."""


class Exchange(NamedTuple):
    """A request for a page, and its result.

    Attributes
    ----------
    address : str
        The requested address.
    status : int
        The status of the last answer, after redirects; 0: no answer came.
    final : str
        The address to which redirects led; "" if there were none.
    links : tuple of str
        The distinct addresses that the page links to, in the order of appearance, on any site;
        without those on its own site that robots.txt forbids.
    external : int
        How many links lead to other sites; repeated links count each time.
    size : int
        Bytes of the document, uncompressed.
    time : float
        Seconds from the beginning of the crawl to the answer.
    problem : str
        What went wrong, in one line; "" if nothing did.
    content : Content or None
        The page's content, if it was requested; with an anchor for each of `links`.
    nofollow : tuple of str
        The addresses of `links` to which the page asks not to follow its links.
    canonical : str
        The one other address of its own site that the page names as canonical; "": none.
    """

    address: str
    status: int
    final: str = ""
    links: tuple[str, ...] = ()
    external: int = 0
    size: int = 0
    time: float = 0.0
    problem: str = ""
    content: Content | None = None
    nofollow: tuple[str, ...] = ()
    canonical: str = ""

    def leading(self, wanted: Callable[[str], bool]) -> Exchange:
        """Return the exchange with only those links for whose addresses ``wanted`` is true."""
        places = [k for k, address in enumerate(self.links) if wanted(address)]
        links = tuple(self.links[k] for k in places)
        if self.content is None:
            return self._replace(links=links)
        anchors = tuple(self.content.anchors[k] for k in places)
        return self._replace(links=links, content=self.content._replace(anchors=anchors))

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
    """An object that fetches the pages at addresses: a network, a recorded crawl, ..."""

    def get(self, address: str) -> Exchange:
        """Request a normalized address, and return the result."""
        ...


@lru_cache(maxsize=64)
def is_html(content_type: str) -> bool:
    """Return whether a header Content-Type names HTML; a missing header ("") counts as HTML."""
    kind = content_type.partition(";")[0].strip().lower()
    return kind in ("", "text/html", "application/xhtml+xml")


def is_read(content_type: str, *, of_sitemap: bool) -> bool:
    """Return whether a body is read: HTML is, and XML, text and gzip if a sitemap was asked for."""
    return is_html(content_type) or (of_sitemap and may_be_sitemap(content_type))


def with_links(
    exchange: Exchange, body: bytes, content_type: str, *, contents: bool = False,
    nofollow: bool = False,
) -> Exchange:  # fmt: skip
    """Return an exchange with the links of its document.

    An exchange whose status is not 200, or whose document is not HTML, is returned unchanged.

    Parameters
    ----------
    exchange : Exchange
    body : bytes
        The document, uncompressed.
    content_type : str
        The value of the header Content-Type.
    contents : bool
        Also read the document's content.
    nofollow : bool
        Whether a header asks not to follow its links.
    """
    if exchange.status != 200 or not is_html(content_type):
        return exchange
    document = loaded(body, content_type)
    address = exchange.final or exchange.address
    found = reading.read(document.text, address, document.encoding, contents=contents)
    return exchange._replace(
        links=tuple(dict.fromkeys(found.all)), external=len(found.external), size=len(body),
        problem=exchange.problem or found.problem, content=_by_link(found),
        nofollow=_not_followed(found, nofollow), canonical=_canonical(found),
    )  # fmt: skip


def _not_followed(found: Reading, every: bool) -> tuple[str, ...]:
    """Return the addresses to which no link leads that may be followed."""
    if every:
        return tuple(dict.fromkeys(found.all))
    said = {one.address: None for one in found.references if one.mark & NOFOLLOW}
    if not said:
        return ()
    free = {one.address for one in found.references if not one.mark & NOFOLLOW}
    return tuple(address for address in said if address and address not in free)


def _canonical(found: Reading) -> str:
    """Return the canonical address that a document names; "" if it names none or several."""
    named = {one.address for one in found.references if one.mark & CANONICAL}
    return named.pop() if len(named) == 1 else ""


def _by_link(found: Reading) -> Content | None:
    """Return a document's content, with the anchor of the first link to each address."""
    if found.content is None:
        return None
    anchors: dict[str, str] = {}
    for one, anchor in zip(found.references, found.content.anchors, strict=True):
        if one.kind is not Kind.BAD:
            anchors.setdefault(one.address, anchor)
    return found.content._replace(anchors=tuple(anchors.values()))
