"""Errata: each entry is checked in its printed and its corrected reading."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from counterpoint.commands.specs import errata as command
from counterpoint.console import run
from counterpoint.main import counterpoint as commands
from counterpoint.models.checking.replaying import read_records, replay_record
from counterpoint.models.limits import Limits
from counterpoint.models.sweeps.errata import examine
from counterpoint.spec.errata import ERRATA
from tests.examples import one_in

CLOCK = ERRATA["window-stm-clock"]


@pytest.mark.long
@pytest.mark.parametrize("name", one_in(3, ERRATA))
def test_every_entry_is_confirmed(name: str) -> None:
    """An entry whose printed reading violates nothing, or whose correction violates something."""
    found = examine(ERRATA[name])
    assert (found.answer, found.surprises) == ("confirmed", ())
    assert found.printed.trace is not None
    model = found.corrected[0].model
    assert [v.claim.name for v in found.corrected] == [p.name for p in model.all_properties]


def test_an_entry_that_is_wrong_is_not_confirmed() -> None:
    """An erratum that is confirmed whatever the checks find."""
    turned = replace(CLOCK, as_printed=CLOCK.as_corrected, as_corrected=CLOCK.as_printed)
    found = examine(turned)
    assert found.answer == "not confirmed"
    assert found.surprises[0] == "as printed, opacity holds (all states)"
    assert "as corrected, violated: serializability," in found.surprises[1]
    late = examine(CLOCK, Limits(1e-6))
    assert late.answer == "unknown"


def test_misprints_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """An entry that is shown as checked, or a figure that does not follow from the others."""
    assert run(commands, ["errata", "cs2-milliseconds"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith("cs2-milliseconds: misprint source Broder")
    pages, links = 203, 1_466  # millions
    assert f"take {links * 1e6 * 0.15e-3 / 3600:.0f} hours" in out
    assert f"{links / pages * 100:.0f} million, take {links / pages * 15:.0f} seconds" in out
    assert run(commands, ["errata", "r3-label", "--format", "json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)
    assert entry["answer"] == "misprint" and entry["corrected"] == "It is S_R3(N)."
    assert run(commands, ["errata", "r3-lable"]) == 2
    assert "did you mean r3-label?" in capsys.readouterr().err


@pytest.mark.long
def test_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Output without a trace or with long lines, or an exit code that contradicts the result."""
    assert run(commands, ["errata", "window-stm-clock"]) == 0
    out = capsys.readouterr().out
    assert "opacity is violated after 13 steps" in out
    assert "T0 must precede T1" in out
    assert "our reconstruction" in " ".join(out.split())
    assert all(len(line) <= 80 for line in out.splitlines() if "counterpoint check" not in line)
    two = {name: ERRATA[name] for name in ("window-stm-clock", "r2-exhausted")}
    monkeypatch.setattr(command, "ERRATA", two)
    monkeypatch.setattr(command, "MISPRINTS", {})
    assert run(commands, ["errata", "--format", "json"]) == 0
    entry, _ = json.loads(capsys.readouterr().out)
    (record,) = read_records(json.dumps(entry["printed_verdict"]), "errata")
    assert replay_record(record).agrees
    wrong = replace(CLOCK, as_printed=CLOCK.as_corrected)
    monkeypatch.setattr(command, "ERRATA", {"wrong": wrong})
    assert run(commands, ["errata"]) == 1
    assert "not confirmed" in capsys.readouterr().out
    assert run(commands, ["errata", "--time-limit", "0.000001"]) == 3
    assert run(commands, ["errata", "wron"]) == 2
    assert "did you mean wrong?" in capsys.readouterr().err
