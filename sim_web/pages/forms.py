"""Pages behind forms: no link leads to them, and no sitemap names them.

The start page of a host has a form with one field. Each number from 1 to the number of the host's
hidden pages is an entry that has an answer; for others the host has nothing. Hidden pages are no
pages of the planted graph: they come in addition to it, and link only to their start page.
"""

from __future__ import annotations

import re

from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.profile import Profile

FORM = (
    b'<form method="get" action="/find"><input type="text" name="entry">'
    b'<input type="submit"></form>\n'
)
_FOUND = re.compile(r"/find\?entry=([1-9]\d{0,14})", re.ASCII)


def hidden(profile: Profile, first: int, last: int) -> int:
    """Return how many hidden pages belong to the pages from ``first`` to ``last - 1``.

    A web whose pages are divided into parts has as many hidden pages as its parts together.
    """
    share = profile.forms.hidden
    ratio = share / (1 - share)
    return round(last * ratio) - round(first * ratio)


def hidden_of(web: Web, host: int) -> int:
    """Return the number of hidden pages of a host."""
    pages = web.pages_of(host)
    return hidden(web.profile, pages.start, pages.stop)


def hidden_address(web: Web, host: int, entry: int) -> str:
    """Return the address to which the form of a host leads for an entry."""
    return f"http://{web.name(host)}/find?entry={entry}"


def entry_of(path: str, count: int) -> int | None:
    """Return the entry of a form whose answer has a path, if it is one of so many; else None."""
    found = _FOUND.fullmatch(path) if count else None
    return int(found[1]) if found and int(found[1]) <= count else None
