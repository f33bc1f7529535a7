"""Ordinary documents written by compiled code: the bytes of `render.document`, many times faster.

Ordinary is a page without frames, without a fault of its own, asked for by its own address.
"""

from __future__ import annotations

import numpy as np

from counterpoint.compiling import Array, compiled
from counterpoint.sim_web.generator.kernels import copied, mixed, permuted
from counterpoint.sim_web.generator.web import NAMES, SYLLABLES

from .fragments import (
    BAD,
    BAD_END,
    BASE,
    BODY,
    CANONICAL,
    END,
    HEADED,
    HOSTS,
    HTTP,
    LINK,
    LINKED,
    NAME_LENGTH,
    NOFOLLOWED,
    OF_AFTER,
    OF_AMPS,
    OF_ANCHORS,
    OF_BAD,
    OF_BASES,
    OF_BEFORE,
    OF_DIGITS,
    OF_PARAGRAPHS,
    OF_QUESTIONS,
    OF_SITES,
    OF_SYLLABLES,
    OF_TITLES,
    OPENED,
    PARAGRAPH,
    PARAGRAPH_END,
    PER_THEME,
    SITES,
    SPACE,
    START_PAGE,
    TAG_END,
    TEST,
    THEME_ANCHOR,
    THEME_TITLE,
    TITLE_END,
    TOLD,
)
from .numbers import (
    ABSOLUTE,
    ALIAS,
    ALL_FOLDERS,
    ANCHOR,
    BAD_LINKS,
    BASED,
    CANONICALS,
    CODE,
    FIELDS,
    FRAMES,
    GENERAL,
    HASH,
    HEAD,
    HOST,
    MANNER,
    NO_FRAMES,
    NOFOLLOW,
    PARAGRAPHS,
    RELATIVE,
    START,
    THEME,
    VERSION,
    WAY,
    WORDS,
    drawn,
    fault_of,
    located,
)
from .text import ANCHORS, THEME_ANCHORS, THEME_TITLES, TITLES

_SLASH = np.uint8(ord("/"))
_ROOM = 12
"""Bytes of the longest way up, ``../`` four times."""
_FORM = ALL_FOLDERS * WORDS
_QUERY = 2
"""The form of address that has a query already."""
_WORDS, _BADS = len(SYLLABLES), len(BAD)

_BEGIN, _ORIGIN, _FOLDER, _FROM, _TO = -1, -2, -3, -4, -5
"""Parts that are no fragments: how the host's documents begin; its origin; the end of what gives
the folder of relative addresses, before the document; beginning and end of a relative address."""
_OF_PAGE, _OF_LINK = 128, 64
"""Parts of a page without its text and links, at most, and of a link."""


@compiled
def _number(number: int, base: int, parts: Array, n: int) -> int:
    """Write a number; ``n``: how many parts there are. Return how many there are then."""
    size, power = 1, number // base
    while power > 0:
        size += 1
        power //= base
    for k in range(n + size - 1, n - 1, -1):
        parts[k] = OF_DIGITS + number % base
        number //= base
    return n + size


@compiled
def _path(way: int, code: int, alias: int, parts: Array, n: int) -> int:
    """Write a path as it stands in HTML."""
    if way == START and alias == 1:
        parts[n] = START_PAGE
        return n + 1
    parts[n] = OF_BEFORE + way
    n += 1
    if way != START:
        n = _number(code, 36, parts, n)
        parts[n] = OF_AFTER + way
        n += 1
    kind = OF_AMPS if way // _FORM == _QUERY and way != START else OF_QUESTIONS
    parts[n] = kind + alias
    return n + 1


@compiled
def _name(spans: Array, key: np.uint64, host: int, parts: Array, n: int) -> int:
    """Write a host's name."""
    if host < spans[SITES]:
        parts[n] = OF_SITES + host
        return n + 1
    number = permuted(key, host, spans[HOSTS])
    for _ in range(spans[NAME_LENGTH]):
        parts[n] = OF_SYLLABLES + number % _WORDS
        number //= _WORDS
        n += 1
    parts[n] = TEST
    return n + 1


