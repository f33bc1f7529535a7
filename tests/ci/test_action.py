"""The action for GitHub and the hook for pre-commit: their form, and what their steps do."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from counterpoint.commands.gate import gate
from counterpoint.main import counterpoint

from .runner import ROOT, Runner, action

VENV = Path(sys.executable).parents[1]

SPEC = '''"""Stairs."""
from counterpoint import Integer, Spec, action, invariant, require


class Stairs(Spec):
    step = Integer(0, 3)

    @action
    def up(s):
        require(s.step < 3)
        s.step = s.step + 1

    @invariant
    def not_too_high(s):
        return s.step <= 3
'''

CONFIGURATION = """[gate]
report = "build/report"

[[check]]
spec = "specs/stairs.py:Stairs"
"""


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """Return a runner whose cache has an environment, and whose repository has one spec."""
    made = Runner(tmp_path, environment=VENV)
    (made.workspace / "specs").mkdir()
    (made.workspace / "specs" / "stairs.py").write_text(SPEC)
    (made.workspace / "counterpoint.toml").write_text(CONFIGURATION)
    return made


def broken(text: str) -> str:
    """Return the spec with a property that cannot hold."""
    return text.replace("s.step <= 3", "s.step <= 2")


@pytest.mark.long
def test_a_repository_that_is_as_expected(runner: Runner) -> None:
    """A step that fails, an annotation, or an artifact that is missing, though all is right."""
    runner.run()
    assert runner.code == 0, runner.log
    assert "::" not in runner.log
    assert runner.outputs["exit-code"] == "0"
    assert runner.outputs["answer"] == "as expected"
    assert runner.artifacts == ["counterpoint-report"]
    files = {path.name for path in (runner.top / "artifacts" / "counterpoint-report").iterdir()}
    assert {"index.html", "junit.xml", "results.sarif", "summary.md"} <= files
    assert runner.outputs["report"] == str(runner.top / "temp" / "counterpoint-report")
    assert "1 of 1 check as expected" in runner.summary
    assert not (runner.workspace / "build").exists()


@pytest.mark.long
def test_a_repository_in_which_a_property_falls(runner: Runner) -> None:
    """A violated property after which the job is green, or whose line is not annotated."""
    (runner.workspace / "specs" / "stairs.py").write_text(broken(SPEC))
    runner.run()
    assert (runner.code, runner.outputs["exit-code"], runner.outputs["answer"]) == (1, "1", "fell")
    (line,) = re.findall("^::.*", runner.log, re.MULTILINE)
    number = SPEC.splitlines().index("    def not_too_high(s):") + 1
    at = re.match(r"::error file=specs/stairs\.py,line=(\d+),", line)
    assert at is not None, line
    assert int(at[1]) in (number - 1, number)
    assert "not-too-high is violated" in line
    assert runner.artifacts == ["counterpoint-report"]
    assert "### Fell" in runner.summary


@pytest.mark.long
def test_a_budget_that_is_used_up(runner: Runner) -> None:
    """An undecided check that passes, or that is reported as a failure."""
    runner.inputs["budget"] = "0.001"
    runner.run()
    assert runner.code == 3, runner.log
    assert (runner.outputs["exit-code"], runner.outputs["answer"]) == ("3", "unknown")
    assert re.findall("^::(warning|error)", runner.log, re.MULTILINE) == ["warning"]
    assert "### Unknown" in runner.summary
    assert runner.artifacts == ["counterpoint-report"]


@pytest.mark.long
def test_a_folder_of_the_repository(runner: Runner) -> None:
    """A repository of several projects, in which annotations name files that are not there."""
    (runner.workspace / "services").mkdir()
    for name in ("specs", "counterpoint.toml"):
        (runner.workspace / name).rename(runner.workspace / "services" / name)
    spec = runner.workspace / "services" / "specs" / "stairs.py"
    spec.write_text(broken(SPEC))
    runner.inputs |= {"working-directory": "services", "artifact": ""}
    runner.run()
    assert runner.code == 1
    assert "::error file=services/specs/stairs.py,line=" in runner.log
    assert runner.artifacts == []


@pytest.mark.long
@pytest.mark.parametrize("run", ["  ", "gate\n--only checks", "gate --format json"])
def test_the_gate_as_a_user_writes_it(runner: Runner, run: str) -> None:
    """An empty input that is no command, or an option of the user that counts for nothing."""
    runner.inputs |= {"run": run, "working-directory": "a 'b $(touch x)"}
    folder = runner.workspace / runner.inputs["working-directory"]
    folder.mkdir()
    for name in ("specs", "counterpoint.toml"):
        (runner.workspace / name).rename(folder / name)
    runner.run()
    assert (runner.code, runner.outputs["answer"]) == (0, "as expected"), runner.log
    assert ('"outcomes"' in runner.log) == ("json" in run)
    assert runner.artifacts == ["counterpoint-report"]
    assert [path.name for path in runner.workspace.iterdir()] == [folder.name]


@pytest.mark.parametrize(
    ("version", "wanted"),
    [
        ("", f"{ROOT}[web]"),
        ("0.3.0", "counterpoint[web]==0.3.0"),
        ("v1.0-rc1", "counterpoint[web]==1.0-rc1"),
        ("git+https://example.org/x@main", "counterpoint[web] @ git+https://example.org/x@main"),
        ("counterpoint", "./counterpoint[web]"),
        ("3.whl", "./3.whl[web]"),
        ("dist/x.whl", "./dist/x.whl[web]"),
        ("/", "/[web]"),
        ("latest", None),
        ("dist/y.whl", None),
    ],
)
def test_what_pip_is_asked_for(tmp_path: Path, version: str, wanted: str | None) -> None:
    """A word or a folder that pip takes for the package of somebody else."""
    for name in ("counterpoint", "dist"):
        (tmp_path / name).mkdir()
    for name in ("3.whl", "dist/x.whl"):
        (tmp_path / name).write_text("")
    pip = '#!/bin/sh\nfor word; do :; done\necho "$word" >asked\nexit 1\n'
    python = (
        f'#!/bin/sh\n[ "$1 $2" = "-m venv" ] || exec {sys.executable} "$@"\n'
        'mkdir -p "$3/bin" && cp pip "$3/bin/python"\n'
    )
    for name, text in (("pip", pip), ("python3", python)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    own = {"COUNTERPOINT_VERSION": version, "COUNTERPOINT_EXTRAS": "web", "COUNTERPOINT_KEY": "x",
           "COUNTERPOINT_ENVIRONMENT": "environment", "COUNTERPOINT_INSTALL": "",
           "PATH": f"{tmp_path}:{os.environ['PATH']}"}  # fmt: skip
    done = subprocess.run(
        [ROOT / ".ci" / "action", "install"], cwd=tmp_path, env=os.environ | own,
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    asked = tmp_path / "asked"
    assert (asked.read_text().strip() if asked.exists() else None) == wanted, done.stderr
    assert done.returncode == 2
    said = f"could not install {wanted}" if wanted else f"that exists, not {version}"
    assert said in done.stderr


@pytest.mark.long
def test_other_commands(runner: Runner) -> None:
    """A command other than gate that is given the gate's options; quotes that are lost."""
    runner.inputs |= {"run": "check 'specs/stairs.py' --format json"}
    runner.run()
    assert runner.code == 0, runner.log
    assert '"property": "not-too-high"' in runner.log
    assert runner.outputs["report"] == ""
    assert runner.artifacts == []


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"run": "check 'specs"}, "a quotation is not closed: check 'specs"),
        ({"run": "check specs", "budget": "9"}, "budget is an input for gate"),
        ({"run": "gate $(touch x) `touch y` ; touch z"}, ""),
        ({"budget": "9; touch x"}, "Invalid value for '--budget'"),
        ({"run": "gate --report mine"}, "the action has a folder for the report"),
        ({"run": "gate --accept"}, "CI is set"),
        ({"version": "main"}, "version is a version, an address, or a file"),
        ({"version": "$(touch x)"}, "that exists, not $(touch x)"),
        ({"version": "1\n::warning::%"}, "that exists, not 1%0A::warning::%25"),
        ({"install": "'-r x"}, "a quotation is not closed: '-r x"),
    ],
)
def test_wrong_inputs(runner: Runner, inputs: dict[str, str], message: str) -> None:
    """An input that bash runs as a program; an artifact with the report of an earlier step."""
    runner.inputs |= inputs
    old = runner.top / "temp" / "counterpoint-report"
    old.mkdir()
    for name in (".counterpoint-report", "index.html"):
        (old / name).write_text("")
    runner.run()
    assert runner.code == 2, runner.log
    assert message in runner.log
    assert runner.log.count("::error") <= 1
    assert not re.search("^::warning", runner.log, re.MULTILINE)
    assert not [path for path in runner.workspace.iterdir() if path.name in "xyz"]
    assert runner.outputs["answer"] in ("", "wrong")
    assert runner.artifacts == []


