"""Graphs of link stores contain all that a crawl knows, also while it continues."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, update

from counterpoint.commands.graph.sources import source_of
from counterpoint.crawler.documents.addresses import Spelling
from counterpoint.crawler.store import schema
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.crawler.store.schema import State
from counterpoint.graph.storage.build import build
from counterpoint.graph.storage.store import GraphStore

A = "http://a.org"
LONG = f"http://b.org/{'long/' * 200}"


@pytest.fixture
def crawl(place: str) -> Iterator[Store]:
    """Yield a link store with 0 and 1 crawled and 2 waiting; both link to another site."""
    with open_store(place, create=True) as store:
        page = {"level": 0, "seed": None, "status": None}
        with store.transaction() as connection:
            connection.execute(insert(schema.pages), [
                {**page, "id": 0, "address": f"{A}/", "key": f"{A}/", "state": State.DONE,
                 "status": 200},
                {**page, "id": 1, "address": f"{A}/1/", "key": f"{A}/1", "state": State.DONE,
                 "status": 404},
                {**page, "id": 2, "address": f"{A}/2", "key": f"{A}/2", "state": State.QUEUED},
            ])  # fmt: skip
            connection.execute(insert(schema.internal_links), [
                {"page": 0, "position": 0, "target": 1, "deleted": False},
                {"page": 0, "position": 1, "target": 2, "deleted": False},
                {"page": 1, "position": 0, "target": 0, "deleted": False},
                {"page": 1, "position": 1, "target": 1, "deleted": True},
            ])  # fmt: skip
            connection.execute(insert(schema.external_links), [
                beyond(0, 2, "http://b.org/x/"), beyond(1, 2, "http://b.org/x"),
                beyond(1, 3, "http://b.org/y"),
                {**beyond(0, 4, "http://b.org/y"), "deleted": True},
            ])  # fmt: skip
        yield store


def beyond(page: int, position: int, address: str) -> dict[str, Any]:
    """Return a link to another site."""
    return {"page": page, "position": position, "address": address, "host": "b.org",
            "domain": "b.org", "deleted": False}  # fmt: skip


@pytest.fixture
def goal(tmp_path: Path) -> Path:
    """Return a path for a new graph."""
    return tmp_path / "crawl.graph"


def where(crawl: Store) -> str:
    """Return the address with which a store was opened."""
    if crawl.dialect == "sqlite":
        return crawl.where
    return crawl.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)


def graph_of(crawl: Store, goal: Path, least: int | None = None) -> GraphStore:
    """Return the graph of a crawl."""
    build(source_of(where(crawl), "crawl", least), goal)
    return GraphStore(goal)


def named_links_of(store: GraphStore) -> set[tuple[str, str]]:
    """Return all links between addresses."""
    return {(store.name(p), store.name(t)) for p in range(store.nodes) for t in store.out_links(p)}


@pytest.mark.parametrize(("least", "pages"), [
    (None, {"http://a.org/", "http://a.org/1/"}),
    (2, {"http://a.org/", "http://a.org/1/", "http://b.org/x/"}),
    (1, {"http://a.org/", "http://a.org/1/", "http://a.org/2", "http://b.org/x/", "http://b.org/y"}),
])  # fmt: skip
def test_a_crawl(crawl: Store, goal: Path, least: int | None, pages: set[str]) -> None:
    """A page with two spellings stored as two, a deleted link, or a wrong threshold."""
    store = graph_of(crawl, goal, least)
    assert set(store.names(range(store.nodes))) == pages
    links = {
        ("http://a.org/", "http://a.org/1/"), ("http://a.org/", "http://a.org/2"),
        ("http://a.org/1/", "http://a.org/"), ("http://a.org/", "http://b.org/x/"),
        ("http://a.org/1/", "http://b.org/x/"), ("http://a.org/1/", "http://b.org/y"),
    }  # fmt: skip
    assert named_links_of(store) == {(a, b) for a, b in links if {a, b} <= pages}


def test_a_page_is_crawled_if_a_server_answered(crawl: Store, goal: Path) -> None:
    """A page without an answer that counts as crawled, or one that waits for a retry."""
    with crawl.transaction() as connection:
        pages = schema.pages
        connection.execute(update(pages).where(pages.c.id == 0).values(state=State.QUEUED))
        connection.execute(update(pages).where(pages.c.id == 2).values(state=State.DONE, status=0))
    store = graph_of(crawl, goal)
    assert set(store.names(range(store.nodes))) == {"http://a.org/", "http://a.org/1/"}


def test_a_page_with_a_long_address_is_one(crawl: Store, goal: Path) -> None:
    """A long address that occurs twice, because its key is shortened."""
    key = schema.stored_key(LONG[:-1])
    with crawl.transaction() as connection:
        connection.execute(insert(schema.pages), [
            {"id": 3, "address": LONG, "key": key, "level": 0, "state": State.DONE, "status": 200},
        ])  # fmt: skip
        connection.execute(insert(schema.external_links), [beyond(0, 5, LONG[:-1])])
    store = graph_of(crawl, goal, 1)
    names = store.names(range(store.nodes))
    assert [name for name in names if len(name) > 100] == [LONG]
    assert (f"{A}/", LONG) in named_links_of(store)


def test_pages_are_one_as_the_crawl_takes_them(crawl: Store, goal: Path) -> None:
    """Spellings kept apart that the crawl normalizes to one page."""
    with crawl.transaction() as connection:
        connection.execute(insert(schema.settings), [
            {"name": "normalize", "value": f'"{Spelling.PAPER}"'},
        ])  # fmt: skip
        connection.execute(insert(schema.external_links), [beyond(0, 5, "http://b.org/X")])
    names = graph_of(crawl, goal, 1).names(range(5))
    assert [name.lower() for name in names].count("http://b.org/x/") == 1
    assert "http://b.org/X" not in names


def test_a_crawl_that_goes_on_while_it_is_read(crawl: Store, goal: Path) -> None:
    """Links from pages that were added after the pages were read."""

    def goes_on(line: str) -> None:
        if not line.startswith("read") or added:
            return
        added.append(line)
        with crawl.transaction() as connection:
            connection.execute(insert(schema.pages), [
                {"id": 7, "address": f"{A}/7", "key": f"{A}/7", "level": 0, "state": State.DONE,
                 "status": 200},
            ])  # fmt: skip
            connection.execute(insert(schema.external_links), [beyond(7, 0, "http://b.org/z")])

    added: list[str] = []
    build(source_of(where(crawl), "crawl", 1), goal, tell=goes_on)
    assert added
    assert GraphStore(goal).nodes == 5


def test_a_build_of_a_crawl_begins_anew(crawl: Store) -> None:
    """Parts from an earlier state of a crawl mixed with its present state."""
    assert source_of(where(crawl), "crawl").name != source_of(where(crawl), "crawl").name
