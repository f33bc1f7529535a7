"""Lists of links compared with expected lists: every filter and sort, in both directions."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import insert

from counterpoint.crawler.documents.addresses import Spelling
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store import browsing
from counterpoint.crawler.store.browsing import FoundLinks, Total, browse, total
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.crawler.store.schema import (
    State,
    external_links,
    internal_links,
    pages,
    seeds,
    settings,
    stored_key,
)
from counterpoint.crawler.store.views import VIEWS, Filter, Kind

from .filled import HOSTS, REASONS, Held, fill, targets

VALUES: dict[str, list[Any]] = {
    "site": [1, 3, 9],
    "page": ["http://s1.test/", "http://S2.test", "http://nowhere.test/"],
    "level": [0, 2, 7],
    "host": [HOSTS[0], "no.test"],
    "domain": ["m.test", "z.test"],
    "prefix": ["http", "http://m.test/", "http://m.test/a", "http://s1.test/a",
               "http://s2.test/b/"],
    "state": list(State),
    "status": [200, 404],
    "reason": REASONS[:2],
    "contains": ["home", "ссылк", "_b%", "zzz", "S1"],
}  # fmt: skip


def expected(held: Held, kind: Kind, wanted: Filter) -> list[Any]:
    """Return the links that pass a filter, one by one."""
    tests: dict[str, Callable[[Any, Any], bool]] = {
        "site": lambda link, value: link.seed == value,
        "page": lambda link, value: link.found_on.rstrip("/") == value.lower().rstrip("/"),
        "prefix": lambda link, value: link.address.startswith(value),
        "contains": lambda link, value: any(
            value.lower() in getattr(link, name, "").lower()
            for name in ("address", "anchor", "text")
        ),
    }  # fmt: skip
    return [
        link for link in held[kind]
        if all(tests[name](link, value) if name in tests else getattr(link, name) == value
               for name, value in wanted.wanted().items())
    ]  # fmt: skip


def in_order(rows: list[Any], sort: str, store: Store, descending: bool) -> list[Any]:
    """Return links in the order of a sort."""
    whither = targets(store) if sort == "target" else {}
    first: dict[str, Callable[[Any], Any]] = {
        "found": lambda link: "",
        "target": lambda link: whither[link[:2]],
    }
    by = first.get(sort, lambda link: getattr(link, sort).encode())
    return sorted(rows, key=lambda link: (by(link), link.page, link.position), reverse=descending)


def every(store: Store, kind: Kind, wanted: Filter, sort: str, **how: Any) -> list[Any]:
    """Return a list by reading it from page to page, and back again."""
    seen: list[Any] = []
    shown: list[FoundLinks] = []
    after = ""
    with store.reading() as connection:
        while True:
            found = browse(connection, kind, wanted, sort, after=after, **how)
            assert len(found.rows) <= how["limit"]
            assert not found.whole or len(found.rows) == how["limit"] or not found.after
            seen += found.rows
            shown.append(found)
            after = found.after
            if not after:
                break
        back: list[Any] = []
        before = shown[-1].before
        while before:
            found = browse(connection, kind, wanted, sort, before=before, **how)
            back = found.rows + back
            before = found.before
        assert back == seen[: len(seen) - len(shown[-1].rows)]
    return seen


def filters(kind: Kind, chance: Random) -> list[Filter]:
    """Return all filters with one condition, and some with several."""
    names = VIEWS[kind].filters
    found = [Filter()]
    found += [replace(Filter(), **{name: value}) for name in names for value in VALUES[name]]
    for _ in range(10):
        several = chance.sample(names, chance.randrange(2, 4))
        found.append(Filter(**{name: chance.choice(VALUES[name]) for name in several}))
    return found


@pytest.fixture
def filled(place: str) -> Any:
    """Yield a randomly filled store and its links."""
    with open_store(place, create=True) as store:
        yield store, fill(store, Random(7), size=12, links=9)


@pytest.mark.long
@pytest.mark.parametrize("kind", Kind)
def test_every_filter_and_sort(
    kind: Kind, filled: tuple[Store, Held], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link left out, shown twice, or out of order, however the list is queried."""
    store, held = filled
    chance = Random(3)
    seen = 0
    for wanted, sort in product(filters(kind, chance), VIEWS[kind].sorts):
        how: dict[str, Any] = {
            "limit": chance.choice([2, 9, 50]),
            "descending": chance.random() < 0.5,
        }
        monkeypatch.setattr(browsing, "FIRST", chance.choice([3, 10, 1000]))
        right = in_order(expected(held, kind, wanted), sort, store, how["descending"])
        look = chance.choice([7, 20_000])  # read to its end; collected
        assert every(store, kind, wanted, sort, look=look, **how) == right, (wanted, sort, look)
        seen += len(right)
        with store.reading() as connection:
            count = total(connection, kind, wanted)
        assert (count.number, count.exact) == (len(right), True), wanted
    assert seen > 80  # the filters are not all empty


