"""Every estimator against the truth, over webs, repetitions and crawls."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from counterpoint.crawler.coverage.quality import knee
from counterpoint.crawler.coverage.shares import Estimate
from counterpoint.crawler.errors import CrawlError
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.generator.allocation import Allocation
from counterpoint.studies.comparison.comparison import compare
from counterpoint.studies.comparison.planted import Planted
from counterpoint.studies.comparison.statistics import Mean, mean
from counterpoint.studies.papers.study import Tell, collected

from .drawn import Drawn
from .estimators import Estimator, curves, estimators, kinds
from .plan import CoveragePlan
from .truth import GRID, PARTS, Domain

Array = np.ndarray[Any, Any]

TELLING = 0.5
"""An estimator of which fewer tries than this come to a figure is not judged."""


ENDS = (0.1, 1.0)
"""Thresholds at which curves end whose knee is looked for; [COV]'s longest ends at 11%."""


@dataclass(frozen=True)
class OfWeb:
    """What came of one web.

    Attributes
    ----------
    seed : int
    truth : dict of str to float64[policies]
        The true coverages, by what they are of.
    estimates : dict of str to float64[repeats, policies, 3]
        Value and interval of each estimator; NaN where there is none.
    requests : dict of str to float64[repeats]
    true_curves, curves : dict of str to float64[policies, points]
        Quality coverage against the threshold: true, and the mean over repetitions.
    weak, reach : float
        The largest weak component; the mean share reachable from the start of a search.
    """

    seed: int
    truth: dict[str, Array]
    estimates: dict[str, Array]
    requests: dict[str, Array]
    true_curves: dict[str, Array]
    curves: dict[str, Array]
    weak: float
    reach: float


@dataclass(frozen=True)
class Judged:
    """An estimator against the truth of one policy's crawls.

    Attributes
    ----------
    truth : float
        Mean over the webs.
    bias : Mean
        Mean error; the interval is over webs, Student's.
    deviation : float
        Standard deviation of the repeated estimates of one crawl; root mean square over crawls.
    rmse : float
        Root of the mean squared error.
    contains : float or None
        Share of the intervals that contain the truth; None: it gives none.
    width : float or None
        Mean width of the intervals.
    told : float
        Share of the tries that came to a figure; the others count in nothing above.
    requests : float
        Mean over all.
    """

    truth: float
    bias: Mean
    deviation: float
    rmse: float
    contains: float | None
    width: float | None
    told: float
    requests: float


@dataclass(frozen=True)
class Study:
    """A plan with what came of it.

    Attributes
    ----------
    plan : CoveragePlan
    policies : tuple of str
        Those that did not fail.
    fell : list of str
        A line for each that did.
    webs : tuple of OfWeb
    """

    plan: CoveragePlan
    policies: tuple[str, ...]
    fell: list[str]
    webs: tuple[OfWeb, ...]

    @property
    def estimators(self) -> tuple[Estimator, ...]:
        """The estimators that apply."""
        return estimators(self.plan.profile)

    def truth(self, of: str, policy: int) -> list[float]:
        """Return a true coverage on each web."""
        return [float(web.truth[of][policy]) for web in self.webs]

    def judged(self, estimator: Estimator, policy: int) -> Judged:
        """Return how an estimator did on the crawls of a policy, by its place."""
        truth = np.array(self.truth(estimator.of, policy))[:, None]
        held = np.array([web.estimates[estimator.name][:, policy] for web in self.webs])[:, None]
        requests = float(np.mean([web.requests[estimator.name] for web in self.webs]))
        return judged(truth, held, requests)

    def overall(self, estimator: Estimator) -> Judged:
        """Return how an estimator did on all crawls of all policies together."""
        truth = np.array([web.truth[estimator.of] for web in self.webs])
        held = np.array([web.estimates[estimator.name] for web in self.webs])
        requests = float(np.mean([web.requests[estimator.name] for web in self.webs]))
        return judged(truth, held.swapaxes(1, 2), requests)

    def ranked(self, of: str) -> list[tuple[Estimator, Judged]]:
        """Return the estimators of a coverage, the least root mean squared error first.

        Those that come to a figure in less than half of the tries stand last.
        """
        found = [(one, self.overall(one)) for one in self.estimators if one.of == of]
        return sorted(found, key=lambda pair: (pair[1].told < TELLING, pair[1].rmse))

    def curve(self, signal: str, policy: int, true: bool) -> list[Mean]:
        """Return the quality coverage at each threshold, mean over webs."""
        rows = [(web.true_curves if true else web.curves)[signal][policy] for web in self.webs]
        return [mean(column) for column in np.array(rows).T.tolist()]

    def knee(self, signal: str, policy: int, true: bool, end: float = 1.0) -> float | None:
        """Return the knee of such a curve up to a threshold.

        It is that of `counterpoint.crawler.coverage.quality.knee`.
        """
        parts = [part for part in GRID if part <= end]
        values = [point.value for point in self.curve(signal, policy, true)]
        return knee(parts, values[: len(parts)])


