"""The truth about addresses and links, for judging crawlers.

`links` returns the planted links as they are written on a page: an address may be an alias, or the
first of several redirects. `leads_to` returns the page to which such an address leads. So
`leads_to` of `links`, each once and in order, equals the page's `Web.out_links`. The links of a
page with frames are in several `documents`.
"""

from __future__ import annotations

from counterpoint.sim_web.answer import Kind
from counterpoint.sim_web.generator import Web

from . import render
from .address import address, name_of, path_of
from .host import host
from .numbers import ALIAS, CODE, FIELDS, HEAD, HOST, MANNER, NOFOLLOW, PARAGRAPHS, WAY
from .resolve import Place, host_named, resolve, split


def place_at(web: Web, url: str) -> Place | None:
    """Return the meaning of a URL; None if it is malformed or its host is not in the web."""
    parts = split(url)
    if parts is None:
        return None
    found = host_named(web, parts[0])
    return resolve(web, found, parts[1]) if found else None


def kind_at(web: Web, url: str) -> Kind:
    """Return the kind of an address."""
    place = place_at(web, url)
    if place is not None:
        return place.kind
    return Kind.BAD if split(url) is None else Kind.FOREIGN


def leads_to(web: Web, url: str) -> int | None:
    """Return the page that a crawler gets if it requests a URL and follows all redirects."""
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
    content = _look(web, page).content
    found = []
    for at in range(HEAD + content[PARAGRAPHS], len(content), FIELDS):
        path = path_of(content[at + WAY], content[at + CODE], content[at + ALIAS]).decode()
        found.append((content[at + HOST], f"http://{name_of(web, content[at + HOST])}{path}"))
    return found


def links(web: Web, page: int) -> list[str]:
    """Return the planted links of a page as absolute URLs, in order, copies included."""
    return [url for _, url in _written(web, page)]


def external_links(web: Web, page: int) -> list[str]:
    """Return the links of a page to other hosts, each once, in order."""
    own = web.host(page)
    return list(dict.fromkeys(url for host, url in _written(web, page) if host != own))


def link_kinds(web: Web, page: int) -> list[tuple[str, str]]:
    """Return the planted links of a page as pairs of an absolute URL and the kind of the link.

    The kind is ``nofollow`` for a link that is marked so, ``redirects`` for one to an address that
    redirects, else ``internal`` within the host and ``external`` to another one.
    """
    own, content = web.host(page), _look(web, page).content
    places = range(HEAD + content[PARAGRAPHS], len(content), FIELDS)
    found = []
    for at, (target, url) in zip(places, _written(web, page), strict=True):
        kind = "internal" if target == own else "external"
        if content[at + MANNER] & NOFOLLOW:
            kind = "nofollow"
        elif (place := place_at(web, url)) is not None and place.kind is Kind.REDIRECT:
            kind = "redirects"
        found.append((url, kind))
    return found


def documents(web: Web, page: int) -> list[str]:
    """Return the URLs of a page's documents: its own address, then those of its frames."""
    look = _look(web, page)
    origin = look.host.origin.decode()
    frames = [render.frame_path(look.code, number).decode() for number in render.frames_of(look)]
    return [address(web, page), *(origin + path for path in frames)]
