"""Turns an answer of a server into what a crawl needs: status, references, content, problem."""

from __future__ import annotations

from typing import NamedTuple

from counterpoint.crawler.documents.addresses import site
from counterpoint.crawler.documents.decoding import loaded
from counterpoint.crawler.documents.directives import NOFOLLOW
from counterpoint.crawler.documents.exchange import is_html
from counterpoint.crawler.documents.links import TEXT, Kind, Reason, Reference, marked, read
from counterpoint.crawler.documents.scope import LEFT_OUT
from counterpoint.crawler.documents.sitemap_entries import SitemapKind
from counterpoint.crawler.documents.sitemaps import may_be_sitemap
from counterpoint.crawler.documents.sitemaps import read as read_sitemap
from counterpoint.crawler.fetching.job import Fetched
from counterpoint.crawler.policy.protocol import Content
from counterpoint.crawler.worlds.web_world import LEFT


class Document(NamedTuple):
    """A page that was requested.

    Attributes
    ----------
    status : int
        The status that the scheduler gets.
    references : tuple of Reference
        The references of an HTML document with status 200.
    text : str
        The decoded source of the same document.
    size : int
        The size of the document in bytes.
    problem : str
        Why there is no document, or what is wrong with it; "": nothing.
    content : Content or None
        The document's content, with an anchor for each reference, if it was requested.
    names_sitemaps : bool
        Whether the references lead to sitemaps.
    """

    status: int
    references: tuple[Reference, ...] = ()
    text: str = ""
    size: int = 0
    problem: str = ""
    content: Content | None = None
    names_sitemaps: bool = False


def is_left_out(found: Document) -> bool:
    """Return whether a rule for the types or sizes of answers has left out a document."""
    return found.status == 200 and not found.size and found.problem.startswith(LEFT_OUT)


def opened(fetched: Fetched, *, stays: bool, contents: bool = False) -> Document:
    """Return the document of an answer.

    A redirect to another host that was not followed (only the worker that has the lease of that
    host may request it) counts as a document with one link.

    Parameters
    ----------
    fetched : Fetched
    stays : bool
        Whether a redirect to another site leaves the crawl.
    contents : bool
        Whether to return the document's content as well.
    """
    status, problem, asked = fetched.status, fetched.problem, fetched.job.address
    if stays and fetched.final and site(fetched.final) != site(asked):
        return Document(LEFT, problem=problem or f"leads to another site, {fetched.final}")
    if not stays and fetched.leads_to and site(fetched.leads_to) != site(asked):
        target = (_link(0, fetched.leads_to),)
        return Document(200, target, problem=problem, names_sitemaps=bool(fetched.job.sitemap))
    if status != 200:
        return Document(status, problem=problem)
    named = fetched.job.sitemap and may_be_sitemap(fetched.content_type)
    if named and (sitemap := _sitemap(fetched)) is not None:
        return sitemap
    if not is_html(fetched.content_type):
        return Document(200, problem=problem or f"is no HTML but {_kind(fetched.content_type)}")
    text = loaded(fetched.body, fetched.content_type)
    found = read(text.text, fetched.final or asked, text.encoding, contents=contents)
    problem, size = problem or found.problem, len(fetched.body)
    references = marked(found.references, NOFOLLOW if fetched.nofollow else 0)
    return Document(200, references, text.text, size, problem, found.content)


def _sitemap(fetched: Fetched) -> Document | None:
    """Return the document of an answer that was named as a sitemap; None if it is HTML."""
    address = fetched.final or fetched.job.address
    found = read_sitemap(fetched.body, address, fetched.content_type, fetched.job.sitemap)
    if not found.kind and is_html(fetched.content_type):
        return None
    own = site(address)
    references = tuple(
        _link(place, entry.address, Kind.INTERNAL if site(entry.address) == own else Kind.EXTERNAL)
        for place, entry in enumerate(found.entries)
    )
    text = "\n".join(entry.address for entry in found.entries)
    return Document(200, references, text, found.size, fetched.problem or found.problem,
                    names_sitemaps=found.kind is SitemapKind.INDEX)  # fmt: skip


def _link(position: int, address: str, kind: Kind = Kind.EXTERNAL) -> Reference:
    return Reference(position, kind, address, address[:TEXT], "", Reason.NONE, False)


def _kind(content_type: str) -> str:
    kind = content_type.partition(";")[0].strip()[:80]
    return "".join(sign if sign.isprintable() else "?" for sign in kind)
