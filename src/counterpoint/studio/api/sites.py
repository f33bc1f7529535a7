"""The sites in the API: listed, added, imported, changed, removed, and tried again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store import seeds, site_list
from counterpoint.crawler.store.places import read_place, token_of
from counterpoint.crawler.store.schema import Standing
from counterpoint.crawler.store.seeds import SiteRow
from counterpoint.studio.api.declared import (
    ApiError,
    Endpoint,
    Given,
    Parameter,
    choice,
    number,
    switch,
)
from counterpoint.studio.api.shapes import Schema
from counterpoint.studio.listing import LIMIT
from counterpoint.studio.stored import asked, changed

MOST = 200
"""The most entries of a list that one request can have."""
LIMITED = number("limit", "The most entries.", MOST, 1, LIMIT)
AFTER = Parameter("after", "A value of next: go on there.", usual="")
BEFORE = Parameter("before", "A value of previous: go back from there.", usual="")
_SITE = number("number", "The number of the site.", 999_999_999)
_NUMBER = {"type": ["integer", "null"], "minimum": 0, "maximum": 10**9}
_FIELDS: Schema = {
    "start": {"type": "string"}, "full_name": {"type": "string"}, "short_name": {"type": "string"},
    "level": _NUMBER, "cap": {**_NUMBER, "minimum": 1},
}  # fmt: skip


class SiteList(NamedTuple):
    """A part of the list of sites, and how many match; ``next`` is "" at the end of the list."""

    items: list[SiteRow]
    next: str
    total: int


class Number(NamedTuple):
    """How many there were."""

    number: int


async def list_sites(given: Given) -> SiteList:
    """Return a part of the list of sites."""
    values = given.values
    wanted = site_list.SiteSearch(
        values["words"], None if values["standing"] is None else Standing(values["standing"]),
        values["sort"], values["descending"],
    )  # fmt: skip
    try:
        first = read_place(values["after"], _fits)[0] if values["after"] else 0
    except CrawlError as error:
        raise ApiError(422, "after is wrong.", {"after": f"{error}."}) from error
    found = await asked(given.request, site_list.search, wanted, first, values["limit"])
    end = first + len(found.rows)
    more = end < found.total and bool(found.rows)
    return SiteList(found.rows, token_of([end]) if more else "", found.total)


def _fits(values: list[Any]) -> bool:
    return len(values) == 1 and type(values[0]) is int and 0 <= values[0] < 2**31


async def show_site(given: Given) -> SiteRow:
    """Return a site."""
    site = await asked(given.request, site_list.one, given.values["number"])
    if site is None:
        raise ApiError(404, f"There is no site {given.values['number']}.")
    return site


async def add_site(given: Given) -> SiteRow:
    """Add a site, and return it."""
    added = await _done(given, lambda store: seeds.add(store, **given.body))
    return await show_site(given._replace(values={"number": added}))


async def import_sites(given: Given) -> Number:
    """Add all sites of a list, or none."""
    return Number(await _done(given, lambda store: seeds.take_in(store, given.body["list"]),
                              "list"))  # fmt: skip


async def change_site(given: Given) -> SiteRow:
    """Change fields of a site, and return it."""
    site = await show_site(given)
    await _done(given, lambda store: seeds.edit(store, site.number, **given.body))
    return await show_site(given)


async def remove_site(given: Given) -> Number:
    """Remove a site with its pages, and return its number."""
    site = await show_site(given)
    await _done(given, lambda store: seeds.remove(store, site.number))
    return Number(site.number)


async def retry_site(given: Given) -> SiteRow:
    """Let the crawl try a site again that was not available."""
    site = await show_site(given)
    try:
        await changed(given.request, lambda store: seeds.retry(store, site.number))
    except CrawlError as error:
        raise ApiError(409, f"{error}.") from error
    return await show_site(given)


async def _done(given: Given, change: Callable[[Any], Any], field: str = "start") -> Any:
    try:
        return await changed(given.request, change)
    except CrawlError as error:
        raise ApiError(422, "Nothing is changed.", {field: f"{error}."}) from error


def _object(fields: Schema, *required: str) -> Schema:
    return {"type": "object", "properties": fields, "required": list(required),
            "additionalProperties": False}  # fmt: skip


ENDPOINTS = (
    Endpoint("GET", "/sites", "The sites.", list_sites, SiteList, query=(
        Parameter("words", "A part of the address or of a name.", usual=""),
        choice("standing", "Only these sites.", Standing),
        choice("sort", "The order.", site_list.SORTS, "number"),
        switch("descending", "Whether the order is reversed."), AFTER, LIMITED,
    )),
    Endpoint("POST", "/sites", "Add a site.", add_site, SiteRow, status=201,
             body=_object(_FIELDS, "start")),
    Endpoint("POST", "/sites/import", "Add a list of sites, all or none: start pages, one a line, "
             "or CSV with a heading.", import_sites, Number, status=201, large=True,
             body=_object({"list": {"type": "string"}}, "list")),
    Endpoint("GET", "/sites/{number}", "One site.", show_site, SiteRow, parts=(_SITE,),
             failures=(404,)),
    Endpoint("PATCH", "/sites/{number}", "Change fields of a site.", change_site, SiteRow,
             parts=(_SITE,), body=_object(_FIELDS), failures=(404,)),
    Endpoint("DELETE", "/sites/{number}", "Remove a site with its pages, links and visits.",
             remove_site, Number, parts=(_SITE,), failures=(404,)),
    Endpoint("POST", "/sites/{number}/retry", "Try a site again that was not available.",
             retry_site, SiteRow, parts=(_SITE,), failures=(404, 409)),
)  # fmt: skip
