"""Sites are added, edited, removed and retried; errors name their line."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import func, insert, select, update

from counterpoint.crawler.errors import CrawlError, StoreError
from counterpoint.crawler.store import lists, seeds
from counterpoint.crawler.store.browsing import browse
from counterpoint.crawler.store.lists import Seed
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.crawler.store.schema import (
    Standing,
    copies,
    metadata,
    pages,
    plans,
    settings,
    visits,
)
from counterpoint.crawler.store.schema import seeds as table
from counterpoint.crawler.store.views import Kind
from tests.postgres import Server

from .filled import fill


def contents(store: Store) -> dict[str, list[Any]]:
    """Return all rows of all tables."""
    with store.reading() as connection:
        return {name: sorted(map(tuple, connection.execute(select(of))), key=repr)
                for name, of in metadata.tables.items()}  # fmt: skip


def test_sites_are_added_and_edited(place: str) -> None:
    """A site with another number, start or name than the given one."""
    with open_store(place, create=True) as store:
        assert seeds.add(store, "HTTP://A.test", "The  A", "a", level=3) == 1
        assert seeds.add(store, "http://b.test/x", number=7, cap=10) == 7
        assert seeds.add(store, "https://c.test:8080/") == 8
        seeds.edit(store, 1, start="http://a.test/home", short_name="A", level=None)
        found = seeds.listed(store)
        assert [(s.number, s.start, s.site, s.full_name, s.short_name, s.level, s.cap)
                for s in found] == [
            (1, "http://a.test/home", "a.test", "The A", "A", None, None),
            (7, "http://b.test/x", "b.test", "", "", None, 10),
            (8, "https://c.test:8080/", "c.test:8080", "", "", None, None),
        ]  # fmt: skip
        with store.reading() as connection:  # a running crawl reads this
            changed = select(settings.c.value).where(settings.c.name == "changed")
            assert connection.execute(changed).scalar() == "4"


def test_sites_that_are_added_at_once(place: str) -> None:
    """A traceback for the second of two writers that took the same number."""
    with open_store(place, create=True) as store, ThreadPoolExecutor(8) as threads:
        starts = [f"http://s{number}.test/" for number in range(40)]
        numbers = list(threads.map(lambda start: seeds.add(store, start), starts))
        assert sorted(numbers) == list(range(1, 41))


def test_a_site_is_removed_between_pages(postgres: Server) -> None:
    """A link to a page that is removed meanwhile: the deletion must wait for the plan's lock."""
    with open_store(postgres.database(), create=True, patience=0.2) as store:
        fill(store, Random(1))
        with store.transaction() as connection:
            connection.execute(insert(plans).values(
                number=1, policy="", budget=1, seed=1, starts="", told="", pages=0
            ))  # fmt: skip
        with store.transaction() as connection:
            connection.execute(select(plans.c.number).with_for_update())
            with pytest.raises(StoreError, match="waited"):
                seeds.remove(store, 1)
        seeds.remove(store, 1)


def test_what_cannot_be_a_site(place: str) -> None:
    """A site that is invalid or occurs twice, or a change despite an error."""
    with open_store(place, create=True) as store:
        seeds.add(store, "http://a.test/")
        seeds.add(store, "http://b.test/")
        before = contents(store)
        wrong: list[tuple[Any, str]] = [
            (lambda: seeds.add(store, "http://A.test/x"), "a.test is there already: site 1"),
            (lambda: seeds.add(store, "https://c.test/", number=2), "there is a site 2 already"),
            (lambda: seeds.add(store, "foo bar"), "'foo bar' is no address such as http://ex"),
            (lambda: seeds.add(store, "http://c.test/", "a\0b"), "a name has a character"),
            (lambda: seeds.add(store, "http://c.test/\ud800"), "is no address"),
            (lambda: seeds.add(store, "http://c.test/" + "x" * 2_000), "is longer than 2,000"),
            (lambda: seeds.add(store, "http://c.test/", level=-1), "level: -1 is not from 0"),
            (lambda: seeds.add(store, "http://c.test/", cap=0), "cap: 0 is not from 1"),
            (lambda: seeds.add(store, "http://c.test/", number=2**40), "number: 1099511627776"),
            (lambda: seeds.edit(store, 3, start="http://c.test/"), "there is no site 3"),
            (lambda: seeds.edit(store, 1, start="http://b.test/"), "is not on a.test"),
            (lambda: seeds.edit(store, 1, start="x"), "'x' is no address"),
            (lambda: seeds.remove(store, 2**70), f"there is no site {2**70}"),
            (lambda: seeds.retry(store, 1), "site 1 is not one that could not be loaded"),
        ]
        for change, message in wrong:
            with pytest.raises(CrawlError) as caught:
                change()
            assert message in str(caught.value)
            assert contents(store) == before


