"""Makes single requests over aiohttp, within limits; the answer says what went wrong.

Redirects are not followed and requests are not delayed here: the dispatcher does both.
"""

from __future__ import annotations

import asyncio
import errno
import socket
import time
from collections.abc import Mapping
from typing import NamedTuple, Protocol

import aiohttp
from aiohttp.abc import AbstractResolver
from aiohttp.client_reqrep import ConnectionKey
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from counterpoint.crawler.documents.addresses import site
from counterpoint.crawler.documents.answer_rules import NO_RULES
from counterpoint.crawler.documents.exchange import is_read
from counterpoint.crawler.documents.robots import succeeded
from counterpoint.crawler.documents.scope import LEFT_OUT
from counterpoint.crawler.errors import CrawlError

from .codings import ACCEPTED
from .guard import ForbiddenError, Guard, Resolver
from .manners import AGENT, Limits
from .messages import CREDENTIALS, Keeper, message_of
from .peers import PeerResponse
from .proxies import proxy_address, proxy_authorization, refused
from .reading import Reading, describe
from .room import BodyRoom

_ACCEPT = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1"
_SMALL = 65_536
"""Bytes; reading a longer unwanted answer takes longer than opening another connection."""
_IDLE = 20.0
"""Seconds that a connection waits for the next request."""
_KEPT = 400
"""The most sites to which connections stay open; each connection uses a file descriptor."""
_OWN_FAULT = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS})
_PROXY_AUTHENTICATION = 407
_CHALLENGE = "Proxy-Authenticate"
NO_HEADERS: Mapping[str, str] = CIMultiDictProxy(CIMultiDict())


class PageRequest(NamedTuple):
    """A request for a page.

    Attributes
    ----------
    address : str
        The normalized address.
    etag, modified : str
        Validators for a conditional request; "": none.
    most : int or None
        The most bytes of the uncompressed body; None: as the limits say.
    of_robots : bool
        Whether it is a robots.txt: its body is read whatever its type is, and with each status
        that means success.
    of_sitemap : bool
        Whether a body that may be a sitemap is read, too.
    """

    address: str
    etag: str = ""
    modified: str = ""
    most: int | None = None
    of_robots: bool = False
    of_sitemap: bool = False


class Answer(NamedTuple):
    """The answer to a request.

    Attributes
    ----------
    status : int
        The status of HTTP; 0: no answer came.
    body : bytes
        The uncompressed body; b"" if it was not read because it is not a wanted document. If the
        answer broke off or was cut, the body contains the part that was received.
    headers : mapping
        The headers by name, ignoring case.
    problem : str
        What went wrong, in one line; "" if nothing did.
    passing : bool
        Whether the answer, or its end, is missing for a temporary reason.
    coded : bool
        Whether the body is still in a content coding, which is not known.
    """

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = NO_HEADERS
    problem: str = ""
    passing: bool = False
    coded: bool = False


class Fetcher(Protocol):
    """Makes single requests."""

    async def fetch(self, wanted: PageRequest) -> Answer:
        """Make one request; if it fails, the answer says why.

        Raises
        ------
        CrawlError
            If no requests are possible at all.
        """
        ...

    async def close(self) -> None:
        """Close connections."""


