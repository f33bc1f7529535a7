"""The text of a page, computed without writing its document.

A test compares it with the text that a parser finds in documents. The text of a page with frames
includes that of the documents in its frames.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from counterpoint.sim_web.generator import Web

from . import text
from .address import base36
from .host import Host, host
from .numbers import (
    ANCHOR,
    BAD_LINKS,
    FIELDS,
    HASH,
    HEAD,
    MANNER,
    PARAGRAPHS,
    THEME,
    VERSION,
    place_of,
)
from .plan import plan
from .render import Page, look


class PageText(NamedTuple):
    """The text of a page.

    Attributes
    ----------
    title : str
    text : str
        Heading, paragraphs and anchors, without the title and without tags.
    anchors : dict of int to str
        For each page to which the page links, the anchor of the first link to it.
    language : str
        Such as ``en``.
    """

    title: str
    text: str
    anchors: dict[int, str]
    language: str


def page_text(web: Web, page: int, time: float = 0.0) -> PageText:
    """Return the text of a page at a time."""
    laws = plan(web)
    number, code, way = place_of(laws.whole, laws.real, laws.chances, page)
    own = host(web, number)
    found = look(web, own, page, way, code, time)
    title = f"{_title(found)} {base36(code).decode()}"
    anchors, distinct = _anchors(found)
    bad = ("?",) * found.content[BAD_LINKS]
    whole = " ".join((title, *_paragraphs(found), *anchors, *bad))
    return PageText(title, whole, distinct, found.host.encoding.language)


def _title(page: Page) -> str:
    tables = _tables(page.host, page.host.theme if page.themed else -1)
    return tables.titles[(page.content[HASH] >> 32) % len(tables.titles)]


def _paragraphs(page: Page) -> list[str]:
    content, general = page.content, _tables(page.host, -1).paragraphs
    chosen = content[HEAD : HEAD + content[PARAGRAPHS]]
    if page.themed:
        general += _tables(page.host, page.host.theme).paragraphs
    found = [general[k] for k in chosen]
    if content[VERSION]:
        found.append(str(content[VERSION]))
    return found


def _anchors(page: Page) -> tuple[list[str], dict[int, str]]:
    """Return the anchors of all links, and those of the first links to pages."""
    content, own = page.content, page.host
    begin = HEAD + content[PARAGRAPHS]
    found = []
    for theme, manner in zip(
        content[begin + THEME :: FIELDS], content[begin + MANNER :: FIELDS], strict=True
    ):
        anchors = _tables(own, theme).anchors
        found.append(anchors[manner // ANCHOR % len(anchors)])
    distinct: dict[int, str] = {}
    for target, anchor in zip(content[begin::FIELDS], found, strict=True):
        distinct.setdefault(target, anchor)
    return found, distinct


class _Texts(NamedTuple):
    """The tables of `text.Tables` as str."""

    paragraphs: tuple[str, ...]
    titles: tuple[str, ...]
    anchors: tuple[str, ...]


def _tables(own: Host, theme: int) -> _Texts:
    return _decoded(theme, own.encoding.language, own.encoding.name)


@lru_cache(maxsize=512)
def _decoded(theme: int, language: str, encoding: str) -> _Texts:
    """Return the tables of a theme, or of the language if it is -1."""
    tables = (
        text.general(language, encoding) if theme < 0 else text.of_theme(theme, language, encoding)
    )
    paragraphs = (one.removeprefix(b"<p>").removesuffix(b"</p>\n") for one in tables.paragraphs)
    return _Texts(*(tuple(one.decode(encoding) for one in kind)
                    for kind in (paragraphs, tables.titles, tables.anchors)))  # fmt: skip
