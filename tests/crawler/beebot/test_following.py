"""Links that a plan does not follow: in a store as in memory, after each stop, and none is lost."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.crawler.beebot.beginning import begin
from counterpoint.crawler.beebot.planner import Planner
from counterpoint.crawler.documents.directives import OF_COPY, TO_ORIGINAL
from counterpoint.crawler.documents.scope import ScopeRules
from counterpoint.crawler.fetching.job import Job
from counterpoint.crawler.schedulers.finding import find
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.worlds.crawl import crawl
from counterpoint.crawler.worlds.following import Following
from counterpoint.crawler.worlds.web_world import WebWorld
from tests.crawler.webs import QUERY, Web, webs
from tests.examples import few_and_many

from .inprocess import Source, address_of, answers_of, new_store, visited
from .test_planner import ANEW, Answers, drive, dump, some

POLICIES = ("R3", "equal-quanta", "breadth-first", "opic", "random", "tfidf+hits")
FOR_SOME = pytest.mark.parametrize("name", POLICIES)
OPTIONS = st.sampled_from([(True, False), (False, True), (True, True)])
numbers = itertools.count()


def marked(web: Web, seed: int) -> Answers:
    """Return the answers of a web in which links and pages say whether they are followed."""
    chance = random.Random(seed)
    share = chance.choice([0.2, 0.5, 0.9])
    answers = answers_of(web)
    for page, own in enumerate(web.site):
        status, body = answers[address_of(web, page)]
        if status != 200:
            continue
        if chance.random() < 0.1:
            body = b'<meta name="robots" content="nofollow">' + body
        near = [other for other, site in enumerate(web.site) if site == own]
        for _ in range(chance.choice([1, 1, 1, 2])):
            if chance.random() < share:
                rel = chance.choice([b"canonical", b"canonical", b"canonical nofollow"])
                at = address_of(web, chance.choice(near)).encode()
                body = b'<link rel="%b" href="%b">' % (rel, at) + body
        parts = body.split(b"<a ")
        body = parts[0] + b"".join(
            (b"<a rel=nofollow " if chance.random() < 0.3 else b"<a ") + part for part in parts[1:]
        )
        answers[address_of(web, page)] = status, body
    return answers


def fresh(folder: Path, web: Web) -> Store:
    """Return a new store with the sites of a web."""
    starts = [address_of(web, page) for page in web.starts]
    return new_store(folder / f"{next(numbers)}.db", starts)


def in_memory(
    name: str, web: Web, budget: int, answers: Answers, options: Mapping[str, bool]
) -> list[str]:
    """Return the visits of the crawl in memory."""
    chosen = find(name)
    starts = [address_of(web, page) for page in web.starts]
    reads = chosen.policy.reads
    source = Following(Source(answers, contents=reads), ScopeRules(), **options)
    world = WebWorld(source, starts, chosen.policy.scope, reads=reads)
    scheduler = chosen.scheduler(world.starts, budget, query=QUERY, hosts=world.host)
    ended = crawl(name, scheduler, world, world.starts, budget, chosen.policy.scope,
                  may_overspend=chosen.policy.overspends)  # fmt: skip
    return [world.handles.address(int(page)) for page in ended.order]


def wishes(option: tuple[bool, bool]) -> dict[str, bool]:
    """Return the options by name."""
    return dict(zip(("nofollow", "canonical"), option, strict=True))


@few_and_many(
    given(web=webs(), budget=st.integers(1, 40), seed=st.integers(0, 99), option=OPTIONS),
    5, 100, FOR_SOME, **ANEW,
)  # fmt: skip
def test_the_order_is_that_of_the_crawl_in_memory(
    name: str, web: Web, budget: int, seed: int, option: tuple[bool, bool], tmp_path: Path
) -> None:
    """A link that only one of `crawl` and `try` follows, or an anchor of another link."""
    answers, options = marked(web, seed), wishes(option)
    with fresh(tmp_path, web) as store:
        drive(store, answers, scheduler=name, budget=str(budget), **options)
        assert visited(store) == in_memory(name, web, budget, answers, options)


@few_and_many(
    given(web=webs(), budget=st.integers(1, 30), seed=st.integers(0, 99), option=OPTIONS,
          concurrency=st.sampled_from([1, 8])),
    4, 50, FOR_SOME, **ANEW,
)  # fmt: skip
def test_a_crawl_stopped_at_every_step_is_the_same(
    name: str, web: Web, budget: int, seed: int, option: tuple[bool, bool], concurrency: int,
    tmp_path: Path,
) -> None:  # fmt: skip
    """A decision that is made again when the crawl is resumed, and then differs.

    Before, another plan without the options has crawled a part, so that pages are recalled, too.
    """
    answers = marked(web, seed)
    with fresh(tmp_path, web) as whole, fresh(tmp_path, web) as parts:
        wished: dict[str, Any] = {"scheduler": name, "budget": str(budget), "query": QUERY}
        for store in (whole, parts):
            drive(store, answers, 1, 0, **wished | {"budget": str(budget // 2 + 1)})
        wished |= wishes(option)
        drive(whole, answers, concurrency, seed, **wished)
        begin(parts, wished)
        chance, flying, come, ended = random.Random(seed), list[Job](), [], ""
        while not ended:
            step = Planner(parts, concurrency, lambda: 0.0).step(come)
            come, ended = [], step.ended
            flying += [job for job in step.jobs if job not in flying]
            if not ended and not step.more:
                come = some(flying, answers, chance)
        assert dump(parts) == dump(whole)


@few_and_many(
    given(web=webs(failures=False), seed=st.integers(0, 999), before=st.booleans(),
          concurrency=st.sampled_from([1, 8])),
    20, 500, **ANEW,
)  # fmt: skip
def test_no_circle_or_chain_of_copies_loses_links(
    web: Web, seed: int, before: bool, concurrency: int, tmp_path: Path
) -> None:
    """Pages that are copies of each other, so that the links of none are followed."""
    answers = marked(web, seed)
    with fresh(tmp_path, web) as store:
        wished: dict[str, Any] = {"scheduler": "breadth-first", "budget": "1000"}
        if before:
            drive(store, answers, concurrency, seed, **wished)
        drive(store, answers, concurrency, seed, **wished, canonical=True)
        with store.reading() as connection:
            links = list(connection.exec_driver_sql(
                "SELECT page, target, mark FROM internal_links UNION ALL "
                "SELECT page, target, mark FROM external_links WHERE target IS NOT NULL"
            ))  # fmt: skip
            last = "SELECT page FROM visits WHERE plan = (SELECT max(number) FROM plans)"
            asked = {page for (page,) in connection.exec_driver_sql(last)}
    originals = {page: to for page, to, mark in links if page in asked and mark & TO_ORIGINAL}
    for page in originals:
        passed = {page}
        while page in originals:
            page = originals[page]
            assert page not in passed, "a circle"
            passed.add(page)
        assert page in asked
    for page, to, mark in links:
        if page in asked:
            of_copy = page in originals and to != originals[page]
            assert bool(mark & OF_COPY) == of_copy
            assert to in asked or of_copy
