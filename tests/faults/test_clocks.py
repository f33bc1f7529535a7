"""Clocks of machines that are set, while a crawl is stopped."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from counterpoint.crawler.beebot.beginning import begin
from counterpoint.crawler.beebot.crawling import crawl
from counterpoint.crawler.fetching import clock
from counterpoint.crawler.store.lists import Seed
from counterpoint.crawler.store.opening import open_store
from counterpoint.crawler.store.seeds import add_all
from tests.oracle.seeds import this_week

from .fault_webs import expected, found, served, starts, web

SEED = this_week(0, 1).start // 1_000_000


@pytest.mark.long
@pytest.mark.parametrize("ahead", [86_400.0, -86_400.0])
def test_the_clock_is_set_while_a_crawl_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ahead: float
) -> None:
    """Pages that fail, since their hosts seem to ask for a pause of a day."""
    wanted, of = expected(SEED, "breadth-first"), web(SEED, 0.0)
    with served(of, tmp_path / "log") as proxy, open_store(
        tmp_path / "crawl.db", create=True
    ) as store:  # fmt: skip
        add_all(store, [("the web", Seed(start)) for start in starts(of)])
        with monkeypatch.context() as patch:
            wrong = SimpleNamespace(**vars(time) | {"time": lambda: time.time() + ahead})
            patch.setattr(clock, "time", wrong)
            crawl(store, begin(store, {
                "scheduler": "breadth-first", "budget": "30", "proxy": proxy, "delay": 0.0,
                "concurrency": 16, "stay": True,
            }))  # fmt: skip
        assert crawl(store, begin(store, {"budget": "100000"})).over
        assert found(store) == wanted, f"seed {SEED}"
