"""The web server of the studio: routes, error pages, start and shutdown."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import secrets
import signal
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

import click
from aiohttp import web

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.studio import (
    broken,
    crawl,
    exports,
    hosts,
    links,
    page,
    pages,
    report,
    sites,
    tuning,
)
from counterpoint.studio.api.admission import api, token_of
from counterpoint.studio.api.routes import add_api
from counterpoint.studio.connections import (
    BATCH,
    QUEUE,
    StudioRunner,
    answered,
    arrived,
    bearable,
)
from counterpoint.studio.crawling import CRAWLING, CrawlProcess
from counterpoint.studio.guard import (
    ACCESS,
    LARGE,
    SESSION,
    Access,
    Handler,
    RequestRefused,
    dress,
    is_api,
    is_loopback,
    names,
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
from counterpoint.studio.terminal import LOG, open_log
from counterpoint.studio.watching import StoreWatcher

ROUTES = [
    web.get("/crawl", crawl.show),
    web.post("/crawl/plan", crawl.save),
    web.post("/crawl/start", crawl.start),
    web.post("/crawl/stop", crawl.stop),
    web.post("/crawl/pause", crawl.pause),
    web.post("/crawl/continue", crawl.go_on),
    web.post("/crawl/pace", crawl.set_pace),
    web.get("/sites", sites.show),
    web.post("/sites/add", sites.add),
    web.post("/sites/import", sites.take_in),
    web.get(r"/sites/{number:\d{1,9}}", sites.one),
    web.post(r"/sites/{number:\d{1,9}}", sites.edit),
    web.post(r"/sites/{number:\d{1,9}}/remove", sites.remove),
    web.post(r"/sites/{number:\d{1,9}}/retry", sites.retry),
    web.get("/pages", pages.show),
    web.get(r"/pages/{number:\d{1,18}}", page.show),
    web.get(r"/pages/{number:\d{1,18}}/record", page.record),
    web.get("/hosts", hosts.show),
    web.get("/links/broken", broken.show),
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
class StudioOptions:
    """The options of the studio.

    Attributes
    ----------
    where : str
        The place of the link store.
    listen, port : str, int
        Where the studio listens; port 0 is a free port.
    names : tuple of str
        Other host names of the studio.
    report : Path
        The folder of the gate's report.
    options : tuple of str
        Further arguments of ``counterpoint crawl``.
    api_token : Path or None
        The file that has the token of the HTTP API; None: the environment may have it.
    """

    where: str
    listen: str = "127.0.0.1"
    port: int = 0
    names: tuple[str, ...] = ()
    report: Path = Path("report")
    options: tuple[str, ...] = ()
    api_token: Path | None = None


def application(store: Store, crawling: CrawlProcess, access: Access, folder: Path,
                every: float = 1.0) -> web.Application:  # fmt: skip
    """Return the web application.

    Parameters
    ----------
    store : Store
    crawling : CrawlProcess
    access : Access
    folder : Path
        The folder of the gate's report.
    every : float
        Seconds between two reads of the store.
    """
    made = web.Application(
        middlewares=[answered, names, api, errors, sessions, writes, arrived],
        client_max_size=LARGE,
    )
    made[STORE], made[CRAWLING], made[ACCESS] = store, crawling, access
    made[TEMPLATES], made[FLASHES] = environment(), {}
    made[STORE_NAME], made[report.REPORT] = store.where, folder
    made[exports.SENDING] = asyncio.Semaphore(exports.AT_A_TIME)
    made[pages.ADDRESSES] = pages.Addresses()
    made[page.RECORDS] = page.Records()
    made.cleanup_ctx.extend([pages.addresses_of, page.records_of])
    feed = made[FEED] = Feed(StoreWatcher(store, crawling).look, every)
    made.add_routes(
        [web.get("/", _home), web.get("/events", feed.serve, allow_head=False), *ROUTES]
    )
    add_api(made)
    made.router.add_static("/static/", STATIC)

    async def leave(_: web.Application) -> None:
        await feed.close()

    made.on_shutdown.append(leave)
    made.on_response_prepare.append(dress)
    return made


async def _home(request: web.Request) -> web.Response:
    return web.Response(status=HTTPStatus.SEE_OTHER, headers={"Location": "/crawl"})


@web.middleware
async def errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer a failed request with a page that shows the reason in one line."""
    # The API has answers of its own.
    return await (handler(request) if is_api(request) else _answered(request, handler))


