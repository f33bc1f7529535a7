"""A few random specs against the oracle, for mutants: the suite has the same tests with more."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.oracle import comparing
from tests.oracle.comparing import Judged, Outcome
from tests.oracle.comparing_any_number import for_any_number
from tests.oracle.random_specs import random_spec
from tests.oracle.random_specs_for_any_number import random_spec_for_any_number

LIMIT = 60
"""States that the oracle visits of a spec, at most."""


def assert_right(compare: Callable[[Judged], Outcome], seeds: range, limit: int = LIMIT) -> None:
    """Compare some random specs."""
    for seed in seeds:
        judged = Judged(random_spec(seed), limit)
        if not judged.large:
            assert compare(judged).wrong == []


def test_all_states() -> None:
    """A state, a count or a verdict that is not what the text means."""
    assert_right(comparing.full, range(12))


def test_runs_of_few_steps() -> None:
    """The same of bounded runs."""
    assert_right(comparing.in_steps, range(5))


def test_proofs() -> None:
    """A proof of what some state breaks."""
    assert_right(comparing.proved, range(8))


@pytest.mark.parametrize("seed", range(4))
def test_proofs_for_any_number(seed: int) -> None:
    """The same for any number."""
    assert for_any_number(random_spec_for_any_number(seed)).wrong == []
