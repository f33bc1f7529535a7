"""Which request is made when: in virtual time, against a web written by the test."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import pytest

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.fetching.dispatcher import PoliteDispatcher
from counterpoint.crawler.fetching.guard import Guard
from counterpoint.crawler.fetching.hosts import FAILED, FRESH
from counterpoint.crawler.fetching.job import ClosedError, Fetched, HostState, Job, Lease
from counterpoint.crawler.fetching.manners import Limits, Manners, Patience
from counterpoint.crawler.fetching.network import Answer, Network, Wanted

from .loopback import serving
from .virtual import (
    FakeWeb,
    Reply,
    answer,
    dispatcher,
    fetched,
    now,
    redirect,
    robots,
    run,
    virtually,
)

FREE = Manners(robots=False, delay=0.0)


def test_a_waiting_host_holds_no_connection() -> None:
    """A crawl that stands still since a few slow hosts have all the connections."""
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
    """A later page of a host that overtakes; hosts that are served by their names."""
    wanted = [f"http://{h}.test/{n}" for n in range(4) for h in "cab"]
    _, web = run({}, wanted, concurrency=2, manners=FREE)
    for host in "abc":
        own = [address for address in web.asked() if f"{host}.test" in address]
        assert own == [f"http://{host}.test/{n}" for n in range(4)]
    assert web.asked()[:3] == wanted[:3]
    _, web = run({}, wanted, concurrency=1, manners=FREE)
    assert web.asked() == wanted


def test_one_after_another_waits() -> None:
    """At a concurrency of 1, a page that overtakes one that must be waited for."""
    busy = answer(503, headers={"Retry-After": "60"})
    pages = {"http://a.test/": lambda before: answer() if before else busy}
    _, web = run(pages, ["http://a.test/", "http://b.test/"], manners=FREE)
    assert web.asked() == ["http://a.test/", "http://a.test/", "http://b.test/"]
    assert web.log[1].began == 1060.25


def test_redirects_go_through_their_hosts() -> None:
    """A redirect that is followed at once, past the delay or the robots.txt of where it leads."""
    pages = {
        "http://b.test/robots.txt": robots("User-agent: *\nDisallow: /no\nCrawl-delay: 30"),
        "http://a.test/1": redirect("http://b.test/1"),
        "http://a.test/2": redirect("http://b.test/2"),
        "http://a.test/3": redirect("http://b.test/no"),
        "http://b.test/1": answer(200, "one"),
        "http://b.test/2": redirect("/3"),
        "http://b.test/3": answer(200, "three"),
    }
    found, web = run(
        pages, [f"http://a.test/{n}" for n in (1, 2, 3)], concurrency=8, manners=Manners(delay=1.0)
    )
    told = {one.job.number: one for one in found}
    assert (told[0].final, told[0].body) == ("http://b.test/1", b"one")
    assert (told[1].final, told[1].body) == ("http://b.test/3", b"three")
    assert (told[2].status, told[2].problem) == (302, "forbidden by robots.txt")
    assert told[0].rules is not None and told[0].rules.problem("http://b.test/no/x")
    began = [one.began for one in web.log if one.host == "b.test" and not one.is_robots]
    assert all(second >= first + 30 for first, second in pairwise(began)) and len(began) == 3


@pytest.mark.parametrize(
    ("to", "manners", "problem"),
    [
        ("http://a.test/", FREE, "redirects in a circle, to http://a.test/"),
        ("http://b.test/", Manners(robots=False, leaves_site=False),
         "leads to another site, http://b.test/"),
        ("http://b.test/", Manners(robots=False, within=lambda name: name == "a.test"),
         "leads outside of the sites of this crawl, to http://b.test/"),
        *((to, FREE, "redirects to no address of http or https")
          for to in ("ftp://a.test/", "javascript:1", "http://[", "")),
    ],
)  # fmt: skip
def test_redirects_that_are_not_followed(to: str, manners: Manners, problem: str) -> None:
    """A circle, an address outside of the crawl, or one of no kind that is asked."""
    (told,), web = run({"http://a.test/": redirect(to)}, ["http://a.test/"], manners=manners)
    assert (told.status, told.problem, told.final) == (302, problem, "")
    assert web.asked() == ["http://a.test/"]


def test_redirects_in_latin_1() -> None:
    """Another address than the server's own: its bytes are no UTF-8."""
    said = b"HTTP/1.1 302 Found\r\nLocation: /caf\xe9\r\nContent-Length: 0\r\n\r\n"

    async def ask() -> tuple[str, list[bytes]]:
        asked: list[bytes] = []
        async with serving(said, asked) as port:
            network = Network(guard=Guard(private=True))
            there = PoliteDispatcher(network, manners=FREE)
            there.submit(Job(0, f"http://127.0.0.1:{port}/"))
            found = await there.completed()
            await there.close(grace=0)
            return found.problem, asked

    problem, asked = asyncio.run(ask())
    assert problem.startswith("redirects in a circle")
    assert [head.split()[1] for head in asked] == [b"/", b"/caf%E9"]


