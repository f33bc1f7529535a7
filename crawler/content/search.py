"""Small search engines over a part of a web (SQLite's FTS5): they give the start set of a crawl.

[HITS] begins with the first ten results of each of two search engines. Here two engines take their
place, which differ in their ranking and in the pages that they index:

- one ranks by *text*: BM25 over titles and texts;
- one ranks by *name*: BM25 over titles, which count five times, and over the anchors of links to a
  page, from the pages in the engine's index.

Each engine indexes a random part of the web's pages, drawn independently of the other.
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
"""The number of results that [HITS] takes from each engine."""
SHARE = 0.1
"""The default share of a web's pages that an engine indexes."""


@dataclass(frozen=True)
class Ranking:
    """The weights of words in a page's title, text and anchors; 0: words there are not indexed."""

    title: float
    text: float
    anchors: float


BY_TEXT = Ranking(1.0, 1.0, 0.0)
BY_NAME = Ranking(5.0, 0.0, 1.0)


class Engine:
    """A full-text index in memory. Must be closed, or used in a ``with`` statement.

    The index contains the numbers of words in a `Vocabulary`. So it has the same words, in all
    languages, as the topical crawlers.

    Parameters
    ----------
    ranking : Ranking

    Raises
    ------
    CrawlError
        If the installed SQLite has no FTS5.
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
        """Remove the index."""
        self._database.close()

    def __len__(self) -> int:
        return len(self._pages)

    def add(self, page: int, content: Content, anchors: Sequence[str] = ()) -> None:
        """Add a page.

        Parameters
        ----------
        page : int
        content : Content
            Its title, text and language.
        anchors : sequence of str
            The anchors of links to the page.
        """
        language = language_of(content)
        self._languages.setdefault(language)
        ranking = self._ranking
        places = (
            (content.title, ranking.title), (content.text, ranking.text),
            (" ".join(anchors), ranking.anchors),
        )  # fmt: skip
        row = [
            _spelled(self._vocabulary.bag(text, language)) if weight else ""
            for text, weight in places
        ]
        self._pages.append(page)
        self._database.execute(
            "INSERT INTO pages (rowid, title, text, anchors) VALUES (?, ?, ?, ?)",
            (len(self._pages), *row),
        )

    def search(self, query: str, count: int = FIRST) -> list[int]:
        """Return the best pages that contain a word of the query, the best first.

        Pages of equal rank are in the order in which they were added.

        Parameters
        ----------
        query : str
        count : int
            The most pages to return.
        """
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
    """Return two engines over a web: the first ranks by text, the second by name.

    Parameters
    ----------
    pages : iterable of int
        The pages of the web.
    content : callable
        Returns the content of a page, with an anchor for each of its links.
    links : callable
        Returns the links of a page.
    share : float
        The share of the pages that each engine indexes, from 0 to 1.
    seed : int
        The seed by which the pages of each engine are drawn.
    """
    chance, by_text, by_name = Random(f"engines {seed}"), Engine(BY_TEXT), Engine(BY_NAME)
    contents: dict[int, Content] = {}
    for page in pages:
        in_first, in_second = chance.random() < share, chance.random() < share
        if in_first:
            by_text.add(page, content(page))
        if in_second:
            contents[page] = content(page)
    named = _named(contents, links)
    for page, own in contents.items():
        by_name.add(page, own, named[page])
    return by_text, by_name


def _named(
    contents: Mapping[int, Content], links: Callable[[int], Iterable[int]]
) -> dict[int, list[str]]:
    """Return for each page the anchors of the links to it from the other pages."""
    named: dict[int, list[str]] = {page: [] for page in contents}
    for page, content in contents.items():
        for target, anchor in zip(links(page), content.anchors, strict=True):
            if target in named:
                named[target].append(anchor)
    return named


def start_set(query: str, engines: Iterable[Engine], count: int = FIRST) -> list[int]:
    """Return the distinct results of engines: the first result of each, then the second of each.

    Parameters
    ----------
    query : str
    engines : iterable of Engine
    count : int
        The number of results that are taken from each engine.
    """
    lists = [engine.search(query, count) for engine in engines]
    return list(dict.fromkeys(
        found[rank] for rank in range(count) for found in lists if rank < len(found)
    ))  # fmt: skip
