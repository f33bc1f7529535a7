"""Renders the numbers of a page as HTML documents.

All links of a page are in its own document, unless it has frames. An iframe has the second half of
the links. A frameset has none, and its two frames have a half each. So the links of a page are
those of its own document and of the documents in its frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from counterpoint.compiling import Array
from counterpoint.sim_web.generator import Web

from . import text
from .address import AFTER, BEFORE, CUBE, QUESTIONS, SHORT, START_ALIAS, base36, name_of, path_of
from .forms import FORM
from .fragments import AMPS, BAD, BASES, NOFOLLOW_END
from .host import Host, of_page
from .numbers import (
    ABSOLUTE,
    ANCHOR,
    BAD_LINKS,
    FIELDS,
    FRAMES,
    FRAMESET,
    GENERAL,
    HASH,
    HEAD,
    IFRAME,
    PARAGRAPHS,
    RELATIVE,
    START,
    VERSION,
)
from .plan import plan
from .writer import draw_and_write

_NO_LETTERS: Array = np.empty(0, dtype=np.uint8)
_NO_SPANS: Array = np.empty(0, dtype=np.int64)
_UP = tuple(b"../" * depth for depth in range(5))
_ABSOLUTE_OR_RELATIVE = ABSOLUTE | RELATIVE
_QUERY = tuple(b"?" in before for before in BEFORE)
_ENDS = (b'">', b'">', b'">', b'">', *[NOFOLLOW_END] * 4)


class Page(NamedTuple):
    """A page as numbers, from which its documents are rendered.

    Attributes
    ----------
    number : int
        The number of the page.
    host : Host
        Its host, with the language and the theme of this page.
    way, code : int
        The way and the code of its address.
    content : list of int
        Its content as numbers, from `numbers.drawn`.
    themed : bool
        Whether some of its text is about its theme.
    """

    number: int
    host: Host
    way: int
    code: int
    content: list[int]
    themed: bool

    @property
    def version(self) -> int:
        """How often the page has changed."""
        return self.content[VERSION]

    @property
    def path(self) -> bytes:
        """The path of its address."""
        return path_of(self.way, self.code)

    @property
    def links(self) -> int:
        """The number of links, copies included."""
        return (len(self.content) - HEAD - self.content[PARAGRAPHS]) // FIELDS


def look(web: Web, host: Host, page: int, way: int, code: int, time: float) -> Page:
    """Return the numbers of a page at a time.

    Parameters
    ----------
    web : Web
    host : Host
        The page's host.
    page, way, code : int
        The page, and the way and the code of its address.
    time : float
        Virtual time in seconds.
    """
    of_web, host = plan(web), of_page(web, host, page)
    numbers, _ = draw_and_write(
        of_web.whole, of_web.real, of_web.chances, of_web.law, host.number, host.pages.start,
        len(host.pages), page, way, code, host.theme, host.paragraphs, float(time), _NO_LETTERS, 0,
        _NO_LETTERS, _NO_SPANS,
    )  # fmt: skip
    content = numbers.tolist()
    themed = max(content[HEAD : HEAD + content[PARAGRAPHS]], default=0) >= GENERAL
    return Page(page, host, way, code, content, themed)


def document(web: Web, page: Page, extras: Sequence[bytes] = ()) -> bytes:
    """Return a page's own document.

    Parameters
    ----------
    web : Web
    page : Page
    extras : sequence of bytes
        The paths of extra links to the page's host, which are not links of the planted graph.
    """
    host, content = page.host, page.content
    frames = content[FRAMES]
    path = page.path
    title = _title(page)
    parts = [host.head, title, b"</title>\n"]
    folder = path[: path.rindex(b"/") + 1]
    seed = content[HASH]
    if seed % 4096 < web.profile.style.base * 4096:
        folder = BASES[seed >> 12 & 1]
        parts += (b'<base href="', host.origin, folder, b'">\n')
    if (seed >> 16) % 4096 < web.profile.style.canonical * 4096:
        parts += (b'<link rel="canonical" href="', host.origin, path, b'">\n')
    if frames == FRAMESET:
        return _frameset(page, parts)
    parts += (b"</head>\n<body>\n<h1>", title, b"</h1>\n")
    _write_text(page, parts)
    last = page.links if frames != IFRAME else page.links // 2
    _write_links(web, page, parts, folder, 0, last)
    if extras or content[BAD_LINKS] or (page.way == START and host.hidden):
        _write_more(page, parts, extras)
    if frames == IFRAME:
        parts += (b'<iframe src="', frame_path(page.code, 1), b'"></iframe>\n')
    parts.append(b"</body>\n</html>\n")
    return b"".join(parts)


def frame_path(code: int, number: int) -> bytes:
    """Return the path of a frame (1 or 2) of the page with a code."""
    return b"/frame/%b/%d.html" % (base36(code), number)


def frames_of(page: Page) -> range:
    """Return the numbers of a page's frames."""
    return range(1, (1, 3, 2)[page.content[FRAMES]])


