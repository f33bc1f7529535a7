"""The view of the crawl: its plan, its start and its end."""

from __future__ import annotations

from typing import Any

from aiohttp import web
from sqlalchemy import select

from counterpoint.crawler.beebot.plan import POLICY_OF, Wishes
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.schema import plans, seeds
from counterpoint.studio import wishing
from counterpoint.studio.crawling import CRAWLING
from counterpoint.studio.rendering import Form, render, said
from counterpoint.studio.stored import FEED, asked, changed

_KINDS = [
    *((kind, f"{label}: {POLICY_OF[kind]}") for kind, label in (
        ("unknown", "unknown"), ("universities", "universities"),
        ("institutes", "research institutes"))),
    (wishing.OWN, "a policy of my choice"),
]  # fmt: skip


def _begun(store: Store) -> tuple[Wishes, bool, bool]:
    """Return what is wished, whether there are sites, and whether a crawl is unfinished."""
    with store.reading() as connection:
        some = connection.execute(select(seeds.c.number).limit(1)).first() is not None
        last = connection.execute(
            select(plans.c.ended).order_by(plans.c.number.desc()).limit(1)
        ).scalar()
    return wishing.stored(store), some, last == ""


async def show(request: web.Request) -> web.Response:
    """Show how the crawl goes, and its plan."""
    return await _page(request)


async def _page(request: web.Request, form: Form | None = None, status: int = 200) -> web.Response:
    crawling = request.app[CRAWLING]
    wishes, some, unfinished = await asked(request, _begun)
    running = await asked(request, lambda _: crawling.state())
    return render(
        request, "crawl", "crawl", status,
        form=form or wishing.shown(wishes, wishing.PLAN),
        kinds=_KINDS,
        log=crawling.said(),
        policies=wishing.policies(),
        running=running.name != "idle",
        sites=some,
        unfinished=unfinished,
    )  # fmt: skip


async def save(request: web.Request) -> web.Response:
    """Keep a plan, without starting it."""
    wrong = await _kept(request)
    return wrong or said(request, "/crawl", "The plan is saved.")


async def start(request: web.Request) -> web.Response:
    """Keep the plan, and start its crawl or let it go on."""
    wrong = await _kept(request)
    if wrong is not None:
        return wrong
    crawling = request.app[CRAWLING]
    try:
        await asked(request, lambda _: crawling.start())
    except CrawlError as error:
        return said(request, "/crawl", f"Not started: {error}.", wrong=True)
    request.app[FEED].hurry()
    return said(request, "/crawl", "The crawl is started.")


async def stop(request: web.Request) -> web.Response:
    """Ask the crawl to end; asked again, it ends at once."""
    crawling = request.app[CRAWLING]
    try:
        told = await asked(request, lambda _: crawling.stop())
    except CrawlError as error:
        return said(request, "/crawl", f"Not stopped: {error}.", wrong=True)
    request.app[FEED].hurry()
    if not told:
        return said(request, "/crawl", "No crawl runs that could be stopped here.", wrong=True)
    return said(request, "/crawl", "The crawl is asked to stop.")


async def _kept(request: web.Request) -> web.Response | None:
    """Keep the plan that was sent; return the page with what is wrong with it, if anything."""
    told: Any = await request.post()
    running = await asked(request, lambda _: request.app[CRAWLING].state())
    if running.name != "idle":
        return said(request, "/crawl", "The crawl runs: stop it to change its plan.", wrong=True)
    form, wishes = wishing.plan(told, await asked(request, wishing.stored))
    if form.errors:
        return await _page(request, form, 422)
    await changed(request, wishing.keep, wishes, wishing.PLAN)
    return None
