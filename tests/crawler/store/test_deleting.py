"""Deleted links: they leave the views but not the tables, and may delete pages."""

from __future__ import annotations

import threading
from random import Random

from sqlalchemy import func, insert, select

from counterpoint.crawler.store.browsing import browse
from counterpoint.crawler.store.deleting import delete, delete_all
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.crawler.store.schema import (
    State,
    bad_links,
    external_links,
    internal_links,
    pages,
    plans,
    seeds,
)
from counterpoint.crawler.store.views import VIEWS, Filter, Kind

from .filled import fill


def listed(store: Store, kind: Kind) -> list[tuple[int, int]]:
    """Return the positions of all links of a view."""
    with store.reading() as connection:
        return [link[:2] for link in browse(connection, kind, limit=10_000).rows]


def counted(store: Store, kind: Kind) -> int:
    """Return how many rows a table has."""
    with store.reading() as connection:
        found = connection.scalar(select(func.count()).select_from(VIEWS[kind].table))
        return found or 0


def states(store: Store) -> dict[int, int]:
    """Return the state of each page."""
    with store.reading() as connection:
        found = connection.execute(select(pages.c.id, pages.c.state))
        return dict(found.all())


def small(store: Store) -> None:
    """Make a site of six pages: the start page, two fetched pages, and three queued ones."""
    with store.transaction() as connection:
        connection.execute(insert(plans).values(number=1, policy="x", budget=1, seed=0, starts="[]",
                                                told="{}", pages=4))  # fmt: skip
        connection.execute(insert(seeds).values(number=1, start="http://a.test/", site="a.test"))
        connection.execute(insert(pages), [
            {"id": n, "seed": 1, "address": f"http://a.test/{n}", "key": f"http://a.test/{n}",
             "level": int(n > 0), "state": State.DONE if n in (1, 2) else State.QUEUED}
            for n in range(6)
        ])  # fmt: skip
        led = [(1, 0, 3), (2, 0, 3), (1, 1, 2), (2, 1, 4), (2, 2, 0)]
        connection.execute(insert(internal_links), [
            {"page": page, "position": at, "seed": 1, "target": target} for page, at, target in led
        ])  # fmt: skip
        connection.execute(insert(external_links), [
            {"page": 1, "position": n, "seed": 1, "address": "http://b.test/", "host": "b.test",
             "domain": "b.test", "target": target} for n, target in ((5, 4), (6, 5), (7, None))
        ])  # fmt: skip
        connection.execute(
            insert(bad_links).values(page=1, position=8, seed=1, text="x", reason="y")
        )


def test_the_last_link_to_a_page(place: str) -> None:
    """A page dropped that has another link, that was fetched, or that is a start page."""
    with open_store(place, create=True) as store:
        small(store)
        before = states(store)
        assert delete(store, Kind.INTERNAL, [(1, 0), (1, 1), (2, 2), (2, 1), (9, 9)]) == 4
        assert states(store) == before  # other links lead there, or it is a start page
        assert delete(store, Kind.INTERNAL, [(2, 0), (1, 0)]) == 1
        assert states(store) == before | {3: State.DROPPED}
        assert delete(store, Kind.EXTERNAL, [(1, 5), (1, 6), (1, 7)]) == 3
        assert states(store) == before | dict.fromkeys((3, 4, 5), State.DROPPED)
        assert delete(store, Kind.BAD, [(1, 8)]) == 1
        for kind, rows in ((Kind.INTERNAL, 5), (Kind.EXTERNAL, 3), (Kind.BAD, 1)):
            assert (listed(store, kind), counted(store, kind)) == ([], rows)


def test_all_that_a_filter_finds(place: str) -> None:
    """Deleted links that the filter does not match, or matching links that are left."""
    with open_store(place, create=True) as store:
        held = fill(store, Random(5), size=15, links=9)
        for kind, wanted in (
            (Kind.INTERNAL, Filter(site=2)),
            (Kind.EXTERNAL, Filter(host="m.test", contains="home")),
            (Kind.BAD, Filter()),
        ):
            rows = counted(store, kind)
            left = [link[:2] for link in held[kind] if not (
                link.seed == 2 if kind is Kind.INTERNAL else kind is Kind.BAD
                or (link.host == "m.test" and "home" in link.anchor.lower())
            )]  # fmt: skip
            *_, count = delete_all(store, kind, wanted)
            assert count == len(held[kind]) - len(left) > 0
            assert listed(store, kind) == left
            assert counted(store, kind) == rows


def test_while_a_crawl_writes(place: str) -> None:
    """A crawl that fails or loses writes because links are deleted meanwhile."""
    with open_store(place, create=True) as store:
        with store.transaction() as connection:
            connection.execute(insert(plans).values(
                number=1, policy="x", budget=1, seed=0, starts="[]", told="{}", pages=0
            ))  # fmt: skip
            connection.execute(insert(seeds).values(number=1, start="a", site="a"))
        begun = threading.Event()

        def crawl() -> None:
            for number in range(60):
                with store.transaction() as connection:
                    connection.execute(select(plans.c.number).with_for_update())
                    connection.execute(insert(pages).values(
                        id=number, seed=1, address=f"http://a/{number}", key=str(number), level=0,
                        state=2,
                    ))  # fmt: skip
                    connection.execute(insert(external_links), [
                        {"page": number, "position": n, "seed": 1, "address": f"http://b/{n}",
                         "host": "b", "domain": "b"} for n in range(40)
                    ])  # fmt: skip
                begun.set()

        crawling = threading.Thread(target=crawl)
        crawling.start()
        assert begun.wait(60)
        deleted = 0
        while crawling.is_alive() or listed(store, Kind.EXTERNAL):
            *_, count = delete_all(store, Kind.EXTERNAL, Filter(site=1))
            deleted += count
        crawling.join()
        assert deleted == counted(store, Kind.EXTERNAL) == 60 * 40
