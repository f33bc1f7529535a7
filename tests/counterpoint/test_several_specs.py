"""``counterpoint check`` of several files, classes and folders in one command."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from junitparser import JUnitXml

from .test_command_line import call

STAIRS = """\
from common import LIMIT
from counterpoint import Integer, Spec, action, invariant, require

class Stairs(Spec):
    step = Integer(0, 9)

    @action
    def up(s):
        require(s.step < 4)
        s.step = s.step + 1

    @invariant
    def low(s):
        return s.step <= LIMIT
"""

WRONG = STAIRS.replace("return s.step <= LIMIT", "s.step <= LIMIT")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with two folders of specs, whose helpers have one name."""
    for folder, limit in (("high", 4), ("low", 2)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "common.py").write_text(f"LIMIT = {limit}\n")
        (tmp_path / folder / "stairs_spec.py").write_text(STAIRS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answers(out: str) -> dict[str, str]:
    """Return the worst answer on each reference of a report in JSON."""
    found: dict[str, str] = {}
    for verdict in json.loads(out):
        worst = found.setdefault(verdict["reference"], "holds")
        found[verdict["reference"]] = "violated" if "violated" in (worst, verdict["verdict"]) else (
            verdict["verdict"])  # fmt: skip
    return found


@pytest.mark.parametrize("order", [["high", "low"], ["low", "high"]])
def test_helpers_of_one_name_stay_apart(
    place: Path, order: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A spec that is checked with the helper of another folder, whose verdict it then gets."""
    code, out, err = call(capsys, "check", *order, "--format", "json")
    assert (code, err) == (1, "")
    assert answers(out) == {"high/stairs_spec.py": "holds", "low/stairs_spec.py": "violated"}


def test_a_helper_that_a_spec_changes_is_fresh_for_the_next(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A verdict that depends on which specs were checked before."""
    (place / "high" / "first_spec.py").write_text(
        "import common\ncommon.LIMIT = 1\n" + STAIRS.replace("Stairs", "First")
    )
    code, out, _ = call(capsys, "check", "high", "--format", "json")
    assert code == 1
    assert answers(out) == {"high/first_spec.py": "violated", "high/stairs_spec.py": "holds"}


def test_what_a_folder_stands_for(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A spec in a subfolder that is not checked, or one of an environment or a hidden folder."""
    (place / "high" / "below").mkdir()
    below = place / "high" / "below"
    below.joinpath("common.py").write_text("LIMIT = 9\n")
    two = STAIRS + "\nclass Other(Stairs): pass\nclass _Base(Stairs): pass\nAgain = Other\n"
    below.joinpath("two_spec.py").write_text(two)
    below.joinpath("base_spec.py").write_text(
        "from counterpoint import Integer, Spec, action\n"
        "class Base(Spec):\n    n = Integer(0, 1)\n"
        "class Whole(Base):\n    @action\n    def go(s): s.n = 1\n"
    )
    for hidden in (".hidden", "venv"):
        (place / hidden).mkdir()
        (place / hidden / "no_spec.py").write_text("raise SystemExit\n")
    (place / "venv" / "pyvenv.cfg").write_text("")
    code, out, err = call(capsys, "check", ".", "--format", "json")
    assert (code, err) == (1, "")
    assert list(answers(out)) == [
        "high/below/base_spec.py", "high/below/two_spec.py:Stairs", "high/below/two_spec.py:Other",
        "high/stairs_spec.py", "low/stairs_spec.py",
    ]  # fmt: skip
    code, out, err = call(capsys, "check", "h*/*_spec.py", "--format", "json")
    assert (code, err, list(answers(out))) == (0, "", ["high/stairs_spec.py"])
    (place / "empty").mkdir()
    code, out, err = call(capsys, "check", "high", "empty")
    assert (code, out) == (2, "")
    assert "empty has no file *_spec.py" in err


def test_a_class_of_a_package_and_one_whose_base_stands_beside_it(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A spec of several files that is not found from the top of its repository."""
    (place / "protocols").mkdir()
    (place / "protocols" / "__init__.py").write_text("")
    (place / "protocols" / "base.py").write_text(STAIRS.replace("from common import LIMIT",
                                                                "LIMIT = 9"))  # fmt: skip
    (place / "protocols" / "ticket.py").write_text(
        "from protocols.base import Stairs\nclass Ticket(Stairs): pass\n"
    )
    (place / "high" / "derived_spec.py").write_text(
        "from stairs_spec import Stairs\nclass Derived(Stairs): pass\n"
    )
    named = ["protocols.ticket:Ticket", "high/derived_spec.py", "peterson"]
    code, out, err = call(capsys, "check", *named, "--format", "json")
    assert (code, err) == (0, "")
    assert answers(out) == dict.fromkeys(named, "holds")


def test_the_worst_exit_code_wins(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An undecided or broken spec that hides behind others, or stops them."""
    big = "from counterpoint import Integer, Spec, action\nclass Big(Spec):\n"
    big += "".join(f"    n{k} = Integer(0, 9)\n" for k in range(9))
    big += "".join(f"    @action\n    def up{k}(s): s.n{k} = (s.n{k} + 1) % 10\n" for k in range(9))
    (place / "big.py").write_text(big)
    (place / "low" / "wrong_spec.py").write_text(WRONG)
    quick = ("--time-limit", "0.3", "--format", "json")
    assert call(capsys, "check", "high", "peterson")[0] == 0
    assert call(capsys, "check", "high", "big.py", *quick)[0] == 3
    assert call(capsys, "check", "low/stairs_spec.py", "big.py", "high", *quick)[0] == 1
    code, out, err = call(capsys, "check", "low", "high", "--format", "json")
    assert code == 2
    assert err.startswith("counterpoint: low/wrong_spec.py:12: in low: None is neither")
    assert err.count("\n") == 1
    assert answers(out) == {"low/stairs_spec.py": "violated", "high/stairs_spec.py": "holds"}


def test_one_document_for_all(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two documents in one output, or two specs of one name in one suite."""
    _, out, _ = call(capsys, "check", "high", "low", "--format", "junit")
    suites = {suite.name: suite.failures for suite in JUnitXml.fromstring(out.encode())}
    assert suites == {
        "stairs exhaustive high/stairs_spec.py": 0, "stairs exhaustive low/stairs_spec.py": 1
    }  # fmt: skip
    _, out, _ = call(capsys, "check", "high", "low", "peterson", "--format", "github")
    assert sum(line.startswith("::error") for line in out.splitlines()) == 1
    _, out, _ = call(capsys, "check", "high", "low")
    assert out.startswith("high/stairs_spec.py\nstairs:")
    assert out.endswith(
        "2 specs\n  holds     high/stairs_spec.py\n  violated  low/stairs_spec.py\n"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--html", "x.html"], "--html takes one spec, and these are 2"),
        (["--smtlib", "x", "--engine", "bounded"], "--smtlib takes one spec"),
        (["--mutants"], "--mutants takes one spec"),
    ],
)
def test_what_takes_one_spec(
    place: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file about one of the specs that the next one replaces."""
    code, out, err = call(capsys, "check", "high", "low", *options)
    assert (code, out) == (2, "")
    assert message in err
    assert not re.search("Traceback", err)
    assert not (place / "x.html").exists()
