"""What lists share: the address of a list with some parameters changed, and the filter by site."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import urlencode

from aiohttp import web

from counterpoint.crawler.store import site_list
from counterpoint.crawler.store.views import can_be_stored
from counterpoint.studio.rendering import Form
from counterpoint.studio.stored import asked

LIMIT = 50
"""How many rows a page of a list has."""


def addresses(
    path: str, kept: Mapping[str, str], sort: str, usual: str, descending: bool
) -> Callable[..., str]:
    """Return a function that makes the address of a list with some parameters changed.

    Parameters
    ----------
    path : str
    kept : mapping
        The filter: values by the names of fields. Empty ones are left out of the address.
    sort, usual : str
        The present order, and the one that needs no parameter.
    descending : bool
    """

    def again(**changes: str) -> str:
        parameters = {**kept, "sort": "" if sort == usual else sort,
                      "descending": "1" if descending else "", **changes}  # fmt: skip
        query = urlencode({name: value for name, value in parameters.items() if value})
        return f"{path}{'?' if query else ''}{query}"

    return again


async def with_number(request: web.Request, query: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """Return a query in which a site is given by its number, and the host that was typed.

    The host is "" if none was typed; the number is "" if no site of the store has the host.
    """
    host = query.get("site", "").strip()
    if not host or host.isdecimal():
        return dict(query), ""
    number = await asked(request, site_list.number_of, host) if can_be_stored(host) else None
    return {**query, "site": "" if number is None else str(number)}, host


def show_host(form: Form, host: str) -> None:
    """Show the host that was typed in the place of its number; an error if no site has it."""
    if host:
        if not form.values["site"]:
            form.errors["site"] = "No site of the store has this host."
        form.values["site"] = host
