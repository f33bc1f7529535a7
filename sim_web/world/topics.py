"""The topics of a web: a query for each, and the pages that are relevant to it.

A topic is the number of a theme. Judgments are the truth about the web: a page is relevant if it
was planted as being about the theme, in any language.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages import words
from counterpoint.sim_web.pages.address import address

QUERY_WORDS = 2
"""How many words of each language a query has."""


def must_have(web: Web, theme: int) -> None:
    """Check that a web has a topic.

    Raises
    ------
    WebError
        If it has no topic of that number.
    """
    count = int(web.profile.themes.count)
    if count < 2:
        raise WebError(f"{web.profile.name}: the web has no topics: all its pages have one theme")
    if not 0 <= theme < count:
        raise WebError(f"topic {theme}: {web.profile.name} has topics 0 to {count - 1}")


def query(web: Web, theme: int) -> str:
    """Return a query for a theme: words in each language of the web, the main language first."""
    weights = web.profile.style.languages
    spoken = sorted((one for one in weights if weights[one] > 0), key=lambda one: -weights[one])
    return " ".join(
        word for language in spoken for word in words.theme_words(theme, language)[:QUERY_WORDS]
    )


def middle(web: Web, number: int) -> list[int]:
    """Return the topics whose numbers of relevant pages are nearest to the median, ascending."""
    themes, about, _ = web.subjects()
    counts = np.bincount(themes[about == 1], minlength=int(web.profile.themes.count))
    near = np.argsort(np.abs(counts - np.median(counts)), kind="stable")
    return sorted(int(theme) for theme in near[:number])


def qrels(web: Web, themes: Iterable[int]) -> Iterator[str]:
    """Yield judgments as lines of a qrels file of TREC: topic, 0, a relevant page's address, 1.

    Addresses without a line are not relevant; neither are aliases of the address of a page.
    """
    for theme in themes:
        must_have(web, theme)
        for page in np.flatnonzero(web.relevant_to(theme)):
            yield f"{theme} 0 {address(web, int(page))} 1"
