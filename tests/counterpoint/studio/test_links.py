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

from .client import Client, use_studio
from .filled import HOSTILE, SITES, fill

KINDS = ("internal", "external", "bad")
TABLES = {"internal": internal_links, "external": external_links, "bad": bad_links}


def link_keys(page: str) -> list[str]:
    """Return the keys of the links that a page lists, as in the fields of its form."""
    return re.findall(r'name="link" value="(\d+:\d+)"', page)


def count_links(client: Client, kind: str) -> int:
    """Return how many links are not deleted."""
    table = TABLES[kind]
    with client.store.reading() as connection:
        return connection.execute(
            select(func.count()).select_from(table).where(table.c.deleted.is_(False))
        ).scalar_one()


def test_contents_of_pages_are_escaped(tmp_path: Path) -> None:
    """Cross-site scripting by the anchor, the address or the invalid text of a link."""
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

    for page in use_studio(tmp_path, act):
        assert page.lower().count("<script") == page.count('<script type="module" src="/static/')
        assert "<img" not in page
        assert "evil>" not in page
        assert "49" not in re.findall(r'<td class="anchor"[^>]*>(.*?)</td>', page)
        assert not re.search(r"""<[^>]*\son\w+\s*=""", re.sub(r'"[^"]*"', '""', page))
        for target in re.findall(r'<a href="([^"]*)" rel="noopener', page):
            assert re.match(r"https?://", unescape(target))


def test_a_bad_link_is_not_clickable(tmp_path: Path) -> None:
    """A text that is no address, shown as a link."""

    async def act(client: Client) -> str:
        fill(client.store, visited=100)
        with client.store.transaction() as connection:
            connection.execute(update(bad_links).values(text="http://two words.test/"))
        return (await client.get("/links/bad")).text

    page = use_studio(tmp_path, act)
    assert "two words" in page
    assert "two words" not in " ".join(re.findall(r"<a [^>]*>", page))


def test_the_hostile_anchor_is_shown(tmp_path: Path) -> None:
    """An anchor that is left out because it looks dangerous: the user must see it as text."""

    async def act(client: Client) -> str:
        fill(client.store, visited=60)
        return (await client.get("/links/external?words=onerror")).text

    page = use_studio(tmp_path, act)
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
def test_only_web_addresses_can_be_opened(address: str, opens: bool) -> None:
    """A link that runs a script of a crawled page in the studio."""
    assert openable(address) is opens


def test_addresses_have_line_breaks_and_are_escaped() -> None:
    """A long address that makes the page too wide; a line break that undoes the escaping."""
    assert broken("http://a.test/<b>?x=1&y") == (
        "http:/<wbr>/<wbr>a.<wbr>test/<wbr>&lt;b&gt;?<wbr>x=<wbr>1&amp;<wbr>y"
    )


