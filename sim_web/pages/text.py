"""Text: tables of paragraphs, titles and anchors, encoded once for each language and encoding.

A page's text is a choice from these tables, so that writing a page costs a few look-ups. A page
about its host's theme takes half of its paragraphs from the theme's tables, whose words occur
nowhere else.
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
    """What the text of pages is put together from, encoded.

    Attributes
    ----------
    paragraphs, titles, anchors : tuple of bytes
        Paragraphs with their tags; the others bare.
    mean_bytes : float
        Of a paragraph's text.
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
    """Return a sentence; frequent words are those early in the list, as in any language."""
    common = words.COMMON[language]
    some = [common[int(chance.random() ** 2 * len(common))] for _ in range(chance.randint(6, 16))]
    for k in range(len(some)):
        if own and chance.random() < 0.25:
            some[k] = chance.choice(own)
    return words.joined(some, language)


def _few(chance: Random, language: str, own: tuple[str, ...], number: int) -> str:
    """Return a short phrase, which has a word of the theme if there is one."""
    some = chance.sample(words.COMMON[language][len(words.COMMON[language]) // 4 :], number)
    if own:
        some[0] = chance.choice(own)
    phrase = ("" if language in ("zh", "ja") else " ").join(some)
    return phrase[0].upper() + phrase[1:]
