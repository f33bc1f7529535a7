"""What all pages of a host share, put together once; hosts asked for lately are kept."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from counterpoint.sim_web.generator import Web

from . import faults, text
from .address import name_of
from .encoding import Encoding, encoding

HOSTS_KEPT = 32_768
"""Of which what was put together is kept: all of a web of a million pages."""


@dataclass(frozen=True, slots=True)
class Host:
    """A host with its habits; where its pages differ in them, with those of a page.

    Attributes
    ----------
    number : int
        The host.
    pages : range
        Its pages.
    origin : bytes
        Such as ``http://tarivo.test``.
    encoding : Encoding
        With the language.
    tables : text.Tables
        The language's text.
    theme : int
        The host's theme.
    paragraphs : float
        How many a page has, on average.
    head : bytes
        How its documents begin, up to the title.
    content_type : tuple of (str, str)
        The header.
    gzip, brotli, chunked : bool
        How it sends.
    calendar, session_ids : bool
        Its traps.
    sitemap : bool
        Whether it has one.
    vanishes_at : float
        When it is gone; infinite: never.
    """

    number: int
    pages: range
    origin: bytes
    encoding: Encoding
    tables: text.Tables
    theme: int
    paragraphs: float
    head: bytes
    content_type: tuple[str, str]
    gzip: bool
    brotli: bool
    chunked: bool
    calendar: bool
    session_ids: bool
    sitemap: bool
    vanishes_at: float


def of_page(web: Web, of: Host, page: int) -> Host:
    """Return a host as it is for one of its pages: in its language, with its theme."""
    if not varied(web):
        return of
    theme, _, edition = web.subjects(page, 1)[:, 0].tolist()
    return host(web, of.number, edition, theme)


def varied(web: Web) -> bool:
    """Tell whether pages of one host can be of several themes or languages."""
    return bool(web.profile.themes.sections > 0 or web.profile.hosts.editions > 1)


@lru_cache(maxsize=HOSTS_KEPT)
def host(web: Web, number: int, edition: int = 0, theme: int | None = None) -> Host:
    """Return a host of a web, with an edition's language and a theme; by default its own."""
    told, chance = web.profile, web.chance
    how = encoding(web, number, edition)
    tables = text.general(how.language, how.name)
    declared = f"; charset={how.header}" if how.header else ""
    meta = f'<meta charset="{how.meta}">\n' if how.meta else ""
    head = f'<!DOCTYPE html>\n<html lang="{how.language}">\n<head>\n{meta}<title>'
    return Host(
        number=number,
        pages=web.pages_of(number),
        origin=f"http://{name_of(web, number)}".encode(),
        encoding=how,
        tables=tables,
        theme=web.theme(number) if theme is None else theme,
        paragraphs=told.style.text_bytes / tables.mean_bytes,
        head=head.encode(),
        content_type=("Content-Type", "text/html" + declared),
        gzip=chance("gzip", number) < told.style.gzip,
        brotli=chance("brotli", number) < told.style.brotli,
        chunked=chance("chunked", number) < told.style.chunked,
        calendar=chance("calendar", number) < told.faults.calendar,
        session_ids=chance("session ids", number) < told.faults.session_ids,
        sitemap=has_sitemap(web, number),
        vanishes_at=faults.vanishes_at(web, number) if told.faults.vanish else math.inf,
    )


def has_sitemap(web: Web, number: int) -> bool:
    """Tell whether a host has a sitemap."""
    return web.chance("sitemap", number) < web.profile.style.sitemaps
