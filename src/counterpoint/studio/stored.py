"""Access of views to the store, in threads, so that a slow query does not block other pages."""

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
    """Call a function with the store in a thread, and return its result."""
    return await asyncio.to_thread(question, request.app[STORE], *args, **kwargs)


async def changed(
    request: web.Request, change: Callable[Concatenate[Store, P], R], *args: P.args,
    **kwargs: P.kwargs,
) -> R:  # fmt: skip
    """Call a function that changes the store as `asked` does, and update all views at once."""
    try:
        return await asked(request, change, *args, **kwargs)
    finally:
        request.app[FEED].hurry()
