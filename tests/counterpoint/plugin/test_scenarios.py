"""What the plugin makes of files of scenarios."""

from __future__ import annotations

import pytest

from tests.counterpoint.test_scenarios import LOST
from tests.counterpoint.walking import COUNTER

pytestmark = pytest.mark.long

WRONG = LOST.replace("counter == 1", "counter == 2")


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Return a project with a spec and scenarios."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("CI", raising=False)
    (pytester.path / "counter.py").write_text(COUNTER)
    for name, text in (("lost", LOST), ("wrong", WRONG), ("other", "hello"),
                       ("bad", "spec: counter.py\nexpect\n")):  # fmt: skip
        (pytester.path / f"{name}.scenario").write_text(text)
    return pytester


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """Run pytest in a process of its own."""
    return project.runpytest_subprocess("-p", "no:cacheprovider", *arguments)


def test_scenarios_are_items(project: pytest.Pytester) -> None:
    """Scenarios that are not collected, or whose failure does not say where."""
    result = run(project, "-v", "lost.scenario", "wrong.scenario")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([
        "lost.scenario::an addition is lost PASSED*",
        "wrong.scenario::an addition is lost FAILED*",
        "wrong.scenario:11: counter == 2 should be true after 3 steps; counter is 1",
        "The state after 3 steps:",
        "To reproduce: counterpoint replay wrong.scenario",
    ])  # fmt: skip
    result.stdout.no_fnmatch_line("*Traceback*")


def test_wrong_files_and_files_of_others(project: pytest.Pytester) -> None:
    """A scenario that cannot be read and is passed by, or another tool's file that is read."""
    result = run(project)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["bad.scenario:2: expect says nothing"])
    result.stdout.no_fnmatch_line("*other.scenario*")
    (project.path / "bad.scenario").unlink()
    run(project, "-o", "counterpoint_specs=false").assert_outcomes()


def test_scenarios_of_the_configuration_are_items(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scenarios of the configuration that pytest leaves out, or whose command finds no file."""
    (project.path / "counterpoint.toml").write_text('[[scenario]]\nfile = "wrong.scenario"\n')
    (project.path / "below").mkdir()
    project.makeini("[pytest]")
    monkeypatch.chdir(project.path / "below")
    result = run(project, "--counterpoint")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([
        "*wrong.scenario * an addition is lost*",
        "wrong.scenario:11: counter == 2 should be true after 3 steps; counter is 1",
        "To reproduce: cd .. && counterpoint replay wrong.scenario",
    ])  # fmt: skip
