"""The gate: expected and unexpected results, budgets, and the report."""

from __future__ import annotations

import re
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from junitparser import JUnitXml

from counterpoint import show
from counterpoint.ci import gate, registered, reports
from counterpoint.ci.converting import of_check
from counterpoint.ci.gate import JobOutcome
from counterpoint.ci.job import Job
from counterpoint.ci.outcome import exit_code
from counterpoint.ci.reports import writing
from counterpoint.models.checking.engines import ENGINES, SEARCHES, Options
from counterpoint.models.loading import load, mutants
from counterpoint.models.prove import second_opinion
from counterpoint.spec.catalogue import MUTANTS, SPECS
from counterpoint.spec.notation import SpecError

JOBS = registered.jobs()

TORN_SNAPSHOT = {
    "serializability": 14,
    "strict-serializability": 14,
    "virtual-world-consistency": 13,
    "opacity": 13,
    "tms2": 13,
}
"""A reader that has read one old and one new value: the reader's commit is the 14th step."""

OLD = {"fetch-and-increment": "old"}
PETERSON = Job("peterson", {}, "exhaustive", "It is right.")
EXPECTED = Job("window-stm", OLD, "exhaustive", "It is wrong.", violated=TORN_SNAPSHOT, states=4821)


def outcome(job: Job, seconds: float = 60.0) -> JobOutcome:
    """Run one job in this process."""
    return gate.run_job(job, time.monotonic() + seconds)


def surprises(found: JobOutcome) -> str:
    """Return all unexpected results as one text."""
    return "\n".join(text for _, text in found.surprises)


def test_expected_results_pass() -> None:
    """A gate that reports a known counterexample as a failure."""
    found = [outcome(PETERSON), outcome(EXPECTED)]
    assert [o.answer for o in found] == ["as expected"] * 2
    assert exit_code(found) == 0


@pytest.mark.long
@pytest.mark.parametrize(
    ("job", "message"),
    [
        (replace(EXPECTED, parameters={}), "opacity holds (all states); it should be violated"),
        (replace(EXPECTED, violated={}), "opacity is violated (13 steps); it should hold"),
        (
            replace(EXPECTED, violated={**TORN_SNAPSHOT, "opacity": 12}),
            "opacity is violated after 13 steps; it should be after 12",
        ),
        (replace(EXPECTED, states=4822), "4,821 reachable states; there should be 4,822"),
        (
            replace(EXPECTED, violated={**TORN_SNAPSHOT, "beauty": 3}),
            "the spec has no property beauty",
        ),
        (
            replace(PETERSON, parameters={"first": "turn"}),
            "mutual-exclusion is violated (6 steps); it should hold",
        ),
    ],
)
def test_unexpected_results_fail(job: Job, message: str) -> None:
    """A gate that passes although OLD holds, NEW is violated, or an exact count has changed."""
    found = outcome(job)
    assert found.answer == "fell"
    assert message in surprises(found)
    assert exit_code([found]) == 1
    suites = JUnitXml.fromstring(reports.junit([of_check(found)]).encode())
    assert sum(s.failures for s in suites) >= 1


def test_a_gate_without_specs_does_not_count_checks() -> None:
    """A gate that reports "0 of 0 checks were as expected" where no spec was checked."""
    assert reports.totals([]) == "nothing was checked"


def test_an_exhausted_budget_is_unknown() -> None:
    """A check that did not finish and counts as passed."""
    found = gate.run(budget=0.01, jobs=[PETERSON, EXPECTED], processes=1)
    assert [o.answer for o in found] == ["unknown"] * 2
    assert exit_code(found) == 3
    late = outcome(replace(EXPECTED, parameters={"transactions": "4"}), seconds=0.5)
    assert late.answer == "unknown"
    assert any("time limit" in text for _, text in late.unknown)
    suites = JUnitXml.fromstring(reports.junit([of_check(late)]).encode())
    assert sum(s.errors for s in suites) >= 1
    assert sum(s.failures for s in suites) == 0


