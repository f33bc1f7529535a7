"""Reports as text and as pages."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from counterpoint.crawler.errors import CrawlError
from counterpoint.sim_web.profile import load
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.comparison.planted import Planted
from counterpoint.studies.papers import beebot, beebot_report
from counterpoint.studies.papers.arms import rows_of
from counterpoint.studies.papers.beebot import PRINTED, BeeBot
from counterpoint.studies.papers.drawing import svg
from counterpoint.studies.papers.page import body, page, write
from counterpoint.studies.papers.papers import PAPERS, named
from counterpoint.studies.papers.report import (
    IN_PART,
    Figure,
    Finding,
    Line,
    Report,
    Section,
    Table,
    text,
)
from counterpoint.studies.papers.starvation import experiment

from .made_beebot import made

SMALL = Report(
    "small",
    "A <small> report",
    "Somebody (2000).",
    "2 seeds.",
    (Finding("so & so", "1.96", "1.35 ± 0.22", IN_PART, "why not"),),
    (
        Section(
            "Figures",
            ("a paragraph",),
            (Table(("set", "here"), (("one", "1"), ("another", "1,000")), "a note"),),
            (
                Figure("Up & down", "steps", "regret", (
                    Line("R3", (1.0, 10.0), (1.0, 2.0), (0.1, 0.2)),
                    Line("theory", (1.0, 10.0), (2.0, 3.0), dashed=True),
                ), (("98%", 0.98),), "x"),
                Figure("From <0>", "delta", "Q", (Line("a", (0.0, 1.0), (1.0, 2.0), dots=True),),
                       logarithmic="x"),
            ),
        ),
    ),
    "counterpoint papers small",
)  # fmt: skip


def test_text_is_pinned() -> None:
    """A column that moves, or a finding that is not shown."""
    assert text(SMALL) == (
        "A <small> report\n"
        "  Somebody (2000).\n"
        "  2 seeds.\n"
        "\n"
        "in part: so & so: paper 1.96; here 1.35 ± 0.22\n"
        "  why not\n"
        "\n"
        "Figures\n"
        "  a paragraph\n"
        "  set       here\n"
        "  one          1\n"
        "  another  1,000\n"
        "  a note\n"
        "\n"
        "To reproduce: counterpoint papers small\n"
    )


def test_a_wide_table_continues_below() -> None:
    """A line that is wider than a terminal, or a column that is lost."""
    rows = tuple((f"row {k}", *(f"{k}{j}" * 8 for j in range(7))) for k in range(3))
    table = Table(("name", *(f"column {j}" for j in range(7))), rows)
    section = Section("Wide", (), (table,))
    lines = text(Report("", "", "", "", (), (section,), "")).splitlines()
    assert max(map(len, lines)) == 5 + 2 + 4 * 18  # four columns of 16 beside "row 0"
    assert [line[2:7] for line in lines if line.startswith("  row")] == [
        "row 0", "row 1", "row 2", "row 0", "row 1", "row 2",
    ]  # fmt: skip
    assert all("\n".join(lines).count(cell) == 1 for row in rows for cell in row[1:])
    assert all("\n".join(lines).count(one) == 1 for one in table.columns[1:])


class Ids(HTMLParser):
    """Collects ids, and checks that every opened element is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value or "" for name, value in attrs if name == "id"]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page(tmp_path: Path) -> None:
    """Ids that two figures share, a colour invisible on a dark page, text that becomes markup."""
    path = write(tmp_path, SMALL)
    text = path.read_text()
    assert [one.name for one in tmp_path.iterdir()] == ["small.html"]
    parser = Ids()
    parser.feed(text)
    assert not parser.open
    assert len(parser.ids) == len(set(parser.ids)) > 2
    used = set(re.findall(r'(?:url\(|href=")#([^")]+)', text))
    assert used and used <= set(parser.ids)
    assert "<small>" not in text and "A &lt;small&gt; report" in text
    assert "#010203" not in text and "currentColor" in text
    assert text == page(SMALL)
    assert body(SMALL) in text and "<html" not in body(SMALL)
    assert "http://" not in re.sub(r'(xmlns(:\w+)?|DTD)="[^"]*"', "", text)


@pytest.mark.parametrize("dots", [True, False])
def test_an_interval_of_shares_is_within_0_and_1(dots: bool) -> None:
    """A band above 1, or below 0."""

    def drawn(half: float, share: bool) -> str:
        line = Line("a", (0.0, 1.0), (0.5, 0.6), (half, half), dots=dots)
        other = Line("b", (0.0, 1.0), (-9.0, 9.0))
        return svg(Figure("", "", "", (line, other), share=share), "x")

    assert drawn(0.2, True) != drawn(2.0, True) == drawn(3.0, True)
    assert drawn(2.0, False) != drawn(3.0, False)


