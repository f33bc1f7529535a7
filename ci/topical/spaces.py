"""Where something is looked for: the two spaces of [HITS], and what a crawl of them begins with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ci.comparison.plan import Plan
from ci.comparison.planted import Array, Planted
from crawler.content.reader import Bm25
from crawler.protocol import Content
from sim_web import topics
from sim_web.pages.contents import said
from sim_web.profile import load

ENGINES = {"local": 1, "regional": 2}
"""Search engines that are asked in each space: the site's own one, or two of the web."""

INDEXED = 2500
"""Pages that an engine has, drawn by chance."""

RESULTS = 20
"""Results that a crawl begins with, from all engines together."""


@dataclass(frozen=True)
class Task:
    """Something to look for.

    Attributes
    ----------
    topic : int
        A theme of the web.
    query : str
    starts : tuple of int
        What the engines answer, each its best first.
    """

    topic: int
    query: str
    starts: tuple[int, ...]


class Space:
    """A web of one of the two kinds.

    Parameters
    ----------
    name : str
        ``local`` or ``regional``.
    seed : int
    pages : int, optional
        Of the web; by default the profile's.
    """

    def __init__(self, name: str, seed: int, pages: int | None = None) -> None:
        self.name, self.seed = name, seed
        self.planted = Planted(Plan((), load(name), 1, pages), seed)

    @cached_property
    def navigation(self) -> Array:
        """Which pages all pages of their host link to, bool[pages]."""
        web = self.planted.web
        found = np.zeros(web.pages, dtype=np.bool_)
        menu = int(web.profile.hosts.navigation)
        for host in range(web.hosts) if menu else ():
            pages = web.pages_of(host)
            found[pages.start : min(pages.stop, pages.start + menu + 1)] = True
        return found

    def tasks(self, number: int) -> list[Task]:
        """Return tasks whose topics are of middle size.

        An engine ranks the pages that it has by BM25. The site's own has pages of the site only.
        """
        web = self.planted.web
        chosen = topics.middle(web, number)
        queries = [topics.query(web, topic) for topic in chosen]
        engines = ENGINES[self.name]
        chance = np.random.default_rng([self.seed, 0x457])
        among = np.arange(web.pages)
        if self.name == "local":
            among = np.arange(len(web.pages_of(0)))
        size = min(INDEXED, len(among))
        found: list[list[int]] = [[] for _ in chosen]
        for _ in range(engines):
            held = np.sort(chance.choice(among, size, replace=False))
            for k, best in enumerate(self._asked(held, queries, RESULTS // engines)):
                found[k] += [page for page in best if page not in found[k]]
        return [Task(topic, query, tuple(starts))
                for topic, query, starts in zip(chosen, queries, found, strict=True)]  # fmt: skip

    def _asked(self, held: Array, queries: Sequence[str], results: int) -> list[list[int]]:
        """Return the pages that an engine answers to each query, the best first."""
        readers = [Bm25(query, 0.0) for query in queries]
        for page in held.tolist():
            told = said(self.planted.web, page)
            content = Content(told.title, told.text, (), told.language)
            for reader in readers:
                reader.read(content)
        answers = []
        for reader in readers:
            scores = reader.relevances()
            best = np.argsort(-scores, kind="stable")[:results]
            answers.append([int(held[place]) for place in best if scores[place] > 0])
        return answers
