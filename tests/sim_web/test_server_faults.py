"""Every fault of the profile ``hostile``, over a socket, from the generated web."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from counterpoint.sim_web.answer import Answer, Fault, Kind, Question
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.record import Record
from counterpoint.sim_web.sections import Limits
from counterpoint.sim_web.server import VirtualClock

from .hostile_web import ELSEWHERE, faulty, host_of, site
from .serving import QUICK, Served, served, split, unchunked


async def get(web: Served, url: str, time: float) -> bytes:
    """Return the bytes received for an address at a given time."""
    return await web.get(url, f"X-Counterpoint-Time: {time}", host=host_of(url))


def asked(folder: Path, ask: Callable[[Served], Coroutine[Any, Any, Any]], **more: Any) -> Any:
    """Return the bytes that a client receives from the generated web."""

    async def run() -> Any:
        async with served(folder, site=site(), clock=VirtualClock(0), **more) as web:
            return await ask(web)

    return asyncio.run(run())


def fetched(folder: Path, fault: Fault) -> tuple[bytes, Answer, Record]:
    """Return the received bytes, the web's answer, and the log."""
    url, time = faulty()[fault]

    async def ask(web: Served) -> tuple[bytes, Record]:
        return await get(web, url, time), web.records()[0]

    got, record = asked(folder, ask)
    assert (record.url, record.fault, record.started) == (url, fault, pytest.approx(time, abs=1e-5))
    return got, site().answer(Question(url, time)), record


def content(answer: bytes) -> bytes:
    """Return the body, joined from its chunks if there are any."""
    _, headers, body = split(answer)
    return unchunked(body) if "transfer-encoding" in headers else body


def test_the_profile_has_every_fault() -> None:
    """A fault of the profile that no address has."""
    assert set(faulty()) == set(Fault) - ELSEWHERE


@pytest.mark.parametrize("fault", [Fault.RESET, Fault.VANISHED, Fault.ROBOTS_TIMEOUT])
def test_connections_that_end_without_an_answer(tmp_path: Path, fault: Fault) -> None:
    """A status line where there must be none, or one that only the log shows."""
    got, _, record = fetched(tmp_path, fault)
    assert (got, record.status, record.bytes) == (b"RESET", 0, 0)


@pytest.mark.parametrize(
    ("fault", "waits"),
    [
        (Fault.ROBOTS_TIMEOUT, QUICK.robots_seconds),
        (Fault.SLOW_HEADERS, QUICK.slow_seconds),
    ],
)
def test_what_takes_its_time(tmp_path: Path, fault: Fault, waits: float) -> None:
    """Slow headers, or a robots.txt that times out, sent at once."""
    url, time = faulty()[fault]

    async def ask(web: Served) -> float:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        await get(web, url, time)
        return loop.time() - begun

    assert asked(tmp_path, ask) >= 0.9 * waits


def test_slow_headers_come_whole(tmp_path: Path) -> None:
    """A page that is damaged by slow sending."""
    got, sent, record = fetched(tmp_path, Fault.SLOW_HEADERS)
    assert (content(got), record.status) == (sent.body, 200)


def test_a_body_never_ends(tmp_path: Path) -> None:
    """A body that ends, that does not begin like the page, or that fills the memory."""
    got, sent, record = fetched(tmp_path, Fault.ENDLESS_BODY)
    assert got.endswith(b"RESET")
    assert sent.body[:100] in got[:2000]
    assert QUICK.endless_bytes <= record.bytes < 2 * QUICK.endless_bytes
    assert len(got) < 2 * QUICK.endless_bytes


def test_truncated_chunks(tmp_path: Path) -> None:
    """Chunks that are complete."""
    got, sent, record = fetched(tmp_path, Fault.TRUNCATED_CHUNKS)
    assert split(got)[1]["transfer-encoding"] == "chunked"
    with pytest.raises(ValueError, match="breaks off"):
        content(got)
    assert (record.status, record.bytes) == (200, len(sent.body))


def test_wrong_length(tmp_path: Path) -> None:
    """A Content-Length that is correct."""
    got, sent, _ = fetched(tmp_path, Fault.WRONG_LENGTH)
    _, headers, body = split(got)
    assert body == sent.body
    assert int(headers["content-length"]) > len(body)


def test_wrong_type(tmp_path: Path) -> None:
    """An HTML page that is declared as HTML."""
    got, _, _ = fetched(tmp_path, Fault.WRONG_TYPE)
    assert content(got).startswith(b"<!DOCTYPE html>")
    assert "text/html" not in split(got)[1]["content-type"]


def test_huge_page(tmp_path: Path) -> None:
    """A page of megabytes that arrives incomplete."""
    got, sent, record = fetched(tmp_path, Fault.HUGE_PAGE)
    assert content(got) == sent.body
    assert record.bytes == len(sent.body) > 2_000_000