@compiled
def _missing(told: Array, spans: Array, own: int) -> bool:
    """Tell whether the pool lacks a theme; ``own``: the host's."""
    first = OF_SITES + spans[SITES]
    begin = HEAD + told[PARAGRAPHS]
    for k in range(HEAD, begin):
        if told[k] >= GENERAL and spans[TOLD + 2 * (first + own * PER_THEME)] < 0:
            return True
    for at in range(begin, len(told), FIELDS):
        theme = told[at + THEME]
        if theme >= 0 and spans[TOLD + 2 * (first + theme * PER_THEME)] < 0:
            return True
    return False


@compiled
def _paragraph(spans: Array, number: int, theme: int) -> int:
    if number < GENERAL:
        return OF_PARAGRAPHS + number
    return int(OF_SITES + spans[SITES] + theme * PER_THEME + number - GENERAL)


@compiled
def _anchor(spans: Array, manner: int, theme: int) -> int:
    which = manner // ANCHOR
    if theme < 0:
        return OF_ANCHORS + which % ANCHORS
    first = int(OF_SITES + spans[SITES] + theme * PER_THEME)
    return first + THEME_ANCHOR + which % THEME_ANCHORS


@compiled
def _links(spans: Array, told: Array, key: np.uint64, host: int, parts: Array, n: int) -> int:
    """Write all links of a page."""
    for link in range(HEAD + told[PARAGRAPHS], len(told), FIELDS):
        place, manner = told[link + HOST], told[link + MANNER]
        relative = place == host and manner & RELATIVE
        parts[n] = LINK
        n += 1
        if place != host:
            parts[n] = HTTP
            n = _name(spans, key, place, parts, n + 1)
        elif manner & (RELATIVE | ABSOLUTE):
            parts[n] = _FROM if relative else _ORIGIN
            n += 1
        n = _path(told[link + WAY], told[link + CODE], told[link + ALIAS], parts, n)
        if relative:
            parts[n] = _TO
            n += 1
        parts[n] = NOFOLLOWED if manner & NOFOLLOW else OPENED
        parts[n + 1] = _anchor(spans, manner, told[link + THEME])
        parts[n + 2] = LINKED
        n += 3
    return n


@compiled
def _title(spans: Array, told: Array, theme: int) -> int:
    """Return the fragment of a page's title."""
    themed, which = False, told[HASH] >> 32
    for number in told[HEAD : HEAD + told[PARAGRAPHS]]:
        themed = themed or number >= GENERAL
    if themed:
        first = int(OF_SITES + spans[SITES] + theme * PER_THEME)
        return int(first + THEME_TITLE + which % THEME_TITLES)
    return int(OF_TITLES + which % TITLES)


@compiled
def _head(seed: int, chances: Array, title: int, way: int, code: int, parts: Array) -> int:
    """Write what stands before the text, and before that the folder of relative addresses."""
    based = seed % 4096 < chances[BASED] * 4096
    base = OF_BASES + (seed >> 12 & 1)
    parts[0] = base
    n = 1 if based else _path(way, code, 0, parts, 0)
    parts[n], parts[n + 1], parts[n + 2], parts[n + 3] = _FOLDER, _BEGIN, title, SPACE
    n = _number(code, 36, parts, n + 4)
    parts[n] = TITLE_END
    n += 1
    if based:
        parts[n], parts[n + 1], parts[n + 2], parts[n + 3] = BASE, _ORIGIN, base, TAG_END
        n += 4
    if (seed >> 16) % 4096 < chances[CANONICALS] * 4096:
        parts[n], parts[n + 1] = CANONICAL, _ORIGIN
        n = _path(way, code, 0, parts, n + 2)
        parts[n] = TAG_END
        n += 1
    parts[n], parts[n + 1], parts[n + 2] = BODY, title, SPACE
    n = _number(code, 36, parts, n + 3)
    parts[n] = HEADED
    return n + 1


@compiled
def _parts(
    spans: Array, told: Array, chances: Array, key: np.uint64, host: int, way: int, code: int,
    theme: int,
) -> Array:  # fmt: skip
    """Return the parts of a document."""
    begin, seed = HEAD + told[PARAGRAPHS], told[HASH]
    room = _OF_PAGE + begin + 3 * told[BAD_LINKS] + (len(told) - begin) // FIELDS * _OF_LINK
    parts = np.empty(room, dtype=np.int64)
    n = _head(seed, chances, _title(spans, told, theme), way, code, parts)
    for k in range(HEAD, begin):
        parts[n] = _paragraph(spans, told[k], theme)
        n += 1
    if told[VERSION] > 0:
        parts[n] = PARAGRAPH
        n = _number(told[VERSION], 10, parts, n + 1)
        parts[n] = PARAGRAPH_END
        n += 1
    n = _links(spans, told, key, host, parts, n)
    for k in range(told[BAD_LINKS]):
        parts[n], parts[n + 1], parts[n + 2] = LINK, OF_BAD + ((seed >> 20) + k) % _BADS, BAD_END
        n += 3
    parts[n] = END
    return parts[: n + 1]


