"""Time limits of the second solver."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from counterpoint.models.checking import engines
from counterpoint.models.checking.engines import Options
from counterpoint.models.limits import Limits
from counterpoint.models.loading import load
from counterpoint.models.prove import second_opinion
from counterpoint.models.symbolic.obligations import Obligation

from .test_second_opinion import opinion

HARD = """\
(set-logic QF_BV)
(declare-fun a () (_ BitVec 80))
(declare-fun b () (_ BitVec 80))
(assert (bvult a #x00000000010000000000))
(assert (bvult b #x00000000010000000000))
(assert (bvugt a #x00000000000000000001))
(assert (bvugt b #x00000000000000000001))
(assert (= (bvmul a b) #x0000ffffffffffffffc5))
(check-sat)
"""


@pytest.mark.long
def test_an_obligation_takes_no_longer_than_it_may(tmp_path: Path) -> None:
    """A check that hangs in the second solver."""
    path = tmp_path / "hard.smt2"
    path.write_text(HARD, encoding="utf-8")
    begun = time.monotonic()
    assert second_opinion.ask_cvc5(path, 0.5, {}) == "unknown"
    assert second_opinion.ask_cvc5(path, 0.5, {"bitblast": "eager"}) == "unknown"
    hard = Obligation("hard", "unsat", frozenset({"quantifiers"}), path)
    assert second_opinion.opinion([hard] * 3, "cvc5", Limits(1)).undecided == ("hard",) * 3
    assert time.monotonic() - begun < 10


@pytest.mark.long
def test_the_time_limit_holds_for_both_solvers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof of z3 that is lost because the second solver is slow."""
    given = []

    def slow(_: Path, seconds: float, __: object) -> str:
        given.append(seconds)
        time.sleep(seconds)
        return "unknown"

    monkeypatch.setattr(second_opinion, "ask_cvc5", slow)
    model = load("peterson")
    begun = time.monotonic()
    verdicts = engines.check(model, "induction", Limits(3), options=Options(second_solver="cvc5"))
    assert time.monotonic() - begun < 5
    assert {v.answer for v in verdicts} == {"holds"}
    assert max(given) <= 3
    result = opinion(verdicts)
    assert (result.confirmed, len(result.undecided)) == (0, result.asked)
    assert verdicts[0].seconds >= sum(given)