def test_bomb(tmp_path: Path) -> None:
    """A bomb that is large on the wire, or that does not unpack to gigabytes."""
    got, _, record = fetched(tmp_path, Fault.BOMB)
    body = content(got)
    assert split(got)[1]["content-encoding"] == "gzip"
    assert record.bytes == len(body) < 4_000_000
    packer, size, rest = zlib.decompressobj(31), 0, body[: len(body) // 16]
    while rest:
        size += len(packer.decompress(rest, 1 << 22))
        rest = packer.unconsumed_tail
    assert size > 100_000_000, "of a sixteenth"
    assert int.from_bytes(body[-4:], "little") == 2 << 30


@pytest.mark.parametrize(
    ("fault", "status"),
    [(Fault.NOT_FOUND, 404), (Fault.GONE, 410), (Fault.SERVER_ERROR, 500)],
)
def test_errors(tmp_path: Path, fault: Fault, status: int) -> None:
    """A wrong status, on the wire or in the log."""
    got, _, record = fetched(tmp_path, fault)
    assert (split(got)[0], record.status) == (status, status)


def test_unavailable_until_it_said(tmp_path: Path) -> None:
    """A 503 without Retry-After, or one that lasts longer than it says."""
    url, time = faulty()[Fault.UNAVAILABLE]

    async def ask(web: Served) -> tuple[int, int]:
        status, headers, _ = split(await get(web, url, time))
        later = split(await get(web, url, time + float(headers["retry-after"])))
        return status, later[0]

    assert asked(tmp_path, ask) == (503, 200)


async def followed(web: Served, url: str, most: int) -> tuple[int, list[str]]:
    """Return the last status, and the addresses that led to it."""
    way = [url]
    while True:
        status, headers, _ = split(await get(web, way[-1], 0.0))
        if not 300 <= status < 400 or len(way) > most:
            return status, way
        goal = headers["location"]
        way.append(goal if "://" in goal else f"http://{host_of(url)}{goal}")


def test_a_chain_ends_and_a_loop_does_not(tmp_path: Path) -> None:
    """A loop that ends, or a chain of one redirect or without a page at its end."""

    async def ask(web: Served) -> list[tuple[int, list[str]]]:
        kinds = (Fault.REDIRECT_CHAIN, Fault.REDIRECT_LOOP)
        return [await followed(web, faulty()[kind][0], 20) for kind in kinds]

    (status, chain), (never, loop) = asked(tmp_path, ask)
    assert (status, len(set(chain)) == len(chain) > 2) == (200, True), chain
    assert (300 <= never < 400, len(set(loop))) == (True, 2), loop


def test_the_limit_of_a_host(tmp_path: Path) -> None:
    """A limit of the profile that is ignored, or that lasts longer than Retry-After."""
    limits = site().web.profile.limits
    url, _ = faulty()[Fault.WRONG_TYPE]

    async def ask(web: Served) -> tuple[list[int], int, list[str]]:
        found = [split(await get(web, url, 0.0)) for _ in range(int(limits.burst) + 1)]
        wait = float(found[-1][1]["retry-after"])
        later = split(await get(web, url, wait))[0]
        return [one[0] for one in found], later, [one.fault for one in web.records()]

    statuses, later, logged = asked(tmp_path, ask, limits=limits)
    assert statuses == [later] * int(limits.burst) + [429]
    assert (later, logged.count("too-many-requests")) == (200, 1)


def test_no_page_is_made_for_a_refusal(tmp_path: Path) -> None:
    """A page generated and discarded for a 429, or a refusal that is not logged."""

    async def ask() -> tuple[list[int], list[str], list[tuple[int, str, int]]]:
        limits = Limits(requests_per_second=1, burst=2)
        async with served(tmp_path, limits=limits, clock=VirtualClock(0.0)) as web:
            got = [await web.get(f"/p/{k}") for k in range(4)]
            elsewhere = await web.get("/p/9", host="a.elsewhere")
            made = [one.url for one in web.site.questions]
            answers = [(r.status, r.kind, r.retry_after) for r in web.records()]
        return [split(one)[0] for one in [*got, elsewhere]], made, answers

    statuses, made, answers = asyncio.run(ask())
    assert statuses == [200, 200, 429, 429, 502]
    assert made == ["http://a.test/p/0", "http://a.test/p/1", "http://a.elsewhere/p/9"]
    assert answers == [(200, "page", 0)] * 2 + [(429, "page", 1)] * 2 + [(502, "foreign", 0)]


def test_a_site_knows_a_kind_without_its_answer() -> None:
    """A limit that counts a request as another kind than its answer."""
    urls = [address(site().web, page) for page in range(40)]
    paths = ("robots.txt", "sitemap.xml", "nothing", "index.html", "calendar/2000/01.html")
    urls += [f"http://{site().web.name(host)}/{path}" for host in range(9) for path in paths]
    urls += [faulty()[Fault.VANISHED][0], "http://no-such.test/", "ftp://x", "http:///"]
    seen = set()
    for question in (Question(url, time) for url in urls for time in (0.0, 1e9)):
        answer = site().answer(question)
        gone = answer.fault is Fault.VANISHED
        assert site().kind(question) == (None if gone else answer.kind)
        seen.add(site().kind(question))
    assert {None, Kind.PAGE, Kind.ROBOTS, Kind.MISSING, Kind.FOREIGN, Kind.BAD} <= seen


def test_a_host_that_is_gone_counts_no_requests(tmp_path: Path) -> None:
    """A vanished host that still answers with 429."""
    url, time = faulty()[Fault.VANISHED]

    async def ask(web: Served) -> list[tuple[bytes, int, str]]:
        got = [await get(web, url, time) for _ in range(4)]
        return [(one, r.status, r.fault) for one, r in zip(got, web.records(), strict=True)]

    found = asked(tmp_path, ask, limits=Limits(requests_per_second=1, burst=2))
    assert found == [(b"RESET", 0, "vanished")] * 4
