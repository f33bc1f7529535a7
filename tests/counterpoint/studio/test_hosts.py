"""The view of hosts: searched, filtered, sorted; and what it says when there is nothing."""

from __future__ import annotations

import re
from pathlib import Path

from sqlalchemy import insert

from counterpoint.crawler.store.schema import hosts, workers

from .client import Client, use_studio
from .test_links import neighbour

FAR = 4_000_000_000.0
"""A time to come, in seconds since 1970."""


def shown(page: str) -> list[str]:
    """Return the names of the hosts that a view shows."""
    return re.findall(r'<tr data-host="([^"]*)"', page)


def fill(client: Client, number: int, name: str = "h{:05}.test") -> None:
    """Write hosts into the store: every third rests, every fifth fails, the first is held."""
    with client.store.transaction() as connection:
        connection.execute(insert(workers).values(name="crawler-1", until=FAR))
        connection.execute(insert(hosts), [
            {"host": name.format(k), "free_at": FAR if k % 3 == 0 else 1.0, "delay": k / 2,
             "failures": int(k % 5 == 0), "worker": "crawler-1" if k == 0 else None,
             "robots": '{"http://h": [1770000000.0, 200, "User-agent: *"]}' if k % 2 else "",
             "robots_at": 1_770_000_000.0 if k % 2 else None}
            for k in range(number)
        ])  # fmt: skip


def test_hosts_are_searched_filtered_and_sorted(tmp_path: Path) -> None:
    """A filter or a sort that shows other hosts, or a state that is shown at another host."""

    async def act(client: Client) -> None:
        fill(client, 120)
        page = (await client.get("/hosts")).text
        assert shown(page) == [f"h{k:05}.test" for k in range(50)]
        assert "50 of 120 hosts." in page
        first, second, *_ = re.findall(r"<tr data-host.*?</tr>", page, re.S)
        assert "2096-10-02 07:06:40 UTC" in first and "crawler-1" in re.sub("<wbr>", "", first)
        assert "until 2096" in first and "not read" in first
        assert "2026-02-02 02:40:00 UTC" in second and ">read" in second and "until 2" not in second
        found = []
        path = "/hosts?words=.TEST&state=resting&sort=delay&descending=1"
        while path:
            page = (await client.get(path)).text
            found += shown(page)
            path = neighbour(page, "next")
        assert found == [f"h{k:05}.test" for k in range(117, -1, -3)]
        assert shown((await client.get("/hosts?state=held+by+a+worker")).text) == ["h00000.test"]
        assert (
            'href="/pages?words=%3A//h00007.test/"' in (await client.get("/hosts?words=00007")).text
        )
        for query in ("sort=nothing", "state=nothing"):
            assert len(shown((await client.get(f"/hosts?{query}")).text)) == 50

    use_studio(tmp_path, act)


def test_what_is_there_to_do_without_hosts(tmp_path: Path) -> None:
    """A blank table before the first request, after a filter, or after a wrong address."""

    async def act(client: Client) -> None:
        page = (await client.get("/hosts")).text
        assert "None yet" in page and 'href="/crawl">Go to the crawl' in page
        fill(client, 3)
        page = (await client.get("/hosts?words=none")).text
        assert "Nothing matches" in page and 'href="/hosts">Clear the filter' in page
        for query in ("after=zzz", "words=%00"):
            answer = await client.get(f"/hosts?{query}")
            assert answer.status == 422 and 'id="words-error"' in answer.text

    use_studio(tmp_path, act)


def test_no_page_of_hosts_is_large(tmp_path: Path) -> None:
    """A view of more than 100 KB, or a sort of more hosts than are sorted, without a word."""

    async def act(client: Client) -> None:
        fill(client, 20_100, "{:05}" + "x" * 290 + ".test")
        page = (await client.get("/hosts?sort=delay&descending=1")).text
        assert len(page.encode()) < 100_000
        assert "Sorted by name: to sort hosts otherwise" in page
        assert shown(page)[0].startswith("00000") and "50 of at least " in page
        page = (await client.get("/hosts?sort=delay&words=00")).text
        assert 'aria-sort="ascending"' in page and len(page.encode()) < 100_000

    use_studio(tmp_path, act)
