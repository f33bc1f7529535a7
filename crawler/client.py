"""Pages over HTTP, one request at a time: politely, and within limits.

An answer that breaks off, or is too long, is taken as far as it came. What is no HTML is not read.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import NamedTuple

import aiohttp
from yarl import URL

from .errors import CrawlError
from .exchange import Exchange, is_html, with_links
from .pages.addresses import joined, normalized, site
from .robots import LARGEST, Robots

AGENT = "counterpoint"
"""The product token, by which robots.txt names this crawler."""
SIMULATED = "counterpoint"
"""What a synthetic web says of itself in the header Server."""
POLITE = 1.0
"""Seconds from the end of an answer to the next request to the same site."""
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_ACCEPT = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1"


@dataclass(frozen=True)
class Limits:
    """What one address may cost.

    Attributes
    ----------
    seconds : float
        For each request, with its answer.
    body : int
        Bytes of an answer, uncompressed.
    redirects : int
        How many are followed.
    """

    seconds: float = 30.0
    body: int = 10_000_000
    redirects: int = 10


@dataclass(frozen=True)
class Manners:
    """How the crawler behaves.

    Attributes
    ----------
    agent : str
        The header User-Agent; its first word, up to a slash, is looked for in robots.txt.
    robots : bool
        Whether robots.txt is honoured.
    delay : float or None
        Seconds between requests to one site. None: `POLITE`, and 0 for this machine and for what
        says, behind a proxy on this machine, that it is a synthetic web. A longer Crawl-delay of
        robots.txt counts.
    leaves_site : bool
        Whether redirects to another site are followed.
    """

    agent: str = AGENT
    robots: bool = True
    delay: float | None = None
    leaves_site: bool = True


class _Answer(NamedTuple):
    status: int
    body: bytes = b""
    content_type: str = ""
    location: str = ""
    problem: str = ""


class Client:
    """A `Source` over HTTP. Must be closed, or used in a ``with`` statement.

    Parameters
    ----------
    proxy : str, optional
        Address of an HTTP proxy, such as ``counterpoint web serve`` prints.
    manners : Manners
    limits : Limits
    now, sleep : callable
        The clock, in seconds, and how to wait; tests give others.

    Raises
    ------
    CrawlError
        If the proxy is no address of http.
    """

    def __init__(
        self,
        proxy: str | None = None,
        manners: Manners | None = None,
        limits: Limits | None = None,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._proxy = _proxy(proxy)
        self._through_here = proxy is not None and _is_here(self._proxy or "")
        self.manners, self.limits = manners or Manners(), limits or Limits()
        self._now, self._sleep, self._begun = now, sleep, now()
        token = self.manners.agent.partition("/")[0].split(" ")[0]
        self.robots = Robots(token, self._robots_txt) if self.manners.robots else None
        self._free: dict[str, float] = {}
        self._simulated: set[str] = set()
        self._session: aiohttp.ClientSession | None = None
        self._runner = asyncio.Runner()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()

    def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            self._runner.run(self._session.close())
            self._session = None
        self._runner.close()

    def get(self, address: str) -> Exchange:
        """Fetch an address; whatever goes wrong is told in the exchange.

        Raises
        ------
        CrawlError
            If the proxy cannot be reached: then no address can.
        """
        final, answer = self._followed(address)
        told = Exchange(
            address, answer.status, final if final != address else "",
            size=len(answer.body), time=self._now() - self._begun, problem=answer.problem,
        )  # fmt: skip
        return self._permitted(with_links(told, answer.body, answer.content_type))

    def _permitted(self, told: Exchange) -> Exchange:
        """Leave out links on the page's own site that robots.txt forbids."""
        if self.robots is None or not told.links:
            return told
        own, robots = told.of_site, self.robots
        links = [a for a in told.links if site(a) != own or not robots.problem(a)]
        return told._replace(links=tuple(links))

    def _followed(self, address: str) -> tuple[str, _Answer]:
        """Return the address at which redirects end, and what it answered."""
        here, status = address, 0
        for _ in range(self.limits.redirects + 1):
            if problem := self.robots.problem(here) if self.robots else "":
                return here, _Answer(status, problem=problem)
            answer = self._asked(here, self.limits.body)
            target = joined(here, answer.location) if answer.status in _REDIRECTS else None
            if target is None:
                return here, answer
            status = answer.status
            if site(target) != site(address) and not self.manners.leaves_site:
                return here, answer._replace(problem=f"leads to another site, {target}")
            here = target
        return here, _Answer(status, problem=f"more than {self.limits.redirects} redirects")

    def _robots_txt(self, address: str) -> tuple[int, bytes, str]:
        here = address
        for _ in range(6):
            answer = self._asked(here, LARGEST, any_type=True)
            target = joined(here, answer.location) if answer.status in _REDIRECTS else None
            if target is None:
                return answer.status, answer.body, answer.problem
            here = target
        return 404, b"", ""  # RFC 9309, 2.3.1.2: after five redirects it may be taken as missing

    def _asked(self, address: str, most: int, *, any_type: bool = False) -> _Answer:
        of = site(address)
        wait = self._free.get(of, 0.0) - self._now()
        if wait > 0:
            self._sleep(wait)
        try:
            return self._runner.run(self._request(address, most, any_type))
        finally:
            self._free[of] = self._now() + self._delay(address, of, any_type)

    def _delay(self, address: str, of: str, is_robots: bool) -> float:
        own = self.manners.delay
        if own is None:
            own = 0.0 if of in self._simulated or _is_here(address) else POLITE
        if self.robots is None or is_robots:
            return own
        return max(own, self.robots.of(address).delay)

    async def _request(self, address: str, most: int, any_type: bool) -> _Answer:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"User-Agent": self.manners.agent, "Accept": _ACCEPT},
                timeout=aiohttp.ClientTimeout(total=self.limits.seconds),
            )
        try:
            async with self._session.get(
                URL(address, encoded=True), proxy=self._proxy, allow_redirects=False
            ) as response:
                return await self._read(address, response, most, any_type)
        except aiohttp.ClientProxyConnectionError as error:
            raise CrawlError(f"the proxy {self._proxy} cannot be used: {_said(error)}") from None
        except aiohttp.ClientHttpProxyError as error:
            return _Answer(0, problem=f"the proxy makes no tunnel for https: {error.status}")
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return _Answer(0, problem=_said(error))

    async def _read(
        self, address: str, response: aiohttp.ClientResponse, most: int, any_type: bool
    ) -> _Answer:
        if self._through_here and response.headers.get("Server", "") == SIMULATED:
            self._simulated.add(site(address))
        kind = response.headers.get("Content-Type", "")
        location = response.headers.get("Location", "")
        if response.status != 200 or not (any_type or is_html(kind)):
            if response.content_length is None or response.content_length > 65_536:
                response.close()  # loading the rest would cost more than another connection
            return _Answer(response.status, b"", kind, location)
        body, problem = bytearray(), ""
        try:
            async for piece in response.content.iter_any():
                body += piece
                if len(body) > most:
                    problem = f"longer than {most:,} bytes: cut"
                    response.close()
                    break
        except (aiohttp.ClientError, OSError) as error:
            problem = f"breaks off after {len(body):,} bytes: {_said(error)}"
        return _Answer(200, bytes(body[:most]), kind, location, problem)


def _said(error: BaseException) -> str:
    """Return what an error says, in one line."""
    if isinstance(error, TimeoutError):
        return "not in time"
    said = " ".join(str(error).split()) or type(error).__name__
    # It may quote the server, which may send what moves a terminal's cursor.
    return "".join(sign if sign.isprintable() else "?" for sign in said)


def _proxy(text: str | None) -> str | None:
    if text is None:
        return None
    address = normalized(text if "://" in text else f"http://{text}")
    if address is None or not address.startswith("http://"):
        raise CrawlError(f"--proxy {text}: is no address of http, such as http://127.0.0.1:8080")
    return address


def _is_here(address: str) -> bool:
    """Tell whether an address is of this machine."""
    name = site(address)
    name = name if name.endswith("]") else name.rpartition(":")[0] or name
    name = name.partition("]")[0].lstrip("[")
    return name in ("localhost", "::1") or (name.startswith("127.") and name.count(".") == 3)
