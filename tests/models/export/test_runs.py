"""Counterexamples for other tools: ITF, Mermaid, and a pytest file that replays one."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from counterpoint.models.checking.engines import check
from counterpoint.models.checking.replaying import ends_so
from counterpoint.models.export import FORMATS, ExportRequest, UndecidedExport
from counterpoint.models.export.itf import itf
from counterpoint.models.export.mermaid import sequence
from counterpoint.models.export.regression import regression
from counterpoint.models.limits import Limits
from counterpoint.models.loading import load
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import Model, SpecError
from counterpoint.spec.stm.window import Window

from .odd import Odd

ROOT = Path(__file__).resolve().parents[3]


def violation(model: Model, name: str) -> Verdict:
    """Return the exhaustive engine's verdict on one property."""
    return check(model, wanted=[model.property_named(name)])[0]


def concrete(value: Any) -> Any:
    """Return the value that a trace-format value stands for, as `Model.show_value` has it."""
    if isinstance(value, dict):
        if "#bigint" in value:
            return int(value["#bigint"])
        if "#tup" in value:
            return tuple(value["#tup"])
        return {concrete(key): concrete(of) for key, of in value["#map"]}
    return value


@pytest.mark.parametrize(
    ("model", "name"),
    [(Model(Window(fetch_and_increment="old")), "opacity"), (Model(Odd()), "zero")],
)
def test_itf_has_every_state_of_the_run(model: Model, name: str) -> None:
    """A missing state, variable or index, or a wrong value."""
    found = violation(model, name)
    assert found.trace is not None
    written = json.loads(itf(found))
    assert written["#meta"]["format"] == "ITF"
    assert name in written["#meta"]["description"]
    assert written["vars"] == list(model.spec.declared_variables)
    assert len(written["states"]) == len(found.trace.states)
    for i, (state, values) in enumerate(zip(written["states"], found.trace.states, strict=True)):
        assert state.pop("#meta")["index"] == i
        assert list(state) == written["vars"]
        read = {}
        for variable, value in state.items():
            inner = concrete(value)
            entries = inner.items() if isinstance(inner, dict) else [((), inner)]
            for key, of in entries:
                labels = key if isinstance(key, tuple) else (key,)
                inside = f"[{', '.join(labels)}]" if labels else ""
                read[f"{variable}{inside}"] = of
        shown = zip(model.cells, values, strict=True)
        assert read == {c.label: model.show_value(c, v) for c, v in shown}


def test_itf_says_which_step_leaves_a_range() -> None:
    """A trace that ends before the step that leaves the range and does not mention it."""
    written = json.loads(itf(violation(Model(Odd()), "ranges")))
    assert written["#meta"]["last-step"].startswith("end_it(p=")
    assert "last-step" not in json.loads(itf(violation(Model(Odd()), "zero")))["#meta"]


def test_sequence_has_every_step_in_its_lane() -> None:
    """A step that is missing, in the wrong lane, or in the wrong order."""
    found = violation(Model(Window(fetch_and_increment="old")), "opacity")
    lines = sequence(found).splitlines()
    assert lines[0] == "sequenceDiagram"
    steps = [re.fullmatch(r"    L(\d)->>L\1: (\w+)(\(\w\))?", line) for line in lines]
    assert found.trace is not None
    taken = [(int(m[1]), m[2]) for m in steps if m]
    assert taken == [(s.binding[0], s.action) for s in found.trace.steps]
    assert "No order of T0, T1 allows both." in lines[-1]


STATEMENTS = (
    r"sequenceDiagram",
    r"    autonumber",
    r"    participant L\d as [^;]*",
    r"    L\d->>L\d: [^;]*",
    r"    Note (right of|over) L\d(,L\d)?: [^;]*",
)


def test_sequence_escapes_what_ends_a_statement() -> None:
    """A label whose semicolon, hash or quote cuts off the rest of the diagram."""
    text = sequence(violation(Model(Odd()), "zero"))
    plain = re.sub(r"#(\d+|quot|lt|gt);", "_", text)
    assert '"' not in plain
    for line in plain.splitlines():
        assert any(re.fullmatch(form, line) for form in STATEMENTS), line
    assert "start: end[end]=" in text


