"""The views of links: shown as text, filtered, sorted, paged, deleted."""

from __future__ import annotations

import re
from html import unescape
from itertools import chain
from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from counterpoint.crawler.store.schema import bad_links, external_links, internal_links, pages
from counterpoint.crawler.store.views import VIEWS, Kind
from counterpoint.studio import links
from counterpoint.studio.rendering import broken, openable

from .client import Client, visit
from .filled import HOSTILE, SITES, fill

KINDS = ("internal", "external", "bad")
TABLES = {"internal": internal_links, "external": external_links, "bad": bad_links}


def shown(page: str) -> list[str]:
    """Return the links of a list, as its form names them."""
    return re.findall(r'name="link" value="(\d+:\d+)"', page)


def left(client: Client, kind: str) -> int:
    """Return how many links are not deleted."""
    table = TABLES[kind]
    with client.store.reading() as connection:
        return connection.execute(
            select(func.count()).select_from(table).where(table.c.deleted.is_(False))
        ).scalar_one()


def test_what_pages_contain_is_text(tmp_path: Path) -> None:
    """Cross-site scripting by an anchor, an address, or what stood where a link belongs."""
    tricks = [
        HOSTILE,
        '"><script>alert(1)</script>',
        "' onmouseover='alert(1)",
        "{{ 7 * 7 }}",
        "javascript:alert(1)",
        "</td></table><form action=//evil>",
        "\u202eevil",
        "&lt;b&gt;",
    ]

    async def act(client: Client) -> list[str]:
        fill(client.store, visited=40)
        with client.store.transaction() as connection:
            for table, column in ((external_links, "anchor"), (external_links, "address"),
                                  (bad_links, "text"), (pages, "address")):  # fmt: skip
                keys = connection.execute(select(*table.primary_key.columns)).all()
                for key, trick in zip(keys, tricks, strict=False):
                    where = [c == v for c, v in zip(table.primary_key.columns, key, strict=True)]
                    connection.execute(update(table).where(*where).values({column: trick}))
        return [(await client.get(f"/links/{kind}")).text for kind in KINDS]

    for page in visit(tmp_path, act):
        assert page.lower().count("<script") == page.count('<script type="module" src="/static/')
        assert "<img" not in page
        assert "evil>" not in page
        assert "49" not in re.findall(r'<td class="anchor"[^>]*>(.*?)</td>', page)
        assert not re.search(r"""<[^>]*\son\w+\s*=""", re.sub(r'"[^"]*"', '""', page))
        for target in re.findall(r'<a href="([^"]*)" rel="noopener', page):
            assert re.match(r"https?://", unescape(target))


def test_a_bad_link_leads_nowhere(tmp_path: Path) -> None:
    """What is no address, made a link after all."""

    async def act(client: Client) -> str:
        fill(client.store, visited=100)
        with client.store.transaction() as connection:
            connection.execute(update(bad_links).values(text="http://two words.test/"))
        return (await client.get("/links/bad")).text

    page = visit(tmp_path, act)
    assert "two words" in page
    assert "two words" not in " ".join(re.findall(r"<a [^>]*>", page))


def test_the_hostile_anchor_is_shown(tmp_path: Path) -> None:
    """An anchor that is left out since it looks dangerous: the user must see what was found."""

    async def act(client: Client) -> str:
        fill(client.store, visited=60)
        return (await client.get("/links/external?words=onerror")).text

    page = visit(tmp_path, act)
    anchor = re.search(r'<td class="anchor"[^>]*><span class="clip">(.*?)</span>', page)
    assert anchor is not None
    assert unescape(anchor[1]) == HOSTILE


