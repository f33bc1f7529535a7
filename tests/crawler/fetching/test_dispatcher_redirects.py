"""Redirects that the dispatcher follows or refuses, in virtual time."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from counterpoint.crawler.fetching.dispatcher import PoliteDispatcher
from counterpoint.crawler.fetching.guard import Guard
from counterpoint.crawler.fetching.job import Fetched, Job
from counterpoint.crawler.fetching.manners import Limits, Manners
from counterpoint.crawler.fetching.network import Answer, Network, PageRequest

from .loopback import serving
from .test_dispatcher import FREE
from .virtual import (
    FakeWeb,
    answer,
    fetched,
    redirect,
    robots,
    run,
)


def test_redirects_go_through_their_hosts() -> None:
    """A redirect that ignores the delay or the robots.txt of the target host."""
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
    by_number = {one.job.number: one for one in found}
    assert (by_number[0].final, by_number[0].body) == ("http://b.test/1", b"one")
    assert (by_number[1].final, by_number[1].body) == ("http://b.test/3", b"three")
    assert (by_number[2].status, by_number[2].problem) == (302, "forbidden by robots.txt")
    assert by_number[0].rules is not None and by_number[0].rules.problem("http://b.test/no/x")
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
    """A redirect that is followed in a circle, out of the crawl, or to an invalid address."""
    (result,), web = run({"http://a.test/": redirect(to)}, ["http://a.test/"], manners=manners)
    assert (result.status, result.problem, result.final) == (302, problem, "")
    assert web.asked() == ["http://a.test/"]


def test_redirects_in_latin_1() -> None:
    """A Location with bytes that are not UTF-8, which leads to another address."""
    response = b"HTTP/1.1 302 Found\r\nLocation: /caf\xe9\r\nContent-Length: 0\r\n\r\n"

    async def ask() -> tuple[str, list[bytes]]:
        asked: list[bytes] = []
        async with serving(response, asked) as port:
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
    """An endless chain of redirects."""
    pages = {f"http://a.test/{n}": redirect(f"/{n + 1}") for n in range(99)}
    (result,), web = run(pages, ["http://a.test/0"], manners=FREE, limits=Limits(redirects=4))
    assert result.problem == "more than 4 redirects" and len(web.log) == 5


def test_a_redirect_to_the_inside() -> None:
    """A page of the private network that is fetched because a public page redirects to it."""

    async def ask() -> tuple[list[Fetched], list[bytes]]:
        asked: list[bytes] = []
        async with serving(b"", asked) as port:
            inside = f"http://127.0.0.1:{port}/"
            pages = {"http://a.test/": answer(302, headers={"Location": inside})}
            outside, network = FakeWeb(pages, lambda address: 0.0), Network()

            class Both(FakeWeb):
                async def fetch(self, wanted: PageRequest) -> Answer:
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
