"""The stream of a crawl's state: first the whole state, then the differences."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import update

from counterpoint.crawler.store.opening import open_store
from counterpoint.crawler.store.schema import seeds
from counterpoint.studio.crawling import CrawlState
from counterpoint.studio.live import WATCHERS, difference

from .client import Client, serve_studio, use_studio
from .filled import SITES, fill

PATIENCE = 20.0


class Stream:
    """Server-sent events as a browser reads them."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    async def next(self) -> dict[str, Any]:
        """Return the next state."""
        while True:
            line = await asyncio.wait_for(self._answer.content.readline(), PATIENCE)
            assert line, "the stream has ended"
            if line.startswith(b"data: "):
                event: dict[str, Any] = json.loads(line[6:])
                return event


def test_the_whole_state_is_followed_by_differences(tmp_path: Path) -> None:
    """Numbers that do not change while the crawl runs, or all sites sent again each second."""

    async def act(client: Client) -> None:
        fill(client.store)
        async with client.http.get("/events") as answer:
            assert answer.headers["Content-Type"] == "text/event-stream"
            assert answer.headers["Cache-Control"] == "no-store"
            stream = Stream(answer)
            first = await stream.next()
            assert len(first["sites"]) == len(SITES) + 1
            assert first["totals"]["sites"] == len(SITES) + 1
            assert first["totals"]["unavailable"] == 1
            assert first["crawl"]["visits"] == 600
            assert first["curve"][-1][1:] == [600, first["crawl"]["links"]]
            assert sum(map(sum, first["shares"]["buckets"])) == 600
            assert {row[0] for row in first["arms"]["rows"]} == set(range(1, len(SITES) + 1))
            with client.store.transaction() as connection:
                connection.execute(update(seeds).where(seeds.c.number == 2).values(fetched=99))
            then = await stream.next()
            assert set(then) == {"totals", "sites", "gone"}
            assert {number: row[3] for number, row in then["sites"].items()} == {"2": 99}
            client.crawling.running = CrawlState("stopping", 7, "2 pages are awaited")
            last = await stream.next()
            assert last == {"crawl": {**first["crawl"], "state": "stopping", "pid": 7,
                                      "waits": "2 pages are awaited"}}  # fmt: skip

    use_studio(tmp_path, act)


def test_a_state_is_valid_json(tmp_path: Path) -> None:
    """``Infinity``, which is no JSON: the index of a site without a visit is infinite."""

    async def act(client: Client) -> None:
        fill(client.store, visited=3)
        async with client.http.get("/events") as answer:
            rows = (await Stream(answer).next())["arms"]["rows"]
        assert [row[-1] for row in rows].count(None) == len(SITES) - 1

    use_studio(tmp_path, act)


def test_an_empty_store_has_a_state(tmp_path: Path) -> None:
    """A studio that shows nothing before the first crawl."""

    async def act(client: Client) -> dict[str, Any]:
        async with client.http.get("/events") as answer:
            return await Stream(answer).next()

    state = use_studio(tmp_path, act)
    assert (state["sites"], state["curve"], state["arms"]) == ({}, [], {"rows": []})
    assert state["crawl"] == {"state": "idle", "pid": None, "waits": "", "trouble": "",
                              "paused": False}  # fmt: skip


def test_one_more_view_takes_the_place_of_the_oldest(tmp_path: Path) -> None:
    """A user who gets no live view because of forgotten tabs, or streams without a limit."""

    async def act(client: Client) -> None:
        fill(client.store, visited=0)
        streams = [await client.http.get("/events") for _ in range(WATCHERS)]
        for stream in streams:
            await Stream(stream).next()
        more = await client.http.get("/events")
        assert len((await Stream(more).next())["sites"]) == len(SITES) + 1
        oldest = await asyncio.wait_for(streams[0].content.read(), PATIENCE)
        assert oldest.endswith(b"event: replaced\ndata:\n\n")
        with client.store.transaction() as connection:
            connection.execute(update(seeds).values(bad=7))
        for stream in (*streams[1:], more):
            assert "totals" in await Stream(stream).next()
        streams[1].close()  # its place is free as soon as a write finds it closed
        with client.store.transaction() as connection:
            connection.execute(update(seeds).values(bad=8))
        for stream in (*streams[2:], more):
            assert (await Stream(stream).next())["totals"]["bad"] == 8 * (len(SITES) + 1)
            stream.close()

    use_studio(tmp_path, act)


def test_the_studio_ends_while_a_stream_is_open(tmp_path: Path) -> None:
    """A studio that waits for the browser to close its stream before it ends."""

    async def run() -> None:
        with open_store(tmp_path / "crawl.db", create=True) as store:
            async with asyncio.timeout(PATIENCE), serve_studio(store) as client:
                reader, writer = await asyncio.open_connection("127.0.0.1", client.port)
                host = client.origin.removeprefix("http://")
                writer.write(f"GET /events HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
                await reader.readuntil(b"data: ")
            writer.close()  # the studio has ended by now

    asyncio.run(run())


states = st.fixed_dictionaries(
    {"sites": st.dictionaries(st.sampled_from("123"), st.lists(st.integers(0, 2), max_size=2))},
    optional={"a": st.integers(0, 2), "b": st.integers(0, 2)},
)


@given(states, states)
def test_differences_add_up(before: dict[str, Any], state: dict[str, Any]) -> None:
    """A view updated by differences that shows another state than a freshly loaded one."""
    found = dict(before)
    changes = dict(difference(before, state))
    sites, gone = changes.pop("sites", {}), changes.pop("gone", [])
    found.update(changes)
    found["sites"] = {k: v for k, v in {**before["sites"], **sites}.items() if k not in gone}
    for key in set(before) - set(state):
        del found[key]  # no state of ours loses a key
    assert found == state
