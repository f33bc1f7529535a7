"""One request, one answer: over aiohttp, within limits, and with whatever went wrong told.

Redirects are not followed here, and nothing is waited for: whoever asks decides on that.
"""

from __future__ import annotations

import errno
import socket
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple, Protocol

import aiohttp
from aiohttp.abc import AbstractResolver
from aiohttp.client_reqrep import ConnectionKey
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from counterpoint.crawler.documents.addresses import normalized, site
from counterpoint.crawler.documents.exchange import is_html
from counterpoint.crawler.errors import CrawlError

from .guard import ForbiddenError, Guard, Resolver
from .manners import AGENT, Limits
from .unpacking import ACCEPTED, Unpacking, UnpackingError

_ACCEPT = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1"
_SMALL = 65_536
"""Bytes; a longer answer that is not wanted costs more than another connection."""
_IDLE = 20.0
"""Seconds that a connection waits for the next request."""
_KEPT = 400
"""Sites to which connections are kept; each waits with a file of the system."""
_OWN_FAULT = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS})
NO_HEADERS: Mapping[str, str] = CIMultiDictProxy(CIMultiDict())


class Wanted(NamedTuple):
    """What is asked for.

    Attributes
    ----------
    address : str
        In its one spelling.
    etag, modified : str
        Only if it is no longer as it was.
    most : int or None
        Bytes of its body, uncompressed, whatever the limits say; None: what they say.
    any_type : bool
        Also if it is no HTML.
    """

    address: str
    etag: str = ""
    modified: str = ""
    most: int | None = None
    any_type: bool = False


class Answer(NamedTuple):
    """What came.

    Attributes
    ----------
    status : int
        0: nothing.
    body : bytes
        Uncompressed; b"" if it was not read, since it is no document that was wanted.
    headers : mapping
        By name, in any case.
    problem : str
        In one line; "" if nothing went wrong. What broke off or was cut is in ``body`` as far as
        it came.
    passing : bool
        Nothing came, or the end did not, for a reason that may pass.
    """

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = NO_HEADERS
    problem: str = ""
    passing: bool = False


class Message(NamedTuple):
    """A request and its answer as they were on the wire, but for transfer codings.

    Attributes
    ----------
    address : str
    begun : float
        Seconds since 1970.
    asked : sequence of (str, str)
        Headers of the request.
    version, reason : str
        ``HTTP/1.1`` and what follows the status.
    status : int
    answered : sequence of (str, str)
        Headers of the answer.
    body : bytes
        As it came: compressed.
    cut : str
        Why the body is not whole: ``length``, ``disconnect``, ``time``, or ``unspecified`` if it
        cannot be unpacked; "" if it is.
    """

    address: str
    begun: float
    asked: tuple[tuple[str, str], ...]
    version: str
    status: int
    reason: str
    answered: tuple[tuple[str, str], ...]
    body: bytes
    cut: str


Keeper = Callable[[Message], Awaitable[None]]
"""Keeps a message; the answer is told when it is kept."""


class Fetcher(Protocol):
    """Whatever answers requests."""

    async def fetch(self, wanted: Wanted) -> Answer:
        """Ask once; whatever goes wrong is told in the answer.

        Raises
        ------
        CrawlError
            If no address at all can be asked.
        """
        ...

    async def close(self) -> None:
        """Close connections."""


