"""The studio as a server: its routes, its errors, its beginning and its end."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import secrets
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

import click
from aiohttp import web

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.studio import crawl, exports, links, report, sites, tuning
from counterpoint.studio.crawling import CRAWLING, Crawling
from counterpoint.studio.guard import (
    ACCESS,
    LARGE,
    SESSION,
    Access,
    Handler,
    Refused,
    headers,
    is_loopback,
    names_of,
    sessions,
    writes,
)
from counterpoint.studio.live import Feed
from counterpoint.studio.rendering import (
    FLASHES,
    STATIC,
    STORE_NAME,
    TEMPLATES,
    environment,
    render,
)
from counterpoint.studio.stored import FEED, STORE
from counterpoint.studio.watching import Watch

_ROUTES = [
    web.get("/crawl", crawl.show),
    web.post("/crawl/plan", crawl.save),
    web.post("/crawl/start", crawl.start),
    web.post("/crawl/stop", crawl.stop),
    web.get("/sites", sites.show),
    web.post("/sites/add", sites.add),
    web.post("/sites/import", sites.take_in),
    web.get(r"/sites/{number:\d{1,9}}", sites.one),
    web.post(r"/sites/{number:\d{1,9}}", sites.edit),
    web.post(r"/sites/{number:\d{1,9}}/remove", sites.remove),
    web.post(r"/sites/{number:\d{1,9}}/retry", sites.retry),
    web.get("/links/{kind:internal|external|bad}", links.show),
    web.post("/links/{kind:internal|external|bad}/delete", links.delete),
    web.get("/export", exports.show),
    web.get("/export/{name}", exports.send),
    web.get("/settings", tuning.show),
    web.post("/settings", tuning.save),
    web.get("/gate", report.gate),
    web.get("/report/{key}/{path:.+}", report.page),
]


@dataclass(frozen=True)
class Wish:
    """What the command line asks of the studio."""

    where: str
    listen: str = "127.0.0.1"
    port: int = 0
    names: tuple[str, ...] = ()
    report: Path = Path("report")
    options: tuple[str, ...] = ()


def application(store: Store, crawling: Crawling, access: Access, folder: Path,
                every: float = 1.0) -> web.Application:  # fmt: skip
    """Return the studio.

    Parameters
    ----------
    store : Store
    crawling : Crawling
    access : Access
    folder : Path
        The gate's report.
    every : float
        Seconds between two looks into the store.
    """
    made = web.Application(middlewares=[headers, errors, sessions, writes], client_max_size=LARGE)
    made[STORE], made[CRAWLING], made[ACCESS] = store, crawling, access
    made[TEMPLATES], made[FLASHES] = environment(), {}
    made[STORE_NAME], made[report.REPORT] = store.where, folder
    feed = made[FEED] = Feed(Watch(store, crawling).look, every)
    made.add_routes(
        [web.get("/", _home), web.get("/events", feed.serve, allow_head=False), *_ROUTES]
    )
    made.router.add_static("/static/", STATIC)

    async def leave(_: web.Application) -> None:
        await feed.close()

    made.on_shutdown.append(leave)
    return made


async def _home(request: web.Request) -> web.Response:
    return web.Response(status=HTTPStatus.SEE_OTHER, headers={"Location": "/crawl"})


@web.middleware
async def errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Say in one line why a request is not answered."""
    try:
        return await handler(request)
    except Refused as error:
        if SESSION not in request:  # whoever is not let in is shown nothing
            return web.Response(status=error.status, text=f"{error}\n")
        return _wrong(request, error.status, str(error))
    except CrawlError as error:
        return _wrong(request, HTTPStatus.SERVICE_UNAVAILABLE, f"{error}.")
    except web.HTTPException as error:
        if error.status < 400:
            raise
        answer = _wrong(request, error.status, _WORDS.get(error.status, error.reason))
        if "Allow" in error.headers:
            answer.headers["Allow"] = error.headers["Allow"]
        return answer
    except Exception:
        traceback.print_exc()  # an error of ours: for whoever started the studio, nobody else
        return _wrong(request, 500, "That is an error of the studio; its terminal has the details.")


_WORDS = {404: "There is no such page.", 405: "That cannot be done here."}


def _wrong(request: web.Request, status: int, text: str) -> web.Response:
    heading = HTTPStatus(status).phrase
    return render(request, "error", "", status, heading=heading, text=text)


def serve(wish: Wish) -> None:
    """Serve until Ctrl-C or SIGTERM.

    Raises
    ------
    CrawlError
        If there is no such store, or nothing can listen there.
    """
    with _bound(wish) as listening, open_store(wish.where, create=True) as store:
        access = _access(wish, listening.getsockname()[1])
        made = application(store, Crawling(store, wish.where, wish.options), access, wish.report)
        asyncio.run(_serve(made, listening, lambda: _tell(wish, access)))


def _bound(wish: Wish) -> socket.socket:
    """Return a socket that listens: before the store is made, which is in vain without one."""
    if wish.listen in ("0.0.0.0", "::", "") and not wish.names:
        raise CrawlError(f"--listen {wish.listen}: say with --name by which name it is reached")
    try:
        family = socket.getaddrinfo(wish.listen, wish.port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((wish.listen, wish.port), family=family)
    except (OSError, UnicodeError) as error:
        number = getattr(error, "errno", None)
        if number == errno.EADDRINUSE:
            raise CrawlError(f"--port {wish.port}: is in use at {wish.listen}") from None
        if number == errno.EACCES:
            raise CrawlError(f"--port {wish.port}: only the system's administrator may listen "
                             "there") from None  # fmt: skip
        raise CrawlError(f"--listen {wish.listen}: is no address of this machine") from None


def _access(wish: Wish, port: int) -> Access:
    alone = is_loopback(wish.listen)
    token = "" if alone else secrets.token_urlsafe(24)
    return Access(names_of(wish.listen, port, wish.names), port, token)


def _tell(wish: Wish, access: Access) -> None:
    name = wish.names[0] if wish.names else wish.listen
    shown = f"[{name}]" if ":" in name else name
    place = f"http://{shown}:{access.port}/"
    click.echo(f"studio: {place}{f'?token={access.token}' if access.token else ''}")
    click.echo("Ctrl-C ends the studio; a crawl that runs goes on.", err=True)
    sys.stdout.flush()


async def _serve(made: web.Application, listening: socket.socket, tell: Callable[[], None]) -> None:
    runner = web.AppRunner(made, access_log=None, shutdown_timeout=2.0)
    await runner.setup()
    try:
        await web.SockSite(runner, listening).start()
        tell()
        stopped = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(NotImplementedError):  # loops of Windows have no handlers
                loop.add_signal_handler(number, stopped.set)
        await stopped.wait()
    finally:
        await runner.cleanup()
