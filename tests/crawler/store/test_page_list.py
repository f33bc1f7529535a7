"""The list of pages compared with a list made one by one: every filter, sort and direction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count, product
from random import Random
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import insert, select

from counterpoint.crawler.documents.exchange import NOT_CAPTURED
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store import page_queries
from counterpoint.crawler.store import seeds as sites
from counterpoint.crawler.store.address_index import AddressIndex, Deadline, IndexOutdatedError
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.crawler.store.page_kinds import PageKind, condition, kind_of
from counterpoint.crawler.store.page_list import FoundPages, PageRow, search
from counterpoint.crawler.store.page_queries import PageSearch
from counterpoint.crawler.store.places import token_of
from counterpoint.crawler.store.schema import State, pages, plans, seeds, stored_key, visits

ALWAYS = float("inf")
TAILS = ("", "a", "A/b", "100%25", "100%", "x_y", "xzy", "it's", "%22said%22", "q" * 280,
         "%D0%92%D0%B8%D0%BA%D0%B8", "a%20b", "~", "\\n", "[x]")  # fmt: skip
WORDS = ("", "a", "A/B", "%", "_", "x_y", "it's", '"said"', "q" * 280, "Вики", "a b", "~", "\\",
         "[X", "http://s2.test/", "s1", "no such words", "1", "HTTP", "\u202e")  # fmt: skip
PROBLEMS = ("", "left out: --exclude path:/x", "forbidden by robots.txt", NOT_CAPTURED,
            "no answer in 30 s", "redirects in a circle", "more than 5 redirects",
            "robots.txt: 503; asked again in 1 h", "taken out by hand")  # fmt: skip
STATUSES = (None, 0, 200, 200, 200, 204, 301, 404, 503)


def filled(store: Store, chance: Random, number: int = 90) -> list[PageRow]:
    """Fill an empty store at random, and return its pages; numbers have gaps."""
    rows, times = [], {}
    for place in range(number):
        site = chance.choice([1, 2, 3, None])
        state = chance.choice([*State, State.DONE, State.DONE])
        tail = f"{chance.choice(TAILS)}{place}"
        rows.append({
            "id": 3 * place, "seed": site, "address": f"http://s{site}.test/{tail}",
            "key": stored_key(f"http://s{site}.test/{tail}"), "level": 1, "state": int(state),
            "status": chance.choice(STATUSES) if state == State.DONE else None,
            "problem": chance.choice(PROBLEMS), "size": chance.choice([0, 5, 9, 2**40]),
            "external": chance.randrange(3),
        })  # fmt: skip
        if chance.random() < 0.5:
            times[3 * place] = float(chance.randrange(100))
    seen = [(page, time - again, again) for page, time in times.items() for again in (0, 1)]
    with store.transaction() as connection:
        connection.execute(insert(seeds), [
            {"number": n, "start": f"http://s{n}.test/", "site": f"s{n}.test"} for n in (1, 2, 3)
        ])  # fmt: skip
        connection.execute(insert(pages), rows)
        connection.execute(insert(plans).values(
            number=0, policy="R3", budget=9, seed=0, starts="[]", told="{}", pages=0))  # fmt: skip
        connection.execute(insert(visits), [
            {"plan": 0, "number": n, "page": page, "host": "x", "issued": 2 * n,
             "observed": 2 * n + 1, "time": time}
            for n, (page, time, _) in enumerate(seen)
        ])  # fmt: skip
    return [
        PageRow(row["id"], row["seed"], f"s{row['seed']}.test" if row["seed"] else "",
                row["address"], kind_of(row["state"], row["status"], row["problem"]),
                row["status"], row["problem"], row["size"], row["external"], times.get(row["id"]))
        for row in rows
    ]  # fmt: skip


@pytest.fixture
def made(place: str) -> Iterator[tuple[Store, AddressIndex, list[PageRow]]]:
    """Yield a filled store with an index of few pages a part, and the pages."""
    with open_store(place, create=True) as store:
        rows = filled(store, Random(5))
        index = AddressIndex(store, part=7)
        yield store, index, rows
        index.close()


def expected(rows: list[PageRow], wanted: PageSearch) -> list[PageRow]:
    """Return the pages that match, in their order."""
    words = wanted.words.lower()
    escaped = quote(wanted.words, safe="/:?&=%_~'\\[]()!*;,+@$|^{}").lower()
    by: dict[str, Callable[[PageRow], Any]] = {
        "number": lambda row: row.id, "address": lambda row: stored_key(row.address).encode(),
        "size": lambda row: row.size, "external": lambda row: row.external,
        "visited": lambda row: row.visited or 0.0,
    }  # fmt: skip
    found = [
        row for row in rows
        if (words in row.address.lower() or escaped in row.address.lower())
        and wanted.site in (None, row.seed) and wanted.status in (None, row.status)
        and wanted.kind in (None, row.kind)
    ]  # fmt: skip
    return sorted(found, key=lambda row: (by[wanted.sort](row), row.id), reverse=wanted.descending)


def every(
    store: Store, index: AddressIndex, wanted: PageSearch, **how: Any
) -> tuple[list[PageRow], list[FoundPages]]:
    """Return the list by reading it part by part, and the parts."""
    parts = [search(store, index, wanted, **how)]
    if parts[0].sort != wanted.sort:  # without a narrow filter, not every order is possible
        assert not parts[0].sortable and wanted.sort not in page_queries.ALWAYS
        wanted = replace(wanted, sort="number", descending=False)
    while parts[-1].after:
        assert len(parts) < 1_000
        parts.append(search(store, index, wanted, after=parts[-1].after, **how))
    return [row for part in parts for row in part.rows], parts


def searches(chance: Random) -> Iterator[PageSearch]:
    """Yield searches with each filter alone, and with several, in each order."""
    for words in WORDS:
        yield PageSearch(words=words, sort=chance.choice(page_queries.SORTS))
    for kind, sort in product(PageKind, page_queries.SORTS):
        yield PageSearch(kind=kind, sort=sort, descending=chance.random() < 0.5)
    for status, site in product((None, 0, 200, 204, 301, 404, 7), (None, 1, 3, 9)):
        yield PageSearch(chance.choice(WORDS), site, status, sort=chance.choice(page_queries.SORTS),
                         descending=chance.random() < 0.5)  # fmt: skip
    for _ in range(40):
        yield PageSearch(chance.choice(WORDS), chance.choice([None, 1, 2]),
                         chance.choice([None, 200, 404]), chance.choice([None, *PageKind]),
                         chance.choice(page_queries.SORTS), chance.random() < 0.5)  # fmt: skip


@pytest.mark.long
def test_every_filter_sort_and_direction(
    made: tuple[Store, AddressIndex, list[PageRow]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page left out, shown twice, or out of order, whichever way the database is asked."""
    store, index, rows = made
    chance, seen = Random(2), 0
    for wanted in searches(chance):
        gathers = chance.random() < 0.5
        monkeypatch.setattr(page_queries, "LOOK", 20_000 if gathers else 0)
        monkeypatch.setattr(page_queries, "PART", chance.choice([1, 4, 50]))
        how: dict[str, Any] = {"limit": chance.choice([2, 9, 50]), "seconds": ALWAYS}
        found, parts = every(store, index, wanted, **how)
        if parts[0].sort != wanted.sort:
            wanted = replace(wanted, sort="number", descending=False)
        right = expected(rows, wanted)
        assert found == right, wanted
        assert (parts[0].total.number, parts[0].total.exact) == (len(right), True), wanted
        assert all(part.whole for part in parts)
        back, before = list(parts[-1].rows), parts[-1].before
        while before:
            part = search(store, index, wanted, before=before, **how)
            back, before = part.rows + back, part.before
        assert back == right, wanted
        seen += len(right)
    assert seen > 500  # the filters are not all empty


