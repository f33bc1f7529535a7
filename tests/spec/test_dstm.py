"""DSTM: write skew in the published protocol, and its two corrections."""

from __future__ import annotations

import pytest

from counterpoint.models.prove import bounded
from counterpoint.spec.notation import Model
from counterpoint.spec.stm.dstm import DSTM
from tests.protocols import assert_counts, edges, lengths, violated

SKEW = lengths(12, 12, 12, 12, 12)
DOOMED = {"opacity": 14, "tms2": 14}
READER = "r x, w y; r y, r x; w x"


@pytest.mark.parametrize(
    ("given", "states", "transitions", "broken"),
    [
        ({}, 2744, 3942, SKEW),
        ({"read_conflict": "old-version"}, 2550, 3744, SKEW),
        ({"write_conflict": "abort-self"}, 2790, 3998, SKEW),
        ({"validation": "owners-at-commit"}, 2816, 3972, {}),
        ({"validation": "owners"}, 2790, 3944, {}),
        (
            {
                "validation": "owners",
                "read_conflict": "old-version",
                "write_conflict": "abort-self",
            },
            2810,
            3984,
            {},
        ),
        ({"objects": 1}, 248, 304, {}),
        ({"transactions": 1}, 36, 39, {}),
        ({"objects": 3}, 12214, 18802, SKEW),
        ({"transactions": 3, "operations": 1}, 22690, 33288, {}),
        ({"programs": READER, "validation": "owners-at-commit"}, 1744, 2385, DOOMED),
        ({"programs": READER, "validation": "owners"}, 1737, 2373, {}),
    ],
)
def test_counts_and_shortest_lengths(
    given: dict[str, object], states: int, transitions: int, broken: dict[str, int]
) -> None:
    """A change of the protocol, of a reading or of a criterion."""
    assert_counts(DSTM, given, states, transitions, broken)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "states", "transitions", "broken"),
    [
        ({"validation": "owners"}, 583726, 853938, {}),
        ({}, 557044, 837798, SKEW),
        ({"validation": "owners-at-commit"}, 592594, 865518, DOOMED),
    ],
)
def test_three_transactions(
    given: dict[str, object], states: int, transitions: int, broken: dict[str, int]
) -> None:
    """A violation that shows only with three transactions."""
    assert_counts(DSTM, {"transactions": 3, **given}, states, transitions, broken)


def test_the_counterexample_is_write_skew() -> None:
    """Another anomaly than two committed transactions that overwrite each other's reads."""
    assert edges(DSTM, "serializability") == {("T0", "T1"), ("T1", "T0")}


def test_the_half_mend_shows_a_doomed_reader_both_sides_of_a_commit() -> None:
    """Another anomaly than a reader that sees T0's update in one object, not in the other."""
    found = edges(DSTM, "opacity", programs=READER, validation="owners-at-commit")
    assert found == {("T0", "T2"), ("T2", "T1"), ("T1", "T0")}


@pytest.mark.slow
def test_bounded_finds_the_same_length() -> None:
    """z3 and the explorer differ in the length of the shortest counterexample."""
    model = Model(DSTM())
    wanted = [model.property_named("serializability")]
    assert violated(bounded.check(model, wanted=wanted, steps=12)) == {"serializability": 12}
