"""How often pages change, fitted to captures that were drawn from a known law."""

from __future__ import annotations

import numpy as np
import pytest

from counterpoint.studies.fitting.measuring.changes import Rates, Seen, rates

STATIC, PER_DAY, SPREAD = 0.3, 0.2, 0.8


def drawn(pages: int, intervals: int, seed: int) -> list[Seen]:
    """Return what captures would show of pages that change by the law of a profile."""
    chance = np.random.default_rng(seed)
    found = []
    for _ in range(pages):
        days = tuple(float(d) for d in chance.choice([1, 2, 4, 8], intervals))
        rate = PER_DAY * np.exp(SPREAD * chance.standard_normal() - SPREAD**2 / 2)
        rate = 0.0 if chance.random() < STATIC else rate
        found.append(Seen(days, tuple(bool(chance.random() < -np.expm1(-rate * d)) for d in days)))
    return found


def test_all_three_values_with_many_captures() -> None:
    """Catches a wrong likelihood: each value must come back from thousands of pages."""
    law = rates(drawn(3_000, 12, 1), 0.5, 1.0)
    assert law.static == pytest.approx(STATIC, abs=0.04)
    assert law.per_day == pytest.approx(PER_DAY, rel=0.1)
    assert law.spread == pytest.approx(SPREAD, abs=0.15)


def test_two_captures_give_one_value() -> None:
    """Catches values that two captures cannot tell, set as if they had been measured."""
    law = rates(drawn(3_000, 1, 2), STATIC, SPREAD)
    assert law.static is None and law.spread is None
    assert law.per_day == pytest.approx(PER_DAY, rel=0.15)


def test_three_captures_give_two_values() -> None:
    """Catches a spread that is fitted to two intervals, or a share of static pages that is not."""
    law = rates(drawn(3_000, 2, 3), 0.5, SPREAD)
    assert law.spread is None
    assert law.static == pytest.approx(STATIC, abs=0.1)
    assert law.per_day == pytest.approx(PER_DAY, rel=0.25)


def test_what_says_nothing_is_unknown() -> None:
    """Catches a rate from a few pages, or from pages that differ at every capture."""
    unknown = Rates(None, None, None)
    assert rates(drawn(29, 5, 4), 0.5, 1.0) == unknown
    assert rates([Seen((), ())] * 100, 0.5, 1.0) == unknown
    assert rates([Seen((1.0,), (True,))] * 100, 0.5, 1.0) == unknown
    assert rates([Seen((1.0,), (False,))] * 100, 0.5, 1.0) == unknown
    assert rates([Seen((1.0, 1.0), (False, False))] * 100, 0.5, 1.0) == Rates(1.0, None, None)
