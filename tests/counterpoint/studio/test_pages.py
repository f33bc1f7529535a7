"""The view of pages: searched, filtered, sorted, paged; and what it says when there is nothing."""

from __future__ import annotations

import re
from collections import Counter
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

import pytest
from sqlalchemy import insert, select, update

from counterpoint.crawler.store import page_list, page_queries, schema
from counterpoint.crawler.store.page_kinds import PageKind
from counterpoint.studio import pages

from .client import Client, use_studio
from .filled import HOSTILE, fill
from .test_links import neighbour


def shown(page: str) -> list[int]:
    """Return the numbers of the pages that a view shows."""
    return [int(number) for number in re.findall(r'<tr data-page="(\d+)"', page)]


def column(page: str, label: str) -> list[str]:
    """Return the texts in a column of the table."""
    cells = re.findall(rf'data-label="{label}">(.*?)</td>', page)
    return [unescape(re.sub(r"<[^>]*>", "", cell)) for cell in cells]


def test_pages_are_searched_filtered_and_sorted(tmp_path: Path) -> None:
    """A filter that shows other pages or that the view does not keep, or a sort that does not."""

    async def act(client: Client) -> None:
        fill(client.store)
        found = (await client.get("/pages?words=LIBRARY&site=spbu.test&state=fetched")).text
        assert shown(found)
        assert all("library" in text for text in column(found, "Address"))
        assert set(column(found, "Site")) == {"spbu.test"}
        assert set(column(found, "State")) == {"fetched"}
        assert 'value="LIBRARY"' in found and 'value="spbu.test"' in found
        assert "that match" in found
        broken = (await client.get("/pages?state=broken")).text
        assert set(column(broken, "Status")) == {"404"} and shown(broken)
        assert shown((await client.get("/pages?status=404")).text) == shown(broken)
        for sort, label in (("size", "Size"), ("external", "External")):
            page = (await client.get(f"/pages?site=6&sort={sort}&descending=1")).text
            values = [int(text.replace(",", "")) for text in column(page, label)]
            assert values == sorted(values, reverse=True) and len(set(values)) > 1
            assert 'aria-sort="descending"' in page
        visited = column((await client.get("/pages?sort=visited&descending=1")).text, "Last visit")
        assert visited == sorted(visited, reverse=True)
        assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", visited[0])

    use_studio(tmp_path, act)


def test_the_list_is_paged_to_its_end_and_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages that paging leaves out or shows twice, in any order, or a count that is not theirs."""
    monkeypatch.setattr(pages, "LIMIT", 130)

    async def act(client: Client) -> None:
        fill(client.store)
        with client.store.reading() as connection:
            whole = {row.id for row in connection.execute(select(schema.pages.c.id))}
        for sort in page_queries.SORTS:
            seen, path = [], f"/pages?sort={sort}"
            while path:
                page = (await client.get(path)).text
                assert f"of {len(whole):,} pages" in page
                seen.append(shown(page))
                path = neighbour(page, "next")
            assert Counter(n for part in seen for n in part) == Counter(whole)
            back = [shown(page)]
            while path := neighbour(page, "prev"):
                page = (await client.get(path)).text
                back.append(shown(page))
            assert back[::-1] == seen

    use_studio(tmp_path, act)


def test_what_is_there_to_do_without_pages(tmp_path: Path) -> None:
    """A blank table before the first crawl, after a filter that nothing passes, or at the end."""

    async def act(client: Client) -> None:
        page = (await client.get("/pages")).text
        assert "None yet" in page and 'href="/crawl">Go to the crawl' in page
        fill(client.store, visited=30)
        page = (await client.get("/pages?words=no-such-page")).text
        assert "Nothing matches" in page and 'href="/pages">Clear the filter' in page
        page = (await client.get("/pages?sort=size&site=1")).text
        last = neighbour(page, "next")
        with client.store.transaction() as connection:
            connection.execute(update(schema.pages).values(seed=2))
        if last:
            assert "Nothing" in (await client.get(last)).text

    use_studio(tmp_path, act)


def test_a_search_that_stops_can_be_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search that ends without a hit and says that there is none, though it only stopped."""
    for name, value in (("LOOK", 0), ("PART", 20), ("LONGEST", 20), ("RANGE", 20)):
        monkeypatch.setattr(page_queries, name, value)
    search = page_list.search
    monkeypatch.setattr(page_list, "search", lambda *a, **k: search(*a, **k, seconds=0))

    async def act(client: Client) -> None:
        fill(client.store)
        path, steps = "/pages?state=broken&status=404&sort=address", 0
        found: list[int] = []
        while path:
            page = (await client.get(path)).text
            assert shown(page) or "Continue the search" in page or "Nothing further" in page
            found += shown(page)
            path, steps = neighbour(page, "next"), steps + 1
        with client.store.reading() as connection:
            query = select(schema.pages.c.id).where(schema.pages.c.status == 404)
            assert sorted(found) == sorted(row.id for row in connection.execute(query))
        assert steps > 5
        page = (await client.get("/pages?sort=size")).text
        assert "Sorted as the pages were found: to sort them by size, filter them" in page
        assert "sort=size" not in page and "sort=address" in page

    use_studio(tmp_path, act)


