"""A captured web as a world for policies, with the same properties as a generated one.

Its pages are the addresses that were captured, and those on the same hosts to which captured pages
link without having been captured. A policy can ask for these as well: it gets 404, as from a server
that does not know the address, and the visit counts as one outside of the capture. Links to other
hosts are counted as external and not followed.

A seed draws the start pages, see `starts`. The first page of a site is that which was captured
first, and of several the one with the shortest address. If the TOML file names starts, a seed draws
among them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from counterpoint.crawler.archives.captured import CapturedWeb
from counterpoint.crawler.documents.addresses import key
from counterpoint.crawler.documents.decoding import loaded
from counterpoint.crawler.documents.links import Kind, read
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import NONE, Content, Outcome, Pages, Scope
from counterpoint.sim_web.generator import Explicit
from counterpoint.studies.captured.arrays import CapturedArrays
from counterpoint.studies.captured.building import arrays_of
from counterpoint.studies.captured.settings import CapturedSource
from counterpoint.studies.captured.stored_graph import pages_of_starts
from counterpoint.studies.captured.texts import CapturedTexts

from .plan import ComparisonPlan
from .planted import Array, Planted, number_of
from .starts import drawn

MISSING = 404
"""The status of an address that was not captured, as policies see it."""


class Captured(Planted):
    """A captured web with its properties, stored as arrays.

    Parameters
    ----------
    plan : ComparisonPlan
        Its ``captured`` says which web it is.
    seed : int
        Draws the start pages.

    Attributes
    ----------
    arrays : CapturedArrays
    """

    def __init__(self, plan: ComparisonPlan, seed: int) -> None:
        assert plan.captured is not None
        self.source: CapturedSource = plan.captured
        self.arrays: CapturedArrays = arrays_of(self.source)
        arrays = self.arrays
        self.web: Any = SimpleNamespace(
            pages=arrays.pages, hosts=len(arrays.hosts), profile=plan.profile
        )
        self.links = Explicit(arrays.offsets, arrays.targets)
        self.host, self.external = arrays.host, arrays.external
        self._first = np.searchsorted(
            arrays.host[arrays.captured], np.arange(len(arrays.hosts) + 1)
        )
        self._starts = _drawn(arrays, self.source, plan.sites, seed)
        self.sites = tuple(dict.fromkeys(int(arrays.host[page]) for page in self._starts))
        self.texts: Any = CapturedTexts(arrays)
        self._parts, self._reachable, self._sizes = {}, {}, {}

    def starts(self, scope: Scope) -> list[int]:
        """Return the start pages of policies of a scope."""
        if scope is not Scope.KNOWN:
            return list(self._starts or ())
        return [int(page) for page in np.flatnonzero(self.arrays.html)]

    def reachable(self, scope: Scope) -> Array:
        """Return whether a policy can reach each page, and gets it with status 200."""
        if scope not in self._reachable:
            self._asked[scope] = super().reachable(scope)
            self._reachable[scope] = self._asked[scope] & (self.arrays.status == 200)
        return self._reachable[scope]

    @cached_property
    def _asked(self) -> dict[Scope, Array]:
        """By scope, whether links lead from the start pages to each address."""
        return {}

    @property
    def lives(self) -> tuple[Array, Array]:
        """From when and until when each page is there, in seconds, float64[pages] each."""
        return np.zeros(self.web.pages), self.arrays.dies

    def further(self, order: Pages, steps: Array) -> dict[str, Array]:
        """Return the curve of visits outside of the capture; none for a graph."""
        if self.source.graph is not None:
            return {}
        outside = np.concatenate(([0.0], np.cumsum(~self.arrays.captured[order])))
        return {"outside": outside[np.minimum(steps, len(order))]}

    def unknown(self, scope: Scope, order: Pages, came: Array, seconds: float) -> dict[str, float]:
        """Return by measure, which share of its answer rests on what is unknown.

        For shares of what can be reached: the share of addresses that were not captured, of all to
        which links lead from the start pages. For other measures of discovery: the share of the
        links to such addresses, of all links on the fetched pages. For measures of copies: the
        share of visits before the first or after the last capture of a page. Of a graph nothing is
        known to be missing.
        """
        if self.source.graph is not None:
            return {}
        arrays = self.arrays
        if scope is Scope.KNOWN:
            times = np.arange(len(order)) * seconds
            outside = (times < arrays.first[order]) | (times > arrays.last[order])
            share = float(outside.mean()) if len(order) else 0.0
            return dict.fromkeys(("freshness", "age", "q", "q_share"), share)
        self.reachable(scope)
        asked = self._asked[scope]
        unknown = asked & ~arrays.captured
        found = dict.fromkeys(
            ("quantity", "quality", "top"),
            float(unknown.sum()) / max(1, int((unknown | self.reachable(scope)).sum())),
        )
        offsets, targets = self.part(scope)
        fetched = np.zeros(self.web.pages, dtype=np.bool_)
        fetched[order[came]] = True
        seen = targets[np.repeat(fetched, np.diff(offsets))]
        share = float((~arrays.captured[seen]).mean()) if len(seen) else 0.0
        return found | dict.fromkeys(("external", "pages"), share)

    def rates(self) -> Callable[[int], float]:
        """Return how often pages change, in changes per second of the time of their captures."""
        changes = np.diff(self.arrays.version_offsets) - 1
        lasts = self.arrays.last - self.arrays.first
        found: Array = np.where(lasts > 0, changes / np.where(lasts > 0, lasts, 1.0), 0.0)
        return number_of(found)

    def world(self, scope: Scope, seconds: float, mark: Any, *, reads: bool) -> CapturedWorld:
        """Return the web as policies of a scope see it."""
        return CapturedWorld(self, scope, seconds, mark, reads=reads)


def _drawn(
    arrays: CapturedArrays, source: CapturedSource, sites: int, seed: int
) -> tuple[int, ...]:
    """Return the start pages of a seed."""
    if source.starts:
        return _named(arrays, source, sites, seed)
    pages = np.flatnonzero(arrays.html)
    if source.graph is not None:  # a number that no link has is no node of the list
        linked = np.diff(arrays.offsets) > 0
        linked[arrays.targets] = True
        pages = np.flatnonzero(linked) if linked.any() else pages
        order = pages
    else:
        length = np.array([len(str(arrays.addresses[page])) for page in pages.tolist()])
        order = pages[np.lexsort((pages, length, arrays.first[pages]))]
    return drawn(arrays.offsets, arrays.targets, arrays.host, pages, order, sites, seed)


def _named(
    arrays: CapturedArrays, source: CapturedSource, sites: int, seed: int
) -> tuple[int, ...]:
    """Return those of the start pages in the TOML file that a seed draws."""
    if source.graph is not None:
        found = pages_of_starts(source)
    else:
        places = {key(str(url)): page for page, url in enumerate(arrays.addresses)}
        found = [places.get(key(start), -1) for start in source.starts]
        for start, page in zip(source.starts, found, strict=True):
            if page < 0 or not arrays.html[page]:
                raise CrawlError(f"{source.name}: the start {start} is no captured HTML page")
    if len(found) > sites:
        chance = np.random.default_rng(seed)
        found = sorted(chance.choice(found, sites, replace=False).tolist())
    return tuple(dict.fromkeys(found))


class CapturedWorld:
    """A captured web as policies of one scope see it; time 0 is that of the first capture.

    Parameters
    ----------
    captured : Captured
    scope : Scope
    seconds : float
        Seconds by which a fetch moves the clock.
    mark : int64[1]
        Twice the number of the step is written here before a fetch.
    reads : bool
        Whether outcomes include the content of pages.
    """

    def __init__(
        self, captured: Captured, scope: Scope, seconds: float, mark: Any, *, reads: bool
    ) -> None:
        self._arrays, self._texts = captured.arrays, captured.texts
        self._offsets, self._targets = captured.part(scope)
        self._seconds, self._mark = seconds, mark
        self._step = 0
        self._seen: dict[int, int] = {}
        source = captured.source
        folder = None if source.index is None else Path(source.index)
        self._web = CapturedWeb(map(Path, source.files), folder) if reads else None

    def close(self) -> None:
        """Close the files."""
        if self._web is not None:
            self._web.close()

    def fetch(self, page: int) -> Outcome:
        """Fetch a page at the present time."""
        step = self._step
        self._step = step + 1
        self._mark[0] = 2 * step + 2
        time, arrays = step * self._seconds, self._arrays
        status = int(arrays.status[page]) or MISSING
        if status == 200 and time >= arrays.dies[page]:
            status = MISSING
        if status != 200:
            return Outcome(page, status, NONE, 0, 0, 0, time)
        self._seen[page], size, difference = self._texts.visited(
            page, time, self._seen.get(page, -1)
        )
        links = self._targets[self._offsets[page] : self._offsets[page + 1]].copy()
        content = None if self._web is None else self._content(self._web, page, links, time)
        return Outcome(page, 200, links, int(arrays.external[page]), size, difference, time,
                       content)  # fmt: skip

    def _content(self, web: CapturedWeb, page: int, links: Pages, time: float) -> Content:
        answer = web.answer(str(self._arrays.addresses[page]), web.begin + time)
        if answer is None or not self._arrays.html[page]:
            return Content("", "", ("",) * len(links))
        text = loaded(answer.body, answer.headers.get("content-type", ""))
        found = read(text.text, answer.address, text.encoding, contents=True)
        if found.content is None:
            return Content("", "", ("",) * len(links))
        anchors: dict[str, str] = {}
        for one, anchor in zip(found.references, found.content.anchors, strict=True):
            if one.kind is not Kind.BAD:
                anchors.setdefault(key(one.address), anchor)
        names = (key(str(self._arrays.addresses[link])) for link in links)
        return found.content._replace(anchors=tuple(anchors.get(name, "") for name in names))
