"""The experiment of [HITS] on small webs with editions: crawls, rankings, communities."""

from __future__ import annotations

import numpy as np
import pytest

from counterpoint.crawler.policy.protocol import Outcome, Setting
from counterpoint.crawler.schedulers.web import BreadthFirst
from counterpoint.crawler.schedulers.weights import GrowingHits
from counterpoint.graph.csr import csr
from counterpoint.studies.topical import editions
from counterpoint.studies.topical.community import Community, community
from counterpoint.studies.topical.editions import (
    ANEW,
    CELLS,
    ITERATED,
    LONG,
    RESULTS,
    STEPS,
    STOP,
    WARM,
    EditionsWeb,
    Job,
    changed,
    experiment,
    focused_only,
)

PAGES = 5000
SIZES = ((117, 117), (95, 100), (45, 48), (41, 73))


@pytest.fixture(scope="module")
def small() -> EditionsWeb:
    """Return a web with all 200 languages."""
    return EditionsWeb(changed({}), 1, PAGES)


def test_start_sets(small: EditionsWeb) -> None:
    """A regional crawl that starts with an edition, or a local one that starts elsewhere."""
    for space, topic in CELLS:
        starts, about = small.starts(space, topic), small.about(topic)
        if space == "local":
            assert about[starts].tolist() == [True]
            assert small.web.host(starts[0]) == 0
        else:
            assert len(set(starts)) == RESULTS
            assert not about[starts].any()
            edition = small.starts("local", topic)[0]
            assert all(edition in small.out_links(page).tolist() for page in starts)


def test_iterations_are_those_of_the_breadth_first_policy(small: EditionsWeb) -> None:
    """Levels in another order, or pages that are fetched twice."""
    starts = small.starts("regional", 1)
    policy = BreadthFirst(Setting(starts, small.web.pages))
    order = []
    while (request := policy.next()) is not None:
        order.append(request.page)
        policy.observe(Outcome(request.page, 200, small.out_links(request.page)))
    fetched = small.iterations(starts, ITERATED)
    assert len(fetched[-1]) > 4000
    for one in fetched:
        assert one.tolist() == order[: len(one)]


def test_the_ranking_is_that_of_the_standard_crawler(small: EditionsWeb) -> None:
    """Other weights than those of the crawler's own ranking."""
    for fetched in small.iterations(small.starts("regional", 0), 4):
        weights = GrowingHits(tolerance=0.0)
        for page in fetched.tolist():
            weights.add(page, small.out_links(page))
        weights.weigh(from_ones=True)
        number = {page: k for k, page in enumerate(weights.pages)}
        row = weights.authorities[[number[page] for page in small.ranked(fetched).tolist()]]
        assert len(row) == len(fetched)
        assert (np.diff(row) < 1e-9).all()  # equal weights differ by rounding


def test_small_webs_are_pinned() -> None:
    """Another result for the same seed."""
    found = experiment(Job(1, SIZES, (), PAGES, whole=True))
    assert {cell: (one.pages, one.fetched, round(one.precision[WARM], 3), one.shared, one.found[1],
                   tuple(round(value, 2) for value in one.standard))
            for cell, one in found.items()} == {
        ("regional", 0): (117, 1177, 0.915, 113, 163, (0.0, 0.05, 0.91, 0.91, 0.0)),
        ("local", 0): (95, 1001, 0.895, 10, 1442, (1.0, 0.9, 0.9, 0.0, 0.0)),
        ("regional", 1): (45, 542, 0.778, 42, 92, (0.0, 0.05, 0.79, 0.73, 0.0)),
        ("local", 1): (41, 522, 0.756, 10, 949, (1.0, 0.6, 0.59, 0.0, 0.0)),
    }  # fmt: skip
    for one in found.values():
        assert set(one.precision) == {WARM, ANEW}
        assert len(one.growth) <= LONG and list(one.growth) == sorted(one.growth)
        assert one.communities["the topic's editions"].density == 1.0


def test_footers_belong_to_no_community(small: EditionsWeb) -> None:
    """Pages that each site links to on all pages, in the community of an answer that has them."""
    linked = np.bincount(small.links.targets.astype(np.int64), minlength=PAGES)
    everywhere = np.flatnonzero(linked > 0.5 * PAGES)
    cell, size = CELLS[3], SIZES[3]
    found = editions._cell(small, cell, *size, whole=True)
    starts = small.starts(*cell)
    collections = small.iterations(starts, ITERATED)
    answers = {
        "focused": np.array(small.focused(starts, steps=STEPS[cell])[0][: size[0]]),
        "standard": small.ranked(collections[STOP - 1])[: size[1]],
        "fetched first": collections[-1][: size[0]],
    }
    assert np.isin(everywhere, answers["focused"]).any()
    for name, answer in answers.items():
        without = np.setdiff1d(answer, everywhere)
        assert found.communities[name] == community(small.links, without), name


def test_a_clique_of_all_main_pages_takes_the_answer() -> None:
    """A key of the web that has no effect on it."""
    without, full = (
        focused_only(Job(1, SIZES, (("mains", mains),), PAGES)) for mains in (0.0, 200.0)
    )
    assert all(full[cell] < without[cell] - 0.2 for cell in CELLS)


def test_communities() -> None:
    """A link counted twice, in the wrong direction, or of another set."""
    # 0 -> 1, 2, 3; 1 -> 0, 2; 2 -> 3, 4; 3 -> 0; 4 -> nothing
    links = csr([0, 3, 5, 7, 8, 8], [1, 2, 3, 0, 2, 3, 4, 0])
    # within {0, 1}: 2 links; leaving: 3; entering: 1; 7 ends inside, 9 outside
    assert community(links, np.array([0, 1])) == Community(1.0, 0.0, 4 / 8)
    assert community(links, np.array([0, 1, 2, 3])) == Community(7 / 12, 0.75, 1.0)
    assert community(links, np.array([4])) == Community(0.0, 0.0, 1.0)
    assert community(links, np.array([], dtype=np.int64)) == Community(0.0, 0.0, 0.0)
