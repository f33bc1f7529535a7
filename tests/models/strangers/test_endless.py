"""Actions that do not end: the time limit ends them."""

from __future__ import annotations

from pathlib import Path

import pytest

from models import endless

from .check import check

LOOPS = {
    "on integers": "        i = 0\n        while True:\n            i += 1\n",
    "on the state": "        while s.n < 4:\n            pass\n",
    "in what it calls": "        helped(s)\n",
}

SPEC = """\
def helped(s):
    while s.n < 4:
        pass

class Theirs(Spec):
    n = Integer(0, 3)

    @action
    def theirs(s):
"""


@pytest.mark.parametrize("engine", ["exhaustive", "bounded", "induction", "stateful"])
@pytest.mark.parametrize("name", LOOPS)
def test_an_action_that_does_not_end_is_told(
    name: str,
    engine: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A check that goes on for ever in spite of its time limit."""
    monkeypatch.setattr(endless, "GRACE", 0.1)
    found = check(tmp_path, SPEC + LOOPS[name], engine, capsys, "--time-limit", "0.7")
    assert found.code == 3
    row = found.rows[engine, "ranges"]
    assert row["verdict"] == "unknown"
    assert f"was reached in {tmp_path}/theirs.py:" in str(row["reason"])
