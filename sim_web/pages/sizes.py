"""How many bytes of text a page has, and how many are new or gone, without writing the page.

A page's text is its paragraphs, as encoded, and the line that tells its version. Titles and
anchors do not count: the ones never change, the others are about what is linked. A paragraph that
was rewritten is gone as it was, and new as it is.
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
    """Return each page's number of paragraphs, and whether it is about its theme."""
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
def _compared(
    key: np.uint64, page: int, old: int, new: int, number: int, themed: bool, lengths: Array
) -> tuple[int, int]:
    """Return the bytes of the new version, and of them and the old one's what the other lacks."""
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
    key: np.uint64, pages: Array, old: Array, new: Array, length: Array, themed: Array, of: Array,
    lengths: Array,
) -> tuple[Array, Array]:  # fmt: skip
    size = np.empty(len(pages), dtype=np.int64)
    other = np.empty(len(pages), dtype=np.int64)
    for k in range(len(pages)):
        page = pages[k]
        size[k], other[k] = _compared(
            key, page, old[k], new[k], length[page], themed[page], lengths[of[page]]
        )
    return size, other


@compiled
def _visited(
    key: np.uint64, law: Array, page: int, time: float, before: int, length: Array, themed: Array,
    of: Array, lengths: Array,
) -> tuple[int, int, int]:  # fmt: skip
    version = version_at(key, law, page, time)
    old = before if before >= 0 else version
    size, other = _compared(key, page, old, version, length[page], themed[page], lengths[of[page]])
    return version, size, other


@compiled
def _versions(key: np.uint64, law: Array, pages: Array, times: Array) -> Array:
    found = np.empty(len(pages), dtype=np.int64)
    for k in range(len(pages)):
        found[k] = version_at(key, law, pages[k], times[k])
    return found


@compiled
def _times(key: np.uint64, law: Array, pages: Array, versions: Array) -> Array:
    found = np.empty(len(pages))
    for k in range(len(pages)):
        found[k] = time_of(key, law, pages[k], versions[k])
    return found


class Texts:
    """The sizes of the texts of a web's pages, in each of their versions.

    Parameters
    ----------
    web : Web
        Its pages' habits are kept, 9 bytes for each.
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

    def compared(self, pages: Array, old: Array, new: Array) -> tuple[Array, Array]:
        """Compare versions of pages.

        Parameters
        ----------
        pages, old, new : int64[n]
            Pages, and two versions of each, that is how often it had changed.

        Returns
        -------
        int64[n], int64[n]
            The bytes of the new version's text; the bytes that are in one of them only.
        """
        return _all_compared(self._key, pages, old, new, *self._habits, self._lengths)

    def visited(self, page: int, time: float, before: int = -1) -> tuple[int, int, int]:
        """Return the version of a page at a time, its size, and what differs from another one.

        ``before`` is that other version; -1: there is none, and nothing differs.
        """
        return _visited(self._key, self._law, page, time, before, *self._habits, self._lengths)

    def versions(self, pages: Array, times: Array) -> Array:
        """Return how often pages had changed by times, int64[n]."""
        return _versions(self._key, self._law, pages, times)

    def times(self, pages: Array, versions: Array) -> Array:
        """Return when pages became versions, float64[n]; infinite: they never do."""
        return _times(self._key, self._law, pages, versions)


def _lengths(general: text.Tables, of_theme: text.Tables) -> list[int]:
    return [len(one) - _TAGS for one in general.paragraphs + of_theme.paragraphs]


def _kinds(web: Web) -> tuple[Array, list[tuple[int, int, int]]]:
    """Return the kind of each page, and of each kind its host, edition and theme."""
    host = np.repeat(np.arange(web.hosts), np.diff(first_pages(web)))
    if not varied(web):
        themed = web.profile.themes.count > 1
        return host, [(k, 0, web.theme(k) if themed else 0) for k in range(web.hosts)]
    theme, _, edition = web.subjects()
    rows, kind = np.unique(np.stack((host, edition, theme)), axis=1, return_inverse=True)
    return kind.reshape(-1), [(a, b, c) for a, b, c in rows.T.tolist()]