def test_the_key_depends_on_what_is_installed(runner: Runner) -> None:
    """An environment of the cache that lacks what the inputs ask for."""
    keys = set()
    (runner.workspace / "requirements.txt").write_text("click\n")
    changes = [{}, {"version": "0.1.0"}, {"version": "0.1.0", "extras": ""},
               {"version": "0.1.0", "install": "-r requirements.txt"}]  # fmt: skip
    for number, inputs in enumerate([*changes, changes[-1]]):
        if number == len(changes):
            (runner.workspace / "requirements.txt").write_text("click>=8\n")
        one = Runner(runner.top, inputs)
        made = action()
        one.known = {f"inputs.{n}": str(i.get("default", "")) for n, i in made["inputs"].items()}
        one.known |= {f"inputs.{n}": value for n, value in inputs.items()}
        (step,) = [step for step in made["runs"]["steps"] if step.get("id") == "prepare"]
        assert one._shell("prepare", step) == 0, one.log
        keys.add(one.known["steps.prepare.outputs.key"])
    assert len(keys) == len(changes) + 1


@pytest.mark.slow
def test_an_environment_is_made_and_saved(runner: Runner) -> None:
    """An action that works only where the cache has an environment."""
    runner.environment = None
    runner.inputs |= {"extras": "", "install": "click"}
    runner.run()
    assert runner.code == 0, runner.log
    assert runner.outputs["answer"] == "as expected"
    (key,) = runner.saved
    made = runner.top / "home" / ".cache" / "counterpoint" / "environment"
    assert (made / ".counterpoint").read_text().strip() == key


