"""The view of sites: what can be typed, and every way in which it can be wrong."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import aiohttp

from counterpoint.crawler.store import seeds
from counterpoint.crawler.store.schema import Standing

from .client import Answer, Client, visit
from .filled import SITES, fill


def wrong(page: str) -> dict[str, str]:
    """Return what stands below the fields that are wrong."""
    return {name: unescape(text) for name, text in
            re.findall(r'<span class="error" id="(\w+)-error">(.*?)</span>', page)}  # fmt: skip


def test_a_site_is_added(tmp_path: Path) -> None:
    """A field that is lost, or a site that is not shown."""

    async def act(client: Client) -> None:
        told = {"start": "HTTP://Example.org:80", "full_name": "<b>An</b> example", "level": "3",
                "short_name": "ex", "cap": "1,000"}  # fmt: skip
        answer = await client.post("/sites/add", told)
        assert await client.said(answer) == "HTTP://Example.org:80 was added."
        [site] = seeds.listed(client.store)
        assert site[:7] == (1, "<b>An</b> example", "ex", "http://example.org/", "example.org",
                            3, 1000)  # fmt: skip
        page = (await client.get("/sites")).text
        assert "&lt;b&gt;An&lt;/b&gt; example" in page
        assert 'href="http://example.org/" rel="noopener noreferrer"' in page

    visit(tmp_path, act)


def test_what_is_wrong_stands_by_its_field(tmp_path: Path) -> None:
    """An error page; typed text that is gone; a site that is added all the same."""
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
        for told, _ in cases:
            answer = await client.post("/sites/add", told)
            assert (told, answer.status) == (told, 422)
            pages.append(answer.text)
        assert len(seeds.listed(client.store)) == len(SITES) + 1
        return pages

    for page, (told, said) in zip(visit(tmp_path, act), cases, strict=True):
        found = wrong(page)
        assert found.keys() == said.keys()
        for name, words in said.items():
            assert words in found[name]
            assert re.search(rf'id="{name}"[^>]*aria-describedby="{name}-error', page)
        for value in told.values():
            assert f'value="{value}"' in page


async def imported(client: Client, text: str = "", file: bytes | None = None) -> Answer:
    """Send a list as the form does."""
    await client.post("/crawl/stop")  # learns the words of the form
    form = aiohttp.FormData()
    form.add_field("csrf", client.words)
    form.add_field("list", text)
    form.add_field("file", file or b"", filename="" if file is None else "sites.csv")
    headers = {"Origin": client.origin}
    async with client.session.post(
        f"{client.origin}/sites/import", data=form, headers=headers, allow_redirects=False
    ) as answer:
        return Answer(answer.status, answer.headers, await answer.text())


def test_lists_are_imported(tmp_path: Path) -> None:
    """A list that is not understood, or a file that is not read."""

    async def act(client: Client) -> None:
        said = await client.said(await imported(client, "http://a.test/\n# no\nhttp://b.test\n"))
        assert said == "2 sites were added."
        table = "start;full name\nhttp://c.test/;Sée\nhttp://a.test/;there already\n".encode()
        said = await client.said(await imported(client, file=table))
        assert said == "1 site was added."
        listed = seeds.listed(client.store)
        assert [site.start for site in listed] == [f"http://{k}.test/" for k in "abc"]
        assert listed[2].full_name == "Sée"

    visit(tmp_path, act)


def test_a_wrong_list_changes_nothing(tmp_path: Path) -> None:
    """A list of which a half is added, or an error page for a picture."""

    async def act(client: Client) -> None:
        for list_, said in (
            ("", "has no site in it"), ("http://a.test/\nnothing\n", "line 2"),
            ("# only a remark", "has no site"), ("http://a.test/\nhttp://a.test/x", "line 2"),
        ):  # fmt: skip
            answer = await imported(client, list_)
            assert (list_, answer.status) == (list_, 422)
            assert said in wrong(answer.text)["list"]
            assert f">\n{list_}</textarea>" in unescape(answer.text)
        picture = await imported(client, file=b"\x89PNG\xff\xfe")
        assert wrong(picture.text)["list"] == "sites.csv: is no text in UTF-8."
        assert seeds.listed(client.store) == []

    visit(tmp_path, act)


def test_a_site_is_edited_and_removed(tmp_path: Path) -> None:
    """A change of another site than the one shown."""

    async def act(client: Client) -> None:
        fill(client.store, visited=50)
        page = (await client.get("/sites/2")).text
        assert 'value="http://zin.test/"' in page
        told = {"start": "http://zin.test/en/", "full_name": "Zoo", "level": "", "cap": "7"}
        said = await client.said(await client.post("/sites/2", told))
        assert said == "http://zin.test/en/ was saved."
        site = seeds.listed(client.store)[1]
        assert (site.start, site.full_name) == (told["start"], told["full_name"])
        assert (site.level, site.cap) == (None, 7)
        moved = await client.post("/sites/2", {"start": "http://other.test/"})
        assert (moved.status, "not on zin.test" in wrong(moved.text)["start"]) == (422, True)
        assert await client.said(await client.post("/sites/2/remove")) == "The site was removed."
        assert 2 not in {site.number for site in seeds.listed(client.store)}
        gone = await client.said(await client.post("/sites/2/remove"))
        assert gone == "There is no site 2."
        assert (await client.get("/sites/2")).status == 404
        assert (await client.post("/sites/2", told)).status in (404, 422)

    visit(tmp_path, act)


def test_a_site_is_tried_again(tmp_path: Path) -> None:
    """A site that stays lost since its server was down for an hour."""

    async def act(client: Client) -> None:
        fill(client.store, visited=10)
        number = len(SITES) + 1
        page = (await client.get("/sites")).text
        assert "the start page answers 503" in page
        assert re.findall(r'action="/sites/(\d+)/retry"', page) == [str(number)]
        said = await client.said(await client.post(f"/sites/{number}/retry"))
        assert said == "The site will be tried again."
        assert seeds.listed(client.store)[-1].standing == Standing.WAITING
        again = await client.said(await client.post("/sites/1/retry"))
        assert again == "Site 1 is not one that could not be loaded."

    visit(tmp_path, act)


def test_many_sites_are_shown_in_parts(tmp_path: Path) -> None:
    """A page of ten thousand rows, or sites that cannot be reached."""

    async def act(client: Client) -> None:
        seeds.take_in(client.store, "\n".join(f"http://s{k}.test/" for k in range(450)))
        found: list[Any] = []
        for page in range(3):
            text = (await client.get(f"/sites?page={page}")).text
            found += re.findall(r'data-site="(\d+)"', text)
            assert ('rel="next"' in text) == (page < 2)
            assert ('rel="prev"' in text) == (page > 0)
        assert found == [str(k + 1) for k in range(450)]
        for page_ in ("x", "²", "9" * 5000):  # Python reads no number of so many digits
            assert 'data-site="1"' in (await client.get(f"/sites?page={page_}")).text

    visit(tmp_path, act)
