"""What the captured pages, redirects and robots.txt files say, read once each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from counterpoint.crawler.archives.captured import HOPS, CapturedAnswer, CapturedWeb
from counterpoint.crawler.archives.index import Found
from counterpoint.crawler.content.languages import guessed
from counterpoint.crawler.documents.addresses import key, site
from counterpoint.crawler.documents.decoding import loaded
from counterpoint.crawler.documents.links import Kind, read
from counterpoint.studies.captured.building import by_address
from counterpoint.studies.captured.settings import CapturedSource

from .changes import Seen, seen
from .robots import RobotsFile, robots_of

Tell = Callable[[str], None]
LANGUAGES = ("en", "ru", "de", "zh", "ja")
"""The languages that a synthetic web can have."""
_REPORTED = 1_000
_CHARSET = re.compile(r"charset\s*=", re.I)
_ROOTED = re.compile(r"\s*(?:[a-z][a-z0-9+.\-]*:|/)", re.I)
"""A reference with a scheme, or from the root of the host on."""


@dataclass
class Contents:
    """What was counted in the contents of a capture.

    Attributes
    ----------
    pages : int
        HTML pages whose first capture has status 200.
    links, distinct, internal, relative, anchors, nofollow, bad : int
        Usable links; those with repeated ones counted once; those within their host, and those of
        them that are relative to the page's folder; ``a`` elements with ``href``, and those marked
        nofollow; references that are no links.
    based, canonical : int
        Pages with a ``base`` element, and pages that name their canonical address.
    text : int
        Bytes of the text outside of links, in the encoding of each page.
    sizes : list of int
        The bytes of each page.
    languages, declared : Counter of str
        Pages by language, and by the way in which they declare their encoding.
    legacy : set of str
        Hosts with pages in another encoding than UTF-8.
    codings : dict of str to set of str
        By ``gzip``, ``br`` and ``chunked``: the hosts that sent pages so.
    hosts : set of str
        Hosts with pages.
    robots : dict of str to RobotsFile
        By host: what its robots.txt says; of each host that was asked.
    sitemaps : set of str
        Hosts with a sitemap.
    redirects : dict of str to str
        By the key of a redirect: the address to which it leads.
    damages : list of str
        The damaged places of the files, of which the records are left out.
    seen : list of Seen
        Pages with several captures: between which of them they changed.
    """

    pages: int = 0
    links: int = 0
    distinct: int = 0
    internal: int = 0
    relative: int = 0
    anchors: int = 0
    nofollow: int = 0
    bad: int = 0
    based: int = 0
    canonical: int = 0
    text: int = 0
    sizes: list[int] = field(default_factory=list)
    languages: Counter[str] = field(default_factory=Counter)
    declared: Counter[str] = field(default_factory=Counter)
    legacy: set[str] = field(default_factory=set)
    codings: dict[str, set[str]] = field(
        default_factory=lambda: {"gzip": set(), "br": set(), "chunked": set()}
    )
    hosts: set[str] = field(default_factory=set)
    robots: dict[str, RobotsFile] = field(default_factory=dict)
    sitemaps: set[str] = field(default_factory=set)
    redirects: dict[str, str] = field(default_factory=dict)
    damages: list[str] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)

    def hops(self, pages: set[str]) -> tuple[int, int, int]:
        """Return how many pages are reached by one redirect, and by several, and the loops.

        Parameters
        ----------
        pages : set of str
            The keys of the pages.
        """
        most: dict[str, int] = {}
        circles: set[frozenset[str]] = set()
        for begin in self.redirects:
            path = [begin]
            while path[-1] in self.redirects and len(path) <= HOPS:
                target = key(self.redirects[path[-1]])
                if target in path:
                    circles.add(frozenset(path[path.index(target) :]))
                    break
                path.append(target)
            if path[-1] in pages:
                most[path[-1]] = max(most.get(path[-1], 0), len(path) - 1)
        return sum(n == 1 for n in most.values()), sum(n > 1 for n in most.values()), len(circles)


def contents_of(source: CapturedSource, tell: Tell | None = None) -> Contents:
    """Return what the contents of a captured web say.

    Parameters
    ----------
    source : CapturedSource
    tell : callable, optional
        Gets a line of text on the progress.

    Raises
    ------
    CrawlError
        If a file cannot be read.
    """
    folder = None if source.index is None else Path(source.index)
    with CapturedWeb(map(Path, source.files), folder, tell) as web:
        reader = _Reader(web)
        reader.found.damages += [f"{one.path}: at byte {one.at:,}: {one.reason}"
                                 for one in web.index.damages]  # fmt: skip
        for number, captures in enumerate(by_address(web.index)):
            if not source.hosts or site(captures[0].capture.url) in source.hosts:
                reader.take([one for one in captures if one.capture.type != "wat"])
            if tell is not None and (number + 1) % _REPORTED == 0:
                tell(f"the contents of {number + 1:,} addresses read")
        return reader.found


class _Reader:
    """Reads the first capture of each address, and compares it with the later ones."""

    def __init__(self, web: CapturedWeb) -> None:
        self._web, self.found = web, Contents()

    def take(self, captures: list[Found]) -> None:
        """Take the captures of an address, in the order of time."""
        answers = (self._web.read(one) for one in captures)
        answer = next((one for one in answers if one is not None), None)
        if answer is None:
            return
        host, path = site(answer.address), "/" + answer.address.split("/", 3)[3]
        if path == "/robots.txt":
            self.found.robots[host] = robots_of(answer)
            if self.found.robots[host].sitemap:
                self.found.sitemaps.add(host)
        elif path == "/sitemap.xml" and answer.status == 200:
            self.found.sitemaps.add(host)
        elif answer.leads_to:
            self.found.redirects[key(answer.address)] = answer.leads_to
        elif captures[0].capture.is_page and answer.status == 200:
            self._take_page(answer, host)
            if len(captures) > 1:
                self.found.seen.append(seen(self._web, captures))

    def _take_page(self, answer: CapturedAnswer, host: str) -> None:
        found, kind = self.found, answer.headers.get("content-type", "")
        text = loaded(answer.body, kind)
        found.pages += 1
        found.sizes.append(len(answer.body))
        found.hosts.add(host)
        self._take_links(text.text, answer.address, text.encoding)
        tree = LexborHTMLParser(text.text)
        found.based += tree.css_first("base[href]") is not None
        found.canonical += tree.css_first("link[rel~=canonical]") is not None
        found.anchors += len(tree.css("a[href]"))
        found.nofollow += len(tree.css("a[href][rel~=nofollow]"))
        meta = tree.css_first("meta[charset], meta[http-equiv=content-type]") is not None
        header = bool(_CHARSET.search(kind))
        found.declared["header" if header else "meta" if meta else "none"] += 1
        if text.encoding != "utf-8" and not text.text.isascii():
            found.legacy.add(host)
        self._take_text(tree, text.encoding)
        coding = answer.headers.get("content-encoding", "").lower()
        for name, sent in (("gzip", "gzip" in coding), ("br", "br" in coding),
                           ("chunked", "transfer-encoding" in answer.headers)):  # fmt: skip
            if sent:
                found.codings[name].add(host)

    def _take_links(self, text: str, address: str, encoding: str) -> None:
        found = self.found
        references = read(text, address, encoding).references
        usable = [one for one in references if one.kind is not Kind.BAD]
        within = [one for one in usable if one.kind is Kind.INTERNAL]
        found.bad += len(references) - len(usable)
        found.links += len(usable)
        found.distinct += len({key(one.address) for one in usable})
        found.internal += len(within)
        found.relative += sum(not _ROOTED.match(one.text) for one in within)

    def _take_text(self, tree: LexborHTMLParser, encoding: str) -> None:
        root = tree.root
        declared = ((root.attributes.get("lang") if root is not None else None) or "").strip()
        text = text_of(tree)
        self.found.text += len(text.encode(_python_name(encoding), "replace"))
        language = re.split("[-_]", declared.lower())[0] or guessed(text)
        self.found.languages[language if language in LANGUAGES else ""] += 1


def text_of(tree: LexborHTMLParser) -> str:
    """Return the text of a document outside of links; the tree is modified."""
    tree.strip_tags(["a", "script", "style", "template", "noscript"])
    return " ".join(tree.body.text(separator=" ").split()) if tree.body is not None else ""


def _python_name(encoding: str) -> str:
    try:
        "".encode(encoding)
    except LookupError:
        return "utf-8"
    return encoding
