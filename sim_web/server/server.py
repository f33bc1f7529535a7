"""The server: one port that answers for every host of a web."""

from __future__ import annotations

import asyncio
import errno

from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.sections import Limits

from .clock import Clock
from .connection import Connection
from .core import AnsweringSite, Core
from .limits import Buckets
from .log import AccessLog
from .mounts import Mounts
from .settings import ServerSettings
from .wire import BEGINNING, Dates


class Server:
    """Serves a web: by Host header, and as an HTTP proxy that forwards nothing.

    Parameters
    ----------
    site : AnsweringSite
        Gives the answers.
    clock : Clock
        Virtual time.
    limits : Limits, optional
        The limits of the requests of one client to one host; by default there is none.
    mounts : Mounts, optional
        The mounted folders.
    log : AccessLog, optional
        Gets a record of each request. The server closes it.
    settings : ServerSettings, optional
        The limits of the server.
    beginning : int
        Virtual time 0 in seconds since 1970, for the header Date.
    """

    def __init__(
        self,
        site: AnsweringSite,
        clock: Clock,
        *,
        limits: Limits | None = None,
        mounts: Mounts | None = None,
        log: AccessLog | None = None,
        settings: ServerSettings | None = None,
        beginning: int = BEGINNING,
    ) -> None:
        self._log = log
        self._settings = (settings or ServerSettings()).bearable()
        buckets = Buckets(limits or Limits())
        self.mounts = mounts or Mounts({})
        self.core = Core(site, clock, buckets, self.mounts, log, self._settings)
        self.core.dates = Dates(beginning)
        self._server: asyncio.Server | None = None
        self._sweeper: asyncio.TimerHandle | None = None
        self.address = ("", 0)

    @property
    def proxy(self) -> str:
        """The address that clients use as their HTTP proxy."""
        host, port = self.address
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    async def start(self, listen: str = "127.0.0.1", port: int = 0) -> None:
        """Listen at an address of this machine.

        Parameters
        ----------
        listen : str
            The address.
        port : int
            The port; 0: any free port.

        Raises
        ------
        WebError
            If the port is in use, or this machine has no such address. An empty log is deleted.
        """
        loop = self.core.loop
        try:
            self._server = await loop.create_server(
                lambda: Connection(self.core), listen, port, backlog=1024
            )
        except (OSError, UnicodeError) as error:
            if self._log is not None:
                self._log.withdraw()
            raise WebError(_cannot(error, listen, port)) from error
        name = self._server.sockets[0].getsockname()
        self.address = (name[0], name[1])
        self.core.addresses.port = name[1]
        self._sweep()

    def _sweep(self) -> None:
        self.core.sweep()
        self._sweeper = self.core.loop.call_later(self._settings.period(), self._sweep)

    async def stop(self) -> None:
        """End all connections, log the requests that were interrupted, and close the log."""
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
        return f"--port {port}: the port is in use at {listen}"
    if number == errno.EACCES:
        return f"--port {port}: only the administrator may listen at this port"
    return f"--listen {listen}: is not an address of this machine"
