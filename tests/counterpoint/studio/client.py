"""A studio served in this process by aiohttp's test server, and a client that acts as a browser.

The test server and the test client of ``aiohttp.test_utils`` bind the port, start and stop the
application, keep cookies and close responses. This module adds what they do not have: the studio's
own arguments, the ``Origin`` header and the form token that a page of the studio sends.

Some tests of this folder do not use it: ``test_command.py`` starts the command as a process, since
it tests output, exit code and signals; ``test_browser_*.py`` need a process and a real browser;
one test of ``test_live.py`` writes to a bare socket, since a client that closes its responses would
end the stream which the server has to end.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.studio.connections import MOST, StudioRunner
from counterpoint.studio.crawling import CrawlState
from counterpoint.studio.guard import Access, names_of
from counterpoint.studio.serving import application

T = TypeVar("T")
HttpClient: TypeAlias = TestClient[web.Request, web.Application]


class FakeCrawling:
    """Replaces the object that starts and stops the crawling process; records the calls."""

    def __init__(self) -> None:
        self.running = CrawlState("idle")
        self.log = Path("crawl.db.log")
        self.calls: list[str] = []

    def state(self) -> CrawlState:
        return self.running

    def start(self) -> None:
        if self.running.name != "idle":
            raise CrawlError("the crawl runs already")
        self.calls.append("start")
        self.running = CrawlState("running", 7)

    def stop(self) -> bool:
        self.calls.append("stop")
        was_running, self.running = self.running.name != "idle", CrawlState("idle")
        return was_running

    def log_tail(self) -> str:
        return "the last lines of the log"


class StudioServer(TestServer):
    """The test server, set up as ``counterpoint studio`` sets up its own server.

    aiohttp's test server cancels a handler when its client disconnects. The studio's server does
    not; with the cancellation, the tests of event streams would pass for a studio that never
    notices that a browser has left.
    """

    async def _make_runner(self, **options: Any) -> web.AppRunner:
        return StudioRunner(self.app, MOST, **{**options, "handler_cancellation": False})


@dataclass
class Answer:
    """A response that has been read completely."""

    status: int
    headers: Any
    text: str


@dataclass
class Client:
    """A browser without a screen: it keeps cookies and sends the Origin header and form token.

    Attributes
    ----------
    http : HttpClient
        The client of aiohttp, for requests that no page of the studio would send.
    port : int
        The port of the studio on 127.0.0.1.
    store : Store
        The store that the studio shows.
    crawling : FakeCrawling
        What the studio starts and stops.
    access : Access
        The names, the token and the secret of the studio.
    form_token : str
        The token of the forms of this session; read from a page before the first form is sent.
    """

    http: HttpClient
    port: int
    store: Store
    crawling: FakeCrawling
    access: Access
    form_token: str = field(default="", repr=False)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def get(self, path: str, headers: dict[str, str] | None = None) -> Answer:
        """Load a page."""
        return await self.request("GET", path, headers=headers)

    async def post(
        self,
        path: str,
        form: Any = None,
        *,
        form_token: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """Send a form as a page of the studio would.

        Parameters
        ----------
        path : str
        form : mapping or iterable of pairs, optional
            Names and values of the fields.
        form_token : str, optional
            Sent instead of the token of this session.
        headers : dict of str to str, optional
            Added to the headers, or sent instead of the right ``Origin``.
        """
        if not self.form_token:
            page = (await self.get("/crawl")).text
            found = re.search(r'name="csrf" content="(\w+)"', page)
            self.form_token = found[1]  # type: ignore[index]
        fields = list(form.items()) if isinstance(form, dict) else list(form or ())
        token = self.form_token if form_token is None else form_token
        return await self.request(
            "POST",
            path,
            data=[("csrf", token), *fields],
            headers={"Origin": self.origin, **(headers or {})},
        )

    async def notice(self, answer: Answer) -> str:
        """Follow a redirect; return the notice that the page there shows, or ""."""
        assert answer.status == 303, answer.text
        page = (await self.get(answer.headers["Location"])).text
        found = re.search(r'<p class="said[^>]*>(.*?)</p>', page, re.S)
        return found[1] if found else ""

    async def request(self, method: str, path: str, **options: Any) -> Answer:
        """Send any request and read the response; redirects are not followed."""
        async with self.http.request(method, path, allow_redirects=False, **options) as answer:
            return Answer(answer.status, answer.headers, await answer.text())


@asynccontextmanager
async def serve_studio(
    store: Store, *, token: str = "", folder: Path | None = None, api: str = ""
) -> AsyncIterator[Client]:
    """Yield a client of a studio that serves a store.

    Parameters
    ----------
    store : Store
    token : str
        The token that the start address carries; "" if none is needed.
    folder : Path, optional
        Where the report of the gate is.
    api : str
        The token of the HTTP API; "": it is off.
    """
    listening = socket.create_server(("127.0.0.1", 0))  # the application must know its port
    port = listening.getsockname()[1]
    access = Access(names_of("127.0.0.1", port), port, token, api)
    crawling = FakeCrawling()
    studio = application(store, crawling, access, folder or Path("nowhere"), 0.02)  # type: ignore[arg-type]
    server = StudioServer(studio, socket_factory=lambda *_: listening)
    async with TestClient(server) as http:
        yield Client(http, port, store, crawling, access)


def use_studio(directory: Path, act: Callable[[Client], Awaitable[T]], **options: Any) -> T:
    """Serve the store ``crawl.db`` of a directory, and return what ``act`` returns for a client.

    Parameters
    ----------
    directory : Path
        Where the store is, or will be created.
    act : callable
        A coroutine function that uses the client.
    **options
        Arguments of `serve_studio`.
    """

    async def run() -> T:
        with open_store(directory / "crawl.db", create=True) as store:
            async with serve_studio(store, **options) as client:
                return await act(client)

    return asyncio.run(run())
