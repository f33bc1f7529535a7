"""Runs a composite action as GitHub's runner does, as far as `action.yml` needs it.

Steps with ``run`` are run by bash with GitHub's options, in the environment that GitHub gives.
Actions of GitHub are imitated: the cache brings an environment or nothing, and an artifact is a
copy of its folder.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]

STATUS = ("always()", "failure()", "!cancelled()")
"""Conditions with one of these are looked at after a failure, too."""

_CLAUSE = re.compile(r"([\w.-]+) (==|!=) '([^']*)'")


def action() -> dict[str, Any]:
    """Return `action.yml`."""
    found: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return found


@dataclass
class Runner:
    """A machine that runs the action once.

    Attributes
    ----------
    top : Path
        A folder for all that the runner has: the workspace, temporary files, artifacts.
    inputs : dict of str to str
        Inputs that differ from the defaults.
    environment : Path or None
        What the cache brings; None if it has nothing.
    log : str
        The output of all steps.
    code : int
        The exit code of the first step that failed; 0 if none did.
    outputs : dict of str to str
        The outputs of the action.
    artifacts, saved : list
        Names of artifacts; keys that were saved in the cache.
    """

    top: Path
    inputs: dict[str, str] = field(default_factory=dict)
    environment: Path | None = None
    log: str = ""
    code: int = 0
    outputs: dict[str, str] = field(default_factory=dict)
    artifacts: list[str] = field(default_factory=list)
    saved: list[str] = field(default_factory=list)
    known: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("workspace", "temp", "home", "artifacts"):
            (self.top / name).mkdir(exist_ok=True)

    @property
    def workspace(self) -> Path:
        """The folder of the checked-out repository."""
        return self.top / "workspace"

    @property
    def summary(self) -> str:
        """The summary of the job."""
        path = self.top / "summary.md"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def run(self) -> None:
        """Run all steps, and set the outputs."""
        made = action()
        given = {name: str(one.get("default", "")) for name, one in made["inputs"].items()}
        assert set(self.inputs) <= set(given)
        self.known = {f"inputs.{name}": v for name, v in {**given, **self.inputs}.items()}
        self.known |= {"runner.os": "Linux", "runner.arch": "X64"}
        for number, step in enumerate(made["runs"]["steps"]):
            name = step.get("id", str(number))
            if not self._wanted(step):
                self.known[f"steps.{name}.outcome"] = "skipped"
                continue
            code = self._shell(name, step) if "run" in step else self._imitate(name, step)
            self.known[f"steps.{name}.outcome"] = "failure" if code else "success"
            self.code = self.code or code
        for name, one in made["outputs"].items():
            self.outputs[name] = self._filled(one["value"])

    def _wanted(self, step: dict[str, Any]) -> bool:
        condition = step.get("if", "").removeprefix("${{").removesuffix("}}").strip()
        clauses = [clause.strip() for clause in condition.split("&&") if clause.strip()]
        if self.code and not any(clause in STATUS for clause in clauses):
            return False
        for clause in clauses:
            if clause in STATUS:
                continue
            match = _CLAUSE.fullmatch(clause)
            assert match, clause
            if (self.known.get(match[1], "") == match[3]) != (match[2] == "=="):
                return False
        return True

    def _filled(self, text: str) -> str:
        return re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda m: self.known.get(m[1], ""), text)

    def _shell(self, name: str, step: dict[str, Any]) -> int:
        """Run a step in bash; what it writes to ``$GITHUB_OUTPUT`` is known afterwards."""
        assert step["shell"] == "bash"
        script, output = self.top / "temp" / f"{name}.sh", self.top / "temp" / f"{name}.out"
        script.write_text(self._filled(step["run"]), encoding="utf-8")
        output.write_text("")
        own = {
            "GITHUB_ACTIONS": "true", "CI": "true", "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(self.top / "summary.md"),
            "GITHUB_WORKSPACE": str(self.workspace), "RUNNER_TEMP": str(self.top / "temp"),
            "RUNNER_OS": "Linux", "RUNNER_ARCH": "X64", "HOME": str(self.top / "home"),
        }  # fmt: skip
        own |= {key: self._filled(value) for key, value in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.workspace / self._filled(step.get("working-directory", ".")),
            env=os.environ | own, capture_output=True, text=True, timeout=570,
        )  # fmt: skip
        self.log += done.stdout + done.stderr
        for line in output.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition("=")
            self.known[f"steps.{name}.outputs.{key}"] = value
        return done.returncode

    def _imitate(self, name: str, step: dict[str, Any]) -> int:
        given = {key: self._filled(value) for key, value in step.get("with", {}).items()}
        used = step["uses"].partition("@")[0]
        if used == "actions/cache/restore":
            self._restore(name, given)
        elif used == "actions/cache/save":
            assert Path(given["path"]).is_dir()
            self.saved.append(given["key"])
        elif used == "actions/upload-artifact":
            shutil.copytree(given["path"], self.top / "artifacts" / given["name"])
            self.artifacts.append(given["name"])
        else:
            assert used in ("actions/setup-python", "actions/cache"), used
        return 0

    def _restore(self, name: str, given: dict[str, str]) -> None:
        """Bring an environment that was saved with the same key."""
        if self.environment is None:
            return
        target = Path(given["path"])
        target.mkdir(parents=True)
        (target / "bin").symlink_to(self.environment / "bin")
        (target / ".counterpoint").write_text(given["key"] + "\n")
        self.known[f"steps.{name}.outputs.cache-hit"] = "true"
