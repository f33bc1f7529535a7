"""The findings of the [HITS] experiment for given figures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from counterpoint.studies.comparison.statistics import mean
from counterpoint.studies.papers.drawing import svg
from counterpoint.studies.papers.hits import CELLS, Hits
from counterpoint.studies.papers.hits_report import report
from counterpoint.studies.papers.report import IN_PART, NOT_REPRODUCED, REPRODUCED, Finding
from counterpoint.studies.topical.crawling import TOP, AnswerQuality, TopicalCrawl
from counterpoint.studies.topical.experiment import (
    BOTH,
    CRAWLERS,
    DIVIDED,
    FOCUSED,
    STANDARD,
    WORDS,
    TopicResult,
)

WEBS = 4
LONG_GROWTH = {"regional": (20, 120, 220, 270, 320, 330, 340), "local": (20, 40, 60, 80, 100)}
ELSE = {DIVIDED: 0.1, WORDS: 0.9, BOTH: 0.9}


def searched(
    space: str, topic: int, web: int, precision: dict[str, float], menus: float = 1.0
) -> TopicResult:
    """Return the result of a topic on a web; growth is larger by the number of the web."""
    none = np.zeros(0, dtype=np.int64)
    growth = {STANDARD: (20, 100, 1000, 9000, 19000 + web), FOCUSED: (20, 200, 300, 330, 340, 345)}
    crawls = {
        name: TopicalCrawl(name, none, (), growth.get(name, ()), growth.get(name, ()), float(web))
        for name in CRAWLERS
    }
    answers = {
        name: AnswerQuality(100, value, 0.5, 0.1, menus, np.linspace(1, 0, 11))
        for name, value in (ELSE | precision).items()
    }
    return TopicResult(space, topic, 400, 0.8, crawls, answers, (0.8, 0.7, 0.6, web / 10),
                    LONG_GROWTH[space])  # fmt: skip


def study(focused: float, standard: float, spread: float = 0.01, menus: float = 1.0) -> Hits:
    """Return a study in which the focused crawler's precision varies between webs."""
    return Hits(range(WEBS), 20_000, {
        cell: tuple(
            searched(*cell, web, {FOCUSED: focused + spread * (web - 1.5), STANDARD: standard},
                     menus)
            for web in range(WEBS)
        )
        for cell in CELLS
    })  # fmt: skip


def finding(of: Hits, begins: str) -> Finding:
    """Return the finding whose claim begins with a text."""
    (found,) = (one for one in report(of).findings if one.claim.startswith(begins))
    return found


def test_topics_of_a_web_are_one_observation() -> None:
    """Intervals that are too narrow, because two topics of a web count as two webs."""
    of = study(0.9, 0.0)
    assert of.growth("local", STANDARD)[-1] == mean([19000 + web for web in range(WEBS)])
    assert of.drift("local")[-1] == mean([web / 10 for web in range(WEBS)])
    assert of.seconds("local", FOCUSED) == mean([float(web) for web in range(WEBS)])


def test_an_ended_crawl_keeps_its_last_value() -> None:
    """A mean over only those webs whose crawls still run."""
    of = study(0.9, 0.0)
    short, *others = of.cells["local", 0]
    growth = replace(short.crawls[FOCUSED], growth=(20, 200))
    crawls = short.crawls | {FOCUSED: growth}
    cells = of.cells | {("local", 0): (replace(short, crawls=crawls), *others)}
    last = replace(of, cells=cells).growth("local", FOCUSED)[-1]
    assert last == mean([(200 + 345) / 2, 345, 345, 345])


@pytest.mark.parametrize(
    ("focused", "standard", "spread", "answer"),
    [
        (0.9, 0.1, 0.01, REPRODUCED),
        (0.9, 0.8, 0.2, IN_PART),
        (0.8, 0.9, 0.01, NOT_REPRODUCED),
    ],
)
def test_at_least_as_precise_everywhere(
    focused: float, standard: float, spread: float, answer: str
) -> None:
    """A difference within chance that is called certain; a negative difference that is missed."""
    found = finding(study(focused, standard, spread), "the focused crawler's precision")
    assert found.answer == answer
    assert bool(found.why) == (answer != REPRODUCED)