def frame(web: Web, page: Page, number: int, extras: Sequence[bytes] = ()) -> bytes:
    """Return the document of a frame, with a half of the page's links.

    Parameters
    ----------
    web : Web
    page : Page
    number : int
        The frame, 1 or 2.
    extras : sequence of bytes
        As in `document`; the second frame of a frameset contains these links.
    """
    half = page.links // 2
    first, last = (0, half) if number == 1 else (half, page.links)
    if page.content[FRAMES] == IFRAME:
        first, last = half, page.links
    parts = [page.host.head, _title(page), b"</title>\n</head>\n<body>\n"]
    path = frame_path(page.code, number)
    _write_links(web, page, parts, path[: path.rindex(b"/") + 1], first, last)
    if number == 2:
        _write_more(page, parts, extras)
    parts.append(b"</body>\n</html>\n")
    return b"".join(parts)


def _frameset(page: Page, parts: list[bytes]) -> bytes:
    parts.append(b'</head>\n<frameset cols="30%,70%">\n')
    for number in (1, 2):
        parts += (b'<frame src="', frame_path(page.code, number), b'">\n')
    parts.append(b"<noframes><body>\n")
    _write_text(page, parts)
    parts.append(b"</body></noframes>\n</frameset>\n</html>\n")
    return b"".join(parts)


def _title(page: Page) -> bytes:
    seed = page.content[HASH] >> 32
    host = page.host
    titles = (_of_theme(host) if page.themed else host.tables).titles
    return b"%b %b" % (titles[seed % len(titles)], base36(page.code))


def _write_text(page: Page, parts: list[bytes]) -> None:
    host, content = page.host, page.content
    chosen = content[HEAD : HEAD + content[PARAGRAPHS]]
    general = host.tables.paragraphs
    if page.themed:
        both = general + _of_theme(host).paragraphs
        parts += [both[k] for k in chosen]
    else:
        parts += [general[k] for k in chosen]
    if content[VERSION]:
        parts.append(b"<p>%d</p>\n" % content[VERSION])


def _write_more(page: Page, parts: list[bytes], extras: Sequence[bytes]) -> None:
    """Write what is not in the planted graph: a form, extra links, and bad links."""
    if page.way == START and page.host.hidden:
        parts.append(FORM)
    for extra in extras:
        parts += (b'<a href="', extra.replace(b"&", b"&amp;"), b'">+</a>\n')
    seed = page.content[HASH] >> 20
    for number in range(page.content[BAD_LINKS]):
        parts += (b'<a href="', BAD[(seed + number) % len(BAD)], b'">?</a>\n')


def _write_links(
    web: Web, page: Page, parts: list[bytes], folder: bytes, first: int, last: int
) -> None:
    """Write the links with indices ``first`` to ``last - 1``.

    Parameters
    ----------
    web : Web
    page : Page
    parts : list of bytes
        Gets the text.
    folder : bytes
        The folder to which relative addresses are relative.
    first, last : int
    """
    content, host = page.content, page.host
    begin = HEAD + content[PARAGRAPHS]
    anchors, number = host.tables.anchors, host.number
    for at in range(begin + first * FIELDS, begin + last * FIELDS, FIELDS):
        _, place, way, code, alias, manner, theme = content[at : at + FIELDS]
        if way == START:
            path = b"/"
        else:
            path = BEFORE[way] + (SHORT[code] if code < CUBE else base36(code)) + AFTER[way]
        if alias:
            path = _with_alias(path, way, alias)
        if place != number:
            path = b"http://%b%b" % (_name(web, place), path)
        elif manner & _ABSOLUTE_OR_RELATIVE:
            path = _relative(path, folder) if manner & RELATIVE else host.origin + path
        which = manner // ANCHOR
        if theme < 0:
            anchor = anchors[which % text.ANCHORS]
        else:
            anchor = _of_theme(host, theme).anchors[which % text.THEME_ANCHORS]
        parts += (b'<a href="', path, _ENDS[manner & 7], anchor, b"</a>\n")


def _with_alias(path: bytes, way: int, alias: int) -> bytes:
    if way == START and alias == 1:
        return START_ALIAS
    return path + (AMPS if way != START and _QUERY[way] else QUESTIONS)[alias]


def _relative(path: bytes, folder: bytes) -> bytes:
    """Return a path relative to a folder, which ends with a slash."""
    if path.startswith(folder):
        return path[len(folder) :] or b"./"
    return _UP[folder.count(b"/") - 1] + path[1:] or b"./"


@lru_cache(maxsize=65_536)
def _name(web: Web, host: int) -> bytes:
    return name_of(web, host).encode()


def _of_theme(host: Host, theme: int = -1) -> text.Tables:
    how = host.encoding
    return text.of_theme(host.theme if theme < 0 else theme, how.language, how.name)


def behind_form(web: Web, host: Host, entry: int) -> bytes:
    """Return the page of a host that is the answer to an entry of its form."""
    seed = web.bits("hidden", host.number, entry)
    titles, paragraphs = host.tables.titles, host.tables.paragraphs
    title = b"%b %d" % (titles[seed % len(titles)], entry)
    parts = [host.head, title, b"</title>\n</head>\n<body>\n<h1>", title, b"</h1>\n"]
    count = max(1, round(host.paragraphs))
    parts += [paragraphs[(seed >> 8) * (k + 1) % len(paragraphs)] for k in range(count)]
    parts.append(b'<a href="/">/</a>\n</body>\n</html>\n')
    return b"".join(parts)
