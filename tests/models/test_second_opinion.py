"""Obligations as files, and a second solver's answers to them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import z3

from counterpoint.models.checking import engines
from counterpoint.models.checking.engines import Options
from counterpoint.models.limits import Limits
from counterpoint.models.loading import load
from counterpoint.models.present.formats import command
from counterpoint.models.prove import second_opinion
from counterpoint.models.prove.second_opinion import Opinion
from counterpoint.models.symbolic import smtlib
from counterpoint.models.symbolic.obligations import FIRST_LINE
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import SpecError
from tests.counterpoint.test_command_line import call

LOCK = """\
from counterpoint.spec.notation import *


class Lock(Spec):
    \"\"\"A lock that any number of processes take.\"\"\"

    any_number = ("forall",)
    forall = Index(2, names="p q")
    mod = Array(forall, Boolean())
    zähler = Integer(0, 5, grows=True)

    @action
    def let(s, p):
        require(not some(s.mod[q] for q in s.forall))
        s.mod[p], s.zähler = True, s.zähler + 1

    @action
    def exit(s, p):
        require(s.mod[p])
        s.mod[p] = False

    @lemma
    def one_holder(s):
        return every(
            implies(s.mod[p], implies(s.mod[q], p == q)) for p in s.forall for q in s.forall
        )

    @invariant
    def nothing_below_zero(s):
        return s.zähler >= 0

    @invariant
    def never_two(s):
        return every(
            implies(s.mod[p], implies(p != q, ite(s.mod[q], False, True)))
            for p in s.forall
            for q in s.forall
        )
"""
"""A spec whose names are words of SMT-LIB, or contain letters that are not in ASCII."""


PAIR = """\
from counterpoint.spec.notation import *


class Pair(Spec):
    \"\"\"One number follows another, so that none leaves its range.\"\"\"

    low = Integer(0, 5)
    high = Integer(0, 5)

    @action
    def rise(s):
        require(s.low + s.low < s.high + s.low)
        s.low = s.low + 1

    @action
    def lead(s):
        require(s.high < 5)
        s.high = s.high + 1

    @invariant
    def in_order(s):
        return s.low <= s.high
"""


SMALL = (
    ("peterson", "induction", ()),
    ("peterson", "bounded", ("first=turn",)),
    ("philosophers", "bounded", ("philosophers=3",)),
    ("philosophers", "induction", ("philosophers=2",)),
    ("pair.py", "bounded", ()),
    ("lock.py", "induction", ()),
    ("lock.py", "any-number", ()),
)
"""Specs, engines and parameters; the specs named "pair" need z3 while they are read."""


LEFT_OUT = Opinion("cvc5", 3, 1, undecided=("a", "b"))


def found(name: str, engine: str, settings: tuple[str, ...], **asked: Any) -> list[Verdict]:
    """Return the verdicts of one engine on a spec, with a low bound on the steps."""
    options = Options(**{"steps": 3, **asked})
    return engines.check(load(name, settings), engine, Limits(60), options=options)


def opinion(verdicts: list[Verdict]) -> Opinion:
    """Return the second opinion, which is the same in all verdicts."""
    assert verdicts[0].second is not None
    assert all(v.second == verdicts[0].second for v in verdicts)
    return verdicts[0].second


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The present folder, with a spec of a user in it."""
    (tmp_path / "lock.py").write_text(LOCK, encoding="utf-8")
    (tmp_path / "pair.py").write_text(PAIR, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("name", "engine", "settings"), SMALL)
def test_files_have_the_answer_that_they_state(
    name: str, engine: str, settings: tuple[str, ...], here: Path
) -> None:
    """A file that another solver cannot read, or whose question differs from that to z3."""
    verdicts = found(name, engine, settings, smtlib=here / "asked", second_solver="cvc5")
    result = opinion(verdicts)
    files = sorted((here / "asked").iterdir())
    assert len(files) == result.asked == result.confirmed > 0
    assert result.undecided == result.contradicted == ()
    for path in files:
        text = path.read_text(encoding="utf-8")
        status = "unsat" if "(set-info :status unsat)" in text else "sat"
        assert second_opinion.ask_cvc5(path, 10, {}) in (status, "unknown")
        solver = z3.Solver()
        solver.from_file(str(path))
        assert str(solver.check()) == status


@pytest.mark.long
@pytest.mark.parametrize(("name", "engine", "settings"), SMALL)
def test_recording_changes_no_verdict(
    name: str, engine: str, settings: tuple[str, ...], here: Path
) -> None:
    """A proof that is lost or gained because the questions are recorded."""
    plain = {v.claim.name: (v.answer, v.reason) for v in found(name, engine, settings)}
    result = found(name, engine, settings, second_solver="cvc5")
    assert {v.claim.name: (v.answer, v.reason) for v in result} == plain


