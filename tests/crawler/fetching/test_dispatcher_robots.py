"""When the dispatcher requests a robots.txt, and what it does without one, in virtual time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from counterpoint.crawler.documents.robots import LARGEST
from counterpoint.crawler.fetching.hosts import FAILED, FRESH
from counterpoint.crawler.fetching.job import Job
from counterpoint.crawler.fetching.manners import Manners, Patience

from .virtual import (
    FakeWeb,
    Reply,
    answer,
    dispatcher,
    redirect,
    robots,
    run,
    virtually,
)


def test_robots_outside_of_the_crawl() -> None:
    """A site that is fetched although its robots.txt cannot be read, or rules of a foreign site."""
    pages = {"http://a.test/robots.txt": redirect("http://b.test/robots.txt")}
    manners = Manners(delay=0.0, within=lambda name: name == "a.test")
    (result,), web = run(pages, ["http://a.test/"], manners=manners)
    assert result.status == 0 and "leads outside of this crawl" in result.problem
    assert web.asked() == ["http://a.test/robots.txt"]


def test_robots_is_requested_again() -> None:
    """Outdated rules; a site that is excluded because its robots.txt failed once."""
    pages: dict[str, Reply] = {
        "http://a.test/robots.txt": lambda n: answer(0, passing=True) if not n else robots("")
    }

    async def twice() -> list[str]:
        web = FakeWeb(pages)
        there = dispatcher(web, manners=Manners(delay=0.0))
        for number in range(3):
            there.submit(Job(number, f"http://a.test/{number}"))
            done = await there.completed()
            assert done.status == 404
            await asyncio.sleep(FRESH / 2 + 10)
        await there.close(grace=0)
        return [address.rpartition("/")[2] for address in web.asked()]

    asked = virtually(twice())
    assert asked == ["robots.txt", "robots.txt", "0", "1", "robots.txt", "2"]


@pytest.mark.parametrize("status", [0, 429, 500])
def test_robots_that_fails(status: int) -> None:
    """A site that is excluded for a day, or forever, because its robots.txt failed."""
    ill = answer(status, problem="not in time", passing=not status)
    pages = {"http://a.test/robots.txt": lambda before: answer(404) if before else ill}

    async def ask() -> tuple[list[int], list[str], str]:
        web = FakeWeb(pages)
        there = dispatcher(web, manners=Manners(delay=0.0), patience=Patience(tries=1))
        answers, states = [], []
        for number in range(3):
            there.submit(Job(number, "http://a.test/"))
            one = await there.completed()
            answers.append(one.status)
            states += [state.robots for state in one.hosts]
            await asyncio.sleep(0.6 * FAILED)
        await there.close(grace=0)
        return answers, web.asked(), states[0]

    answers, asked, stored = virtually(ask())
    assert answers == [0, 0, 404] and stored == ""
    assert asked == [f"http://a.test/{path}" for path in ("robots.txt", "robots.txt", "")]


@pytest.mark.parametrize(
    ("how", "asked"),
    [
        ({}, 2),
        ({"passing": True}, 3),
        ({"problem": "is not compressed as its Content-Encoding says"}, 1),
        ({"problem": "has a content coding that is not known", "coded": True}, 1),
        # What was read of it is long enough for a robots.txt, but its text is unknown.
        ({"problem": "longer", "coded": True, "body": b"a" * LARGEST}, 1),
    ],
)
def test_a_truncated_robots(how: dict[str, Any], asked: int) -> None:
    """A page that is fetched although the missing rest of robots.txt may forbid it."""
    response = robots("User-agent: *\nDisa")
    pages: dict[str, Reply] = {"http://a.test/robots.txt": response._replace(**how)}
    (result,), web = run(pages, ["http://a.test/"], manners=Manners(delay=0.0))
    assert (result.status == 0) == bool(how)
    assert len(web.log) == asked


@pytest.mark.parametrize("status", [203, 204])
def test_other_statuses_of_success(status: int) -> None:
    """A site that is excluded, or rules that are not followed, because the status is not 200."""
    body = "User-agent: *\nDisallow: /b" if status == 203 else ""
    pages = {"http://a.test/robots.txt": answer(status, body)}
    results, web = run(pages, ["http://a.test/a", "http://a.test/b"], manners=Manners(delay=0.0))
    assert [result.status for result in results] == [404, 0 if status == 203 else 404]
    assert web.asked()[:2] == ["http://a.test/robots.txt", "http://a.test/a"]


def test_robots_in_utf_16_is_remembered() -> None:
    """Rules that are lost when the state of a host is stored and loaded again."""
    note = "#" + "\u4e00" * 200_000  # in UTF-8 more than the limit of a robots.txt
    text = f"\ufeffUser-agent: *\nDisallow: /x\n{note}\nDisallow: /y"
    pages = {"http://a.test/robots.txt": answer()._replace(body=text.encode("utf-16-le"))}
    addresses = ["http://a.test/x", "http://a.test/y", "http://a.test/z"]
    results, _ = run(pages, addresses, manners=Manners(delay=0.0))
    kept = {state.host: state for result in results for state in result.hosts}
    assert [result.status for result in results] == [0, 0, 404]
    again = FakeWeb({})

    async def once_more() -> list[int]:
        there = dispatcher(again, manners=Manners(delay=0.0), recall=kept.get)
        for number, address in enumerate(addresses):
            there.submit(Job(number, address))
        statuses = [(await there.completed()).status for _ in addresses]
        await there.close(grace=0)
        return sorted(statuses)

    assert virtually(once_more()) == [0, 0, 404]
    assert again.asked() == ["http://a.test/z"]
