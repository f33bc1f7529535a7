"""The command line, as a user types it: what it prints, its exit codes, and every error."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from junitparser import JUnitXml

from counterpoint.console import run
from counterpoint.main import COMMANDS
from counterpoint.main import counterpoint as commands

from .starting import ROOT, start

OLD = ("check", "window-stm", "--set", "fetch-and-increment=old")


SPEC = """\
from counterpoint.spec.notation import *


class Mine(Spec):
    items = Index(2, names="p")
    n = Integer(0, 3)

    @action
    def go(s, p):
        require(s.n < 10)
        BODY
"""


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run a command line in this process; return exit code, output, and errors."""
    code = run(commands, list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_old_counterexample(tmp_path: Path) -> None:
    """No counterexample, another exit code than 1, colours in a pipe, or too long lines."""
    process = start(*OLD, cwd=tmp_path)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err == ""
    assert "\x1b" not in out
    assert all(len(line) <= 80 for line in out.splitlines() if "To reproduce" not in line)
    for text in (
        "violated  opacity                    after 13 steps",
        "T0 must precede T1: T0 reads the first x, which T1 overwrites.",
        "T1 must precede T0: T0 reads y from T1.",
        "To reproduce: counterpoint check window-stm --set fetch-and-increment=old",
    ):
        assert text in out
    assert list(tmp_path.iterdir()) == []


def test_the_new_protocol_holds(capsys: pytest.CaptureFixture[str]) -> None:
    """A correct protocol reported as violated, or reported without its bounds."""
    code, out, _ = call(capsys, "check", "window-stm")
    assert code == 0
    assert "4,611 states, 6,826 transitions" in out
    assert "holds     opacity                    all states" in out
    assert "violated" not in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "window-smt"], "there is no spec 'window-smt'; did you mean window-stm?"),
        (["check", ""], "there is no spec ''"),
        (["check", "window-stm", "--set", "tx=2"], "window-stm has no parameter 'tx'"),
        (["check", "window-stm", "--set", "transactions=7"], "a whole number from 1 to 6, not '7'"),
        (["check", "window-stm", "--set", "transactions=-1"], "a whole number from 1 to 6"),
        (["check", "window-stm", "--set", "unlock=never"], "unlock is at-the-end or object-by"),
        (["check", "window-stm", "--set", "programs=w"], "T0 has 'w', which is not an operation"),
        (
            ["check", "window-stm", "--set", "programs=w x; r x", "--set", "transactions=3"],
            "the programs have 2 transactions, not 3",
        ),
        (["check", "window-stm", "--set", "transactions"], "--set takes name=value"),
        (
            ["check", "window-stm", "--set", "objects=1", "--set", "objects=2"],
            "objects is set twice",
        ),
        (["check", "window-stm", "--engine", "spin"], "there is no engine 'spin'"),
        (["check", "window-stm", "--property", "beauty"], "has no property 'beauty'"),
        (["check", "window-stm", "--time-limit", "0"], "--time-limit"),
        (["check", "window-stm", "--time-limit", "nan"], "--time-limit"),
        (["check", "window-stm", "--time-limit", "1e18"], "is more than 1,000,000 seconds"),
        (["check", "window-stm", "--steps", "-1"], "--steps"),
        (["check", "window-stm", "--html", "none/here/x.html"], "there is no folder"),
        (["check", "nowhere.py:X"], "there is no file nowhere.py"),
        (["check"], "Missing argument 'SPEC'"),
        (["frobnicate"], "No such command 'frobnicate'"),
        (["list", "nothing"], "there is no spec 'nothing'"),
        (["replay", "nothing.json"], "No such file"),
        (["gate", "--budget", "0"], "--budget"),
        (["gate", "--budget", "nan"], "--budget"),
    ],
)
def test_a_wrong_command_is_one_clear_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    """A traceback, several lines, silence, or another exit code than 2."""
    code, out, err = call(capsys, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert err.startswith("counterpoint: ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SPEC.replace("BODY", "s.m = 1"), "mine.py:11: in go: mine has no variable 'm'"),
        (SPEC.replace("BODY", "s.n = later"), "mine.py:11: in go: NameError"),
        (SPEC.replace("go(s, p)", "go(s, q)"), "mine.py:8: action go: no index lists the name"),
        (SPEC.replace("Integer(0, 3)", "Integer(3, 0)"), "mine.py:6: Integer(3, 0) is an empty"),
        (SPEC.replace("n = Integer", "name = Integer"), "the name 'name' is already used by Spec"),
        (SPEC.replace("BODY", "return ("), "mine.py:11: "),
        ("import nothing_of_that_name\n", "mine.py:1: ModuleNotFoundError"),
        ("x = 1\n", "defines no spec: it has no class derived from counterpoint.Spec"),
        ("", "mine.py defines no spec"),
        (
            f"{SPEC.replace('BODY', 'pass')}@mutant\nclass Other(Mine): pass\n",
            "mine.py:12: @mutant",
        ),
        (f"{SPEC.replace('BODY', 'pass')}@mutant()\nclass Other(Mine): pass\n", "mine.py:12: @mu"),
    ],
)
def test_a_spec_with_an_error_names_the_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, message: str
) -> None:
    """An error in a user's file without its line, or with lines of our own code."""
    path = tmp_path / "mine.py"
    path.write_text(text)
    code, out, err = call(capsys, "check", str(path))
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_leaving_a_range_is_a_violation_with_its_trace(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A range error without variable and action, or one that ends the program."""
    path = tmp_path / "mine.py"
    path.write_text(SPEC.replace("BODY", "s.n = s.n + 1"))
    code, out, err = call(capsys, "check", f"{path}:Mine", "--engine", "all")
    assert code == 1
    assert err == (
        "counterpoint: --engine all leaves out induction, since the spec has no lemmas or ranks; "
        "--engine induction tries it all the same\n"
        "counterpoint: --engine all leaves out any-number, since the spec has no indices in "
        "any_number; --engine any-number tries it all the same\n"
    )
    assert "n would become 4, outside 0..3, in go(p=0)" in " ".join(out.split())
    line = 1 + path.read_text().partition("s.n = s.n + 1")[0].count("\n")
    assert f"at mine.py:{line}" in " ".join(out.split())


def test_a_limit_gives_an_unknown_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    """A limit that counts as a pass, or that hides a violation found before it."""
    big = ("check", "window-stm", "--set", "transactions=4", "--set", "objects=3")
    code, out, _ = call(capsys, *big, "--time-limit", "0.3")
    assert code == 3
    assert "unknown   opacity                    the time limit of 0.3 s was reached" in out
    code, out, _ = call(capsys, *big, "--memory-limit", "1")
    assert code == 3
    assert "the memory limit of 1 MB was reached" in out


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    """A missing or renamed key on which programs rely."""
    code, out, _ = call(capsys, *OLD, "--format", "json")
    found = {v["property"]: v for v in json.loads(out)}
    assert code == 1
    assert len(found) == 16
    opacity = found["opacity"]
    keys = "spec parameters property engine verdict extent states transitions depth seconds trace"
    assert set(keys.split()) <= opacity.keys()
    assert (opacity["spec"], opacity["engine"]) == ("window-stm", "exhaustive")
    assert opacity["parameters"]["fetch-and-increment"] == "old"
    assert (opacity["verdict"], opacity["depth"], opacity["states"]) == ("violated", 13, 4821)
    assert found["one-owner"]["extent"] == "all states"
    assert found["one-owner"]["trace"] is None
    assert opacity["trace"][0] == {
        "action": "begin",
        "parameters": {"t": "T0"},
        "changes": {"status[T0]": {"from": "NOT_BEGUN", "to": "LIVE"}},
    }
    assert len(opacity["trace"]) == 13


def test_junit(capsys: pytest.CaptureFixture[str]) -> None:
    """XML that a CI server cannot read, or with wrong counts."""
    code, out, _ = call(capsys, *OLD, "--format", "junit")
    suites = JUnitXml.fromstring(out.encode())
    assert code == 1
    assert [(s.tests, s.failures, s.errors) for s in suites] == [(16, 5, 0)]
    failed = {c.name for s in suites for c in s if c.result}
    assert "opacity" in failed
    assert "one-owner" not in failed


def test_github(capsys: pytest.CaptureFixture[str]) -> None:
    """Annotations that a raw newline or a percent sign cuts off."""
    _, out, _ = call(capsys, *OLD, "--format", "github")
    lines = out.strip().splitlines()
    assert len(lines) == 6
    shown = r"::error file=\S+\.py,line=\d+,title=window-stm · exhaustive · [a-z0-9-]+::"
    assert all(re.match(shown, line) for line in lines[:5])
    assert "%0A" in lines[0]
    assert lines[5] == "counterpoint check: 11 of 16 checks as expected, 5 fell"


def test_traces_are_replayed_and_tampering_is_detected(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A recorded trace that is accepted without a replay."""
    _, out, _ = call(capsys, *OLD, "--format", "json")
    path = tmp_path / "old.json"
    path.write_text(out)
    code, output, _ = call(capsys, "replay", str(path))
    assert code == 0
    assert "agrees  window-stm opacity: violated after 13 steps" in output
    records = json.loads(out)
    opacity = next(r for r in records if r["property"] == "opacity")
    opacity["trace"].pop(10)
    path.write_text(json.dumps([opacity]))
    code, output, _ = call(capsys, "replay", str(path))
    assert code == 1
    assert "differs" in output
    for text, message in (("[1, 2", "old.json:1: "), ("[{}]", "entry 1 is not a verdict")):
        path.write_text(text)
        code, _, err = call(capsys, "replay", str(path))
        assert code == 2
        assert message in err


def test_html(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A page that is not written, or that shows something else than the counterexample."""
    path = tmp_path / "old.html"
    code, _, err = call(capsys, *OLD, "--property", "opacity", "--html", str(path))
    assert code == 1
    assert "shows opacity" in err
    assert "T0 reads the first x, which T1 overwrites" in path.read_text()
    assert [p.name for p in tmp_path.iterdir()] == ["old.html"]


def test_help_shows_examples_line_by_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Examples that the help joins into one paragraph."""
    for name in ("", *COMMANDS):
        code, out, _ = call(capsys, *name.split(), "--help")
        assert code == 0
        assert "\\b" not in out
        examples = [line for line in out.splitlines() if "counterpoint " in line]
        assert len(examples) >= 2
        assert all(line.count("counterpoint ") <= 2 for line in examples[1:])
        assert all(re.match(r"  (echo|counterpoint)", line) for line in examples[1:])


def test_replay_as_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A replay without valid JSON, or an exit code that depends on the format."""
    _, out, _ = call(capsys, *OLD, "--format", "json")
    path = tmp_path / "old.json"
    path.write_text(out)
    code, out, _ = call(capsys, "replay", str(path), "--format", "json")
    found = json.loads(out)
    assert (code, {entry["agrees"] for entry in found}) == (0, {True})
    assert "window-stm opacity" in [entry["title"] for entry in found]
    assert {tuple(entry) for entry in found} == {("title", "agrees", "said")}
    path.write_text(path.read_text().replace('"verdict": "violated"', '"verdict": "holds"'))
    assert call(capsys, "replay", str(path), "--format", "json")[0] == 1


def test_lists(capsys: pytest.CaptureFixture[str]) -> None:
    """A spec, an engine, a parameter or a property that the list omits."""
    _, out, _ = call(capsys, "list")
    assert all(n in out for n in ("window-stm", "peterson", "exhaustive", "bounded", "stateful"))
    _, out, _ = call(capsys, "list", "window-stm")
    assert all(n in out for n in ("fetch-and-increment", "opacity", "unlock_all(t)"))
    _, out, _ = call(capsys, "list", "window-stm", "--format", "json")
    assert set(json.loads(out)) == {"parameters", "properties", "actions", "mutants"}


@pytest.mark.parametrize("command", ["list", "check", "replay", "gate", "export"])
def test_help_shows_examples(capsys: pytest.CaptureFixture[str], command: str) -> None:
    """A help text without an example."""
    code, out, _ = call(capsys, command, "--help")
    assert code == 0
    assert f"counterpoint {command}" in out
    examples = [line for line in out.splitlines() if line.startswith(f"  counterpoint {command}")]
    assert len(examples) >= 1
    assert "\\b" not in out


def test_the_spec_in_the_readme(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """An example whose result differs from the README."""
    found = re.search(r"```python [^\n]*\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert found is not None
    path = tmp_path / "counter.py"
    path.write_text(found[1])
    code, out, _ = call(capsys, "check", str(path), "--engine", "all", "--format", "json")
    lost = [v for v in json.loads(out) if v["property"] == "nothing-is-lost"]
    assert code == 1
    assert [(v["verdict"], v["depth"]) for v in lost] == [("violated", 4)] * 3


def test_a_spec_imports_modules_of_its_folder(tmp_path: Path) -> None:
    """A module of the user that is not found, or one of ours with the same name in its place."""
    (tmp_path / "models.py").write_text("LARGEST = 2\n")
    (tmp_path / "mine.py").write_text(
        "from counterpoint import Integer, Spec, action, invariant, require\n"
        "from models import LARGEST\n"
        "class Stairs(Spec):\n"
        "    step = Integer(0, 3)\n"
        "    @action\n"
        "    def up(s):\n"
        "        require(s.step < 3)\n"
        "        s.step = s.step + 1\n"
        "    @invariant\n"
        "    def not_too_high(s):\n"
        "        return s.step <= LARGEST\n"
    )
    process = start("check", "mine.py", cwd=tmp_path)
    out, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (1, "")
    assert "not-too-high" in out
    process = start("check", "theirs/mine.py", cwd=tmp_path)
    _, errors = process.communicate(timeout=60)
    why = f"counterpoint: there is no file theirs/mine.py in {tmp_path}\n"
    assert (process.returncode, errors) == (2, why)
