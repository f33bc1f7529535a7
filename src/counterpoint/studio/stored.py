"""The store as views reach it: in threads, so that no page waits for another one's query."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from aiohttp import web

from counterpoint.crawler.store.opening import Store
from counterpoint.studio.live import Feed

STORE = web.AppKey("store", Store)
FEED = web.AppKey("feed", Feed)

P = ParamSpec("P")
R = TypeVar("R")


async def asked(
    request: web.Request, question: Callable[Concatenate[Store, P], R], *args: P.args,
    **kwargs: P.kwargs,
) -> R:  # fmt: skip
    """Return what a function of the store returns; it runs in a thread."""
    return await asyncio.to_thread(question, request.app[STORE], *args, **kwargs)


async def changed(
    request: web.Request, change: Callable[Concatenate[Store, P], R], *args: P.args,
    **kwargs: P.kwargs,
) -> R:  # fmt: skip
    """Change the store as `asked` asks it, and let all views know at once."""
    try:
        return await asked(request, change, *args, **kwargs)
    finally:
        request.app[FEED].hurry()