class Network:
    """A `Fetcher` over HTTP/1.1.

    Parameters
    ----------
    proxy : str, optional
        The address of an HTTP proxy, such as the one that ``counterpoint web serve`` prints.
    agent : str
        The header User-Agent.
    limits : Limits
    guard : Guard, optional
        Decides which IP addresses are allowed; by default only public ones are.
    keep : callable, optional
        Called with every message. If it is given, the bodies of all answers are read, even those
        that are not wanted.
    resolver : AbstractResolver, optional
        Looks up the names of hosts; by default aiohttp's.
    room : BodyRoom, optional
        Bounds the memory of all bodies; the dispatcher must have the same one.

    Raises
    ------
    CrawlError
        If the proxy is not an http address, or its credentials in the environment are wrong.
    """

    def __init__(
        self, proxy: str | None = None, *, agent: str = AGENT, limits: Limits | None = None,
        guard: Guard | None = None, keep: Keeper | None = None,
        resolver: AbstractResolver | None = None, room: BodyRoom | None = None,
    ) -> None:  # fmt: skip
        self._room = room or BodyRoom()
        self.proxy = proxy_address(proxy)
        self._through = URL(self.proxy, encoded=True) if self.proxy else None
        self._credentials = proxy_authorization() if self.proxy else None
        self._agent, self._limits, self._guard = agent, limits or Limits(), guard or Guard()
        self._keep, self._resolver = keep, resolver
        self._kept: dict[str, float] = {}
        self._sessions: dict[bool, aiohttp.ClientSession] = {}

    async def close(self) -> None:
        """Close connections."""
        while self._sessions:
            await self._sessions.popitem()[1].close()

    def _session(self, address: str) -> aiohttp.ClientSession:
        """Return the session for an address: one that keeps its connections open, or does not.

        After the request it would be too late: a short answer has already returned its connection.
        """
        keeps = self._keeps_open(address)
        return self._sessions.get(keeps) or self._opened(keeps)

    def _opened(self, keeps: bool) -> aiohttp.ClientSession:
        limits = self._limits
        session = self._sessions[keeps] = aiohttp.ClientSession(
            connector=self._connector(_IDLE if keeps else None),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"User-Agent": self._agent, "Accept": _ACCEPT, "Accept-Encoding": ACCEPTED},
            timeout=aiohttp.ClientTimeout(),  # `fetch` counts the time, without what it waits
            auto_decompress=False,
            request_class=aiohttp.ClientRequest if self._through is None else _Proxied,
            response_class=PeerResponse,
            max_line_size=limits.header,
            max_field_size=limits.header,
        )
        # If a kept connection breaks, aiohttp would repeat the request without the host's delay.
        session._retry_connection = False
        return session

    def _connector(self, idle: float | None) -> aiohttp.TCPConnector:
        if self._through is not None:  # connections are made to the proxy alone
            return aiohttp.TCPConnector(limit=0, keepalive_timeout=idle, force_close=idle is None)
        return aiohttp.TCPConnector(
            limit=0,
            keepalive_timeout=idle,
            force_close=idle is None,
            ttl_dns_cache=300,
            resolver=Resolver(self._guard, self._resolver),
            socket_factory=self._guard.opened,
        )

    async def fetch(self, wanted: PageRequest) -> Answer:
        """Make one request; if it fails, the answer says why.

        Raises
        ------
        CrawlError
            If the proxy cannot be reached, or if a message cannot be stored.
        """
        if problem := self._guard.problem(wanted.address):
            return Answer(0, problem=problem)
        session = self._session(wanted.address)
        headers, of_tunnel = self._headers(wanted)
        begun = time.time() if self._keep is not None else 0.0
        end = asyncio.get_running_loop().time() + self._limits.seconds
        try:
            async with asyncio.timeout_at(end):
                response = await session.get(
                    URL(wanted.address, encoded=True), headers=headers, proxy=self._through,
                    proxy_headers=of_tunnel, allow_redirects=False,
                )  # fmt: skip
            async with response:
                return await self._read(wanted, response, begun, end)
        except (aiohttp.ClientProxyConnectionError, aiohttp.ClientConnectorDNSError) as error:
            if self.proxy is None:
                return _no_answer(error)
            raise CrawlError(f"the proxy {self.proxy} cannot be used: {describe(error)}") from None
        except aiohttp.ClientHttpProxyError as error:
            return self._no_tunnel(error.status)
        except CrawlError:  # from `keep`; it is a ValueError, too
            raise
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return _no_answer(error)

    def _headers(self, wanted: PageRequest) -> tuple[dict[str, str], dict[str, str] | None]:
        """Return the headers of a request, and those of the tunnel that https needs in a proxy.

        aiohttp would send credentials only with the first request of a connection to a proxy.
        """
        if not (wanted.etag or wanted.modified or self._credentials):
            return {}, None
        named = [("If-None-Match", wanted.etag), ("If-Modified-Since", wanted.modified)]
        for_proxy = {}
        if self._credentials is not None:
            for_proxy[CREDENTIALS] = self._credentials
        if wanted.address.startswith("http:"):
            named += for_proxy.items()
            for_proxy = {}
        return {name: value for name, value in named if value}, for_proxy or None

    def _no_tunnel(self, status: int) -> Answer:
        if status == _PROXY_AUTHENTICATION:
            raise refused(self.proxy, self._credentials)
        return Answer(0, problem=f"the proxy makes no tunnel for https: {status}")

    async def _read(
        self, wanted: PageRequest, response: aiohttp.ClientResponse, begun: float, end: float
    ) -> Answer:
        headers, status = response.headers, response.status
        of_proxy = self.proxy is not None and wanted.address.startswith("http:")
        # Through a tunnel, a site would say it. A proxy that demands credentials must say which,
        # and does not pass on such a demand of a site (RFC 9110, 11.7.1).
        if of_proxy and status == _PROXY_AUTHENTICATION and _CHALLENGE in headers:
            raise refused(self.proxy, self._credentials)
        of_page = status == 200 and not (wanted.of_robots or wanted.of_sitemap)
        rules = self._limits.rules if of_page else NO_RULES
        if left_out := rules.of_head(status, headers):
            return await self._left_out(wanted, response, begun, left_out)
        kind = headers.get("Content-Type", "")
        asked_for = status == 200 and is_read(kind, of_sitemap=wanted.of_sitemap)
        asked_for = succeeded(status) if wanted.of_robots else asked_for
        if not asked_for and self._keep is None:
            if response.content_length is None or response.content_length > _SMALL:
                response.close()
            else:
                async with asyncio.timeout_at(end):
                    await _drained(response)
            return _without_body(status, headers)
        rules = rules if asked_for else NO_RULES  # of other bodies nothing is used
        most = rules.at_most(self._limits.body if wanted.most is None else wanted.most)
        reading = Reading(headers, most, self._limits.ratio)
        wire = None if self._keep is None else bytearray()
        with self._room.body() as growing:
            await reading.read(response, wire, growing, end)
        if reading.cut:
            response.close()
        await self._kept_message(wanted, response, begun, bytes(wire or b""), reading.cut)
        left_out = rules.of_size(most + 1) if reading.cut == "length" else ""
        if left_out or not asked_for:
            return _without_body(status, headers, left_out and f"{LEFT_OUT}{left_out}")
        document = bytes(memoryview(reading.body.out)[:most])
        coded = bool(reading.body.unknown)
        return Answer(status, document, headers, reading.problem, reading.broken, coded)

    async def _left_out(
        self, wanted: PageRequest, response: aiohttp.ClientResponse, begun: float, rule: str
    ) -> Answer:  # fmt: skip
        """Return an answer that a rule leaves out, without reading its body."""
        response.close()
        await self._kept_message(wanted, response, begun, b"", "unspecified")
        return _without_body(response.status, response.headers, f"{LEFT_OUT}{rule}")

    async def _kept_message(
        self, wanted: PageRequest, response: aiohttp.ClientResponse, begun: float, body: bytes,
        cut: str,
    ) -> None:  # fmt: skip
        """Pass what came of an answer to the keeper, if there is one."""
        if self._keep is not None:
            message = message_of(wanted.address, response, begun, body, cut)
            await self._keep(message if self._through is None else message._replace(ip=""))

    def _keeps_open(self, address: str) -> bool:
        """Return whether the connection to a site may stay open for the next request."""
        if self._through is not None and address.startswith("http:"):
            return True  # it is to the proxy; for https it would be a tunnel to the site
        now, own = time.monotonic(), site(address)
        if own not in self._kept and len(self._kept) >= _KEPT:
            self._kept = {one: at for one, at in self._kept.items() if at > now - _IDLE}
            if len(self._kept) >= _KEPT:
                return False
        self._kept[own] = now
        return True


