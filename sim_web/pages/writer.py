"""Writes the documents of ordinary pages with compiled code.

The bytes are those of `render.document`, many times faster. A page is ordinary if it has no frames
and no fault of its own, and is requested by its own address.

A document is assembled from parts. A part is the number of a fragment of the pool (see
`fragments`), or one of the negative numbers below. The private functions have these arguments in
common:

- ``parts`` (int64) gets the parts that a function writes, from index ``n`` on. The function returns
  the number of parts after that.
- ``letters`` and ``spans`` are as in `Pool`, and ``chances`` is as in `Plan`.
- ``content`` is from `drawn`; ``way``, ``code`` and ``alias`` are those of an address there.
- ``key`` is the key of the names of hosts, ``seed`` the hash of a page.
- ``host`` is the number of the page's host, and ``theme`` is the theme of that host.
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
    FIRST_SPAN,
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
"""The length of the longest way up, ``../`` four times."""
_FORM = ALL_FOLDERS * WORDS
_QUERY = 2
"""The form of addresses that already have a query."""
_WORDS, _BADS = len(SYLLABLES), len(BAD)

_BEGIN, _ORIGIN, _FOLDER, _FROM, _TO = -1, -2, -3, -4, -5
"""Parts that are not fragments: the beginning of all documents of the host; the host's origin; the
end of the path before the document, which gives the folder for relative addresses; the beginning
of a relative address; its end."""
_OF_PAGE, _OF_LINK = 128, 64
"""The most parts of a page without its text and links, and of one link."""


@compiled
def _number(number: int, base: int, parts: Array, n: int) -> int:
    """Write the digits of a number; the base is at most 36."""
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
    """Write the path of an address, escaped for HTML."""
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
    """Write the name of any host."""
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
def _missing(content: Array, spans: Array, own: int) -> bool:
    """Return whether the pool lacks a theme of a page; ``own`` is the theme of its host."""
    first = OF_SITES + spans[SITES]
    begin = HEAD + content[PARAGRAPHS]
    for k in range(HEAD, begin):
        if content[k] >= GENERAL and spans[FIRST_SPAN + 2 * (first + own * PER_THEME)] < 0:
            return True
    for at in range(begin, len(content), FIELDS):
        theme = content[at + THEME]
        if theme >= 0 and spans[FIRST_SPAN + 2 * (first + theme * PER_THEME)] < 0:
            return True
    return False


@compiled
def _paragraph(spans: Array, number: int, theme: int) -> int:
    """Return the fragment of a paragraph, from its index in the content and the host's theme."""
    if number < GENERAL:
        return OF_PARAGRAPHS + number
    return int(OF_SITES + spans[SITES] + theme * PER_THEME + number - GENERAL)


@compiled
def _anchor(spans: Array, manner: int, theme: int) -> int:
    """Return the fragment of a link's anchor, from the link's manner and theme (-1: none)."""
    which = manner // ANCHOR
    if theme < 0:
        return OF_ANCHORS + which % ANCHORS
    first = int(OF_SITES + spans[SITES] + theme * PER_THEME)
    return first + THEME_ANCHOR + which % THEME_ANCHORS


@compiled
def _links(spans: Array, content: Array, key: np.uint64, host: int, parts: Array, n: int) -> int:
    """Write all links of a page."""
    for link in range(HEAD + content[PARAGRAPHS], len(content), FIELDS):
        place, manner = content[link + HOST], content[link + MANNER]
        relative = place == host and manner & RELATIVE
        parts[n] = LINK
        n += 1
        if place != host:
            parts[n] = HTTP
            n = _name(spans, key, place, parts, n + 1)
        elif manner & (RELATIVE | ABSOLUTE):
            parts[n] = _FROM if relative else _ORIGIN
            n += 1
        n = _path(content[link + WAY], content[link + CODE], content[link + ALIAS], parts, n)
        if relative:
            parts[n] = _TO
            n += 1
        parts[n] = NOFOLLOWED if manner & NOFOLLOW else OPENED
        parts[n + 1] = _anchor(spans, manner, content[link + THEME])
        parts[n + 2] = LINKED
        n += 3
    return n


@compiled
def _title(spans: Array, content: Array, theme: int) -> int:
    """Return the fragment of a page's title; ``theme`` is that of its host."""
    themed, which = False, content[HASH] >> 32
    for number in content[HEAD : HEAD + content[PARAGRAPHS]]:
        themed = themed or number >= GENERAL
    if themed:
        first = int(OF_SITES + spans[SITES] + theme * PER_THEME)
        return int(first + THEME_TITLE + which % THEME_TITLES)
    return int(OF_TITLES + which % TITLES)