def test_a_search_stops_in_time_and_goes_on(
    made: tuple[Store, AddressIndex, list[PageRow]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search without end, or one that leaves pages out where it stopped, or counts them all.

    The clock goes on at each look, so that the time is over after the first part of each search;
    at first not even all addresses are read.
    """
    store, _, rows = made
    monkeypatch.setattr(page_queries, "LOOK", 0)
    monkeypatch.setattr(page_queries, "PART", 2)
    monkeypatch.setattr(page_queries, "LONGEST", 2)
    monkeypatch.setattr(page_queries, "RANGE", 2)
    for wanted in (PageSearch("s1"), PageSearch(kind=PageKind.BROKEN), PageSearch("s2", 2, 404),
                   PageSearch("s1", descending=True), PageSearch("a", sort="address")):  # fmt: skip
        index = AddressIndex(store, part=7)
        ticks = count()
        found, parts = every(store, index, wanted, seconds=0.5, clock=lambda t=ticks: next(t))
        assert found == expected(rows, wanted)
        assert not parts[0].whole and not parts[0].total.exact
        assert parts[-1].whole
        index.close()


def test_pages_that_come_later_are_found(place: str) -> None:
    """A search in an index that is outdated, after pages were added and after they were removed.

    The last page of a removed site has the greatest number, which the next page then gets.
    """
    with open_store(place, create=True) as store:
        index = AddressIndex(store, part=3)

        def addresses(words: str) -> list[str]:
            found = search(store, index, PageSearch(words), seconds=ALWAYS)
            return [row.address for row in found.rows]

        def add(number: int, seed: int, tail: str) -> None:
            address = f"http://s{seed}.test/{tail}"
            with store.transaction() as connection:
                connection.execute(insert(pages).values(
                    id=number, seed=seed, address=address, key=address, level=1, state=0,
                ))  # fmt: skip

        sites.add(store, "http://s1.test/")
        sites.add(store, "http://s2.test/")
        assert addresses("s") == []
        for number in range(5):
            add(number, 1 + number % 2, f"p{number}")
            assert addresses("p") == [f"http://s{1 + n % 2}.test/p{n}" for n in range(number + 1)]
        add(5, 2, "old")
        assert addresses("old") == ["http://s2.test/old"]
        sites.remove(store, 2)
        assert addresses("p") == ["http://s1.test/p0", "http://s1.test/p2", "http://s1.test/p4"]
        assert addresses("old") == []
        add(5, 1, "new")
        assert addresses("old") == [] and addresses("NEW") == ["http://s1.test/new"]
        index.close()


def test_an_index_that_was_read_again_ends_older_searches(place: str) -> None:
    """Addresses of one state of the store taken for those of another."""
    with open_store(place, create=True) as store:
        filled(store, Random(1))
        index = AddressIndex(store, part=7)
        assert index.refresh(Deadline(ALWAYS))
        hits = index.hits("s")
        next(hits)
        sites.remove(store, 3)
        assert index.refresh(Deadline(ALWAYS))
        with pytest.raises(IndexOutdatedError, match="search again"):
            list(hits)
        assert index.some("s3.test", 9) == []
        index.close()
        assert not index.refresh(Deadline(ALWAYS))


def test_kinds_of_pages_are_the_same_in_the_database(place: str) -> None:
    """A page that two kinds have, or none, or another one in the list than in the filter."""
    with open_store(place, create=True) as store:
        combined = list(product(State, STATUSES, PROBLEMS))
        with store.transaction() as connection:
            connection.execute(insert(pages), [
                {"id": n, "address": str(n), "key": str(n), "level": 0, "state": int(state),
                 "status": status, "problem": problem}
                for n, (state, status, problem) in enumerate(combined)
            ])  # fmt: skip
        with store.reading() as connection:
            for kind in PageKind:
                query = select(pages.c.id).where(condition(kind)).order_by(pages.c.id)
                found = [row.id for row in connection.execute(query)]
                assert found == [n for n, one in enumerate(combined) if kind_of(*one) is kind]
                assert found


TOKENS = st.one_of(
    st.text(max_size=30),
    st.lists(
        st.one_of(st.integers(), st.floats(), st.text(max_size=5), st.none(), st.booleans()),
        max_size=3,
    ).map(token_of),
)


@pytest.mark.parametrize("sort", page_queries.SORTS)
def test_a_place_of_the_users_own_is_refused(place: str, sort: str) -> None:
    """A traceback, or a query with values that the database refuses."""
    with open_store(place, create=True) as store:
        filled(store, Random(3), 9)
        index = AddressIndex(store)

        @given(TOKENS, st.booleans())
        def ask(token: str, back: bool) -> None:
            where = {"before": token} if back else {"after": token}
            try:
                search(store, index, PageSearch(sort=sort, kind=PageKind.QUEUED), **where)
            except CrawlError as error:
                assert "is no place in this list" in str(error)

        ask()
        with pytest.raises(CrawlError, match="words: contains"):
            search(store, index, PageSearch("a\0b"))
        index.close()
