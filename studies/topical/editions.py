"""The experiment of [HITS] on webs of the kind that its printed addresses show.

The profile is `editions`: articles in many languages, whose editions link to each other. The two
topics have about as many editions as those of the paper. The crawls of the two spaces differ in
their start sets:

- regional: the first pages of other sites, which link to the largest edition of the topic;
- local: the answer of the largest language, its own edition of the topic.

An iteration of the standard crawler fetches all pages found so far. The first iteration fetches the
start set, so that the fourth one, with which the paper stops, fetches the pages that are three
links away.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from counterpoint.crawler.policy.protocol import Outcome, Setting
from counterpoint.crawler.schedulers.hits import FocusedHits
from counterpoint.crawler.schedulers.weights import ITERATIONS
from counterpoint.graph.csr import Csr
from counterpoint.graph.ranking.products import gather, spread
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.generator.layout import IN
from counterpoint.sim_web.profile import Profile, load

from .community import Community, community

Array = np.ndarray[Any, Any]
Cell = tuple[str, int]

CELLS: tuple[Cell, ...] = (("regional", 0), ("local", 0), ("regional", 1), ("local", 1))
"""The space and the topic; topic 0 has about as many editions as the paper's first one."""

STEPS = {("regional", 0): 14, ("local", 0): 11, ("regional", 1): 7, ("local", 1): 6}
"""Steps of the focused crawler: the fewest with an index as long as the paper's answer."""

STOP = 4
"""The iteration with which the paper's standard crawler stops."""

ITERATED = 5
"""After each of so many iterations, the standard crawler's answer is evaluated."""

LONG = 60
"""Steps of a longer crawl that shows the growth of the focused crawler."""

RESULTS = 20
"""Number of results of a search from which a regional crawl starts."""

WARM, ANEW = "the last weights", "ones"
"""The weights with which a step of the focused crawler begins."""


@dataclass(frozen=True)
class CellResult:
    """The results of both crawlers for a topic in a space, on one web.

    Attributes
    ----------
    pages : int
        The length of the focused crawler's answer.
    precision : dict of str to float
        Of the focused crawler, by the weights with which its steps begin.
    fetched : int
        How many pages the focused crawler fetched.
    standard : tuple of float
        The precision of the standard crawler's answer after each iteration.
    found : tuple of int
        How many pages the standard crawler has found after each iteration: those that it fetched,
        and those to which they link.
    shared : int
        How many pages are in the answers of both crawlers.
    growth : tuple of int
        Pages that the focused crawler has fetched at each of many steps; empty if not measured.
    communities : dict of str to Community
        By the name of the set of pages; empty if not measured.
    """

    pages: int
    precision: dict[str, float]
    fetched: int
    standard: tuple[float, ...]
    found: tuple[int, ...]
    shared: int
    growth: tuple[int, ...] = ()
    communities: dict[str, Community] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True)
class Job:
    """A web on which the experiment is made.

    Attributes
    ----------
    seed : int
    changes : tuple of (str, float)
        Keys of the section ``[articles]`` with other values than in the profile, and
        ``mean_pages`` of ``[hosts]``.
    pages : int, optional
        The number of pages; by default that of the profile.
    sizes : tuple of (int, int)
        For each of `CELLS`, the length of the focused and of the standard crawler's answer.
    whole : bool
        Whether growth, communities and other starting weights are measured as well.
    """

    seed: int
    sizes: tuple[tuple[int, int], ...]
    changes: tuple[tuple[str, float], ...] = ()
    pages: int | None = None
    whole: bool = False


def changed(changes: Mapping[str, float]) -> Profile:
    """Return the profile with other values of keys, as in `Job`."""
    profile, keys = load("editions"), dict(changes)
    hosts = dataclasses.replace(
        profile.hosts, mean_pages=keys.pop("mean_pages", profile.hosts.mean_pages)
    )
    articles: Any = dataclasses.replace(profile.articles, **keys)  # type: ignore[arg-type]
    return dataclasses.replace(profile, hosts=hosts, articles=articles)


