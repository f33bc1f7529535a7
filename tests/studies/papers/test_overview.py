"""All studies with one command: kept results, the table of claims, pages."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from counterpoint.console import run
from counterpoint.crawler.errors import CrawlError
from counterpoint.main import counterpoint
from counterpoint.studies.papers import kept, overview
from counterpoint.studies.papers import papers as registry
from counterpoint.studies.papers.elsewhere import ELSEWHERE, OPEN
from counterpoint.studies.papers.overview import Row, markdown, rows
from counterpoint.studies.papers.papers import PAPERS, Paper, named
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
)

ROW = Row("[X]", "so | so", "<1>", "2", REPRODUCED, "counterpoint papers hits", "a reason")


def report(name: str = "hits") -> Report:
    """Return a report with a part of each kind."""
    line = Line("R3", (1.0, 10.0), (1.0, 2.0), (0.1, 0.2), colour=2)
    figure = Figure("Up", "steps", "regret", (line,), (("98%", 0.98),), "x", places=("a", "b"))
    section = Section("Part", ("text",), (Table(("a", "b"), (("1", "2"),), "note"),), (figure,),
                      ablation=True)  # fmt: skip
    findings = (Finding("c", "1", "2", IN_PART, "why"), Finding("<d>", "1|2", "2", NOT_REPRODUCED))
    return Report(name, "A title", "Somebody", "3 seeds", findings, (section,), "counterpoint x")


@dataclass
class Done:
    """A study that took no time."""

    def to_json(self) -> dict[str, Any]:
        """Return its figures."""
        return {"figure": 1.5}


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let studies take no time; return the names of those that ran."""
    ran: list[str] = []

    def study(self: Paper, *_: object) -> Done:
        ran.append(self.name)
        return Done()

    monkeypatch.setattr(registry.Paper, "study", study)
    monkeypatch.setattr(registry.Paper, "report", lambda self, _: report(self.name))
    return ran


def test_a_kept_report_is_the_same(tmp_path: Path) -> None:
    """A tuple that becomes a list, or a part that is lost."""
    kept.save(tmp_path / "new", "hits", 3, report(), {9: 1, 10: 2})
    assert kept.load(tmp_path / "new", "hits", 3) == (report(), {"9": 1, "10": 2})
    kept.save(tmp_path, "hits", 3, report(), {"a": 1})
    assert kept.load(tmp_path, "hits", 3) == (report(), {"a": 1})
    assert kept.load(tmp_path, "hits", 4) is None
    assert kept.load(tmp_path, "scent", 3) is None


def test_a_kept_report_keeps_what_fell(tmp_path: Path) -> None:
    """Catches a second run that takes a failed result from the folder and ends with 0."""
    fallen = replace(report(), fell=("a claim", "another"))
    kept.save(tmp_path, "hits", 3, fallen, {})
    assert kept.load(tmp_path, "hits", 3) == (fallen, {})


