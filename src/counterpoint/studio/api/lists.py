"""Pages, hosts and links in the API: the lists of the studio's tables, and one page."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from counterpoint.crawler.documents.links import Reason
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store import deleting, host_list, page_list, page_queries, site_list
from counterpoint.crawler.store.broken_list import BrokenRow
from counterpoint.crawler.store.browsing import Total, browse, total
from counterpoint.crawler.store.host_list import HostRow, HostSearch, HostState
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.page_details import PageDetails, details
from counterpoint.crawler.store.page_kinds import PageKind
from counterpoint.crawler.store.page_list import PageRow
from counterpoint.crawler.store.page_queries import PageSearch
from counterpoint.crawler.store.views import (
    VIEWS,
    BadLink,
    ExternalLink,
    Filter,
    Kind,
    can_be_stored,
)
from counterpoint.studio import broken, pages
from counterpoint.studio.api.declared import (
    ApiError,
    Endpoint,
    Given,
    Parameter,
    choice,
    number,
    switch,
)
from counterpoint.studio.api.sites import AFTER, BEFORE, LIMITED, Number
from counterpoint.studio.links import COUNTED, STATES, TargetState, delete_all
from counterpoint.studio.stored import STORE, asked, changed


class PageList(NamedTuple):
    """A part of the list of pages.

    ``next`` and ``previous`` are where it continues, "" at its ends; ``whole``: false if the time
    was over before the part was full; ``sort``: the order, which is by number if the list is too
    long for the one that was asked for.
    """

    items: list[PageRow]
    next: str
    previous: str
    total: Total
    whole: bool
    sort: str


class HostList(NamedTuple):
    """A part of the list of hosts; the other fields are those of PageList."""

    items: list[HostRow]
    next: str
    previous: str
    total: Total
    whole: bool
    sort: str


class InternalRow(NamedTuple):
    """A link within a site, with the state, status and problem of the page to which it leads."""

    page: int
    position: int
    address: str
    seed: int | None
    site: str
    found_on: str
    level: int
    state: TargetState
    status: int | None
    problem: str


class InternalList(NamedTuple):
    """A part of the list of internal links; the other fields are those of PageList."""

    items: list[InternalRow]
    next: str
    previous: str
    total: Total
    whole: bool


class ExternalList(NamedTuple):
    """A part of the list of external links; the other fields are those of PageList."""

    items: list[ExternalLink]
    next: str
    previous: str
    total: Total
    whole: bool


class BadList(NamedTuple):
    """A part of the list of bad links; the other fields are those of PageList."""

    items: list[BadLink]
    next: str
    previous: str
    total: Total
    whole: bool


class BrokenList(NamedTuple):
    """A part of the list of broken links, by target; the other fields are those of PageList."""

    items: list[BrokenRow]
    next: str
    previous: str
    whole: bool


_LISTS: dict[Kind, Any] = {Kind.INTERNAL: InternalList, Kind.EXTERNAL: ExternalList,
                           Kind.BAD: BadList}  # fmt: skip


def _places(given: Given) -> dict[str, Any]:
    after, before = given.values["after"], given.values["before"]
    if after and before:
        raise ApiError(422, "Only one of after and before.", {"before": "after is there, too."})
    return {"after": after, "before": before, "limit": given.values["limit"]}


async def _found(given: Given, question: Any, *args: Any, **kwargs: Any) -> Any:
    """Ask the store; an error is one of the parameter that it names, else of the place."""
    try:
        return await asked(given.request, question, *args, **kwargs)
    except CrawlError as error:
        text = str(error)
        name = text.split(maxsplit=1)[0].rstrip(":")
        if name not in given.values:
            name = "after" if given.values["after"] else "before"
        words = text.removeprefix(f"{name}: ")
        raise ApiError(422, f"{name} is wrong.", {name: f"{words}."}) from error


async def _site(given: Given) -> int | None:
    """Return the number of the site that is given by its number or its host."""
    text = given.values["site"]
    if not text:
        return None
    if text.isascii() and text.isdecimal() and len(text) < 10:
        return int(text)
    found = await asked(given.request, site_list.number_of, text) if can_be_stored(text) else None
    if found is None:
        raise ApiError(422, "site is wrong.", {"site": "No site of the store has this host."})
    return found


async def list_pages(given: Given) -> PageList:
    """Return a part of the list of pages."""
    values = given.values
    wanted = PageSearch(
        words=values["words"], site=await _site(given), status=values["status"],
        kind=None if values["state"] is None else PageKind(values["state"]),
        sort=values["sort"], descending=values["descending"],
    )  # fmt: skip
    index = given.request.app[pages.ADDRESSES].of(given.request.app[STORE])
    found = await _found(given, page_list.search, index, wanted, **_places(given))
    return PageList(found.rows, found.after, found.before, found.total, found.whole, found.sort)


async def show_page(given: Given) -> PageDetails:
    """Return a page with its visits and links."""
    page = await asked(given.request, details, given.values["number"])
    if page is None:
        raise ApiError(404, f"There is no page {given.values['number']}.")
    return page


async def list_hosts(given: Given) -> HostList:
    """Return a part of the list of hosts."""
    values = given.values
    state = None if values["state"] is None else HostState(values["state"])
    wanted = HostSearch(values["words"], state, values["sort"], values["descending"])
    found = await _found(given, host_list.search, wanted, now=time.time(), **_places(given))
    return HostList(found.rows, found.after, found.before, found.total, found.whole, found.sort)


async def list_broken_links(given: Given) -> BrokenList:
    """Return a part of the list of broken links."""
    values, places = given.values, _places(given)
    found = await _found(given, broken.search, values["since"], values["words"],
                         places["after"], places["before"], places["limit"])  # fmt: skip
    return BrokenList(found.rows, found.after, found.before, found.whole)


async def _filter(given: Given, kind: Kind) -> Filter:
    wanted = {name: given.values[name] for name in VIEWS[kind].filters}
    values = {name: value for name, value in wanted.items() if value is not None}
    values["site"] = await _site(given)
    if "state" in values:
        values["state"] = next(one for one, name in STATES.items() if name == values["state"])
    return Filter(**values)


def _listed(store: Store, kind: Kind, wanted: Filter, sort: str, descending: bool,
            places: dict[str, Any]) -> Any:  # fmt: skip
    with store.reading() as connection:
        found = browse(connection, kind, wanted, sort, descending=descending, **places)
        rows: Sequence[Any] = found.rows
        if kind is Kind.INTERNAL:
            rows = [InternalRow(**row._asdict() | {"state": STATES[row.state]}) for row in rows]
        return _LISTS[kind](rows, found.after, found.before,
                            total(connection, kind, wanted, COUNTED), found.whole)  # fmt: skip


def _of_kind(kind: Kind) -> tuple[Endpoint, ...]:
    """Return the declarations for the links of a kind."""

    async def list_links(given: Given) -> Any:
        values = given.values
        return await _found(given, _listed, kind, await _filter(given, kind), values["sort"],
                            values["descending"], _places(given))  # fmt: skip

    async def delete_matching(given: Given) -> Number:
        wanted = await _filter(given, kind)
        if not wanted.wanted():
            raise ApiError(422, "Filter the links first.")
        try:
            return Number(await changed(given.request, delete_all, kind, wanted))
        except CrawlError as error:
            name, _, words = str(error).partition(": ")
            raise ApiError(422, "Nothing is deleted.", {name: f"{words}."}) from error

    async def delete_links(given: Given) -> Number:
        chosen = [(one["page"], one["position"]) for one in given.body["links"]]
        return Number(await changed(given.request, deleting.delete, kind, chosen))

    filters = tuple(_FILTERS[name] for name in VIEWS[kind].filters)
    order = (choice("sort", "The order.", VIEWS[kind].sorts, "found"), _DESCENDING)
    return (
        Endpoint("GET", f"/links/{kind}", f"The {kind} links.", list_links, _LISTS[kind],
                 query=(*filters, *order, AFTER, BEFORE, LIMITED), name=f"list_{kind}_links"),
        Endpoint("DELETE", f"/links/{kind}", f"Delete all {kind} links that match; one filter at "
                 "least is needed.", delete_matching, Number, query=filters,
                 name=f"delete_matching_{kind}_links"),
        Endpoint("POST", f"/links/{kind}/delete", f"Delete the {kind} links of some places.",
                 delete_links, Number, body=_CHOSEN, name=f"delete_{kind}_links"),
    )  # fmt: skip


_WORDS = Parameter("words", "A part of the address.", usual="")
_DESCENDING = switch("descending", "Whether the order is reversed.")
_SITE = Parameter("site", "The number or the host of a site.", usual="")
_PAGE = number("number", "The number of the page.", 10**18 - 1)
_FILTERS = {
    "site": _SITE, "page": Parameter("page", "The address of the page that has it.", usual=""),
    "level": number("level", "The level of that page.", 2**31 - 1),
    "host": Parameter("host", "The host to which it leads.", usual=""),
    "domain": Parameter("domain", "The registered domain to which it leads.", usual=""),
    "prefix": Parameter("prefix", "The beginning of the address.", usual=""),
    "state": choice("state", "The state of the page to which it leads.", TargetState),
    "status": number("status", "The status of the page to which it leads.", 999),
    "reason": choice("reason", "Why it is bad.", [one for one in Reason if one]),
    "contains": Parameter("contains", "A part of the address, anchor or text.", usual=""),
}  # fmt: skip
_CHOSEN = {
    "type": "object", "required": ["links"], "additionalProperties": False,
    "properties": {"links": {
        "type": "array", "minItems": 1, "maxItems": 1_000,
        "items": {
            "type": "object", "required": ["page", "position"], "additionalProperties": False,
            "properties": {
                "page": {"type": "integer", "minimum": 0, "maximum": 10**18 - 1},
                "position": {"type": "integer", "minimum": 0, "maximum": 10**9 - 1},
            },
        },
    }},
}  # fmt: skip

ENDPOINTS = (
    Endpoint("GET", "/pages", "The pages.", list_pages, PageList, query=(
        _WORDS, _SITE, choice("state", "What became of the page.", PageKind),
        number("status", "The status of its last answer.", 999),
        choice("sort", "The order.", page_queries.SORTS, "number"), _DESCENDING,
        AFTER, BEFORE, LIMITED,
    )),
    Endpoint("GET", "/pages/{number}", "One page, with its last visits and first links.",
             show_page, PageDetails, parts=(_PAGE,), failures=(404,)),
    Endpoint("GET", "/hosts", "The hosts.", list_hosts, HostList, query=(
        Parameter("words", "A part of the name.", usual=""),
        choice("state", "Only these hosts.", HostState),
        choice("sort", "The order.", host_list.SORTS, "host"), _DESCENDING, AFTER, BEFORE, LIMITED,
    )),
    Endpoint("GET", "/links/broken", "The links to pages that do not come, by target.",
             list_broken_links, BrokenList, query=(
        _WORDS, Parameter("since", "Within this time before the newest answer: 12h, 7d.", usual=""),
        AFTER, BEFORE, LIMITED,
    )),
    *(one for kind in Kind for one in _of_kind(kind)),
)  # fmt: skip