def judged(truth: Array, held: Array, requests: float) -> Judged:
    """Judge estimates.

    Parameters
    ----------
    truth : float64[webs, crawls]
    held : float64[webs, crawls, repeats, 3]
        Value, low and high; NaN where there is none.
    requests : float
    """
    each = np.repeat(truth[..., None], held.shape[2], axis=2)
    values, low, high = held[..., 0], held[..., 1], held[..., 2]
    told, bounded = ~np.isnan(values), ~np.isnan(low)
    whole = float(each.mean())
    if not told.any():
        nothing = math.nan
        return Judged(whole, Mean(nothing, None), nothing, nothing, None, None, 0.0, requests)
    errors = values - each
    rows = [row[here] for row, here in zip(errors, told, strict=True) if here.any()]
    spread = _spread(values)
    right = (low <= each + 1e-12) & (each <= high + 1e-12)
    return Judged(
        truth=whole,
        bias=mean([float(row.mean()) for row in rows]),
        deviation=math.sqrt(sum(spread) / len(spread)) if spread else math.nan,
        rmse=math.sqrt(float((errors[told] ** 2).mean())),
        contains=float(right[bounded].mean()) if bounded.any() else None,
        width=float((high - low)[bounded].mean()) if bounded.any() else None,
        told=float(told.mean()),
        requests=requests,
    )


def _spread(values: Array) -> list[float]:
    """Return the variance of the repeated estimates of each crawl."""
    rows = (row[~np.isnan(row)] for row in values.reshape(-1, values.shape[-1]))
    return [float(row.var(ddof=1)) for row in rows if len(row) > 1]


def study(plan: CoveragePlan, processes: int, tell: Tell | None = None) -> Study:
    """Crawl, sample and estimate.

    Parameters
    ----------
    plan : CoveragePlan
    processes : int
        How many webs at a time; makes no difference to what is found.
    tell : callable, optional
        Told how far it is.

    Raises
    ------
    CrawlError, WebError
        If the plan cannot be carried out as it is.
    """
    must_be_drawable(plan)
    compared = compare(plan.crawls, processes, tell)
    whole = [policy for policy in compared.policies if not policy.fell]
    orders = [
        [(policy.runs[k].order, policy.runs[k].came) for policy in whole]
        for k in range(len(plan.seeds))
    ]
    webs: list[OfWeb] = []
    if whole:
        jobs = list(zip(plan.seeds, orders, strict=True))
        webs = collected(partial(_of_web, plan), jobs, processes, tell, "samples of web")
    return Study(plan, tuple(policy.name for policy in whole), compared.fell, tuple(webs))


def must_be_drawable(plan: CoveragePlan) -> None:
    """Refuse a plan that draws more addresses than there are, before anything is crawled."""
    there = Allocation(Web(plan.profile, plan.web_pages, plan.seeds.start)).size
    if plan.draws > there:
        raise CrawlError(f"--draws {plan.draws}: a web of {plan.crawls.pages_of_web:,} pages has "
                         f"{there:,} addresses allocated")  # fmt: skip


