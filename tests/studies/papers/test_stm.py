"""The study of the window protocol: what its engines answer, and what its report says of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from counterpoint.histories.recording.survey import Surveyed
from counterpoint.models.loading import load
from counterpoint.models.sweeps.readings import ReadingsRow, ReadingsStudy
from counterpoint.models.sweeps.results import ModelOutcome
from counterpoint.studies.papers import stm, stm_code
from counterpoint.studies.papers.report import ANSWERED, NOT_REPRODUCED, REPRODUCED, text
from counterpoint.studies.papers.stm import OLD, Answer, Kept, Lemma
from counterpoint.studies.papers.stm_code import PUBLISHED
from counterpoint.studies.papers.stm_report import report
from tests.needs import need

from .made_stm import COUNTS, driven, made


@pytest.mark.long
def test_induction_finds_false_lemmas_with_the_old_value() -> None:
    """Catches a report that calls a false lemma a violation of opacity, or hides it."""
    found = stm._asked("induction", [OLD])
    assert (found.answer, found.steps) == ("unknown", None)
    assert found.lemmas == (
        Lemma("updates-follow-what-they-saw", 5, "fetch_and_increment", 1, 1),
        Lemma("readers-precede-what-is-to-come", 7, "fetch_and_increment", 2, 1),
    )


@pytest.mark.long
def test_any_number_proves_the_new_value() -> None:
    """Catches a proof that is asked for fixed bounds only."""
    found = stm._asked("any-number", [])
    assert found.answer == "holds" and not found.lemmas
    assert found.reach == "every step, any number of transactions and objects"


def test_an_engine_without_lemmas_reports_none() -> None:
    """Catches the violated property itself among the false lemmas."""
    found = stm._asked("exhaustive", [OLD])
    assert (found.answer, found.steps, found.lemmas) == ("violated", 13, ())


def test_the_report_tells_a_false_lemma_from_a_violation() -> None:
    """Catches an engine that proves among those that found a violation."""
    made_report = report(made())
    (first, *_) = made_report.findings
    assert first.answer == REPRODUCED
    assert "induction: unknown, false lemmas: a-lemma after 5 steps" in first.here
    assert "induction after" not in first.here
    page = " ".join(text(made_report).split())
    assert "any-number proves opacity with the new value: reach of any-number." in page
    assert "old, induction unknown" in page and "a-lemma 5 publish 1 x 1" in page


def test_a_proof_of_the_old_value_is_no_reproduction() -> None:
    """Catches a proof of what runs refute, which would go unseen."""
    (first, *_) = report(made(unproved=Answer("induction", "holds", None, "", 0.1))).findings
    assert (first.answer, first.why) == (NOT_REPRODUCED, "induction proves it")


def test_an_engine_that_misses_the_old_value_is_named() -> None:
    """Catches a finding that holds by the other engines."""
    answers = made().broken
    missed = (*answers[:-1], replace(answers[-1], answer="holds", reach="6,000 runs"))
    (first, *_) = report(made(broken=missed)).findings
    assert first.answer == NOT_REPRODUCED and first.why == "stateful: holds, 6,000 runs"


def row(old: ModelOutcome, new: ModelOutcome, **choices: str) -> ReadingsRow:
    """Return a combination of readings."""
    return ReadingsRow(choices, old, new)


def test_opacity_is_counted_by_each_value() -> None:
    """Catches a count that mixes both clock values, or takes what is undecided for kept."""
    right, late = ModelOutcome({}, 1), ModelOutcome({}, 1, "the time limit was reached")
    wrong, other = ModelOutcome({"opacity": 3}, 1), ModelOutcome({"tms2": 3}, 1)
    rows = (row(wrong, right, a="x", b="p"), row(right, wrong, a="y", b="p"),
            row(late, other, a="x", b="q"))  # fmt: skip
    model, claim = load(stm.SPEC), load(stm.SPEC).spec.published_claim
    assert claim is not None
    choices = {"a": ("x", "y"), "b": ("p", "q")}
    varied = ReadingsStudy(model, claim, (), choices, rows, 6, 6, 0, 0.0)
    assert stm._kept(varied) == (
        Kept("", "", 3, 1, 2), Kept("a", "x", 2, 0, 2), Kept("a", "y", 1, 1, 0),
        Kept("b", "p", 2, 1, 1), Kept("b", "q", 1, 0, 1),
    )  # fmt: skip


def test_the_report_shows_each_value_under_both_clock_values() -> None:
    """Catches a table of totals only, from which nobody sees what decides."""
    page = " ".join(text(report(made())).split())
    assert "all 1 of 4 3 of 4 recheck=never 0 of 2 0 of 2" in page


@pytest.mark.parametrize(("compiler", "said"), [
    ("no-such-compiler", "needs a C compiler"), ("'", "$CC is not a command"),
])  # fmt: skip
def test_without_a_compiler_nothing_in_c_is_asked(
    compiler: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Catches a study that asks for gcc alone, or ends with a traceback, where $CC is wrong."""
    monkeypatch.setenv("CC", compiler)
    monkeypatch.setattr(stm, "installed", lambda *_: "")
    nothing: Any = None
    assert stm_code.driven("window-c", nothing).missing.startswith(said)
    assert stm._no_spin().startswith(said)


