"""The view of the crawl: its plan, and the buttons that start and stop it."""

from __future__ import annotations

from typing import Any

from aiohttp import web
from sqlalchemy import select

from counterpoint.crawler.beebot.plan import POLICY_OF, CrawlSettings
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.outcomes import outcomes
from counterpoint.crawler.store.schema import plans, seeds
from counterpoint.studio import statuses, wishing
from counterpoint.studio.crawling import CRAWLING
from counterpoint.studio.rendering import Form, redirect_with_message, render
from counterpoint.studio.stored import FEED, asked, changed

_KINDS = [
    *((kind, f"{label}: {POLICY_OF[kind]}") for kind, label in (
        ("unknown", "unknown"), ("universities", "universities"),
        ("institutes", "research institutes"))),
    (wishing.OWN, "a policy of my choice"),
]  # fmt: skip


def _overview(store: Store) -> tuple[CrawlSettings, bool, bool]:
    """Return the stored wishes, whether there are sites, and whether a crawl is unfinished."""
    with store.reading() as connection:
        some = connection.execute(select(seeds.c.number).limit(1)).first() is not None
        last = connection.execute(
            select(plans.c.ended).order_by(plans.c.number.desc()).limit(1)
        ).scalar()
    return wishing.stored(store), some, last == ""


async def show(request: web.Request) -> web.Response:
    """Show the state of the crawl, and its plan."""
    return await _page(request)


async def _page(request: web.Request, form: Form | None = None, status: int = 200) -> web.Response:
    crawling = request.app[CRAWLING]
    wishes, some, unfinished = await asked(request, _overview)
    running = await asked(request, lambda _: crawling.state())
    return render(
        request, "crawl", "crawl", status,
        form=form or wishing.shown(wishes, wishing.PLAN),
        kinds=_KINDS,
        keepers=[("", "not: the crawl ends"), *((name, name) for name in wishing.keepers()),
                 (wishing.OWN, "a policy of my choice")],
        paused=wishes.paused,
        log=crawling.log_tail(),
        policies=wishing.policies(),
        running=running.name != "idle",
        sites=some,
        statuses=statuses.chart(await asked(request, outcomes)),
        size=(statuses.WIDTH, statuses.HEIGHT),
        unfinished=unfinished,
    )  # fmt: skip


async def save(request: web.Request) -> web.Response:
    """Save the plan, without starting the crawl."""
    wrong = await _save_plan(request)
    return wrong or redirect_with_message(request, "/crawl", "The plan is saved.")


async def start(request: web.Request) -> web.Response:
    """Save the plan, and start or resume its crawl."""
    wrong = await _save_plan(request)
    if wrong is not None:
        return wrong
    crawling = request.app[CRAWLING]
    try:
        await asked(request, lambda _: crawling.start())
    except CrawlError as error:
        return redirect_with_message(request, "/crawl", f"Not started: {error}.", wrong=True)
    request.app[FEED].hurry()
    wishes = await asked(request, wishing.stored)
    words = "The crawl is started, and still paused: Continue lets it fetch."
    return redirect_with_message(
        request, "/crawl", words if wishes.paused else "The crawl is started."
    )


async def set_pace(request: web.Request) -> web.Response:
    """Change the delay and the number of requests at a time, also while the crawl runs."""
    submitted: Any = await request.post()
    wishes = await asked(request, wishing.stored)
    form, changes = wishing.pace(submitted, wishes)
    if form.errors:
        whole = wishing.shown(wishes, wishing.PLAN)
        return await _page(request, Form(whole.values | form.values, form.errors), 422)
    await changed(request, wishing.keep, changes, wishing.PACE)
    return redirect_with_message(request, "/crawl", "The pace is set.")


async def pause(request: web.Request) -> web.Response:
    """Let the crawl begin no request until it is continued."""
    await changed(request, wishing.pause, True)
    return redirect_with_message(request, "/crawl", "The crawl is paused.")


async def go_on(request: web.Request) -> web.Response:
    """Continue a crawl that was paused."""
    await changed(request, wishing.pause, False)
    return redirect_with_message(request, "/crawl", "The crawl goes on.")


async def stop(request: web.Request) -> web.Response:
    """Stop the crawl after the pages in flight; at the second request, stop it at once."""
    crawling = request.app[CRAWLING]
    try:
        stopped = await asked(request, lambda _: crawling.stop())
    except CrawlError as error:
        return redirect_with_message(request, "/crawl", f"Not stopped: {error}.", wrong=True)
    request.app[FEED].hurry()
    if not stopped:
        return redirect_with_message(
            request, "/crawl", "No crawl runs that could be stopped here.", wrong=True
        )
    return redirect_with_message(request, "/crawl", "The crawl will stop soon.")


async def _save_plan(request: web.Request) -> web.Response | None:
    """Save the submitted plan; if it is wrong, return the page with the errors instead."""
    submitted: Any = await request.post()
    running = await asked(request, lambda _: request.app[CRAWLING].state())
    if running.name != "idle":
        return redirect_with_message(
            request, "/crawl", "The crawl runs: stop it to change its plan.", wrong=True
        )
    form, wishes = wishing.plan(submitted, await asked(request, wishing.stored))
    if form.errors:
        return await _page(request, form, 422)
    await changed(request, wishing.keep, wishes, wishing.PLAN)
    return None