def _of_web(plan: CoveragePlan, job: tuple[int, Sequence[tuple[Array, Array]]]) -> OfWeb:
    seed, orders = job
    domain = Domain(Planted(plan.crawls, seed))
    used = estimators(plan.profile)
    crawls = [domain.crawled(order, came) for order, came in orders]
    drawn = [Drawn(domain, plan, _seed_of(seed, turn)) for turn in range(plan.repeats)]
    return OfWeb(
        seed,
        _each(kinds(plan.profile), lambda of: [domain.coverage(of, crawl) for crawl in crawls]),
        {one.name: np.array([[_three(one.estimate(held, crawl)) for crawl in crawls]
                             for held in drawn]) for one in used},
        {one.name: np.array([float(one.requests(held)) for held in drawn]) for one in used},
        _each(PARTS, lambda of: [domain.curve(of, crawl) for crawl in crawls]),
        _each(PARTS, lambda of: [np.mean([curves(held, of, crawl) for held in drawn], axis=0)
                                 for crawl in crawls]),
        domain.largest_weak_component(),
        float(np.mean([held.reachable for held in drawn])),
    )  # fmt: skip


def _each(names: Sequence[str] | dict[str, float], made: Callable[[str], Any]) -> dict[str, Array]:
    return {name: np.array(made(name)) for name in names}


def _three(of: Estimate) -> tuple[float, float, float]:
    return of.value, of.low, of.high


def _seed_of(seed: int, turn: int) -> int:
    """Return a seed of its own for each repetition on each web."""
    return int(np.random.SeedSequence([seed, turn]).generate_state(1, np.uint64)[0])


def as_json(of: Study) -> dict[str, Any]:
    """Return all figures of a study, ready for JSON."""
    plan = of.plan
    return {
        "web": plan.profile.name,
        "web_pages": plan.crawls.pages_of_web,
        "pages": plan.budget,
        "seeds": [plan.seeds.start, plan.seeds.stop - 1],
        "repeats": plan.repeats,
        "draws": plan.draws,
        "size": plan.size,
        "starts": plan.starts,
        "fell": of.fell,
        "largest_weak_component": [web.weak for web in of.webs],
        "reachable_from_starts": [web.reach for web in of.webs],
        "thresholds": list(GRID),
        "policies": {name: _policy(of, place) for place, name in enumerate(of.policies)},
        "estimators": {
            one.name: {"of": one.of, "whose": one.whose, "about": one.about,
                       **_figures(of.overall(one))}
            for one in of.estimators if of.webs
        },
    }  # fmt: skip


def _policy(of: Study, place: int) -> dict[str, Any]:
    return {
        "truth": {what: of.truth(what, place) for what in kinds(of.plan.profile)},
        "estimators": {one.name: _figures(of.judged(one, place)) for one in of.estimators},
        "curves": {
            signal: {
                "true": [point.value for point in of.curve(signal, place, True)],
                "estimated": [point.value for point in of.curve(signal, place, False)],
                "knees": {
                    f"to {end:.0%}": {
                        "true": of.knee(signal, place, True, end),
                        "estimated": of.knee(signal, place, False, end),
                    }
                    for end in ENDS
                },
            }
            for signal in PARTS
        },
    }


def _figures(of: Judged) -> dict[str, Any]:
    def plain(value: float | None) -> float | None:
        return None if value is None or math.isnan(value) else value

    interval = None if of.bias.interval is None else list(of.bias.interval)
    return {
        "truth": of.truth,
        "bias": plain(of.bias.value),
        "bias_interval": interval,
        "deviation": plain(of.deviation),
        "variance": plain(of.deviation**2),
        "rmse": plain(of.rmse),
        "contains": of.contains,
        "width": of.width,
        "told": of.told,
        "requests": of.requests,
    }
