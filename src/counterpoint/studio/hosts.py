"""The view of hosts: when each may be asked again, its delay, its robots.txt, and who holds it."""

from __future__ import annotations

import time

from aiohttp import web

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store import host_list
from counterpoint.crawler.store.host_list import HostSearch, HostState
from counterpoint.studio import forms
from counterpoint.studio.listing import LIMIT, addresses
from counterpoint.studio.rendering import render
from counterpoint.studio.stored import asked

COLUMNS = (
    ("Host", "", "host"), ("Rests until", "", "free_at"), ("Delay, s", "n", "delay"),
    ("Failures in a row", "n", "failures"), ("robots.txt", "", "robots"), ("Held by", "", ""),
)  # fmt: skip
"""The columns: the heading, the CSS class, and the sort."""


async def show(request: web.Request) -> web.Response:
    """Show a part of the list of hosts."""
    query, now = request.query, time.time()
    form = forms.read(query, "words", "state")
    wanted = HostSearch(
        form.values["words"],
        next((one for one in HostState if one == form.values["state"]), None),
        next((one for one in host_list.SORTS if one == query.get("sort")), "host"),
        query.get("descending") == "1",
    )
    after, before, status = query.get("after", ""), query.get("before", ""), 200
    try:
        found = await asked(request, host_list.search, wanted, now=now, after=after,
                            before="" if after else before, limit=LIMIT)  # fmt: skip
    except CrawlError as error:
        form.errors["words"], status = str(error).removeprefix("words: "), 422
        found = await asked(request, host_list.search, HostSearch(), now=now, limit=LIMIT)
    kept = {name: value for name, value in form.values.items() if value}
    other = found.sort != wanted.sort and not form.errors
    descending = wanted.descending and not other
    return render(
        request, "hosts", "hosts", status,
        form=form, filtered=bool(kept), columns=COLUMNS, now=now, found=found, sort=found.sort,
        states=[("", "all"), *((str(one), str(one)) for one in HostState)],
        descending=descending, unsorted=other, narrow=host_list.LOOK,
        begun=bool(after or before), back=bool(before and not after),
        again=addresses("/hosts", kept, found.sort, "host", descending),
    )  # fmt: skip
