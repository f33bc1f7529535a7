"""A small search over part of a web, in SQLite (FTS5): a query becomes the start set of a crawl.

[HITS] begins with the first ten results of each of two search engines. Here they are two that
differ as engines do, in what they have of the web and in how they rank it:

- one by *text*: BM25 over titles and texts;
- one by *name*: BM25 over titles, which count five times, and over the anchors of links to a page,
  from the pages that the engine has.

Each has a part of the web's pages, drawn by chance and for itself.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Content

from .languages import language_of
from .vocabulary import Bag, Vocabulary

FIRST = 10
"""Results of each engine that [HITS] takes."""
SHARE = 0.1
"""Of a web's pages that an engine has, if nothing else is said."""


@dataclass(frozen=True)
class Ranking:
    """How much a word counts by where it stands; 0: it is not looked for there."""

    title: float
    text: float
    anchors: float


BY_TEXT = Ranking(1.0, 1.0, 0.0)
BY_NAME = Ranking(5.0, 0.0, 1.0)


class Engine:
    """A full-text index in memory. Must be closed, or used in a ``with`` statement.

    Words are those of `Vocabulary`: what the index holds are their numbers, so that it has the same
    words as the crawlers that read, in all languages.

    Parameters
    ----------
    ranking : Ranking

    Raises
    ------
    CrawlError
        If this SQLite has no FTS5.
    """

    def __init__(self, ranking: Ranking) -> None:
        self._ranking = ranking
        self._vocabulary = Vocabulary()
        self._languages: dict[str, None] = {}
        self._pages: list[int] = []
        self._database = sqlite3.connect(":memory:")
        try:
            self._database.execute(
                "CREATE VIRTUAL TABLE pages USING fts5(title, text, anchors, content='', "
                "tokenize='ascii')"
            )
        except sqlite3.OperationalError as error:
            self._database.close()
            raise CrawlError(f"a search needs SQLite with FTS5: {error}") from error

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Forget all pages."""
        self._database.close()

    def __len__(self) -> int:
        return len(self._pages)

    def add(self, page: int, content: Content, anchors: Sequence[str] = ()) -> None:
        """Add a page.

        Parameters
        ----------
        page : int
        content : Content
            Title, text and language.
        anchors : sequence of str
            Of links to it.
        """
        language = language_of(content)
        self._languages.setdefault(language)
        ranking = self._ranking
        places = (
            (content.title, ranking.title), (content.text, ranking.text),
            (" ".join(anchors), ranking.anchors),
        )  # fmt: skip
        row = [
            _spelled(self._vocabulary.bag(said, language)) if counts else ""
            for said, counts in places
        ]
        self._pages.append(page)
        self._database.execute(
            "INSERT INTO pages (rowid, title, text, anchors) VALUES (?, ?, ?, ?)",
            (len(self._pages), *row),
        )

    def search(self, query: str, count: int = FIRST) -> list[int]:
        """Return the best pages for a query, of any of its words; of equals those added first."""
        numbers: dict[int, None] = {}
        for language in self._languages:
            numbers.update(dict.fromkeys(self._vocabulary.bag(query, language).terms.tolist()))
        if not numbers:
            return []
        ranking = self._ranking
        rows = self._database.execute(
            "SELECT rowid FROM pages WHERE pages MATCH ? ORDER BY bm25(pages, ?, ?, ?), rowid "
            "LIMIT ?",
            (" OR ".join(f'"{number}"' for number in numbers),
             ranking.title, ranking.text, ranking.anchors, count),
        )  # fmt: skip
        return [self._pages[row - 1] for (row,) in rows]


def _spelled(bag: Bag) -> str:
    return " ".join(map(str, np.repeat(bag.terms, bag.counts).tolist()))


def two_engines(
    pages: Iterable[int], content: Callable[[int], Content],
    links: Callable[[int], Iterable[int]], *, share: float = SHARE, seed: int = 0,
) -> tuple[Engine, Engine]:  # fmt: skip
    """Return two engines over a web, one by text and one by name.

    Parameters
    ----------
    pages : iterable of int
        Of the web.
    content : callable
        Returns what a page says, with an anchor for each of its links.
    links : callable
        Returns the links of a page.
    share : float
        Of the pages that each engine has.
    seed : int
        Of the chance by which each engine has a page.
    """
    chance, by_text, by_name = Random(f"engines {seed}"), Engine(BY_TEXT), Engine(BY_NAME)
    said: dict[int, Content] = {}
    for page in pages:
        in_first, in_second = chance.random() < share, chance.random() < share
        if in_first:
            by_text.add(page, content(page))
        if in_second:
            said[page] = content(page)
    named = _named(said, links)
    for page, told in said.items():
        by_name.add(page, told, named[page])
    return by_text, by_name


def _named(
    said: Mapping[int, Content], links: Callable[[int], Iterable[int]]
) -> dict[int, list[str]]:
    """Return the anchors by which some pages name each other."""
    named: dict[int, list[str]] = {page: [] for page in said}
    for page, told in said.items():
        for target, anchor in zip(links(page), told.anchors, strict=True):
            if target in named:
                named[target].append(anchor)
    return named


def start_set(query: str, engines: Iterable[Engine], count: int = FIRST) -> list[int]:
    """Return the first results of engines, in turns: the first ones of all, then the second ones.

    Parameters
    ----------
    query : str
    engines : iterable of Engine
    count : int
        Results of each; what several find is in the set once.
    """
    lists = [engine.search(query, count) for engine in engines]
    return list(dict.fromkeys(
        found[rank] for rank in range(count) for found in lists if rank < len(found)
    ))  # fmt: skip