SECOND = Job("peterson", {}, "induction", "It is right.", options=Options(second_solver="cvc5"))


def test_the_report_shows_the_second_opinion(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second opinion that the gate asks for and does not show."""
    found = outcome(SECOND)
    assert found.answer == "as expected"
    assert found.second == "cvc5 confirms 11 of 11 obligations"
    reports.write(tmp_path / "report", [of_check(found)], 1.0)
    for name in ("index.html", "summary.md"):
        assert f"It is right. {found.second}." in (tmp_path / "report" / name).read_text()
    show.gate([of_check(found)], "", 1.0)
    assert found.second in capsys.readouterr().out
    assert "--second-solver cvc5" in of_check(found).again
    assert outcome(PETERSON).second == ""


def test_a_gate_without_cvc5_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """A gate that fails without the extra, or that reports an opinion nobody gave."""
    monkeypatch.setitem(sys.modules, "cvc5", None)
    found = outcome(SECOND)
    assert found.answer == "as expected"
    assert found.second == "cvc5 was not used: it is not installed"


def test_a_second_solver_that_decides_little_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A gate that passes although the second solver decides fewer obligations than before."""
    monkeypatch.setattr(second_opinion, "ask_cvc5", lambda *_: "unknown")
    found = outcome(SECOND)
    assert found.answer == "unknown"
    assert found.unknown == (
        ("", "cvc5 confirms 0 of 11 obligations, 11 undecided; it should be at least 90%"),
    )
    monkeypatch.setattr(second_opinion, "ask_cvc5", lambda *_: "sat")
    assert "z3 says unsat, and cvc5 says sat" in outcome(SECOND).unknown[0][1]


def test_outcomes_are_in_the_order_of_the_jobs() -> None:
    """Outcomes that are exchanged when the second job ends first."""
    slow = Job("window-stm", {"objects": "3"}, "exhaustive", "It takes longer.")
    lines: list[str] = []
    found = gate.run(240, jobs=[slow, PETERSON, EXPECTED], processes=2, tell=lines.append)
    assert [o.job for o in found] == [slow, PETERSON, EXPECTED]
    assert [o.answer for o in found] == ["as expected"] * 3
    assert len(lines) == 3


@pytest.mark.long
@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
def test_every_registered_job_can_be_loaded(job: Job) -> None:
    """A job of the configuration that names a missing spec, engine or property."""
    model = load(job.reference, [f"{n}={v}" for n, v in job.parameters.items()])
    names = {p.name for p in model.all_properties}
    assert {*job.violated, *job.only} <= names
    assert job.engine in ENGINES
    assert job.why.endswith(".")


def test_every_spec_and_engine_is_registered() -> None:
    """A spec or an engine that the gate never runs."""
    assert {j.reference for j in JOBS if "/" not in j.reference} == set(SPECS)
    assert {j.engine for j in JOBS} == set(ENGINES)
    plain = {j.reference for j in JOBS if j.engine == "exhaustive" and not j.parameters}
    assert set(SPECS) <= plain


def test_engines_are_expected_to_agree() -> None:
    """Two jobs that expect different answers of one spec; a crawler that one engine checks."""
    searches = [j for j in JOBS if j.engine in SEARCHES and "/" not in j.reference]
    same: dict[tuple[str, str], list[Job]] = {}
    for job in searches:
        same.setdefault((job.reference, str(dict(job.parameters))), []).append(job)
    for jobs in same.values():
        first, *others = sorted(jobs, key=lambda j: list(ENGINES).index(j.engine))
        for job in others:
            expected = {n: k for n, k in first.violated.items() if not job.only or n in job.only}
            assert set(job.violated) == set(expected), job.name
            assert all(k in (None, expected[n]) for n, k in job.violated.items()), job.name
    crawlers = {name for name, module in SPECS.items() if ".spec.crawl." in module}
    assert len(crawlers) == 16
    for reference in crawlers:
        engines = [{j.engine for j in jobs} for (r, _), jobs in same.items() if r == reference]
        assert set(SEARCHES) in engines, reference


def test_every_mutant_is_registered() -> None:
    """A mutant that the gate never runs, or whose declared killers it does not check."""
    jobs = {j.reference: j for j in JOBS if "/" in j.reference and j.violated}
    assert set(jobs) == {f"{of}/{name}" for of in MUTANTS for name in mutants(of)}
    found = [outcome(jobs[f"window-stm/{name}"]) for name in ("locks-in-no-order", "no-validation")]
    assert [o.answer for o in found] == ["as expected"] * 2
    alive = outcome(replace(jobs["window-stm/no-validation"], reference="window-stm"))
    assert alive.answer == "fell"


def test_a_mutant_has_one_page_in_the_report(tmp_path: Path) -> None:
    """A report with hundreds of pages, or a file name that contains a slash."""
    jobs = [j for j in JOBS if j.reference == "window-stm/no-validation"]
    reports.write(tmp_path / "report", [of_check(outcome(jobs[0]))], 1.0)
    pages = {p.name for p in (tmp_path / "report").glob("*.html")}
    assert pages == {"index.html", "01-window-stm-no-validation-exhaustive-tms2.html"}


def test_slow_jobs_are_left_out_of_small_budgets() -> None:
    """A slow job that uses up the time of the other jobs."""
    slow = replace(PETERSON, least_budget=100.0)
    assert [o.job for o in gate.run(budget=99, jobs=[PETERSON, slow], processes=1)] == [PETERSON]
    assert len(gate.run(budget=100, jobs=[PETERSON, slow], processes=1)) == 2
    assert any(j.least_budget > 240 for j in JOBS)


def test_the_report(tmp_path: Path) -> None:
    """A page that is missing or that no link leads to; a report that differs each time."""
    found = [replace(o, seconds=1.0) for o in (outcome(PETERSON), outcome(EXPECTED))]
    found = [replace(o, verdicts=tuple(replace(v, seconds=1.0) for v in o.verdicts)) for o in found]
    folder = tmp_path / "report"
    reports.write(folder, list(map(of_check, found)), 2.0)
    files = {p.name: p.read_bytes() for p in folder.iterdir()}
    index = files["index.html"].decode()
    links = set(re.findall(r'href="([^"]+)"', index))
    pages = {name for name in files if re.match(r"\d\d-", name)}
    others = {"junit.xml", "results.json", "results.sarif", "summary.md"}
    assert {link for link in links if link[0] != "#"} == pages | others
    assert len(pages) == len(TORN_SNAPSHOT)
    assert "2 of 2 checks as expected" in index
    assert "| peterson · exhaustive | It is right. | 1.0 |" in files["summary.md"].decode()
    suites = JUnitXml.fromstring(files["junit.xml"])
    assert [(s.failures, s.errors) for s in suites] == [(0, 0)] * 2
    reports.write(folder, list(map(of_check, found)), 2.0)
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == files
    assert [p.name for p in tmp_path.iterdir()] == ["report"]


def test_a_folder_without_a_report_is_not_replaced(tmp_path: Path) -> None:
    """A folder of the user that the report replaces."""
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").write_text("years of work")
    with pytest.raises(SpecError, match="contains files that are no report"):
        reports.write(tmp_path / "thesis", [of_check(outcome(PETERSON))], 1.0)
    assert [p.name for p in (tmp_path / "thesis").iterdir()] == ["chapter.tex"]
    assert [p.name for p in tmp_path.iterdir()] == ["thesis"]


def test_a_failure_while_writing_leaves_the_old_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A report that is half new, or temporary folders that remain."""
    folder = tmp_path / "report"
    reports.write(folder, [of_check(outcome(PETERSON))], 1.0)
    before = {p.name: p.read_bytes() for p in folder.iterdir()}

    def full(*_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing, "summary", full)
    with pytest.raises(OSError, match="No space left"):
        reports.write(folder, [of_check(outcome(EXPECTED))], 1.0)
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before
    assert [p.name for p in tmp_path.iterdir()] == ["report"]
