"""``counterpoint evaluate`` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from counterpoint.console import run as run_command
from counterpoint.main import counterpoint

RUN = "1 Q0 a 1 3 us\n1 Q0 x 2 2 us\n1 Q0 b 3 1 us\n2 Q0 y 1 1 us\n"
QRELS = "1 0 a 1\n1 0 b 2\n1 0 c 1\n2 0 z 1\n3 0 z 1\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Return a run and its judgments."""
    run, qrels = tmp_path / "us.run", tmp_path / "judged.qrels"
    run.write_text(RUN)
    qrels.write_text(QRELS)
    return str(run), str(qrels)


def test_measures_are_printed(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """A table without the figures, or wider than a terminal."""
    assert run_command(counterpoint, ["evaluate", *files, "--topics"]) == 0
    text = capsys.readouterr().out
    assert "topic 1\n" in text
    assert "mean of 2 topics" in text
    assert f"  {'map':<14} {(1 + 2 / 3) / 3 / 2:>10.4f}" in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_topic_does_not_move_the_cursor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A topic name from a file that contains control characters of a terminal."""
    run, qrels = tmp_path / "a.run", tmp_path / "a.qrels"
    run.write_text("\x1b[2J Q0 a 1 3 us\n")
    qrels.write_text("\x1b[2J 0 a 1\n")
    assert run_command(counterpoint, ["evaluate", str(run), str(qrels), "--topics"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("topic \ufffd[2J\n") and "\x1b" not in out


def test_json(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """Figures that are rounded, or a variant without its name."""
    arguments = ["evaluate", *files, "--complete", "--format", "json", "--interpolation"]
    assert run_command(counterpoint, [*arguments, "trec_eval-10"]) == 0
    captured = json.loads(capsys.readouterr().out)
    assert captured["mean"]["map"] == pytest.approx((1 + 2 / 3) / 3 / 3)
    assert (captured["topics"], captured["interpolation"]) == (3, "trec_eval-10")


def test_a_wrong_file_is_refused(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A traceback, or an error without its line."""
    assert run_command(counterpoint, ["evaluate", files[1], files[0]]) == 2
    assert "line 1: 4 fields, not 6" in capsys.readouterr().err
    other = tmp_path / "other.qrels"
    other.write_text("9 0 a 1\n")
    assert run_command(counterpoint, ["evaluate", files[0], str(other)]) == 2
    assert "no topic in common" in capsys.readouterr().err
