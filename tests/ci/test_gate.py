"""The gate: what was expected, what was not, budgets, and the report."""

from __future__ import annotations

import re
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from junitparser import JUnitXml

from counterpoint import show
from counterpoint.ci import gate, registry, report
from counterpoint.ci.gate import Outcome
from counterpoint.ci.jobs_bandit import JOBS as BANDIT
from counterpoint.ci.jobs_crawl import JOBS as CRAWL
from counterpoint.ci.registry import TORN_SNAPSHOT, Job
from counterpoint.models.checking.engines import ENGINES, SEARCHES, Options
from counterpoint.models.loading import load, mutants
from counterpoint.models.prove import second_opinion
from counterpoint.spec.catalogue import MUTANTS
from counterpoint.spec.notation import SpecError

OLD = {"fetch-and-increment": "old"}
PETERSON = Job("peterson", {}, "exhaustive", "It is right.")
EXPECTED = Job("window-stm", OLD, "exhaustive", "It is wrong.", violated=TORN_SNAPSHOT, states=4821)


def outcome(job: Job, seconds: float = 60.0) -> Outcome:
    """Run one job in this process."""
    return gate.run_job(job, time.monotonic() + seconds)


def said(found: Outcome) -> str:
    """Return all surprises as one text."""
    return "\n".join(text for _, text in found.surprises)


def test_what_is_expected_passes() -> None:
    """A gate that calls a known counterexample a failure."""
    found = [outcome(PETERSON), outcome(EXPECTED)]
    assert [o.answer for o in found] == ["as expected"] * 2
    assert gate.exit_code(found) == 0


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
            "there is no property beauty any more",
        ),
        (
            replace(PETERSON, parameters={"first": "turn"}),
            "mutual-exclusion is violated (6 steps); it should hold",
        ),
    ],
)
def test_what_is_not_expected_fails(job: Job, message: str) -> None:
    """If OLD ever passes, or NEW ever breaks, or an exact count moves, and the gate is green."""
    found = outcome(job)
    assert found.answer == "fell"
    assert message in said(found)
    assert gate.exit_code([found]) == 1
    suites = JUnitXml.fromstring(report.junit([found]).encode())
    assert sum(s.failures for s in suites) >= 1


def test_a_gate_of_policies_alone_claims_no_specs() -> None:
    """A gate that says 0 of 0 checks were as expected where no spec was checked."""
    assert report.totals([]) == "no spec was checked"
    assert "no spec was checked" in report.summary([], 1.0)


def test_a_budget_that_is_used_up_is_unknown() -> None:
    """A check that did not run and counts as passed."""
    found = gate.run(budget=0.01, jobs=[PETERSON, EXPECTED], processes=1)
    assert [o.answer for o in found] == ["unknown"] * 2
    assert gate.exit_code(found) == 3
    late = outcome(replace(EXPECTED, parameters={"transactions": "4"}), seconds=0.5)
    assert late.answer == "unknown"
    assert any("time limit" in text for _, text in late.unknown)
    suites = JUnitXml.fromstring(report.junit([late]).encode())
    assert sum(s.errors for s in suites) >= 1
    assert sum(s.failures for s in suites) == 0


SECOND = Job("peterson", {}, "induction", "It is right.", options=Options(second_solver="cvc5"))


def test_what_a_second_solver_says_is_in_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second opinion that the gate asks for and shows nobody."""
    found = outcome(SECOND)
    assert found.answer == "as expected"
    assert found.second == "cvc5 confirms 11 of 11 obligations"
    report.write(tmp_path / "report", [found], 1.0)
    for name in ("index.html", "summary.md"):
        assert f"It is right. {found.second}." in (tmp_path / "report" / name).read_text()
    show.gate([found], "", 1.0)
    assert found.second in capsys.readouterr().out
    assert "--second-solver cvc5" in report.reproduce(found)
    assert outcome(PETERSON).second == ""


def test_a_gate_without_cvc5_says_that_it_was_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A gate that falls where an extra is missing, or speaks of an opinion that nobody gave."""
    monkeypatch.setitem(sys.modules, "cvc5", None)
    found = outcome(SECOND)
    assert found.answer == "as expected"
    assert found.second == "cvc5 was not asked: it is not installed"


