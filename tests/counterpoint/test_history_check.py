"""``counterpoint history check`` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from counterpoint.console import run as run_command
from counterpoint.main import counterpoint

SKEW: list[dict[str, Any]] = [
    {"type": "begin", "process": 0},
    {"type": "begin", "process": 1},
    {"type": "read", "process": 0, "object": "x", "value": None},
    {"type": "read", "process": 1, "object": "y", "value": None},
    {"type": "write", "process": 0, "object": "y", "value": 1},
    {"type": "write", "process": 1, "object": "x", "value": 2},
    {"type": "commit", "process": 0},
    {"type": "commit", "process": 1},
]


def _file(folder: Path, events: list[dict[str, Any]]) -> str:
    path = folder / "history.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in events))
    return str(path)


def _check(*arguments: str) -> int:
    return run_command(counterpoint, ["history", "check", *arguments])


def test_the_first_violation_is_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Catches a table without the reason, or wider than a terminal, or exit code 0."""
    assert _check(_file(tmp_path, SKEW)) == 1
    out = capsys.readouterr().out
    assert "violated  serializability: write skew (G2-item)\n" in out
    assert "T0 read the initial x (line 3), before T1 overwrote x with 2." in out
    assert out.endswith("The strongest that holds: causal and snapshot-isolation.\n")
    assert max(map(len, out.splitlines())) <= max(80, len(str(tmp_path)) + 60)


@pytest.mark.parametrize(("name", "code"), [("snapshot-isolation", 0), ("opacity", 1)])
def test_one_criterion_decides_the_exit_code(tmp_path: Path, name: str, code: int) -> None:
    """Catches an exit code that is about other criteria than those that were asked for."""
    assert _check(_file(tmp_path, SKEW), "--criterion", name) == code


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Catches a key that programs need and that is missing."""
    assert _check(_file(tmp_path, SKEW), "--format", "json") == 1
    report = json.loads(capsys.readouterr().out)
    found = {one["criterion"]: one for one in report["criteria"]}
    assert report["strongest"] == ["causal", "snapshot-isolation"]
    assert found["read-committed"] == {
        "criterion": "read-committed", "answer": "holds", "implied_by": "snapshot-isolation"
    }  # fmt: skip
    assert found["opacity"]["anomaly"] == "write skew (G2-item)"
    assert found["opacity"]["cycle"][0] == {
        "from": "T0", "to": "T1", "kind": "rw", "object": "x"
    }  # fmt: skip


def test_a_history_without_commits_shows_little(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Catches the best grade without a hint for a memory that aborts all, and a false alarm."""
    said = "No transaction is known to have committed, so what holds shows little."
    aborted = [one | ({"type": "abort"} if one["type"] == "commit" else {}) for one in SKEW]
    half = [*aborted[:-1], SKEW[-1]]
    for events, warned in ((aborted, [said]), (half, []), (SKEW, [])):
        name = _file(tmp_path, events)
        _check(name, "--format", "json")
        assert json.loads(capsys.readouterr().out)["warnings"] == warned
        _check(name)
        assert (said in capsys.readouterr().out) == bool(warned)


def test_annotations_of_github(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Catches an annotation that breaks over lines, or one for what holds."""
    name = _file(tmp_path, SKEW)
    assert _check(name, "--format", "github", "--criterion", "serializability") == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"::error file={name},title=serializability::write skew (G2-item): T0")


def test_the_page_shows_the_transactions(tmp_path: Path) -> None:
    """Catches a page without a reason or a lane, or with markup out of the history."""
    events = [dict(one) for one in SKEW]
    for one in events:
        if one.get("object") == "x":
            one["object"] = "<x>"
    page = tmp_path / "page.html"
    assert _check(_file(tmp_path, events), "--html", str(page)) == 1
    text = page.read_text()
    assert "&lt;x&gt;" in text and "<x>" not in text
    assert text.count('class="bar') == 2 and text.count('class="arrow"') == 2


def test_wrong_files_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Catches a traceback, or a message without file and line."""
    name = _file(tmp_path, SKEW[:2] + SKEW[1:2])
    assert _check(name) == 2
    error = capsys.readouterr().err
    assert f"{name}: line 3: process 1 begins a transaction" in error
    assert _check(name, "--criterion", "opaque") == 2
    assert "'opaque' is none of read-committed," in capsys.readouterr().err


def test_names_do_not_move_the_cursor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Catches control characters of a terminal in names from the file."""
    events = [{**one, "object": "\x1b[2J"} if "object" in one else one for one in SKEW]
    assert _check(_file(tmp_path, events)) == 1
    assert "\x1b" not in capsys.readouterr().out


def test_open_orders_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Catches that an answer rests on open orders, and the output does not say so.

    Writes of y end in the other order than those of x are read in: a guess by the ends fails.
    """
    events: list[dict[str, Any]] = []
    for process, value in ((0, 1), (1, 2)):
        events += [
            {"type": "begin", "process": process},
            {"type": "write", "process": process, "object": "x", "value": value},
        ]
    events += [{"type": "commit", "process": 0}, {"type": "commit", "process": 1}]
    events += [
        {"type": "begin", "process": 2},
        {"type": "read", "process": 2, "object": "x", "value": 1},
        {"type": "commit", "process": 2},
    ]
    assert _check(_file(tmp_path, events)) == 0
    out = capsys.readouterr().out
    assert "tms2  (1 pair of versions in an open order, 1 forced)" in out


@pytest.mark.parametrize(
    "text", ['{"type": "history"}\n', "{:type :invoke :process 0 :f :read :value nil}\n"]
)
def test_a_file_without_transactions_is_wrong(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Catches a recording that failed and that CI takes for one that satisfies all."""
    path = tmp_path / "history"
    path.write_text(text)
    for kernel in ("python", "auto"):
        assert _check(str(path), "--kernel", kernel) == 2
        assert "it has no transaction" in capsys.readouterr().err