def test_the_form_of_the_action() -> None:
    """An action that GitHub refuses, or a step that has a text of a user's in its program."""
    made = action()
    assert {"name", "description", "inputs", "outputs", "runs"} <= set(made)
    assert made["runs"]["using"] == "composite"
    steps: list[dict[str, Any]] = made["runs"]["steps"]
    ids = {step["id"] for step in steps if "id" in step}
    for step in steps:
        assert ("run" in step) != ("uses" in step)
        if "run" in step:
            assert step["shell"] == "bash"
            assert "${{" not in step["run"]
        else:
            assert re.fullmatch(r"actions/[\w-]+(/[\w-]+)?@v\d+", step["uses"])
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(made["inputs"])
    assert set(re.findall(r"steps\.([\w-]+)", text)) <= ids
    for one in (*made["inputs"].values(), *made["outputs"].values()):
        assert one["description"].strip()
    assert all(isinstance(one["default"], str) for one in made["inputs"].values())


def test_the_guide_has_all_inputs() -> None:
    """An input or an output of the action that the guide does not have, or has by another name."""
    text = (ROOT / "docs" / "how-to" / "gate-in-ci.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"(?m)^\| `([\w-]+)` \|.*\| (?:`([^`]*)`|.*) \|$", text))
    inputs = {name: one.get("default", "") for name, one in action()["inputs"].items()}
    assert set(rows) == set(inputs)
    assert {n: v for n, v in rows.items() if v} == {n: v for n, v in inputs.items() if v}
    for name in action()["outputs"]:
        assert f"`{name}`" in text
    hook = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))[0]
    assert f"id: {hook['id']}" in text
    assert f"`{hook['entry']}`" in text


def test_the_hook_is_a_command() -> None:
    """A hook with an option that the gate does not have."""
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert {"id", "name", "entry", "language", "pass_filenames"} <= set(hook)
    program, name, *arguments = shlex.split(hook["entry"])
    assert (program, hook["language"], hook["pass_filenames"]) == ("counterpoint", "python", False)
    assert name == "gate"
    # Without its group, click would remember for all later tests that gate has no option -h.
    group = counterpoint.make_context("counterpoint", [name])
    parsed = gate.make_context(name, list(arguments), parent=group)
    assert (parsed.params["only"], parsed.params["budget"]) == ("checks", 20.0)
