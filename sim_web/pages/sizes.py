"""The size of a page's text in bytes, and how much of it changes, without rendering the page.

A page's text consists of its encoded paragraphs and the line with its version. Titles do not count,
because they never change; anchors do not count, because they describe the linked pages. A rewritten
paragraph counts twice: its old text is removed, and its new text is added.
"""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array, compiled
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.generator.counting import first_pages
from counterpoint.sim_web.generator.packing import packed, unpacked
from counterpoint.sim_web.generator.subjects import relevant

from . import text
from .change import law, time_of, version_at
from .encoding import encoding
from .host import varied
from .numbers import GENERAL, HEAD, OF_THEME, choose_paragraphs, length_of

_TAGS = len(b"<p></p>\n")


@compiled
def _habits(whole: Array, real: Array, kind: Array, means: Array) -> tuple[Array, Array]:
    """Return for each page the number of paragraphs, and whether it is about its theme."""
    numbers = unpacked(whole, real)
    length = np.empty(len(kind), dtype=np.int32)
    themed = np.empty(len(kind), dtype=np.bool_)
    for page in range(len(kind)):
        length[page] = length_of(numbers.key, page, means[kind[page]])
        themed[page] = relevant(numbers, page)
    return length, themed


@compiled
def _digits(number: int) -> int:
    digits = 0
    while number > 0:
        digits += 1
        number //= 10
    return digits


@compiled
def compare_versions(
    key: np.uint64, page: int, old: int, new: int, number: int, themed: bool, lengths: Array
) -> tuple[int, int]:
    """Compare two versions of a page.

    Parameters
    ----------
    key : uint64
    page, old, new : int
        The page, and two of its versions.
    number : int
        The number of its paragraphs.
    themed : bool
        Whether it is about its theme.
    lengths : int64
        The bytes of each paragraph in the tables.

    Returns
    -------
    int, int
        The bytes of the new version, and the bytes that only one of the two versions has.
    """
    before = np.empty(HEAD + number, dtype=np.int64)
    now = np.empty(HEAD + number, dtype=np.int64)
    choose_paragraphs(key, page, old, number, themed, before)
    choose_paragraphs(key, page, new, number, themed, now)
    size, other = _digits(new), 0
    if old != new:
        other = _digits(old) + size
    for k in range(HEAD, HEAD + number):
        size += lengths[now[k]]
        if before[k] != now[k]:
            other += lengths[before[k]] + lengths[now[k]]
    return size, other


@compiled
def _all_compared(
    key: np.uint64, pages: Array, old: Array, new: Array, length: Array, themed: Array, rows: Array,
    lengths: Array,
) -> tuple[Array, Array]:  # fmt: skip
    """Return the results of `compare_versions`; ``rows`` has each page's row of ``lengths``."""
    size = np.empty(len(pages), dtype=np.int64)
    other = np.empty(len(pages), dtype=np.int64)
    for k in range(len(pages)):
        page = pages[k]
        size[k], other[k] = compare_versions(
            key, page, old[k], new[k], length[page], themed[page], lengths[rows[page]]
        )
    return size, other


@compiled
def _visited(
    key: np.uint64, law: Array, page: int, time: float, before: int, length: Array, themed: Array,
    rows: Array, lengths: Array,
) -> tuple[int, int, int]:  # fmt: skip
    """Return a page's version at a time, and its comparison with an earlier version.

    Parameters
    ----------
    key, law
        As in `Plan`.
    page : int
    time : float
        Virtual time in seconds.
    before : int
        The earlier version; negative: none.
    length, themed, rows, lengths
        As in `_all_compared`.
    """
    version = version_at(key, law, page, time)
    old = before if before >= 0 else version
    size, other = compare_versions(
        key, page, old, version, length[page], themed[page], lengths[rows[page]]
    )
    return version, size, other