@pytest.mark.parametrize(
    ("address", "opens"),
    [
        ("http://a.test/", True), ("https://a.test/x?y", True), ("HTTP://A.TEST/", True),
        ("javascript:alert(1)", False), (" javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("http:alert(1)", False), ("//a.test/", False), ("http://[::1", False), ("", False),
        ("java\nscript:alert(1)", False), ("http://a.test/\n", False), ("ftp://a.test/", False),
    ],
)  # fmt: skip
def test_what_may_be_opened(address: str, opens: bool) -> None:
    """A link that runs a script of a crawled page, here."""
    assert openable(address) is opens


def test_addresses_may_be_broken_and_are_escaped() -> None:
    """A long address that makes the page wide; a break that undoes the escaping."""
    assert broken("http://a.test/<b>?x=1&y") == (
        "http:/<wbr>/<wbr>a.<wbr>test/<wbr>&lt;b&gt;?<wbr>x=<wbr>1&amp;<wbr>y"
    )


def test_a_list_is_paged_to_its_end_and_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Links that are left out or shown twice between two pages of a list."""
    limits = {"internal": 150, "external": 50, "bad": 5}

    async def act(client: Client) -> None:
        fill(client.store, visited=150)
        for kind, sort in [(name, sort) for name in KINDS for sort in VIEWS[Kind(name)].sorts]:
            monkeypatch.setattr(links, "LIMIT", limits[kind])
            seen: list[list[str]] = []
            path = f"/links/{kind}?sort={sort}"
            while path:
                page = (await client.get(path)).text
                seen.append(shown(page))
                path = neighbour(page, "next")
            assert len(seen) > 2
            assert sum(map(len, seen)) == left(client, kind) == len({*chain(*seen)})
            back = [shown(page)]
            while path := neighbour(page, "prev"):
                page = (await client.get(path)).text
                back.append(shown(page))
            assert [*chain(*back[::-1])] == [*chain(*seen)]

    visit(tmp_path, act)


def neighbour(page: str, which: str) -> str:
    """Return the address of the next or the previous page of a list; "" if there is none."""
    found = re.search(rf'rel="{which}" href="([^"]*)"', page)
    return unescape(found[1]) if found else ""


def test_filters(tmp_path: Path) -> None:
    """A filter that shows other links than those that match, or forgets itself."""

    async def act(client: Client) -> None:
        fill(client.store)
        page = (await client.get("/links/external?site=6&domain=example.org")).text
        assert shown(page)
        assert set(re.findall(r'data-label="Domain">(.*?)</td>', page)) == {"example.org"}
        assert '<option value="6" selected>' in page
        assert 'value="example.org"' in page
        internal = (await client.get("/links/internal?state=0")).text
        assert set(re.findall(r'data-label="State">(.*?)</td>', internal)) == {"waits"}
        missing = (await client.get("/links/internal?status=404")).text
        assert set(re.findall(r'data-label="Status">(.*?)</td>', missing)) == {"404"}
        bad = (await client.get("/links/bad?reason=script")).text
        assert set(re.findall(r'data-label="Reason">(.*?)</td>', bad)) == {"script"}
        nothing = (await client.get("/links/external?words=no-such-thing")).text
        assert not shown(nothing)
        assert "Nothing matches" in nothing

    visit(tmp_path, act)


def test_a_wrong_filter_is_one_line_by_its_field(tmp_path: Path) -> None:
    """An error page, or a filter that is silently something else."""

    async def act(client: Client) -> None:
        fill(client.store, visited=20)
        for query, field in (
            ("level=x", "level"), ("level=-1", "level"), ("site=99999999999", "site"),
            ("page=nothing", "page"), ("prefix=" + "x" * 600, "prefix"), ("after=zzz", "words"),
        ):  # fmt: skip
            answer = await client.get(f"/links/external?{query}")
            assert (query, answer.status) == (query, 422)
            assert f'id="{field}-error"' in answer.text
            wrong = rf'<(input|select) id="{field}"[^>]*aria-invalid="true"'
            assert re.search(wrong, answer.text), query

    visit(tmp_path, act)


def test_links_are_deleted(tmp_path: Path) -> None:
    """A link that comes back, or another one that goes."""

    async def act(client: Client) -> None:
        fill(client.store)
        query = "site=6"
        for kind in KINDS:
            await gone(client, kind, query)

    async def gone(client: Client, kind: str, query: str) -> None:
        page = (await client.get(f"/links/{kind}?{query}")).text
        first, second, *_ = shown(page)
        before = left(client, kind)
        answer = await client.post(
            f"/links/{kind}/delete", [("link", first), ("link", second), ("back", query)]
        )
        assert answer.headers["Location"] == f"/links/{kind}?site=6"
        assert await client.said(answer) == "2 links were deleted."
        assert left(client, kind) == before - 2
        assert not {first, second} & set(shown((await client.get(f"/links/{kind}?{query}")).text))

    visit(tmp_path, act)


def test_all_that_match_are_deleted(tmp_path: Path) -> None:
    """More than matches, or all links where there is no filter."""

    async def act(client: Client) -> None:
        fill(client.store)
        before = left(client, "external")
        none = await client.post("/links/external/delete", {"all": "1", "back": "sort=host"})
        assert await client.said(none) == "Filter the links first."
        none = await client.post("/links/external/delete", {"all": "1", "back": "page=nothing"})
        assert "'nothing' is no address" in unescape(await client.said(none))
        assert left(client, "external") == before
        told = {"all": "1", "back": "domain=example.org"}
        said = await client.said(await client.post("/links/external/delete", told))
        gone = int(re.match(r"(\d+) links", said)[1])  # type: ignore[index]
        assert left(client, "external") == before - gone > 0
        assert not shown((await client.get("/links/external?domain=example.org")).text)

    visit(tmp_path, act)


def test_a_link_that_is_none_is_not_deleted(tmp_path: Path) -> None:
    """An error page for a form that was changed by hand; a number no column of PostgreSQL has."""

    async def act(client: Client) -> None:
        fill(client.store, visited=30)
        before = left(client, "external")
        for link in ("", "x", "1", "1:2:3", "-1:0", "1:" + "9" * 40, "1:" + "9" * 10, "٣:1"):
            answer = await client.post("/links/external/delete", {"link": link, "back": "a=//evil"})
            assert answer.headers["Location"].startswith("/links/external?")
            assert await client.said(answer) == "No link was selected.", link
        assert left(client, "external") == before

    visit(tmp_path, act)


def test_empty_views_say_what_to_do(tmp_path: Path) -> None:
    """A blank page at the beginning."""

    async def act(client: Client) -> list[str]:
        return [(await client.get(f"/links/{kind}")).text for kind in KINDS]

    for page in visit(tmp_path, act):
        assert "None yet" in page
        assert 'href="/crawl">To the crawl' in page


def test_sites_can_be_chosen(tmp_path: Path) -> None:
    """A site that is missing in the filter."""

    async def act(client: Client) -> str:
        fill(client.store, visited=20)
        return (await client.get("/links/internal")).text

    page = visit(tmp_path, act)
    for number, (name, *_) in enumerate(SITES, start=1):
        assert f'<option value="{number}">{name}.test</option>' in page
