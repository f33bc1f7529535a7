"""Notes which IP address has answered a request."""

from __future__ import annotations

import aiohttp
from aiohttp.connector import Connection


class PeerResponse(aiohttp.ClientResponse):
    """An answer that knows from which address it came.

    A short answer has returned its connection before anybody can ask it.

    Attributes
    ----------
    peer : str
        The IP address at the other end of the connection; "" if it is unknown.
    """

    peer = ""

    async def start(self, connection: Connection) -> aiohttp.ClientResponse:
        """Start to read the answer."""
        transport = connection.transport
        name = None if transport is None else transport.get_extra_info("peername")
        if isinstance(name, tuple) and name and isinstance(name[0], str):
            self.peer = name[0].partition("%")[0]
        return await super().start(connection)
