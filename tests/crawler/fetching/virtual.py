"""Virtual time: an event loop whose clock jumps to the next timer whenever nothing runs."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from multidict import CIMultiDict

from counterpoint.crawler.documents.addresses import site
from counterpoint.crawler.fetching.dispatcher import PoliteDispatcher
from counterpoint.crawler.fetching.job import Fetched, Job
from counterpoint.crawler.fetching.network import Answer, PageRequest

T = TypeVar("T")


class _Selector(selectors.SelectSelector):
    """A selector that never blocks, because time jumps instead."""

    now = 1_000.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = super().select(0)
        if found:
            return found
        if timeout is None:
            raise AssertionError("nothing will ever happen: everybody waits")
        if timeout > 0:
            self.now += timeout
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop in virtual time, which begins at 1000."""

    def __init__(self) -> None:
        self._virtual = _Selector()
        super().__init__(self._virtual)

    def time(self) -> float:
        """Return virtual seconds."""
        return self._virtual.now


def virtually(what: Coroutine[Any, Any, T]) -> T:
    """Run something in virtual time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(what)


def now() -> float:
    """Return virtual seconds."""
    return asyncio.get_running_loop().time()


@dataclass
class Request:
    """A request to a fake web.

    Attributes
    ----------
    ended : float
        The end of the request; infinite while it is under way.
    """

    address: str
    wanted: PageRequest
    began: float
    ended: float = float("inf")
    answer: Answer | None = None

    @property
    def host(self) -> str:
        """The host of the request."""
        return site(self.address)

    @property
    def is_robots(self) -> bool:
        """Whether it was a request for a robots.txt, or for the target of its redirect."""
        return self.wanted.of_robots


def answer(status: int = 200, body: str = "", problem: str = "", passing: bool = False,
           headers: Mapping[str, str] | None = None) -> Answer:  # fmt: skip
    """Return an answer with headers."""
    fields = CIMultiDict({"Content-Type": "text/html", **(headers or {})})
    return Answer(status, body.encode(), fields, problem, passing)


def redirect(to: str) -> Answer:
    """Return a redirect."""
    return answer(302, headers={"Location": to})


Reply = Answer | Callable[[int], Answer]
"""The answer of an address, or a function of the number of earlier requests."""


@dataclass
class FakeWeb:
    """A `Fetcher` that answers by a table.

    Attributes
    ----------
    pages : mapping of str to Reply
        The answers by address; other addresses have status 404.
    seconds : callable
        A function that returns the duration of an answer.
    log : list of Request
        The requests, in order.
    """

    pages: Mapping[str, Reply]
    seconds: Callable[[str], float] = lambda address: 0.25
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    log: list[Request] = field(default_factory=list)
    closed: bool = False

    async def fetch(self, wanted: PageRequest) -> Answer:
        """Answer after a while."""
        before = sum(one.address == wanted.address for one in self.log)
        request = Request(wanted.address, wanted, now())
        self.log.append(request)
        await self.sleep(self.seconds(wanted.address))
        reply = self.pages.get(wanted.address, answer(404))
        request.answer = reply if isinstance(reply, Answer) else reply(before)
        request.ended = now()
        return request.answer

    async def close(self) -> None:
        """Record that it was closed."""
        self.closed = True

    def asked(self) -> list[str]:
        """Return the requested addresses, in order."""
        return [one.address for one in self.log]


def dispatcher(web: FakeWeb, **more: Any) -> PoliteDispatcher:
    """Return a dispatcher in the loop's time."""
    return PoliteDispatcher(web, now=now, **more)


async def fetched(
    web: FakeWeb, addresses: Sequence[str], *, ahead: int = 1000, **more: Any
) -> list[Fetched]:
    """Fetch addresses, with at most a given number of unanswered ones."""
    there = dispatcher(web, **more)
    found: list[Fetched] = []
    given = 0
    while len(found) < len(addresses):
        while given < len(addresses) and given - len(found) < ahead:
            there.submit(Job(given, addresses[given]))
            given += 1
        found.append(await there.completed())
    await there.close(grace=0)
    return found


def run(
    pages: Mapping[str, Reply], addresses: Sequence[str], **more: Any
) -> tuple[list[Fetched], FakeWeb]:
    """Fetch addresses of a web."""
    web = FakeWeb(pages)
    return virtually(fetched(web, addresses, **more)), web


def robots(text: str) -> Answer:
    """Return a robots.txt."""
    return answer(200, text, headers={"Content-Type": "text/plain"})
