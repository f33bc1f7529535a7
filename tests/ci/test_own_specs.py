"""Specs of a repository of one's own: their outcomes come back from the processes that ran them."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from counterpoint.ci import gate, reports
from counterpoint.ci.converting import group_of, of_check
from counterpoint.ci.job import Job
from counterpoint.ci.outcome import Place

SPEC = """
from counterpoint import Integer, Spec, action, invariant, require
from common import HEIGHT


class Stairs(Spec):
    step = Integer(0, HEIGHT)

    @action
    def up(s):
        require(s.step < HEIGHT)
        s.step = s.step + 1

    @invariant
    def not_too_high(s):
        return s.step <= 2
"""


@pytest.mark.long
def test_two_files_of_one_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A spec of a file that is unknown to the gate, or is taken for another of the same name."""
    for folder, height in (("low", 2), ("high", 3)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "stairs.py").write_text(SPEC)
        (tmp_path / folder / "common.py").write_text(f"HEIGHT = {height}\n")
    (tmp_path / "broken.py").write_text("from counterpoint import Spec\nraise ValueError('no')\n")
    monkeypatch.chdir(tmp_path)
    places = ("low/stairs.py:Stairs", "high/stairs.py:Stairs", "low/stairs.py", "broken.py")
    jobs = [Job(place, {}, "exhaustive", "") for place in places]
    found = gate.run(60, jobs, processes=2)
    assert [one.answer for one in found] == ["as expected", "fell", "as expected", "fell"]
    assert "broken.py:2: ValueError: no" in found[3].surprises[0][1]
    assert [one.verdicts[0].states for one in found[:3]] == [3, 4, 3]
    text = reports.github([of_check(one) for one in found])
    line = SPEC.splitlines().index("    def not_too_high(s):") + 1
    assert f"::error file=high/stairs.py,line={line}," in text


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("x = 1\ndef up(:\n", 2, "SyntaxError: invalid syntax: def up(:"),
        ("x = 1\n\nraise ValueError('no')\n", 3, "ValueError: no"),
        ("import helper\n", 1, "ZeroDivisionError: division by zero"),
    ],
)
def test_an_error_of_a_file_is_annotated_at_its_line(
    text: str, line: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An annotation at the configuration, which is right, for an error in a file with specs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "bad_spec.py").write_text(text)
    (tmp_path / "specs" / "helper.py").write_text("1 / 0\n")
    monkeypatch.delitem(sys.modules, "helper", raising=False)
    job = Job("specs/bad_spec.py", {}, "exhaustive", "", place=Place("counterpoint.toml", 11))
    (finding,) = of_check(gate.run_job(job, time.monotonic() + 60)).findings
    assert finding.place == Place("specs/bad_spec.py", line)
    assert finding.text == f"specs/bad_spec.py:{line}: {said}"


def test_an_error_without_a_line_is_annotated_at_the_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An annotation in a file that does not exist, or nowhere."""
    monkeypatch.chdir(tmp_path)
    place = Place("counterpoint.toml", 11)
    job = Job("missing_spec.py", {}, "exhaustive", "", place=place)
    (finding,) = of_check(gate.run_job(job, time.monotonic() + 60)).findings
    assert finding.place == place


@pytest.mark.parametrize(
    ("reference", "group"),
    [
        ("tl2", "tl2"),
        ("tl2/no-lock", "tl2"),
        ("specs/buffer.py", "specs/buffer.py"),
        ("specs/buffer.py/no-guard", "specs/buffer.py"),
        ("specs/buffer.py:Buffer/no-guard", "specs/buffer.py:Buffer"),
        ("protocols.ticket:Ticket/unfair", "protocols.ticket:Ticket"),
    ],
)
def test_the_group_is_the_spec(reference: str, group: str) -> None:
    """All specs of a folder in one group; a mutant in a group of its own."""
    assert group_of(reference) == group