GOOD = {
    "addresses": "# sites\n\nhttp://a.test/x,y;z\n  HTTP://B.test  \r\nhttp://c.test/\n",
    "semicolons": "1;The A;A;http://a.test/x,y;\n".replace("y;\n", "y%3Bz\n")
                  + '# comment\n;"B; b";;http://b.test\n3;C;;http://c.test/\n',
    "a header": "URL\tName\tunknown\tlevel\nhttp://a.test/x,y;z\tA\t?\t2\n"
                "http://b.test/\tB\t\t\nhttp://c.test/\tC\t\t0\n",
    "commas": '\ufeffNumber,Full Name,short_name,START\n1,"A, a",,"http://a.test/x,y;z"\n'
              "2,B,b,http://b.test/\n4,C,c,http://c.test/\n",
    "no schemes": "a.test/x,y;z\nb.test\nc.test/\n",
    "a table without schemes": "1\t\t\ta.test/x,y;z\n2\tB\tb\tb.test\n3\tC\tc\tc.test\n",
}  # fmt: skip


@pytest.mark.parametrize("kind", GOOD)
def test_a_list_is_imported(kind: str, place: str) -> None:
    """A kind of list that is not understood, or an address cut off at a comma."""
    with open_store(place, create=True) as store:
        assert seeds.take_in(store, GOOD[kind], "sites.txt") == 3
        starts = [site.start.replace("%3B", ";") for site in seeds.listed(store)]
        assert starts == ["http://a.test/x,y;z", "http://b.test/", "http://c.test/"]
        before = contents(store)
        assert seeds.take_in(store, GOOD[kind]) == 0  # they exist already
        assert contents(store) == before
    (_, first), *_, (_, last) = lists.read(GOOD[kind])
    if kind == "a header":
        assert (first.full_name, first.level, last.level) == ("A", 2, 0)
    if kind == "commas":
        assert (first.full_name, first.number, last.number) == ("A, a", 1, 4)


BAD = {
    "http://a.test/\n\nfoo bar\n": "line 3: 'foo bar' is no address such as http://example.org/",
    "": "has no site in it",
    "# nothing\n\n": "has no site in it",
    "http://a.test/\nhttp://b.test/\nhttps://A.test/x": "line 3: a.test is already in line 1",
    "http://a.test/\nmailto:x@y.z": "line 2: 'mailto:x@y.z' is no address",
    "http://a.test/\nhttp://b.test/ x": "line 2: 'http://b.test/ x' is no address",
    "1;A;http://a.test/": "line 1: has 3 columns, not the 4 of number, full name, short name, ",
    "1;A;a;http://a.test/\nx;B;b;http://b.test/": "line 2: number: 'x' is no number",
    "0;A;a;http://a.test/": "line 1: number: 0 is not from 1",
    "1;A;a;http://a.test/\n1;B;b;http://b.test/": "line 2: there is a site 1 already",
    'start;name\nhttp://a.test/;"A': "line 2: ",
    "number;name\n1;x": "line 1: no column is called start",
    "start;name;title\nhttp://a.test/;x;y": "line 1: two columns are called full name",
    "http://new.test/\nhttp://there.test/other": "line 2: there.test is there already: site 1, ",
    "a\0b": "line 1: 'a\\x00b' is no address",
}  # fmt: skip


@pytest.mark.parametrize("text", BAD)
def test_a_line_that_is_wrong(text: str, place: str) -> None:
    """A message without the line, or a list of which the first half was added."""
    with open_store(place, create=True) as store:
        if "there" in text:
            seeds.add(store, "http://there.test/")
        before = contents(store)
        with pytest.raises(CrawlError) as caught:
            seeds.take_in(store, text, "sites.txt")
        assert str(caught.value).startswith(f"sites.txt: {BAD[text]}")
        assert contents(store) == before