@compiled
def _versions(key: np.uint64, law: Array, pages: Array, times: Array) -> Array:
    """Return the versions of pages at times."""
    found = np.empty(len(pages), dtype=np.int64)
    for k in range(len(pages)):
        found[k] = version_at(key, law, pages[k], times[k])
    return found


@compiled
def _times(key: np.uint64, law: Array, pages: Array, versions: Array) -> Array:
    """Return the times at which versions of pages began."""
    found = np.empty(len(pages))
    for k in range(len(pages)):
        found[k] = time_of(key, law, pages[k], versions[k])
    return found


class TextSizes:
    """The sizes of the texts of a web's pages, in each of their versions.

    Parameters
    ----------
    web : Web
        The web; 9 bytes are kept for each page.
    """

    def __init__(self, web: Web) -> None:
        rows: dict[tuple[str, str, int], int] = {}
        kind, kinds = _kinds(web)
        table = np.empty(len(kinds), dtype=np.int32)
        means = np.empty(len(kinds))
        lengths: list[list[int]] = []
        for number, (host, edition, theme) in enumerate(kinds):
            how = encoding(web, host, edition)
            tables = text.general(how.language, how.name)
            means[number] = web.profile.style.text_bytes / tables.mean_bytes
            table[number] = rows.setdefault((how.language, how.name, theme), len(rows))
            if len(rows) > len(lengths):
                of_theme = text.of_theme(theme, how.language, how.name)
                lengths.append(_lengths(tables, of_theme))
        self._key, self._law = web.numbers.key, law(web)
        self._lengths = np.array(lengths, dtype=np.int64).reshape(-1, GENERAL + OF_THEME)
        self._habits = (*_habits(*packed(web.numbers), kind, means), table[kind])

    @property
    def tables(self) -> tuple[Array, Array, Array, Array]:
        """The tables that compiled functions need.

        They are the number of paragraphs of each page, whether it is about its theme, its row in
        the last table, and the bytes of each paragraph.
        """
        return (*self._habits, self._lengths)

    def compared(self, pages: Array, old: Array, new: Array) -> tuple[Array, Array]:
        """Compare versions of pages.

        Parameters
        ----------
        pages, old, new : int64, shape (n,)
            Pages, and two versions of each (the number of changes by then).

        Returns
        -------
        int64, shape (n,), and int64, shape (n,)
            The bytes of the new version's text; the bytes that only one of the versions has.
        """
        return _all_compared(self._key, pages, old, new, *self._habits, self._lengths)

    def visited(self, page: int, time: float, before: int = -1) -> tuple[int, int, int]:
        """Return the version of a page at a time, its size, and its difference to another version.

        Parameters
        ----------
        page : int
        time : float
            Virtual time in seconds.
        before : int
            The other version; -1: there is none, and the difference is 0.
        """
        return _visited(self._key, self._law, page, time, before, *self._habits, self._lengths)

    def versions(self, pages: Array, times: Array) -> Array:
        """Return the version of each page at its time, int64, shape (n,)."""
        return _versions(self._key, self._law, pages, times)

    def times(self, pages: Array, versions: Array) -> Array:
        """Return when each page got a version, float64, shape (n,); infinite: it never does."""
        return _times(self._key, self._law, pages, versions)


def _lengths(general: text.Tables, of_theme: text.Tables) -> list[int]:
    return [len(one) - _TAGS for one in general.paragraphs + of_theme.paragraphs]


def _kinds(web: Web) -> tuple[Array, list[tuple[int, int, int]]]:
    """Return the kind of each page, and the host, the edition and the theme of each kind."""
    host = np.repeat(np.arange(web.hosts), np.diff(first_pages(web)))
    if not varied(web):
        themed = web.profile.themes.count > 1
        return host, [(k, 0, web.theme(k) if themed else 0) for k in range(web.hosts)]
    theme, _, edition = web.subjects()
    rows, kind = np.unique(np.stack((host, edition, theme)), axis=1, return_inverse=True)
    return kind.reshape(-1), [(a, b, c) for a, b, c in rows.T.tolist()]
