"""The search that provides the start set of a crawl."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.crawler.content.search import BY_NAME, BY_TEXT, Engine, start_set, two_engines
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Content

from .test_reader import by_bm25

WORDS = [f"w{k}" for k in range(12)]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=20)


def page(text: str, title: str = "", language: str = "xx") -> Content:
    """Return a page with a text."""
    return Content(title, text, (), language)


@settings(max_examples=40, deadline=None)
@given(texts=st.lists(TEXTS, min_size=1, max_size=8),
       query=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True))  # fmt: skip
def test_finds_what_has_a_word_of_the_query(texts: list[list[str]], query: list[str]) -> None:
    """A page that is missing, or one that has none of the words."""
    with Engine(BY_TEXT) as engine:
        for number, text in enumerate(texts):
            engine.add(100 + number, page(" ".join(text)))
        found = engine.search(" ".join(query), 99)
        wanted = {100 + k for k, text in enumerate(texts) if set(text) & set(query)}
        assert len(found) == len(set(found))
        assert set(found) == wanted
        assert engine.search(" ".join(query), 2) == found[:2]


def test_the_ranking_is_bm25() -> None:
    """A ranking by the number of words, or by the order in which pages were added."""
    texts = [["w1", "w2", *["w3"] * k, *["w4"] * (k * k % 7)] for k in range(9)]
    texts += [["w5"]] * 15  # FTS5 allows no negative weight of a word; w1 is rare enough
    with Engine(BY_TEXT) as engine:
        for number, text in enumerate(texts):
            engine.add(number, page(" ".join(text)))
        scores = {k: by_bm25(text, texts, ["w1"], 0)[1] for k, text in enumerate(texts[:9])}
        assert engine.search("w1", 99) == sorted(scores, key=lambda k: (-scores[k], k))


def test_queries_in_the_languages_of_pages() -> None:
    """A query whose words are stemmed in another language than the page's."""
    texts = [("en", "many computers"), ("de", "in den Häusern"), ("ru", "два компьютера"),
            ("zh", "量子计算机"), ("", "the garden of the city"), ("ja", "図書館で")]  # fmt: skip
    with Engine(BY_TEXT) as engine:
        for number, (language, text) in enumerate(texts):
            engine.add(number, page(text, language=language))
        for number, query in enumerate(
            ["computer", "Haus", "компьютеры", "量子计算", "gardens", "図書館"]
        ):  # fmt: skip
            assert engine.search(query) == [number]
        assert engine.search("") == engine.search('"! OR *') == engine.search("nobody") == []


def test_titles_and_anchors() -> None:
    """A page found by its text where only names count, or a title with an anchor's weight."""
    with Engine(BY_NAME) as engine:
        for number in range(20):
            engine.add(number, page(f"other{number} thing"))
        engine.add(20, page("fox"))
        engine.add(21, page("", "on dogs"), ["fox", "a fox"])
        engine.add(22, page("", "the fox"), ["dog", "cat"])
        assert engine.search("fox") == [22, 21]
        assert len(engine) == 23


def test_two_engines() -> None:
    """Two engines with the same pages, anchors of pages that they lack, or an ignored seed."""
    texts = {k: Content(f"t{k % 7}", "word " * (k % 5), (f"n{k % 3}", "next"), "xx")
            for k in range(300)}  # fmt: skip

    def both(seed: int) -> list[Any]:
        engines = two_engines(texts, texts.__getitem__, lambda p: ((p + 1) % 300, (p * 7) % 300),
                              share=0.3, seed=seed)  # fmt: skip
        sets = [set(engine._pages) for engine in engines]
        found = [engine.search("word next t3", 99) for engine in engines]
        for engine in engines:
            engine.close()
        return [*sets, *found]

    first, second, by_text, by_name = both(1)
    assert both(1) == [first, second, by_text, by_name] != both(2)
    assert all(60 < len(part) < 120 for part in (first, second))
    assert 10 < len(first & second) < 50
    assert set(by_text) <= first and set(by_name) <= second
    led = {(p * 7) % 300 for p in second}
    assert set(by_name) == {p for p in second if p in led or p % 7 == 3}


def test_the_start_set() -> None:
    """A page that occurs twice, one engine's results all before the other's, or too many."""
    with Engine(BY_TEXT) as one, Engine(BY_TEXT) as other:
        for number in range(8):
            one.add(number, page("fox " + "dog " * number))
        for number in range(5, 12):
            other.add(number, page("fox " + "dog " * number))
        assert one.search("fox", 4) == [0, 1, 2, 3]
        assert start_set("fox", [one, other], 4) == [0, 5, 1, 6, 2, 7, 3, 8]
        assert start_set("fox", [one, other], 7) == [0, 5, 1, 6, 2, 7, 3, 8, 4, 9, 10, 11]
        assert start_set("cat", [one, other]) == start_set("fox", []) == []


def test_without_full_text_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """A traceback where SQLite was built without full-text search."""

    class Without(sqlite3.Connection):
        def execute(self, *_: Any) -> sqlite3.Cursor:
            raise sqlite3.OperationalError("no such module: fts5")

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda where: connect(where, factory=Without))
    with pytest.raises(CrawlError, match="needs SQLite with FTS5: no such module"):
        Engine(BY_TEXT)
