"""Words, their stems and their languages."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.crawler.content.languages import guessed, language_of, stems
from counterpoint.crawler.content.vocabulary import PHRASES, Bag, Vocabulary
from counterpoint.crawler.content.words import LONGEST, words
from counterpoint.crawler.policy.protocol import Content

CUT = {
    "The quick, brown fox's 3.14 e-mails!": ["the", "quick", "brown", "fox's", "3.14", "e",
                                             "mails"],
    "Die Straße der STÄDTE": ["die", "strasse", "der", "städte"],
    "Москва́ — город": ["москва́", "город"],
    "e\u0301te\u0301 ﬁne １２": ["été", "fine", "12"],
    "Com\u00adputer\ufeff \u2066קוד\u200f\u2069 \u200eа\u00ad": ["computer", "קוד", "а"],
    "量子\u2060计算机": ["量子", "子计", "计算", "算机"],
    "図書館でコンピ": ["図書", "書館", "館で", "でコ", "コン", "ンピ"],
    "水 and 光学": ["and", "水", "光学"],
    "ภาษา": ["ภา", "าษ", "ษา"],
    "한국어 문서": ["한국어", "문서"],
    "\udcff ab\ud800cd 水\udc00光": ["ab", "cd", "水", "光"],
    "… —": [],
    "x" * (LONGEST + 1) + " y": ["y"],
}  # fmt: skip


@pytest.mark.parametrize("text", CUT)
def test_words_of_the_webs_languages(text: str) -> None:
    """Words split at apostrophes or accents, two spellings of one word, or unsplit Chinese."""
    assert words(text) == CUT[text]


@given(st.lists(st.text("abcxyzäöéдяжω", min_size=1, max_size=9)), st.sampled_from(" \n\t,;— "))
def test_words_between_spaces(parts: list[str], between: str) -> None:
    """A word that is lost, joined to the next one or returned twice."""
    assert words(between.join(parts)) == parts


@given(st.text("的一是在不了有和人这中大为上个国我以要他时来", min_size=2))
def test_pairs_of_signs(run: str) -> None:
    """A missing pair of signs, so that a word of two signs cannot be found."""
    assert words(run) == [run[k : k + 2] for k in range(len(run) - 1)]


@given(st.text(st.characters()))  # halves of characters as well
def test_any_text(text: str) -> None:
    """An error on an unusual text, or words that depend on when case is folded."""
    found = words(text)
    assert all(found)
    assert Counter(words(text.casefold())) == Counter(found) or "\u0345" in text


SAME = [
    ("en", "computers", "computing"), ("de", "häusern", "haus"), ("ru", "компьютеры", "компьютера"),
    ("de", "häuser", "haus"), ("fr", "continuation", "continuer"), ("sv", "bilarna", "bil"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "one", "other"), SAME)
def test_stems(language: str, one: str, other: str) -> None:
    """Inflected forms of a word that have different stems."""
    assert stems(language)(one) == stems(language)(other)


def test_no_stems() -> None:
    """A language without a stemmer that gets another language's."""
    for language in ("zh", "ja", "", "xx"):
        assert stems(language)("computers") == "computers"


@pytest.mark.parametrize(
    ("declared", "code"),
    [("de", "de"), ("de-AT", "de"), ("de_AT", "de"), ("EN-us", "en"), ("zh-cn", ""), ("xx", ""),
     ("", "ru")],
)  # fmt: skip
def test_what_a_page_calls_its_language(declared: str, code: str) -> None:
    """A usual spelling of a language that finds no stemmer, or a title that is ignored."""
    assert language_of(Content("Библиотека города", "12", (), declared)) == code


GUESSED = {
    "The library of the city is open in the morning": "en",
    "Die Bücherei der Stadt ist am Morgen nicht geöffnet": "de",
    "Библиотека города открыта утром": "ru",
    "城市图书馆早上开放": "zh",
    "町の図書館は朝に開きます": "ja",
    "La bibliothèque de la ville est ouverte dans les rues": "fr",
    "도시 도서관은 아침에 문을 연다": "ko",
    "Η βιβλιοθήκη της πόλης": "el",
    "12, 13!": "",
    "": "",
}


@pytest.mark.parametrize("text", GUESSED)
def test_a_language_that_nobody_names(text: str) -> None:
    """Stems of the wrong language, or Chinese and Japanese confused."""
    assert guessed(text) == GUESSED[text]


SOME = ["fox", "foxes", "dog", "dogs", "tree", "中文", "running", "runs"]
TEXTS = st.lists(st.sampled_from(SOME)).map(" ".join)


@given(st.lists(TEXTS, max_size=6))
def test_bags(texts: list[str]) -> None:
    """Counts that belong to another text, or a word with two numbers."""
    vocabulary = Vocabulary()
    for text in texts:
        found = vocabulary.bag(text, "en")
        counted = Counter(map(stems("en"), words(text)))
        assert [vocabulary._stems[stem] for stem in counted] == found.terms.tolist()
        assert list(counted.values()) == found.counts.tolist()
        kept = vocabulary.phrase(text, "en")
        assert [one.tolist() for one in kept] == [one.tolist() for one in found]
        assert vocabulary.phrase(text, "en") is kept


def test_phrases_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache that grows without limit on a web where no two anchors are the same."""
    assert PHRASES == 50_000
    monkeypatch.setattr("counterpoint.crawler.content.vocabulary.PHRASES", 3)
    vocabulary = Vocabulary()
    kept: list[Bag] = [vocabulary.phrase(f"word {k}", "en") for k in range(10)]
    assert len(vocabulary._phrases) <= 3
    assert [bag.counts.tolist() for bag in kept] == [[1, 1]] * 10
