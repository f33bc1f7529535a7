"""A look at the first states finds lassos as short as those among all states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from counterpoint.models.checking.engines import Options, check
from counterpoint.models.explore import exhaustive
from counterpoint.models.explore.compiled.compiler import NoCompiler
from counterpoint.models.explore.python import generated
from counterpoint.models.loading import load

from .test_compiled import RING, drawn


class Never:
    """A compiled explorer that never gets ready."""

    def __init__(self, *_: Any) -> None:
        pass

    def ready(self) -> bool:
        """Return false."""
        return False

    def stop(self) -> None:
        """Do nothing."""


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look after a few states, and go on in Python."""
    monkeypatch.setattr(exhaustive, "WORTH_COMPILING", 4)
    monkeypatch.setattr(generated, "CHUNK", 3)
    monkeypatch.setattr(exhaustive, "CompiledExplorer", Never)


@pytest.mark.usefixtures("soon")
def test_lassos_are_as_short_as_among_all_states(tmp_path: Path) -> None:
    """A lasso that is longer than another one, or none of the spec, since states are missing."""
    early = 0
    for seed in range(25):
        model = drawn(seed, tmp_path, 60)
        full = check(model, wanted=model.temporal, options=Options(explorer="python"))
        for claim, whole in zip(model.temporal, full, strict=True):
            (found,) = check(model, wanted=[claim])
            assert found.answer == whole.answer, (seed, claim.name)
            if found.trace is not None and "found among the first" in found.notes[0]:
                early += 1
                assert whole.trace is not None
                assert len(found.trace.steps) <= len(whole.trace.steps), (seed, claim.name)
    assert early >= 8


@pytest.mark.usefixtures("soon")
def test_some_early_and_some_late(tmp_path: Path) -> None:
    """A property that is left out, or takes the place of another, if some are decided early."""
    path = tmp_path / "ring.py"
    path.write_text(RING.replace("Index(12", "Index(5").replace("% 12", "% 5"))
    model = load(str(path), ["fairness=strong"])
    found = check(model, wanted=model.temporal)
    full = check(model, wanted=model.temporal, options=Options(explorer="python"))
    assert [v.claim.name for v in found] == [v.claim.name for v in full]
    assert [v.answer for v in found] == [v.answer for v in full]
    assert {v.answer for v in found} == {"holds", "violated"}


def test_many_idle_promises_are_counted() -> None:
    """An explanation with a line for each of forty promises."""
    model = load("philosophers", ["philosophers=10", "fairness=weak"])
    (found,) = check(model, wanted=[model.property_named("who-is-hungry-eats")])
    assert found.notes[0].startswith("found among the first 2,983 states")
    lines = found.explanation.lines
    assert len(lines) == 6
    assert lines[-1] == "35 other fair actions have no step in the cycle that changes the state"


DEEPER = """
from counterpoint import Index, Integer, Spec, action, eventually, require

STEPS = (*((0, k) for k in range(1, 8)), *((k, k % 6 + 1) for k in range(1, 7)),
         (7, 8), (8, 9), (9, 8), (9, 10))

class Deeper(Spec):
    \"\"\"A long cycle near the start, and a short one that is deeper.\"\"\"
    ways = Index(len(STEPS), names="w", at_most=99)
    at = Integer(0, 10)

    @action(fair="weak", fair_for=())
    def go(s, w):
        require(s.at == tuple(a for a, _ in STEPS)[w])
        s.at = tuple(b for _, b in STEPS)[w]

    @eventually
    def the_end(s):
        return s.at == 10
"""


@pytest.mark.usefixtures("soon")
def test_a_long_lasso_is_not_taken_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lasso among the first states that is longer than one that leaves them."""
    monkeypatch.setattr(exhaustive, "WORTH_COMPILING", 11)
    path = tmp_path / "deeper.py"
    path.write_text(DEEPER)
    (found,) = [v for v in check(load(str(path))) if v.claim.name == "the-end"]
    assert found.extent == "2 steps, then 2 for ever"


@pytest.mark.usefixtures("soon")
def test_without_a_compiler_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without a compiler that explores all states for a lasso among the first."""

    def refuse(*_: Any) -> None:
        raise NoCompiler("none here")

    monkeypatch.setattr(exhaustive, "CompiledExplorer", refuse)
    monkeypatch.setattr(exhaustive, "WORTH_COMPILING", 60)
    path = tmp_path / "ring.py"
    path.write_text(RING.replace("Index(12", "Index(8").replace("% 12", "% 8"))
    model = load(str(path), ["fairness=none"])
    claim = model.property_named("the-first-is-marked")
    (found,) = check(model, wanted=[claim])
    assert found.notes[0].startswith("found among the first")