@given(st.text(st.characters(codec="utf-8") | st.sampled_from(" \n\r\t,;\"#'/:."), max_size=80))
def test_any_text_is_a_list_or_one_clear_line(text: str) -> None:
    """A traceback for a list of another kind."""
    try:
        assert lists.read(text)
    except CrawlError as error:
        assert len(str(error).splitlines()) == 1


@given(st.lists(st.tuples(st.text(st.characters(codec="utf-8", exclude_categories=["C"])),
                          st.integers(1, 10**9) | st.none()), min_size=1, max_size=5),
       st.sampled_from("\t;,"))  # fmt: skip
def test_what_a_table_says_is_what_is_read(rows: list[tuple[str, int | None]], sign: str) -> None:
    """A name that loses a quote or a separator."""
    text = ""
    for place, (name, number) in enumerate(rows):
        quoted = '"' + name.replace('"', '""') + '"'
        start = f"http://s{place}.test/"
        text += sign.join(["" if number is None else str(number), quoted, "", start]) + "\n"
    names = [" ".join(name.split()) for name, _ in rows]
    found = [seed for _, seed in lists.read(text) if not text.startswith("#")]
    assert [(seed.full_name, seed.number) for seed in found] == [
        (name, number) for name, (_, number) in zip(names, rows, strict=True)
    ]


def test_files_that_are_no_list(tmp_path: Path) -> None:
    """A traceback for a file that does not exist or is a picture."""
    (tmp_path / "image").write_bytes(b"\x89PNG\r\n")
    for path, message in ((tmp_path / "image", "is no text in UTF-8"), (tmp_path, "Is a directory"),
                       (tmp_path / "no", "No such file"), (Path("a\0b"), "null")):  # fmt: skip
        with pytest.raises(CrawlError, match=message):
            lists.text_of(path)
    (tmp_path / "list").write_bytes(b"\xef\xbb\xbfhttp://a.test/")
    assert lists.read(lists.text_of(tmp_path / "list"))[0][1] == Seed("http://a.test/")


def test_a_site_is_removed_with_all_it_has(place: str) -> None:
    """Pages, links or visits of the site that stay, or those of other sites removed."""
    with open_store(place, create=True) as store:
        held = fill(store, Random(4), size=15, links=9)
        with store.transaction() as connection:
            connection.execute(insert(plans).values(
                number=1, policy="x", budget=1, seed=0, starts="[]", told="{}", pages=9
            ))  # fmt: skip
            connection.execute(insert(visits), [
                {"plan": 1, "number": n, "page": n, "seed": 1 + n % 3, "host": "x", "issued": n}
                for n in range(9)
            ])  # fmt: skip
            connection.execute(insert(copies), [{"page": n} for n in range(9)])
        seeds.remove(store, 2)
        with store.reading() as connection:
            for kind in Kind:
                left = [link for link in held[kind] if link.seed != 2]
                assert len(left) < len(held[kind])
                assert browse(connection, kind, limit=10_000).rows == left
            for of in (visits, copies):
                assert connection.scalar(select(func.count()).select_from(of)) == 6
            assert connection.scalar(select(func.count()).select_from(pages)) == 30
            assert connection.execute(select(table.c.number)).scalars().all() == [1, 3]
            names = select(settings.c.name).order_by(settings.c.name)
            assert connection.execute(names).scalars().all() == ["changed", "format", "retries"]


def test_a_site_is_tried_again(place: str) -> None:
    """A start page that stays marked as visited, so that it is not fetched again."""
    with open_store(place, create=True) as store:
        seeds.add(store, "http://a.test/")
        with store.transaction() as connection:
            connection.execute(insert(pages).values(
                id=0, seed=1, address="http://a.test/", key="a", place=0, level=0, state=2,
                status=503, problem="HTTP 503",
            ))  # fmt: skip
            connection.execute(update(table).values(
                standing=Standing.UNAVAILABLE.value, reason="HTTP 503", known=1, fetched=1
            ))  # fmt: skip
        seeds.retry(store, 1)
        (site,) = seeds.listed(store)
        assert (site.standing, site.reason, site.known, site.fetched) == ("waiting", "", 1, 0)
        with store.reading() as connection:
            row = connection.execute(select(pages.c.status, pages.c.problem)).one()
            assert tuple(row) == (None, "")
            again = select(settings.c.value).where(settings.c.name == "retries")
            assert connection.execute(again).scalar() == "1"
        with pytest.raises(CrawlError):
            seeds.retry(store, 1)
