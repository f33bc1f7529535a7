"""Which request is made when: in virtual time, against a web written by the test."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.errors import CrawlError
from crawler.fetching.dispatcher import PoliteDispatcher
from crawler.fetching.hosts import FRESH
from crawler.fetching.job import ClosedError, Fetched, HostState, Job
from crawler.fetching.manners import Limits, Manners, Patience
from crawler.fetching.network import Answer, Wanted

from .virtual import FakeWeb, Reply, Request, answer, now, redirect, virtually

FREE = Manners(robots=False, delay=0.0)


def dispatcher(web: FakeWeb, **more: Any) -> PoliteDispatcher:
    """Return a dispatcher in the loop's time."""
    return PoliteDispatcher(web, now=now, **more)


async def fetched(
    web: FakeWeb, addresses: Sequence[str], *, ahead: int = 1000, **more: Any
) -> list[Fetched]:
    """Fetch addresses, so many at most submitted and unanswered."""
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


# A web of a few hosts with everything that concerns politeness

HOSTS = ("a.test", "b.test", "c.test")
PATHS = ("/1", "/2", "/3", "/no/1")
RULES = "User-agent: *\nDisallow: /no\n"
OWN = 0.5
PATIENT = Patience(tries=3, backoff=2.0, longest=100.0, failures=4, rest=200.0)

addresses = st.builds("http://{}{}".format, st.sampled_from(HOSTS), st.sampled_from(PATHS))
waits = st.sampled_from([0, 1, 9, 500])


@st.composite
def replies(draw: st.DrawFn) -> Reply:
    """Return what an address may answer, often something else than a page."""
    kind = draw(st.sampled_from(["page", "page", "moved", "busy", "silent", "error"]))
    if kind == "moved":
        return redirect(draw(addresses))
    if kind == "error":
        return answer(draw(st.sampled_from([404, 500])))
    if kind == "page":
        return answer(200, "x")
    often = draw(st.sampled_from([1, 2, 9]))
    wait = draw(waits)
    asks = {"Retry-After": str(wait)} if wait else {}
    ill = answer(0, problem="not in time", passing=True)
    if kind == "busy":
        ill = answer(draw(st.sampled_from([429, 503])), headers=asks)
    return lambda before: ill if before < often else answer(200, "y")


@st.composite
def webs(draw: st.DrawFn) -> dict[str, Reply]:
    """Return a web."""
    pages: dict[str, Reply] = {f"http://{h}{p}": draw(replies()) for h in HOSTS for p in PATHS}
    for host in HOSTS:
        delay = draw(st.sampled_from(["", "Crawl-delay: 3\n", "Crawl-delay: 0.1\n"]))
        said = robots(RULES + delay)
        pages[f"http://{host}/robots.txt"] = draw(
            st.sampled_from(
                [said, said, answer(404), answer(500), redirect(f"http://{HOSTS[0]}/rules"),
                 lambda before, said=said: said if before else answer(0, passing=True)]
            )  # type: ignore[arg-type]
        )  # fmt: skip
    pages[f"http://{HOSTS[0]}/rules"] = robots(RULES + "Crawl-delay: 2\n")
    return pages


def rules_of(web: FakeWeb, host: str) -> str | None:
    """Return what robots.txt said to whoever asked a host for it last; None: it forbids all."""
    told: str | None = None
    for one in web.log:
        reply = one.answer
        if one.address == f"http://{host}/robots.txt" and reply is not None:
            if reply.status == 302:
                reply = web.pages[reply.headers["Location"]]  # type: ignore[assignment]
            told = reply.body.decode() if reply.status == 200 else None  # type: ignore[union-attr]
            told = "" if reply.status == 404 else told  # type: ignore[union-attr]
    return told


def judge(web: FakeWeb, concurrency: int, at_once: int) -> None:
    """Check everything that politeness demands, by the log of the web alone."""
    log = sorted(web.log, key=lambda one: one.began)
    for one in log:
        beside = [o for o in log if o.began <= one.began < o.ended]
        assert len(beside) <= concurrency
        assert sum(o.host == one.host for o in beside) <= at_once
    for host in HOSTS:
        _judge_host(host, [one for one in log if one.host == host], rules_of(web, host))


def _judge_host(host: str, asked: Sequence[Request], rules: str | None) -> None:
    pages = [one for one in asked if not one.is_robots]
    delay = OWN
    if pages:
        assert rules is not None, "asked although its robots.txt could not be had"
        own = [one for one in asked if one.address == f"http://{host}/robots.txt"]
        assert own and own[0].ended <= pages[0].began
        if "Disallow" in rules:
            assert not [one for one in pages if "/no" in one.address]
        if "Crawl-delay" in rules:
            delay = max(OWN, float(rules.rpartition(":")[2]))
    for first, second in pairwise(asked):
        assert second.began >= first.began + OWN - 1e-9
    for first, second in pairwise(pages):
        assert second.began >= first.began + delay - 1e-9
    for one in asked:
        wait = one.answer.headers.get("Retry-After") if one.answer else None
        if wait is not None:
            later = [o.began for o in asked if o.began >= one.ended]
            assert not later or min(later) >= one.ended + float(wait)


