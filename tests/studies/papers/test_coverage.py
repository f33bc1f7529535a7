"""[COV]'s tables, held here as data, and every figure that follows from them.

Means and slopes are compared with exact fractions of the tables' numbers, so that no digit is lost;
what is written out as decimals was computed by hand from those fractions.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from counterpoint.crawler.coverage.shares import share
from counterpoint.crawler.coverage.slopes import through_origin, with_intercept
from counterpoint.studies.papers import coverage_report, coverage_tables
from counterpoint.studies.papers.coverage import (
    Coverage,
    durbin_watson,
    evenly,
    r_squared,
    study,
    variance_of_slope,
)
from counterpoint.studies.papers.report import text

RANDOM_IP = """
drawn     100 200 300 400 500 600 700 800 900 1000
serving    95 172 252 336 418 478 570 652 717 817
covered     4   7   9  13  16  21  28  36  43  47
"""
EXPANDED = """
sample      1     3     5     7    10
size     1084  2584  3859  5484  8094
covered   174   596   841  1204  1899
"""
SEARCHES = """
size     66891 211629 154314 723866 174078
covered  26732  87562  67178 273066  74370
"""
PAGERANK = """
top       3523   8497   8702  33436   8408
covered   1542   4032   4754  17717   3456
"""
SAMPLE_2 = """
top      1811 3434 5117 6808 8497
covered  1145 2068 2788 3363 4032
"""
SAMPLE_4 = """
top     17321 33436 49198 64450 79155
covered  9903 17717 24718 31126 36780
"""
HUBS = """
size    11667 19379 13403 11006 26548 15498 11608 20823
top      1671  1701  1532  1040  1508  1428  1859  1961
covered   958   956   578   312   772   514   793   651
"""


def table(expected: str) -> dict[str, list[int]]:
    """Return the rows of a table by their names."""
    rows = (line.split() for line in expected.strip().splitlines())
    return {row[0]: [int(cell) for cell in row[1:]] for row in rows}


@pytest.fixture(scope="module")
def found() -> Coverage:
    """Return the figures of the study."""
    return study(range(3))


def test_the_tables() -> None:
    """A number that is mistyped in one of the two copies."""
    ip, more = table(RANDOM_IP), table(EXPANDED)
    assert [1000 * drawn for drawn in ip["drawn"]] == list(coverage_tables.DRAWN)
    assert ip["serving"] == list(coverage_tables.SERVING)
    assert ip["covered"] == list(coverage_tables.COVERED)
    assert more["sample"] == list(coverage_tables.EXPANDED_OF)
    assert more["size"] == list(coverage_tables.EXPANDED)
    assert more["covered"] == list(coverage_tables.EXPANDED_COVERED)
    assert table(SEARCHES)["size"] == list(coverage_tables.SEARCHED)
    assert table(SEARCHES)["covered"] == list(coverage_tables.SEARCHED_COVERED)
    assert table(PAGERANK)["top"] == list(coverage_tables.TOP_RANKED)
    assert table(PAGERANK)["covered"] == list(coverage_tables.TOP_RANKED_COVERED)
    for sample, expected in ((2, SAMPLE_2), (4, SAMPLE_4)):
        assert list(map(tuple, table(expected).values())) == list(coverage_tables.CURVES[sample])
    hubs = table(HUBS)
    assert list(map(tuple, hubs.values())) == [
        coverage_tables.TOPICS, coverage_tables.HUBS, coverage_tables.HUBS_COVERED
    ]  # fmt: skip


def lines(x: list[int], y: list[int]) -> tuple[Fraction, Fraction, Fraction]:
    """Return the slope through the origin, the slope of the line, and its intercept, exactly."""
    n, products = len(x), sum(a * b for a, b in zip(x, y, strict=True))
    squares = sum(a * a for a in x)
    slope = Fraction(n * products - sum(x) * sum(y), n * squares - sum(x) ** 2)
    return Fraction(products, squares), slope, (sum(y) - slope * sum(x)) / n


@pytest.mark.parametrize(
    ("expected", "size", "origin", "slope", "intercept"),
    [
        (RANDOM_IP, "serving", 0.0523994, 0.0629731, -5.98199),
        (EXPANDED, "size", 0.2277283, 0.2410359, -74.6124),
    ],
)
def test_slopes(expected: str, size: str, origin: float, slope: float, intercept: float) -> None:
    """A slope that differs from that of the tables in its last digit."""
    held = table(expected)
    x, y = held[size], held["covered"]
    exact = lines(x, y)
    line = with_intercept(x, y)
    found = (through_origin(x, y).slope.value, line.slope.value, line.intercept)
    assert found == pytest.approx(tuple(map(float, exact)), rel=1e-12)
    assert found == pytest.approx((origin, slope, intercept), rel=1e-5)


def test_addresses_are_met_at_a_constant_rate() -> None:
    """A test that accepts or rejects everything, or that takes samples for independent ones."""
    paper = evenly(coverage_tables.DRAWN, coverage_tables.SERVING)
    steps = np.diff([0, *coverage_tables.SERVING])
    assert paper.rate == 817 / 1_000_000
    assert paper.statistic == pytest.approx(float(((steps - 81.7) ** 2 / 81.7).sum()))
    assert paper.chance == pytest.approx(float(stats.chi2.sf(paper.statistic, 9)))
    assert 0.046 < paper.chance < 0.048
    assert evenly((100, 200, 300), (10, 20, 30)).chance == 1
    assert evenly((1000, 2000, 3000), (100, 200, 600)).chance < 1e-9


def test_the_last_samples() -> None:
    """Intervals of 47 of 817 and of 1899 of 8094 that differ from the binomial tables."""
    wilson, exact = share(47, 817), share(47, 817, "clopper-pearson")
    assert wilson == pytest.approx((47 / 817, 0.043535, 0.075661), abs=1e-6)
    assert exact == pytest.approx((47 / 817, 0.042572, 0.075768), abs=1e-6)
    assert share(1899, 8094) == pytest.approx((0.234618, 0.225510, 0.243974), abs=1e-5)


@pytest.mark.parametrize(
    ("expected", "size", "mean", "variance", "by_n"),
    [
        (SEARCHES, "size", 0.410635, 0.000532889, 0.000426311),
        (PAGERANK, "top", 0.479888, 0.003365133, 0.002692106),
        (HUBS, "top", 0.430380, 0.011269655, 0.009860948),
    ],
)
def test_means_and_variances(
    found: Coverage, expected: str, size: str, mean: float, variance: float, by_n: float
) -> None:
    """A mean that weighs samples by their size, or a variance by another divisor."""
    held = table(expected)
    shares = [Fraction(c, n) for c, n in zip(held["covered"], held[size], strict=True)]
    exact = sum(shares) / len(shares)
    squares = sum((one - exact) ** 2 for one in shares)
    of = {SEARCHES: found.searches, PAGERANK: found.ranked, HUBS: found.hubs}[expected]
    assert of.mean.value == pytest.approx(float(exact), rel=1e-12)
    assert of.variance == pytest.approx(float(squares / (len(shares) - 1)), rel=1e-10)
    assert of.variance_of_all == pytest.approx(float(squares / len(shares)), rel=1e-10)
    assert (of.mean.value, of.variance, of.variance_of_all) == pytest.approx(
        (mean, variance, by_n), rel=2e-6
    )


def test_times_nine_tenths(found: Coverage) -> None:
    """A variance that is multiplied by 0.9 only once."""
    less = found.searches.times(0.9)
    assert less.mean.value == pytest.approx(0.369572, abs=1e-6)
    assert less.variance == pytest.approx(0.81 * 0.0005328890791, rel=1e-9)


def test_curves(found: Coverage) -> None:
    """A curve that differs from the table; last steps that are not shares of the new pages."""
    two, four = found.curves[2], found.curves[4]
    assert two.shares == pytest.approx([0.632247, 0.602213, 0.544851, 0.493978, 0.474520], abs=1e-6)
    assert four.shares == pytest.approx(
        [0.571734, 0.529878, 0.502419, 0.482948, 0.464658], abs=1e-6
    )
    assert two.parts == pytest.approx([0.008557, 0.016227, 0.024179, 0.032170, 0.040150], abs=1e-6)
    assert four.parts[-1] == pytest.approx(79155 / 723866)
    assert two.marginal[0] == pytest.approx((2068 - 1145) / (3434 - 1811))
    assert (two.quantity, four.quantity) == pytest.approx((87562 / 211629, 273066 / 723866))
    assert two.knees["knee"] == pytest.approx(6808 / 211629)
    assert four.knees["two lines"] == pytest.approx(33436 / 723866)


@pytest.mark.parametrize("centred", [False, True])
def test_the_variance_of_a_slope(centred: bool) -> None:
    """A wrong formula, found by 4,000 growing samples (3% is three standard errors)."""
    sizes, share_ = [95, 172, 252, 336, 418], 0.3
    random = np.random.default_rng(5)
    steps = random.binomial(np.diff(sizes, prepend=0), share_, size=(4000, 5))
    line = with_intercept if centred else through_origin
    slopes = [line(sizes, np.cumsum(row)).slope.value for row in steps]
    last = share_ * (1 - share_) / sizes[-1]
    expected = variance_of_slope(sizes, centred)
    assert np.var(slopes) / last == pytest.approx(expected, rel=0.08)
    assert expected > 1


def test_the_limit_of_many_steps() -> None:
    """A wrong limit: with many equal steps, both slopes have 6/5 of the last share's variance."""
    sizes = range(1, 20_001)
    assert [variance_of_slope(sizes, centred) for centred in (False, True)] == pytest.approx(
        [1.2, 1.2], abs=1e-3
    )


