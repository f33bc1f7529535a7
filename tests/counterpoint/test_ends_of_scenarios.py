"""What a scenario must say at its end, and errors of recorded runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint.models.scenarios import as_scenario, play_file

from .test_command_line import call

ENDS = """
from counterpoint import *

class Ends(Spec):
    at = Integer(0, 3)
    lit = Boolean()

    @action
    def go(s):
        require(s.at < 2)
        s.at = s.at + 1

    @action
    def switch(s):
        require(s.at == 0)
        s.lit = no(s.lit)

    @eventually
    def it_is_three(s):
        return s.at == 3

    @until
    def dark_until_two(s):
        return no(s.lit), s.at == 2

    @temporal
    def lit_again(s):
        return always(sometime(s.lit))
"""


@pytest.mark.parametrize(
    ("lines", "violated"),
    [
        ("go", ""),
        ("switch", "dark-until-two"),
        ("go\ngo", "it-is-three, lit-again"),
        ("for ever:\nswitch\nswitch", "it-is-three, dark-until-two"),
        ("go\nfor ever:", "it-is-three, dark-until-two, lit-again"),
    ],
)
def test_temporal_properties_that_the_run_violates_must_be_expected(
    lines: str, violated: str, tmp_path: Path
) -> None:
    """A scenario that agrees although its run alone shows that a temporal property is violated."""
    (tmp_path / "ends.py").write_text(ENDS)
    path = tmp_path / "run.scenario"
    path.write_text(f"spec: ends.py\n{lines}\n")
    (silent,) = play_file(path)
    assert (silent.failure is None) == (violated == "")
    if silent.failure is not None:
        assert silent.failure.reason.startswith(f"the run violates {violated}; if this is meant")
        path.write_text(f"spec: ends.py\n{lines}\nexpect property {violated} violated\n")
    (played,) = play_file(path)
    assert played.failure is None
    again = as_scenario(played.walk.model, played.trace, "again", folder=tmp_path)
    assert [line for line in again.splitlines() if line.endswith(f"property {violated} violated")] \
        or not violated  # fmt: skip
    path.write_text(again)
    assert play_file(path)[0].failure is None
    if "," in violated:
        one = violated.partition(",")[0]
        path.write_text(f"spec: ends.py\n{lines}\nexpect property {one} violated\n")
        assert play_file(path)[0].failure is not None


def test_an_error_of_a_recorded_run_names_its_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Several files to replay, and an error that does not say in which one it is."""
    path = tmp_path / "old.json"
    _, out, _ = call(capsys, "check", "peterson", "--set", "first=turn", "--format", "json")
    path.write_text(out.replace('"peterson"', '"petersen"'))
    code, _, err = call(capsys, "replay", str(path))
    assert code == 2
    assert err.startswith(f"counterpoint: {path}: there is no spec 'petersen'")
