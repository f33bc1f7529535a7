"""Pause, continue and the pace of a crawl: what the buttons write, and what the views say."""

from __future__ import annotations

import json
from pathlib import Path

from sqlalchemy import update

from counterpoint.crawler.store import seeds
from counterpoint.crawler.store.opening import open_store
from counterpoint.crawler.store.schema import plans, visits
from counterpoint.studio import wishing
from counterpoint.studio.crawling import CrawlState
from counterpoint.studio.watching import StoreWatcher
from tests.counterpoint.test_keep_fresh import kept

from .client import Client, FakeCrawling, use_studio
from .filled import fill
from .test_sites import field_errors

__all__ = ["kept"]


def test_pause_and_continue(tmp_path: Path) -> None:
    """A button without effect, or one that changes other settings, too."""

    async def act(client: Client) -> None:
        seeds.add(client.store, "http://a.test/")
        before = wishing.stored(client.store)
        client.crawling.running = CrawlState("running", 7)
        page = (await client.get("/crawl")).text
        assert '<form id="continue-form" method="post" action="/crawl/continue" hidden>' in page
        assert '<form id="pause-form" method="post" action="/crawl/pause">' in page
        assert await client.notice(await client.post("/crawl/pause")) == "The crawl is paused."
        assert wishing.stored(client.store).paused
        page = (await client.get("/crawl")).text
        assert '<form id="continue-form" method="post" action="/crawl/continue">' in page
        assert '<form id="pause-form" method="post" action="/crawl/pause" hidden>' in page
        assert 'id="state">Paused<' in page
        assert await client.notice(await client.post("/crawl/continue")) == "The crawl goes on."
        assert wishing.stored(client.store) == before

    use_studio(tmp_path, act)


def test_a_paused_crawl_that_is_started_says_so(tmp_path: Path) -> None:
    """A crawl that is started and does nothing, without a word."""

    async def act(client: Client) -> None:
        seeds.add(client.store, "http://a.test/")
        wishing.pause(client.store, True)
        plan = {"kind": "unknown", "budget": "10"}
        notice = await client.notice(await client.post("/crawl/start", plan))
        assert notice == "The crawl is started, and still paused: Continue lets it fetch."
        assert wishing.stored(client.store).paused

    use_studio(tmp_path, act)


def test_the_pace_changes_while_the_crawl_runs(tmp_path: Path) -> None:
    """A form that is refused while the crawl runs, or that changes the plan of a running crawl."""

    async def act(client: Client) -> None:
        before = wishing.stored(client.store)
        client.crawling.running = CrawlState("running", 7)
        form = {"concurrency": "3", "delay": "1.5", "budget": "7", "kind": "universities"}
        assert await client.notice(await client.post("/crawl/pace", form)) == "The pace is set."
        wishes = wishing.stored(client.store)
        assert (wishes.concurrency, wishes.delay) == (3, 1.5)
        assert (wishes.budget, wishes.kind) == (before.budget, before.kind)
        answer = await client.post("/crawl/pace", {"concurrency": "0", "delay": "x"})
        assert (answer.status, set(field_errors(answer.text))) == (422, {"concurrency", "delay"})
        assert f'value="{before.budget}"' in answer.text
        assert wishing.stored(client.store) == wishes

    use_studio(tmp_path, act)


def test_the_state_of_a_plan_without_an_end(kept: str) -> None:
    """A share of a budget that is none, or the same links counted at each visit of their page."""
    with open_store(kept) as store:
        state = StoreWatcher(store, FakeCrawling()).look()  # type: ignore[arg-type]
        crawl = state["crawl"]
        assert (crawl["keeps"], crawl["every"], crawl["seconds"]) == (True, 3 * 3600, 86_400)
        assert crawl["visits"] > 2 * state["totals"]["known"]
        assert state["arms"] == {"rows": []}
        with store.reading() as connection:
            seen = connection.execute(
                visits.select().where(visits.c.plan == crawl["plan"])
            ).all()  # fmt: skip
        changes = sum(one.difference != 0 for one in seen if one.observed is not None)
        assert 0 < crawl["links"] == changes < crawl["visits"]
        assert state["curve"][-1][1:] == [crawl["visits"], changes]


def test_a_plan_with_an_end_has_no_word_of_keeping(tmp_path: Path) -> None:
    """A plan that ends and is shown as one that does not."""

    async def act(client: Client) -> None:
        fill(client.store)
        with client.store.transaction() as connection:
            connection.execute(update(plans).values(told=json.dumps({"first": "", "every": 0.0})))
        state = StoreWatcher(client.store, client.crawling).look()  # type: ignore[arg-type]
        assert "keeps" not in state["crawl"] and state["arms"]["rows"]

    use_studio(tmp_path, act)