def test_independent_and_growing_samples() -> None:
    """Independent samples that are treated as growing ones, or the reverse."""
    random, sizes = np.random.default_rng(2), np.arange(100, 1100, 100)
    apart = [durbin_watson(sizes, random.binomial(sizes, 0.3)) for _ in range(200)]
    steps = random.binomial(100, 0.3, size=(200, 10))
    grown = [durbin_watson(sizes, np.cumsum(row)) for row in steps]
    assert np.median(apart) > 1.5 > 1.2 > np.median(grown)
    held = table(RANDOM_IP)
    assert durbin_watson(held["serving"], held["covered"]) == pytest.approx(0.2954, abs=0.001)


def test_intervals_of_growing_samples(found: Coverage) -> None:
    """A simulation in which the classical interval is right, or Wilson's is wrong."""
    assert found.contains["origin"].value < 0.4
    assert found.contains["intercept"].value < 0.6
    assert found.contains["last"].value == pytest.approx(0.95, abs=0.02)


def test_all_figures_are_json(found: Coverage) -> None:
    """A figure that ``--format json`` cannot print."""
    assert json.loads(json.dumps(found.to_json(), allow_nan=False))["drawn"]["rate"] == 0.000817


def test_the_report(found: Coverage) -> None:
    """A finding that contradicts the figures; a line that is too long."""
    report = coverage_report.report(found)
    output = text(report)
    assert max(map(len, output.splitlines())) <= 80
    answers = {one.claim: one.answer for one in report.findings}
    assert answers["random IP counts sites, not pages"] == "reproduced"
    assert answers["the curve flattens at 5%"] == "not reproduced"
    assert answers["the top 15% or so by hub weight; mean and variance"] == "not reproduced"
    assert "not in sample 5: 41.1% of the top, 42.7% of all" in output
    assert found.to_json()["random_ip"]["lines"]["origin"]["slope"]["value"] == pytest.approx(
        0.0523994, abs=1e-7
    )


def test_seeds_decide(found: Coverage) -> None:
    """Randomness that does not come from the seeds."""
    assert study(range(3)).to_json() == found.to_json()
    other: Sequence[float] = [one.value for one in study(range(3, 6)).contains.values()]
    assert other != [one.value for one in found.contains.values()]


def test_the_papers_own_criterion(found: Coverage) -> None:
    """Two halves of the table that are mixed up, or a fit that is not that of the line."""
    by_claim = {one.claim: one for one in coverage_report.report(found).findings}
    larger = by_claim["if random IP is right, a larger sample does not change the coverage"]
    assert larger.answer == "not reproduced"
    assert "16 of the first 418" in larger.here and "31 of the other 399" in larger.here
    assert larger.here.endswith("p = 0.016")
    assert r_squared([1, 2, 3], [2, 4, 6]) == pytest.approx(1.0)
    assert by_claim["the coverage by random IP is nearly a line"].here == "R squared is 0.964"
    assert by_claim["the coverage after an expansion is nearly a line"].here.endswith("0.997")
