"""``counterpoint gate`` as a user types it, in a repository with specs alone."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest

from counterpoint.console import run
from counterpoint.main import counterpoint

SPEC = """\
from counterpoint import Integer, Spec, action, invariant, require


class Stairs(Spec):
    step = Integer(0, 3)

    @action
    def up(s):
        require(s.step < 3)
        s.step = s.step + 1

    @invariant
    def not_too_high(s):
        return s.step <= {}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose one check is as expected."""
    monkeypatch.chdir(tmp_path)
    for name in ("CI", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "stairs_spec.py").write_text(SPEC.format(3))
    (tmp_path / "counterpoint.toml").write_text('[[check]]\nspec = "specs"\nstates = 4\n')
    return tmp_path


def gate(*words: str) -> int:
    """Run the command in this process."""
    return run(counterpoint, ["gate", *words])


def test_it_is_green_from_any_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A gate that depends on where one stands."""
    monkeypatch.chdir(folder / "specs")
    assert gate() == 0
    out = capsys.readouterr().out
    assert "specs/stairs_spec.py · exhaustive" in out
    assert "1 of 1 check as expected" in out
    assert (folder / "report" / "index.html").is_file()
    assert out.endswith("The report is ../report/index.html\n")
    assert gate("stairs_spec.py", "--report", "here") == 0
    assert capsys.readouterr().out.endswith("The report is here/index.html\n")
    assert (folder / "specs" / "here" / "junit.xml").is_file()