def test_too_many_redirects() -> None:
    """A chain without an end."""
    pages = {f"http://a.test/{n}": redirect(f"/{n + 1}") for n in range(99)}
    (told,), web = run(pages, ["http://a.test/0"], manners=FREE, limits=Limits(redirects=4))
    assert told.problem == "more than 4 redirects" and len(web.log) == 5


def test_robots_outside_of_the_crawl() -> None:
    """A site that is asked although nobody may read its rules, or rules from a foreign site."""
    pages = {"http://a.test/robots.txt": redirect("http://b.test/robots.txt")}
    manners = Manners(delay=0.0, within=lambda name: name == "a.test")
    (told,), web = run(pages, ["http://a.test/"], manners=manners)
    assert told.status == 0 and "leads outside of this crawl" in told.problem
    assert web.asked() == ["http://a.test/robots.txt"]


def test_robots_is_asked_again() -> None:
    """Rules of yesterday; a site that is shut out for a robots.txt that failed once."""
    pages: dict[str, Reply] = {
        "http://a.test/robots.txt": lambda n: answer(0, passing=True) if not n else robots("")
    }

    async def twice() -> list[str]:
        web = FakeWeb(pages)
        there = dispatcher(web, manners=Manners(delay=0.0))
        for number in range(3):
            there.submit(Job(number, f"http://a.test/{number}"))
            told = await there.completed()
            assert told.status == 404
            await asyncio.sleep(FRESH / 2 + 10)
        await there.close(grace=0)
        return [address.rpartition("/")[2] for address in web.asked()]

    asked = virtually(twice())
    assert asked == ["robots.txt", "robots.txt", "0", "1", "robots.txt", "2"]


@pytest.mark.parametrize("status", [0, 429, 500])
def test_robots_that_cannot_be_had(status: int) -> None:
    """A site that is shut out for a day, or for ever, since its robots.txt failed for a while."""
    ill = answer(status, problem="not in time", passing=not status)
    pages = {"http://a.test/robots.txt": lambda before: answer(404) if before else ill}

    async def ask() -> tuple[list[int], list[str], str]:
        web = FakeWeb(pages)
        there = dispatcher(web, manners=Manners(delay=0.0), patience=Patience(tries=1))
        told, states = [], []
        for number in range(3):
            there.submit(Job(number, "http://a.test/"))
            one = await there.completed()
            told.append(one.status)
            states += [state.robots for state in one.hosts]
            await asyncio.sleep(0.6 * FAILED)
        await there.close(grace=0)
        return told, web.asked(), states[0]

    told, asked, stored = virtually(ask())
    assert told == [0, 0, 404] and stored == ""
    assert asked == [f"http://a.test/{path}" for path in ("robots.txt", "robots.txt", "")]