def test_an_error_of_a_filter_is_shown_at_its_field(tmp_path: Path) -> None:
    """An error page, or an invalid filter that is silently ignored."""

    async def act(client: Client) -> None:
        fill(client.store, visited=20)
        for query, field in (("status=x", "status"), ("status=1000", "status"),
                             ("site=nowhere.test", "site"), ("site=99999999999", "site"),
                             ("after=zzz", "words"), ("words=%00", "words"),
                             ("sort=size&site=1&after=WzEsIDJd&before=x", "")):  # fmt: skip
            answer = await client.get(f"/pages?{query}")
            if not field:
                assert answer.status == 200
                continue
            assert (query, answer.status) == (query, 422)
            assert f'id="{field}-error"' in answer.text
            assert shown(answer.text)
        for query in ("state=nothing", "sort=nothing"):
            assert shown((await client.get(f"/pages?{query}")).text)

    use_studio(tmp_path, act)


def test_texts_of_pages_are_escaped(tmp_path: Path) -> None:
    """Cross-site scripting by an address or a problem."""

    async def act(client: Client) -> str:
        fill(client.store, visited=20)
        with client.store.transaction() as connection:
            for number, trick in enumerate((HOSTILE, "javascript:alert(1)", "' onclick='x")):
                connection.execute(update(schema.pages).where(schema.pages.c.id == number)
                                   .values(address=trick, problem=trick))  # fmt: skip
        return (await client.get("/pages")).text

    page = use_studio(tmp_path, act)
    assert column(page, "Problem")[0] == HOSTILE
    assert page.count("<script") == page.count('<script type="module" src="/static/')
    assert "<img" not in page and 'href="javascript' not in page


def test_no_page_of_the_list_is_large(tmp_path: Path) -> None:
    """A view of more than 100 KB: ten thousand sites, long addresses, long problems."""

    async def act(client: Client) -> None:
        rows = [{"number": k + 1, "start": f"http://s{k}.test/", "site": f"s{k}.test"}
                for k in range(10_000)]  # fmt: skip
        addresses = [f"http://s{k}.test/{'x' * 300}" for k in range(2_000)]
        with client.store.transaction() as connection:
            connection.execute(insert(schema.seeds), rows)
            connection.execute(insert(schema.pages), [
                {"id": k, "seed": k + 1, "address": address, "key": address, "level": 1,
                 "state": 4, "problem": "left out: --exclude " + "y" * 200}
                for k, address in enumerate(addresses)
            ])  # fmt: skip
        for query in ({}, {"words": "x" * 300}, {"state": PageKind.LEFT_OUT.value, "sort": "size"},
                      {"site": "s9"}):  # fmt: skip
            text = (await client.get(f"/pages?{urlencode(query)}")).text
            assert len(text.encode()) < 100_000, query

    use_studio(tmp_path, act)
