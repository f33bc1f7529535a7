"""The views of links: internal and external links as in [BeeBot], and bad links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from aiohttp import web

from counterpoint.crawler.documents.links import Reason
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store import deleting, site_list
from counterpoint.crawler.store.browsing import FoundLinks, Total, browse, total
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.schema import State
from counterpoint.crawler.store.views import VIEWS, Filter, Kind
from counterpoint.studio import forms
from counterpoint.studio.listing import LIMIT, addresses, show_host, with_number
from counterpoint.studio.rendering import Form, redirect_with_message, render
from counterpoint.studio.stored import asked, changed

COUNTED = 10_000
"""Links are counted up to this number; the view says "at least" beyond it."""


class Column(NamedTuple):
    """A column of a list: the field of the link, the heading, the CSS class, and the sort order."""

    name: str
    label: str
    style: str = ""
    sort: str = ""


_FOUND = (Column("found_on", "Found on", "address", "found"), Column("level", "Level", "n"))
COLUMNS = {
    Kind.INTERNAL: (Column("address", "Link", "address", "target"), Column("state", "State"),
                    Column("status", "Status", "n"), Column("problem", "Problem", "anchor"),
                    *_FOUND),
    Kind.EXTERNAL: (Column("address", "Link", "address", "address"),
                    Column("anchor", "Anchor", "anchor"), Column("domain", "Domain", "", "domain"),
                    *_FOUND),
    Kind.BAD: (Column("text", "Text in the page", "address"),
               Column("reason", "Reason", "", "reason"), *_FOUND),
}  # fmt: skip

_LABELS = {
    "contains": "Contains", "site": "Site", "state": "State", "status": "Status", "host": "Host",
    "domain": "Domain", "reason": "Reason", "page": "Found on the page", "level": "Level",
    "prefix": "Begins with",
}  # fmt: skip
WORDS = "words"
"""The name of the field for the filter ``contains``.

