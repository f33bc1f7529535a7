"""Two studios on one store in PostgreSQL: what one changes, the other shows."""

from __future__ import annotations

import asyncio
from typing import Any

from counterpoint.crawler.store.opening import open_store
from tests.postgres import Server

from .api_client import TOKEN, ApiClient
from .client import serve_studio
from .filled import fill

VIEWS = ("/settings", "/sites", "/pages", "/pages?words=library&state=fetched",
         "/pages?sort=external", "/hosts", "/statuses", "/links/internal", "/links/external",
         "/links/bad", "/links/broken")  # fmt: skip
CHANGES: tuple[tuple[str, str, Any, int], ...] = (
    ("PATCH", "/settings", {"delay": 2.5, "revisit": "uniform", "every": "6h"}, 200),
    ("POST", "/crawl/pause", None, 200),
    ("POST", "/sites", {"start": "http://new.test/", "full_name": "New"}, 201),
    ("PATCH", "/sites/3", {"short_name": "renamed", "cap": 7}, 200),
    ("DELETE", "/links/external?host=arxiv.example", None, 200),
    ("DELETE", "/sites/2", None, 200),
    ("POST", "/crawl/continue", None, 200),
)


async def shown(api: ApiClient) -> dict[str, Any]:
    """Return what a studio shows."""
    found = {path: await api.get(path) for path in VIEWS}
    crawl = await api.get("/crawl")
    return found | {"totals": crawl["totals"], "plan": crawl["plan"], "paused": crawl["paused"]}


def test_two_studios_agree(postgres: Server) -> None:
    """A studio that shows what it has read before, and not what another one has changed."""

    async def act() -> None:
        where = postgres.database()
        with open_store(where, create=True) as store, open_store(where) as other:
            fill(store)
            async with serve_studio(store, api=TOKEN) as one, serve_studio(other, api=TOKEN) as two:
                studios = [ApiClient(one), ApiClient(two)]
                before = await shown(studios[0])
                assert await shown(studios[1]) == before
                for number, (method, path, body, status) in enumerate(CHANGES):
                    await studios[number % 2].ask(method, path, body, status=status)
                    views = [await shown(studio) for studio in studios]
                    assert views[0] == views[1], path
                    assert views[0] != before, path
                    before = views[0]

    asyncio.run(act())
