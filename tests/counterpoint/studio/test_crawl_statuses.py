"""The chart of statuses on the view of the crawl, and the table beside it."""

from __future__ import annotations

import re
from pathlib import Path

from sqlalchemy import insert

from counterpoint.crawler.store import seeds
from counterpoint.crawler.store.schema import visits

from .client import Client, use_studio
from .filled import BEGUN, fill


def test_statuses_are_drawn_and_listed(tmp_path: Path) -> None:
    """A chart without a table, with other numbers than the table, or one that needs a script."""

    async def act(client: Client) -> None:
        fill(client.store)
        page = (await client.get("/crawl")).text
        part = re.search(r'aria-labelledby="statuses-title">.*?</section>', page, re.S)
        assert part is not None
        assert "fetched 586" in part[0] and "4xx 14" in part[0]
        assert "visits in each 10 seconds" in part[0]
        for label, number in (("fetched", 586), ("4xx", 14)):
            cells = re.findall(rf'data-label="{label}">([\d,]+)</td>', part[0])
            assert sum(int(cell) for cell in cells) == number
        spans = re.findall(r'<th scope="row">(.*?)</th>', part[0])
        assert spans[0] == "2026-02-02 02:40:00" and len(spans) == 7
        assert len(re.findall(r"<rect ", part[0])) == 14
        assert "<script" not in part[0] and "style=" not in part[0]

    use_studio(tmp_path, act)


def test_before_the_first_answer_nothing_is_drawn(tmp_path: Path) -> None:
    """An empty frame before the crawl, or a division by no visits."""

    async def act(client: Client) -> None:
        assert "Statuses over time" not in (await client.get("/crawl")).text
        seeds.add(client.store, "http://a.test/")
        assert "Statuses over time" not in (await client.get("/crawl")).text

    use_studio(tmp_path, act)


def test_a_plan_without_answers_says_so(tmp_path: Path) -> None:
    """A crawl that has begun, and a view that does not say what it waits for."""

    async def act(client: Client) -> str:
        fill(client.store, visited=0)
        return (await client.get("/crawl")).text

    assert "No answer has come yet" in use_studio(tmp_path, act)


def test_the_chart_of_many_statuses_is_small(tmp_path: Path) -> None:
    """A view of more than 100 KB after a long crawl with every kind of answer."""
    ends = ((200, ""), (301, ""), (404, ""), (503, ""), (0, "no answer"), (0, "left out: x"))

    async def act(client: Client) -> None:
        fill(client.store, visited=1)
        with client.store.transaction() as connection:
            connection.execute(insert(visits), [
                {"plan": 0, "number": n + 9, "page": 0, "host": "x", "issued": 2 * n + 50,
                 "observed": 2 * n + 51, "status": ends[n % 6][0], "problem": ends[n % 6][1],
                 "time": BEGUN + n} for n in range(3_500)
            ])  # fmt: skip
        page = (await client.get("/crawl")).text
        assert len(re.findall(r"<rect ", page)) > 300
        assert len(page.encode()) < 100_000

    use_studio(tmp_path, act)
