"""Mutants: each is killed as declared and can be named like a spec; wrong ones are refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from counterpoint.console import run
from counterpoint.main import counterpoint as commands
from counterpoint.models.checking import engines
from counterpoint.models.checking.engines import Options
from counterpoint.models.limits import Limits
from counterpoint.models.loading import load
from counterpoint.models.sweeps.mutants import (
    exit_code,
    trial,
    trials,
)  # fmt: skip
from counterpoint.models.verdict import replay
from counterpoint.spec.notation import SpecError, mutant
from counterpoint.spec.stm.window import Window

USER = '''
from counterpoint.spec.notation import *


class Counter(Spec):
    """Processes add one."""

    processes = Index(2, names="p")
    most = Number(3, at_most=9)
    n = Integer(0, 4)

    @action
    def add(s, p):
        """Add."""
        require(s.n < s.most)
        s.n = s.n + 1

    @invariant
    def small(s):
        """At most three."""
        return s.n <= 3


@mutant(readings={"most": 4}, killed={"small": 4})
class AddsTooMuch(Counter):
    """Counts up to four."""


@mutant(killed={"small": 3})
class Elsewhere(Counter):
    """It adds as it should."""

    @action
    def add(s, p):
        """Add."""
        super().add(p)
'''


def test_a_mutant_in_another_engine() -> None:
    """Another engine that misses a mutant, or finds a violation shorter than the shortest."""
    model = load("window-stm/locks-in-no-order")
    claim = model.property_named("no-deadlock")
    for engine, exact in (("bounded", True), ("stateful", False)):
        verdict = engines.check(model, engine, wanted=[claim], options=Options(steps=8))[0]
        assert verdict.trace is not None
        assert replay(model, verdict.trace.steps) == verdict.trace
        assert verdict.depth == 8 if exact else (verdict.depth or 0) >= 8


def test_a_mutant_keeps_its_reading() -> None:
    """A mutant that ``--set`` turns back into the right spec."""
    with pytest.raises(SpecError, match="readers-wait is always no, not 'yes'"):
        load("window-stm/reader-does-not-wait", ["readers-wait=yes"])
    assert load("window-stm/reader-does-not-wait", ["readers-wait=no"]).changed_parameters() == {}


@pytest.mark.parametrize(
    ("given", "body", "message"),
    [
        ({"killed": {"opacity": 3}}, {}, "it does not differ from window-stm"),
        ({"killed": {}, "readings": {"unlock": "object-by-object"}}, {}, "at least one property"),
        ({"killed": {"opacity": 3}, "readings": {"colour": "red"}}, {}, "no parameter 'colour'"),
        ({"killed": {"opacity": 3}, "readings": {"unlock": "never"}}, {}, "unlock is at-the-end"),
    ],
)
def test_a_mutant_that_is_none(
    given: dict[str, object], body: dict[str, object], message: str
) -> None:
    """A declaration of a mutant that makes no sense and is accepted."""
    with pytest.raises(SpecError, match=message):
        mutant(**given)(type("Slip", (Window,), body))  # type: ignore[arg-type]


def test_differences_are_told() -> None:
    """A table that reports success although the results differ from the declarations."""
    limits, options = Limits(), Options()
    (good,) = trial("window-stm", "exhaustive", limits, options, "locks-in-no-order")
    assert good.surprises == ()
    wrong = replace(good, declared={"no-deadlock": 9, "opacity": 3, "beauty": 1})
    assert wrong.surprises == (
        "no-deadlock is violated after 8 steps; it is declared to be after 9 steps",
        "opacity holds; it is declared to be violated",
        "the spec has no property beauty",
    )
    early = replace(good, at={"transactions": 2})
    assert early.surprises == (
        "no-deadlock is violated at the default bounds; it should survive them",
    )
    alive = replace(good, default=good.default[:2], verdicts=good.verdicts[:2], engine="bounded")
    assert (alive.answer, alive.surprises) == ("survives", ("no property detected it",))
    assert exit_code([good, wrong]) == 1
    late = trial("window-stm", "exhaustive", Limits(1e-6), options, "locks-in-no-order")
    assert [t.answer for t in late] == ["unknown"]
    assert exit_code(late) == 3


def test_mutants_of_a_users_spec(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Mutants that work only for the specs of the repository."""
    path = tmp_path / "mine.py"
    path.write_text(USER)
    assert run(commands, ["check", str(path)]) == 0
    assert run(commands, ["check", f"{path}:Counter/adds-too-much"]) == 1
    assert "counter/adds-too-much: processes=2, most=4" in capsys.readouterr().out
    assert run(commands, ["check", str(path), "--mutants", "--processes", "1"]) == 1
    out = capsys.readouterr().out
    assert "1 of 2 mutants are killed as declared" in out
    assert "! small holds; it is declared to be violated" in out
    assert f"To reproduce: counterpoint check {path}/elsewhere" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["window-stm/reader-does-not-wai"], "did you mean reader-does-not-wait?"),
        (
            [
                "window-stm/",
            ],
            "window-stm has no mutant ''; there are: fetch-and-increment-",
        ),
        (["peterson/x"], "peterson has no mutant 'x'; it has none"),
        (["peterson", "--mutants"], "peterson has no mutants"),
        (["window-stm", "--mutants", "--set", "objects=3"], "--mutants checks every property"),
        (["window-stm", "--mutants", "--engine", "spin"], "there is no engine 'spin'"),
        (["window-stm", "--mutants", "--processes", "0"], "--processes"),
    ],
)
def test_wrong_commands(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    """A wrong command answered by a traceback or by several lines."""
    assert run(commands, ["check", *arguments]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert (captured.out, captured.err.count("\n")) == ("", 1)


def test_formats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A format that --mutants does not support, or that contradicts the text output."""
    path = tmp_path / "mine.py"
    path.write_text(USER)
    base = ["check", str(path), "--mutants", "--processes", "1", "--format"]
    assert run(commands, [*base, "json"]) == 1
    records = json.loads(capsys.readouterr().out)
    assert {(r["mutant"], r["as_declared"]) for r in records} == {
        ("adds-too-much", True), ("elsewhere", False),
    }  # fmt: skip
    assert run(commands, [*base, "junit"]) == 1
    assert 'tests="2" failures="1" errors="0"' in capsys.readouterr().out
    assert run(commands, [*base, "github"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::notice", "::error"]


HARMLESS = """
from counterpoint import Integer, Spec, action, invariant, mutant, require

class Climb(Spec):
    \"\"\"It violates its own property.\"\"\"
    at = Integer(0, 3)

    @action
    def up(s):
        require(s.at < 3)
        s.at = s.at + 1

    @invariant
    def low(s):
        return s.at < 2

@mutant(killed={"low": 2})
class Same(Climb):
    \"\"\"It changes nothing.\"\"\"

    @action
    def up(s):
        require(s.at < 3)
        s.at = s.at + 1
"""


@pytest.mark.parametrize("engine", ["exhaustive", "bounded"])
def test_what_the_spec_violates_itself_kills_nothing(engine: str, tmp_path: Path) -> None:
    """A mutant that counts as killed, although the spec without the fault fails the same way."""
    path = tmp_path / "climb.py"
    path.write_text(HARMLESS)
    (found,) = trials(f"{path}:Climb", engine)
    assert (found.answer, found.shared, found.kills) == ("survives", ("low",), [])
    assert found.surprises[0] == "low is violated by the spec without the fault as well"