class EditionsWeb:
    """A web of the profile `editions`, and the crawls of it.

    Parameters
    ----------
    profile : Profile
    seed : int
    pages : int, optional
        The number of pages; by default that of the profile.
    """

    def __init__(self, profile: Profile, seed: int, pages: int | None = None) -> None:
        self.web = Web(profile, pages, seed)
        self._rows: dict[int, Array] = {}

    @cached_property
    def links(self) -> Csr:
        """All links."""
        links = self.web.explicit()
        return Csr(links.offsets.astype(np.uint64), links.targets.astype(np.uint32))

    @cached_property
    def subjects(self) -> Array:
        """The theme of each page, and whether it is about the theme."""
        return self.web.subjects()

    def about(self, topic: int) -> Array:
        """Return which pages are editions of a topic, bool[pages]."""
        found: Array = (self.subjects[0] == topic) & (self.subjects[1] == 1)
        return found

    def starts(self, space: str, topic: int) -> list[int]:
        """Return the start set of a crawl."""
        if space == "local":
            return [int(np.flatnonzero(self.about(topic))[0])]
        _, _, first, hosts = self.web.layout.regions[IN].tolist()
        sites = [self.web.pages_of(first + rank).start for rank in range(hosts)]
        return [page for page in sites if self.subjects[0][page] == topic][:RESULTS]

    def out_links(self, page: int) -> Array:
        """Return the pages to which a page links, int64."""
        if page not in self._rows:
            self._rows[page] = self.web.out_links(page)
        return self._rows[page]

    def focused(self, starts: Sequence[int], **parameters: Any) -> tuple[list[int], list[int]]:
        """Crawl with the focused crawler, without a budget.

        Parameters
        ----------
        starts : sequence of int
        parameters
            Those of `FocusedHits`; ``steps`` must be one.

        Returns
        -------
        list of int, list of int
            The index, the best page first; how many pages were fetched when each step began.
        """
        scheduler = FocusedHits(
            Setting(starts=starts, budget=self.web.pages, parameters=parameters)
        )
        fetched = 0
        growth: list[int] = []
        while (request := scheduler.next()) is not None:
            fetched += 1
            scheduler.observe(Outcome(request.page, 200, self.out_links(request.page)))
            growth += [fetched] * (scheduler.steps - len(growth))
        return scheduler.index(), growth

    def iterations(self, starts: Sequence[int], number: int) -> list[Array]:
        """Return the pages that the standard crawler has fetched after each iteration, in order."""
        seen = np.zeros(self.web.pages, dtype=np.bool_)
        fetched = [np.array(starts, dtype=np.int64)]
        seen[fetched[0]] = True
        front = fetched[0]
        for _ in range(number - 1):
            targets = self.links.lists(front).targets.astype(np.int64)
            new, place = np.unique(targets[~seen[targets]], return_index=True)
            front = new[np.argsort(place)]
            seen[front] = True
            fetched.append(np.concatenate([fetched[-1], front]))
        return fetched

    def ranked(self, fetched: Array) -> Array:
        """Rank a collection by HITS once, as `weights.ranked` does."""
        rows = self.links.lists(fetched)
        hubs, sums = np.ones(len(fetched)), np.zeros(self.web.pages)
        for _ in range(ITERATIONS):
            sums[:] = 0.0
            spread(rows, hubs, sums)
            sums /= max(float(np.sqrt((sums**2).sum())), 1e-300)
            gather(rows, sums, hubs)
            hubs /= max(float(np.sqrt((hubs**2).sum())), 1e-300)
        return np.asarray(fetched[np.argsort(-sums[fetched], kind="stable")])

    def found(self, fetched: Array) -> int:
        """Return how many pages were fetched, or linked to by those fetched."""
        known = np.zeros(self.web.pages, dtype=np.bool_)
        known[fetched] = True
        known[self.links.lists(fetched).targets] = True
        return int(known.sum())


def experiment(job: Job) -> dict[Cell, CellResult]:
    """Run both crawlers in all cells of a web."""
    web = EditionsWeb(changed(dict(job.changes)), job.seed, job.pages)
    return {cell: _cell(web, cell, *sizes, whole=job.whole)
            for cell, sizes in zip(CELLS, job.sizes, strict=True)}  # fmt: skip


def focused_only(job: Job) -> dict[Cell, float]:
    """Return the precision of the focused crawler in all cells of a web."""
    web = EditionsWeb(changed(dict(job.changes)), job.seed, job.pages)
    return {
        cell: _precision(web.about(cell[1]), web.focused(web.starts(*cell), steps=STEPS[cell])[0],
                         size)
        for cell, (size, _) in zip(CELLS, job.sizes, strict=True)
    }  # fmt: skip


def _cell(web: EditionsWeb, cell: Cell, size: int, others: int, *, whole: bool) -> CellResult:
    starts, about = web.starts(*cell), web.about(cell[1])
    index, growth = web.focused(starts, steps=STEPS[cell])
    precision = {WARM: _precision(about, index, size)}
    collections = web.iterations(starts, ITERATED)
    answers = [web.ranked(collection)[:others] for collection in collections]
    result = CellResult(
        min(len(index), size), precision, growth[-1],
        tuple(_precision(about, answer, others) for answer in answers),
        tuple(web.found(collection) for collection in collections),
        len(np.intersect1d(index[:size], answers[STOP - 1])),
    )  # fmt: skip
    if not whole:
        return result
    anew, _ = web.focused(starts, steps=STEPS[cell], anew=True)
    footers = web.web.layout.regions[2, 0] + np.arange(web.web.layout.regions[2, 1])
    sets = {
        "the topic's editions": np.flatnonzero(about),
        "focused": np.setdiff1d(index[:size], footers),
        "standard": np.setdiff1d(answers[STOP - 1], footers),
        "fetched first": np.setdiff1d(collections[-1][:size], footers),
    }
    return dataclasses.replace(
        result,
        precision=precision | {ANEW: _precision(about, anew, size)},
        growth=tuple(web.focused(starts, steps=LONG)[1]),
        communities={name: community(web.links, pages) for name, pages in sets.items()},
    )


def _precision(about: Array, answer: Sequence[int] | Array, size: int) -> float:
    """Return the share of the first pages of an answer that are about a topic; 0 of no page."""
    first = np.asarray(answer[:size], dtype=np.int64)
    return float(about[first].mean()) if len(first) else 0.0