def test_a_claim_that_fell_is_the_exit_code(
    runs: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """Catches a script that goes on after a claim fell, in a new run, a kept one, or JSON."""
    monkeypatch.setattr(
        registry.Paper, "report",
        lambda self, _: replace(report(self.name), fell=("it fell",) * (self.name == "stm")),
    )  # fmt: skip
    keep = ["--keep", str(tmp_path / "kept"), "--html", str(tmp_path / "pages")]
    assert run(counterpoint, ["papers", "hits"]) == 0
    assert "does not hold" not in capsys.readouterr().out
    assert run(counterpoint, ["papers", "stm", "hits", *keep]) == 1
    assert "\ndoes not hold: it fell\n" in capsys.readouterr().out
    assert "Does not hold: it fell." in (tmp_path / "pages" / "stm.html").read_text("utf-8")
    assert "Does not hold" not in (tmp_path / "pages" / "hits.html").read_text("utf-8")
    assert run(counterpoint, ["papers", "stm", *keep[:2], "--format", "json"]) == 1
    assert runs == ["hits", "stm", "hits"]


def test_results_of_another_version_are_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Figures of code that has changed since."""
    kept.save(tmp_path, "hits", 3, report(), {})
    monkeypatch.setattr(kept, "version", lambda: "another")
    assert kept.load(tmp_path, "hits", 3) is None


def test_the_version_is_that_of_all_code_profiles_and_tables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A kept result that is used again although a rule or a profile has changed."""
    read: list[str] = []
    unpatched = Path.read_bytes

    def noted(self: Path) -> bytes:
        read.append(self.as_posix())
        return unpatched(self)

    monkeypatch.setattr(Path, "read_bytes", noted)
    assert kept.version.__wrapped__() == kept.version()
    for file in (
        "compiling.py", "studies/papers/hits.py", "sim_web/profiles/editions.toml",
        "crawler/schedulers/scent.py", "studies/papers/table2/stored/corrected.txt",
    ):  # fmt: skip
        assert any(one.endswith(f"/{file}") for one in read), file


@pytest.mark.parametrize("wrong", [b"", b"[]", b"{}", b'{"version": 1', b"\xff", b"null"])
def test_a_file_that_is_no_result(wrong: bytes, tmp_path: Path) -> None:
    """A traceback, or a foreign file that is overwritten."""
    (tmp_path / "hits-3-seeds.json").write_bytes(wrong)
    with pytest.raises(
        CrawlError, match=r"hits-3-seeds\.json: is not the result of a study.*delete it"
    ):
        kept.load(tmp_path, "hits", 3)


def test_a_result_whose_report_is_damaged(tmp_path: Path) -> None:
    """A report that is shown without its findings."""
    kept.save(tmp_path, "hits", 3, report(), {})
    held = json.loads((tmp_path / "hits-3-seeds.json").read_text("utf-8"))
    del held["report"]["findings"]
    (tmp_path / "hits-3-seeds.json").write_text(json.dumps(held), "utf-8")
    with pytest.raises(CrawlError, match="was changed after it was written"):
        kept.load(tmp_path, "hits", 3)
    del held["report"]
    (tmp_path / "hits-3-seeds.json").write_text(json.dumps(held), "utf-8")
    with pytest.raises(CrawlError, match="parts are missing"):
        kept.load(tmp_path, "hits", 3)


def test_a_result_that_was_changed(tmp_path: Path) -> None:
    """A figure that somebody has edited, and is printed as if it had been measured."""
    kept.save(tmp_path, "hits", 3, report(), {"a": 1})
    path = tmp_path / "hits-3-seeds.json"
    path.write_text(path.read_text("utf-8").replace('"a": 1', '"a": 2'), "utf-8")
    with pytest.raises(CrawlError, match=r"json: was changed after it was written; delete it"):
        kept.load(tmp_path, "hits", 3)


def test_an_interruption_says_what_was_saved(
    runs: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """A message that nothing was written, or an empty folder where nothing was."""
    study = registry.Paper.study

    def interrupted(self: Paper, *given: object) -> Any:
        if self.name == last:
            raise KeyboardInterrupt
        return study(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(registry.Paper, "study", interrupted)
    keep, last = tmp_path / "kept", "hits"
    arguments = ["papers", "hits", "scent", "--keep", str(keep)]
    assert run(counterpoint, arguments) == 130
    assert capsys.readouterr().err.strip() == "counterpoint: interrupted; nothing was written"
    assert not keep.exists()
    last = "scent"
    assert run(counterpoint, arguments) == 130
    said = f"counterpoint: interrupted; {keep} has the results of hits"
    assert capsys.readouterr().err.strip() == said
    last = ""
    assert run(counterpoint, arguments) == 0
    said = f"hits: from {keep / 'hits-30-seeds.json'}\n"
    assert capsys.readouterr().err == said and runs == ["hits", "scent"]


def test_finished_studies_are_not_repeated(
    runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An interruption after which all studies begin again."""
    keep = str(tmp_path / "kept")
    assert run(counterpoint, ["papers", "hits", "scent", "--keep", keep]) == 0
    assert run(counterpoint, ["papers", "all", "--keep", keep, "--format", "json"]) == 0
    assert runs == ["hits", "scent", *(name for name in PAPERS if name not in ("hits", "scent"))]
    output = capsys.readouterr().out
    assert json.loads(output[output.index("{") :]) == {name: {"figure": 1.5} for name in PAPERS}
    assert run(counterpoint, ["papers", "hits", "--keep", keep, "--seeds", "5"]) == 0
    assert run(counterpoint, ["papers", "hits", "--keep", keep]) == 0
    assert runs[len(PAPERS) :] == ["hits"]


def test_a_result_belongs_to_the_code_before_the_study(
    runs: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A result of old code, which is used again since the code changed while the study ran."""
    asked: list[int] = []
    monkeypatch.setattr(kept, "version", lambda: asked.append(len(runs)) or "of the files")
    assert run(counterpoint, ["papers", "hits", "--keep", str(tmp_path)]) == 0
    assert runs == ["hits"] and asked[0] == 0


def test_a_damaged_result_is_found_before_the_first_study(
    runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run of hours that ends with an error which was there at its beginning."""
    (tmp_path / "scent-2-seeds.json").write_bytes(b"{")
    args = ["papers", "hits", "scent", "--keep", str(tmp_path), "--seeds", "2"]
    assert run(counterpoint, args) == 2
    assert not runs and "scent-2-seeds.json: is not" in capsys.readouterr().err


def test_all_is_every_study_once() -> None:
    """A study that runs twice because it is named, too."""
    assert [one.name for one in named(["all"])] == list(PAPERS)
    assert [one.name for one in named(["scent", "all"])] == list(PAPERS)
    with pytest.raises(CrawlError, match="no study 'alll'"):
        named(["alll"])


def test_the_table_has_each_claim(
    runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A claim that is left out, or a bar that makes another column."""
    table, html = tmp_path / "t.md", tmp_path / "pages"
    arguments = ["papers", "all", "--seeds", "2", "--table", str(table), "--html", str(html)]
    assert run(counterpoint, arguments) == 0
    output = capsys.readouterr().out
    claims = 2 * len(PAPERS) + len(ELSEWHERE)
    counted = [int(number) for number in re.findall(r"\d+", output.rpartition("in all: ")[2])]
    assert sum(counted) == claims
    lines = table.read_text("utf-8").splitlines()
    rows = [line for line in lines if line.startswith("| ") and "| Claim |" not in line]
    assert len(rows) == claims and {line.count("|") for line in rows} == {6}
    assert "`counterpoint papers all --seeds 2`" in lines[2]
    assert "| c. *why* | 1 | 2 | in part | `counterpoint papers hits` |" in rows
    assert {path.stem for path in html.iterdir()} == {"index", *PAPERS}
    assert run(counterpoint, arguments) == 2  # both exist
    assert "t.md" in capsys.readouterr().err


class Cells(HTMLParser):
    """Collects the text of all cells, and the targets of links."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.links: list[str | None] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "td":
            self.cells.append("")
        self._inside = self._inside or tag == "td"
        if tag == "a":
            self.links.append(dict(attrs)["href"])

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != "td"

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.cells[-1] += data


def test_the_index_page(tmp_path: Path) -> None:
    """Markup of a claim that reaches the page, or a report that nothing leads to."""
    path = overview.write_index(tmp_path, [ROW], [report()])
    found = Cells()
    found.feed(path.read_text("utf-8"))
    assert found.cells == ["so | soa reason", "<1>", "2", REPRODUCED, "counterpoint papers hits"]
    assert found.links == ["hits.html"]


def test_summaries_name_every_answer() -> None:
    """An answer that is counted as another one."""
    table = [ROW, ROW, ROW._replace(answer=OPEN), ROW._replace(answer=IN_PART)]
    assert overview.summary(table) == "2 reproduced, 1 in part, 1 not built"
    assert overview.text(table).splitlines() == [
        "All claims",
        "  [X]  2 reproduced, 1 in part, 1 not built",
        "  in all: 2 reproduced, 1 in part, 1 not built",
    ]


def test_some_studies_alone_say_nothing_of_other_claims() -> None:
    """A table of one study that calls all others not built."""
    assert [row.claim for row in rows([report()])] == ["c", "<d>"]
    assert len(rows([report(name) for name in PAPERS])) == 2 * len(PAPERS) + len(ELSEWHERE)


def test_all_claims_of_a_paper_stand_together() -> None:
    """Claims of a paper in several places, in the order in which the studies were named."""
    papers = [row.paper for row in rows([report(name) for name in reversed(PAPERS)])]
    assert [paper for paper, _ in groupby(papers)] == list(dict.fromkeys(papers))
    some = [row.paper for row in rows([report("scent"), report("beebot"), report("scent")])]
    assert some == [*["[BeeBot]"] * 2, *["[SCENT]"] * 4]


def test_commands_and_pages_of_the_table() -> None:
    """A link that leads nowhere from the folder of the page, or a command that looks like text."""
    row = ROW._replace(
        shown_by="counterpoint papers hits; docs/how-to/check-a-crawl-rule.md; no copy has it"
    )
    (line,) = [one for one in markdown([row], "x").splitlines() if "no copy" in one]
    assert line.endswith(
        "| `counterpoint papers hits`; [check a crawl rule](../how-to/check-a-crawl-rule.md); "
        "no copy has it |"
    )