@settings(max_examples=300, deadline=None)
@given(
    webs(), st.lists(addresses, min_size=1, max_size=14), st.sampled_from([1, 2, 5]),
    st.sampled_from([1, 1, 2]), st.integers(0, 3),
)  # fmt: skip
def test_politeness(
    pages: dict[str, Reply], wanted: list[str], concurrency: int, at_once: int, seed: int
) -> None:
    """A request too early, forbidden, or one too many; a job that is lost or done twice."""
    web = FakeWeb(pages)
    manners = Manners(delay=OWN, at_once=at_once)
    found = virtually(
        fetched(web, wanted, concurrency=concurrency, manners=manners, patience=PATIENT, seed=seed)
    )
    assert sorted(one.job.number for one in found) == list(range(len(wanted)))
    if concurrency == 1:
        assert [one.job.number for one in found] == list(range(len(wanted)))
    for one in found:
        assert one.job.address == wanted[one.job.number]
        if one.status == 200:
            assert one.body in (b"x", b"y") and not one.problem
    judge(web, concurrency, at_once)
    again = FakeWeb(pages)
    virtually(
        fetched(
            again, wanted, concurrency=concurrency, manners=manners, patience=PATIENT, seed=seed
        )
    )
    assert [(o.address, o.began) for o in again.log] == [(o.address, o.began) for o in web.log]


@settings(max_examples=200, deadline=None)
@given(webs(), st.lists(addresses, min_size=2, max_size=14), st.integers(1, 12), st.booleans())
def test_a_restart(
    pages: dict[str, Reply], wanted: list[str], until: int, through_text: bool
) -> None:
    """A crawl that is killed, and forgets what hosts asked of it."""
    web = FakeWeb(pages)
    stored: dict[str, HostState] = {}
    manners = Manners(delay=OWN)

    async def part(there: PoliteDispatcher, jobs: Sequence[Job], most: int) -> set[int]:
        for job in jobs:
            there.submit(job)
        done = set()
        for _ in range(min(most, len(jobs))):
            one = await there.completed()
            done.add(one.job.number)
            for state in one.hosts:
                kept = HostState(*json.loads(json.dumps(state))) if through_text else state
                stored[state.host] = kept
        await there.close(grace=0)
        return done

    async def both() -> tuple[float, int]:
        jobs = [Job(number, address) for number, address in enumerate(wanted)]
        make = {"concurrency": 3, "manners": manners, "patience": PATIENT, "recall": stored.get}
        done = await part(dispatcher(web, **make), jobs, until)
        known, begun, before = dict(stored), now(), len(web.log)
        rest = [job for job in jobs if job.number not in done]
        await part(dispatcher(web, **make), rest, len(rest))
        for state in known.values():
            later = [one for one in web.log[before:] if one.host == state.host]
            assert not later or later[0].began >= max(state.free_at, begun + state.delay)
            if state.robots:
                assert f"http://{state.host}/robots.txt" not in [one.address for one in later]
        return begun, before

    virtually(both())
    for host in HOSTS:
        state, asked = stored.get(host), [one for one in web.log if one.host == host]
        if state is not None and asked and asked[-1].ended < float("inf"):
            assert state.free_at >= asked[-1].ended + OWN - 1e-9


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
        ("ftp://a.test/", FREE, ""), ("javascript:1", FREE, ""), ("http://[", FREE, ""),
    ],
)  # fmt: skip
def test_redirects_that_are_not_followed(to: str, manners: Manners, problem: str) -> None:
    """A circle, an address outside of the crawl, or one of no kind that is asked."""
    (told,), web = run({"http://a.test/": redirect(to)}, ["http://a.test/"], manners=manners)
    assert (told.status, told.problem, told.final) == (302, problem, "")
    assert web.asked() == ["http://a.test/"]


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
        "http://a.test/robots.txt": lambda n: answer(0, passing=True) if not n else robots(RULES)
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


@pytest.mark.parametrize("broken", [True, False])
def test_robots_that_breaks_off(broken: bool) -> None:
    """A page that is asked although the rest of robots.txt may forbid it."""
    said = robots("User-agent: *\nDisa")
    pages: dict[str, Reply] = {"http://a.test/robots.txt": said._replace(passing=broken)}
    (told,), web = run(pages, ["http://a.test/"], manners=Manners(delay=0.0))
    assert (told.status == 0) == broken
    assert len(web.log) == (3 if broken else 2)


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
        for number in range(3000):
            there.submit(Job(number, f"http://h{number % 300}.test/{number}"))
            if number >= 8:
                one = await there.completed()
                stored.update((state.host, state) for state in one.hosts)
                sizes.append(len(there.hosts))
        await there.close(grace=0)
        return web

    web = virtually(many())
    assert max(sizes) < 40
    robots = [address for address in web.asked() if address.endswith("robots.txt")]
    assert len(set(robots)) == 300 and (len(robots) == 300 or not recalls)
    for number in range(300):
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