def test_a_legend_covers_no_point() -> None:
    """A legend inside of the axes, where there are points everywhere."""
    names = ("a", "a rather long name of a line", "c")
    corners = (0.0, 1.0, 0.0, 1.0), (0.0, 1.0, 1.0, 0.0)
    lines = tuple(Line(name, *corners, dots=True) for name in names)
    drawn = ElementTree.fromstring(svg(Figure("", "", "", lines), "x"))
    parts = {one.get("id"): one for one in drawn.iter() if one.get("id")}
    assert "x-legend_1" in parts
    assert parts["x-legend_1"] not in list(parts["x-axes_1"].iter())
    alone = ElementTree.fromstring(svg(Figure("", "", "", lines[:1]), "x"))
    assert float(drawn.attrib["height"][:-2]) > float(alone.attrib["height"][:-2])


def test_the_rules_as_printed_are_shown() -> None:
    """A figure of a corrected rule under the printed one's name, or a set that is left out."""
    study = made({web: [100, 101, 102] for web in PRINTED})
    output = " ".join(text(beebot_report.report(study)).split())
    assert "R1 as printed finds more than in the paper: sample. If" in output
    assert "sample R1 949 100 ± 0 2,000 ± 0 2,001" in output
    assert "R2 994 101 ± 2 101 ± 2 2,001" in output
    assert "1 0.60 ± 0.00 1.10 ± 0.00 1.00 ± 0.00" in output
    assert "spbstu and finec 0.60 ± 0.00 0 0.60 ± 0.00 1 0.50 ± 0.00" in output
    assert "the least ratio here is 0.50" in output


@pytest.fixture(scope="module")
def small_study() -> BeeBot:
    """Return Table 2 with two webs of each set and few pages."""
    return beebot.study(range(2), budget=400)


@pytest.mark.long
def test_a_small_study(small_study: BeeBot) -> None:
    """Lines that do not fit the terminal; other figures for the same seeds."""
    output = text(beebot_report.report(small_study))
    assert max(map(len, output.splitlines())) <= 80
    for web, figures in PRINTED.items():
        assert web in output and all(f"{figure:,}" in output for figure in figures)
    again = beebot.study(range(2), 2, budget=400)
    assert again.to_json() == small_study.to_json()
    for web in beebot.TRIED:
        assert small_study.tried(web, "R2")[0] == small_study.ratio(web, "R2,step=20")
        assert small_study.tried(web, "R3", richest=False)[0] == small_study.ratio(
            web, "R3,initial=10"
        )
    assert len(small_study.together("sample", 1)) == 1
    assert len(small_study.together("universities", 0)) == 6
    assert len(small_study.tried("universities", "R2")) == 11
    assert len(small_study.tried("sample", "R2")) == 6
    assert small_study.pages("sample", "R3-printed,initial=10").value == 401


def test_universities_of_both_sets() -> None:
    """An experiment that lets another university begin empty than it names."""
    for web, universities in beebot.TRIED.items():
        sites = [load(web).sites[k].name for k in universities]
        assert sites[:5] == list(beebot.OF_TABLE_1) and set(sites[:5]) >= {
            name for pair in beebot.TOGETHER for name in pair
        }


def test_a_web_with_the_printed_figures_is_as_low_as_the_paper() -> None:
    """A web that has the paper's own ratio, and does not count as one with at most that."""
    study = made({web: [100, 101, 102] for web in PRINTED})
    for name, (r1, r2, _) in PRINTED.items():
        rule = beebot.TIMED[0]
        webs = tuple(replace(web, found=web.found | {"R1": r1, rule: r2 + more})
                     for web, more in zip(study.webs[name], (-1, 0, 1), strict=True))  # fmt: skip
        assert replace(study, webs={name: webs}).as_low(name, rule) == 2


def test_of_the_other_universities_the_richest_begin_empty_first() -> None:
    """An order by the fewest links, or other universities than those that are not in Table 1."""
    found = beebot.crawled(200, ("universities", 0)).together
    rows = rows_of(Planted(ComparisonPlan((), load("universities"), 200), 0), 200)
    others = sorted(range(5, 10), key=lambda site: -int(rows[site].sum()))
    for pair, one in zip(beebot.TOGETHER, found, strict=True):
        order = [*map(beebot.OF_TABLE_1.index, pair), *others]
        every = experiment(rows, beebot.STEP, beebot.INITIAL, 200, order)
        assert one.tolist() == every[len(pair) :].tolist()


def test_studies_by_name() -> None:
    """A name that is missing, exists twice, or is unknown."""
    assert [paper.name for paper in named(["scent", "beebot", "scent"])] == ["scent", "beebot"]
    assert [paper.name for paper in named([])] == list(PAPERS)
    with pytest.raises(CrawlError, match=r"no study 'bebot'; did you mean beebot\?"):
        named(["bebot"])
    with pytest.raises(
        CrawlError, match="there are: beebot, hits, scent, regret, stm, cs2, coverage, freshness"
    ):
        named(["x"])