def test_counting_ends(filled: tuple[Store, Held], monkeypatch: pytest.MonkeyPatch) -> None:
    """A count that reads the whole store, or that wrongly claims to be exact."""
    store, held = filled
    monkeypatch.setattr(browsing, "LOOK", 3)
    with store.reading() as connection:
        count = total(connection, Kind.EXTERNAL, Filter(contains="test"), most=5)
        assert 0 < count.number <= 5 and not count.exact
        whole = total(connection, Kind.EXTERNAL)
    assert (whole.number, whole.exact) == (len(held[Kind.EXTERNAL]), True)


def test_a_search_is_given_up_and_gone_on_with(place: str) -> None:
    """A search for rare links that reads without end, or that restarts at the beginning."""
    with open_store(place, create=True) as store:
        many(store, 5_000, {4_321: "the needle"})
        with store.reading() as connection:
            found = browse(connection, Kind.EXTERNAL, Filter(contains="needle"), look=2_000)
            assert (found.rows, found.looked, found.whole) == ([], 2_000, False)
            pages = [found]
            while pages[-1].after:
                pages.append(browse(connection, Kind.EXTERNAL, Filter(contains="needle"),
                                    look=2_000, after=pages[-1].after))  # fmt: skip
        assert [len(found.rows) for found in pages] == [0, 0, 1]
        assert pages[-1].whole


def many(store: Store, count: int, anchors: dict[int, str]) -> None:
    """Add a page with many links."""
    with store.transaction() as connection:
        connection.execute(insert(seeds).values(number=1, start="http://a.test/", site="a.test"))
        connection.execute(insert(pages).values(
            id=0, seed=1, address="http://a.test/", key="http://a.test", level=0, state=2,
            status=200,
        ))  # fmt: skip
        connection.execute(insert(external_links), [
            {"page": 0, "position": n, "seed": 1, "address": f"http://b.test/{n}",
             "host": "b.test", "domain": "b.test", "anchor": anchors.get(n, "")}
            for n in range(count)
        ])  # fmt: skip


def test_long_addresses(place: str) -> None:
    """An index that refuses a long address, or a list that merges addresses with equal prefixes."""
    with open_store(place, create=True) as store:
        chance = Random(1)
        long = "http://b.test/" + "".join(chance.choice("abcdefgh12") for _ in range(7_900))
        with store.transaction() as connection:
            connection.execute(insert(seeds).values(number=1, start="a", site="a"))
            connection.execute(insert(pages).values(
                id=0, seed=1, address=long, key=browsing.stored_key(long), level=0, state=2
            ))  # fmt: skip
            connection.execute(insert(external_links), [
                {"page": 0, "position": n, "seed": 1, "address": long[:-1] + str(9 - n),
                 "host": "b.test", "domain": "b.test"} for n in range(5)
            ])  # fmt: skip
        rows = every(store, Kind.EXTERNAL, Filter(), "address", limit=2)
        assert sorted(row.position for row in rows) == [0, 1, 2, 3, 4]
        with store.reading() as connection:
            found = browse(connection, Kind.EXTERNAL, Filter(page=long))
            assert len(found.rows) == 5


