"""Where something is looked for: the two spaces of [HITS], and what a crawl of them begins with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from counterpoint.crawler.content.search import start_set, two_engines
from counterpoint.crawler.policy.protocol import Content, Scope
from counterpoint.sim_web.pages.contents import said
from counterpoint.sim_web.profile import load
from counterpoint.sim_web.world import topics
from counterpoint.studies.comparison.plan import Plan
from counterpoint.studies.comparison.planted import Array, Planted

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
        What the engines answer, the best first.
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
        return np.array([web.navigation(page) for page in range(web.pages)])

    def tasks(self, number: int) -> list[Task]:
        """Return tasks whose topics are of middle size, with the results of a search.

        In the local space the site's own engine is asked, which has some of its pages; in the
        regional one two engines of the web.
        """
        web = self.planted.web
        chosen = topics.middle(web, number)
        pages = web.pages_of(0) if self.name == "local" else range(web.pages)
        by_text, by_name = two_engines(
            pages, self.content, lambda page: self.planted.links_of(Scope.WEB, page).tolist(),
            seed=self.seed,
        )  # fmt: skip
        with by_text, by_name:
            engines = [by_text] if self.name == "local" else [by_text, by_name]
            queries = [topics.query(web, topic) for topic in chosen]
            found = [start_set(query, engines, RESULTS // len(engines)) for query in queries]
        return [Task(topic, query, tuple(starts))
                for topic, query, starts in zip(chosen, queries, found, strict=True)]  # fmt: skip

    def content(self, page: int) -> Content:
        """Return what a page says."""
        told = said(self.planted.web, page)
        links = self.planted.links_of(Scope.WEB, page).tolist()
        anchors = tuple(map(told.anchors.__getitem__, links))
        return Content(told.title, told.text, anchors, told.language)