SPEC = """\
from counterpoint.spec.notation import *

class Mine(Spec):
    n = Integer(0, 3)
    m = Integer(0, 3, initially=ANY)

    @action
    def up(s):
        require(s.n < LIMIT)
        s.n = s.n + 1

    @invariant
    def small(s):
        return s.n < 2

    @sometimes
    def two(s):
        return s.n == 2
"""


def run_pytest(folder: Path) -> str:
    """Run the generated test as a user would, and return pytest's last line."""
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "none.ini",
         "--rootdir", str(folder), "test_mine.py"],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": "", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=60,
    )  # fmt: skip
    return result.stdout.strip().splitlines()[-1]


def write(folder: Path, limit: int) -> None:
    """Write the spec with or without its error."""
    (folder / "mine.py").write_text(SPEC.replace("LIMIT", str(limit)))


@pytest.mark.long
def test_the_generated_test_fails_until_the_spec_is_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A regression test that passes on the wrong spec, or fails on the corrected one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # two versions within one second
    (tmp_path / "none.ini").write_text("[pytest]\n")
    write(tmp_path, 3)
    found = violation(load("mine.py"), "small")
    (tmp_path / "test_mine.py").write_text(regression(found))
    assert run_pytest(tmp_path).startswith("1 failed")
    write(tmp_path, 1)
    assert run_pytest(tmp_path).startswith("1 passed")
    (tmp_path / "test_mine.py").write_text(regression(found, still=True))
    assert run_pytest(tmp_path).startswith("1 failed")
    write(tmp_path, 3)
    assert run_pytest(tmp_path).startswith("1 passed")


@pytest.mark.parametrize("model", [Model(Window(fetch_and_increment="old")), Model(Odd())])
def test_generated_tests_do_what_their_names_say(model: Model) -> None:
    """A kind of property, or a label, that the generated code gets wrong."""
    for found in check(model):
        if found.trace is None:
            continue
        text = regression(found)
        assert text.count('"""') == 2
        space: dict[str, Any] = {}
        exec(compile(text, "generated", "exec"), space)
        run, start = space["RUN"], space["INITIAL"]
        assert ends_so(model, found.claim.name, run, start)
        shorter = ends_so(model, found.claim.name, run[:-1], start)
        assert not shorter or found.claim.kind == "sometimes"
        tests = [name for name in space if name.startswith("test_")]
        witness = found.claim.kind == "sometimes"
        assert [("reaches" in t, "does_not_violate" in t) for t in tests] == [
            (witness, not witness)
        ]


def test_a_run_that_is_not_possible_any_more_violates_nothing() -> None:
    """A corrected spec reported as broken, or a spec that lost the action reported as corrected."""
    found = violation(Model(Window(fetch_and_increment="old")), "opacity")
    assert found.trace is not None
    new = Model(Window())
    run = [(s.action, new.show_binding(s)) for s in found.trace.steps]
    assert not ends_so(new, "opacity", run)
    with pytest.raises(SpecError, match="has no action 'ends'"):
        ends_so(new, "opacity", [("ends", {})])
    with pytest.raises(SpecError, match="has no property 'beauty'"):
        ends_so(new, "beauty", run)
    with pytest.raises(SpecError, match="not have the recorded initial state"):
        ends_so(new, "opacity", run, {"clock": 1})


RUNS = ("itf", "mermaid", "pytest")


@pytest.mark.parametrize("form", RUNS)
def test_there_must_be_a_run(form: str) -> None:
    """An empty file where no property is violated, or a wrong reason where it is unknown."""
    write = FORMATS[form].write
    new = Model(Window())
    claim = new.property_named("opacity")
    with pytest.raises(SpecError, match=r"no run violates opacity, .*--property all-commit"):
        write(ExportRequest(new, [claim]))
    big = Model(Window(transactions=4))
    with pytest.raises(UndecidedExport, match="time limit"):
        write(ExportRequest(big, [big.property_named("opacity")], Limits(seconds=0.2)))
    assert "all-commit" in write(ExportRequest(new, [new.property_named("all-commit")]))
