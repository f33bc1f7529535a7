"""Relevance, compared with the formulas computed in numpy."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.crawler.content.reader import PLACES, Bm25, Reader, TfIdf
from counterpoint.crawler.content.topic import WORDS
from counterpoint.crawler.policy.protocol import Content

ALPHABET = [f"w{k}" for k in range(12)]
"""Fewer than `WORDS`, so no word of the start pages is left out."""
TEXTS = st.lists(st.sampled_from(ALPHABET), max_size=25)
SHARES = st.sampled_from([0.0, 0.1, 0.5, 1.0])
KINDS = pytest.mark.parametrize("kind", [TfIdf, Bm25])


def content(text: list[str], anchors: list[list[str]] | None = None) -> Content:
    """Return a page in a language that has no stemmer."""
    return Content("", " ".join(text), tuple(map(" ".join, anchors or [])), "xx")


def vector(text: list[str]) -> Any:
    """Return the damped TF of each word of the alphabet."""
    counts = np.array([text.count(word) for word in ALPHABET], dtype=float)
    return np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0.0)


def rarity(read: list[list[str]]) -> Any:
    """Return the rarity of each word of the alphabet."""
    having = np.array([sum(word in text for text in read) for word in ALPHABET])
    return np.log((len(read) + 1) / (having + 0.5))


def cosine(one: Any, other: Any) -> float:
    """Return the cosine of two vectors, or 0 if one of them is 0."""
    norms = np.linalg.norm(one) * np.linalg.norm(other)
    return float(one @ other / norms) if norms else 0.0


def sums(read: list[list[str]], starts: int) -> Any:
    """Return the sum of the start pages' vectors, each normalized when it was read."""
    total = np.zeros(len(ALPHABET))
    for k in range(min(starts, len(read))):
        norm = np.linalg.norm(vector(read[k]) * rarity(read[: k + 1]))
        total += vector(read[k]) / norm if norm else 0.0
    return total


def by_tfidf(text: list[str], read: list[list[str]], query: list[str], starts: int) -> Any:
    """Return the cosines with the start pages and with the query."""
    rare = rarity(read)
    own = vector(text) * rare
    return [cosine(own, topic * rare) for topic in (sums(read, starts), vector(query))]


def by_bm25(text: list[str], read: list[list[str]], query: list[str], starts: int) -> Any:
    """Return BM25, divided by its maximum, for the start pages and for the query."""
    k1, b, counts = 1.2, 0.75, Counter(text)
    mean = sum(map(len, read)) / len(read) or 1.0
    found = []
    for topic in (sums(read, starts), vector(query)):
        score = most = 0.0
        for word, weight in zip(ALPHABET, topic, strict=True):
            having = sum(word in one for one in read)
            rare = np.log(1 + (len(read) - having + 0.5) / (having + 0.5))
            f = counts[word]
            score += weight * rare * f * (k1 + 1) / (f + k1 * (1 - b + b * len(text) / mean))
            most += weight * rare * (k1 + 1)
        found.append(score / most if most else 0.0)
    return found


FORMULAS: dict[type[Reader], Any] = {TfIdf: by_tfidf, Bm25: by_bm25}


@KINDS
@settings(max_examples=60, deadline=None)
@given(
    texts=st.lists(TEXTS, min_size=1, max_size=7), anchors=st.lists(TEXTS, max_size=3),
    query=TEXTS, starts=st.integers(0, 3), share=SHARES,
)  # fmt: skip
def test_the_formula(
    kind: type[Reader], texts: list[list[str]], anchors: list[list[str]], query: list[str],
    starts: int, share: float,
) -> None:  # fmt: skip
    """A wrong weight, a page that counts for itself too late, or an outdated topic vector."""
    assert len(ALPHABET) < WORDS
    reader, formula = kind(" ".join(query), share), FORMULAS[kind]
    if not query:
        share = 1.0
    if not share:
        starts = 0

    def blended(text: list[str], read: list[list[str]]) -> float:
        first, second = formula(text, read, query, starts)
        return float(share * first + (1 - share) * second)

    for k, text in enumerate(texts):
        found = reader.read(content(text, anchors), begins=k < starts)
        wanted = [blended(one, texts[: k + 1]) for one in (text, *anchors)]
        assert found == pytest.approx(wanted, abs=2e-12)
        assert (found == found.round(PLACES)).all()
    wanted = [blended(one, texts) for one in texts]
    found = reader.relevances()
    assert found == pytest.approx(wanted, abs=2e-12)
    assert ((found >= 0) & (found <= 1 + 1e-12)).all()