def test_a_host_that_somebody_else_asks() -> None:
    """A worker that goes by what it knew of a host before another one asked it."""
    known = {"a.test": HostState("a.test", 5000.0, 1.0, 0, "", None)}

    async def ask() -> list[float]:
        web = FakeWeb({})
        there = dispatcher(web, manners=Manners(robots=False, delay=1.0), recall=known.get,
                           patience=Patience(longest=9999.0))  # fmt: skip
        for number in range(2):
            there.submit(Job(number, "http://a.test/"))
            there.hosts.forget("a.test")  # it is waited for: nothing happens
            await there.completed()
            there.hosts.forget("a.test")
            known["a.test"] = HostState("a.test", 7000.0, 1.0, 0, "", None)
        await there.close(grace=0)
        return [one.began for one in web.log]

    assert virtually(ask()) == [5000.0, 7000.0]


def test_a_redirect_to_the_inside() -> None:
    """A page of the crawl's own network, fetched since a page of the Web leads there."""

    async def ask() -> tuple[list[Fetched], list[bytes]]:
        asked: list[bytes] = []
        async with serving(b"", asked) as port:
            inside = f"http://127.0.0.1:{port}/"
            pages = {"http://a.test/": answer(302, headers={"Location": inside})}
            outside, network = FakeWeb(pages, lambda address: 0.0), Network()

            class Both(FakeWeb):
                async def fetch(self, wanted: Wanted) -> Answer:
                    there = outside if "a.test" in wanted.address else network
                    return await there.fetch(wanted)

            found = [
                (await fetched(Both({}), ["http://a.test/"], manners=Manners(delay=0.0, robots=r)))[
                    0
                ]
                for r in (True, False)
            ]
            await network.close()
            return found, asked

    found, asked = asyncio.run(ask())
    assert not asked
    assert [one.status for one in found] == [302, 0]
    assert all("127.0.0.1 is no public address" in one.problem for one in found)


@pytest.mark.parametrize(
    ("how", "asked"),
    [({}, 2), ({"passing": True}, 3), ({"problem": "is not packed as it says"}, 1)],
)
def test_robots_that_breaks_off(how: dict[str, Any], asked: int) -> None:
    """A page that is asked although the rest of robots.txt may forbid it."""
    said = robots("User-agent: *\nDisa")
    pages: dict[str, Reply] = {"http://a.test/robots.txt": said._replace(**how)}
    (told,), web = run(pages, ["http://a.test/"], manners=Manners(delay=0.0))
    assert (told.status == 0) == bool(how)
    assert len(web.log) == asked


def test_a_host_is_given_up() -> None:
    """A dead host that is asked for each of its pages, or never again; the others wait for it."""
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
    """A host in trouble that is asked again and again at the same pace, or at the same moments."""
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
    """A page that is lost since the crawl was stopped, or a stop that waits for ever."""
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


def test_who_waits_is_told_of_the_end() -> None:
    """A loop that waits for ever for a dispatcher that was closed, or has broken."""

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
        async def fetch(self, wanted: Wanted) -> Answer:
            raise CrawlError("the proxy cannot be used")

    with pytest.raises(CrawlError, match="the proxy"):
        virtually(fetched(Gone({}), ["http://a.test/"]))


def test_what_is_waited_for() -> None:
    """A crawl that stands still and does not say why."""

    async def asked() -> str:
        busy: Reply = answer(429, headers={"Retry-After": "60"})
        there = dispatcher(FakeWeb({"http://a.test/": busy}), manners=FREE, concurrency=2)
        there.submit(Job(0, "http://a.test/"))
        await asyncio.sleep(1)
        told = there.waiting()
        await there.close(grace=0)
        return told

    assert virtually(asked()) == (
        "a host that must be left alone, a.test until 1970-01-01 00:17:40 UTC, "
        "Retry-After with status 429"
    )


@pytest.mark.parametrize("recalls", [True, False])
def test_hosts_are_forgotten(recalls: bool) -> None:
    """Memory that grows with every host; a host that is forgotten while it must be left alone."""
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
    """A page that is loaded whole although it has not changed; validators that cannot be sent."""
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


def test_nothing_begins_after_the_lease() -> None:
    """A process that was asleep, and asks hosts that are others' by now."""

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
        # It has lost the host a; somebody else has asked b.
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
    """A job that is fetched when it is somebody else's: queued, under way, or after a robots.txt.

    And one that holds up those behind it.
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