@pytest.mark.parametrize(
    ("focused", "standard", "answer", "why"),
    [
        (0.90, 0.90, REPRODUCED, ""),
        (0.30, 0.90, NOT_REPRODUCED, "more precise than the other"),
        (0.90, 0.03, NOT_REPRODUCED, "No topic is dense"),
        (0.03, 0.03, NOT_REPRODUCED, "No topic is dense"),
    ],
)
def test_both_as_precise_in_the_regional_space(
    focused: float, standard: float, answer: str, why: str
) -> None:
    """Crawlers that differ and are called alike; a reason for an expected result."""
    found = finding(study(focused, standard), "regional")
    assert found.answer == answer
    assert why in found.why and bool(why) == bool(found.why)


def test_one_web_has_no_interval() -> None:
    """Two equal crawlers that are said to differ because only one web was measured."""
    of = study(0.9, 0.9, spread=0.0)
    one = replace(of, seeds=range(1), cells={cell: runs[:1] for cell, runs in of.cells.items()})
    assert finding(one, "regional").answer == REPRODUCED
    other = study(0.9, 0.8, spread=0.0)
    cells = {cell: runs[:1] for cell, runs in other.cells.items()}
    found = finding(replace(other, seeds=range(1), cells=cells), "regional")
    assert (found.answer, found.why) == (NOT_REPRODUCED, "One is more precise than the other.")


@pytest.mark.parametrize(("focused", "answer"), [(0.9, REPRODUCED), (0.2, NOT_REPRODUCED)])
def test_the_focused_crawler_in_the_local_space(focused: float, answer: str) -> None:
    """A reason for a drift that does not happen."""
    found = finding(study(focused, 0.0), "local: the focused")
    assert found.answer == answer
    assert bool(found.why) == (answer != REPRODUCED)


@pytest.mark.parametrize(
    ("without", "why"),
    [(0.05, "The menu is not the cause: without it"), (0.9, "The menu is the cause: without it")],
)
def test_the_menu_is_the_cause_only_if_its_ablation_says_so(without: float, why: str) -> None:
    """A cause that the report denies, whatever was measured; or one that nobody has measured."""
    of = study(0.05, 0.0)
    assert "The menu" not in finding(of, "local: the focused").why
    measured = replace(of, menus=(((0.05, without), (0.04, without)),) * 3)
    found = finding(measured, "local: the focused")
    assert found.why.startswith(why) and f"{without:.2f} ± 0.00 and {without:.2f}" in found.why


@pytest.mark.parametrize(
    ("standard", "menus", "why"),
    [(0.01, 1.0, ""), (0.01, 0.2, "not ranked first"), (0.4, 1.0, "not near 0")],
)
def test_the_ranking_drifts_to_the_menus(standard: float, menus: float, why: str) -> None:
    """Menus that are ranked first, which the finding denies."""
    found = finding(study(0.9, standard, menus=menus), "local: the standard")
    assert found.answer == (NOT_REPRODUCED if why else REPRODUCED)
    assert why in found.why and bool(why) == bool(found.why)
    assert f"of the first {TOP} pages" in found.here


def test_whether_growth_flattens() -> None:
    """A crawl with constant growth that is said to tend to an asymptote."""
    found = finding(study(0.9, 0.0), "the focused crawler's page count")
    assert found.answer == IN_PART
    assert "regional: 340 pages in 12 steps, 340 in 7, 2% of the web; the last" in found.here
    assert "local: 100 pages in 12 steps, 100 in 5, 1% of the web; the last" in found.here
    assert [part.partition(" adds ")[2][:4] for part in found.here.split(";")[1::2]] == [
        "0.10", "1.00"
    ]  # fmt: skip


def test_a_web_that_ends_is_no_asymptote() -> None:
    """A crawl that has fetched most of the web and is said to tend to an asymptote."""
    of = study(0.9, 0.0)
    flat = (20, 9000, 11000, 12000, 12100, 12150, 12160)
    cells = {
        cell: tuple(replace(one, long=flat) for one in runs) for cell, runs in of.cells.items()
    }
    found = finding(replace(of, cells=cells), "the focused crawler's page count")
    assert found.answer == NOT_REPRODUCED
    assert "64% of the web" in found.here


def test_a_crawler_has_one_colour_and_cells_have_names() -> None:
    """A crawler with another colour than in the paper's figure; an axis of 1.0, 1.5, 2.0."""
    figures = report(study(0.9, 0.0)).sections[0].figures
    graph, beside = figures[0], figures[-1]
    place = {line.name: k for k, line in enumerate(graph.lines)}
    for line in beside.lines:
        assert line.colour == place[line.name.partition(",")[0]]
    assert len({line.xs for line in beside.lines}) == 2
    drawn = svg(beside, "beside")
    assert all(f">{space} {topic + 1}</text>" in drawn for space, topic in CELLS)
    assert ">1.5</text>" not in drawn