@KINDS
@settings(max_examples=40, deadline=None)
@given(texts=st.lists(TEXTS, max_size=6), before=st.permutations(ALPHABET), share=SHARES)
def test_numbers_of_words_mean_nothing(
    kind: type[Reader], texts: list[list[str]], before: list[str], share: float
) -> None:
    """A sum whose last bit depends on the order of the vocabulary."""
    one, other = kind("w3 w5 w5", share), kind("w3 w5 w5", share)
    other.vocabulary.bag(" ".join(before), "xx")
    for k, text in enumerate(texts):
        found = (reader.read(content(text, [text[:3]]), begins=k < 2) for reader in (one, other))
        assert next(found).tolist() == next(found).tolist()
    assert one.relevances().tolist() == other.relevances().tolist()


@KINDS
def test_a_query_in_the_languages_of_pages(kind: type[Reader]) -> None:
    """A query whose words are stemmed in another language than the page's."""
    reader = kind("Häusern computers компьютеры 量子计算", 0.0)
    texts = [("en", "a computer"), ("de", "ein Haus"), ("ru", "нет компьютера"),
            ("zh", "量子计算机"), ("zh-TW", "量子"), ("", "the computing of stars")]  # fmt: skip
    for language, text in texts:
        assert reader.read(Content("", text, (text, "x"), language))[:2].min() > 0, language
        assert reader.read(Content("", "nothing of it", ("nothing",), language)).max() == 0


@KINDS
def test_the_words_of_start_pages(kind: type[Reader]) -> None:
    """Words that occur on every page, instead of those that distinguish the start pages.

    At first such words weigh more, because the reader does not yet know that they are everywhere.
    """
    reader = kind("", 0.0)
    common = " ".join(f"c{k}" for k in range(2 * WORDS))
    for k in range(3):
        reader.read(content([f"{common} {common} t1 t2 t{k}"]), begins=True)
    distinguishing = {reader.vocabulary._stems[f"t{k}"] for k in (1, 2)}
    assert not distinguishing & set(reader.topic.words.tolist())
    for k in range(40):
        reader.read(content([f"{common} o{k}"]))
    assert distinguishing <= set(reader.topic.words.tolist())
    reader.read(content([f"{common} t1"]))
    *_, about = reader.relevances()
    assert about > 3 * reader.relevances()[3:-1].max()
    assert len(reader.topic.words) == WORDS


@KINDS
def test_nothing_to_read(kind: type[Reader]) -> None:
    """A division by zero where neither pages nor query have words."""
    for query in ("", " ", "!", "fox"):
        reader = kind(query, 0.5)
        assert reader.relevances().tolist() == []
        assert reader.read(Content("", "", ("", "fox")), begins=True)[0] == 0
        assert reader.read(Content("", "...")).tolist() == [0]


@KINDS
def test_a_query_without_words(kind: type[Reader]) -> None:
    """A query without words that keeps its share of the weight."""
    found = []
    for query, share in (("fox", 1.0), ("", 0.1), (" ", 0.1), ("!?", 0.1), ("\u2060", 0.1)):
        reader = kind(query, share)
        reader.read(content(["fox", "dog"]), begins=True)
        found.append(reader.read(content(["fox", "fox", "cat"])).tolist())
    assert found[0][0] > 0.1
    assert found == found[:1] * 5


@KINDS
def test_languages_that_nobody_knows(kind: type[Reader]) -> None:
    """Memory and time for each language name that a page invents."""
    reader = kind("fox", 0.0)
    for k in range(50):
        assert reader.read(Content("", f"the fox {k}", (), f"x{k}-y"))[0] > 0
    assert reader.topic.rows.shape == (2, 1)
    assert len(reader.vocabulary._by_language) == 1
