"""The estimators of [COV], applied to the inputs in its tables.

Our copy has the inputs of the tables, but not the figures that the paper computes from them; so
this study computes each figure in all ways that the text allows. The paper does not say either
whether each sample by random IP contains the previous one. The table shows that it does: residuals
of independent samples would not be correlated as these are (`durbin_watson`). A simulation shows
how wide the intervals of the slopes should be: its samples grow like those of the paper, with the
coverage of the last one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtrc

from counterpoint.crawler.coverage.quality import knee, marginal, two_lines
from counterpoint.crawler.coverage.samplers import REACHABLE
from counterpoint.crawler.coverage.shares import Estimate, OverSamples, over_samples, share
from counterpoint.crawler.coverage.slopes import Line, increments, through_origin, with_intercept
from counterpoint.studies.comparison.statistics import Mean, mean

from . import coverage_tables as tables
from . import random_starts
from .random_starts import Starts
from .statistics import as_json
from .study import Tell, run_all

Array = np.ndarray[Any, Any]

RUNS = 200
"""Number of growing samples that are simulated with each seed."""

WEBS = 10
"""The most webs on which crawls begin at random addresses."""

LINES = {"origin": through_origin, "intercept": with_intercept}


@dataclass(frozen=True)
class GrowingSample:
    """A growing sample by random IP.

    Attributes
    ----------
    lines : dict of str to Line
        The lines through the origin and with an intercept.
    whole : dict of str to Estimate
        The share of the last sample, with Wilson's interval and with Clopper and Pearson's.
    steps : OverSamples
        The shares of the pages that each step adds; these are independent samples.
    apart : OverSamples
        The shares of the samples, as if they were independent.
    durbin_watson : float
        The statistic of the line through the origin: about 2 if points are independent, about 0 if
        they are accumulated sums.
    variances : dict of str to float
        The variance of each slope divided by that of the last sample's share, for independent
        sites.
    """

    lines: dict[str, Line]
    whole: dict[str, Estimate]
    steps: OverSamples
    apart: OverSamples
    durbin_watson: float
    variances: dict[str, float]


@dataclass(frozen=True)
class Flattening:
    """A curve of quality coverage against the threshold.

    Attributes
    ----------
    parts, shares : float64[points]
        The thresholds, as shares of the sample, and the covered share of the pages above each.
    marginal : float64[points - 1]
        The covered share of the pages that each step adds.
    quantity : float
        The covered share of the whole sample.
    knees : dict of str to float or None
        The knees by two rules, each over the points alone and with the whole sample as last point.
    """

    parts: Array
    shares: Array
    marginal: Array
    quantity: float
    knees: dict[str, float | None]


class Even(NamedTuple):
    """A test whether a growing random sample meets a kind of address at a constant rate.

    Attributes
    ----------
    rate : float
        The share of such addresses.
    statistic, chance : float
        The sum of squared deviations of the steps' numbers from their expectations, each divided by
        its expectation; and the probability of as large a sum if the rate is constant (chi-square).
    slope : Line
        The line through the origin.
    """

    rate: float
    statistic: float
    chance: float
    slope: Line


def evenly(drawn: Sequence[int], met: Sequence[int]) -> Even:
    """Test whether the addresses of each step are of a kind with the same probability.

    Parameters
    ----------
    drawn, met : sequence of int
        The addresses drawn after each step, and how many of them are of the kind.
    """
    steps, found = increments(drawn), increments(met)
    rate = met[-1] / drawn[-1]
    expected = rate * steps
    statistic = float(((found - expected) ** 2 / expected).sum())
    chance = float(chdtrc(len(steps) - 1, statistic))
    return Even(rate, statistic, chance, through_origin(drawn, met))


@dataclass(frozen=True)
class Coverage:
    """The figures of [COV]'s tables.

    Attributes
    ----------
    seeds : range
        The seeds of the simulation.
    sites, expanded : GrowingSample
        The samples by random IP, without and with one expansion.
    searches, ranked, hubs : OverSamples
        Breadth-first samples; their top pages by PageRank; the topics' top pages by hub weight.
    curves : dict of int to Flattening
        The curves of samples 2 and 4.
    drawn : Even
        How evenly the addresses with a server are spread over the addresses drawn.
    contains : dict of str to Mean
        How often the classical intervals of the slopes, and Wilson's of the last sample's share,
        contain the truth if a sample grows like the paper's.
    starts : tuple of Starts
        What crawls reach that begin at random addresses, for each of some webs.
    """

    seeds: range
    sites: GrowingSample
    expanded: GrowingSample
    searches: OverSamples
    ranked: OverSamples
    hubs: OverSamples
    curves: dict[int, Flattening]
    drawn: Even
    contains: dict[str, Mean]
    starts: tuple[Starts, ...]

    def to_json(self) -> dict[str, Any]:
        """Return all figures, ready for JSON."""
        return {
            "seeds": [self.seeds.start, self.seeds.stop - 1],
            "drawn": {**self.drawn._asdict(), "slope": self.drawn.slope.slope._asdict()},
            "random_ip": _growing_json(self.sites),
            "expanded": _growing_json(self.expanded),
            "breadth_first": _over_json(self.searches),
            "breadth_first_times_0.9": _over_json(self.searches.times(REACHABLE)),
            "pagerank": _over_json(self.ranked),
            "hub": _over_json(self.hubs),
            "curves": {str(k): _curve_json(curve) for k, curve in self.curves.items()},
            "intervals_that_contain_the_truth": {
                name: as_json(found) for name, found in self.contains.items()
            },
            "random_starts": [one._asdict() for one in self.starts],
        }


def growing(sizes: Sequence[int], covered: Sequence[int]) -> GrowingSample:
    """Return the estimates from a growing sample.

    Parameters
    ----------
    sizes, covered : sequence of int
        The size of the sample and the number of covered pages after each step.
    """
    whole = {method: share(covered[-1], sizes[-1], method)
             for method in ("wilson", "clopper-pearson")}  # fmt: skip
    return GrowingSample(
        {name: line(sizes, covered) for name, line in LINES.items()},
        whole,
        over_samples(increments(covered).tolist(), increments(sizes).tolist()),
        over_samples(covered, sizes),
        durbin_watson(sizes, covered),
        {name: variance_of_slope(sizes, name == "intercept") for name in LINES},
    )


def variance_of_slope(sizes: Sequence[int], centred: bool) -> float:
    """Return the variance of a slope divided by that of the last share, for a growing sample.

    The pages that a step adds are independent of the previous ones, and their variance is
    proportional to their number. They are part of all later points, so their weight in the slope
    is the sum of the weights of these points.

    Parameters
    ----------
    sizes : sequence of int
        The size of the sample after each step.
    centred : bool
        Whether the line has an intercept.
    """
    x = np.asarray(sizes, dtype=np.float64)
    away = x - x.mean() if centred else x
    weights = np.cumsum(away[::-1])[::-1] / float((away * away).sum())
    return float((increments(x) * weights**2).sum() * x[-1])


def durbin_watson(sizes: Sequence[int], covered: Sequence[int]) -> float:
    """Return Durbin and Watson's statistic of the residuals from the line through the origin."""
    slope = through_origin(sizes, covered).slope.value
    residuals = np.asarray(covered) - slope * np.asarray(sizes)
    return float((np.diff(residuals) ** 2).sum() / (residuals**2).sum())


