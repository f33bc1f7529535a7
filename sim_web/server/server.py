"""The server: one port that answers for every host of a web."""

from __future__ import annotations

import asyncio
import errno
import gc

from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.sections import Limits

from .clock import Clock
from .connection import Connection
from .core import Core, Site
from .limits import Buckets
from .log import Log
from .mounts import Mounts
from .settings import Settings


class Server:
    """Serves a web: by Host header, and as an HTTP proxy that forwards nothing.

    Parameters
    ----------
    site : Site
        Knows the answer to every question.
    clock : Clock
        Virtual time.
    limits : Limits
        Of requests of one client to one host.
    mounts : Mounts
        Real folders.
    log : Log, optional
        Where requests are recorded. The server closes it.
    settings : Settings
        How long it waits, and for what.
    """

    def __init__(
        self,
        site: Site,
        clock: Clock,
        *,
        limits: Limits | None = None,
        mounts: Mounts | None = None,
        log: Log | None = None,
        settings: Settings | None = None,
    ) -> None:
        self._log = log
        self._settings = (settings or Settings()).bearable()
        buckets = Buckets(limits or Limits())
        self.mounts = mounts or Mounts({})
        self.core = Core(site, clock, buckets, self.mounts, log, self._settings)
        self._server: asyncio.Server | None = None
        self._sweeper: asyncio.TimerHandle | None = None
        self.address = ("", 0)

    @property
    def proxy(self) -> str:
        """The address to give to clients as their HTTP proxy."""
        host, port = self.address
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    async def start(self, listen: str = "127.0.0.1", port: int = 0) -> None:
        """Listen at an address of this machine.

        Raises
        ------
        WebError
            If the port is in use, or there is no such address. No log of nothing stays behind.
        """
        loop = self.core.loop
        try:
            self._server = await loop.create_server(
                lambda: Connection(self.core), listen, port, backlog=1024
            )
        except (OSError, UnicodeError) as error:
            if self._log is not None:
                self._log.withdraw()
            raise WebError(_cannot(error, listen, port)) from None
        name = self._server.sockets[0].getsockname()
        self.address = (name[0], name[1])
        self.core.addresses.port = name[1]
        self._sweep()
        gc.freeze()

    def _sweep(self) -> None:
        self.core.sweep()
        self._sweeper = self.core.loop.call_later(self._settings.period(), self._sweep)

    async def stop(self) -> None:
        """End all connections, log what broke off, and close the log."""
        if self._sweeper is not None:
            self._sweeper.cancel()
        if self._server is not None:
            self._server.close()
        while self.core.connections:
            for connection in list(self.core.connections):
                connection.abort()
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        self.core.flush()
        if self._log is not None:
            self._log.close()


def _cannot(error: OSError | UnicodeError, listen: str, port: int) -> str:
    number = getattr(error, "errno", None)
    if number == errno.EADDRINUSE:
        return f"--port {port}: is in use at {listen}"
    if number == errno.EACCES:
        return f"--port {port}: only the system's administrator may listen there"
    return f"--listen {listen}: is no address of this machine"
