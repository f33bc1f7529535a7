"""The findings on webs with editions for given figures."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from counterpoint.studies.papers import editions
from counterpoint.studies.papers.editions import AXES, GRID, Editions, Point, Runs, default_of
from counterpoint.studies.papers.editions_report import findings, sections
from counterpoint.studies.papers.printed import FOCUSED, PRINTED, STANDARD
from counterpoint.studies.papers.report import (
    IN_PART,
    NOT_REPRODUCED,
    REPRODUCED,
    Finding,
    Report,
    text,
)
from counterpoint.studies.topical.community import Community
from counterpoint.studies.topical.editions import (
    ANEW,
    CELLS,
    LONG,
    WARM,
    Cell,
    CellResult,
    Job,
)

WEBS = 4
FLAT = tuple(range(20, 20 + 10 * LONG // 3, 10)) + (220,) * (2 * LONG // 3)
STEADY = tuple(range(20, 20 + 10 * LONG, 10))


def result(shift: float = 0.0, members: float = 1.0, *, growth: tuple[int, ...] = FLAT,
           shared: int = 116) -> Runs:  # fmt: skip
    """Return webs on which all precisions differ from the paper's by a number."""
    return tuple(
        {cell: CellResult(
            100, dict.fromkeys((WARM, ANEW), PRINTED[cell].focused[1] + shift), 500,
            (0.0, 0.0, 0.0, PRINTED[cell].standard[1] + shift, 0.0), (21, 90, 900, 9000, 9999),
            shared, growth, {"focused": Community(1.0, members, 0.2)},
        ) for cell in CELLS}
        for _ in range(WEBS)
    )  # fmt: skip


def study(
    shift: float = 0.0, elsewhere: float = 0.3, members: float = 1.0,
    growth: tuple[int, ...] = FLAT, near: Point = ("footers", 8), shared: int = 116,
) -> Editions:  # fmt: skip
    """Return a study that agrees with the paper up to a shift, and at one other point."""
    points = [(key, value) for key, values in AXES.items() for value in values
              if value != default_of(key)]  # fmt: skip
    return Editions(
        result(shift, members, growth=growth, shared=shared),
        {point: result(0.0 if point == near else elsewhere, growth=growth) for point in points},
        {(mains, shared): (dict.fromkeys(CELLS, 0.5),) * 3
         for mains in GRID["mains"] for shared in GRID["shared"]},
    )  # fmt: skip


def finding(of: Editions, begins: str) -> Finding:
    """Return the finding whose claim begins with a text."""
    (found,) = (one for one in findings(of) if one.claim.startswith(f"editions: the {begins}"))
    return found


@pytest.mark.parametrize("crawler", [FOCUSED, STANDARD])
@pytest.mark.parametrize(
    ("shift", "near", "answer"),
    [
        (0.0, ("footers", 8), REPRODUCED),
        (0.3, ("footers", 8), IN_PART),
        (0.3, ("mains", 105), IN_PART),
        (0.3, ("links", 5), NOT_REPRODUCED),
    ],
)
def test_precision(crawler: str, shift: float, near: Point, answer: str) -> None:
    """A figure that is reached with another number of pages, and said to be out of reach."""
    of = [one for one in findings(study(shift, near=near))
          if one.claim.startswith(f"editions: precision, {crawler}")]  # fmt: skip
    assert len(of) == len(CELLS)
    for found in of:
        assert found.answer == answer
        assert bool(found.why) == (answer != REPRODUCED)
        if answer == IN_PART:
            name = {"footers": "8 footers", "mains": "105 main pages"}[near[0]]
            assert f"figure with {name} (" in found.why


def test_a_wide_interval_does_not_agree() -> None:
    """An agreement that any figure would have."""
    wide = [result(shift)[0] for shift in (-0.2, 0.2, -0.1, 0.1)]
    of = Editions(tuple(wide), {}, {})
    assert of.precision(CELLS[0], FOCUSED).half > 0.1  # type: ignore[operator]
    assert not of.agrees(CELLS[0], FOCUSED)
    assert Editions(result(0.004), {}, {}).agrees(CELLS[0], FOCUSED)
    assert not Editions(result(0.006), {}, {}).agrees(CELLS[0], FOCUSED)
    assert Editions(result(0.006), {}, {}).agrees(CELLS[1], FOCUSED)  # printed as 0.9


def test_each_web_belongs_to_its_point(monkeypatch: pytest.MonkeyPatch) -> None:
    """Results of one corner of the grid, or of one value of a key, that are shown for others."""

    def whole(job: Job) -> dict[Cell, CellResult]:
        return result(job.seed / 10 + sum(value for _, value in job.changes))[0]

    def quick(job: Job) -> dict[Cell, float]:
        changes = dict(job.changes)
        return dict.fromkeys(CELLS, changes["mains"] + changes["shared"] / 2 + job.seed / 10)

    monkeypatch.setattr(editions, "experiment", whole)
    monkeypatch.setattr(editions, "focused_only", quick)
    found = editions.measured(range(1, 4), range(1, 3))
    for cell in CELLS:
        printed = PRINTED[cell].focused[1]
        assert found.precision(cell, FOCUSED).value == pytest.approx(printed + 0.2)
        for key, value in found.varied:
            here = found.precision(cell, FOCUSED, (key, value)).value
            assert here == pytest.approx(printed + value + 0.15)
        for mains, shared in product(GRID["mains"], GRID["shared"]):
            here = found.at_grid(mains, shared, cell).value
            assert here == pytest.approx(mains + shared / 2 + 0.15)


def test_steps_that_begin_with_ones_are_compared_with_the_others() -> None:
    """A difference of the same crawls, which is 0, or with the wrong sign."""
    webs = tuple(
        {cell: replace(one, precision={WARM: 0.5, ANEW: 0.6 + number / 10})
         for cell, one in web.items()} for number, web in enumerate(result()[:2])
    )  # fmt: skip
    assert Editions(webs, {}, {}).anew(CELLS[0]).value == pytest.approx(0.15)


def test_growth_and_communities() -> None:
    """Growth without end that is an asymptote; scattered pages that are a community."""
    assert finding(study(), "focused crawler's page count").answer == REPRODUCED
    steady = finding(study(growth=STEADY), "focused crawler's page count")
    assert steady.answer == NOT_REPRODUCED and "1.00" in steady.here
    assert finding(study(), "focused crawler's answer").answer == REPRODUCED
    assert finding(study(members=0.2), "focused crawler's answer").answer == NOT_REPRODUCED


def test_what_both_answers_share() -> None:
    """Answers that share few pages, as those of two unrelated crawls, said to be the paper's."""
    claims = [(one, study(shared=one)) for one in (116, 115, 110, 60)]
    found = {shared: [one.answer for one in findings(of) if "both answers" in one.claim]
             for shared, of in claims}  # fmt: skip
    assert found == {116: [REPRODUCED], 115: [IN_PART], 110: [IN_PART], 60: [NOT_REPRODUCED]}


def test_the_tables_fit_a_terminal() -> None:
    """A table that is wider than a terminal, or without the profile's own row."""
    of = study(0.3)
    output = text(Report("", "", "", "", findings(of), sections(of), ""))
    assert max(map(len, output.splitlines())) <= 80
    assert output.count("(profile)") == len(AXES)
    assert "regional 1: standard   117, 0.93  1.23 ± 0.00          8" in output
