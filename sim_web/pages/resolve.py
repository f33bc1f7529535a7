"""Resolves addresses: this is the only module that interprets the paths of a host."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from counterpoint.sim_web.answer import Kind
from counterpoint.sim_web.generator import Web

from . import faults, forms, host, sitemap, traps
from .address import coded, without_alias
from .host import HOSTS_KEPT, Host
from .numbers import REDIRECTS, fault_of, frames_of_page, hops_of, located
from .plan import Plan, plan

_FRAME = re.compile(r"/frame/(0|[1-9a-z][0-9a-z]{0,11})/([12])\.html", re.ASCII)
_FAULT_ADDRESS = re.compile(
    r"/(missing|gone|stream|bomb)/([1-9a-z][0-9a-z]{0,11})\.html"
    r"|/(loop)/([1-9a-z][0-9a-z]{0,11})/([ab])",
    re.ASCII,
)
_FOLDER_OF = {folder: number for number, folder in faults.OWN_FOLDERS.items()}


class Place(NamedTuple):
    """The meaning of an address.

    Attributes
    ----------
    kind : Kind
        The kind of the address.
    page : int or None
        The page whose content is there, to which the address redirects, or which has an extra link
        to it.
    way, code : int
        The way and the code of that page's own address.
    what : str
        A subdivision of the kind: for a trap ``session``, ``calendar``, ``path``, ``query``,
        ``stream`` or ``bomb``; for a redirect ``hop``, ``slash`` or ``loop``; for a missing page
        ``gone`` or ``missing``.
    number : int
        For a redirect, the number of redirects up to the page, including this one; for a frame, its
        number; for a page behind a form, the entry that leads to it.
    """

    kind: Kind
    page: int | None = None
    way: int = 0
    code: int = 0
    what: str = ""
    number: int = 0


_NOTHING = Place(Kind.MISSING)


@lru_cache(maxsize=HOSTS_KEPT)
def host_named(web: Web, name: str) -> Host | None:
    """Return the host with a name; None if there is none."""
    number = web.named(name)
    return None if number is None else host.host(web, number)


def split(url: str) -> tuple[str, str] | None:
    """Return the host of a URL, in lower case without user and port, and the path with its query.

    The result is None if the URL is not an absolute URL of http, or has spaces or control
    characters.
    """
    if url[:7].lower() != "http://" or not url.isprintable() or " " in url:
        return None
    rest = url[7:].partition("#")[0]
    name, slash, path = rest.partition("/")
    if "?" in name:
        name, _, query = rest.partition("?")
        slash, path = "/?", query
    name = name.rpartition("@")[2].partition(":")[0].lower()
    return (name, (slash or "/") + path) if name else None


def own_fault(laws: Plan, page: int, code: int) -> int:
    """Return the fault of a page, an index of `faults.OF_PAGES`; -1: none."""
    if laws.chances[-1] <= 0.0:
        return -1
    fault = int(fault_of(laws.key, laws.chances, page))
    return fault if code or fault in faults.PASSING else -1


def resolve(web: Web, host: Host, path: str) -> Place:
    """Return the meaning of a path (with its query) of a host."""
    place = _as_page(plan(web), host, path)
    if place is not None:
        return place
    for read in _READERS:
        place = read(web, host, path)
        if place is not None:
            return place
    return _NOTHING


def _as_page(laws: Plan, host: Host, path: str) -> Place | None:
    """Return the meaning of a path that is a page's own address or a redirect to it, or None."""
    found = coded(path)
    if found is None:
        return None
    way, code = found
    local, own = located(laws.key, laws.chances, host.number, len(host.pages), code)
    if way == own:
        return Place(Kind.PAGE, host.pages.start + local, way, code)
    if way < REDIRECTS or local < 1:
        return None
    number = way - REDIRECTS + 1
    if number > hops_of(laws.key, laws.chances, host.pages.start + local):
        return None
    return Place(Kind.REDIRECT, host.pages.start + local, own, code, "hop", number)


def _at(laws: Plan, host: Host, code: int) -> tuple[int, int] | None:
    """Return the page with a code and its way; None if there is none."""
    local, way = located(laws.key, laws.chances, host.number, len(host.pages), code)
    return (host.pages.start + local, way) if local >= 0 else None


def _file(web: Web, host: Host, path: str) -> Place | None:
    if path == "/robots.txt":
        return Place(Kind.ROBOTS)
    return Place(Kind.SITEMAP) if sitemap.exists(host, path) else None


def _found(web: Web, host: Host, path: str) -> Place | None:
    entry = forms.entry_of(path, host.hidden)
    return Place(Kind.FORM, number=entry) if entry is not None else None


def _alias(web: Web, host: Host, path: str) -> Place | None:
    own = without_alias(path)
    place = _as_page(plan(web), host, own) if own is not None else None
    return place._replace(kind=Kind.ALIAS) if place and place.kind is Kind.PAGE else None


def _session(web: Web, host: Host, path: str) -> Place | None:
    own = traps.without_session(path) if host.session_ids else None
    place = _as_page(plan(web), host, own) if own is not None else None
    if place is None or place.kind is not Kind.PAGE:
        return None
    return place._replace(kind=Kind.TRAP, what="session")


def _calendar(web: Web, host: Host, path: str) -> Place | None:
    return Place(Kind.TRAP, what="calendar") if traps.is_calendar(host, path) else None


def _endless(web: Web, host: Host, path: str) -> Place | None:
    if traps.is_path(host, path):
        return Place(Kind.TRAP, what="path")
    return Place(Kind.TRAP, what="query") if traps.is_query(host, path) else None


def _frame(web: Web, host: Host, path: str) -> Place | None:
    found = _FRAME.fullmatch(path)
    laws = plan(web)
    at = _at(laws, host, int(found[1], 36)) if found else None
    if found is None or at is None or int(found[2]) > frames_of_page(laws.key, laws.chances, at[0]):
        return None
    return Place(Kind.FRAME, at[0], at[1], int(found[1], 36), number=int(found[2]))


_KINDS = {
    "missing": Kind.MISSING,
    "gone": Kind.MISSING,
    "stream": Kind.TRAP,
    "bomb": Kind.TRAP,
    "loop": Kind.REDIRECT,
}


def _fault_address(web: Web, host: Host, path: str) -> Place | None:
    found = _FAULT_ADDRESS.fullmatch(path)
    if found is None:
        return None
    folder, code = found[1] or found[3], int(found[2] or found[4], 36)
    laws = plan(web)
    at = _at(laws, host, code)
    if at is None or own_fault(laws, at[0], code) != _FOLDER_OF[folder]:
        return None
    return Place(_KINDS[folder], at[0], at[1], code, folder, number=int(found[5] == "b"))


def _slash(web: Web, host: Host, path: str) -> Place | None:
    place = _as_page(plan(web), host, path + "/") if path[-1] != "/" and "?" not in path else None
    if place is None or place.kind is not Kind.PAGE:
        return None
    return place._replace(kind=Kind.REDIRECT, what="slash", number=1)


_READERS: tuple[Callable[[Web, Host, str], Place | None], ...] = (
    _file, _found, _alias, _session, _calendar, _endless, _frame, _fault_address, _slash,
)  # fmt: skip
