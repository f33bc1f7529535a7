"""What is true of addresses and links, for whoever judges a crawler.

`links` are the planted links as they are written: of each target the address that the page names,
which may be an alias or the first of some redirects. `leads_to` says which page such an address
ends at, so that `leads_to` of `links`, each once and in order, is the page's `Web.out_links`. In a
page with frames they are spread over its documents, `documents`.
"""

from __future__ import annotations

from counterpoint.sim_web.answer import Kind
from counterpoint.sim_web.generator import Web

from . import render
from .address import address, name_of, path_of
from .host import host
from .numbers import ALIAS, CODE, FIELDS, HEAD, HOST, PARAGRAPHS, WAY
from .resolve import Place, host_named, resolve, split


def place_at(web: Web, url: str) -> Place | None:
    """Return what stands at a URL; None if it is none, or of no host of the web."""
    parts = split(url)
    if parts is None:
        return None
    found = host_named(web, parts[0])
    return resolve(web, found, parts[1]) if found else None


def kind_at(web: Web, url: str) -> Kind:
    """Return what kind of address a URL is."""
    place = place_at(web, url)
    if place is not None:
        return place.kind
    return Kind.BAD if split(url) is None else Kind.FOREIGN


def leads_to(web: Web, url: str) -> int | None:
    """Return the page that a crawler gets which asks for a URL and follows all redirects."""
    place = place_at(web, url)
    if place is None or place.what not in ("", "hop", "slash", "session"):
        return None
    return place.page if place.kind is not Kind.FRAME else None


def _look(web: Web, page: int) -> render.Page:
    of_page = host(web, web.host(page))
    place = place_at(web, address(web, page))
    assert place is not None
    return render.look(web, of_page, page, place.way, place.code, 0.0)


def _written(web: Web, page: int) -> list[tuple[int, str]]:
    told = _look(web, page).told
    found = []
    for at in range(HEAD + told[PARAGRAPHS], len(told), FIELDS):
        path = path_of(told[at + WAY], told[at + CODE], told[at + ALIAS]).decode()
        found.append((told[at + HOST], f"http://{name_of(web, told[at + HOST])}{path}"))
    return found


def links(web: Web, page: int) -> list[str]:
    """Return the planted links of a page as absolute URLs, in order, copies included."""
    return [url for _, url in _written(web, page)]


def external_links(web: Web, page: int) -> list[str]:
    """Return the links of a page to other hosts, each once, in order."""
    own = web.host(page)
    return list(dict.fromkeys(url for of, url in _written(web, page) if of != own))


def documents(web: Web, page: int) -> list[str]:
    """Return the URLs of a page's documents: its own address, then those of its frames."""
    look = _look(web, page)
    origin = look.host.origin.decode()
    frames = [render.frame_path(look.code, number).decode() for number in render.frames_of(look)]
    return [address(web, page), *(origin + path for path in frames)]
