"""The totals of sites: how many links each has, without those that were deleted."""

from __future__ import annotations

from random import Random

import pytest
from sqlalchemy import case, func, select, text, update

from counterpoint.crawler.store import migrations
from counterpoint.crawler.store.deleting import delete, delete_all
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.crawler.store.schema import seeds
from counterpoint.crawler.store.seeds import listed, remove
from counterpoint.crawler.store.views import VIEWS, Filter, Kind

from .filled import fill


def left(store: Store) -> dict[tuple[int, str], int]:
    """Count the links of each site that are not deleted, by site and kind."""
    found = {}
    with store.reading() as connection:
        for kind in Kind:
            links = VIEWS[kind].table.c
            counts = (
                select(seeds.c.number, func.count(case((links.deleted.is_(False), 1))))
                .outerjoin(VIEWS[kind].table, links.seed == seeds.c.number)
                .group_by(seeds.c.number)
            )
            found |= {(number, str(kind)): n for number, n in connection.execute(counts)}
    return found


def totals(store: Store) -> dict[tuple[int, str], int]:
    """Return the totals of each site, by site and kind."""
    return {(one.number, str(kind)): getattr(one, kind) for one in listed(store) for kind in Kind}


def filled(store: Store) -> None:
    """Fill a store, some of whose links are deleted, and write its totals."""
    fill(store, Random(5))
    for (number, kind), count in left(store).items():
        with store.transaction() as connection:
            connection.execute(update(seeds).where(seeds.c.number == number).values({kind: count}))


def test_deleted_links_do_not_count(place: str) -> None:
    """Totals of links that no list shows any more, or a link that is subtracted twice."""
    with open_store(place, create=True) as store:
        filled(store)
        before = totals(store)
        with store.reading() as connection:
            columns = VIEWS[Kind.EXTERNAL].table.c
            chosen = [tuple(row) for row in connection.execute(
                select(columns.page, columns.position).where(columns.seed == 2))]  # fmt: skip
        assert delete(store, Kind.EXTERNAL, [*chosen, *chosen, (99, 99)]) == before[2, "external"]
        assert totals(store) == left(store) == before | {(2, "external"): 0}
        for kind in Kind:
            for _ in delete_all(store, kind, Filter(site=1)):
                pass
        assert totals(store) == left(store)
        assert {totals(store)[1, str(kind)] for kind in Kind} == {0}
        assert totals(store)[3, "internal"] > 0


def test_links_to_pages_of_a_removed_site_do_not_count(place: str) -> None:
    """A total that still has the links which are removed together with their target."""
    with open_store(place, create=True) as store:
        filled(store)
        links = VIEWS[Kind.INTERNAL].table
        with store.transaction() as connection:  # a redirect may make a page one of another site
            connection.execute(update(links).where(links.c.page % 3 == 1).values(target=0))
            one = connection.execute(select(links.c.page, links.c.position).where(
                links.c.page % 3 == 1, links.c.deleted.is_(False)).limit(1)).one()  # fmt: skip
        assert delete(store, Kind.INTERNAL, [tuple(one)]) == 1
        before = totals(store)
        remove(store, 1)
        assert totals(store) == left(store)
        assert totals(store)[2, "internal"] < before[2, "internal"]


def test_an_older_store_gets_right_totals(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Deletions of an earlier version that count for ever."""
    with monkeypatch.context() as older:
        older.setattr(migrations, "HEAD", "0002")
        with open_store(place, create=True) as store:
            filled(store)
            right = totals(store)
            with store.transaction() as connection:
                for kind in Kind:
                    connection.execute(text(
                        f"UPDATE seeds SET {kind} = (SELECT count(*) FROM {kind}_links AS links "
                        "WHERE links.seed = seeds.number)"))  # fmt: skip
            assert totals(store) != right
    with open_store(place) as store:
        assert totals(store) == right
