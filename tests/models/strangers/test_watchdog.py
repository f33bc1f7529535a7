"""Actions that do not terminate: the time limit ends the check."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from counterpoint.console import run
from counterpoint.main import counterpoint
from counterpoint.models.checking import watchdog
from counterpoint.models.checking.engines import check as check_model
from counterpoint.models.limits import Limits
from counterpoint.models.loading import load

from .check import check, write

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


@pytest.mark.long
@pytest.mark.parametrize("engine", ["exhaustive", "bounded", "induction", "stateful"])
@pytest.mark.parametrize("name", LOOPS)
def test_an_endless_action_is_reported(
    name: str,
    engine: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A check that runs for ever in spite of its time limit."""
    monkeypatch.setattr(watchdog, "GRACE", 0.3)
    found = check(tmp_path, SPEC + LOOPS[name], engine, capsys, "--time-limit", "0.7")
    assert found.code == 3
    row = found.rows[engine, "ranges"]
    assert row["verdict"] == "unknown"
    assert f"was reached in {tmp_path}/theirs.py:" in str(row["reason"])


def test_an_endless_action_in_a_file_named_relatively(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An endless loop that is ended only if the file was named by an absolute path."""
    monkeypatch.setattr(watchdog, "GRACE", 0.3)
    path = write(tmp_path, SPEC + LOOPS["on the state"])
    monkeypatch.chdir(tmp_path)
    code = run(counterpoint, ["check", path.name, "--engine", "exhaustive", "--time-limit", "0.5"])
    assert code == 3
    assert "was reached in" in capsys.readouterr().out


SLOW = """\
def busy():
    for i in range(20000):
        pass

class Theirs(Spec):
    n = Integer(0, 300)
    m = Integer(0, 300)

    @action
    def up(s):
        require(s.n < 300)
        busy()
        s.n += 1

    @action
    def on(s):
        require(s.m < 300)
        busy()
        s.m += 1

    @invariant
    def small(s): return s.n + s.m < 6
"""


def test_a_violation_found_in_time_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A violation that is lost because the comparison of engines runs into the time limit."""
    monkeypatch.setattr(watchdog, "GRACE", 0.3)
    found = check(
        tmp_path, SLOW, "exhaustive", capsys, "--explorer", "python", "--time-limit", "0.2"
    )
    assert found.answers("small") == {"exhaustive": "violated"}
    assert found.code == 1


def test_an_alarm_of_the_caller_is_kept() -> None:
    """A time limit of the caller that never fires."""
    came = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: came.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 600)
        check_model(load("peterson"), "exhaustive", Limits(30.0))
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
        signal.raise_signal(signal.SIGALRM)
        assert came
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
