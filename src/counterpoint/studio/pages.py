"""The view of pages: all pages of the store, searched, filtered and sorted."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

from aiohttp import web

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store import page_list, page_queries, site_list
from counterpoint.crawler.store.address_index import AddressIndex, Deadline
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.page_kinds import PageKind
from counterpoint.crawler.store.page_list import FoundPages
from counterpoint.crawler.store.page_queries import PageSearch
from counterpoint.studio import forms
from counterpoint.studio.listing import LIMIT, addresses, show_host, with_number
from counterpoint.studio.rendering import Form, render
from counterpoint.studio.stored import STORE, asked

FIELDS = ("words", "site", "state", "status")
COLUMNS = (
    ("Address", "address", "address"), ("Site", "", ""), ("State", "", ""), ("Status", "n", ""),
    ("Problem", "anchor", ""), ("Size, bytes", "n", "size"), ("External links", "n", "external"),
    ("Last visit", "", "visited"),
)  # fmt: skip
"""The columns: the heading, the CSS class, and the sort."""
PILLS = {PageKind.FETCHED: "started", PageKind.IN_FLIGHT: "running",
         PageKind.BROKEN: "unavailable", PageKind.QUEUED: "waiting"}  # fmt: skip
"""How the state of a page looks: a CSS class."""


class Addresses:
    """The index of addresses of the studio's store, made when it is first needed."""

    def __init__(self) -> None:
        self._index: AddressIndex | None = None
        self._reads: asyncio.Future[None] | None = None

    def of(self, store: Store) -> AddressIndex:
        """Return the index, and let a thread add addresses that it lacks."""
        if self._index is None:
            self._index = AddressIndex(store)
        if self._reads is None or self._reads.done():
            self._reads = asyncio.ensure_future(asyncio.to_thread(_read, self._index))
        return self._index

    async def close(self) -> None:
        """Stop reading, and remove the index."""
        if self._index is not None and self._reads is not None:
            await asyncio.to_thread(self._index.close)
            await self._reads


def _read(index: AddressIndex) -> None:
    with contextlib.suppress(CrawlError):  # the next search meets the error too, and shows it
        index.refresh(Deadline(float("inf")))


ADDRESSES = web.AppKey("addresses", Addresses)


async def addresses_of(app: web.Application) -> AsyncIterator[None]:
    """Keep the index of addresses while the studio runs."""
    yield
    await app[ADDRESSES].close()


class PageList(NamedTuple):
    """The contents of the view, and sites that are suggested for the filter."""

    found: FoundPages
    sites: list[str]


async def show(request: web.Request) -> web.Response:
    """Show a part of the list of pages."""
    query, host = await with_number(request, request.query)
    form, wanted = _read_form(query)
    show_host(form, host)
    index = request.app[ADDRESSES].of(request.app[STORE])
    status = 422 if form.errors else 200
    try:
        listed = await asked(request, _shown, index, wanted, query.get("after", ""),
                             query.get("before", ""), form.values["site"])  # fmt: skip
    except CrawlError as error:
        name, _, words = str(error).partition(": ")
        form.errors[name if name in form.values else "words"] = words or str(error)
        listed, status = await asked(request, _shown, index, PageSearch()), 422
    kept = {name: value for name, value in form.values.items() if value}
    found = listed.found
    other = found.sort != wanted.sort and not form.errors
    descending = wanted.descending and not other
    return render(
        request, "pages", "pages", status,
        form=form, sites=listed.sites, filtered=bool(kept), columns=COLUMNS, pills=PILLS,
        states=[("", "all"), *((str(kind), str(kind)) for kind in PageKind)],
        found=found, sort=found.sort, descending=descending, unsorted=wanted.sort if other else "",
        narrow=page_queries.LOOK, always=page_queries.ALWAYS, counted=page_list.COUNTED,
        begun=bool(query.get("after") or query.get("before")),
        back=bool(query.get("before")) and not query.get("after"),
        again=addresses("/pages", kept, found.sort, "number", descending),
    )  # fmt: skip


def _read_form(query: dict[str, str]) -> tuple[Form, PageSearch]:
    form = forms.read(query, *FIELDS)
    return form, PageSearch(
        words=form.values["words"],
        site=forms.whole(form, "site", 0, 2**31 - 1),
        status=forms.whole(form, "status", 0, 999),
        kind=next((kind for kind in PageKind if kind == form.values["state"]), None),
        sort=next((one for one in page_queries.SORTS if one == query.get("sort")), "number"),
        descending=query.get("descending") == "1",
    )


def _shown(
    store: Store, index: AddressIndex, wanted: PageSearch, after: str = "", before: str = "",
    site: str = "",
) -> PageList:  # fmt: skip
    sites = site_list.suggested(store, "" if site.isdecimal() else site)
    found: Any = page_list.search(store, index, wanted, after=after,
                                  before="" if after else before, limit=LIMIT)  # fmt: skip
    return PageList(found, sites)
