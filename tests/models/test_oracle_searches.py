"""Searching engines and plain steps, compared with the oracle on random specs."""

from __future__ import annotations

from functools import partial

import pytest

from tests.needs import need
from tests.oracle.batches import searches
from tests.oracle.random_specs import random_spec
from tests.oracle.seeds import answers, differences, this_week

CHUNK = 40
WEEKLY = 125


@pytest.fixture(autouse=True, scope="module")
def compiler_is_there() -> None:
    """Require a C compiler, which some of each chunk's specs need."""
    need("gcc")


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(5))
def test_random_specs_are_explored_as_they_mean(chunk: int) -> None:
    """A wrong step, property, count or shortest length on a random spec."""
    seeds = range(chunk * CHUNK, chunk * CHUNK + CHUNK)
    outcomes, problems = differences(random_spec, seeds, partial(searches, limit=300, one_in=40))
    assert not problems, problems
    assert answers(outcomes["exhaustive"])["holds"] > 2 * CHUNK


class Many:
    """More specs, with other seeds each week; each quarter runs on a worker of its own."""

    quarter: int

    @pytest.mark.slow
    @pytest.mark.parametrize("chunk", range(10))
    def test_many_random_specs_are_explored_as_they_mean(self, chunk: int) -> None:
        """A wrong step, property, count or length on a spec with a new seed."""
        seeds = this_week((self.quarter * 10 + chunk) * WEEKLY, WEEKLY)
        outcomes, problems = differences(random_spec, seeds, searches)
        assert not problems, problems
        found = answers(outcomes["exhaustive"])
        assert found["refused"] < 0.3 * WEEKLY
        assert found["holds"] > WEEKLY
        assert found["violated"] > WEEKLY // 4


class TestFirstQuarter(Many):
    """Specs 0 to 1,249."""

    quarter = 0


class TestSecondQuarter(Many):
    """Specs 1,250 to 2,499."""

    quarter = 1


class TestThirdQuarter(Many):
    """Specs 2,500 to 3,749."""

    quarter = 2


class TestFourthQuarter(Many):
    """Specs 3,750 to 4,999."""

    quarter = 3
