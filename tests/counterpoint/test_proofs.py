"""Proofs on the command line, and what is printed where a proof fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.counterpoint.test_command_line import call


def test_a_proof_in_one_command(capsys: pytest.CaptureFixture[str]) -> None:
    """A proof that does not state its extent, or that lists properties nobody asked for."""
    code, out, _ = call(capsys, "check", "window-stm", "--engine", "any-number",
                        "--property", "opacity")  # fmt: skip
    assert code == 0
    assert "any number of transactions" in out
    assert "  holds     18 lemmas\n" in out
    assert "the-clock-is-ahead" not in out


@pytest.mark.long
def test_a_lemma_that_fails_is_shown_with_its_state(capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown verdict that does not show the failing lemma."""
    code, out, _ = call(capsys, "check", "window-stm", "--set", "recheck-locked=ignore",
                        "--engine", "induction", "--property", "opacity")  # fmt: skip
    assert code == 3
    assert "holds     opacity                        every step" in out  # 2 x 2: four break it
    assert "reads-are-explained it rests on lemmas that are not inductive" in " ".join(out.split())
    assert "readers-precede-what-is-to-come not kept by read(t=T1, x=y)" in out
    assert "  stage[T0] = PUBLISHING\n" in out
    assert "It is not one of the 109,908 states reached with transactions=2, objects=2." in out
    assert "without readers-precede-what-is-to-come it is not kept by publish" in (
        " ".join(out.split()).replace("to- come", "to-come")
    )
    assert "16 other lemmas" in out


@pytest.mark.long
def test_a_false_lemma_replays(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A run to a violated lemma that plain Python does not confirm."""
    code, out, _ = call(capsys, "check", "window-stm", "--set", "fetch-and-increment=old",
                        "--engine", "induction", "--format", "json")  # fmt: skip
    assert code == 1
    false = [v for v in json.loads(out) if v["verdict"] == "violated"]
    assert {v["property"]: v["depth"] for v in false} == {
        "updates-follow-what-they-saw": 5,
        "readers-precede-what-is-to-come": 7,
    }
    path = tmp_path / "found.json"
    path.write_text(out)
    code, out, _ = call(capsys, "replay", str(path))
    assert code == 0
    assert out.count("agrees") == 2
