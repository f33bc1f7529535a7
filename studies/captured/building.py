"""Makes the arrays of a captured web: reads each page once, as a crawl reads it."""

from __future__ import annotations

import itertools
import math
from array import array
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from counterpoint.crawler.archives.captured import HOPS, CapturedAnswer, CapturedWeb
from counterpoint.crawler.archives.cdxj import PAGES, key_of
from counterpoint.crawler.archives.index import CaptureIndex, Found
from counterpoint.crawler.documents.addresses import key, site
from counterpoint.crawler.documents.decoding import loaded
from counterpoint.crawler.documents.links import Kind, read
from counterpoint.crawler.errors import CrawlError

from . import arrays
from .arrays import Array, CapturedArrays
from .settings import CapturedSource
from .stored_graph import arrays_of_graph

Tell = Callable[[str], None]
_GONE = (404, 410)
_REDIRECTS = (301, 302, 303, 307, 308)
_REPORTED = 1_000


class _Version(NamedTuple):
    """A version of a document: since when, its size, and its lines if they are needed."""

    since: float
    size: int
    digest: bytes
    lines: tuple[tuple[int, int], ...]


class _Address:
    """What is known of a captured address."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.status = 0
        self.html = False
        self.first = self.last = 0.0
        self.dies = math.inf
        self.leads_to = ""
        self.links: Sequence[str] = ()
        self.external = 0
        self.versions: list[_Version] = []


def arrays_of(source: CapturedSource, tell: Tell | None = None) -> CapturedArrays:
    """Return the arrays of a captured web, which are made if they are not kept yet.

    Parameters
    ----------
    source : CapturedSource
    tell : callable, optional
        Gets a line of text on the progress.

    Raises
    ------
    CrawlError
        If a file cannot be read, or no page of HTML was captured on the hosts.
    """
    if source.graph is not None:
        return arrays_of_graph(source)
    folder = None if source.index is None else Path(source.index)
    with CapturedWeb(map(Path, source.files), folder, tell) as web:
        place = arrays.place_of(web.index, source)
        digest = arrays.digest_of(web.index, source)
        found = arrays.load(place, digest)
        if found is None:
            found = _Builder(web, source, tell).built()
            arrays.save(found, place, digest)
    return found


def by_address(index: CaptureIndex) -> Iterator[list[Found]]:
    """Yield the captures of each address in the order of time."""
    for _, group in itertools.groupby(index.captures(), lambda one: key_of(one.capture.url)):
        pages: dict[str, list[Found]] = {}
        for one in group:
            pages.setdefault(key(one.capture.url), []).append(one)
        yield from pages.values()


class _Builder:
    """Builds arrays.

    Parameters
    ----------
    web : CapturedWeb
    source : CapturedSource
    tell : callable or None
    """

    def __init__(self, web: CapturedWeb, source: CapturedSource, tell: Tell | None) -> None:
        self._web, self._source, self._tell = web, source, tell
        self._known: list[_Address] = []

    def built(self) -> CapturedArrays:
        """Return the arrays."""
        for captures in by_address(self._web.index):
            self._known.append(self._examined(captures))
            if self._tell is not None and len(self._known) % _REPORTED == 0:
                self._tell(f"{len(self._known):,} addresses read")
        hosts = set(self._source.hosts) or {site(one.url) for one in self._known if one.html}
        if not any(one.html and site(one.url) in hosts for one in self._known):
            raise CrawlError(f"{self._source.name}: no HTML page was captured on these hosts")
        return self._arrays(hosts)

    def _examined(self, captures: list[Found]) -> _Address:
        contents = [one for one in captures if one.capture.type != "wat"]
        found = _Address((contents or captures)[0].capture.url)
        begin = self._web.begin
        found.first = captures[0].capture.seconds - begin
        found.last = captures[-1].capture.seconds - begin
        if not contents:
            self._take_wat(found, captures)
            return found
        digest = ""
        for one in contents:
            same = digest and one.capture.digest == digest and one.capture.status == 200
            if same and found.dies == math.inf:
                continue
            answer = self._web.read(one)
            digest = one.capture.digest if answer is not None and answer.status == 200 else ""
            if answer is not None:
                self._take(found, answer, answer.time - begin, len(contents) > 1)
        if len(found.versions) == 1:
            found.versions[0] = found.versions[0]._replace(lines=())
        return found

    def _take_wat(self, found: _Address, captures: list[Found]) -> None:
        for one in captures:
            page = self._web.wat(one)
            if page is None or found.status:
                continue
            found.status, found.html = page.status, one.capture.is_page
            found.links = list(dict.fromkeys(page.links)) if found.html else ()
            found.external = self._external(found.url, page.links) if found.html else 0

    def _take(self, found: _Address, answer: CapturedAnswer, time: float, lines: bool) -> None:
        if not found.status:
            found.status = answer.status
            if answer.status in _REDIRECTS:
                found.leads_to = answer.leads_to or ""
        if answer.status in _GONE and found.versions:
            found.dies = min(found.dies, time)
        if answer.status != 200:
            return
        found.dies = math.inf
        kind = answer.headers.get("content-type", "")
        is_html = kind.partition(";")[0].strip().lower() in PAGES
        if not found.versions and is_html and found.status == 200:
            found.html = True
            text = loaded(answer.body, kind)
            references = read(text.text, answer.address, text.encoding).references
            usable = [one.address for one in references if one.kind is not Kind.BAD]
            found.links = list(dict.fromkeys(usable))
            found.external = self._external(answer.address, usable)
        digest = blake2b(answer.body, digest_size=8).digest()
        if not found.versions or found.versions[-1].digest != digest:
            since = time if found.versions else 0.0
            found.versions.append(
                _Version(since, len(answer.body), digest, _lines(answer.body) if lines else ())
            )

    def _external(self, address: str, links: Sequence[str]) -> int:
        """Return how many links of a page lead to other sites."""
        own = self._source.site_of(address)
        return sum(self._source.site_of(link) != own for link in links)

    def _arrays(self, hosts: set[str]) -> CapturedArrays:
        numbers = {key(one.url): number for number, one in enumerate(self._known)}
        linked: set[int] = set()
        rows: list[list[int]] = []
        unknown: dict[str, int] = {}
        for one in self._known:
            row = dict.fromkeys(
                target for link in one.links
                if (target := self._target(link, numbers, hosts, unknown)) is not None
            ) if one.html and site(one.url) in hosts else {}  # fmt: skip
            rows.append(list(row))
            linked.update(row)
        kept = [number for number, one in enumerate(self._known)
                if site(one.url) in hosts and (one.html or number in linked)]  # fmt: skip
        sites = [self._source.site_of(self._known[old].url) for old in kept]
        first = {name: number for number, name in enumerate(dict.fromkeys(sites))}
        kept = [old for _, old in sorted(zip(map(first.__getitem__, sites), kept, strict=True))]
        new = {old: number for number, old in enumerate(kept)}
        for number, old in enumerate(unknown.values()):
            new[old] = len(kept) + number
        known = [self._known[old] for old in kept] + [_Address(url) for url in unknown]
        links = [[new[target] for target in rows[old] if target in new] for old in kept]
        return _packed(known, links + [[] for _ in unknown], self._source.site_of)

    def _target(
        self, link: str, numbers: dict[str, int], hosts: set[str], unknown: dict[str, int]
    ) -> int | None:
        """Return the number of the address to which a link leads; None if it leaves the hosts."""
        for _ in range(HOPS):
            number = numbers.get(key(link))
            if number is None or not self._known[number].leads_to:
                break
            link = self._known[number].leads_to
        if site(link) not in hosts:
            return None
        if number is None:
            number = unknown.setdefault(key(link), len(self._known) + len(unknown))
        return number


def _lines(body: bytes) -> tuple[tuple[int, int], ...]:
    """Return the hash and the size of each line of a document, sorted."""
    return tuple(sorted(
        (int.from_bytes(blake2b(line, digest_size=8).digest(), "little"), len(line))
        for line in body.splitlines(keepends=True)
    ))  # fmt: skip


def _offsets(counts: list[int]) -> Array:
    found: Array = np.concatenate(([0], np.cumsum(np.array(counts, dtype=np.int64))))
    return found.astype(np.int64)


def _packed(
    known: list[_Address], links: list[list[int]], site_of: Callable[[str], str]
) -> CapturedArrays:
    sites = [site_of(one.url) for one in known]
    names = list(dict.fromkeys(sites))
    places = {name: number for number, name in enumerate(names)}
    empty = _Version(0.0, 0, b"", ())
    versions = [one.versions or [empty] for one in known]
    flat = [version for some in versions for version in some]
    targets = array("q", itertools.chain.from_iterable(links))
    lines = [line for version in flat for line in version.lines]

    def column(name: str, kind: Any) -> Array:
        return np.array([getattr(one, name) for one in known], dtype=kind)

    return CapturedArrays(
        _offsets([len(row) for row in links]), np.array(targets, dtype=np.int64),
        np.array([places[one] for one in sites], dtype=np.int32),
        column("external", np.int64), column("status", np.int16), column("html", np.bool_),
        column("first", np.float64), column("last", np.float64), column("dies", np.float64),
        _offsets([len(some) for some in versions]),
        np.array([one.since for one in flat]), np.array([one.size for one in flat], dtype=np.int64),
        _offsets([len(one.lines) for one in flat]),
        np.array([one[0] for one in lines], dtype=np.uint64),
        np.array([one[1] for one in lines], dtype=np.int64),
        np.array(names), np.array([one.url for one in known]),
    )  # fmt: skip
