"""The view of sites: valid input, and every kind of invalid input."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import aiohttp
from sqlalchemy import insert

from counterpoint.crawler.store import schema, seeds
from counterpoint.crawler.store.schema import Standing

from .client import Answer, Client, use_studio
from .filled import SITES, fill


def field_errors(page: str) -> dict[str, str]:
    """Return the error messages of a page, by the name of the field."""
    return {name: unescape(text) for name, text in
            re.findall(r'<span class="error" id="(\w+)-error">(.*?)</span>', page)}  # fmt: skip


def test_a_site_is_added(tmp_path: Path) -> None:
    """A field that is not stored, or an added site that is not shown."""

    async def act(client: Client) -> None:
        form = {"start": "HTTP://Example.org:80", "full_name": "<b>An</b> example", "level": "3",
                "short_name": "ex", "cap": "1,000"}  # fmt: skip
        answer = await client.post("/sites/add", form)
        assert await client.notice(answer) == "HTTP://Example.org:80 was added."
        [site] = seeds.listed(client.store)
        assert site[:7] == (1, "<b>An</b> example", "ex", "http://example.org/", "example.org",
                            3, 1000)  # fmt: skip
        page = (await client.get("/sites")).text
        assert "&lt;b&gt;An&lt;/b&gt; example" in page
        assert 'href="http://example.org/" rel="noopener noreferrer"' in page

    use_studio(tmp_path, act)


def test_an_error_is_shown_at_its_field(tmp_path: Path) -> None:
    """An error page; typed text that is lost; an invalid site that is added all the same."""
    cases: tuple[tuple[dict[str, str], dict[str, str]], ...] = (
        ({}, {"start": "The address of the start page is needed."}),
        ({"start": "nothing"}, {"start": "is no address"}),
        ({"start": "javascript:alert(1)"}, {"start": "is no address"}),
        ({"start": "ftp://a.test/"}, {"start": "is no address"}),
        ({"start": "http://zin.test/x"}, {"start": "there already: site 2"}),
        ({"start": "http://a.test/", "level": "-1"}, {"level": "from 0 to"}),
        ({"start": "http://a.test/", "cap": "0", "level": "x"},
         {"level": "from 0 to", "cap": "from 1 to"}),
    )  # fmt: skip

    async def act(client: Client) -> list[str]:
        fill(client.store, visited=0)
        pages = []
        for form, _ in cases:
            answer = await client.post("/sites/add", form)
            assert (form, answer.status) == (form, 422)
            pages.append(answer.text)
        assert len(seeds.listed(client.store)) == len(SITES) + 1
        return pages

    for page, (form, messages) in zip(use_studio(tmp_path, act), cases, strict=True):
        found = field_errors(page)
        assert found.keys() == messages.keys()
        for name, message in messages.items():
            assert message in found[name]
            assert re.search(rf'id="{name}"[^>]*aria-describedby="{name}-error', page)
        for value in form.values():
            assert f'value="{value}"' in page


async def import_sites(client: Client, text: str = "", file: bytes | None = None) -> Answer:
    """Send a list of sites, typed or as a file, as the form does."""
    await client.post("/crawl/stop")  # reads the form token
    form = aiohttp.FormData()
    form.add_field("csrf", client.form_token)
    form.add_field("list", text)
    form.add_field("file", file or b"", filename="" if file is None else "sites.csv")
    headers = {"Origin": client.origin}
    return await client.request("POST", "/sites/import", data=form, headers=headers)


def test_lists_are_imported(tmp_path: Path) -> None:
    """A list that is not parsed, or a file that is not read."""

    async def act(client: Client) -> None:
        text = "http://a.test/\n# no\nhttp://b.test\n"
        notice = await client.notice(await import_sites(client, text))
        assert notice == "2 sites were added."
        table = "start;full name\nhttp://c.test/;Sée\nhttp://a.test/;there already\n".encode()
        notice = await client.notice(await import_sites(client, file=table))
        assert notice == "1 site was added."
        listed = seeds.listed(client.store)
        assert [site.start for site in listed] == [f"http://{k}.test/" for k in "abc"]
        assert listed[2].full_name == "Sée"

    use_studio(tmp_path, act)


def test_a_wrong_list_changes_nothing(tmp_path: Path) -> None:
    """A list of which only a part is added, or an error page for a picture."""

    async def act(client: Client) -> None:
        for text, message in (
            ("", "has no site in it"), ("http://a.test/\nnothing\n", "line 2"),
            ("# only a remark", "has no site"), ("http://a.test/\nhttp://a.test/x", "line 2"),
        ):  # fmt: skip
            answer = await import_sites(client, text)
            assert (text, answer.status) == (text, 422)
            assert message in field_errors(answer.text)["list"]
            assert f">\n{text}</textarea>" in unescape(answer.text)
        picture = await import_sites(client, file=b"\x89PNG\xff\xfe")
        assert field_errors(picture.text)["list"] == "sites.csv: is no text in UTF-8."
        assert seeds.listed(client.store) == []

    use_studio(tmp_path, act)


def test_a_site_is_edited_and_removed(tmp_path: Path) -> None:
    """A form that changes another site than the one shown."""

    async def act(client: Client) -> None:
        fill(client.store, visited=50)
        page = (await client.get("/sites/2")).text
        assert 'value="http://zin.test/"' in page
        form = {"start": "http://zin.test/en/", "full_name": "Zoo", "level": "", "cap": "7"}
        notice = await client.notice(await client.post("/sites/2", form))
        assert notice == "http://zin.test/en/ was saved."
        site = seeds.listed(client.store)[1]
        assert (site.start, site.full_name) == (form["start"], form["full_name"])
        assert (site.level, site.cap) == (None, 7)
        moved = await client.post("/sites/2", {"start": "http://other.test/"})
        assert (moved.status, "not on zin.test" in field_errors(moved.text)["start"]) == (422, True)
        assert await client.notice(await client.post("/sites/2/remove")) == "The site was removed."
        assert 2 not in {site.number for site in seeds.listed(client.store)}
        notice = await client.notice(await client.post("/sites/2/remove"))
        assert notice == "There is no site 2."
        assert (await client.get("/sites/2")).status == 404
        assert (await client.post("/sites/2", form)).status in (404, 422)

    use_studio(tmp_path, act)


def test_a_site_is_tried_again(tmp_path: Path) -> None:
    """A site that can never be crawled because its server was down for an hour."""

    async def act(client: Client) -> None:
        fill(client.store, visited=10)
        number = len(SITES) + 1
        page = (await client.get("/sites")).text
        assert "the start page answers 503" in page
        assert re.findall(r'action="/sites/(\d+)/retry"', page) == [str(number)]
        notice = await client.notice(await client.post(f"/sites/{number}/retry"))
        assert notice == "The site will be tried again."
        assert seeds.listed(client.store)[-1].standing == Standing.WAITING
        notice = await client.notice(await client.post("/sites/1/retry"))
        assert notice == "Site 1 is not one that could not be loaded."

    use_studio(tmp_path, act)


def test_a_long_list_of_sites_has_pages(tmp_path: Path) -> None:
    """A page of ten thousand rows, or sites that cannot be reached."""

    async def act(client: Client) -> None:
        seeds.take_in(client.store, "\n".join(f"http://s{k}.test/" for k in range(450)))
        found: list[Any] = []
        for page in range(9):
            text = (await client.get(f"/sites?page={page}")).text
            found += re.findall(r'data-site="(\d+)"', text)
            assert ('rel="next"' in text) == (page < 8)
            assert ('rel="prev"' in text) == (page > 0)
        assert found == [str(k + 1) for k in range(450)]
        for page_ in ("x", "²", "9" * 5000):  # Python refuses to parse so many digits
            assert 'data-site="1"' in (await client.get(f"/sites?page={page_}")).text

    use_studio(tmp_path, act)


def shown(page: str) -> list[int]:
    """Return the numbers of the sites that a page shows."""
    return [int(number) for number in re.findall(r'data-site="(\d+)"', page)]


def test_sites_are_searched_and_sorted(tmp_path: Path) -> None:
    """A filter that shows other sites, signs of LIKE that match all, or a sort of one page only."""

    async def act(client: Client) -> None:
        fill(client.store)
        rows = seeds.listed(client.store)
        for words in ("BIN", "moved", "%", "_", "no such site", "http://binran.test/"):
            page = (await client.get(f"/sites?{urlencode({'words': words})}")).text
            assert shown(page) == [
                row.number for row in rows
                if any(words.lower() in getattr(row, name).lower()
                       for name in ("site", "start", "full_name", "short_name"))
            ], words  # fmt: skip
            assert "Nothing matches" in page or "that match" in page
        page = (await client.get(f"/sites?standing={Standing.UNAVAILABLE}")).text
        assert shown(page) == [row.number for row in rows if row.standing == Standing.UNAVAILABLE]
        for sort in ("external", "site", "bad"):
            for sign in (1, -1):
                query = f"/sites?sort={sort}&descending={int(sign < 0)}"
                page = (await client.get(query)).text
                wanted = sorted(rows, key=lambda row: getattr(row, sort), reverse=sign < 0)
                assert [getattr(rows[n - 1], sort) for n in shown(page)] == [
                    getattr(row, sort) for row in wanted
                ]  # fmt: skip
                order = "ascending" if sign > 0 else "descending"
                assert f'aria-sort="{order}"><a href="/sites?sort={sort}' in page
        assert shown((await client.get("/sites?sort=nothing&standing=x")).text) == [
            row.number for row in rows
        ]  # fmt: skip

    use_studio(tmp_path, act)


def test_no_page_is_large_with_very_many_sites(tmp_path: Path) -> None:
    """A list or a field that has all ten thousand sites, which took 580 KB, or long names."""

    async def act(client: Client) -> None:
        rows = [
            {"number": k + 1, "full_name": f"{k} " + "name " * 60, "short_name": f"s{k}",
             "start": f"http://s{k}.test/", "site": f"s{k}.test", "standing": Standing.WAITING,
             "reason": "", "known": 0, "fetched": 0, "internal": k % 7, "external": 0, "bad": 0}
            for k in range(10_000)
        ]  # fmt: skip
        with client.store.transaction() as connection:
            connection.execute(insert(schema.seeds), rows)
        for path in ("/sites", "/sites?page=100", "/sites?words=s99&sort=internal&descending=1",
                     "/links/internal", "/links/external?site=s99", "/links/bad", "/crawl",
                     "/sites/5000"):  # fmt: skip
            text = (await client.get(path)).text
            assert len(text.encode()) < 100_000, path
        found = (await client.get("/links/internal?site=s9999.test")).text
        assert 'value="s9999.test"' in found and 'id="site-error"' not in found
        wrong = await client.get("/links/internal?site=s999")
        assert wrong.status == 422 and "No site of the store has this host." in wrong.text
        assert '<option value="s9990.test">' in wrong.text

    use_studio(tmp_path, act)
