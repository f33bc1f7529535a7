"""What a page says, as text, without writing its document and reading it again.

A test holds it against documents: what a reader of HTML finds there is what is told here. Of a page
with frames all is told that its document and theirs say.
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


class Said(NamedTuple):
    """What a page says.

    Attributes
    ----------
    title : str
    text : str
        Without the title and without tags: heading, paragraphs, anchors.
    anchors : dict of int to str
        By the page linked to, the anchor of the first link to it.
    language : str
    """

    title: str
    text: str
    anchors: dict[int, str]
    language: str


def said(web: Web, page: int, time: float = 0.0) -> Said:
    """Return what a page says at a time."""
    told = plan(web)
    number, code, way = place_of(told.whole, told.real, told.chances, page)
    own = host(web, number)
    found = look(web, own, page, way, code, time)
    title = f"{_title(found)} {base36(code).decode()}"
    anchors, distinct = _anchors(found)
    bad = ("?",) * found.told[BAD_LINKS]
    whole = " ".join((title, *_paragraphs(found), *anchors, *bad))
    return Said(title, whole, distinct, found.host.encoding.language)


def _title(page: Page) -> str:
    tables = _tables(page.host, page.host.theme if page.themed else -1)
    return tables.titles[(page.told[HASH] >> 32) % len(tables.titles)]


def _paragraphs(page: Page) -> list[str]:
    told, general = page.told, _tables(page.host, -1).paragraphs
    chosen = told[HEAD : HEAD + told[PARAGRAPHS]]
    if page.themed:
        general += _tables(page.host, page.host.theme).paragraphs
    found = [general[k] for k in chosen]
    if told[VERSION]:
        found.append(str(told[VERSION]))
    return found


def _anchors(page: Page) -> tuple[list[str], dict[int, str]]:
    """Return the anchors of all links, and those of the first links to pages."""
    told, own = page.told, page.host
    begin = HEAD + told[PARAGRAPHS]
    found = []
    for theme, manner in zip(
        told[begin + THEME :: FIELDS], told[begin + MANNER :: FIELDS], strict=True
    ):
        anchors = _tables(own, theme).anchors
        found.append(anchors[manner // ANCHOR % len(anchors)])
    distinct: dict[int, str] = {}
    for target, anchor in zip(told[begin::FIELDS], found, strict=True):
        distinct.setdefault(target, anchor)
    return found, distinct


class _Texts(NamedTuple):
    """`text.Tables` as text."""

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
