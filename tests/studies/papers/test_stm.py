"""The study of the window protocol: what its engines answer, and what its report says of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from counterpoint.studies.papers import stm
from counterpoint.studies.papers.report import NOT_REPRODUCED, REPRODUCED, text
from counterpoint.studies.papers.stm import OLD, Answer, Lemma
from counterpoint.studies.papers.stm_report import report

from .made_stm import made


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