@pytest.mark.parametrize(
    ("kind", "wanted", "sort", "message"),
    [
        (Kind.BAD, Filter(host="a"), "found", "host: bad links have none"),
        (Kind.EXTERNAL, Filter(status=404), "found", "status: external links have none"),
        (Kind.INTERNAL, Filter(), "host", "host: internal links are sorted by found, target"),
        (Kind.INTERNAL, Filter(page="x"), "found", "page: 'x' is no address"),
        (Kind.EXTERNAL, Filter(prefix="x" * 501), "found", "prefix: at most 500"),
        (Kind.EXTERNAL, Filter(contains="a\0"), "found", "contains: contains a character"),
        (Kind.EXTERNAL, Filter(host="\ud800"), "found", "host: contains a character"),
        (Kind.EXTERNAL, Filter(site=2**40), "found", "site: 1099511627776 is out of range"),
    ],
)
def test_what_is_not_offered(
    place: str, kind: Kind, wanted: Filter, sort: str, message: str
) -> None:
    """A traceback of the database for a filter that these links do not support."""
    refused = pytest.raises(CrawlError, match=message)
    with open_store(place, create=True) as store, store.reading() as connection, refused:
        browse(connection, kind, wanted, sort)


MADE_UP = ("[1]", "[0, 1]", '[0, 1, "x"]', "[0, 1e9, 2]", '[0, "", 1, 2]', "[0, 1, 99999999999]",
           "[0, 1, -1]", "[0, true, 1]", '{"a": 1}', "[2, 1, 1]", f"[0, {10**30}, 1]")  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(
    "token", ["x", "!!", "ä", *(b64encode(made.encode()).decode() for made in MADE_UP)]
)
def test_places_that_are_none(place: str, token: str) -> None:
    """A traceback for a position that is truncated, of another list, or invented."""
    with open_store(place, create=True) as store, store.reading() as connection:
        with pytest.raises(CrawlError, match="is no place in this list"):
            browse(connection, Kind.INTERNAL, after=token)
        with pytest.raises(CrawlError, match="only one"):
            browse(connection, Kind.INTERNAL, after=token, before=token)


@pytest.mark.parametrize("spelling", Spelling)
def test_pages_are_found_as_they_are_spelled(spelling: Spelling, tmp_path: Path) -> None:
    """A page with a capital letter whose links are not found (``--normalize paper``)."""
    addresses = ["http://a.test/", "http://a.test/Up/", "http://a.test/Up/x"]
    rows = [{"id": number, "address": address, "key": stored_key(spelling.key(address)),
             "level": 1, "state": int(State.DONE), "status": 200}
            for number, address in enumerate(addresses)]  # fmt: skip
    links = [{"page": 0, "position": position, "target": 2} for position in range(1200)]
    links.append({"page": 1, "position": 0, "target": 2})
    with open_store(tmp_path / "a.db", create=True) as store:
        with store.transaction() as connection:
            connection.execute(insert(pages), rows)
            connection.execute(insert(internal_links), links)
            value = json.dumps(spelling.value)
            connection.execute(insert(settings), {"name": "normalize", "value": value})
        with store.reading() as connection:
            found = browse(connection, Kind.INTERNAL, Filter(page="http://a.test/Up"))
            assert [link.found_on for link in found.rows] == [addresses[1]]
            for prefix, count in (("http://a.test/Up/", 1201), ("http://a.test/up/", 0)):
                wanted = Filter(prefix=prefix)
                assert total(connection, Kind.INTERNAL, wanted) == Total(count, True)