def r_squared(sizes: Sequence[int], covered: Sequence[int]) -> float:
    """Return the share of the variance that the line with an intercept explains."""
    return float(np.corrcoef(sizes, covered)[0, 1] ** 2)


def flattening(sample: int) -> Flattening:
    """Return the curve of a sample, by its number in the tables."""
    tops, covered = tables.CURVES[sample]
    size, whole = tables.SEARCHED[sample - 1], tables.SEARCHED_COVERED[sample - 1]
    parts, shares = np.array(tops) / size, np.array(covered) / np.array(tops)
    quantity = whole / size
    longer = np.append(parts, 1.0), np.append(shares, quantity)
    return Flattening(
        parts, shares, marginal(tops, covered), quantity,
        {"knee": knee(parts, shares), "two lines": two_lines(parts, shares),
         "knee, to the whole": knee(*longer), "two lines, to the whole": two_lines(*longer)},
    )  # fmt: skip


def study(seeds: range, processes: int = 1, tell: Tell | None = None) -> Coverage:
    """Compute all figures.

    Parameters
    ----------
    seeds : range
        The seeds of the simulation.
    processes : int
        How many simulations run at the same time.
    tell : callable, optional
        Called with a line of text about the progress.
    """
    sizes = tables.SERVING
    truth = tables.COVERED[-1] / sizes[-1]
    rows = run_all(partial(_contain, sizes, truth), seeds, processes, tell, "seed")
    return Coverage(
        seeds,
        growing(sizes, tables.COVERED),
        growing(tables.EXPANDED, tables.EXPANDED_COVERED),
        over_samples(tables.SEARCHED_COVERED, tables.SEARCHED),
        over_samples(tables.TOP_RANKED_COVERED, tables.TOP_RANKED),
        over_samples(tables.HUBS_COVERED, tables.HUBS),
        {sample: flattening(sample) for sample in tables.CURVES},
        evenly(tables.DRAWN, tables.SERVING),
        {name: mean([row[name] for row in rows]) for name in rows[0]},
        tuple(run_all(random_starts.crawled, seeds[:WEBS], processes, tell)),
    )


def _contain(sizes: Sequence[int], truth: float, seed: int) -> dict[str, float]:
    """Return how often each interval contains the truth, over `RUNS` simulated growing samples.

    Parameters
    ----------
    sizes : sequence of int
        The size of the sample after each step.
    truth : float
        The true coverage.
    seed : int
    """
    random = np.random.default_rng(seed)
    steps = increments(sizes).astype(np.int64)
    right = dict.fromkeys((*LINES, "last"), 0)
    for added in random.binomial(steps, truth, size=(RUNS, len(steps))):
        covered = np.cumsum(added)
        for name, line in LINES.items():
            right[name] += line(sizes, covered).slope.contains(truth)
        right["last"] += share(int(covered[-1]), sizes[-1]).contains(truth)
    return {name: count / RUNS for name, count in right.items()}


def _growing_json(sample: GrowingSample) -> dict[str, Any]:
    return {
        "lines": {
            name: {"slope": line.slope._asdict(), "intercept": line.intercept,
                   "variance_over_that_of_the_last_share": sample.variances[name]}
            for name, line in sample.lines.items()
        },
        "last_share": {name: found._asdict() for name, found in sample.whole.items()},
        "steps": _over_json(sample.steps),
        "samples_if_independent": _over_json(sample.apart),
        "durbin_watson": sample.durbin_watson,
    }  # fmt: skip


def _over_json(samples: OverSamples) -> dict[str, Any]:
    return {
        "mean": samples.mean._asdict(),
        "variance": samples.variance,
        "variance_divided_by_n": samples.variance_of_all,
        "pooled": samples.pooled,
        "chance_that_like_samples_differ_so": samples.unlike,
    }


def _curve_json(flattening: Flattening) -> dict[str, Any]:
    return {
        "thresholds": flattening.parts.tolist(),
        "shares": flattening.shares.tolist(),
        "marginal": flattening.marginal.tolist(),
        "quantity": flattening.quantity,
        "knees": flattening.knees,
    }