def test_a_failure_says_where_its_paths_begin(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A command to reproduce that works only in a folder which nobody names."""
    (folder / "counterpoint.toml").write_text('[[check]]\nspec = "specs"\nstates = 5\n')
    text = "Paths and commands above are those of the folder"
    assert gate() == 1
    assert text not in capsys.readouterr().out
    monkeypatch.chdir(folder / "specs")
    assert gate() == 1
    assert f"{text} ..\n" in capsys.readouterr().out


def test_a_violation_is_shown_at_its_property(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An annotation without a place, an exit code of 0, or a summary that lacks the fault."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary"))
    (folder / "specs" / "stairs_spec.py").write_text(SPEC.format(2))
    assert gate("--format", "github") == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("::error file=specs/stairs_spec.py,line=13,title=")
    assert "not-too-high is violated (3 steps)" in lines[0]
    assert lines[-1] == "counterpoint gate: 0 of 1 check as expected, 1 fell"
    assert "not-too-high is violated" in (folder / "summary").read_text()
    assert gate("--format", "json") == 1
    (outcome,) = json.loads(capsys.readouterr().out)["outcomes"]
    assert outcome["findings"][0]["place"] == {"path": "specs/stairs_spec.py", "line": 13}


def test_another_number_of_states_falls(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A changed spec whose properties still hold."""
    (folder / "counterpoint.toml").write_text('\n[[check]]\nspec = "specs"\nstates = 5\n')
    assert gate("--format", "github") == 1
    line = capsys.readouterr().out.splitlines()[0]
    assert line.startswith("::error file=counterpoint.toml,line=2,title=")
    assert "4 reachable states; there should be 5" in line


def test_too_small_a_budget_is_undecided(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Time that makes the gate fall, or pass."""
    assert gate("--budget", "0.000001") == 3
    assert "unknown" in capsys.readouterr().out


def test_checks_that_need_a_larger_budget_are_counted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Checks that are left out in silence, or that are said to be, though they were run."""
    row = '[[check]]\nspec = "specs"\n'
    (folder / "counterpoint.toml").write_text(f"{row}\n{row}states = 4\nleast-budget = 300\n")
    assert gate("--budget", "299") == 0
    out = capsys.readouterr().out
    assert "1 of 1 check as expected" in out
    assert "--budget 300 runs 1 more check\n" in out
    assert gate("--budget", "300") == 0
    out = capsys.readouterr().out
    assert "2 of 2 checks as expected" in out
    assert "more check" not in out


def test_without_a_configuration_one_line_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A gate that checks Counterpoint in the repository of somebody else."""
    monkeypatch.chdir(tmp_path)
    assert gate() == 2
    err = capsys.readouterr().err
    assert "there is no counterpoint.toml here or above; counterpoint init writes one" in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--accept"], "checks have no baselines"),
        (["--accept", "--format", "json"], "takes no --format"),
        (["--accept", "--prune"], "three commands"),
        (["--prune", "specs"], "takes no names"),
        (["none"], "nothing in the configuration is named 'none'"),
        (["--only", "specs"], "is not one of 'checks', 'scenarios', 'policies', 'crawlers'"),
        (["--config", "none.toml"], "does not exist"),
    ],
)
def test_what_cannot_be_done_is_refused(
    folder: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """An option that is ignored."""
    assert gate(*words) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", '[[check]]\nspec = "peterson"\n'])
def test_an_empty_gate_is_not_green(
    folder: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A gate that passes since nothing was asked for."""
    (folder / "counterpoint.toml").write_text(text)
    assert gate("--only", "crawlers") == 2
    assert "counterpoint.toml has no entry of the kind crawlers" in capsys.readouterr().err


def test_a_budget_that_leaves_out_all_checks(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A gate that is green since none of its checks was run."""
    path = folder / "counterpoint.toml"
    path.write_text('[[check]]\nspec = "peterson"\nleast-budget = 900\n')
    assert gate("--budget", "60") == 2
    assert "no check has a least-budget of 60 s or less" in capsys.readouterr().err
    path.write_text(path.read_text() + '[[check]]\nspec = "peterson"\n')
    assert gate("--budget", "60") == 0


def test_a_misspelled_property_that_holds_falls(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An expectation that is about no property, and so is always met."""
    row = '[[check]]\nspec = "specs"\nexpect = { too-high = "holds" }\n'
    (folder / "counterpoint.toml").write_text(row)
    assert gate() == 1
    assert "the spec has no property too-high" in capsys.readouterr().out


def test_prune_spares_what_is_no_baseline(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file of the user that --prune removes."""
    (folder / "counterpoint.toml").write_text('[gate]\nbaselines = "."\n')
    mine = [folder / "policies" / "data" / "users.json", folder / "crawlers" / "own.json"]
    for path in mine:
        path.parent.mkdir(parents=True)
        path.write_text("{}")
    assert gate("--prune") == 0
    assert "nothing removed" in capsys.readouterr().out
    assert all(path.exists() for path in mine)


@pytest.mark.parametrize("option", ["--accept", "--prune"])
def test_a_machine_does_not_accept(
    folder: Path, option: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """CI that makes every change the new baseline."""
    monkeypatch.setenv("CI", "true")
    assert gate(option) == 2
    assert "CI is set" in capsys.readouterr().err
    assert gate("--prune", "--force") == 0
    monkeypatch.setenv("CI", "false")
    assert gate("--prune") == 0


def test_the_list_and_the_schema(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A list that runs something, or a schema that is no JSON."""
    assert gate("--list") == 0
    assert capsys.readouterr().out == "check    specs/stairs_spec.py · exhaustive\n"
    assert gate("--schema") == 0
    assert "check" in json.loads(capsys.readouterr().out)["properties"]
    assert not (folder / "report").exists()


def test_every_error_of_the_file_is_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Errors that a user finds one run at a time."""
    (folder / "counterpoint.toml").write_text("[gat]\n[[check]]\nspec = 1\n")
    assert gate() == 2
    err = capsys.readouterr().err
    assert "counterpoint.toml:1: there is no key gat; did you mean gate?" in err
    assert "counterpoint.toml:3: check.spec should be a string or a list, not 1" in err


LOUD_SPEC = """\
from counterpoint import Integer, Spec, action, invariant, require
print("while the spec is imported")


class Loud(Spec):
    step = Integer(0, 3)

    @action
    def up(s):
        print("in an action")
        require(s.step < 3)
        s.step = s.step + 1

    @invariant
    def low(s):
        return s.step < 3
"""

LOUD_POLICY = """\
print("while the policy is imported")


class Loud:
    def __init__(self, setting):
        print("in a policy")
        self.left = list(setting.starts)

    def next(self):
        return self.left.pop(0) if self.left else None

    def observe(self, page, links):
        self.left += links
"""

LOUD_JOBS = """\
from counterpoint.ci import Job


def jobs():
    print("in a function that makes jobs")
    return [Job("specs/loud_spec.py", {}, "bounded", "one more")]
"""

LOUD_GATE = """\
[[check]]
spec = "specs/loud_spec.py"
engines = ["exhaustive", "stateful"]

[[jobs]]
function = "loud_jobs:jobs"

[[policies]]
web = "sample"
web-pages = 3000
pages = 20
seeds = 1
policies = ["loud_policy:Loud"]
"""


@pytest.mark.long  # it crawls once for each format
@pytest.mark.parametrize("form", ["json", "junit", "sarif"])
def test_what_user_code_prints_goes_to_standard_error(
    folder: Path, form: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Output that no program can read: a spec, policy or job prints, here or in a process."""
    (folder / "specs" / "loud_spec.py").write_text(LOUD_SPEC)
    (folder / "loud_policy.py").write_text(LOUD_POLICY)
    (folder / "loud_jobs.py").write_text(LOUD_JOBS)
    (folder / "counterpoint.toml").write_text(LOUD_GATE)
    for name in ("loud_policy", "loud_jobs"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert gate("--format", form) == 1
    out, err = capfd.readouterr()
    if form == "junit":
        assert xml.fromstring(out).tag == "testsuites"
    else:
        assert json.loads(out)
    for where in (
        "while the spec is imported", "in an action", "while the policy is imported",
        "in a policy", "in a function that makes jobs",
    ):  # fmt: skip
        assert where in err, where