@pytest.mark.long
def test_every_engine_that_asks_z3_records_it(here: Path) -> None:
    """A claim that holds without a recorded obligation, or engines that overwrite each other's."""
    verdicts = found("lock.py", "all", (), smtlib=here / "asked", second_solver="cvc5")
    names = sorted(p.name for p in (here / "asked").iterdir())
    for engine in ("bounded", "induction", "any-number"):
        mine = [n for n in names if f"-{engine}-" in n]
        result = next(v.second for v in verdicts if v.engine == engine)
        assert result is not None
        assert len(mine) == result.asked >= 3
    assert {v.second for v in verdicts if v.engine in ("exhaustive", "stateful")} == {None}
    assert all("--second-solver" not in command(v) for v in verdicts if v.second is None)
    assert [n[:5] for n in names] == [f"{i:05}" for i in range(1, len(names) + 1)]


def test_a_file_says_what_it_is(here: Path) -> None:
    """A file that does not name its spec and claim, or a parameter that starts a new line."""
    found("philosophers", "bounded", ("philosophers=3",), smtlib=here / "asked")
    path = here / "asked" / "00001-bounded-step-0-4-properties.smt2"
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == FIRST_LINE
    assert "; spec: philosophers" in lines
    assert any(x.startswith("; parameters: ") and "philosophers=3" in x for x in lines)
    assert "; obligation: bounded/step-0/4-properties" in lines
    assert "(set-info :status unsat)" in lines
    assert "(set-logic QF_BV)" in lines
    assert all(x.startswith((";", "(")) for x in lines)


def test_the_same_bytes_twice(here: Path) -> None:
    """Files that differ from run to run, so that they cannot be compared."""
    texts = []
    for _ in range(2):
        for name, engine, settings in SMALL:
            found(name, engine, settings, smtlib=here / "asked")
            texts.append({p.name: p.read_bytes() for p in (here / "asked").iterdir()})
    assert texts[: len(SMALL)] == texts[len(SMALL) :]


# A solver with a wrong answer


