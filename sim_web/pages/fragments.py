"""The fragments from which compiled code assembles documents, as bytes in one array.

Each fragment has a number; `Pool.spans` contains its begin and end in the array. The fragments of a
theme are added when a page first needs them.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from counterpoint.compiling import Array
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.generator.web import SYLLABLES, name_length

from . import text
from .address import AFTER, ANDS, BEFORE, QUESTIONS, START_ALIAS, base36, name_of
from .numbers import GENERAL, OF_THEME
from .text import ANCHORS, THEME_ANCHORS, THEME_TITLES, TITLES

BAD = (
    b"javascript:void(0)",
    b"javascript:window.open('map')",
    b"mailto:office@example.test",
    b"http://[",
    b"http:///",
    b"htp:/x",
    b"http://two words.test/",
    b"tel:+49-30-1234",
    b"data:text/plain,nothing",
    b"http://host.test:port/",
)
"""Values of href attributes that are not links."""

AMPS = tuple(one.replace(b"&", b"&amp;") for one in ANDS)
"""The suffixes of aliases after a question mark, escaped for HTML."""
BASES = tuple(b"/base/%b/" % one for one in (b"a", b"b"))
NOFOLLOW_END = b'" rel="nofollow">'

_MARKUP = (
    b'<a href="', b'">', NOFOLLOW_END, b"</a>\n", b'">?</a>\n', b"http://", b"./", b"../",
    b"</title>\n", b'<base href="', b'<link rel="canonical" href="', b'">\n',
    b"</head>\n<body>\n<h1>", b"</h1>\n", b"<p>", b"</p>\n", b"</body>\n</html>\n", b" ",
    START_ALIAS, b".test",
)  # fmt: skip
(LINK, OPENED, NOFOLLOWED, LINKED, BAD_END, HTTP, HERE, UP, TITLE_END, BASE, CANONICAL, TAG_END,
 BODY, HEADED, PARAGRAPH, PARAGRAPH_END, END, SPACE, START_PAGE,
 TEST) = range(len(_MARKUP))  # fmt: skip
"""The fragments of markup."""

_PARTS = tuple(one.encode() for one in SYLLABLES)
_DIGITS = tuple(map(base36, range(36)))
_SHARED = (_MARKUP, BEFORE, AFTER, QUESTIONS, AMPS, BASES, BAD, _PARTS, _DIGITS)
(OF_BEFORE, OF_AFTER, OF_QUESTIONS, OF_AMPS, OF_BASES, OF_BAD, OF_SYLLABLES, OF_DIGITS,
 OF_PARAGRAPHS) = accumulate(map(len, _SHARED))  # fmt: skip
OF_TITLES = OF_PARAGRAPHS + GENERAL
OF_ANCHORS = OF_TITLES + TITLES
OF_SITES = OF_ANCHORS + ANCHORS
"""The first fragment of each kind. The fragments of themes follow the names of sites."""

PER_THEME = OF_THEME + THEME_TITLES + THEME_ANCHORS
THEME_TITLE, THEME_ANCHOR = OF_THEME, OF_THEME + THEME_TITLES
"""The fragments of a theme are paragraphs, titles and anchors: where titles and anchors begin."""

HOSTS, NAME_LENGTH, SITES = range(3)
FIRST_SPAN = 3
"""The index of the first span. Before it are the numbers of hosts, of syllables in a name, and of
named sites."""


class Pool(NamedTuple):
    """The fragments of a language in an encoding.

    Attributes
    ----------
    letters : uint8
        The bytes of all fragments.
    spans : int64
        `FIRST_SPAN` numbers, then the begin and the end of each fragment; begin -1: not in the
        pool yet.
    """

    letters: Array
    spans: Array


def _extended(pool: Pool, first: int, fragments: tuple[bytes, ...]) -> Pool:
    """Return a pool with more fragments.

    The old pool stays unchanged, because other threads may read it.

    Parameters
    ----------
    pool : Pool
    first : int
        The number of the first new fragment.
    fragments : tuple of bytes
        The new fragments.
    """
    begin = len(pool.letters)
    ends = np.cumsum([len(one) for one in fragments]) + begin
    spans = pool.spans.copy()
    at = FIRST_SPAN + 2 * first
    spans[at : at + 2 * len(fragments) : 2] = [begin, *ends[:-1].tolist()]
    spans[at + 1 : at + 2 * len(fragments) : 2] = ends
    letters = np.frombuffer(b"".join(fragments), dtype=np.uint8)
    return Pool(np.concatenate((pool.letters, letters)), spans)


class Fragments:
    """The growing pool of a web's pages in one language and encoding."""

    def __init__(self, web: Web, language: str, encoding: str) -> None:
        self._how = language, encoding
        sites = len(web.profile.sites)
        self._themes = OF_SITES + sites
        last = self._themes + int(web.profile.themes.count) * PER_THEME
        spans = np.full(FIRST_SPAN + 2 * last, -1, dtype=np.int64)
        spans[:FIRST_SPAN] = web.hosts, name_length(web.hosts), sites
        empty = Pool(np.empty(0, dtype=np.uint8), spans)
        shared = sum(_SHARED, ())
        tables = text.general(language, encoding)
        pool = _extended(empty, 0, shared)
        pool = _extended(pool, OF_PARAGRAPHS, tables.paragraphs)
        names = tuple(name_of(web, host).encode() for host in range(sites))
        more = (*tables.titles, *tables.anchors, *names)
        self.pool = _extended(pool, OF_TITLES, more)

    def add(self, themes: set[int]) -> None:
        """Add the fragments of themes to the pool; -1 is ignored."""
        pool = self.pool
        for theme in sorted(themes - {-1}):
            first = self._themes + theme * PER_THEME
            if pool.spans[FIRST_SPAN + 2 * first] < 0:
                tables = text.of_theme(theme, *self._how)
                whole = (*tables.paragraphs, *tables.titles, *tables.anchors)
                pool = _extended(pool, first, whole)
        self.pool = pool


@lru_cache(maxsize=32)
def fragments(web: Web, language: str, encoding: str) -> Fragments:
    """Return the fragments of a web's pages in a language and an encoding."""
    return Fragments(web, language, encoding)
