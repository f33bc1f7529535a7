"""JVSTM: exact counts, shortest lengths, and the effect of each reading."""

from __future__ import annotations

import pytest

from counterpoint.models.explore import exhaustive
from counterpoint.models.prove import bounded
from counterpoint.spec.notation import Model, action, require
from counterpoint.spec.stm.jvstm import JVSTM
from tests.protocols import assert_counts, edges, lengths, violated


@pytest.mark.parametrize(
    ("given", "states", "transitions", "broken"),
    [
        ({}, 3735, 5722, {}),
        ({"tag": "current"}, 4115, 6320, lengths(10, 10, 9, 9, 9)),
        ({"advance": "first"}, 4095, 6490, lengths(11, 11, 10, 10, 10)),
        ({"validation": "writes"}, 3673, 5618, lengths(16, 16, 16, 16, 15)),
        ({"validation": "nothing"}, 3831, 5818, lengths(16, 16, 16, 16, 15)),
        ({"objects": 1}, 370, 500, {}),
        ({"objects": 1, "validation": "writes"}, 362, 488, {}),
        ({"objects": 1, "validation": "nothing"}, 382, 512, lengths(16, 16, 16, 16, 15)),
        ({"transactions": 1}, 51, 54, {}),
        ({"objects": 3}, 16291, 26212, {}),
        ({"transactions": 3, "operations": 1}, 29804, 49476, {}),
        ({"transactions": 3, "processes": 2}, 94940, 147936, {}),
    ],
)
def test_counts_and_shortest_lengths(
    given: dict[str, object], states: int, transitions: int, broken: dict[str, int]
) -> None:
    """A change of the protocol, of a reading or of a criterion."""
    assert_counts(JVSTM, given, states, transitions, broken)


@pytest.mark.slow
def test_three_transactions() -> None:
    """A violation of JVSTM that shows only with three transactions."""
    assert_counts(JVSTM, {"transactions": 3}, 575355, 1058112, {})


def test_snapshot_isolation_allows_write_skew_but_no_lost_update() -> None:
    """Validation of writes that validates reads, or that validates nothing."""
    assert edges(JVSTM, "serializability", validation="writes") == {("T0", "T1"), ("T1", "T0")}


class ImpatientReader(JVSTM):
    """A reader that aborts on a version newer than its snapshot, though older ones are kept."""

    @action
    def read(s, t, x):
        require(s.may_operate("r", t, x))
        if s.version_at(s.start[t], x) != s.writer[x]:
            s.record_abort(t)
            s.forget(t)
        else:
            s.record_read_of(t, x, s.writer[x])


class WaitingReader(JVSTM):
    """A transaction that read an old version cannot commit; otherwise nothing is wrong."""

    @action
    def commit_read_only(s, t):
        require(s.may_commit(t))
        require(not s.writes_something(t))
        require(all(s.is_valid(t, x) for x in s.objects))
        s.record_commit(t)
        s.forget(t)


@pytest.mark.parametrize(
    ("slip", "broken"),
    [(ImpatientReader, "readers-never-abort"), (WaitingReader, "no-deadlock")],
)
def test_a_slip_is_caught(slip: type[JVSTM], broken: str) -> None:
    """A property that cannot fail."""
    assert broken in violated(exhaustive.check(Model(slip())))


def test_bounded_finds_the_same_length() -> None:
    """z3 and the explorer differ in the length of the shortest counterexample."""
    model = Model(JVSTM(tag="current"))
    wanted = [model.property_named("opacity")]
    assert violated(bounded.check(model, wanted=wanted, steps=9)) == {"opacity": 9}