def lying(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make z3 answer that no step violates anything."""
    true = z3.Solver.check

    def check(self: z3.Solver, *asked: Any) -> Any:
        answer = true(self, *asked)
        return z3.unsat if answer == z3.sat and (asked or self.num_scopes()) else answer

    monkeypatch.setattr(z3.Solver, "check", check)


@pytest.mark.parametrize("engine", ["induction", "bounded"])
def test_a_wrong_answer_of_z3_is_noticed(
    engine: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A claim that holds because of a wrong answer of z3, despite a second solver."""
    lying(monkeypatch)
    asked = ("check", "philosophers", "--engine", engine, "--steps", "10",
             "--property", "no-deadlock", "--set", "philosophers=2")  # fmt: skip
    code, out, _ = call(capsys, *asked)
    assert code == 0
    assert "holds" in out
    code, out, _ = call(capsys, *asked, "--second-solver", "cvc5", "--format", "json")
    assert code == 3
    [verdict] = json.loads(out)
    assert verdict["verdict"] == "unknown"
    first, *more = verdict["second_solver"]["contradicted"]
    assert first.endswith("z3 says unsat, and cvc5 says sat")
    assert first.startswith(f"{engine}/")
    assert "no-deadlock" in first
    assert verdict["reason"].startswith(first)
    assert ("more are contradicted" in verdict["reason"]) == bool(more)


def test_a_wrong_text_is_noticed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A contradiction caused by the printed text, shown as a proof."""
    monkeypatch.setattr(
        smtlib, "script", lambda *given, true=smtlib.script: true(given[0][:1], *given[1:])
    )
    code, out, err = call(capsys, "check", "peterson", "--engine", "induction",
                          "--second-solver", "cvc5")  # fmt: skip
    assert code == 3
    assert err == ""
    assert "contradicted" in out
    assert "z3 says unsat, and cvc5 says sat" in " ".join(out.split())
    assert "holds" not in out


def test_a_contradiction_leaves_what_a_run_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A confirmed counterexample withdrawn because z3 and cvc5 disagree elsewhere."""
    monkeypatch.setattr(second_opinion, "ask_cvc5", lambda *_: "sat")
    verdicts = found("philosophers", "bounded", ("philosophers=2",), steps=6, second_solver="cvc5")
    answers = {v.claim.name: v.answer for v in verdicts}
    assert (answers.pop("no-deadlock"), answers.pop("somebody-eats")) == ("violated", "holds")
    assert set(answers.values()) == {"unknown"}
    assert len(opinion(verdicts).contradicted) > 1


def test_a_wrong_sat_is_noticed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that is possible only according to z3."""
    monkeypatch.setattr(second_opinion, "ask_cvc5", lambda *_: "unsat")
    verdicts = found("philosophers", "induction", ("philosophers=2",), second_solver="cvc5")
    assert any("z3 says sat, and cvc5 says unsat" in c for c in opinion(verdicts).contradicted)


# Undecided obligations


def test_what_is_not_decided_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A missing answer or an error of the second solver, counted as a confirmation."""
    answers = iter(["unknown", "an error: no memory"])
    monkeypatch.setattr(second_opinion, "ask_cvc5", lambda *_: next(answers, "unsat"))
    asked = ("check", "peterson", "--engine", "induction", "--second-solver", "cvc5")
    _, out, _ = call(capsys, *asked, "--format", "json")
    verdicts = json.loads(out)
    result = verdicts[0]["second_solver"]
    assert all(v["second_solver"] == result for v in verdicts)
    assert result["name"] == "cvc5"
    assert result["obligations"] == result["confirmed"] + len(result["undecided"]) + len(
        result["contradicted"]
    )
    assert len(result["undecided"]) == 2
    assert result["undecided"][1].endswith("(an error: no memory)")
    assert result["undecided"][0].startswith("induction/peterson/")
    note = (
        f"cvc5 confirms {result['confirmed']} of {result['obligations']} obligations, 2 undecided"
    )
    assert any(n.startswith(note) for n in verdicts[0]["notes"])


def test_the_report_says_how_many(capsys: pytest.CaptureFixture[str]) -> None:
    """A report that does not mention the second opinion."""
    code, out, err = call(capsys, "check", "peterson", "--engine", "induction",
                          "--second-solver", "cvc5")  # fmt: skip
    assert (code, err) == (0, "")
    assert "cvc5 confirms 11 of 11 obligations" in " ".join(out.split())
    assert Opinion("cvc5", 0, 0).note == "cvc5 was not asked, since z3 decided no obligation"
    assert LEFT_OUT.note == "cvc5 confirms 1 of 3 obligations, 2 undecided"


# Refused options


def test_without_cvc5_it_says_how_to_get_it(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A traceback where cvc5 is not installed, or files deleted before that is noticed."""
    asked = ("check", "peterson", "--engine", "induction", "--smtlib", "asked")
    assert call(capsys, *asked)[0] == 0
    before = sorted((here / "asked").iterdir())
    monkeypatch.setitem(sys.modules, "cvc5", None)
    code, out, err = call(capsys, *asked, "--second-solver", "cvc5")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "pip install 'counterpoint[cvc5]'" in err
    assert sorted((here / "asked").iterdir()) == before
    assert call(capsys, *asked)[0] == 0


@pytest.mark.parametrize("option", [("--smtlib", "asked"), ("--second-solver", "cvc5")])
@pytest.mark.parametrize("engine", ["exhaustive", "stateful"])
def test_engines_that_ask_no_solver_are_refused(
    option: tuple[str, str], engine: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An option without effect, which a user takes for a second opinion."""
    code, out, err = call(capsys, "check", "peterson", "--engine", engine, *option)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"{option[0]}: the engine {engine} does not ask a solver" in err
    assert "bounded, induction, any-number" in err
    assert not (here / "asked").exists()


@pytest.mark.parametrize("option", [("--smtlib", "asked"), ("--second-solver", "cvc5")])
@pytest.mark.parametrize("of", [("peterson", "--mutants"), ("--all",)])
def test_many_checks_at_once_take_neither(
    option: tuple[str, str], of: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """An option that is accepted and ignored."""
    code, _, err = call(capsys, "check", *of, *option)
    assert code == 2
    assert err.count("\n") == 1


def test_another_solver_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown name of a solver that is imported as a module."""
    assert call(capsys, "check", "peterson", "--second-solver", "os")[0] == 2
    with pytest.raises(SpecError, match="there is no 'os'"):
        found("peterson", "induction", (), second_solver="os")


def test_the_command_to_reproduce_asks_both(here: Path) -> None:
    """A command to reproduce that does not show the contradiction."""
    verdicts = found("peterson", "induction", (), smtlib=here / "asked", second_solver="cvc5")
    assert command(verdicts[0]).endswith("--engine induction --steps 3 --second-solver cvc5")


# The window protocol


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "settings", "number"),
    [
        ("any-number", (), 436),
        ("induction", (), 138),
        ("induction", ("transactions=4", "objects=3"), 290),
    ],
)
def test_cvc5_confirms_the_proofs_of_the_window(
    engine: str, settings: tuple[str, ...], number: int
) -> None:
    """A proof that rests on an error of z3, or obligations that only z3 can decide."""
    result = opinion(engines.check(load("window-stm", settings), engine, options=Options(
        second_solver="cvc5")))  # fmt: skip
    assert (result.asked, result.confirmed, result.contradicted) == (number, number, ())
