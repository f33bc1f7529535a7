"""The encodings of hosts, and how hosts declare them: correctly, wrongly or not at all."""

from __future__ import annotations

from dataclasses import dataclass

from counterpoint.sim_web.generator import Web

LEGACY = {
    "en": ("windows-1252",),
    "ru": ("windows-1251", "koi8-r"),
    "de": ("windows-1252",),
    "zh": ("gb18030",),
    "ja": ("shift_jis",),
}
"""The encodings of a language before UTF-8."""

_TAKEN_FOR = {
    "utf-8": "windows-1252",
    "windows-1252": "utf-8",
    "windows-1251": "koi8-r",
    "koi8-r": "windows-1251",
    "gb18030": "utf-8",
    "shift_jis": "windows-1252",
}
"""The encoding that a wrong declaration names."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a host's pages are encoded.

    Attributes
    ----------
    language : str
        The language of the host's pages.
    name : str
        The true encoding.
    header, meta : str or None
        The encoding that Content-Type and the page itself declare; None: no declaration.
    """

    language: str
    name: str
    header: str | None
    meta: str | None


def picked(weights: dict[str, float], chance: float) -> str:
    """Return a key drawn by weight; ``chance`` is a uniform random number in [0, 1)."""
    left = chance * sum(weights.values())
    for key, weight in weights.items():
        if left < weight:
            return key
        left -= weight
    return next(key for key in reversed(weights) if weights[key] > 0)


def encoding(web: Web, host: int, edition: int = 0) -> Encoding:
    """Return how the pages of an edition of a host are encoded, and how the host declares it.

    The editions of a host are in the languages of the web in turn.
    """
    style = web.profile.style
    language = picked(style.languages, web.chance("language", host))
    if edition:
        spoken = [one for one, weight in style.languages.items() if weight > 0]
        language = spoken[(spoken.index(language) + edition) % len(spoken)]
    name = "utf-8"
    if web.chance("legacy", host) < style.legacy:
        old = LEGACY[language]
        name = old[int(web.chance("which legacy", host) * len(old))]
    declared = picked(style.declared, web.chance("declared", host))
    header = {"header": name, "wrong": _TAKEN_FOR[name]}.get(declared)
    return Encoding(language, name, header, name if declared == "meta" else None)
