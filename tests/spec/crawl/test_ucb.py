"""The exact comparison of R3's indices, tested with decimals of many digits."""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from counterpoint.spec.crawl import ucb
from counterpoint.spec.crawl.ucb import compare, compare_exactly, logarithm

PRECISE = Context(prec=120)


def decimal_index(s: int, t: int, largest: int, n: int) -> Decimal:
    """Return the index to the precision of the decimal context."""
    mean = Decimal(s) / (t * largest) if largest else Decimal(0)
    return mean + (2 * Decimal(n).ln() / t).sqrt()


def by_decimals(s1: int, t1: int, s2: int, t2: int, largest: int, n: int) -> int:
    """Return the expected result of `compare`; a difference below 10^-60 counts as none."""
    with localcontext(PRECISE):
        difference = decimal_index(s1, t1, largest, n) - decimal_index(s2, t2, largest, n)
        return 0 if abs(difference) < Decimal(10) ** -60 else 1 if difference > 0 else -1


sizes = st.one_of(st.integers(1, 12), st.integers(1, 10**4), st.integers(1, 10**8))


@st.composite
def pairs(draw: st.DrawFn) -> tuple[int, int, int, int, int, int]:
    """Return two sites with numbers that a crawl can reach."""
    t1, t2 = draw(sizes), draw(sizes)
    largest = draw(st.integers(0, 1000))
    s1, s2 = draw(st.integers(0, t1 * largest)), draw(st.integers(0, t2 * largest))
    return s1, t1, s2, t2, largest, draw(sizes)


def near_tie(t1: int, t2: int, largest: int, n: int, nudge: int = 0) -> tuple[int, ...]:
    """Return two sites with such counts whose indices differ as little as integers allow."""
    with localcontext(PRECISE):
        roots = decimal_index(0, t2, 0, n) - decimal_index(0, t1, 0, n)
        wanted = round(roots * t1 * t2 * largest) + nudge  # what s1 t2 - s2 t1 must be
    s1 = wanted * pow(t2, -1, t1) % t1
    s2 = (s1 * t2 - wanted) // t1
    assert s1 * t2 - s2 * t1 == wanted
    more = max(0, -(s2 // t2)) + largest // 2
    return s1 + more * t1, t1, s2 + more * t2, t2, largest, n


@st.composite
def near_ties(draw: st.DrawFn) -> tuple[int, ...]:
    """Return near ties of sites up to the size of a large crawl."""
    t1 = draw(st.integers(1, 10**7))
    t2 = draw(st.integers(1, 10**7).filter(lambda t: math.gcd(t, t1) == 1))
    largest, n = draw(st.integers(1, 1000)), draw(st.integers(t1 + t2, 10**8))
    return near_tie(t1, t2, largest, n, draw(st.integers(-1, 1)))


@given(case=pairs())
@example(case=(13, 13, 0, 2, 1, 15))  # 1.9998 against 1.9995
@example(case=(0, 3, 0, 3, 0, 1))
@example(case=(2, 4, 3, 6, 3, 1))  # where ln n = 0 equal means tie, whatever the counts
@settings(deadline=None, max_examples=400)
def test_the_order_is_that_of_the_numbers(case: tuple[int, int, int, int, int, int]) -> None:
    """A wrong sign, square or enclosure, or a tie where there is none."""
    expected = by_decimals(*case)
    assert compare(*case) == compare_exactly(*case) == expected
    s1, t1, s2, t2, largest, n = case
    assert compare(s2, t2, s1, t1, largest, n) == -expected


@given(case=near_ties())
@settings(deadline=None, max_examples=300)
def test_near_ties_are_decided(case: tuple[int, ...]) -> None:
    """Near ties decided by rounding, in floats or in an enclosure that is too wide."""
    assert compare(*case) == compare_exactly(*case) == by_decimals(*case)


@given(t=sizes, s=st.integers(0, 10**9), largest=st.integers(0, 10**9), n=sizes)
def test_ties_are_ties_of_integers(t: int, s: int, largest: int, n: int) -> None:
    """Equal sites that rounding makes different, or different ones that are called equal."""
    assert compare(s, t, s, t, largest, n) == 0
    assert compare(s + 1, t, s, t, largest, n) == (1 if largest else 0)
    if n > 1:
        assert compare(s, t, 2 * s, 2 * t, largest, n) == 1


def test_floats_decide_near_ties_by_luck() -> None:
    """Two sites of ten million pages, whose order floats get wrong."""
    lucky = 0
    for t in range(10**7, 10**7 + 100):
        case = near_tie(t, t + 1, 1000, 10**8)
        s1, t1, s2, t2, largest, n = case
        first, second = ucb.index(s1, t1, largest, n), ucb.index(s2, t2, largest, n)
        expected = by_decimals(*case)
        assert compare(*case) == expected != 0
        lucky += (first > second) - (first < second) == expected
    assert 0 < lucky < 100


@given(n=st.one_of(st.integers(1, 100), st.integers(1, 10**30)), bits=st.sampled_from([64, 128]))
@settings(deadline=None)
def test_a_logarithm_is_enclosed(n: int, bits: int) -> None:
    """An enclosure without the true value, or one that does not shrink."""
    low, high = logarithm(n, bits)
    with localcontext(PRECISE):
        exact = Decimal(n).ln() * 2**bits
        assert low <= exact <= high
    assert high - low < 2**20


@given(case=pairs())
@settings(deadline=None)
def test_floats_are_as_exact_as_is_claimed(case: tuple[int, int, int, int, int, int]) -> None:
    """A bound on the rounding error that is too small, so that rounding decides near ties."""
    s, t, _, _, largest, n = case
    with localcontext(PRECISE):
        exact = decimal_index(s, t, largest, n)
        error = abs(Decimal(ucb.index(s, t, largest, n)) - exact)
        assert error <= exact * Decimal(ucb.TRUST) / 4


@pytest.mark.parametrize("n", [2, 7, 10**6])
def test_the_first_enclosure_is_not_always_enough(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop that never refines its enclosure; starting with 4 bits, it must."""
    monkeypatch.setattr(ucb, "FIRST_BITS", 4)
    for t in range(1, 40):
        for s in range(t + 1):
            assert compare_exactly(s, t, 0, 1, 1, n) == by_decimals(s, t, 0, 1, 1, n)
