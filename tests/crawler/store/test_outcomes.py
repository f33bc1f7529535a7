"""How visits ended over time, compared with visits that are counted one by one."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import delete, insert

from counterpoint.crawler.store import outcomes as module
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.crawler.store.outcomes import Ending, Outcomes, outcomes
from counterpoint.crawler.store.schema import pages, plans, visits
from counterpoint.studio import statuses

ENDINGS = {
    (200, ""): Ending.FETCHED, (304, ""): Ending.FETCHED, (301, ""): Ending.REDIRECTED,
    (404, ""): Ending.CLIENT_ERROR, (429, ""): Ending.CLIENT_ERROR, (503, ""): Ending.SERVER_ERROR,
    (0, "no answer in 30 s"): Ending.NO_ANSWER, (0, "forbidden by robots.txt"): Ending.LEFT_OUT,
    (0, "left out: --exclude path:/x"): Ending.LEFT_OUT,
    (302, "redirects in a circle"): Ending.REDIRECTED,
}  # fmt: skip


def fill(store: Store, plan: int, ended: list[tuple[float | None, int | None, str, bool]]) -> None:
    """Write a plan with visits: time, status, problem, and whether the store answered."""
    with store.transaction() as connection:
        row = {"number": plan, "policy": "R3", "budget": 9, "seed": 0, "starts": "[]",
               "told": "{}", "pages": 0}  # fmt: skip
        connection.execute(insert(plans), [row])
        if ended:
            connection.execute(insert(visits), [
                {"plan": plan, "number": n, "page": 0, "host": "x", "issued": 2 * n, "time": time,
                 "observed": None if status is None else 2 * n + 1, "status": status,
                 "problem": problem, "recalled": recalled}
                for n, (time, status, problem, recalled) in enumerate(ended)
            ])  # fmt: skip


def made(store: Store) -> None:
    """Write the page that all visits are of."""
    with store.transaction() as connection:
        connection.execute(insert(pages).values(
            id=0, address="a", key="a", level=0, state=2))  # fmt: skip


def test_the_last_visits_of_the_last_plan_are_counted(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A visit of another plan, one in flight or one that the store answered; or one left out."""
    chance = Random(6)
    ended = [(1_000.0 + n + chance.random(), *chance.choice(list(ENDINGS)), False)
             for n in range(150)]  # fmt: skip
    others: list[tuple[float | None, int | None, str, bool]] = [
        (None, None, "", False), (2_000.0, 200, "", True), (0.0, 200, "", True),
    ]  # fmt: skip
    with open_store(place, create=True) as store:
        made(store)
        assert outcomes(store) == Outcomes([], 1, True)
        fill(store, 0, [(9.0, 200, "", False)])
        fill(store, 1, [*ended, *others])
        found = outcomes(store)
        assert found.all_visits and found.seconds == 10
        for span in found.spans:
            for ending in Ending:
                assert span.counts[ending] == sum(
                    ENDINGS[status, problem] is ending and span.begin <= time < span.begin + 10
                    for time, status, problem, _ in ended
                )  # fmt: skip
        assert sum(span.total for span in found.spans) == 150
        monkeypatch.setattr(module, "LOOK", 50)
        last = outcomes(store)
        assert not last.all_visits
        assert sum(span.total for span in last.spans) == 50 - 2  # the store answered two of them


def test_there_are_few_spans_and_each_visit_is_in_one(tmp_path: Path) -> None:
    """A chart of a million bars after a long pause, or a visit beside all spans."""
    with open_store(tmp_path / "crawl.db", create=True) as store:
        made(store)

        @given(st.lists(st.floats(1.0, 4e9), min_size=1, max_size=30))
        def check(times: list[float]) -> None:
            with store.transaction() as connection:
                connection.execute(delete(visits))
                connection.execute(delete(plans))
            fill(store, 0, [(time, 200, "", False) for time in times])
            must_fit(outcomes(store), times)

        check()


def must_fit(found: Outcomes, times: list[float]) -> None:
    """Check that spans, bars and rows are those of visits at some times."""
    assert len(found.spans) in range(1, module.SPANS + 1)
    assert sum(span.total for span in found.spans) == len(times)
    begins = [span.begin for span in found.spans]
    assert begins == [begins[0] + n * found.seconds for n in range(len(begins))]
    assert begins[0] <= min(times) and max(times) < begins[-1] + found.seconds
    chart = statuses.chart(found)
    assert chart is not None
    for bar in chart.bars:
        assert bar.x >= 0 and bar.x + bar.width <= statuses.WIDTH and bar.width > 0
        assert bar.y >= -0.01 and bar.y + bar.height <= statuses.HEIGHT + 0.02
    assert sum(sum(counts) for _, counts in chart.rows) == len(times)