def test_a_second_solver_that_decides_little_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Obligations that the second solver no longer reads, and a gate that does not care."""
    monkeypatch.setattr(second_opinion, "ask_cvc5", lambda *_: "unknown")
    found = outcome(SECOND)
    assert found.answer == "unknown"
    assert found.unknown == (
        ("", "cvc5 confirms 0 of 11 obligations, 11 undecided; it should be at least 90%"),
    )
    monkeypatch.setattr(second_opinion, "ask_cvc5", lambda *_: "sat")
    assert "z3 says unsat, and cvc5 says sat" in outcome(SECOND).unknown[0][1]


def test_outcomes_stand_in_the_order_of_the_jobs() -> None:
    """Outcomes that are mixed up when the second job ends first."""
    slow = Job("window-stm", {"objects": "3"}, "exhaustive", "It takes longer.")
    lines: list[str] = []
    found = gate.run(jobs=[slow, PETERSON, EXPECTED], processes=2, tell=lines.append)
    assert [o.job for o in found] == [slow, PETERSON, EXPECTED]
    assert [o.answer for o in found] == ["as expected"] * 3
    assert len(lines) == 3


@pytest.mark.parametrize("job", registry.JOBS, ids=lambda job: job.name)
def test_every_registered_job_makes_sense(job: Job) -> None:
    """A job of the registry that names what is not there."""
    model = load(job.reference, [f"{n}={v}" for n, v in job.parameters.items()])
    names = {p.name for p in model.properties}
    assert {*job.violated, *job.only} <= names
    assert job.engine in ENGINES
    assert job.why.endswith(".")


def test_every_spec_and_engine_is_registered() -> None:
    """A spec or an engine that the gate never runs."""
    from counterpoint.spec.catalogue import SPECS

    assert {j.reference for j in registry.JOBS if "/" not in j.reference} == set(SPECS)
    assert {j.engine for j in registry.JOBS} == set(ENGINES)
    plain = {j.reference for j in registry.JOBS if j.engine == "exhaustive" and not j.parameters}
    assert set(SPECS) <= plain


def test_engines_are_expected_to_agree() -> None:
    """Two jobs that expect different answers of one spec; a crawler that one engine checks."""
    searches = [j for j in registry.JOBS if j.engine in SEARCHES and "/" not in j.reference]
    same: dict[tuple[str, str], list[Job]] = {}
    for job in searches:
        same.setdefault((job.reference, str(dict(job.parameters))), []).append(job)
    for jobs in same.values():
        first, *others = sorted(jobs, key=lambda j: list(ENGINES).index(j.engine))
        for job in others:
            expected = {n: k for n, k in first.violated.items() if not job.only or n in job.only}
            assert set(job.violated) == set(expected), job.name
            assert all(k in (None, expected[n]) for n, k in job.violated.items()), job.name
    crawlers = {j.reference for j in (*CRAWL, *BANDIT)}
    for reference in crawlers:
        engines = [{j.engine for j in jobs} for (r, _), jobs in same.items() if r == reference]
        assert set(SEARCHES) in engines, reference


def test_every_mutant_is_registered() -> None:
    """A mutant that the gate never runs, or whose declaration the gate does not hold it to."""
    jobs = {j.reference: j for j in registry.JOBS if "/" in j.reference and j.violated}
    assert set(jobs) == {f"{of}/{name}" for of in MUTANTS for name in mutants(of)}
    found = [outcome(jobs[f"window-stm/{name}"]) for name in ("locks-in-no-order", "no-validation")]
    assert [o.answer for o in found] == ["as expected"] * 2
    alive = outcome(replace(jobs["window-stm/no-validation"], reference="window-stm"))
    assert alive.answer == "fell"


def test_a_page_for_what_kills_a_mutant_first(tmp_path: Path) -> None:
    """A report of hundreds of pages, or a slash in the name of one."""
    jobs = [j for j in registry.JOBS if j.reference == "window-stm/no-validation"]
    report.write(tmp_path / "report", [outcome(jobs[0])], 1.0)
    pages = {p.name for p in (tmp_path / "report").glob("*.html")}
    assert pages == {"index.html", "01-window-stm-no-validation-exhaustive-tms2.html"}


def test_what_needs_a_larger_budget_is_left_out() -> None:
    """A slow job that takes the time of the others."""
    slow = replace(PETERSON, least_budget=100.0)
    assert [o.job for o in gate.run(budget=99, jobs=[PETERSON, slow], processes=1)] == [PETERSON]
    assert len(gate.run(budget=100, jobs=[PETERSON, slow], processes=1)) == 2
    assert any(j.least_budget > gate.DEFAULT_BUDGET for j in registry.JOBS)


def test_the_report(tmp_path: Path) -> None:
    """A page that is missing or that no link leads to; a report that differs each time."""
    found = [replace(o, seconds=1.0) for o in (outcome(PETERSON), outcome(EXPECTED))]
    found = [replace(o, verdicts=tuple(replace(v, seconds=1.0) for v in o.verdicts)) for o in found]
    folder = tmp_path / "report"
    report.write(folder, found, 2.0)
    files = {p.name: p.read_bytes() for p in folder.iterdir()}
    index = files["index.html"].decode()
    links = set(re.findall(r'href="([^"]+)"', index))
    pages = {name for name in files if re.match(r"\d\d-", name)}
    assert links == pages
    assert len(pages) == len(TORN_SNAPSHOT)
    assert "2 of 2 checks as expected" in index
    assert "| ✓ | peterson · exhaustive |" in files["summary.md"].decode()
    suites = JUnitXml.fromstring(files["junit.xml"])
    assert [(s.failures, s.errors) for s in suites] == [(0, 0)] * 2
    report.write(folder, found, 2.0)
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == files
    assert [p.name for p in tmp_path.iterdir()] == ["report"]


def test_a_foreign_folder_is_left_alone(tmp_path: Path) -> None:
    """A user's folder that the report replaces."""
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").write_text("years of work")
    with pytest.raises(SpecError, match="holds something that is no report"):
        report.write(tmp_path / "thesis", [outcome(PETERSON)], 1.0)
    assert [p.name for p in (tmp_path / "thesis").iterdir()] == ["chapter.tex"]
    assert [p.name for p in tmp_path.iterdir()] == ["thesis"]


def test_a_failure_while_writing_leaves_the_old_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A report of which half is new, or temporary folders left behind."""
    folder = tmp_path / "report"
    report.write(folder, [outcome(PETERSON)], 1.0)
    before = {p.name: p.read_bytes() for p in folder.iterdir()}

    def full(*_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(report, "summary", full)
    with pytest.raises(OSError, match="No space left"):
        report.write(folder, [outcome(EXPECTED)], 1.0)
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before
    assert [p.name for p in tmp_path.iterdir()] == ["report"]