def test_without_spin_its_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Catches a study that fails without Spin."""
    monkeypatch.setenv("PATH", "")
    assert stm._no_spin() == "needs the Debian package spin"


def broken(name: str, version: str = "gcc 12.2.0") -> Surveyed:
    """Return a memory that breaks its promise in one of three histories."""
    return Surveyed(name, version, ("tms2",), 3, violated=Counter({"tms2": 1}))


NEW = made().clean
FALLEN = [
    ({"broken": (Answer("Spin", "holds", None, "", 0.1),)}, "Spin answers holds with the old"),
    ({"unproved": Answer("induction", "holds", None, "", 0.1)}, "induction proves opacity"),
    ({"clean": (replace(NEW[0], answer="violated"),)}, "exhaustive answers violated with the new"),
    ({"driven": (driven(agrees=19),)}, "window follows the counterexample 19 of 20 times only"),
    ({"driven": (driven(why=""),)}, "window follows the counterexample with the new value, too"),
    ({"driven": (driven(explored=COUNTS | {"faults": 2}),)}, "window has 2 schedules"),
    ({"driven": (driven(control=0),)}, "window shows no fault with the old value"),
    ({"real": (broken("libitm:serial", "gcc 13.1.0"),)}, "libitm:serial breaks its promise"),
    ({"real": (broken("window-c"),)}, "window-c breaks its promise of tms2 in 1 of 3 histories"),
]
"""Figures in which one claim falls, and what is said of it."""


@pytest.mark.parametrize(("figures", "said"), FALLEN)
def test_each_claim_that_falls_is_said(figures: dict[str, Any], said: str) -> None:
    """Catches an exit code of 0 although a claim fell."""
    study = made(**figures)
    (sentence,) = study.fell()
    assert sentence.startswith(said)
    assert report(study).fell == (sentence,) and study.to_json()["fell"] == [sentence]


def test_nothing_falls_if_all_is_as_expected() -> None:
    """Catches an exit code of 1 for what is missing, or for a fault that is planted or known."""
    expected = tuple(
        broken(name) for name in ("faulty", PUBLISHED, "libitm:serial", "libitm:gl_wt")
    )
    missing = driven(code="window-c", agrees=0, missing="no gcc")
    study = made(real=expected, absent={"sqlite": "needs it"}, driven=(driven(), missing))
    assert study.fell() == () and report(study).fell == ()
    page = text(report(study))
    assert "Not recorded: sqlite: needs it." in page and "1*" in page


@pytest.mark.parametrize("violated", [0, 2])
def test_the_count_under_load_is_reported_whatever_it_is(violated: int) -> None:
    """Catches a load that shows nothing and is left out, or calls the study wrong."""
    one = Surveyed(PUBLISHED, "1", ("tms2",), 3, violated=Counter({"opacity": violated}))
    study = made(real=(one,))
    finding = report(study).findings[-1]
    assert f"{PUBLISHED}: {violated} of 3 histories" in finding.here
    assert finding.answer == ANSWERED and not study.fell()
    assert report(made()).findings[-1].claim != finding.claim  # it was not recorded


def test_the_published_code_is_recorded_beside_the_corrected_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Catches a control that runs the corrected code, or another load than it."""
    need("gcc")
    names = ("window-c",)
    monkeypatch.setattr(stm_code, "SUBJECTS", dict.fromkeys(names))
    monkeypatch.setattr(stm_code, "SECONDS", 0.01)
    found, absent = stm_code.recorded(0, None)
    assert [one.name for one in found] == ["window-c", PUBLISHED] and not absent
    assert [one.version for one in found] == ["window-c", "window-c fetch_and_increment=old"]
    assert all(one.histories == 2 for one in found) and not found[0].broken_in()


@pytest.mark.long
def test_a_real_load_shows_the_old_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """Catches a load under which transactions do not meet, so that nothing could be seen."""
    need("gcc")
    monkeypatch.setattr(stm_code, "SUBJECTS", {})
    ((one,), _) = stm_code.recorded(0, None)
    assert one.violated["opacity"] > 0
