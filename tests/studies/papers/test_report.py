"""Reports as text and as pages."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from counterpoint.crawler.errors import CrawlError
from counterpoint.studies.papers import beebot, beebot_report
from counterpoint.studies.papers.beebot import PRINTED, BeeBot, BeeBotWeb
from counterpoint.studies.papers.drawing import svg
from counterpoint.studies.papers.page import body, page, write
from counterpoint.studies.papers.papers import PAPERS, named
from counterpoint.studies.papers.report import (
    IN_PART,
    NOT_REPRODUCED,
    REPRODUCED,
    Figure,
    Finding,
    Line,
    Report,
    Section,
    Table,
    text,
)
from counterpoint.studies.papers.starvation import Starvation

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


def made(r2: dict[str, list[int]]) -> BeeBot:
    """Return a study in which R1 found 100 links on each web, and R2 a given number."""

    def run(web: str, number: int) -> BeeBotWeb:
        found = {
            rule: 100 if rule == "R1" else number if rule.startswith("R2")
            else round(100 * beebot.printed_ratio(web, rule))
            for rule in beebot.RULES
        }  # fmt: skip
        none = {n: Starvation(0, 0.0, False) for n in beebot.STEPS}
        richest, poorest = np.array([[10, 10], [10, 5]]), np.array([[10, 10], [10, 9]])
        return BeeBotWeb(found, none, richest, poorest)

    return BeeBot(range(3), 2000, {w: tuple(run(w, x) for x in r2[w]) for w in PRINTED})


def test_findings_say_what_was_found() -> None:
    """A ratio that is wrongly called the paper's, or the reverse."""
    study = made({"institutes": [190, 196, 202], "universities": [110, 111, 112],
                  "sample": [90, 91, 140]})  # fmt: skip
    answers = {one.claim: one.answer for one in beebot_report.report(study).findings}
    assert answers["R2/R1 on institutes"] == REPRODUCED
    assert answers["R2/R1 on universities"] == NOT_REPRODUCED
    assert answers["R2/R1 on sample"] == REPRODUCED  # a wide interval contains 1.05
    assert study.as_low("institutes", "R2,step=20") == 1
    why = next(
        f.why for f in beebot_report.report(study).findings if f.claim == "R2/R1 on universities"
    )
    assert "no web of 3 has a ratio as low" in why and "falls to 0.58 when the 1 richest" in why


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
    assert small_study.tried(True)[0] == small_study.ratio("universities", "R2,step=20")


def test_studies_by_name() -> None:
    """A name that is missing, exists twice, or is unknown."""
    assert [paper.name for paper in named(["scent", "beebot", "scent"])] == ["scent", "beebot"]
    assert [paper.name for paper in named([])] == list(PAPERS)
    with pytest.raises(CrawlError, match=r"no study 'bebot'; did you mean beebot\?"):
        named(["bebot"])
    with pytest.raises(
        CrawlError, match="there are: beebot, hits, scent, regret, coverage, freshness"
    ):
        named(["x"])
