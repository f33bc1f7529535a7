"""``counterpoint web serve``: the web over HTTP, for any crawler."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.console import FELL, OK, must_be_writable, progress, seconds
from counterpoint.sim_web import profile
from counterpoint.sim_web.errors import WebError

if TYPE_CHECKING:  # numba and aiohttp are loaded where a web is served
    from counterpoint.sim_web.generator import Web
    from counterpoint.sim_web.server import Server

COMPONENTS = ("scc", "in", "out", "tendrils", "tubes", "disconnected")
_LOOKED_AT = 1_000_000
"""Hosts among which start addresses are looked for."""


@dataclass(frozen=True)
class _Wish:
    """What the command line asks of the server, beside the web."""

    listen: str
    port: int
    real_time: bool
    speed: float
    seconds_per_request: float
    log: Path | None
    folders: dict[str, str]


@click.command()
@click.option("--profile", "name", required=True, metavar="NAME",
              help="One of `counterpoint web profiles`, or a TOML file.")  # fmt: skip
@click.option("--pages", type=int, metavar="N", help="Pages of the web.  [the profile's]")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--port", type=click.IntRange(0, 65535), default=0,
              help="Where to listen.  [a free port]")  # fmt: skip
@click.option("--listen", default="127.0.0.1", show_default=True, metavar="ADDRESS",
              help="An address of this machine.")  # fmt: skip
@click.option("--site", "sites", multiple=True, metavar="HOST=DIR",
              help="Serve a folder of HTML as a host, too; repeatable.")  # fmt: skip
@click.option("--log", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Record every request in a new file, for `counterpoint web judge`.")  # fmt: skip
@click.option("--seeds", type=click.IntRange(1, 1_000_000), default=1, show_default=True,
              metavar="K", help="Start pages of so many hosts are start addresses.")  # fmt: skip
@click.option("--seeds-from", type=click.Choice([*COMPONENTS, "any"]), default="scc",
              show_default=True, help="The component they are in.")  # fmt: skip
@click.option("--seeds-file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write them here, one a line, with those of --site.")  # fmt: skip
@click.option("--real-time", is_flag=True,
              help="Virtual time is the wall clock's. Without: requests move it.")  # fmt: skip
@click.option("--speed", type=float, callback=seconds, metavar="X",
              help="With --real-time: virtual seconds in a second.  [1]")  # fmt: skip
@click.option("--seconds-per-request", type=click.FloatRange(0, 1e9), metavar="SECONDS",
              help="Without --real-time: virtual seconds from request to request.  [0.1]",
              )  # fmt: skip
def serve(
    name: str,
    pages: int | None,
    seed: int,
    port: int,
    listen: str,
    sites: tuple[str, ...],
    log: Path | None,
    seeds: int,
    seeds_from: str,
    seeds_file: Path | None,
    real_time: bool,
    speed: float | None,
    seconds_per_request: float | None,
) -> int:
    r"""Serve a synthetic web to any crawler, until Ctrl-C.

    The server is an HTTP proxy that forwards nothing: give its address to the crawler as
    http_proxy, and it sees all hosts. It answers by Host header as well. A request may set a later
    virtual time with the header X-Counterpoint-Time: SECONDS. Exit code 0: stopped; 1: the log
    could not be written; 2: the command is wrong.

    \b
    counterpoint web serve --profile broder-1999 --port 8080 --log access.jsonl
    http_proxy=http://127.0.0.1:8080 wget -r -H --domains test http://HOST.test/
    counterpoint web serve --profile hostile --real-time --speed 60
    counterpoint web serve --profile sample --site docs.test=html
    """
    if speed is not None and not real_time:
        raise click.UsageError("--speed: only with --real-time")
    if seconds_per_request is not None and real_time:
        raise click.UsageError("--seconds-per-request: not with --real-time")
    must_be_writable("--log", log)
    must_be_writable("--seeds-file", seeds_file)
    told = profile.load(name)
    with progress("web"):
        from counterpoint.sim_web.generator import Web
        from counterpoint.sim_web.server import SECONDS_PER_REQUEST, allow_many_files, parse_mounts

        folders = parse_mounts(sites)
        web = Web(told, pages, seed)
        starts = start_addresses(web, seeds, seeds_from)
        prepare(web, starts[0])
    wish = _Wish(
        listen, port, real_time, speed or 1.0,
        SECONDS_PER_REQUEST if seconds_per_request is None else seconds_per_request, log, folders,
    )  # fmt: skip
    allow_many_files()
    return _run(_serve(web, wish, starts, seeds_file))


def start_addresses(web: Web, count: int, component: str) -> list[str]:
    """Return addresses of start pages in a component, those of the largest hosts first.

    Raises
    ------
    WebError
        If there is none.
    """
    from counterpoint.sim_web.generator import Component

    wanted = None if component == "any" else Component[component.upper()]
    found: list[str] = []
    for host in range(min(web.hosts, _LOOKED_AT)):
        if wanted is None or web.component(web.pages_of(host).start) == wanted:
            found.append(f"http://{web.name(host)}/")
            if len(found) == count:
                break
    if not found:
        raise WebError(f"--seeds-from {component}: no host of this web starts in that component")
    return found


def prepare(web: Web, address: str) -> None:
    """Make a page before the first client waits for one: what makes pages is compiled then.

    A bomb takes half a second to make, in which no other client would be answered.
    """
    from counterpoint.sim_web.answer import Question
    from counterpoint.sim_web.pages.traps import bomb
    from counterpoint.sim_web.world.site import SyntheticSite

    SyntheticSite(web).answer(Question(address, 0.0))
    if web.profile.faults.bomb:
        bomb()


async def _serve(web: Web, wish: _Wish, starts: Sequence[str], seeds_file: Path | None) -> int:
    server = _made(web, wish)
    try:
        await server.start(wish.listen, wish.port)
        mounted = [f"http://{host}/" for host in server.mounts.folders]
        if seeds_file is not None:
            seeds_file.write_text("".join(f"{one}\n" for one in [*starts, *mounted]))
        _tell(web, wish, server, starts, mounted)
        failed = await _until_stopped(server)
    finally:
        await server.stop()
    requests = server.core.answered
    said = failed or f"stopped after {requests:,} request{'s' * (requests != 1)}"
    click.echo(f"counterpoint: {said}", err=True)
    return FELL if failed else OK


def _made(web: Web, wish: _Wish) -> Server:
    from counterpoint.sim_web.record import Header
    from counterpoint.sim_web.server import Log, Mounts, RealClock, Server, VirtualClock
    from counterpoint.sim_web.world.site import SyntheticSite

    folders = wish.folders
    for host in folders:
        if web.named(host) is not None:
            raise WebError(f"--site {host}: this web has a host of that name")
    told = profile.to_mapping(web.profile)
    header = Header(told, web.pages, web.seed, folders, wish.real_time)
    site = SyntheticSite(web)
    log = Log(wish.log, header) if wish.log is not None else None
    clock = RealClock(wish.speed) if wish.real_time else VirtualClock(wish.seconds_per_request)
    return Server(site, clock, limits=web.profile.limits, mounts=Mounts(folders), log=log)


def _tell(
    web: Web, wish: _Wish, server: Server, starts: Sequence[str], mounted: Sequence[str]
) -> None:
    click.echo(f"web:    {web.pages:,} pages on {web.hosts:,} hosts, {web.profile.name}, "
               f"seed {web.seed}")  # fmt: skip
    click.echo(f"proxy:  {server.proxy}")
    click.echo(f"start:  {starts[0]}")
    for address in mounted:
        click.echo(f"site:   {address}")
    if wish.log is not None:
        click.echo(f"log:    {wish.log}")
    click.echo("Ctrl-C stops it.", err=True)
    sys.stdout.flush()


async def _until_stopped(server: Server) -> BaseException | None:
    """Wait for Ctrl-C or SIGTERM; return what ended the server otherwise."""
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # loops of Windows have no handlers
            loop.add_signal_handler(number, stopped.set)
    server.core.failed.add_done_callback(lambda _: stopped.set())
    await stopped.wait()
    return server.core.failed.exception() if server.core.failed.done() else None


def _run(serving: Coroutine[Any, Any, int]) -> int:
    try:
        import uvloop
    except ImportError:  # where there is none, such as Windows
        return asyncio.run(serving)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(serving)
