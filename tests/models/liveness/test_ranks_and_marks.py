"""Ranks in classes for proofs, and marks of ranks that are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint import Integer, Spec, SpecError, action, decreases, infinitely_often, ite
from counterpoint.console import run
from counterpoint.main import counterpoint
from counterpoint.models import loading
from counterpoint.spec.notation import Model

from .test_ranks import Wide, proved


class Thinks(Wide):
    """The same from a smaller number, with a step that changes nothing."""

    name = "thinks"
    n = Integer(0, 3, initially=3)

    @action(fair="weak")
    def think(s):
        s.over = s.over

    @infinitely_often
    def it_thinks(s):
        return s.n < 0


class RecordedThinks(Thinks):
    """A proof that records in a step which changes nothing else."""

    name = "recorded-thinks"
    tries = Integer(0, 5)

    @action(fair="weak")
    def think(s):
        s.tries = ite(s.tries < 5, s.tries + 1, 0)

    @decreases(of=Thinks.it_thinks)
    def left_to_think(s):
        return 0


class OtherRange(Thinks):
    """A proof in which a step is possible that leaves a range of the spec."""

    name = "other-range"
    n = Integer(0, 4, initially=3)


def key(spec: type[Spec]) -> str:
    """Return a class's key in the table of proofs."""
    return f"{spec.__module__}:{spec.__qualname__}"


def test_what_a_proof_records_is_no_part_of_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that changes only what a proof records, and that counts as promised progress."""
    monkeypatch.setitem(loading.PROOFS, key(Thinks), (key(RecordedThinks),))
    (found,) = proved(Model(Thinks()), "it-thinks").values()
    assert found.answer == "unknown" and "no promise of fairness" in found.reason
    text = "\n".join(found.explanation.lines)
    assert "think() does not help" not in text


def test_a_proof_with_other_ranges_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A promise that is due in the proof, where the spec's step would leave a range."""
    monkeypatch.setitem(loading.PROOFS, key(Thinks), (key(OtherRange),))
    (found,) = proved(Model(Thinks()), "it-runs").values()
    assert found.answer == "unknown" and "n has another range in other-range" in found.reason


WRONG_MARKS = {
    "@decreases\n    def w(s):\n        return s.at": "names a temporal property",
    "@decreases(of=small)\n    def w(s):\n        return s.at": "names a temporal property",
    "@decreases(of='far')\n    def w(s):\n        return s.at": "names a temporal property",
    "@decreases(of=far)\n    def w(s, p):\n        return s.at": "is written def w(s)",
    "@decreases(of=far)\n    def w(s):\n        return s.at\n"
    "    @decreases(of=far)\n    def v(s):\n        return s.at": "far has two ranks, w and v",
}


@pytest.mark.parametrize("body", WRONG_MARKS, ids=range(len(WRONG_MARKS)))
def test_wrong_marks_are_refused_in_one_line(
    body: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A traceback, or a rank of nothing."""
    said = refused(body, [], tmp_path, capsys)
    assert WRONG_MARKS[body] in said


WRONG_RESULTS = {
    "return ()": "a whole number, or a tuple of whole numbers",
    "return 'x'": "in w: ",
    "return s.at, None": "in w: ",
    "return (s.at, 1) if s.at == 1 else s.at": "1 numbers in some states and 2 in others",
}


@pytest.mark.parametrize("body", WRONG_RESULTS)
def test_wrong_results_are_refused_in_one_line(
    body: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A rank that is no number, or that cannot be compared."""
    mark = f"@decreases(of=far)\n    def w(s):\n        {body}"
    said = refused(mark, ["--engine", "induction"], tmp_path, capsys)
    assert WRONG_RESULTS[body] in said


def refused(body: str, options: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Return the line in which the command line refuses a spec with some method."""
    path = folder / "wrong.py"
    path.write_text(
        "from counterpoint import *\n\nclass Wrong(Spec):\n    at = Integer(0, 2)\n\n"
        "    @action\n    def go(s):\n        s.at = 1\n\n"
        "    @invariant\n    def small(s):\n        return s.at < 3\n\n"
        f"    @eventually\n    def far(s):\n        return s.at == 1\n\n    {body}\n"
    )
    assert run(counterpoint, ["check", str(path), *options]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and ("wrong.py" in said or "wrong:" in said)
    return said


def test_a_mark_names_a_property_of_a_base_class() -> None:
    """A rank in a class for proofs, of a property that its base declares."""
    assert Model(RecordedThinks()).ranks["it_thinks"].method == "left_to_think"
    with pytest.raises(SpecError, match="names a temporal property"):
        decreases(of=Wide.not_too_early)
