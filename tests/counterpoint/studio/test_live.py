"""The state of a crawl as it is sent: all of it at first, then what has changed."""

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
from counterpoint.studio.crawling import Running
from counterpoint.studio.live import WATCHERS, difference

from .client import Client, served, visit
from .filled import SITES, fill

PATIENCE = 20.0


class Stream:
    """Events as a browser reads them."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    async def next(self) -> dict[str, Any]:
        """Return the next state."""
        while True:
            line = await asyncio.wait_for(self._answer.content.readline(), PATIENCE)
            assert line, "the stream has ended"
            if line.startswith(b"data: "):
                told: dict[str, Any] = json.loads(line[6:])
                return told


def test_all_comes_first_then_what_changed(tmp_path: Path) -> None:
    """Numbers that stand still while the crawl runs, or all sites sent again each second."""

    async def act(client: Client) -> None:
        fill(client.store)
        async with client.session.get(f"{client.origin}/events") as answer:
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
            client.stand.running = Running("stopping", 7, "2 pages are awaited")
            last = await stream.next()
            assert last == {"crawl": {**first["crawl"], "state": "stopping", "pid": 7,
                                      "waits": "2 pages are awaited"}}  # fmt: skip

    visit(tmp_path, act)


def test_a_state_is_what_json_has(tmp_path: Path) -> None:
    """An infinity that no browser can read: a site without a visit has an infinite index."""

    async def act(client: Client) -> None:
        fill(client.store, visited=3)
        async with client.session.get(f"{client.origin}/events") as answer:
            rows = (await Stream(answer).next())["arms"]["rows"]
        assert [row[-1] for row in rows].count(None) == len(SITES) - 1

    visit(tmp_path, act)


def test_an_empty_store_has_a_state(tmp_path: Path) -> None:
    """A studio that shows nothing before the first crawl."""

    async def act(client: Client) -> dict[str, Any]:
        async with client.session.get(f"{client.origin}/events") as answer:
            return await Stream(answer).next()

    told = visit(tmp_path, act)
    assert (told["sites"], told["curve"], told["arms"]) == ({}, [], {"rows": []})
    assert told["crawl"] == {"state": "idle", "pid": None, "waits": "", "trouble": ""}


def test_there_are_only_so_many_watchers(tmp_path: Path) -> None:
    """Connections that anybody can pile up; a place that is not free again when a view is left."""

    async def act(client: Client) -> None:
        fill(client.store, visited=0)
        streams = [await client.session.get(f"{client.origin}/events") for _ in range(WATCHERS)]
        for stream in streams:
            await Stream(stream).next()
        assert (await client.get("/events")).status == 503
        for stream in streams:
            stream.close()
        async with asyncio.timeout(PATIENCE):
            while True:
                async with client.session.get(f"{client.origin}/events") as answer:
                    if answer.status == 200:
                        return
                with client.store.transaction() as connection:  # what is sent finds who has left
                    connection.execute(update(seeds).values(bad=seeds.c.bad + 1))

    visit(tmp_path, act)


def test_the_studio_ends_while_somebody_watches(tmp_path: Path) -> None:
    """Ctrl-C that waits for a browser to go away."""

    async def run() -> None:
        with open_store(tmp_path / "crawl.db", create=True) as store:
            async with asyncio.timeout(PATIENCE), served(store) as client:
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
    """A view that shows something else than one that has just been opened."""
    found = dict(before)
    told = dict(difference(before, state))
    sites, gone = told.pop("sites", {}), told.pop("gone", [])
    found.update(told)
    found["sites"] = {k: v for k, v in {**before["sites"], **sites}.items() if k not in gone}
    for key in set(before) - set(state):
        del found[key]  # no state of ours loses a key
    assert found == state
