"""The properties that all pages of a host share, computed once and cached."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from counterpoint.sim_web.generator import Web

from . import faults, forms, text
from .address import name_of
from .encoding import Encoding, encoding

HOSTS_KEPT = 32_768
"""How many hosts are cached: all of a web of a million pages."""


@dataclass(frozen=True, slots=True)
class Host:
    """The properties of a host; if its pages differ in theme or language, those of one page.

    Attributes
    ----------
    number : int
        The number of the host.
    pages : range
        Its pages.
    origin : bytes
        Scheme and host name, such as ``http://tarivo.test``.
    encoding : Encoding
        Its language and encoding.
    tables : text.Tables
        The texts of its language.
    theme : int
        Its theme.
    paragraphs : float
        The number of paragraphs of a page, on average.
    head : bytes
        The beginning of its documents, up to the title.
    content_type : tuple of (str, str)
        The header Content-Type.
    gzip, brotli, chunked : bool
        Whether it compresses with gzip and with br, and whether it sends chunks.
    calendar, endless_paths, endless_queries, session_ids : bool
        Whether it has these traps.
    sitemap, sitemap_errors : bool
        Whether it has a sitemap, and whether that names wrong addresses.
    hidden : int
        The number of its pages behind a form.
    vanishes_at : float
        The virtual time at which it stops answering; infinite: never.
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
    endless_paths: bool
    endless_queries: bool
    session_ids: bool
    sitemap: bool
    sitemap_errors: bool
    hidden: int
    vanishes_at: float

    @property
    def has_trap_at_start(self) -> bool:
        """Whether its start page links to a trap."""
        return self.calendar or self.endless_paths or self.endless_queries


def of_page(web: Web, own: Host, page: int) -> Host:
    """Return a host with the language and the theme of one of its pages."""
    if not varied(web):
        return own
    theme, _, edition = web.subjects(page, 1)[:, 0].tolist()
    return host(web, own.number, edition, theme)


def varied(web: Web) -> bool:
    """Return whether the pages of a host can have several themes or languages."""
    shown = web.profile
    return bool(
        shown.themes.sections > 0 or shown.hosts.editions > 1 or shown.articles.languages > 0
    )


@lru_cache(maxsize=HOSTS_KEPT)
def host(web: Web, number: int, edition: int = 0, theme: int | None = None) -> Host:
    """Return a host of a web.

    Parameters
    ----------
    web : Web
    number : int
        The number of the host.
    edition : int
        The edition whose language it gets.
    theme : int, optional
        The theme it gets; by default its own.
    """
    profile, chance = web.profile, web.chance
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
        paragraphs=profile.style.text_bytes / tables.mean_bytes,
        head=head.encode(),
        content_type=("Content-Type", "text/html" + declared),
        gzip=chance("gzip", number) < profile.style.gzip,
        brotli=chance("brotli", number) < profile.style.brotli,
        chunked=chance("chunked", number) < profile.style.chunked,
        calendar=chance("calendar", number) < profile.faults.calendar,
        endless_paths=chance("endless paths", number) < profile.faults.endless_paths,
        endless_queries=chance("endless queries", number) < profile.faults.endless_queries,
        session_ids=chance("session ids", number) < profile.faults.session_ids,
        sitemap=has_sitemap(web, number),
        sitemap_errors=chance("sitemap errors", number) < profile.faults.sitemap_errors,
        hidden=forms.hidden_of(web, number),
        vanishes_at=faults.vanishes_at(web, number) if profile.faults.vanish else math.inf,
    )


def has_sitemap(web: Web, number: int) -> bool:
    """Return whether a host has a sitemap."""
    return web.chance("sitemap", number) < web.profile.style.sitemaps
