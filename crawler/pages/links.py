"""The links of an HTML document.

A link is an ``href`` of ``a`` or ``area`` or the ``src`` of a frame or an iframe ([BeeBot]: frames
are collected as internal links; one that shows another site is external here). Links with
``rel=nofollow`` are links; what a script would write is not there.
"""

from __future__ import annotations

from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser

from .addresses import joined, site


class Links(NamedTuple):
    """What a document links to.

    Attributes
    ----------
    site : str
        The document's own.
    all : list of str
        Addresses in the order of appearance, copies included.
    bad : list of str
        What stood there and is no address of http or https: malformed, a script, ``mailto:``.
    """

    site: str
    all: list[str]
    bad: list[str]

    @property
    def internal(self) -> list[str]:
        """Those on the document's own site."""
        return [address for address in self.all if site(address) == self.site]

    @property
    def external(self) -> list[str]:
        """Those on other sites."""
        return [address for address in self.all if site(address) != self.site]


def read(document: str, address: str) -> Links:
    """Return the links of a document.

    Parameters
    ----------
    document : str
        Its text.
    address : str
        Where it was found, after all redirects, in its one spelling.
    """
    tree = LexborHTMLParser(document)
    base = address
    for node in tree.css("base[href]")[:1]:
        base = joined(address, node.attributes.get("href") or "") or address
    found, bad = [], []
    for node in tree.css("a[href], area[href], frame[src], iframe[src]"):
        place = "src" if node.tag in ("frame", "iframe") else "href"
        reference = node.attributes.get(place) or ""
        target = joined(base, reference)
        if target is None:
            bad.append(reference)
        else:
            found.append(target)
    return Links(site(address), found, bad)
