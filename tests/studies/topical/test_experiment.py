"""The experiment of [HITS] on small webs: start sets, answers, growth."""

from __future__ import annotations

import numpy as np
import pytest

from counterpoint.crawler.policy.protocol import Scope
from counterpoint.studies.papers import hits as papers
from counterpoint.studies.papers import hits_report
from counterpoint.studies.papers.report import text
from counterpoint.studies.topical.crawling import crawled, judge_answers, standing
from counterpoint.studies.topical.experiment import (
    CRAWLERS,
    DRIFT,
    FOCUSED,
    LONG,
    READ,
    SPACES,
    STANDARD,
    STEPS,
    searched,
    without_menu,
)
from counterpoint.studies.topical.spaces import RESULTS, Space

PAGES = 3000


@pytest.fixture(scope="module")
def local() -> Space:
    """Return a small site."""
    return Space("local", 1, PAGES)


def test_a_crawl_starts_with_search_results(local: Space) -> None:
    """Results that do not match the query, are of another site, or differ each time."""
    web = local.planted.web
    tasks = local.tasks(2)
    assert [task.starts for task in tasks] == [task.starts for task in local.tasks(2)]
    assert len({task.topic for task in tasks}) == 2
    for task in tasks:
        about = web.relevant_to(task.topic)
        assert 0 < len(task.starts) <= RESULTS
        assert len(set(task.starts)) == len(task.starts)
        assert all(web.host(page) == 0 for page in task.starts)
        assert about[list(task.starts)].mean() > 5 * about.mean()


def test_the_standard_crawler_exhausts_the_web(local: Space) -> None:
    """Growth that is not that of breadth-first levels; a page that remains in the frontier."""
    task = local.tasks(1)[0]
    one = crawled(local, task, STANDARD, "breadth-first", PAGES)
    reached = dict.fromkeys(task.starts, 0)
    levels = [list(task.starts)]
    while levels[-1]:
        fresh: dict[int, None] = {}
        for page in levels[-1]:
            for link in local.planted.links_of(Scope.WEB, page).tolist():
                if link not in reached:
                    reached[link] = len(levels)
                    fresh.setdefault(link)
        levels.append(list(fresh))
    assert sorted(one.order.tolist()) == sorted(reached)
    assert one.growth == tuple(np.cumsum([len(level) for level in levels[:-1]]).tolist())
    assert one.waiting[-1] == 0
    assert list(one.answer) == standing(local, one.order.tolist())


def test_answers_are_judged_as_counted_by_hand(local: Space) -> None:
    """Recall of the web reported as recall of the pool; navigation that is not recognized."""
    task = local.tasks(1)[0]
    about = np.flatnonzero(local.planted.web.relevant_to(task.topic))
    other = [page for page in range(PAGES) if page not in set(about.tolist())][:4]
    first, second = judge_answers(
        local, task, [[int(about[0]), *other], [int(about[1]), int(about[2])]]
    )
    assert (first.size, first.precision) == (5, 0.2)
    assert first.recall == pytest.approx(1 / 3)
    assert first.recall_of_all == pytest.approx(1 / len(about))
    assert other[0] == 0
    assert first.navigation == 4 / 5  # the start page and three of its menu
    assert (second.precision, second.navigation) == (1.0, 0.0)
    assert first.points[0] == 1.0
    assert first.points[-1] == 0.0


def test_the_precision_with_the_menu_comes_first() -> None:
    """An ablation whose two figures are exchanged, or whose web with the menu has another menu."""
    space = Space("local", 1, 1000)
    found = without_menu((1, 1000))
    assert len(found) == len(space.tasks(2)) == 2
    for task, (with_menu, without) in zip(space.tasks(2), found, strict=True):
        one = crawled(space, task, FOCUSED, f"hits,steps={STEPS}", 1000)
        about = space.planted.web.relevant_to(task.topic)
        assert with_menu == about[list(one.answer)].mean() != without


@pytest.mark.long
def test_the_report_of_the_experiment() -> None:
    """A crawler without an answer; exceeded budgets; a report that cannot be printed."""
    found = papers.study(range(2), 1, pages=PAGES)
    for (space, topic), runs in found.cells.items():
        for run in runs:
            assert (run.space, run.topic) == (space, topic)
            assert set(run.crawls) == set(CRAWLERS)
            focused = run.crawls[FOCUSED]
            assert set(focused.answer) <= set(focused.order.tolist())
            assert run.long[: len(focused.growth)] == focused.growth
            assert len(focused.growth) < len(run.long) <= LONG
            for name, one in run.crawls.items():
                assert 0 < len(one.answer) <= len(focused.answer)
                if name.startswith("TF"):
                    assert len(one.order) <= min(READ, len(focused.order))
            assert len(run.drift) <= DRIFT + 1
            assert run.drift[-1] == run.answers[STANDARD].precision
    output = text(hits_report.report(found))
    assert max(map(len, output.splitlines())) <= 80
    again = searched(("regional", 1, PAGES))
    assert [one.answers for one in again] == [found.cells["regional", k][1].answers for k in (0, 1)]
    assert [one.long for one in again] == [found.cells["regional", k][1].long for k in (0, 1)]
    assert {cell["space"] for cell in found.to_json()["cells"]} == set(SPACES)
