"""The estimators of coverage that the study compares with the truth, and the cost of each.

A sample does not depend on the crawl, so one sample serves all crawls of a web. An estimator gets
the sample, and the set of pages that a crawl has. Its cost is the number of requests: requested
addresses and fetched pages.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterpoint.crawler.coverage.quality import curve, top
from counterpoint.crawler.coverage.recapture import chao2, chapman, covered_of, met
from counterpoint.crawler.coverage.samplers import REACHABLE, Sample
from counterpoint.crawler.coverage.shares import (
    NOTHING,
    Estimate,
    OverSamples,
    bootstrap,
    over_samples,
    share,
)
from counterpoint.crawler.coverage.slopes import through_origin, with_intercept
from counterpoint.sim_web.profile import Profile

from .samples import RankedSample, SampleSet
from .truth import GRID, PARTS, TOPICAL

Array = np.ndarray[Any, Any]
Estimating = Callable[[SampleSet, Array], Estimate]
Costing = Callable[[SampleSet], int]

STANDS, PAPERS, OURS, RIVAL = "[COV]", "[COV], corrected", "ours", "rival"
TOLD = "ours, told a truth"


@dataclass(frozen=True)
class Estimator:
    """A way to estimate a coverage.

    Attributes
    ----------
    name : str
    of : str
        The estimated coverage: "quantity", or the ranking by which pages are important.
    whose : str
        `STANDS` (of the paper), `PAPERS` (with the paper's own correction), `OURS`, `TOLD` (uses a
        truth that is unknown on the real Web) or `RIVAL`.
    about : str
        One line: the sample that is used, and the method of the interval.
    estimate : callable
        Takes samples and the set of crawled pages, bool[pages]; returns the estimate.
    requests : callable
        Takes samples; returns the number of requests that they cost.
    """

    name: str
    of: str
    whose: str
    about: str
    estimate: Estimating
    requests: Costing


def _covered(crawled: Array, sample: Sample) -> tuple[int, int]:
    return int(crawled[sample.pages].sum()), len(sample.pages)


def _fronts(drawn: SampleSet, crawled: Array) -> Estimate:
    pages = drawn.fronts.pages
    return share(int(crawled[pages].sum()), len(pages))


def _serving(drawn: SampleSet, crawled: Array) -> Estimate:
    return share(int(crawled[drawn.fronts.pages].sum()), drawn.fronts.serving)


def _growing(drawn: SampleSet, crawled: Array) -> tuple[list[int], list[int]]:
    sizes = [one.serving for one in drawn.growing]
    return sizes, [int(crawled[one.pages].sum()) for one in drawn.growing]


def _slope(drawn: SampleSet, crawled: Array) -> Estimate:
    return through_origin(*_growing(drawn, crawled)).slope


def _line(drawn: SampleSet, crawled: Array) -> Estimate:
    return with_intercept(*_growing(drawn, crawled)).slope


def _by_lumps(sample: Sample, crawled: Array, seed: int) -> Estimate:
    if len(sample.pages) == 0:
        return NOTHING
    sizes = np.bincount(sample.lumps)
    covered = np.bincount(sample.lumps, weights=crawled[sample.pages])
    return bootstrap(covered[sizes > 0], sizes[sizes > 0], seed)


def _searches(drawn: SampleSet, crawled: Array) -> OverSamples:
    pairs = [_covered(crawled, one.sample) for one in drawn.searches]
    return over_samples([covered for covered, _ in pairs], [size for _, size in pairs])


def _by_reach(drawn: SampleSet, crawled: Array) -> Estimate:
    """Multiply the share of each search by the share of pages that its start page reaches."""
    found = []
    for one, reach in zip(drawn.searches, drawn.reachable, strict=True):
        covered, size = _covered(crawled, one.sample)
        found.append((covered * reach, size))
    return over_samples([a for a, _ in found], [b for _, b in found]).mean


def _first_search(drawn: SampleSet, crawled: Array) -> Estimate:
    return share(*_covered(crawled, drawn.searches[0].sample))


def _search_of_fronts(drawn: SampleSet, crawled: Array, part: int) -> Estimate:
    """Take the first pages of the search, as many as its size divided by ``part``."""
    whole = drawn.search_of_fronts
    size = -(-len(whole.pages) // part)
    first = Sample(whole.pages[:size], whole.lumps[:size], whole.fetched)
    return _by_lumps(first, crawled, drawn.seed)


def _chapman(drawn: SampleSet, crawled: Array) -> Estimate:
    """Take the sample by random IP, expanded, as one capture and the searches as the other."""
    searched = np.unique(np.concatenate([one.sample.pages for one in drawn.searches]))
    both = len(np.intersect1d(searched, drawn.once.pages))
    number = chapman(len(drawn.once.pages), len(searched), both)
    known = _known(crawled, searched, drawn.once.pages)
    return covered_of(int(crawled.sum()), number, known)


def _known(crawled: Array, *samples: Array) -> int:
    """Return the number of pages in the union of the crawl and some samples."""
    found = crawled.copy()
    for pages in samples:
        found[pages] = True
    return int(found.sum())


def _chao(drawn: SampleSet, crawled: Array) -> Estimate:
    samples = [one.sample.pages for one in drawn.searches]
    number = chao2(*met(samples), len(samples))
    return covered_of(int(crawled.sum()), number, _known(crawled, *samples))


def _chao_with_crawl(drawn: SampleSet, crawled: Array) -> Estimate:
    samples = [*(one.sample.pages for one in drawn.searches), np.flatnonzero(crawled)]
    return covered_of(int(crawled.sum()), chao2(*met(samples), len(samples)))


def important(ranked: RankedSample, signal: str, crawled: Array) -> tuple[int, int]:
    """Return how many of a sample's important pages a crawl has, and how many there are.

    Parameters
    ----------
    ranked : RankedSample
    signal : str
        The ranking by which pages are important.
    crawled : bool[pages]
        Whether the crawl has each page.
    """
    if len(ranked.sample.pages) == 0:
        return 0, 0
    chosen = ranked.sample.pages[top(ranked.weights[signal], PARTS[signal])]
    return int(crawled[chosen].sum()), len(chosen)


def curves(drawn: SampleSet, signal: str, crawled: Array) -> Array:
    """Return the quality coverage at each threshold, mean over the searches, float64[points].

    Parameters
    ----------
    drawn : SampleSet
    signal : str
        The ranking by which pages are important.
    crawled : bool[pages]
        Whether the crawl has each page.
    """
    rows = [
        curve(one.weights[signal], crawled[one.sample.pages], GRID)
        for one in drawn.searches
        if len(one.sample.pages)
    ]
    found: Array = np.mean(rows, axis=0)
    return found


def _quality_of_searches(signal: str) -> Estimating:
    def estimate(drawn: SampleSet, crawled: Array) -> Estimate:
        pairs = [important(one, signal, crawled) for one in drawn.searches]
        return over_samples([covered for covered, _ in pairs], [size for _, size in pairs]).mean

    return estimate


def _quality_of_expanded(signal: str) -> Estimating:
    def estimate(drawn: SampleSet, crawled: Array) -> Estimate:
        return share(*important(drawn.ranked_once, signal, crawled))

    return estimate


def _quality_of_topics(signal: str, own: bool) -> Estimating:
    def estimate(drawn: SampleSet, crawled: Array) -> Estimate:
        answers = drawn.answers_among(crawled) if own else drawn.answers
        pairs = [important(one, signal, crawled) for one in answers]
        return over_samples([covered for covered, _ in pairs], [size for _, size in pairs]).mean

    return estimate


def _topic_cost(drawn: SampleSet) -> int:
    return sum(one.sample.fetched for one in drawn.answers)


def _probes(drawn: SampleSet) -> int:
    return drawn.fronts.drawn


def _search_cost(drawn: SampleSet) -> int:
    return sum(one.sample.fetched for one in drawn.searches)


QUANTITY = (
    Estimator("random-ip", "quantity", STANDS, "of the addresses that serve, Wilson",
              _serving, _probes),
    Estimator("random-ip-slope", "quantity", STANDS,
              "least squares through the origin over ten growing samples, Student",
              _slope, _probes),
    Estimator("random-ip-line", "quantity", STANDS,
              "least squares with an intercept over the same, Student", _line, _probes),
    Estimator("random-ip-sites", "quantity", OURS, "without default pages, Wilson",
              _fronts, _probes),
    Estimator("expanded-once", "quantity", PAPERS, "with all links of the pages found, Wilson",
              lambda drawn, crawled: share(*_covered(crawled, drawn.once)), _probes),
    Estimator("expanded-once-lumps", "quantity", OURS, "the same, bootstrap over the sites drawn",
              lambda drawn, crawled: _by_lumps(drawn.once, crawled, drawn.seed), _probes),
    Estimator("expanded-twice", "quantity", PAPERS, "with the links of those pages, Wilson",
              lambda drawn, crawled: share(*_covered(crawled, drawn.twice)),
              lambda drawn: _probes(drawn) + drawn.twice.fetched),
    Estimator("whole-sites", "quantity", OURS,
              "all pages of the sites drawn, bootstrap over the sites",
              lambda drawn, crawled: _by_lumps(drawn.sites, crawled, drawn.seed),
              lambda drawn: _probes(drawn) + drawn.sites.fetched),
    Estimator("one-search", "quantity", STANDS, "one breadth-first sample, Wilson",
              _first_search, lambda drawn: drawn.searches[0].sample.fetched),
    Estimator("searches", "quantity", STANDS, "mean over breadth-first samples, Student",
              lambda drawn, crawled: _searches(drawn, crawled).mean, _search_cost),
    Estimator("searches-0.9", "quantity", PAPERS, "the same times 0.9, Student",
              lambda drawn, crawled: _searches(drawn, crawled).mean.times(REACHABLE),
              _search_cost),
    Estimator("searches-reach", "quantity", TOLD,
              "each times the true share reachable from its start, Student",
              _by_reach, _search_cost),
    Estimator("fronts-search", "quantity", STANDS,
              "a breadth-first sample from all pages found by random IP, bootstrap over these",
              lambda drawn, crawled: _search_of_fronts(drawn, crawled, 1),
              lambda drawn: _probes(drawn) + drawn.search_of_fronts.fetched),
    Estimator("fronts-search-tenth", "quantity", STANDS,
              "the first tenth of the same sample",
              lambda drawn, crawled: _search_of_fronts(drawn, crawled, 10),
              lambda drawn: _probes(drawn) + drawn.search_of_fronts.fetched // 10),
    Estimator("chapman", "quantity", RIVAL,
              "the crawl's size over Chapman's number, expanded-once against searches",
              _chapman, lambda drawn: _probes(drawn) + _search_cost(drawn)),
    Estimator("chao", "quantity", RIVAL, "the crawl's size over Chao's number, of searches",
              _chao, _search_cost),
    Estimator("chao-crawl", "quantity", RIVAL, "the same, of searches and the crawl itself",
              _chao_with_crawl, _search_cost),
)  # fmt: skip

QUALITY = tuple(
    estimator
    for signal in PARTS
    for estimator in (
        Estimator(f"{signal}-searches", signal, STANDS,
                  "ranked in each breadth-first sample, Student",
                  _quality_of_searches(signal), _search_cost),
        Estimator(f"{signal}-expanded", signal, OURS, "ranked in expanded-once, Wilson",
                  _quality_of_expanded(signal),
                  lambda drawn: _probes(drawn) + drawn.ranked_once.sample.fetched),
    )
)  # fmt: skip

TOPICS = tuple(
    estimator
    for what, signal in TOPICAL.items()
    for estimator in (
        Estimator(f"{signal}-topics", what, STANDS,
                  "ranked around answers from the whole web, Student over topics",
                  _quality_of_topics(signal, False), _topic_cost),
        Estimator(f"{signal}-topics-own", what, STANDS,
                  "the same, around answers from the crawl that is judged",
                  _quality_of_topics(signal, True), _topic_cost),
    )
)  # fmt: skip

ESTIMATORS = (*QUANTITY, *QUALITY, *TOPICS)


def estimators(profile: Profile) -> tuple[Estimator, ...]:
    """Return the estimators that apply to webs of a profile; those of topics need themes."""
    return ESTIMATORS if profile.themes.count > 1 else (*QUANTITY, *QUALITY)


def kinds(profile: Profile) -> tuple[str, ...]:
    """Return the names of the coverages that are estimated for webs of a profile."""
    return tuple(dict.fromkeys(one.of for one in estimators(profile)))
