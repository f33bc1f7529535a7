"""Detects the language of a text that declares none, and provides stemmers of languages."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import TypeAlias

import Stemmer

from counterpoint.crawler.policy.protocol import Content

LOOKED_AT = 2_000
"""Number of characters of a text by which its language is guessed."""

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
"""Characters that identify a language, or the most common language that uses them. A Japanese text
has more Chinese characters than kana, so kana come first."""

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
_KNOWN = {language: frozenset(words.split()) for language, words in _FREQUENT.items()}


Stems: TypeAlias = Callable[[str], str]
"""Returns the stem of a word that was folded."""


def language_of(content: Content) -> str:
    """Return the code of the language in which a page's words are stemmed; "": they are not.

    The language is the one that the page declares (also as ``de-AT`` or ``de_AT``), else the one
    that its text seems to be in. If there is no stemmer for it, the result is "".
    """
    declared = _PARTS.split(content.language, maxsplit=1)[0].lower()
    code = declared or guessed(f"{content.title}\n{content.text}")
    return code if code in _ALGORITHMS else ""


@cache
def stems(language: str) -> Stems:
    """Return the function that stems words of a language; `language_of` returns its code."""
    algorithm = _ALGORITHMS.get(language)
    if algorithm is None:
        return str
    # The caller caches stems, so the library need not.
    stem: Stems = Stemmer.Stemmer(algorithm, 0).stemWord
    return stem


def guessed(text: str) -> str:
    """Return the language that a text seems to be in; "" if it cannot be decided.

    A script that only few languages use decides; else the most frequent words decide.
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