@compiled
def _shifted(body: Array, folder: int, begin: int, end: int) -> int:
    """Make an address relative to the folder that is ``folder`` bytes at the beginning of the body.

    There is room before it, from ``begin`` on. Return its end.
    """
    start, depth = begin + _ROOM, -1
    same = end - start >= folder
    for k in range(folder):
        depth += body[k] == _SLASH
        same = same and body[start + k] == body[k]
    start += folder if same else 1
    for _ in range(0 if same else depth):
        body[begin], body[begin + 1], body[begin + 2] = 46, 46, _SLASH
        begin += 3
    if start == end and same:
        body[begin], body[begin + 1] = 46, _SLASH
        return begin + 2
    for k in range(end - start):
        body[begin + k] = body[start + k]
    return begin + end - start


@compiled
def _place(spans: Array, part: int, own: int, head: int) -> tuple[int, int]:
    """Return where the bytes of a part are, in the pool or in what is the host's ``own``."""
    if part >= 0:
        return spans[TOLD + 2 * part], spans[TOLD + 2 * part + 1]
    if part == _BEGIN:
        return 0, head
    return (head, own) if part == _ORIGIN else (0, 0)


@compiled
def _laid(letters: Array, spans: Array, parts: Array, own: Array, head: int) -> Array:
    """Return a document from its parts; ``own`` and ``head`` as in `told_and_written`."""
    room = 0
    for part in parts:
        low, high = _place(spans, part, len(own), head)
        room += _ROOM + high - low
    body = np.empty(room, dtype=np.uint8)
    at = first = folder = begin = 0
    for part in parts:
        low, high = _place(spans, part, len(own), head)
        if part >= 0:
            copied(body, at, letters, low, high - low)
        else:
            copied(body, at, own, low, high - low)
        at += high - low
        if part == _FOLDER:
            first = folder = at
            while body[folder - 1] != _SLASH:
                folder -= 1
        elif part == _FROM:
            begin = at
            at += _ROOM
        elif part == _TO:
            at = _shifted(body, folder, begin, at)
    return body[first:at]


@compiled
def told_and_written(
    whole: Array, real: Array, chances: Array, law: Array, host: int, first: int, pages: int,
    page: int, way: int, code: int, theme: int, paragraphs: float, time: float, own: Array,
    head: int, letters: Array, spans: Array,
) -> tuple[Array, Array]:  # fmt: skip
    """Return what a page of a host says, as `drawn` does, and its document if it is ordinary.

    This is the one way in from Python: each further one would be compiled with `drawn` again, which
    takes seconds. Both arrays are empty if the page has a fault or another address. The document is
    empty if there are frames or the pool lacks a theme, or if no document is asked for.

    Parameters
    ----------
    whole, real, chances, law
        As in `Plan`.
    host, first, pages : int
        The host, its first page and how many it has.
    page : int
        The page, of which no document is written; negative: the page of the address.
    way, code : int
        Of the address.
    theme, paragraphs : int, float
        The host's theme; how many paragraphs a page has on average.
    time : float
    own, head : uint8 array, int
        How the host's documents begin, ``head`` bytes, then its origin.
    letters, spans
        As in `Pool`.
    """
    key = np.uint64(whole[0])
    bare, none = page >= 0, np.empty(0, dtype=np.uint8)
    if not bare:
        local, true_way = located(key, chances, host, pages, code)
        page = first + local
        if true_way != way or (chances[-1] > 0.0 and fault_of(key, chances, page) >= 0):
            return np.empty(0, dtype=np.int64), none
    told = drawn(whole, real, chances, law, page, host, first, pages, theme, paragraphs, time)
    if bare or told[FRAMES] != NO_FRAMES or _missing(told, spans, theme):
        return told, none
    names = mixed(key, NAMES)
    parts = _parts(spans, told, chances, names, host, way, code, theme)
    return told, _laid(letters, spans, parts, own, head)
