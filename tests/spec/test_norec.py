"""NOrec: exact counts, shortest lengths, and the effect of each reading."""

from __future__ import annotations

import pytest

from counterpoint.spec.stm.norec import NOrec
from tests.protocols import assert_counts, lengths

SAME = {"values": "two"}
TWO_UPDATES = "r x, r y; w y; w x, w y"
LATE = lengths(22, 22, 21, 21, 21)


@pytest.mark.parametrize(
    ("given", "states", "transitions", "broken"),
    [
        ({}, 3359, 4796, {}),
        ({"comparison": "once"}, 3359, 4796, {}),
        ({"comparison": "late"}, 3359, 4796, {}),
        (SAME, 3449, 4892, lengths(17, 17, 16, 16, 15)),
        ({"objects": 1}, 289, 366, {}),
        ({"transactions": 1}, 43, 46, {}),
        ({"objects": 3}, 15424, 23038, {}),
        ({"transactions": 3, "operations": 1}, 27046, 41262, {}),
        ({"transactions": 3, "processes": 1}, 4663, 5106, {}),
        ({"programs": TWO_UPDATES}, 1366, 2050, {}),
        ({"programs": TWO_UPDATES, "comparison": "late"}, 1374, 2056, LATE),
    ],
)
def test_counts_and_shortest_lengths(
    given: dict[str, object], states: int, transitions: int, broken: dict[str, int]
) -> None:
    """A change of the protocol, of a reading or of a criterion.

    With two values, the criteria that depend on the writer of a value fail; opacity of values
    holds.
    """
    assert_counts(NOrec, given, states, transitions, broken)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "states", "transitions", "broken"),
    [
        ({}, 646758, 1057431, {}),
        ({"comparison": "once"}, 643554, 1066287, {}),
        ({"comparison": "late"}, 646722, 1056819, LATE),
        (SAME, 689018, 1118651, lengths(17, 17, 16, 16, 15)),
    ],
)
def test_three_transactions(
    given: dict[str, object], states: int, transitions: int, broken: dict[str, int]
) -> None:
    """A comparison that is not atomic: one update starts it, a second one happens in its middle."""
    assert_counts(NOrec, {"transactions": 3, **given}, states, transitions, broken)
