"""Recall and precision as ratios of sets, for every answer."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from counterpoint.spec.crawl.measures import Retrieval
from counterpoint.spec.notation import Model


@pytest.mark.parametrize("b", ["irrelevant", "all"])
def test_measures_are_shares(b: str) -> None:
    """A fraction upside down; the precision as printed, a / (a + found), never exceeds 1/2."""
    model = Model(Retrieval(pages=4, b=b))
    for values in product((0, 1), repeat=8):
        state = model.at(values)
        assert isinstance(state, Retrieval)
        relevant = {p for p in range(4) if state.relevant[p]}
        found = {p for p in range(4) if state.found[p]}
        a = len(relevant & found)
        if relevant:
            assert Fraction(*state.recall()) == Fraction(a, len(relevant))
        if found and b == "irrelevant":
            assert Fraction(*state.precision()) == Fraction(a, len(found))
        elif found:
            assert Fraction(*state.precision()) == Fraction(a, a + len(found)) <= Fraction(1, 2)
