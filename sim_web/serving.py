"""Serves a synthetic web from Python: as an application of aiohttp, or in a thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from types import TracebackType

from aiohttp.web import Application

from . import profile as profiles
from . import record
from .answer import Question
from .errors import WebError
from .generator import Component, Web
from .pages.traps import bomb
from .profile import Profile
from .referee import Judgment, WebTruth, judge, read, read_header
from .referee.known import truth_of
from .server import AccessLog, Clock, Mounts, Server, ServerSettings, VirtualClock
from .server.application import application as _application
from .server.core import Core
from .server.limits import Buckets
from .world.site import SyntheticSite

_LOOKED_AT = 1_000_000
"""The number of hosts among which start addresses are searched."""


def web_of(web: Web | Profile | str, pages: int | None = None, seed: int = 0) -> Web:
    """Return a web, made from its profile unless it is given.

    Parameters
    ----------
    web : Web or Profile or str
        A web, a profile, the name of a profile, or the path of a TOML file.
    pages : int, optional
        The number of pages; by default that of the profile.
    seed : int
        The seed of the web.

    Raises
    ------
    WebError
        If there is no such profile, or it cannot be planted on that many pages.
    """
    if isinstance(web, Web):
        return web
    return Web(profiles.load(web) if isinstance(web, str) else web, pages, seed)


def application(
    web: Web | Profile | str,
    pages: int | None = None,
    seed: int = 0,
    *,
    clock: Clock | None = None,
    folders: Mapping[str, str] | None = None,
    log: Path | None = None,
    settings: ServerSettings | None = None,
) -> Application:
    """Return a web as an application of aiohttp, for its `TestServer` and `TestClient`.

    It sends the bytes that `counterpoint web serve` sends. A request names a host of the web by its
    Host header, or it is made through the server as a proxy.

    Parameters
    ----------
    web, pages, seed
        The web, as for `web_of`.
    clock : Clock, optional
        Virtual time; by default, each request advances it by 0.1 s.
    folders : mapping of str to str, optional
        Folders of files that are served as further hosts.
    log : Path, optional
        A new file that gets a record of each request.
    settings : ServerSettings, optional
        The times that faults take. Limits of connections are those of aiohttp.

    Raises
    ------
    WebError
        If there is no such web, or a folder cannot be a host of it.
    """
    planted = web_of(web, pages, seed)
    mounts, used = _mounts(planted, folders or {}), clock or VirtualClock()
    opened: list[AccessLog] = []

    def open_core() -> Core:
        if log is not None:
            opened.append(AccessLog(log, header_of(planted, mounts.folders, used.real)))
        return Core(
            SyntheticSite(planted), used, Buckets(planted.profile.limits), mounts,
            opened[-1] if opened else None, settings or ServerSettings(),
        )  # fmt: skip

    def close() -> None:
        for one in opened:
            one.close()

    return _application(open_core, close)


def _mounts(web: Web, folders: Mapping[str, str]) -> Mounts:
    for host, folder in folders.items():
        if web.named(host) is not None:
            raise WebError(f"{host}: this web has a host of that name")
        if not Path(folder).is_dir():
            raise WebError(f"{host}: there is no folder {folder}")
    return Mounts(folders)


def header_of(web: Web, folders: Mapping[str, str], real_time: bool = False) -> record.Header:
    """Return the header of a log of a web."""
    tables = profiles.to_mapping(web.profile)
    return record.Header(tables, web.pages, web.seed, dict(folders), real_time)


def start_addresses(web: Web, count: int = 1, component: str = "scc") -> list[str]:
    """Return addresses of start pages in a component, those of the largest hosts first.

    Parameters
    ----------
    web : Web
    count : int
        The largest number of addresses.
    component : str
        The name of a component, or ``any``.

    Raises
    ------
    WebError
        If no host starts in the component.
    """
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
    """Generate one page before the first request, so that the generator is already compiled.

    A compression bomb is generated as well, if the web has one: it takes half a second, in which no
    other client would be answered.
    """
    SyntheticSite(web).answer(Question(address, 0.0))
    if web.profile.faults.bomb:
        bomb()


class RunningWeb:
    """A web that a server in a thread of its own serves, with its truth and its log.

    Parameters
    ----------
    web, pages, seed
        The web, as for `web_of`.
    log : Path
        A new file that gets a record of each request.
    clock : Clock, optional
        Virtual time; by default, each request advances it by 0.1 s.
    settings : ServerSettings, optional
        The limits of the server, and the times that faults take.

    Attributes
    ----------
    web : Web
        The planted web.
    log : Path
        The log; it has each request whose answer a client has received.
    proxy : str
        The address that clients use as their HTTP proxy.
    start : str
        The start page of the largest host in the strong component.
    """

    def __init__(
        self,
        web: Web | Profile | str,
        pages: int | None = None,
        seed: int = 0,
        *,
        log: Path,
        clock: Clock | None = None,
        settings: ServerSettings | None = None,
    ) -> None:
        self.web = web_of(web, pages, seed)
        self.log = log
        self.proxy = ""
        self.start = self.starts()[0]
        self._clock, self._settings = clock or VirtualClock(), settings
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="synthetic web", daemon=True)
        self._end: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None
        self._error: BaseException | None = None

    def __enter__(self) -> RunningWeb:
        """Start the server."""
        prepare(self.web, self.start)
        self._thread.start()
        self._ready.wait()
        if self._error is not None:
            self._thread.join()
            raise self._error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:  # fmt: skip
        """Stop the server, so that the log is complete."""
        if self._end is not None:
            loop, end = self._end
            loop.call_soon_threadsafe(end.set)
        self._thread.join()
        if self._error is not None and error is None:
            raise self._error

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:
            self._error = error
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        written = AccessLog(self.log, header_of(self.web, {}, self._clock.real))
        server = Server(
            SyntheticSite(self.web), self._clock, limits=self.web.profile.limits, log=written,
            settings=self._settings,
        )  # fmt: skip
        end = asyncio.Event()
        try:
            await server.start()
            self.proxy = server.proxy
            self._end = asyncio.get_running_loop(), end
            self._ready.set()
            await end.wait()
        finally:
            await server.stop()
        if server.core.failed.done():
            server.core.failed.result()

    def starts(self, count: int = 1, component: str = "scc") -> list[str]:
        """Return start addresses, as `start_addresses`."""
        return start_addresses(self.web, count, component)

    @cached_property
    def truth(self) -> WebTruth:
        """What is true of the web: its graph, its robots.txt, the changes of its pages."""
        return truth_of(self.web)

    def requests(self) -> list[record.Record]:
        """Return the requests that the log has by now."""
        lines = self.log.read_text(encoding="utf-8").splitlines(keepends=True)[1:]
        return [record.record(line) for line in lines if line.endswith("\n")]

    def judgment(self, agent: str = "") -> Judgment:
        """Judge the requests that the log has by now, as `counterpoint web judge` does.

        Parameters
        ----------
        agent : str
            Judge only the requests whose User-Agent contains this.

        Raises
        ------
        WebError
            If no such request was made.
        """
        name = str(self.log)
        with self.log.open("rb") as file:
            found = read(file, name, read_header(file, name), self.truth, agent=agent)
        if not len(found.requests):
            raise WebError(f"{name} contains no request{f' by {agent!r}' if agent else ''}")
        return judge(found, self.truth)
