"""``counterpoint web serve``: a synthetic or a captured web over HTTP, for any crawler."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
import sys
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from counterpoint.commands.damages import name_damages
from counterpoint.console import FELL, OK, above_zero, must_be_writable, progress
from counterpoint.files.outputs import named
from counterpoint.sim_web import profile
from counterpoint.sim_web.errors import WebError

if TYPE_CHECKING:  # numba and aiohttp are loaded where a web is served
    from counterpoint.crawler.archives.captured import CapturedWeb
    from counterpoint.sim_web.generator import Web
    from counterpoint.sim_web.record import Header
    from counterpoint.sim_web.sections import Limits
    from counterpoint.sim_web.server import Server
    from counterpoint.sim_web.server.core import AnsweringSite

COMPONENTS = ("scc", "in", "out", "tendrils", "tubes", "disconnected")


@dataclass(frozen=True)
class _ServerOptions:
    """The options of the server, without those of the web."""

    listen: str
    port: int
    real_time: bool
    speed: float
    seconds_per_request: float
    log: Path | None
    folders: dict[str, str]


@dataclass(frozen=True)
class _Served:
    """What is served: the answers, the first line of the log, a line about it, start addresses."""

    site: AnsweringSite
    header: Header
    about: str
    starts: Sequence[str]
    limits: Limits | None = None
    beginning: int | None = None
    close: Callable[[], None] = lambda: None


@click.command()
@click.option("--profile", "name", metavar="NAME",
              help="The kind of web: a name of `web profiles`, or a TOML file.")  # fmt: skip
@click.option("--warc", "archives", multiple=True, metavar="FILE|DIR",
              type=click.Path(path_type=Path),
              help="Serve the web that was captured in WARC files instead; repeatable.",
              )  # fmt: skip
@click.option("--index", "index", type=click.Path(file_okay=False, path_type=Path),
              metavar="FOLDER",
              help="With --warc: write the indexes there.  [beside the files]")  # fmt: skip
@click.option("--pages", type=int, metavar="N",
              help="Number of pages of the web.  [the profile's]")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
              help="Seed of the web.")  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), default=0,
              help="Listen at this port.  [a free port]")  # fmt: skip
@click.option("--listen", default="127.0.0.1", show_default=True, metavar="ADDRESS",
              help="Listen at this address of the machine.")  # fmt: skip
@click.option("--site", "sites", multiple=True, metavar="HOST=DIR",
              help="Also serve the HTML files of folder DIR as HOST; repeatable.")  # fmt: skip
@click.option("--log", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Record every request in a new file, for `counterpoint web judge`.")  # fmt: skip
@click.option("--seeds", type=click.IntRange(1, 1_000_000), default=1, show_default=True,
              metavar="K",
              help="Choose the start pages of K hosts as start addresses.")  # fmt: skip
@click.option("--seeds-from", type=click.Choice([*COMPONENTS, "any"]), default="scc",
              show_default=True, help="Choose start addresses in this component.")  # fmt: skip
@click.option("--seeds-file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write the start addresses and those of --site to FILE, one per line.",
              )  # fmt: skip
@click.option("--real-time", is_flag=True,
              help="Virtual time follows the wall clock; without this option, each request "
                   "advances it.")  # fmt: skip
@click.option("--speed", type=float, callback=above_zero, metavar="X",
              help="With --real-time: X virtual seconds pass in a second.  [1]")  # fmt: skip
@click.option("--seconds-per-request", type=click.FloatRange(0, 1e9), metavar="SECONDS",
              help="Without --real-time: virtual seconds that pass with each request.  [0.1]",
              )  # fmt: skip
def serve(
    name: str | None,
    archives: tuple[Path, ...],
    index: Path | None,
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
    r"""Serve a synthetic or a captured web to any crawler, until Ctrl-C.

    The server is an HTTP proxy that forwards nothing: give its address to the crawler as
    http_proxy, and the crawler sees all hosts. Requests without a proxy are answered by their Host
    header. With the header X-Counterpoint-Time: SECONDS, a request sets a later virtual time.

    Of a captured web, virtual time 0 is that of the first capture, and an address answers what was
    captured last by then. What was never captured gets 404 with X-Counterpoint-Unknown.

    Exit code 0: the server was stopped by Ctrl-C or SIGTERM; 1: the log could not be written;
    2: the command is wrong.

    \b
    counterpoint web serve --profile broder-1999 --port 8080 --log access.jsonl
    http_proxy=http://127.0.0.1:8080 wget -r -H --domains test http://HOST.test/
    counterpoint web serve --profile hostile --real-time --speed 60
    counterpoint web serve --profile sample --site docs.test=html
    counterpoint web serve --warc crawl-2024/ --port 8080 --log access.jsonl
    """
    if bool(archives) == (name is not None):
        raise click.UsageError("give either --profile or --warc")
    if index is not None and not archives:
        raise click.UsageError("--index: only with --warc")
    if archives:
        _must_be_of_server(click.get_current_context())
    if speed is not None and not real_time:
        raise click.UsageError("--speed: only with --real-time")
    if seconds_per_request is not None and real_time:
        raise click.UsageError("--seconds-per-request: not with --real-time")
    must_be_writable("--log", log, replaces=False)
    must_be_writable("--seeds-file", seeds_file)
    kind = None if name is None else profile.load(name)
    with progress("web") as tell:
        from counterpoint.sim_web.generator import Web
        from counterpoint.sim_web.server import SECONDS_PER_REQUEST, allow_many_files, parse_mounts
        from counterpoint.sim_web.serving import prepare, start_addresses

        folders = parse_mounts(sites)
        if kind is None:
            from counterpoint.crawler.archives.captured import CapturedWeb

            served = _captured(CapturedWeb(archives, index, tell), archives, seeds, real_time)
        else:
            web = Web(kind, pages, seed)
            served = _synthetic(web, start_addresses(web, seeds, seeds_from), folders, real_time)
            prepare(web, served.starts[0])
    options = _ServerOptions(
        listen, port, real_time, speed or 1.0,
        SECONDS_PER_REQUEST if seconds_per_request is None else seconds_per_request, log, folders,
    )  # fmt: skip
    allow_many_files()
    try:
        return _run(_serve(served, options, seeds_file))
    finally:
        served.close()


def _must_be_of_server(context: click.Context) -> None:
    """Refuse options of synthetic webs."""
    for name in ("pages", "seed", "seeds_from"):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name.replace('_', '-')}: not with --warc")


def _synthetic(
    web: Web, starts: Sequence[str], folders: dict[str, str], real_time: bool
) -> _Served:
    from counterpoint.sim_web.serving import header_of
    from counterpoint.sim_web.world.site import SyntheticSite

    for host in folders:
        if web.named(host) is not None:
            raise WebError(f"--site {host}: this web has a host of that name")
    about = (f"{web.pages:,} pages on {web.hosts:,} hosts, {web.profile.name}, "
             f"seed {web.seed}")  # fmt: skip
    return _Served(SyntheticSite(web), header_of(web, folders, real_time), about, starts,
                   web.profile.limits)  # fmt: skip


def _captured(web: CapturedWeb, paths: Sequence[Path], count: int, real_time: bool) -> _Served:
    from counterpoint.crawler.archives.cdxj import date_of
    from counterpoint.sim_web.record import Header
    from counterpoint.sim_web.referee.opening import CAPTURED
    from counterpoint.studies.captured.serving import CapturedSite

    name_damages(web.index.damages)
    starts = web.starts(count)
    if not starts:
        raise WebError("--warc: no page of HTML with status 200 was captured")
    first, last = map(date_of, web.span)
    about = f"{len(web.index):,} captures from {first} to {last}"
    header = Header({CAPTURED: [str(path) for path in paths]}, 0, 0, {}, real_time)
    return _Served(CapturedSite(web), header, about, starts, beginning=web.begin, close=web.close)


async def _serve(served: _Served, options: _ServerOptions, seeds_file: Path | None) -> int:
    """Serve a web until the server is stopped; return the exit code."""
    server = _new_server(served, options)
    try:
        await server.start(options.listen, options.port)
        gc.freeze()  # what is there now stays until the end
        mounted = [f"http://{host}/" for host in server.mounts.folders]
        if seeds_file is not None:
            with named(seeds_file):
                seeds_file.write_text("".join(f"{one}\n" for one in [*served.starts, *mounted]))
        _print_addresses(served, options, server, mounted)
        failed = await _until_stopped(server)
    finally:
        await server.stop()
    requests = server.core.answered
    message = failed or f"stopped after {requests:,} request{'s' * (requests != 1)}"
    click.echo(f"counterpoint: {message}", err=True)
    return FELL if failed else OK


def _new_server(served: _Served, options: _ServerOptions) -> Server:
    from counterpoint.sim_web.server import AccessLog, Mounts, RealClock, Server, VirtualClock
    from counterpoint.sim_web.server.wire import BEGINNING

    log = AccessLog(options.log, served.header) if options.log is not None else None
    clock = (
        RealClock(options.speed) if options.real_time else VirtualClock(options.seconds_per_request)
    )
    beginning = BEGINNING if served.beginning is None else served.beginning
    return Server(served.site, clock, limits=served.limits, mounts=Mounts(options.folders),
                  log=log, beginning=beginning)  # fmt: skip


def _print_addresses(
    served: _Served, options: _ServerOptions, server: Server, mounted: Sequence[str]
) -> None:
    """Print the addresses of the proxy, of the first start page and of mounted sites."""
    click.echo(f"web:    {served.about}")
    click.echo(f"proxy:  {server.proxy}")
    click.echo(f"start:  {served.starts[0]}")
    for address in mounted:
        click.echo(f"site:   {address}")
    if options.log is not None:
        click.echo(f"log:    {options.log}")
    click.echo("Ctrl-C stops the server.", err=True)
    sys.stdout.flush()


async def _until_stopped(server: Server) -> BaseException | None:
    """Wait for Ctrl-C or SIGTERM; return the error if the server ended by itself."""
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
    except ImportError:  # it does not exist for Windows
        return asyncio.run(serving)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(serving)
