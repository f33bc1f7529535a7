"""TL2: exact counts, shortest lengths, and the effect of each reading."""

from __future__ import annotations

import pytest

from counterpoint.models.explore import exhaustive
from counterpoint.spec.notation import Model
from counterpoint.spec.stm.tl2 import TL2
from tests.protocols import assert_counts, edges, lengths

OLD = {"fetch_and_increment": "old"}
TORN = lengths(16, 16, 15, 15, 15)


@pytest.mark.parametrize(
    ("given", "states", "transitions", "broken"),
    [
        ({}, 6815, 11066, {}),
        (OLD, 7767, 12700, TORN),
        ({"shortcut": "no"}, 7645, 12510, {}),
        ({"shortcut": "no", **OLD}, 7909, 12832, TORN),
        ({"clock": "pass"}, 8373, 13540, lengths(20, 20, 20, 20, 20)),
        ({"clock": "pass", "shortcut": "no"}, 9285, 15104, {}),
        ({"clock": "pass", "shortcut": "if-incremented"}, 8383, 13540, {}),
        ({"clock": "pass", **OLD}, 9443, 15318, lengths(17, 17, 16, 16, 16)),
        ({"objects": 1}, 462, 652, {}),
        ({"objects": 1, **OLD}, 516, 734, lengths(19, 19, 19, 19, 15)),
        ({"transactions": 1}, 58, 61, {}),
        ({"objects": 3}, 34879, 59516, {}),
        ({"transactions": 3, "operations": 1}, 70038, 133224, {}),
        ({"transactions": 3, "processes": 1}, 6328, 6771, {}),
    ],
)
def test_counts_and_shortest_lengths(
    given: dict[str, object], states: int, transitions: int, broken: dict[str, int]
) -> None:
    """A change of the protocol, of a reading or of a criterion."""
    assert_counts(TL2, given, states, transitions, broken)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "states", "transitions", "broken"),
    [
        ({}, 1824600, 3549999, {}),
        (OLD, 2232780, 4376463, TORN),
        ({"clock": "pass", "shortcut": "if-incremented"}, 2459829, 4728702, {}),
    ],
)
def test_three_transactions(
    given: dict[str, object], states: int, transitions: int, broken: dict[str, int]
) -> None:
    """A violation of TL2 that shows only with three transactions."""
    assert_counts(TL2, {"transactions": 3, **given}, states, transitions, broken)


def test_the_old_value_tears_a_snapshot_as_in_the_window_protocol() -> None:
    """Another anomaly than the window's, a reader with one old and one new value."""
    verdicts = exhaustive.check(Model(TL2(**OLD)))
    verdict = next(v for v in verdicts if v.claim.name == "opacity")
    assert verdict.trace is not None
    last = verdict.model.at(verdict.trace.states[-1])
    assert isinstance(last, TL2)
    assert any({last.source[t, 0], last.source[t, 1]} == {-1, 1 - t} for t in (0, 1))
    assert {(a, b) for a, b, _ in verdict.explanation.edges} == {("T0", "T1"), ("T1", "T0")}


def test_a_passed_clock_spares_both_validations() -> None:
    """Write skew missed that GV4 with GV1's shortcut allows: two updates with wv = rv + 1."""
    assert edges(TL2, "serializability", clock="pass") == {("T0", "T1"), ("T1", "T0")}