class Network:
    """A `Fetcher` over HTTP/1.1.

    Parameters
    ----------
    proxy : str, optional
        Address of an HTTP proxy, such as ``counterpoint web serve`` prints.
    agent : str
        The header User-Agent.
    limits : Limits
    guard : Guard, optional
        Who may be asked; by default public addresses only.
    keep : callable, optional
        Is given every message; then the bodies of all answers are read, also those not wanted.
    resolver : AbstractResolver, optional
        Who looks names up.

    Raises
    ------
    CrawlError
        If the proxy is no address of http.
    """

    def __init__(
        self,
        proxy: str | None = None,
        *,
        agent: str = AGENT,
        limits: Limits | None = None,
        guard: Guard | None = None,
        keep: Keeper | None = None,
        resolver: AbstractResolver | None = None,
    ) -> None:
        self.proxy = proxy_address(proxy)
        self._through = URL(self.proxy, encoded=True) if self.proxy else None
        self._agent, self._limits, self._guard = agent, limits or Limits(), guard or Guard()
        self._keep, self._resolver = keep, resolver
        self._kept: dict[str, float] = {}
        self._sessions: dict[bool, aiohttp.ClientSession] = {}

    async def close(self) -> None:
        """Close connections."""
        while self._sessions:
            await self._sessions.popitem()[1].close()

    def _session(self, address: str) -> aiohttp.ClientSession:
        """Return what an address is asked with: with connections that are kept, or that are not.

        It must be known before: a short answer has given its connection back when it is seen.
        """
        keeps = self._keeps_open(address)
        return self._sessions.get(keeps) or self._opened(keeps)

    def _opened(self, keeps: bool) -> aiohttp.ClientSession:
        limits = self._limits
        session = self._sessions[keeps] = aiohttp.ClientSession(
            connector=self._connector(_IDLE if keeps else None),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"User-Agent": self._agent, "Accept": _ACCEPT, "Accept-Encoding": ACCEPTED},
            timeout=aiohttp.ClientTimeout(total=limits.seconds),
            auto_decompress=False,
            request_class=aiohttp.ClientRequest if self._through is None else _Proxied,
            max_line_size=limits.header,
            max_field_size=limits.header,
        )
        # aiohttp asks again at once if a connection that was kept breaks: within the host's delay.
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

    async def fetch(self, wanted: Wanted) -> Answer:
        """Ask once; whatever goes wrong is told in the answer.

        Raises
        ------
        CrawlError
            If the proxy cannot be reached: then no address can. Or if a message cannot be kept.
        """
        if problem := self._guard.problem(wanted.address):
            return Answer(0, problem=problem)
        session, headers = self._session(wanted.address), None
        if wanted.etag or wanted.modified:
            told = (("If-None-Match", wanted.etag), ("If-Modified-Since", wanted.modified))
            headers = {name: value for name, value in told if value}
        begun = time.time() if self._keep is not None else 0.0
        try:
            async with session.get(
                URL(wanted.address, encoded=True),
                headers=headers,
                proxy=self._through,
                allow_redirects=False,
            ) as response:
                return await self._read(wanted, response, begun)
        except aiohttp.ClientProxyConnectionError as error:
            raise CrawlError(f"the proxy {self.proxy} cannot be used: {said(error)}") from None
        except aiohttp.ClientHttpProxyError as error:
            return Answer(0, problem=f"the proxy makes no tunnel for https: {error.status}")
        except CrawlError:  # of what keeps messages; it is a ValueError
            raise
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return _no_answer(error)

    async def _read(self, wanted: Wanted, response: aiohttp.ClientResponse, begun: float) -> Answer:
        headers, status = response.headers, response.status
        asked_for = status == 200 and (wanted.any_type or is_html(headers.get("Content-Type", "")))
        if not asked_for and self._keep is None:
            if response.content_length is None or response.content_length > _SMALL:
                response.close()
            else:
                await _drained(response)
            return Answer(status, b"", headers)
        most = self._limits.body if wanted.most is None else wanted.most
        reading = _Reading(headers.get("Content-Encoding", ""), most, self._limits.ratio)
        wire = None if self._keep is None else bytearray()
        await reading.read(response, wire)
        if reading.cut:
            response.close()
        if self._keep is not None and wire is not None:
            await self._keep(_message(wanted.address, response, begun, bytes(wire), reading.cut))
        if not asked_for:
            return Answer(status, b"", headers)
        document = bytes(memoryview(reading.body.out)[:most])
        return Answer(status, document, headers, reading.problem, reading.broken)

    def _keeps_open(self, address: str) -> bool:
        """Tell whether the connection to a site may wait for the next request."""
        if self._through is not None and address.startswith("http:"):
            return True  # it is one to the proxy; through a tunnel it is one to the site
        now, of = time.monotonic(), site(address)
        if of not in self._kept and len(self._kept) >= _KEPT:
            self._kept = {one: at for one, at in self._kept.items() if at > now - _IDLE}
            if len(self._kept) >= _KEPT:
                return False
        self._kept[of] = now
        return True


