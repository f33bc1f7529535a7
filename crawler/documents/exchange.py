"""What asking for an address brought: the same for pages fetched now and pages recorded before."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from counterpoint.crawler.policy.protocol import Content

from . import links as reading
from .addresses import site
from .decoding import loaded
from .links import Kind, Reading


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
    content : Content or None
        What the page says, if that was asked for; with an anchor for each of `links`.
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

    def leading(self, wanted: Callable[[str], bool]) -> Exchange:
        """Return it with those of its links alone that are wanted."""
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
    """Whatever brings pages for addresses."""

    def get(self, address: str) -> Exchange:
        """Ask for an address, in its one spelling."""
        ...


def is_html(content_type: str) -> bool:
    """Tell whether a header Content-Type speaks of HTML; so does one that is missing."""
    kind = content_type.partition(";")[0].strip().lower()
    return kind in ("", "text/html", "application/xhtml+xml")


def with_links(
    exchange: Exchange, body: bytes, content_type: str, *, contents: bool = False
) -> Exchange:
    """Return an exchange with what its document tells; without links unless it is HTML and 200.

    Parameters
    ----------
    exchange : Exchange
    body : bytes
    content_type : str
    contents : bool
        Return as well what it says.
    """
    if exchange.status != 200 or not is_html(content_type):
        return exchange
    document = loaded(body, content_type)
    address = exchange.final or exchange.address
    found = reading.read(document.text, address, document.encoding, contents=contents)
    return exchange._replace(
        links=tuple(dict.fromkeys(found.all)), external=len(found.external), size=len(body),
        problem=exchange.problem or found.problem, content=_by_link(found),
    )  # fmt: skip


def _by_link(found: Reading) -> Content | None:
    """Return what a document says, with the anchor of the first link to each address."""
    if found.content is None:
        return None
    anchors: dict[str, str] = {}
    for one, anchor in zip(found.references, found.content.anchors, strict=True):
        if one.kind is not Kind.BAD:
            anchors.setdefault(one.address, anchor)
    return found.content._replace(anchors=tuple(anchors.values()))
