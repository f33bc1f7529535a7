"""The view of broken links: by target, with the status, since when, and the pages that link."""

from __future__ import annotations

from aiohttp import web

from counterpoint.crawler.beebot.amounts import period
from counterpoint.crawler.beebot.crawling import last_time
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store import broken_list
from counterpoint.crawler.store.broken_list import FoundBroken
from counterpoint.crawler.store.opening import Store
from counterpoint.studio import forms
from counterpoint.studio.listing import LIMIT, addresses
from counterpoint.studio.rendering import render
from counterpoint.studio.stored import asked

SINCE = (("", "at any time"), ("1d", "in the last day"), ("7d", "in the last 7 days"))
"""Within which time before the newest answer links broke, and how that is called."""


async def show(request: web.Request) -> web.Response:
    """Show a part of the list of broken links."""
    query, status = request.query, 200
    form = forms.read(query, "words", "since")
    if form.values["since"] not in dict(SINCE):
        form.errors["since"], status = "Choose one of the list.", 422
    past = "" if form.errors else form.values["since"]
    after, before = query.get("after", ""), query.get("before", "")
    try:
        found = await asked(request, search, past, form.values["words"], after, before, LIMIT)
    except CrawlError as error:
        form.errors["words"], status = str(error).removeprefix("words: "), 422
        found = await asked(request, search, "", "", "", "", LIMIT)
    kept = {name: value for name, value in form.values.items() if value}
    return render(
        request, "broken", "broken", status,
        form=form, since=SINCE, filtered=bool(kept), found=found,
        begun=bool(after or before), back=bool(before and not after),
        again=addresses("/links/broken", kept, "found", "found", False),
    )  # fmt: skip


def search(
    store: Store, past: str, words: str, after: str, before: str, limit: int
) -> FoundBroken:  # fmt: skip
    """Return the targets of broken links after, or before, a place in the list.

    Parameters
    ----------
    store : Store
    past : str
        The time before the newest answer within which the links broke, such as ``7d``; "": any.
    words : str
        A part of the target's address; "": any.
    after, before : str
        Places from `FoundBroken`.
    limit : int
        The most targets to return.

    Raises
    ------
    CrawlError
        If the time, the words or the place are invalid.
    """
    since = max(0.0, last_time(store) - period(past, "since")) if past else 0.0
    return broken_list.search(store, since=since, words=words, after=after,
                              before="" if after else before, limit=limit)  # fmt: skip
