"""A studio in this process, and a client of it that is as careful as a browser."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
from aiohttp import web

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.studio.crawling import Running
from counterpoint.studio.guard import Access, names_of
from counterpoint.studio.serving import application

T = TypeVar("T")


class Stand:
    """Stands for the process that crawls."""

    def __init__(self) -> None:
        self.running = Running("idle")
        self.log = Path("crawl.db.log")
        self.did: list[str] = []

    def state(self) -> Running:
        return self.running

    def start(self) -> None:
        if self.running.name != "idle":
            raise CrawlError("the crawl runs already")
        self.did.append("start")
        self.running = Running("running", 7)

    def stop(self) -> bool:
        self.did.append("stop")
        there, self.running = self.running.name != "idle", Running("idle")
        return there

    def said(self) -> str:
        return "what it said"


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: Any
    text: str


@dataclass
class Client:
    """A browser without a screen: cookies, the Origin it should have, the words of the form."""

    session: aiohttp.ClientSession
    port: int
    store: Store
    stand: Stand
    access: Access
    words: str = field(default="", repr=False)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def get(self, path: str, headers: dict[str, str] | None = None) -> Answer:
        """Load a page."""
        return await self._asked("GET", path, headers=headers)

    async def post(
        self,
        path: str,
        form: Any = None,
        *,
        words: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """Send a form as a page of the studio would."""
        if not self.words:
            page = (await self.get("/crawl")).text
            self.words = re.search(r'name="csrf" content="(\w+)"', page)[1]  # type: ignore[index]
        fields = list(form.items()) if isinstance(form, dict) else list(form or ())
        sent = [("csrf", self.words if words is None else words), *fields]
        return await self._asked(
            "POST", path, data=sent, headers={"Origin": self.origin, **(headers or {})}
        )

    async def said(self, answer: Answer) -> str:
        """Follow an answer to where it leads; return what is said there."""
        assert answer.status == 303, answer.text
        page = (await self.get(answer.headers["Location"])).text
        found = re.search(r'<p class="said[^>]*>(.*?)</p>', page, re.S)
        return found[1] if found else ""

    async def _asked(self, method: str, path: str, **more: Any) -> Answer:
        async with self.session.request(
            method, self.origin + path, allow_redirects=False, **more
        ) as answer:
            return Answer(answer.status, answer.headers, await answer.text())


@asynccontextmanager
async def served(
    store: Store, *, token: str = "", folder: Path | None = None
) -> AsyncIterator[Client]:
    """Yield a client of a studio that serves a store."""
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    access = Access(names_of("127.0.0.1", port), port, token)
    stand = Stand()
    made = application(store, stand, access, folder or Path("nowhere"), 0.02)  # type: ignore[arg-type]
    runner = web.AppRunner(made, access_log=None)
    await runner.setup()
    jar = aiohttp.CookieJar(unsafe=True)
    try:
        await web.SockSite(runner, listening).start()
        async with aiohttp.ClientSession(cookie_jar=jar) as session:
            yield Client(session, port, store, stand, access)
    finally:
        await runner.cleanup()


def visit(where: Path, act: Callable[[Client], Awaitable[T]], **more: Any) -> T:
    """Do something with a studio that serves a store at a place; return what that returns."""

    async def run() -> T:
        with open_store(where / "crawl.db", create=True) as store:
            async with served(store, **more) as client:
                return await act(client)

    return asyncio.run(run())