def test_a_list_is_paged_to_its_end_and_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Links that paging leaves out or shows twice."""
    limits = {"internal": 150, "external": 50, "bad": 5}

    async def act(client: Client) -> None:
        fill(client.store, visited=150)
        for kind, sort in [(name, sort) for name in KINDS for sort in VIEWS[Kind(name)].sorts]:
            monkeypatch.setattr(links, "LIMIT", limits[kind])
            seen: list[list[str]] = []
            path = f"/links/{kind}?sort={sort}"
            while path:
                page = (await client.get(path)).text
                seen.append(link_keys(page))
                path = neighbour(page, "next")
            assert len(seen) > 2
            assert sum(map(len, seen)) == count_links(client, kind) == len({*chain(*seen)})
            back = [link_keys(page)]
            while path := neighbour(page, "prev"):
                page = (await client.get(path)).text
                back.append(link_keys(page))
            assert [*chain(*back[::-1])] == [*chain(*seen)]

    use_studio(tmp_path, act)


def neighbour(page: str, which: str) -> str:
    """Return the address of the next or the previous page of a list; "" if there is none."""
    found = re.search(rf'rel="{which}" href="([^"]*)"', page)
    return unescape(found[1]) if found else ""


def test_filters(tmp_path: Path) -> None:
    """A filter that shows links that do not match, or that the page does not keep."""

    async def act(client: Client) -> None:
        fill(client.store)
        page = (await client.get("/links/external?site=6&domain=example.org")).text
        assert link_keys(page)
        assert set(re.findall(r'data-label="Domain">(.*?)</td>', page)) == {"example.org"}
        assert re.search(r'<input id="site" [^>]*value="6"', page)
        assert 'value="example.org"' in page
        internal = (await client.get("/links/internal?state=0")).text
        assert set(re.findall(r'data-label="State">(.*?)</td>', internal)) == {"queued"}
        missing = (await client.get("/links/internal?status=404")).text
        assert set(re.findall(r'data-label="Status">(.*?)</td>', missing)) == {"404"}
        bad = (await client.get("/links/bad?reason=script")).text
        assert set(re.findall(r'data-label="Reason">(.*?)</td>', bad)) == {"script"}
        nothing = (await client.get("/links/external?words=no-such-thing")).text
        assert not link_keys(nothing)
        assert "Nothing matches" in nothing

    use_studio(tmp_path, act)


def test_an_error_of_a_filter_is_shown_at_its_field(tmp_path: Path) -> None:
    """An error page, or an invalid filter that is silently ignored."""

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

    use_studio(tmp_path, act)


def test_links_are_deleted(tmp_path: Path) -> None:
    """A deleted link that is still shown, or another link that is deleted."""

    async def act(client: Client) -> None:
        fill(client.store)
        query = "site=6"
        for kind in KINDS:
            await delete_two(client, kind, query)

    async def delete_two(client: Client, kind: str, query: str) -> None:
        page = (await client.get(f"/links/{kind}?{query}")).text
        first, second, *_ = link_keys(page)
        before = count_links(client, kind)
        answer = await client.post(
            f"/links/{kind}/delete", [("link", first), ("link", second), ("back", query)]
        )
        assert answer.headers["Location"] == f"/links/{kind}?site=6"
        assert await client.notice(answer) == "2 links were deleted."
        assert count_links(client, kind) == before - 2
        assert not {first, second} & set(
            link_keys((await client.get(f"/links/{kind}?{query}")).text)
        )

    use_studio(tmp_path, act)


def test_all_matching_links_are_deleted(tmp_path: Path) -> None:
    """Links deleted that do not match, or all links where there is no filter."""

    async def act(client: Client) -> None:
        fill(client.store)
        before = count_links(client, "external")
        none = await client.post("/links/external/delete", {"all": "1", "back": "sort=host"})
        assert await client.notice(none) == "Filter the links first."
        none = await client.post("/links/external/delete", {"all": "1", "back": "page=nothing"})
        assert "'nothing' is no address" in unescape(await client.notice(none))
        assert count_links(client, "external") == before
        form = {"all": "1", "back": "domain=example.org"}
        notice = await client.notice(await client.post("/links/external/delete", form))
        deleted = int(re.match(r"(\d+) links", notice)[1])  # type: ignore[index]
        assert count_links(client, "external") == before - deleted > 0
        assert not link_keys((await client.get("/links/external?domain=example.org")).text)

    use_studio(tmp_path, act)


def test_an_invalid_key_of_a_link_deletes_nothing(tmp_path: Path) -> None:
    """An error page for a manipulated form, or for a number too large for PostgreSQL."""

    async def act(client: Client) -> None:
        fill(client.store, visited=30)
        before = count_links(client, "external")
        for link in ("", "x", "1", "1:2:3", "-1:0", "1:" + "9" * 40, "1:" + "9" * 10, "٣:1"):
            answer = await client.post("/links/external/delete", {"link": link, "back": "a=//evil"})
            assert answer.headers["Location"].startswith("/links/external?")
            assert await client.notice(answer) == "No link was selected.", link
        assert count_links(client, "external") == before

    use_studio(tmp_path, act)


def test_empty_views_name_the_next_step(tmp_path: Path) -> None:
    """A blank page before the first crawl."""

    async def act(client: Client) -> list[str]:
        return [(await client.get(f"/links/{kind}")).text for kind in KINDS]

    for page in use_studio(tmp_path, act):
        assert "None yet" in page
        assert 'href="/crawl">Go to the crawl' in page


def test_the_filter_suggests_sites(tmp_path: Path) -> None:
    """A site that is missing in the suggestions, or a host that is no filter."""

    async def act(client: Client) -> None:
        fill(client.store, visited=20)
        page = (await client.get("/links/internal")).text
        for name, *_ in SITES:
            assert f'<option value="{name}.test">' in page
        of_number = (await client.get("/links/internal?site=2")).text
        of_host = (await client.get(f"/links/internal?site={SITES[1][0].upper()}.test")).text
        assert link_keys(of_host) == link_keys(of_number)

    use_studio(tmp_path, act)