class _Proxied(aiohttp.ClientRequest):
    """Connections to a proxy are kept for all hosts: aiohttp keeps them for one host each."""

    @property
    def connection_key(self) -> ConnectionKey:
        key = super().connection_key
        return key if key.is_ssl else key._replace(host="", port=None)


class _Reading:
    """Reads one body, as far as it comes and may be."""

    def __init__(self, encoding: str, most: int, ratio: int) -> None:
        self.body = Unpacking(encoding, most, ratio)
        self._most = most
        self.problem = self.cut = ""

    @property
    def broken(self) -> bool:
        """Whether the end did not come."""
        return self.cut in ("disconnect", "time")

    async def read(self, response: aiohttp.ClientResponse, wire: bytearray | None) -> None:
        """Read; also what is on the wire, into an array, if one is given."""
        try:
            async for piece in response.content.iter_any():
                if wire is not None:
                    wire += piece
                self.body.feed(piece)
                if self.body.full:
                    self.problem, self.cut = f"longer than {self._most:,} bytes: cut", "length"
                    break
            else:
                if not self.body.whole:
                    self.problem = f"breaks off after {len(self.body.out):,} bytes, in its packing"
        except UnpackingError as error:
            self.problem, self.cut = f"{error}: cut", "unspecified"
        except (aiohttp.ClientError, OSError) as error:
            self.cut = "time" if isinstance(error, TimeoutError) else "disconnect"
            self.problem = f"breaks off after {len(self.body.out):,} bytes: {said(error)}"


async def _drained(response: aiohttp.ClientResponse) -> None:
    """Read what is not wanted, so that the connection can be used again."""
    try:
        async for _ in response.content.iter_any():
            pass
    except (aiohttp.ClientError, OSError):
        response.close()


def _message(
    address: str, response: aiohttp.ClientResponse, begun: float, body: bytes, cut: str
) -> Message:
    version = response.version
    answered = tuple(
        (name.decode("latin-1"), value.decode("latin-1")) for name, value in response.raw_headers
    )
    return Message(
        address, begun, tuple(response.request_info.headers.items()),
        f"HTTP/{version.major}.{version.minor}" if version else "HTTP/1.1",
        response.status, response.reason or "", answered, body, cut,
    )  # fmt: skip


def _no_answer(error: Exception) -> Answer:
    """Return the answer when none came."""
    cause = getattr(error, "os_error", error)
    if isinstance(cause, ForbiddenError):
        return Answer(0, problem=said(cause))
    if isinstance(cause, OSError) and cause.errno in _OWN_FAULT:
        raise CrawlError(f"this machine cannot open a connection: {said(cause)}") from None
    return Answer(0, problem=said(error), passing=_passes(error, cause))


def _passes(error: Exception, cause: object) -> bool:
    """Tell whether a failure may pass: no answer in time, no connection, or one that broke."""
    if isinstance(cause, socket.gaierror):
        return cause.errno == socket.EAI_AGAIN
    if isinstance(error, aiohttp.ClientSSLError):
        return False
    return isinstance(error, (OSError, aiohttp.ClientConnectionError))


def said(error: BaseException) -> str:
    """Return what an error says, in one line."""
    if isinstance(error, TimeoutError):
        return "not in time"
    text = " ".join(str(error).split()) or type(error).__name__
    # It may quote the server, which may send what moves a terminal's cursor.
    return "".join(sign if sign.isprintable() else "?" for sign in text)


def proxy_address(text: str | None) -> str | None:
    """Return the address of a proxy in its one spelling.

    Raises
    ------
    CrawlError
        If it is no address of http.
    """
    if text is None:
        return None
    address = normalized(text if "://" in text else f"http://{text}")
    if address is None or not address.startswith("http://"):
        raise CrawlError(f"--proxy {text}: is no address of http, such as http://127.0.0.1:8080")
    return address
