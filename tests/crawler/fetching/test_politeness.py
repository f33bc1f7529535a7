"""Politeness, checked in the log of a web in virtual time: random webs, orders, restarts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.crawler.fetching.dispatcher import PoliteDispatcher
from counterpoint.crawler.fetching.job import HostState, Job
from counterpoint.crawler.fetching.manners import Manners, Patience
from counterpoint.crawler.fetching.politeness import is_here

from .virtual import (
    FakeWeb,
    Reply,
    Request,
    answer,
    dispatcher,
    fetched,
    now,
    redirect,
    robots,
    virtually,
)

HOSTS = ("a.test", "b.test", "c.test")
PATHS = ("/1", "/2", "/3", "/no/1")
RULES = "User-agent: *\nDisallow: /no\n"
OWN = 0.5
PATIENT = Patience(tries=3, backoff=2.0, longest=100.0, failures=4, rest=200.0)

addresses = st.builds("http://{}{}".format, st.sampled_from(HOSTS), st.sampled_from(PATHS))
waits = st.sampled_from([0, 1, 9, 500])


@st.composite
def replies(draw: st.DrawFn) -> Reply:
    """Return the possible answers of an address, often not a page."""
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
        usual = robots(RULES + delay)
        pages[f"http://{host}/robots.txt"] = draw(
            st.sampled_from(
                [usual, usual, answer(404), answer(500), redirect(f"http://{HOSTS[0]}/rules"),
                 lambda before, usual=usual: usual if before else answer(0, passing=True)]
            )  # type: ignore[arg-type]
        )  # fmt: skip
    pages[f"http://{HOSTS[0]}/rules"] = robots(RULES + "Crawl-delay: 2\n")
    return pages


def rules_of(web: FakeWeb, host: str) -> str | None:
    """Return the rules of the robots.txt that a host sent last; None: all is forbidden."""
    text: str | None = None
    for one in web.log:
        reply = one.answer
        if one.address == f"http://{host}/robots.txt" and reply is not None:
            if reply.status == 302:
                reply = web.pages[reply.headers["Location"]]  # type: ignore[assignment]
            text = reply.body.decode() if reply.status == 200 else None  # type: ignore[union-attr]
            text = "" if reply.status == 404 else text  # type: ignore[union-attr]
    return text


def judge(web: FakeWeb, concurrency: int, at_once: int) -> None:
    """Check all rules of politeness, using the log of the web alone."""
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
    """A request too early, forbidden or needless, or a job that is lost or done twice."""
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
    """A crawl that is killed and forgets the waiting times of hosts."""
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


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True), ("127.8.9.1:80", True), ("localhost:81", True), ("[::1]", True),
        ("[::1]:8080", True), ("127.example.co.uk", False), ("127.a.b.c:81", False),
        ("localhost.example.org", False), ("10.0.0.1", False), ("[2001:db8::1]", False),
    ],
)  # fmt: skip
def test_what_is_this_machine(host: str, expected: bool) -> None:
    """A public site requested without a pause because of its name."""
    assert is_here(f"http://{host}/x") == expected
