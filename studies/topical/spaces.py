"""The two spaces of [HITS] that topical crawlers search, and the tasks: query and start pages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from counterpoint.crawler.content.search import start_set, two_engines
from counterpoint.crawler.policy.protocol import Content, Scope
from counterpoint.sim_web.pages.contents import page_text
from counterpoint.sim_web.profile import Profile, load
from counterpoint.sim_web.world import topics
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.comparison.planted import Array, Planted

RESULTS = 20
"""Number of search results from which a crawl starts, from all engines together."""


@dataclass(frozen=True)
class Task:
    """A topic to search for.

    Attributes
    ----------
    topic : int
        A theme of the web.
    query : str
    starts : tuple of int
        The results of the engines, the best first.
    """

    topic: int
    query: str
    starts: tuple[int, ...]


class Space:
    """A web that topical crawlers search.

    Parameters
    ----------
    name : str
        ``local`` or ``regional``.
    seed : int
    pages : int, optional
        Number of pages of the web; by default as the profile says.
    profile : Profile, optional
        A changed profile; by default the named one of the same name.
    """

    def __init__(
        self, name: str, seed: int, pages: int | None = None, profile: Profile | None = None
    ) -> None:
        self.name, self.seed = name, seed
        self.planted = Planted(ComparisonPlan((), profile or load(name), 1, pages), seed)

    @cached_property
    def navigation(self) -> Array:
        """Whether all pages of its host link to each page, bool[pages]."""
        web = self.planted.web
        return np.array([web.navigation(page) for page in range(web.pages)])

    def tasks(self, number: int) -> list[Task]:
        """Return tasks whose topics are of middle size, with search results as start pages.

        In the local space the results come from the site's own engine, which indexes a part of its
        pages; in the regional space they come from two engines over the web.
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
        """Return the content of a page."""
        text = page_text(self.planted.web, page)
        links = self.planted.links_of(Scope.WEB, page).tolist()
        anchors = tuple(map(text.anchors.__getitem__, links))
        return Content(text.title, text.text, anchors, text.language)
