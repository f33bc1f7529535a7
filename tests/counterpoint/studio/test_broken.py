"""The view of broken links: by target, filtered by time, and as a file."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from sqlalchemy import insert

from counterpoint.crawler.store.broken import broken
from counterpoint.crawler.store.schema import State, internal_links, pages, plans, visits

from .client import Client, use_studio
from .test_links import neighbour

DAY = 86_400.0


def fill(client: Client, number: int, name: str = "http://a.test/gone-{}") -> None:
    """Write pages of which each broke a day before the next one; others link to them."""
    named = [{"id": 0, "address": "http://a.test/", "key": "/", "level": 0, "status": 200,
              "state": State.DONE, "external": 0}]  # fmt: skip
    named += [{**named[0], "id": k, "address": name.format(k), "key": f"k{k}"}
              for k in range(1, number + 1)]  # fmt: skip
    named += [{**named[0], "id": number + n, "address": f"http://a.test/{n}", "key": f"n{n}"}
              for n in range(1, 6)]  # fmt: skip
    with client.store.transaction() as connection:
        connection.execute(insert(plans).values(number=0, policy="x", budget=1, seed=0, starts="[]",
                                                told="{}", pages=number))  # fmt: skip
        connection.execute(insert(pages), named)
        connection.execute(insert(internal_links), [
            {"page": number + n, "position": k, "target": k}
            for k in range(1, number + 1) for n in range(1, 6 if k == 2 else 2)
        ])  # fmt: skip
        connection.execute(insert(visits), [
            {"plan": 0, "number": k, "page": k, "host": "a.test", "issued": 2 * k,
             "observed": 2 * k + 1, "status": 0 if k == 3 else 404, "time": k * DAY,
             "problem": "<b>no answer" if k == 3 else ""}
            for k in range(1, number + 1)
        ])  # fmt: skip


def shown(page: str) -> list[int]:
    """Return the numbers of the pages that a view shows."""
    return [int(number) for number in re.findall(r'<tr data-page="(\d+)"', page)]


def test_targets_are_listed_page_by_page(tmp_path: Path) -> None:
    """A target that is left out, or facts of another one beside it."""

    async def act(client: Client) -> None:
        fill(client, 120)
        page = (await client.get("/links/broken")).text
        assert "50 pages that do not come; there may be more of them." in page
        _, second, third, *_ = re.findall(r"<tr data-page.*?</tr>", page, re.S)
        assert "and more" in second and len(re.findall(r'"/pages/12[1-5]"', second)) == 3
        assert "404" in second and "1970-01-03 00:00:00 UTC" in second and "never" in second
        assert "no answer</td>" in third and "&lt;b&gt;no answer" in third
        found, path = [], "/links/broken"
        while path:
            page = (await client.get(path)).text
            found.append(shown(page))
            path = neighbour(page, "next")
        assert found == [[*range(1, 51)], [*range(51, 101)], [*range(101, 121)]]
        page = (await client.get(neighbour(page, "prev"))).text
        assert shown(page) == [*range(51, 101)]

    use_studio(tmp_path, act)


def test_filters(tmp_path: Path) -> None:
    """A filter that leaves out what broke within its time, or is lost on the next page."""

    async def act(client: Client) -> None:
        fill(client, 70)
        assert shown((await client.get("/links/broken?since=1d")).text) == [69, 70]
        assert shown((await client.get("/links/broken?since=7d")).text) == [*range(63, 71)]
        page = (await client.get("/links/broken?words=GONE-7")).text
        assert shown(page) == [7, 70] and "2 pages that do not come." in page
        assert shown((await client.get("/links/broken?words=gone-7&since=1d")).text) == [70]
        answer = await client.get("/links/broken?since=never")
        assert answer.status == 422 and 'id="since-error"' in answer.text
        for query in ("after=zzz", "words=%00"):
            answer = await client.get(f"/links/broken?{query}")
            assert answer.status == 422 and 'id="words-error"' in answer.text

    use_studio(tmp_path, act)


def test_what_is_there_to_do_without_broken_links(tmp_path: Path) -> None:
    """A blank table before the first crawl, or after a filter."""

    async def act(client: Client) -> None:
        page = (await client.get("/links/broken")).text
        assert "None yet" in page and 'href="/crawl">Go to the crawl' in page
        fill(client, 3)
        page = (await client.get("/links/broken?words=nothing")).text
        assert "Nothing matches" in page and 'href="/links/broken">Clear the filter' in page

    use_studio(tmp_path, act)


def test_a_page_of_the_list_is_small(tmp_path: Path) -> None:
    """A page that grows with the addresses of a hostile site."""

    async def act(client: Client) -> str:
        fill(client, 60, "http://a.test/" + "a/" * 1000 + "{}")
        return (await client.get("/links/broken")).text

    page = use_studio(tmp_path, act)
    assert len(shown(page)) == 50
    assert len(page.encode()) < 100_000, len(page.encode())


def test_the_export_has_each_link(tmp_path: Path) -> None:
    """A file without some of the links, or with a cell that a spreadsheet executes."""

    async def act(client: Client) -> None:
        fill(client, 9, "=http://a.test/{}")
        answer = await client.get("/export/broken.csv")
        rows = list(csv.DictReader(io.StringIO(answer.text)))
        assert len(rows) == len(list(broken(client.store))) == 13
        assert rows[0]["target"] == "'=http://a.test/1" and rows[0]["status"] == "404"
        assert rows[0]["since"] == "1970-01-02 00:00:00 UTC"
        name = 'attachment; filename="broken-links.csv"'
        assert answer.headers["Content-Disposition"] == name
        assert 'href="/export/broken.csv"' in (await client.get("/export")).text
        assert (await client.get("/export/broken.jsonl")).status == 404

    use_studio(tmp_path, act)
