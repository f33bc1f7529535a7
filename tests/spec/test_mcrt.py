"""McRT: an exposed write in the published protocol, and its correction."""

from __future__ import annotations

import pytest

from counterpoint.models.explore import exhaustive
from counterpoint.models.prove import bounded
from counterpoint.spec.notation import Model
from counterpoint.spec.stm.mcrt import McRT
from tests.protocols import assert_counts, edges, lengths, violated

EXPOSED = {"virtual-world-consistency": 5, "opacity": 5, "tms2": 5}
TORN = {"virtual-world-consistency": 11, "opacity": 11, "tms2": 11}


@pytest.mark.parametrize(
    ("given", "states", "transitions", "broken"),
    [
        ({}, 3770, 5290, EXPOSED),
        ({"read_check": "record"}, 3870, 5708, TORN),
        ({"read_check": "all-records"}, 3858, 5692, {}),
        ({"undo_version": "same"}, 3746, 5266, lengths(10, 10, 5, 5, 5)),
        (
            {"undo_version": "same", "read_check": "all-records"},
            3842,
            5676,
            lengths(11, 11, 9, 9, 9),
        ),
        ({"objects": 1}, 298, 350, EXPOSED),
        ({"objects": 1, "read_check": "record"}, 291, 370, {}),
        ({"transactions": 1}, 37, 40, {}),
        ({"objects": 3}, 16492, 24934, EXPOSED),
        ({"transactions": 3, "operations": 1}, 27310, 37062, EXPOSED),
    ],
)
def test_counts_and_shortest_lengths(
    given: dict[str, object], states: int, transitions: int, broken: dict[str, int]
) -> None:
    """A change of the protocol, of a reading or of a criterion.

    In the published protocol, committed transactions are strictly serializable: only a doomed one
    reads an exposed write.
    """
    assert_counts(McRT, given, states, transitions, broken)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "states", "transitions", "broken"),
    [
        ({}, 1239322, 1868490, EXPOSED),
        ({"read_check": "all-records"}, 864290, 1365660, {}),
    ],
)
def test_three_transactions(
    given: dict[str, object], states: int, transitions: int, broken: dict[str, int]
) -> None:
    """A violation of the corrected protocol that shows only with three transactions."""
    assert_counts(McRT, {"transactions": 3, **given}, states, transitions, broken)


def test_the_counterexample_is_an_exposed_write() -> None:
    """Another anomaly than a read of a value whose transaction has not requested its commit."""
    verdicts = exhaustive.check(Model(McRT()))
    verdict = next(v for v in verdicts if v.claim.name == "opacity")
    assert verdict.explanation.lines == ("T0 read what T1 wrote, but T1 did not commit.",)


def test_a_look_at_one_record_leaves_a_torn_snapshot() -> None:
    """A second flaw that the first one hides."""
    assert edges(McRT, "opacity", read_check="record") == {("T0", "T1"), ("T1", "T0")}


def test_bounded_finds_the_same_lengths() -> None:
    """z3 and the explorer differ in the length of the shortest counterexample."""
    assert violated(bounded.check(Model(McRT()), steps=5)) == EXPOSED