In a browser, a field named ``contains`` would hide the method of that name of the form."""
_FIRST = {
    Kind.INTERNAL: ("contains", "site", "state"),
    Kind.EXTERNAL: ("contains", "site", "domain"),
    Kind.BAD: ("contains", "site", "reason"),
}


class TargetState(StrEnum):
    """The state of the page to which an internal link leads, as it is shown."""

    QUEUED = "queued"
    ISSUED = "in flight"
    DONE = "processed"
    DROPPED = "dropped"
    BEYOND = "beyond limits"


STATES = {state: TargetState[state.name] for state in State}
_TITLES = {Kind.INTERNAL: "Internal links", Kind.EXTERNAL: "External links", Kind.BAD: "Bad links"}
_NOTHING = {
    Kind.INTERNAL: "Links within a site appear here as soon as its start page is fetched.",
    Kind.EXTERNAL: "Links to other sites appear here with their anchors, page by page.",
    Kind.BAD: "Invalid links appear here with the reason.",
}


class LinkList(NamedTuple):
    """The contents of a view of links, and sites that are suggested for the filter."""

    found: FoundLinks
    total: Total
    sites: list[str]


async def show(request: web.Request) -> web.Response:
    """Show a page of a list of links."""
    kind = Kind(request.match_info["kind"])
    query = request.query
    form, wanted = await _filter(request, kind, query)
    sort = query.get("sort", "found")
    sort = sort if sort in VIEWS[kind].sorts else "found"
    descending = query.get("descending") == "1"
    status = 422 if form.errors else 200
    try:
        listed = await asked(request, _shown, kind, wanted, sort, descending,
                             query.get("after", ""), query.get("before", ""),
                             form.values["site"])  # fmt: skip
    except CrawlError as error:
        name, _, words = str(error).partition(": ")
        form.errors[name if name in form.values else WORDS] = words or str(error)
        listed, status = await asked(request, _shown, kind, Filter(), sort, descending), 422
    kept = {name: value for name, value in form.values.items() if value}
    return render(
        request, "links", str(kind), status,
        kind=str(kind), title=_TITLES[kind], nothing=_NOTHING[kind],
        form=form, fields=_fields(kind), options=_options(listed), filtered=bool(kept),
        unfolded=any(form.values[name] or name in form.errors for name in _later(kind)),
        columns=COLUMNS[kind], rows=[_row(link) for link in listed.found.rows],
        sort=sort, sorts=VIEWS[kind].sorts, descending=descending, total=listed.total,
        whole=listed.found.whole,
        again=addresses(f"/links/{kind}", kept, sort, "found", descending),
        before=listed.found.before, after=listed.found.after, query=request.query_string,
    )  # fmt: skip


def _later(kind: Kind) -> list[str]:
    return [name for name in VIEWS[kind].filters if name not in _FIRST[kind]]


def _field(name: str) -> str:
    return WORDS if name == "contains" else name


def _fields(kind: Kind) -> dict[str, list[tuple[str, str, str]]]:
    """Return the fields of the filter, those that are always shown and the others."""

    def typed(name: str) -> tuple[str, str, str]:
        kinds = {"site": "site", "state": "choice", "reason": "choice",
                 "level": "number", "status": "number"}  # fmt: skip
        return _field(name), _LABELS[name], kinds.get(name, "text")

    return {"first": [typed(name) for name in _FIRST[kind]],
            "later": [typed(name) for name in _later(kind)]}  # fmt: skip


async def _filter(
    request: web.Request, kind: Kind, query: Mapping[str, str]
) -> tuple[Form, Filter]:
    """Return the form and the filter of a query; wrong fields are left out of the filter.

    A site is given by its number or its host.
    """
    numbered, host = await with_number(request, query)
    form, wanted = _read(kind, numbered)
    show_host(form, host)
    return form, wanted


def _read(kind: Kind, query: Mapping[str, str]) -> tuple[Form, Filter]:
    names = VIEWS[kind].filters
    form = forms.read(query, *map(_field, names))
    numbers = {"site": 2**31 - 1, "level": 2**31 - 1, "status": 999, "state": max(State)}
    values: dict[str, Any] = {}
    for name in names:
        if name in numbers:
            values[name] = forms.whole(form, name, 0, numbers[name])
        else:
            values[name] = form.values[_field(name)]
    if values.get("state") is not None:
        values["state"] = State(values["state"])
    return form, replace(Filter(), **values)


def _shown(
    store: Store, kind: Kind, wanted: Filter, sort: str, descending: bool, after: str = "",
    before: str = "", site: str = "",
) -> LinkList:  # fmt: skip
    """Return a page of links after or before a place of the list, with the total.

    Sites are suggested whose host or name contains ``site``.
    """
    sites = site_list.suggested(store, "" if site.isdecimal() else site)
    with store.reading() as connection:
        found = browse(connection, kind, wanted, sort, descending=descending,
                       after=after, before="" if after else before, limit=LIMIT)  # fmt: skip
        return LinkList(found, total(connection, kind, wanted, COUNTED), sites)


def _options(listed: LinkList) -> dict[str, Any]:
    return {
        "site": listed.sites,
        "state": [("", "all"), *((str(int(state)), text) for state, text in STATES.items())],
        "reason": [("", "all"), *((str(reason), str(reason)) for reason in Reason if reason)],
    }


def _row(link: Any) -> dict[str, Any]:
    """Return a link as a row of the list: its fields, its identifier in the form, its label."""
    row: dict[str, Any] = link._asdict()
    row |= {"id": f"{link.page}:{link.position}", "label": row.get("address") or row.get("text")}
    if "state" in row:
        row["state"] = STATES[State(row["state"])]
    return row


async def delete(request: web.Request) -> web.Response:
    """Delete the selected links, or all links that match; a running crawl continues."""
    kind = Kind(request.match_info["kind"])
    posted: Any = await request.post()
    # Only the query of the shown list comes from the form, so a form cannot redirect elsewhere.
    query = dict(parse_qsl(str(posted.get("back", ""))))
    back = f"/links/{kind}?{urlencode(query)}"
    if posted.get("all") == "1":
        form, wanted = await _filter(request, kind, query)
        if form.errors or not wanted.wanted():
            return redirect_with_message(request, back, "Filter the links first.", wrong=True)
        try:
            number = await changed(request, delete_all, kind, wanted)
        except CrawlError as error:
            return redirect_with_message(request, back, f"{error}.", wrong=True)
        return redirect_with_message(request, f"/links/{kind}", _words(number))
    chosen = [_chosen(value) for value in posted.getall("link", [])]
    links = [link for link in chosen if link is not None]
    if not chosen or len(links) < len(chosen):
        return redirect_with_message(request, back, "No link was selected.", wrong=True)
    return redirect_with_message(
        request, back, _words(await changed(request, deleting.delete, kind, links))
    )


def delete_all(store: Store, kind: Kind, wanted: Filter) -> int:
    """Delete all links that match, in several transactions; return how many they were."""
    number = 0
    for number in deleting.delete_all(store, kind, wanted):  # noqa: B007 the last is all of them
        pass
    return number


def _words(number: int) -> str:
    return "1 link was deleted." if number == 1 else f"{number:,} links were deleted."


def _chosen(text: Any) -> tuple[int, int] | None:
    """Return the page and the position of a link from its identifier in the form."""
    page, _, position = str(text).partition(":")
    # The lengths are those of the columns: PostgreSQL fails for larger numbers.
    if all(n.isascii() and n.isdigit() and len(n) < m for n, m in ((page, 19), (position, 10))):
        return int(page), int(position)
    return None
