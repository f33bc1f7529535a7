"""The view of sites: add, edit, remove, import, and try again."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store import seeds, site_list
from counterpoint.crawler.store.schema import Standing
from counterpoint.studio import forms
from counterpoint.studio.listing import LIMIT, addresses
from counterpoint.studio.rendering import Form, redirect_with_message, render
from counterpoint.studio.stored import asked, changed

FIELDS = ("start", "full_name", "short_name", "level", "cap")
COLUMNS = (
    ("number", "No.", "n"), ("site", "Site", ""), ("standing", "Standing", ""),
    ("fetched", "Fetched of known", ""), ("internal", "Internal", "n"),
    ("external", "External", "n"), ("bad", "Bad", "n"),
)  # fmt: skip
"""The columns by which the list can be sorted: the sort, the heading, the CSS class."""
_MOST = 10**9


async def show(request: web.Request) -> web.Response:
    """Show the list of sites, with the forms that add to it."""
    return await _page(request)


async def _page(
    request: web.Request, form: Form | None = None, imported: Form | None = None
) -> web.Response:
    query = request.query
    text = query.get("page", "")
    page = int(text) if text.isascii() and text.isdecimal() and len(text) < 8 else 0
    filters = forms.read(query, "words", "standing")
    wanted = site_list.SiteSearch(
        filters.values["words"],
        next((one for one in Standing if one == filters.values["standing"]), None),
        next((one for one in site_list.SORTS if one == query.get("sort")), "number"),
        query.get("descending") == "1",
    )
    found = await asked(request, site_list.search, wanted, page * LIMIT, LIMIT)
    kept = {"words": wanted.words, "standing": wanted.standing or ""}
    again = addresses("/sites", kept, wanted.sort, "number", wanted.descending)
    return render(
        request, "sites", "sites", 422 if form or imported else 200,
        form=form or Form(), imported=imported or Form(), filters=filters,
        sites=found.rows, total=found.total, columns=COLUMNS, wanted=wanted, again=again,
        standings=[("", "all"), *((str(one), str(one)) for one in Standing)],
        filtered=bool(wanted.words or wanted.standing),
        before=again(page=str(page - 1) if page > 1 else "") if page else "",
        after=again(page=str(page + 1)) if (page + 1) * LIMIT < found.total else "",
    )  # fmt: skip


def _site_form(submitted: Any) -> tuple[Form, dict[str, Any]]:
    """Return the submitted form of one site with its errors, and the values of its fields."""
    form = forms.read(submitted, *FIELDS)
    if not form.values["start"]:
        form.errors["start"] = "The address of the start page is needed."
    return form, {
        "start": form.values["start"],
        "full_name": form.values["full_name"],
        "short_name": form.values["short_name"],
        "level": forms.whole(form, "level", 0, _MOST),
        "cap": forms.whole(form, "cap", 1, _MOST),
    }


async def add(request: web.Request) -> web.Response:
    """Add a site."""
    submitted: Any = await request.post()
    form, fields = _site_form(submitted)
    if not form.errors:
        try:
            await changed(request, seeds.add, **fields)
        except CrawlError as error:
            form.errors["start"] = _sentence(error)
    if form.errors:
        return await _page(request, form)
    return redirect_with_message(request, "/sites", f"{fields['start']} was added.")


async def take_in(request: web.Request) -> web.Response:
    """Import a list of sites: all of it, or nothing."""
    submitted: Any = await request.post()
    given = submitted.get("list", "")
    # The text stays as the user typed it, because errors name its lines.
    text = given.replace("\r\n", "\n") if isinstance(given, str) else ""
    form = Form({"list": text})
    file = submitted.get("file")
    if isinstance(file, web.FileField) and file.filename:
        try:
            text = file.file.read().decode("utf-8-sig")
        except UnicodeDecodeError:
            form.errors["list"] = f"{file.filename}: is no text in UTF-8."
    if not form.errors:
        try:
            number = await changed(request, seeds.take_in, text)
        except CrawlError as error:
            form.errors["list"] = _sentence(error)
    if form.errors:
        return await _page(request, imported=form)
    words = "1 site was added" if number == 1 else f"{number:,} sites were added"
    return redirect_with_message(request, "/sites", f"{words}.")


async def one(request: web.Request) -> web.Response:
    """Show one site."""
    return await _one(request)


async def _one(request: web.Request, form: Form | None = None) -> web.Response:
    number = int(request.match_info["number"])
    site = await asked(request, site_list.one, number)
    if site is None:
        raise web.HTTPNotFound
    values = {name: "" if (value := getattr(site, name)) is None else str(value) for name in FIELDS}
    return render(request, "site", "sites", 422 if form else 200,
                  site=site, form=form or Form(values))  # fmt: skip


async def edit(request: web.Request) -> web.Response:
    """Change a site."""
    submitted: Any = await request.post()
    number = int(request.match_info["number"])
    form, fields = _site_form(submitted)
    if not form.errors:
        try:
            await changed(request, lambda store: seeds.edit(store, number, **fields))
        except CrawlError as error:
            form.errors["start"] = _sentence(error)
    if form.errors:
        return await _one(request, form)
    return redirect_with_message(request, "/sites", f"{fields['start']} was saved.")


async def remove(request: web.Request) -> web.Response:
    """Remove a site from the list."""
    return await _done(request, seeds.remove, "The site was removed.")


async def retry(request: web.Request) -> web.Response:
    """Mark a site that was not available, so that the crawl tries it again."""
    return await _done(request, seeds.retry, "The site will be tried again.")


async def _done(request: web.Request, change: Any, words: str) -> web.Response:
    try:
        await changed(request, change, int(request.match_info["number"]))
    except CrawlError as error:
        return redirect_with_message(request, "/sites", _sentence(error), wrong=True)
    return redirect_with_message(request, "/sites", words)


def _sentence(error: CrawlError) -> str:
    text = str(error)
    return text[:1].upper() + text[1:] + "."
