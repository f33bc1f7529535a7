"""Languages: which one a text is in if nobody says, and what cuts its words to their stems."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import TypeAlias

import Stemmer

from counterpoint.crawler.policy.protocol import Content

LOOKED_AT = 2_000
"""Characters of a text that are looked at to guess its language."""

_ALGORITHMS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque",
    "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi",
    "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian",
    "nb": "norwegian", "ne": "nepali", "nl": "dutch", "nn": "norwegian", "no": "norwegian",
    "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian",
    "st": "sesotho", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
"""Snowball's algorithms by the language's code; words of other languages stay as they are."""

_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")), ("zh", re.compile("[\u3400-\u9fff]")),
    ("ko", re.compile("[\uac00-\ud7af]")), ("ru", re.compile("[\u0400-\u04ff]")),
    ("el", re.compile("[\u0370-\u03ff]")), ("ar", re.compile("[\u0600-\u06ff]")),
    ("he", re.compile("[\u0590-\u05ff]")), ("hi", re.compile("[\u0900-\u097f]")),
    ("th", re.compile("[\u0e00-\u0e7f]")), ("hy", re.compile("[\u0530-\u058f]")),
)  # fmt: skip
"""Letters that tell a language, or the most usual one that is written with them. A text in Japanese
has more letters of Chinese than of its own, so kana come first."""

_FREQUENT = {
    "en": "the of and to in is that for it with as was on are this by",
    "de": "der die und das den von zu mit ist im des nicht ein eine auf dem",
    "fr": "le les des et la du est une dans que pour qui au sur par pas",
    "es": "el los las y que una del por con para se su al lo como más",
    "it": "il di che è per gli della un sono con non si dei nel alla più",
    "pt": "o os que do da em um uma não com para as dos na se mais",
    "nl": "het een van en dat niet voor zijn met op aan ook bij maar te door",
    "pl": "w i na się że nie jest do z to przez od po jak oraz są",
    "sv": "och att det som en på är av för med den till inte om ett var",
}
_WORD = re.compile(r"[^\W\d_]+")
_PARTS = re.compile("[-_]")
_KNOWN = {language: frozenset(told.split()) for language, told in _FREQUENT.items()}


Stems: TypeAlias = Callable[[str], str]
"""Returns the stem of a word that was folded."""


def language_of(content: Content) -> str:
    """Return the code of the language in which a page's words are cut; "": they stay as they are.

    It is what the page says, ``de-AT`` or ``de_AT`` as well, or what its text seems to be. There
    are no more codes than stemmers, whatever pages call their languages.
    """
    told = _PARTS.split(content.language, maxsplit=1)[0].lower()
    code = told or guessed(f"{content.title}\n{content.text}")
    return code if code in _ALGORITHMS else ""


@cache
def stems(language: str) -> Stems:
    """Return what cuts words of a language, as `language_of` calls it, to their stems."""
    algorithm = _ALGORITHMS.get(language)
    if algorithm is None:
        return str
    # Whoever calls keeps what was cut; the library need not.
    stem: Stems = Stemmer.Stemmer(algorithm, 0).stemWord
    return stem


def guessed(text: str) -> str:
    """Return the language that a text seems to be in; "" if nothing can be told.

    By its letters, where they are those of few languages; else by its most frequent words.
    """
    seen = text[:LOOKED_AT].casefold()
    letters = sum(map(len, _WORD.findall(seen)))
    for language, script in () if seen.isascii() else _SCRIPTS:
        own = len(script.findall(seen))
        if own > letters / (10 if language == "ja" else 2):
            return language
    words = _WORD.findall(seen)
    counts = {
        language: sum(map(frequent.__contains__, words)) for language, frequent in _KNOWN.items()
    }
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] else ""
