"""Text: tables of paragraphs, titles and anchors, encoded once for each language and encoding.

The text of a page is chosen from these tables, so that a page takes only a few look-ups. A page
about its theme takes half of its paragraphs from the theme's tables, whose words occur nowhere
else. The numbers of titles and anchors go into compiled code.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from . import words
from .numbers import GENERAL, OF_THEME

TITLES, ANCHORS = 64, 128
THEME_TITLES, THEME_ANCHORS = 16, 32


@dataclass(frozen=True, slots=True)
class Tables:
    """The encoded parts of the texts of pages.

    Attributes
    ----------
    paragraphs, titles, anchors : tuple of bytes
        Paragraphs have their tags; titles and anchors have none.
    mean_bytes : float
        The mean length of a paragraph's text in bytes.
    """

    paragraphs: tuple[bytes, ...]
    titles: tuple[bytes, ...]
    anchors: tuple[bytes, ...]
    mean_bytes: float


@lru_cache(maxsize=16)
def general(language: str, encoding: str) -> Tables:
    """Return the tables of a language in an encoding."""
    return _tables(language, encoding, None, (GENERAL, TITLES, ANCHORS))


@lru_cache(maxsize=256)
def of_theme(theme: int, language: str, encoding: str) -> Tables:
    """Return the tables of a theme in a language and an encoding."""
    return _tables(language, encoding, theme, (OF_THEME, THEME_TITLES, THEME_ANCHORS))


def _tables(language: str, encoding: str, theme: int | None, sizes: tuple[int, int, int]) -> Tables:
    """Return tables of random texts.

    Parameters
    ----------
    language, encoding : str
    theme : int or None
        The theme of the texts; None: no theme.
    sizes : tuple of int
        The numbers of paragraphs, titles and anchors.
    """
    chance = Random(f"text {language} {theme}")
    own = words.theme_words(theme, language) if theme is not None else ()
    texts = [" ".join(_sentence(chance, language, own) for _ in range(3)) for _ in range(sizes[0])]
    encoded = [text.encode(encoding) for text in texts]
    return Tables(
        tuple(b"<p>%b</p>\n" % one for one in encoded),
        tuple(_few(chance, language, own, 3).encode(encoding) for _ in range(sizes[1])),
        tuple(_few(chance, language, own, 2).encode(encoding) for _ in range(sizes[2])),
        sum(map(len, encoded)) / len(encoded),
    )


def _sentence(chance: Random, language: str, own: tuple[str, ...]) -> str:
    """Return a random sentence, in which words from the beginning of the list are more frequent."""
    common = words.COMMON[language]
    some = [common[int(chance.random() ** 2 * len(common))] for _ in range(chance.randint(6, 16))]
    for k in range(len(some)):
        if own and chance.random() < 0.25:
            some[k] = chance.choice(own)
    return words.joined(some, language)


def _few(chance: Random, language: str, own: tuple[str, ...], number: int) -> str:
    """Return a random phrase of ``number`` words, one of them from ``own`` if that is not empty."""
    some = chance.sample(words.COMMON[language][len(words.COMMON[language]) // 4 :], number)
    if own:
        some[0] = chance.choice(own)
    phrase = ("" if language in ("zh", "ja") else " ").join(some)
    return phrase[0].upper() + phrase[1:]