async def _answered(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except RequestRefused as error:
        if SESSION not in request:  # a client without a session gets no page
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
        # A bug of the studio: its user sees the details in the terminal.
        LOG.exception("%s %s failed", request.method, request.path)
        return _wrong(request, 500, "The studio has an error; its terminal shows the details.")


_WORDS = {404: "There is no such page.", 405: "This method is not allowed here."}


def _wrong(request: web.Request, status: int, text: str) -> web.Response:
    heading = HTTPStatus(status).phrase
    return render(request, "error", "", status, heading=heading, text=text)


def serve(wish: StudioOptions) -> None:
    """Serve until Ctrl-C or SIGTERM.

    Raises
    ------
    CrawlError
        If the store cannot be opened, or the address cannot be used.
    """
    token = token_of(wish.api_token)
    with _bound(wish) as listening, open_store(wish.where, create=True) as store:
        access = _access(wish, listening.getsockname()[1], token)
        made = application(
            store, CrawlProcess(store, wish.where, wish.options), access, wish.report
        )
        open_log()
        asyncio.run(_serve(made, listening, lambda: _tell(wish, access)))


def _bound(wish: StudioOptions) -> socket.socket:
    """Return a listening socket; without one, the store need not be created."""
    if wish.listen in ("0.0.0.0", "::", "") and not wish.names:
        raise CrawlError(f"--listen {wish.listen}: give the host name of the studio with --name")
    try:
        family = socket.getaddrinfo(wish.listen, wish.port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((wish.listen, wish.port), family=family)
    except (OSError, UnicodeError) as error:
        number = getattr(error, "errno", None)
        if number == errno.EADDRINUSE:
            raise CrawlError(f"--port {wish.port}: is in use at {wish.listen}") from error
        if number == errno.EACCES:
            raise CrawlError(f"--port {wish.port}: only the system's administrator may listen "
                             "there") from error  # fmt: skip
        raise CrawlError(f"--listen {wish.listen}: is no address of this machine") from error


def _access(wish: StudioOptions, port: int, api_token: str) -> Access:
    alone = is_loopback(wish.listen)
    token = "" if alone else secrets.token_urlsafe(24)
    return Access(names_of(wish.listen, port, wish.names), port, token, api_token)


def _tell(wish: StudioOptions, access: Access) -> None:
    name = wish.names[0] if wish.names else wish.listen
    shown = f"[{name}]" if ":" in name else name
    place = f"http://{shown}:{access.port}/"
    click.echo(f"studio: {place}{f'?token={access.token}' if access.token else ''}")
    click.echo("Ctrl-C ends the studio; a running crawl continues.", err=True)
    sys.stdout.flush()


def _failed(runner: StudioRunner, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log an error that the event loop has met; without files for connections, drop some."""
    error = context.get("exception")
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        runner.shrink()
    LOG.error("%s", context.get("message", "an error"), exc_info=error)


async def _serve(
    made: web.Application, listening: socket.socket, on_started: Callable[[], None]
) -> None:
    runner = StudioRunner(made, bearable(), logger=LOG, shutdown_timeout=2.0)
    await runner.setup()
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(partial(_failed, runner))
    try:
        await web.SockSite(runner, listening, backlog=BATCH).start()
        listening.listen(QUEUE)  # asyncio has one number for the queue and for the batch
        on_started()
        stopped = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(NotImplementedError):  # loops of Windows have no handlers
                loop.add_signal_handler(number, stopped.set)
        await stopped.wait()
    finally:
        await runner.cleanup()
