"""Which request the dispatcher makes when: in virtual time, against a web of the test."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.fetching.job import ClosedError, Fetched, HostState, Job, Lease, Tuning
from counterpoint.crawler.fetching.manners import Manners, Patience
from counterpoint.crawler.fetching.network import Answer, PageRequest

from .virtual import (
    FakeWeb,
    Reply,
    answer,
    dispatcher,
    fetched,
    now,
    redirect,
    run,
    virtually,
)

FREE = Manners(robots=False, delay=0.0)


def test_a_waiting_host_holds_no_connection() -> None:
    """A crawl that stands still because a few slow hosts occupy all connections."""
    pages = {f"http://{h}.test/{n}": answer() for h in "ab" for n in range(5)}
    slow = [f"http://a.test/{n}" for n in range(5)]
    fast = [f"http://b{n}.test/" for n in range(30)]
    manners = Manners(robots=False, delay=100.0)
    found, web = run(pages, slow + fast, concurrency=2, manners=manners)
    ends = {one.job.address: one.time for one in found}
    assert max(ends[address] for address in fast) < 1010
    assert max(ends[address] for address in slow) > 1400
    assert web.closed


def test_order_is_that_of_submission() -> None:
    """A later page of a host that is fetched first; hosts that are served in order of name."""
    wanted = [f"http://{h}.test/{n}" for n in range(4) for h in "cab"]
    _, web = run({}, wanted, concurrency=2, manners=FREE)
    for host in "abc":
        own = [address for address in web.asked() if f"{host}.test" in address]
        assert own == [f"http://{host}.test/{n}" for n in range(4)]
    assert web.asked()[:3] == wanted[:3]
    _, web = run({}, wanted, concurrency=1, manners=FREE)
    assert web.asked() == wanted


def test_one_after_another_waits() -> None:
    """At a concurrency of 1, a page that overtakes one that must wait."""
    busy = answer(503, headers={"Retry-After": "60"})
    pages = {"http://a.test/": lambda before: answer() if before else busy}
    _, web = run(pages, ["http://a.test/", "http://b.test/"], manners=FREE)
    assert web.asked() == ["http://a.test/", "http://a.test/", "http://b.test/"]
    assert web.log[1].began == 1060.25


def test_a_host_that_another_worker_requests() -> None:
    """A worker that uses an old state of a host that another worker has requested."""
    known = {"a.test": HostState("a.test", 5000.0, 1.0, 0, "", None)}

    async def ask() -> list[float]:
        web = FakeWeb({})
        there = dispatcher(web, manners=Manners(robots=False, delay=1.0), recall=known.get,
                           patience=Patience(longest=9999.0))  # fmt: skip
        for number in range(2):
            there.submit(Job(number, "http://a.test/"))
            there.hosts.forget("a.test")  # the answer is pending: nothing happens
            await there.completed()
            there.hosts.forget("a.test")
            known["a.test"] = HostState("a.test", 7000.0, 1.0, 0, "", None)
        await there.close(grace=0)
        return [one.began for one in web.log]

    assert virtually(ask()) == [5000.0, 7000.0]


def test_a_host_is_given_up() -> None:
    """A dead host that is requested for each page, or never again, or that delays others."""
    dead: Reply = answer(0, problem="Cannot connect", passing=True)
    wanted = [f"http://a.test/{n}" for n in range(50)]
    patience = Patience(tries=3, backoff=1.0, failures=5, rest=3600.0)

    async def both() -> tuple[list[Fetched], int]:
        web = FakeWeb(dict.fromkeys(wanted, dead))
        there = dispatcher(web, concurrency=4, manners=FREE, patience=patience)
        for number, address in enumerate(wanted):
            there.submit(Job(number, address))
        found = [await there.completed() for _ in wanted]
        asked = len(web.log)
        await asyncio.sleep(3601)
        there.submit(Job(50, wanted[0]))
        assert (await there.completed()).status == 0
        assert len(web.log) == asked + 1
        await there.close(grace=0)
        return found, asked

    found, asked = virtually(both())
    assert asked == 5
    assert all(one.status == 0 for one in found)
    assert "a.test must be left alone until 1970-01-01 01:16" in found[-1].problem
    assert "(5 failures in a row: Cannot connect)" in found[-1].problem


def test_backoff_grows() -> None:
    """A failing host that is requested at a constant pace, or always at the same moments."""
    dead: Reply = answer(503)
    patience = Patience(tries=5, backoff=1.0)
    gaps = []
    for seed in (1, 2, 1):
        web = FakeWeb({"http://a.test/": dead})
        virtually(fetched(web, ["http://a.test/"], manners=FREE, patience=patience, seed=seed))
        gaps.append([b.began - a.ended for a, b in pairwise(web.log)])
    assert gaps[0] == gaps[2] != gaps[1]
    assert all(0.5 * 2**n <= gap <= 1.5 * 2**n for n, gap in enumerate(gaps[0]))
    assert len(gaps[0]) == 4


def test_stopping() -> None:
    """A page that the stop loses, or a stop that waits forever."""
    pages: dict[str, Reply] = {"http://a.test/": answer(200, "a"), "http://b.test/": answer()}
    web = FakeWeb(pages, lambda address: 1.0 if "a.test" in address else 100.0)

    async def stopped() -> tuple[list[Fetched], float]:
        there = dispatcher(web, concurrency=2, manners=FREE)
        for number, host in enumerate("abc"):
            there.submit(Job(number, f"http://{host}.test/"))
        await asyncio.sleep(0.5)
        assert there.waiting() == "2 answers"
        await there.close(grace=10)
        found = [await there.completed()]
        with pytest.raises(ClosedError):
            await there.completed()
        with pytest.raises(ClosedError):
            there.submit(Job(9, "http://a.test/"))
        return found, now()

    found, ended = virtually(stopped())
    assert [one.body for one in found] == [b"a"] and found[0].hosts
    assert ended == 1010.5 and web.closed
    assert web.asked() == ["http://a.test/", "http://b.test/"]


def test_waiting_loops_are_notified_of_the_end() -> None:
    """A loop that waits forever for a dispatcher that was closed or has failed."""

    async def closed() -> None:
        there = dispatcher(FakeWeb({}), manners=FREE)
        waits = asyncio.ensure_future(there.completed())
        await asyncio.sleep(1)
        assert there.waiting() == ""
        await there.close(grace=5)
        with pytest.raises(ClosedError):
            await waits

    virtually(closed())

    class Gone(FakeWeb):
        async def fetch(self, wanted: PageRequest) -> Answer:
            raise CrawlError("the proxy cannot be used")

    with pytest.raises(CrawlError, match="the proxy"):
        virtually(fetched(Gone({}), ["http://a.test/"]))


def test_the_reason_of_waiting_is_reported() -> None:
    """A crawl that stands still and does not say why."""

    async def asked() -> str:
        busy: Reply = answer(429, headers={"Retry-After": "60"})
        there = dispatcher(FakeWeb({"http://a.test/": busy}), manners=FREE, concurrency=2)
        there.submit(Job(0, "http://a.test/"))
        await asyncio.sleep(1)
        reason = there.waiting()
        await there.close(grace=0)
        return reason

    assert virtually(asked()) == (
        "a host that must be left alone, a.test until 1970-01-01 00:17:40 UTC, "
        "Retry-After with status 429"
    )


@pytest.mark.parametrize("recalls", [True, False])
def test_hosts_are_forgotten(recalls: bool) -> None:
    """Memory that grows with every host; a host forgotten while it must be left alone."""
    stored: dict[str, HostState] = {}
    sizes: list[int] = []

    async def many() -> FakeWeb:
        web = FakeWeb({})  # a quarter of a second each, so that few hosts are not free
        recall = stored.get if recalls else None
        there = dispatcher(
            web, concurrency=4, manners=Manners(delay=1.0), remembered=10, recall=recall
        )
        for number in range(1200):
            there.submit(Job(number, f"http://h{number % 120}.test/{number}"))
            if number >= 8:
                one = await there.completed()
                stored.update((state.host, state) for state in one.hosts)
                sizes.append(len(there.hosts))
        await there.close(grace=0)
        return web

    web = virtually(many())
    assert max(sizes) < 40
    robots = [address for address in web.asked() if address.endswith("robots.txt")]
    assert len(set(robots)) == 120 and (len(robots) == 120 or not recalls)
    for number in range(120):
        began = [one.began for one in web.log if one.host == f"h{number}.test"]
        assert all(second >= first + 1 for first, second in pairwise(began))


def test_conditional_requests() -> None:
    """An unchanged page that is loaded completely; validators that cannot be sent."""
    kept = {"ETag": '"v1"', "Last-Modified": "Sat, 01 Jan 2000 00:00:00 GMT"}
    pages: dict[str, Reply] = {
        "http://a.test/": lambda n: answer(200, "x", headers=kept) if not n else answer(304),
        "http://a.test/odd": answer(200, "x", headers={"ETag": "\udcff\r\n"}),
    }

    async def twice() -> tuple[Fetched, FakeWeb]:
        web = FakeWeb(pages)
        there = dispatcher(web, manners=FREE)
        there.submit(Job(0, "http://a.test/"))
        one = await there.completed()
        there.submit(Job(1, "http://a.test/", one.etag, one.modified))
        two = await there.completed()
        there.submit(Job(2, "http://a.test/odd"))
        assert (await there.completed()).etag == ""
        await there.close(grace=0)
        return two, web

    two, web = virtually(twice())
    assert (two.status, two.body) == (304, b"")
    assert (web.log[1].wanted.etag, web.log[1].wanted.modified) == tuple(kept.values())


def test_the_body_of_a_sitemap() -> None:
    """A sitemap without its body, or a large file that is loaded although nobody reads it."""
    kinds = ("text/xml", "application/gzip", "text/plain", "text/html", "image/png")
    pages: dict[str, Reply] = {
        f"http://a.test/{kind}": answer(200, "x", headers={"Content-Type": kind}) for kind in kinds
    }

    async def all_of(sitemap: tuple[str, ...]) -> tuple[list[bytes], list[bool]]:
        web = FakeWeb(pages)
        there = dispatcher(web, manners=FREE)
        found = []
        for number, address in enumerate(pages):
            there.submit(Job(number, address, sitemap=sitemap))
            found.append((await there.completed()).body)
        await there.close(grace=0)
        return found, [one.wanted.of_sitemap for one in web.log]

    assert virtually(all_of(("a.test",))) == ([b"x"] * 4 + [b""], [True] * 5)
    assert virtually(all_of(())) == ([b""] * 3 + [b"x", b""], [False] * 5)


def test_nothing_begins_after_the_lease() -> None:
    """A process that was suspended and then requests hosts that others have leased."""

    async def crawl() -> None:
        web = FakeWeb({f"http://{h}.test/{n}": answer() for h in "abc" for n in range(3)})
        there = dispatcher(web, concurrency=4, manners=Manners(robots=False, delay=10.0))
        there.hold(Lease(now() + 15, frozenset(), ()))
        for number, address in enumerate(web.pages):
            there.submit(Job(number, address))
        for _ in range(9 - 3):
            await there.completed()
        await asyncio.sleep(100)
        assert {one.began for one in web.log} == {1000.0, 1010.25}
        # It has lost host a; another worker has requested b.
        again = HostState("b.test", now() + 60, 20.0)
        there.hold(Lease(now() + 1000, frozenset((2,)), (again,)))
        late = now()
        found = [await there.completed() for _ in range(2)]
        assert [one.job.number for one in found] == [8, 5]
        assert [one.began for one in web.log[6:]] == [late, late + 60]
        there.submit(Job(2, "http://a.test/2"))
        assert (await there.completed()).job.number == 2
        await there.close(grace=0)

    virtually(crawl())


@pytest.mark.parametrize("concurrency", [1, 4])
def test_jobs_that_are_lost_never_come_back(concurrency: int) -> None:
    """A fetched job that belongs to another worker: queued, under way, or after a robots.txt.

    Also a lost job that delays those behind it.
    """

    async def crawl() -> None:
        pages: dict[str, Reply] = {
            "http://a.test/robots.txt": answer(503), "http://b.test/1": redirect("/2"),
            "http://b.test/2": answer(), "http://c.test/": answer(),
        }  # fmt: skip
        web = FakeWeb(pages)
        there = dispatcher(web, concurrency=concurrency, manners=Manners(delay=1.0))
        addresses = ["http://a.test/1", "http://a.test/2", "http://b.test/1", "http://c.test/"]
        for number, address in enumerate(addresses):
            there.submit(Job(number, address))
        await asyncio.sleep(1.4)
        before = len(web.log)
        there.hold(Lease(now() + 1000, frozenset((0, 1, 2)), ()))
        found = [await there.completed()]
        assert [one.job.number for one in found] == [3]
        await asyncio.sleep(100)
        assert {one.host for one in web.log[before:]} <= {"c.test"}
        await there.close(grace=0)

    virtually(crawl())


def test_a_pause_and_another_delay() -> None:
    """A paused crawl that makes requests, or never makes one again; a delay that stays."""

    async def ask() -> list[float]:
        web = FakeWeb({})
        there = dispatcher(web, concurrency=2, manners=Manners(robots=False, delay=10.0))
        for number in range(6):
            there.submit(Job(number, f"http://a.test/{number}"))
        await there.completed()
        await there.completed()
        there.tune(Tuning(2, None, paused=True))
        await asyncio.sleep(500.0)
        paused = len(web.log)
        there.tune(Tuning(2, 30.0))
        for _ in range(4):
            await there.completed()
        await there.close(grace=0)
        assert paused == 2
        return [one.began for one in web.log]

    began = virtually(ask())
    gaps = [later - one for one, later in pairwise(began)]
    assert [round(gap) for gap in gaps] == [10, 500, 30, 30, 30]


def test_more_requests_at_a_time() -> None:
    """A change of the concurrency that holds for new jobs alone."""

    async def most() -> tuple[int, int]:
        web = FakeWeb({f"http://h{n}.test/": answer() for n in range(12)})
        there = dispatcher(web, concurrency=2, manners=FREE)
        for number in range(12):
            there.submit(Job(number, f"http://h{number}.test/"))
        before = there.under_way()
        there.tune(Tuning(5, None))
        after = there.under_way()
        for _ in range(12):
            await there.completed()
        await there.close(grace=0)
        return before, after

    assert virtually(most()) == (2, 5)


def test_fewer_requests_at_a_time() -> None:
    """Connections that go on with host after host although fewer are allowed."""

    async def most() -> list[int]:
        web = FakeWeb({f"http://h{n}.test/": answer() for n in range(40)})
        there = dispatcher(web, concurrency=8, manners=FREE)
        for number in range(40):
            there.submit(Job(number, f"http://h{number}.test/"))
        for _ in range(8):
            await there.completed()
        there.tune(Tuning(2, None))
        seen = []
        for _ in range(32):
            await there.completed()
            seen.append(there.under_way())
        await there.close(grace=0)
        return seen

    seen = virtually(most())
    assert max(seen[8:]) <= 2 and max(seen[:8]) <= 8
