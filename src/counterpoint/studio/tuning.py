"""The view of settings: how pages are fetched, and facts on the store."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from counterpoint.crawler.store.opening import Store
from counterpoint.studio import wishing
from counterpoint.studio.crawling import CRAWLING
from counterpoint.studio.rendering import Form, redirect_with_message, render
from counterpoint.studio.stored import asked, changed


async def show(request: web.Request) -> web.Response:
    """Show the settings."""
    return await _page(request)


async def _page(request: web.Request, form: Form | None = None, status: int = 200) -> web.Response:
    crawling = request.app[CRAWLING]
    wishes = await asked(request, wishing.stored)
    running = await asked(request, lambda _: crawling.state())
    return render(
        request, "settings", "settings", status,
        form=form or wishing.shown(wishes, wishing.MANNERS),
        facts=await asked(request, _facts, str(crawling.log)),
        running=running.name != "idle",
    )  # fmt: skip


def _facts(store: Store, log: str) -> list[tuple[str, str]]:
    kind = {"sqlite": "SQLite, write-ahead log", "postgresql": "PostgreSQL"}[store.dialect]
    return [("Place", store.where), ("Kind", kind), ("Log of crawls", log)]


async def save(request: web.Request) -> web.Response:
    """Save the settings."""
    submitted: Any = await request.post()
    form, wishes = wishing.manners(submitted, await asked(request, wishing.stored))
    if form.errors:
        return await _page(request, form, 422)
    await changed(request, wishing.keep, wishes, wishing.MANNERS)
    return redirect_with_message(request, "/settings", "The settings are saved.")