@compiled
def _head(seed: int, chances: Array, title: int, way: int, code: int, parts: Array) -> int:
    """Write the folder for relative addresses, then the document before its text."""
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
    spans: Array, content: Array, chances: Array, key: np.uint64, host: int, way: int, code: int,
    theme: int,
) -> Array:  # fmt: skip
    """Return the parts of a document; ``way`` and ``code`` are those of the page's address."""
    begin, seed = HEAD + content[PARAGRAPHS], content[HASH]
    room = _OF_PAGE + begin + 3 * content[BAD_LINKS] + (len(content) - begin) // FIELDS * _OF_LINK
    parts = np.empty(room, dtype=np.int64)
    n = _head(seed, chances, _title(spans, content, theme), way, code, parts)
    for k in range(HEAD, begin):
        parts[n] = _paragraph(spans, content[k], theme)
        n += 1
    if content[VERSION] > 0:
        parts[n] = PARAGRAPH
        n = _number(content[VERSION], 10, parts, n + 1)
        parts[n] = PARAGRAPH_END
        n += 1
    n = _links(spans, content, key, host, parts, n)
    for k in range(content[BAD_LINKS]):
        parts[n], parts[n + 1], parts[n + 2] = LINK, OF_BAD + ((seed >> 20) + k) % _BADS, BAD_END
        n += 3
    parts[n] = END
    return parts[: n + 1]


@compiled
def _shifted(body: Array, folder: int, begin: int, end: int) -> int:
    """Make an address in the body relative to a folder, and return where it then ends.

    The body begins with the path of the folder, ``folder`` bytes. The address is at ``begin +
    _ROOM`` to ``end``. The relative address is written to ``begin``.
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
    """Return where a part's bytes begin and end: in the pool, or in the host's own bytes.

    There are ``own`` of the host's own bytes; the first ``head`` of them begin its documents.
    """
    if part >= 0:
        return spans[FIRST_SPAN + 2 * part], spans[FIRST_SPAN + 2 * part + 1]
    if part == _BEGIN:
        return 0, head
    return (head, own) if part == _ORIGIN else (0, 0)


@compiled
def _laid(letters: Array, spans: Array, parts: Array, own: Array, head: int) -> Array:
    """Return a document from its parts; ``own`` and ``head`` are as in `draw_and_write`."""
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
def draw_and_write(
    whole: Array, real: Array, chances: Array, law: Array, host: int, first: int, pages: int,
    page: int, way: int, code: int, theme: int, paragraphs: float, time: float, own: Array,
    head: int, letters: Array, spans: Array,
) -> tuple[Array, Array]:  # fmt: skip
    """Return the content of a page of a host, as `drawn` does, and its document if it is ordinary.

    Python calls only this function of the module: for each further one, `drawn` would be compiled
    again, which takes seconds.

    Parameters
    ----------
    whole, real, chances, law
        As in `Plan`.
    host, first, pages : int
        The host, its first page and the number of its pages.
    page : int
        A page whose content is returned without a document; negative: the page of the address.
    way, code : int
        Of the address.
    theme : int
        The host's theme.
    paragraphs : float
        The average number of paragraphs of the host's pages.
    time : float
        Virtual time in seconds.
    own : uint8
        The beginning of all documents of the host, then the host's origin.
    head : int
        The length of that beginning in bytes.
    letters, spans
        As in `Pool`.

    Returns
    -------
    content : int64
        Empty if the page of the address has a fault or another address.
    document : uint8
        Empty if the content is, if ``page`` is given, if the page has frames, or if the pool lacks
        a theme.
    """
    key = np.uint64(whole[0])
    bare, none = page >= 0, np.empty(0, dtype=np.uint8)
    if not bare:
        local, true_way = located(key, chances, host, pages, code)
        page = first + local
        if true_way != way or (chances[-1] > 0.0 and fault_of(key, chances, page) >= 0):
            return np.empty(0, dtype=np.int64), none
    content = drawn(whole, real, chances, law, page, host, first, pages, theme, paragraphs, time)
    if bare or content[FRAMES] != NO_FRAMES or _missing(content, spans, theme):
        return content, none
    names = mixed(key, NAMES)
    parts = _parts(spans, content, chances, names, host, way, code, theme)
    return content, _laid(letters, spans, parts, own, head)
