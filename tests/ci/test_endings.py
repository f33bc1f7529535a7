"""Specs, functions and webs of users that try to end the gate: each falls alone."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from counterpoint.ci.regression import rerun
from counterpoint.ci.regression.cases import RegressionCase
from counterpoint.crawler.errors import CrawlError
from counterpoint.studies.comparison.comparison import Comparison
from counterpoint.studies.comparison.plan import ComparisonPlan

SPEC = """
from counterpoint import Integer, Spec, action, invariant


class {name}(Spec):
    number = Integer(0, 3)

    @action
    def add(self):
        self.number = (self.number + 1) % 4

    @invariant
    def is_small(self):
        {does}
"""
GOOD, BAD = "return self.number < 4", "return self.number < 3"


def gate(folder: Path, configuration: str, room: int | None = None) -> tuple[int, str, str]:
    """Run ``counterpoint gate`` beside a spec that holds and one that is violated.

    Parameters
    ----------
    folder : Path
    configuration : str
    room : int, optional
        The limit of its address space in bytes.

    Returns
    -------
    (int, str, str)
        Its code, and what it prints, with single spaces.
    """
    (folder / "good.py").write_text(SPEC.format(name="Good", does=GOOD))
    (folder / "bad.py").write_text(SPEC.format(name="Bad", does=BAD))
    (folder / "counterpoint.toml").write_text(configuration)

    def limit() -> None:
        if room is not None:
            resource.setrlimit(resource.RLIMIT_AS, (room, room))

    done = subprocess.run([sys.executable, "-m", "counterpoint", "gate"], cwd=folder, timeout=300,
                          preexec_fn=limit, capture_output=True, text=True,
                          check=False)  # fmt: skip
    return done.returncode, " ".join(done.stdout.split()), done.stderr


@pytest.mark.parametrize(
    "does",
    ["raise SystemExit(0)", "raise SystemExit", "raise KeyboardInterrupt", "raise GeneratorExit"],
)
def test_a_spec_that_exits_falls_alone(does: str, tmp_path: Path) -> None:
    """An exit with code 0 after which nothing is reported, not even a violated spec."""
    (tmp_path / "exits.py").write_text(SPEC.format(name="Exits", does=does))
    code, output, errors = gate(tmp_path, '[[check]]\nspec = ["exits.py", "good.py", "bad.py"]\n')
    name = does.removeprefix("raise ").partition("(")[0]
    assert (code, errors) == (1, "")
    assert name in output and "is-small is violated" in output
    assert "1 of 3 checks as expected" in output


def test_a_spec_that_exits_while_it_is_made_falls_alone(tmp_path: Path) -> None:
    """An exit before any engine runs, which keeps the others from being checked."""
    made = SPEC.format(name="Exits", does=GOOD) + (
        "\n    def __init__(self, **given):\n        raise SystemExit(0)\n"
    )
    (tmp_path / "exits.py").write_text(made)
    code, output, errors = gate(tmp_path, '[[check]]\nspec = ["exits.py", "good.py", "bad.py"]\n')
    assert (code, errors) == (1, "")
    assert "SystemExit: 0" in output and "1 of 3 checks as expected" in output


def test_a_function_of_jobs_that_exits(tmp_path: Path) -> None:
    """The same for the functions that make jobs, which run in the process of the gate."""
    (tmp_path / "own.py").write_text("def made():\n    raise SystemExit(0)\n")
    code, _, errors = gate(
        tmp_path, '[[check]]\nspec = "bad.py"\n\n[[jobs]]\nfunction = "own:made"\n'
    )
    assert code == 2
    assert "counterpoint.toml:4" in errors and "own:made: SystemExit: 0" in errors


def test_a_web_that_is_too_large_is_named(tmp_path: Path) -> None:
    """A lack of memory without the entry that asks for it."""
    code, _, errors = gate(
        tmp_path,
        '[[check]]\nspec = "good.py"\n\n'
        '[[policies]]\nweb = "universities"\npolicies = ["breadth-first"]\npages = 10\n'
        "web-pages = 99999999999\nseeds = 1\n",
        room=8 << 30,  # a large machine would make the web
    )
    assert code == 3
    assert errors.startswith(
        "counterpoint: unknown: no memory is left: counterpoint.toml:4: universities has no web of "
        "99,999,999,999 pages"
    )


def test_a_web_without_memory_is_unknown_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A comparison that gets no memory, and takes the results of all other entries with it."""

    def compare(plan: ComparisonPlan, *_: object) -> Comparison:
        if plan.profile.name == "sample":
            raise CrawlError("no web") from MemoryError("Unable to allocate 45.2 GiB")
        return rerun_compare(plan, 1)

    rerun_compare = rerun.compare
    monkeypatch.setattr(rerun, "compare", compare)
    found = rerun.run(
        [
            RegressionCase("sample", 30, 300, ("R1", "R2"), (0,)),
            RegressionCase("local", 30, 300, ("breadth-first",), (0,)),
        ],
        tmp_path,
    )
    assert [(one.name, one.answer) for one in found] == [
        ("R1 on sample", "unknown"),
        ("R2 on sample", "unknown"),
        ("breadth-first on local", "fell"),
    ]
    assert found[0].unknown == "no memory is left: no web"