class _Proxied(aiohttp.ClientRequest):
    """Shares connections to a proxy among all hosts; aiohttp would keep them for each host."""

    @property
    def connection_key(self) -> ConnectionKey:
        key = super().connection_key
        return key if key.is_ssl else key._replace(host="", port=None)


async def _drained(response: aiohttp.ClientResponse) -> None:
    """Read an unwanted body, so that the connection can be used again."""
    try:
        async for _ in response.content.iter_any():
            pass
    except (aiohttp.ClientError, OSError):
        response.close()


def _without_body(status: int, headers: Mapping[str, str], problem: str = "") -> Answer:
    """Return an answer whose body is not wanted; one without a status of HTTP is no answer."""
    if 100 <= status <= 599:
        return Answer(status, b"", headers, problem)
    return Answer(0, problem=f"answered with status {status:03}, which HTTP does not have")


def _no_answer(error: Exception) -> Answer:
    """Return the answer for a failed request; raise if this machine cannot open connections."""
    cause = getattr(error, "os_error", error)
    if isinstance(cause, ForbiddenError):
        return Answer(0, problem=describe(cause))
    if isinstance(cause, OSError) and cause.errno in _OWN_FAULT:
        raise CrawlError(f"this machine cannot open a connection: {describe(cause)}") from error
    return Answer(0, problem=describe(error), passing=_passes(error, cause))


def _passes(error: Exception, cause: object) -> bool:
    """Return whether a failure may be temporary: a timeout, or no or a broken connection."""
    if isinstance(cause, socket.gaierror):
        return cause.errno == socket.EAI_AGAIN
    if isinstance(error, aiohttp.ClientSSLError):
        return False
    return isinstance(error, (OSError, aiohttp.ClientConnectionError))
