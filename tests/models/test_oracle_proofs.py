"""Proofs by induction and for any number, compared with the oracle on random specs."""

from __future__ import annotations

from functools import partial
from typing import cast

import pytest

from tests.oracle.batches import any_number, proofs
from tests.oracle.comparing import Outcome
from tests.oracle.comparing_any_number import ForAnyNumber
from tests.oracle.random_specs import random_spec
from tests.oracle.random_specs_for_any_number import random_spec_for_any_number
from tests.oracle.seeds import answers, differences, this_week

CHUNK = 25
WEEKLY = 125


def assert_much_is_proved(outcomes: list[Outcome]) -> None:
    """Check that at least half of the true claims that were not refused are proved."""
    found = [cast(ForAnyNumber, outcome) for outcome in outcomes]
    true, proved = sum(o.true for o in found), sum(o.proved for o in found)
    assert true >= len(found), f"{true} true claims in {len(found)} specs are too few to judge"
    assert proved >= true / 2, f"{proved} of {true} true claims are proved"


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(2))
def test_what_is_proved_of_random_specs_is_true(chunk: int) -> None:
    """A proof of a claim that some state violates, or a run to an obstacle that is impossible."""
    seeds = range(chunk * CHUNK, chunk * CHUNK + CHUNK)
    outcomes, problems = differences(random_spec, seeds, partial(proofs, limit=300))
    assert not problems, problems
    assert answers(outcomes["induction"])["holds"] > CHUNK


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(2))
def test_what_is_proved_for_any_number_is_true_of_small_ones(chunk: int) -> None:
    """A proof of a claim that two or three members violate, or few proofs of true claims."""
    seeds = range(chunk * CHUNK, chunk * CHUNK + CHUNK)
    outcomes, problems = differences(random_spec_for_any_number, seeds, any_number)
    assert not problems, problems
    assert_much_is_proved(outcomes["any number"])


class Many:
    """More specs, with other seeds each week; each quarter runs on a worker of its own."""

    quarter: int

    def seeds(self, chunk: int) -> range:
        """Return the seeds of a chunk, which differ from those of the searches."""
        return this_week(500_000 + (self.quarter * 10 + chunk) * WEEKLY, WEEKLY)

    @pytest.mark.slow
    @pytest.mark.parametrize("chunk", range(10))
    def test_what_is_proved_of_many_random_specs_is_true(self, chunk: int) -> None:
        """A false proof of a spec with a new seed."""
        outcomes, problems = differences(random_spec, self.seeds(chunk), proofs)
        assert not problems, problems
        assert answers(outcomes["induction"])["holds"] > WEEKLY

    @pytest.mark.slow
    @pytest.mark.parametrize("chunk", range(10))
    def test_what_is_proved_for_any_number_of_many_is_true(self, chunk: int) -> None:
        """A false proof for any number of a spec with a new seed."""
        seeds = self.seeds(chunk)
        outcomes, problems = differences(random_spec_for_any_number, seeds, any_number)
        assert not problems, problems
        assert_much_is_proved(outcomes["any number"])


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
