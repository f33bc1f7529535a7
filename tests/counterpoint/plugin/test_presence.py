"""What the plugin costs those who do not use it: nothing is loaded, and nothing changes."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

HEAVY = """
import sys
import counterpoint.pytest_plugin
print(sorted({name.partition(".")[0] for name in sys.modules} & {
    "aiohttp", "click", "hypothesis", "jinja2", "numba", "numpy", "pydantic", "rich", "scipy", "z3",
}), sorted(name for name in sys.modules if name.startswith("counterpoint.")
           and not name.startswith("counterpoint.spec")))
"""


def test_the_plugin_loads_nothing_heavy() -> None:
    """Seconds at the start of every test run of everybody who has Counterpoint installed."""
    found = subprocess.run(
        [sys.executable, "-c", HEAVY], capture_output=True, text=True, check=True
    )
    assert found.stdout == "[] ['counterpoint.pytest_plugin']\n"


def test_the_plugin_is_declared_and_installed() -> None:
    """A plugin that pytest does not find, or that an old installation lacks."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {"counterpoint": "counterpoint.pytest_plugin"}
    assert project["entry-points"]["pytest11"] == declared
    installed = {one.name: one.value for one in entry_points(group="pytest11")}
    assert declared.items() <= installed.items(), "pip install -e . installs the plugin"


@pytest.mark.long
def test_a_run_of_others_is_as_without_the_plugin(pytester: pytest.Pytester) -> None:
    """A module that is loaded by mere presence, a file of others that is read as a spec."""
    pytester.makepyfile(
        test_theirs="""
        import sys

        def test_nothing_of_ours_is_loaded():
            heavy = {"z3", "numba", "numpy", "pydantic", "counterpoint.testing"}
            assert not heavy & set(sys.modules)
    """
    )
    pytester.makepyfile(models_spec="raise RuntimeError('theirs')")
    off = ("-p", "no:hypothesispytest", "-p", "no:cacheprovider", "--strict-markers",
           "--strict-config", "-W", "error")  # fmt: skip
    pytester.runpytest_subprocess(*off).assert_outcomes(passed=1)
    pytester.runpytest_subprocess(*off, "-p", "no:counterpoint").assert_outcomes(passed=1)


@pytest.mark.long
def test_our_own_suite_is_collected_as_without_the_plugin() -> None:
    """An item of ours among the tests of this repository, which has files with specs."""
    found = []
    for more in ([], ["-p", "no:counterpoint"]):
        command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider",
                   "tests/spec", "tests/counterpoint/plugin", *more]  # fmt: skip
        result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        found.append([line for line in result.stdout.splitlines() if "::" in line])
    assert found[0] == found[1]
    assert len(found[0]) > 100
