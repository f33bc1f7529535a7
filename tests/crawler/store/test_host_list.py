"""The list of hosts compared with a list made one by one: every filter, sort and direction."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import count, product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import insert

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store import host_list
from counterpoint.crawler.store.host_list import (
    FoundHosts,
    HostRow,
    HostSearch,
    HostState,
    search,
)
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.crawler.store.places import token_of
from counterpoint.crawler.store.schema import hosts, workers

NOW = 1_000.0
ALWAYS = float("inf")
WORDS = ("", "a", "A", "%", "_", ".test", "9", "nothing")


def filled(store: Store, chance: Random, number: int = 70) -> list[HostRow]:
    """Fill an empty store at random, and return its hosts in the order of their names."""
    ends = {"w1": 900.0, "w2": 1_100.0}
    found, rows = [], []
    for n in range(number):
        name = f"{chance.choice(['a', 'b', 'A_', '100%'])}{n}.test{chance.choice(['', ':81'])}"
        status = chance.choice([None, 200, 200, 404])
        answers = {f"http://{name}": [chance.choice([1.5, 9e8, 7]), status, "User-agent: *" * 99]}
        worker = chance.choice([None, "w1", "w2", "w3"])
        row = HostRow(
            name, chance.choice([0.0, 999.0, 1_001.5]), chance.choice([0.0, 0.5, 60.0]),
            chance.choice([0, 0, 1, 7]),
            "not read" if status is None else "read" if status == 200 else "none (404)",
            None if status is None else float(chance.randrange(9)), worker or "",
            ends.get(worker or ""),
        )  # fmt: skip
        found.append(row)
        rows.append({"host": name, "free_at": row.free_at, "delay": row.delay, "worker": worker,
                     "failures": row.failures, "robots_at": row.robots_at,
                     "robots": "" if status is None else json.dumps(answers)})  # fmt: skip
    with store.transaction() as connection:
        connection.execute(insert(hosts), rows)
        connection.execute(insert(workers), [
            {"name": name, "until": until} for name, until in ends.items()
        ])  # fmt: skip
    return sorted(found, key=lambda row: row.host.encode())


def expected(rows: list[HostRow], wanted: HostSearch) -> list[HostRow]:
    """Return the hosts that match, in their order."""
    of_state: dict[HostState, Callable[[HostRow], bool]] = {
        HostState.RESTING: lambda row: row.free_at > NOW,
        HostState.FAILING: lambda row: row.failures > 0,
        HostState.HELD: lambda row: row.worker != "",
        HostState.UNREAD: lambda row: row.robots == "not read",
    }
    by = {"host": "host", "robots": "robots_at"}.get(wanted.sort, wanted.sort)
    found = [row for row in rows if wanted.words.lower() in row.host.lower()
             and (wanted.state is None or of_state[wanted.state](row))]  # fmt: skip
    found.sort(key=lambda row: row.host.encode(), reverse=wanted.descending)
    if wanted.sort != "host":
        found.sort(key=lambda row: getattr(row, by) or 0.0, reverse=wanted.descending)
    return found


def every(
    store: Store, wanted: HostSearch, **how: Any
) -> tuple[list[HostRow], list[FoundHosts]]:  # fmt: skip
    """Return the list by reading it part by part, and the parts."""
    parts = [search(store, wanted, now=NOW, **how)]
    while parts[-1].after:
        assert len(parts) < 1_000
        parts.append(search(store, wanted, now=NOW, after=parts[-1].after, **how))
    return [row for part in parts for row in part.rows], parts


def test_every_filter_sort_and_direction(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A host left out, shown twice or out of order; a robots.txt or a lease of another host."""
    chance, seen = Random(4), 0
    with open_store(place, create=True) as store:
        rows = filled(store, chance)
        for words, state, sort in product(WORDS, (None, *HostState), host_list.SORTS):
            wanted = HostSearch(words, state, sort, chance.random() < 0.5)
            monkeypatch.setattr(host_list, "LOOK", chance.choice([0, 20_000]))
            monkeypatch.setattr(host_list, "PART", chance.choice([3, 500]))
            how = {"limit": chance.choice([7, 50]), "seconds": ALWAYS}
            first = search(store, wanted, now=NOW, **how)  # type: ignore[arg-type]
            if first.sort != sort:
                assert not first.sortable
                wanted = replace(wanted, sort="host", descending=False)
            found, parts = every(store, wanted, **how)
            assert found == expected(rows, wanted), wanted
            assert not first.total.exact or first.total.number == len(found)
            back, before = list(parts[-1].rows), parts[-1].before
            while before:
                part = search(store, wanted, now=NOW, before=before, **how)  # type: ignore[arg-type]
                back, before = part.rows + back, part.before
            assert back == found, wanted
            seen += len(found)
    assert seen > 1_000


def test_a_search_stops_in_time_and_goes_on(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search among very many hosts that has no end, or leaves hosts out where it stopped."""
    monkeypatch.setattr(host_list, "PART", 3)
    monkeypatch.setattr(host_list, "LOOK", 0)
    with open_store(place, create=True) as store:
        rows = filled(store, Random(8))
        for wanted in (HostSearch("9"), HostSearch(state=HostState.FAILING, descending=True)):
            ticks = count()
            found, parts = every(store, wanted, seconds=0.5, clock=lambda t=ticks: next(t))
            assert found == expected(rows, wanted)
            assert not parts[0].whole and parts[-1].whole and len(parts) > 5


@pytest.mark.parametrize("sort", host_list.SORTS)
def test_a_place_of_the_users_own_is_refused(place: str, sort: str) -> None:
    """A traceback, or a query with values that the database refuses."""
    values = st.one_of(st.integers(), st.floats(), st.text(max_size=5), st.none(), st.booleans())
    with open_store(place, create=True) as store:
        filled(store, Random(3), 9)

        @given(st.one_of(st.text(max_size=30), st.lists(values, max_size=3).map(token_of)))
        def ask(token: str) -> None:
            try:
                search(store, HostSearch(sort=sort), now=NOW, after=token)
            except CrawlError as error:
                assert "is no place in this list" in str(error)

        ask()
        with pytest.raises(CrawlError, match="words: contains"):
            search(store, HostSearch("a\0b"), now=NOW)
