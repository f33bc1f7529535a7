"""The study of estimators: each is compared with the truth over webs, repetitions and crawls."""

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
from counterpoint.studies.papers.study import Tell, run_all

from .estimators import Estimator, curves, estimators, kinds
from .plan import CoveragePlan
from .samples import SampleSet
from .truth import GRID, PARTS, Domain

Array = np.ndarray[Any, Any]

TELLING = 0.5
"""An estimator is not judged if a smaller share of its tries gives an estimate."""


ENDS = (0.1, 1.0)
"""The ends of the curves whose knees are searched; the longest curve of [COV] ends at 11%."""


@dataclass(frozen=True)
class WebResult:
    """The results on one web.

    Attributes
    ----------
    seed : int
    truth : dict of str to float64[policies]
        The true coverages, by the names of `kinds`.
    estimates : dict of str to float64[repeats, policies, 3]
        Value and interval of each estimator; NaN where there is none.
    requests : dict of str to float64[repeats]
    true_curves, curves : dict of str to float64[policies, points]
        Quality coverage against the threshold: true, and the mean over repetitions.
    weak, reach : float
        Shares of the pages: in the largest weak component, and reachable from the start of a
        search (mean over searches).
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
class EstimatorResult:
    """The errors of an estimator on the crawls of one policy.

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
        Share of the intervals that contain the truth; None if the estimator gives no intervals.
    width : float or None
        Mean width of the intervals.
    success : float
        Share of the tries that gave an estimate; the other figures are over these tries only.
    requests : float
        Mean over all tries.
    """

    truth: float
    bias: Mean
    deviation: float
    rmse: float
    contains: float | None
    width: float | None
    success: float
    requests: float


@dataclass(frozen=True)
class CoverageStudy:
    """The results of a plan.

    Attributes
    ----------
    plan : CoveragePlan
    policies : tuple of str
        The policies that did not fail.
    fell : list of str
        A line for each policy that broke a rule for policies.
    webs : tuple of WebResult
    unknown : tuple of str
        A line for each policy of which a step took too long.
    """

    plan: CoveragePlan
    policies: tuple[str, ...]
    fell: list[str]
    webs: tuple[WebResult, ...]
    unknown: tuple[str, ...] = ()

    @property
    def estimators(self) -> tuple[Estimator, ...]:
        """The estimators that apply."""
        return estimators(self.plan.profile)

    def truth(self, kind: str, policy: int) -> list[float]:
        """Return a true coverage on each web."""
        return [float(web.truth[kind][policy]) for web in self.webs]

    def truth_with_hidden(self, policy: int) -> list[float]:
        """Return the true coverage of all pages, those behind forms included, on each web.

        No crawl by links has one of those.
        """
        there = 1 - self.plan.profile.forms.hidden
        return [there * share for share in self.truth("quantity", policy)]

    def errors_of(self, estimator: Estimator, policy: int) -> EstimatorResult:
        """Return the errors of an estimator on the crawls of a policy, given by its place."""
        truth = np.array(self.truth(estimator.of, policy))[:, None]
        held = np.array([web.estimates[estimator.name][:, policy] for web in self.webs])[:, None]
        requests = float(np.mean([web.requests[estimator.name] for web in self.webs]))
        return judge_estimates(truth, held, requests)

    def overall(self, estimator: Estimator) -> EstimatorResult:
        """Return the errors of an estimator on all crawls of all policies together."""
        truth = np.array([web.truth[estimator.of] for web in self.webs])
        held = np.array([web.estimates[estimator.name] for web in self.webs])
        requests = float(np.mean([web.requests[estimator.name] for web in self.webs]))
        return judge_estimates(truth, held.swapaxes(1, 2), requests)

    def ranked(self, kind: str) -> list[tuple[Estimator, EstimatorResult]]:
        """Return the estimators of a coverage, the least root mean squared error first.

        Estimators that give an estimate in less than half of the tries come last.
        """
        found = [(one, self.overall(one)) for one in self.estimators if one.of == kind]
        return sorted(found, key=lambda pair: (pair[1].success < TELLING, pair[1].rmse))

    def curve(self, signal: str, policy: int, true: bool) -> list[Mean]:
        """Return the quality coverage at each threshold, mean over webs."""
        rows = [(web.true_curves if true else web.curves)[signal][policy] for web in self.webs]
        return [mean(column) for column in np.array(rows).T.tolist()]

    def knee(self, signal: str, policy: int, true: bool, end: float = 1.0) -> float | None:
        """Return the knee of a curve of quality coverage; None if it has none.

        Parameters
        ----------
        signal : str
            The ranking by which pages are important.
        policy : int
            The place of the policy.
        true : bool
            Whether the true curve is meant, or the estimated one.
        end : float
            The threshold at which the curve ends.
        """
        parts = [part for part in GRID if part <= end]
        values = [point.value for point in self.curve(signal, policy, true)]
        return knee(parts, values[: len(parts)])


def judge_estimates(truth: Array, estimates: Array, requests: float) -> EstimatorResult:
    """Compare estimates with the truth.

    Parameters
    ----------
    truth : float64[webs, crawls]
    estimates : float64[webs, crawls, repeats, 3]
        Value, low and high; NaN where there is none.
    requests : float
        Mean number of requests.
    """
    each = np.repeat(truth[..., None], estimates.shape[2], axis=2)
    values, low, high = estimates[..., 0], estimates[..., 1], estimates[..., 2]
    has_value, bounded = ~np.isnan(values), ~np.isnan(low)
    whole = float(each.mean())
    if not has_value.any():
        nothing = math.nan
        return EstimatorResult(
            whole, Mean(nothing, None), nothing, nothing, None, None, 0.0, requests
        )
    errors = values - each
    rows = [row[here] for row, here in zip(errors, has_value, strict=True) if here.any()]
    spread = _spread(values)
    right = (low <= each + 1e-12) & (each <= high + 1e-12)
    return EstimatorResult(
        truth=whole,
        bias=mean([float(row.mean()) for row in rows]),
        deviation=math.sqrt(sum(spread) / len(spread)) if spread else math.nan,
        rmse=math.sqrt(float((errors[has_value] ** 2).mean())),
        contains=float(right[bounded].mean()) if bounded.any() else None,
        width=float((high - low)[bounded].mean()) if bounded.any() else None,
        success=float(has_value.mean()),
        requests=requests,
    )


def _spread(values: Array) -> list[float]:
    """Return the variance of the repeated estimates of each crawl."""
    rows = (row[~np.isnan(row)] for row in values.reshape(-1, values.shape[-1]))
    return [float(row.var(ddof=1)) for row in rows if len(row) > 1]


def study(plan: CoveragePlan, processes: int, tell: Tell | None = None) -> CoverageStudy:
    """Crawl, sample and estimate.

    Parameters
    ----------
    plan : CoveragePlan
    processes : int
        How many webs are crawled at the same time; the results do not depend on it.
    tell : callable, optional
        Shows the progress.

    Raises
    ------
    CrawlError, WebError
        If the plan cannot be carried out.
    """
    must_be_drawable(plan)
    compared = compare(plan.crawls, processes, tell)
    whole = [policy for policy in compared.policies if not policy.fell]
    orders = [
        [(policy.runs[k].order, policy.runs[k].came) for policy in whole]
        for k in range(len(plan.seeds))
    ]
    webs: list[WebResult] = []
    if whole:
        jobs = list(zip(plan.seeds, orders, strict=True))
        webs = run_all(partial(_of_web, plan), jobs, processes, tell, "samples of web")
    return CoverageStudy(plan, tuple(policy.name for policy in whole), compared.fell, tuple(webs),
                         tuple(compared.unknown))  # fmt: skip


def must_be_drawable(plan: CoveragePlan) -> None:
    """Refuse a plan that draws more addresses than there are, before anything is crawled."""
    there = Allocation(Web(plan.profile, plan.web_pages, plan.seeds.start)).size
    if plan.draws > there:
        raise CrawlError(f"--draws {plan.draws}: a web of {plan.crawls.pages_of_web:,} pages has "
                         f"{there:,} addresses allocated")  # fmt: skip


def _of_web(plan: CoveragePlan, job: tuple[int, Sequence[tuple[Array, Array]]]) -> WebResult:
    seed, orders = job
    domain = Domain(Planted(plan.crawls, seed))
    used = estimators(plan.profile)
    crawls = [domain.crawled(order, came) for order, came in orders]
    drawn = [SampleSet(domain, plan, _seed_of(seed, turn)) for turn in range(plan.repeats)]
    return WebResult(
        seed,
        _each(kinds(plan.profile), lambda kind: [domain.coverage(kind, crawl) for crawl in crawls]),
        {one.name: np.array([[_three(one.estimate(held, crawl)) for crawl in crawls]
                             for held in drawn]) for one in used},
        {one.name: np.array([float(one.requests(held)) for held in drawn]) for one in used},
        _each(PARTS, lambda signal: [domain.curve(signal, crawl) for crawl in crawls]),
        _each(PARTS, lambda signal: [
            np.mean([curves(held, signal, crawl) for held in drawn], axis=0) for crawl in crawls
        ]),
        domain.largest_weak_component(),
        float(np.mean([held.reachable for held in drawn])),
    )  # fmt: skip


def _each(names: Sequence[str] | dict[str, float], made: Callable[[str], Any]) -> dict[str, Array]:
    return {name: np.array(made(name)) for name in names}


def _three(estimate: Estimate) -> tuple[float, float, float]:
    return estimate.value, estimate.low, estimate.high


def _seed_of(seed: int, turn: int) -> int:
    """Return a seed of its own for each repetition on each web."""
    return int(np.random.SeedSequence([seed, turn]).generate_state(1, np.uint64)[0])


def as_json(study: CoverageStudy) -> dict[str, Any]:
    """Return all figures of a study, ready for JSON."""
    plan = study.plan
    return {
        "web": plan.profile.name,
        "web_pages": plan.crawls.pages_of_web,
        "pages": plan.budget,
        "seeds": [plan.seeds.start, plan.seeds.stop - 1],
        "repeats": plan.repeats,
        "draws": plan.draws,
        "size": plan.size,
        "starts": plan.starts,
        "fell": study.fell,
        "unknown": list(study.unknown),
        "largest_weak_component": [web.weak for web in study.webs],
        "reachable_from_starts": [web.reach for web in study.webs],
        "thresholds": list(GRID),
        "policies": {name: _policy(study, place) for place, name in enumerate(study.policies)},
        "estimators": {
            one.name: {"of": one.of, "whose": one.whose, "about": one.about,
                       **_figures(study.overall(one))}
            for one in study.estimators if study.webs
        },
    }  # fmt: skip


def _with_hidden(study: CoverageStudy, place: int) -> dict[str, Any]:
    """Return the true coverage of all pages with those behind forms, if the webs have any."""
    if not study.plan.profile.forms.hidden:
        return {}
    return {"truth_with_hidden": study.truth_with_hidden(place)}


def _policy(study: CoverageStudy, place: int) -> dict[str, Any]:
    return {
        "truth": {what: study.truth(what, place) for what in kinds(study.plan.profile)},
        **_with_hidden(study, place),
        "estimators": {one.name: _figures(study.errors_of(one, place)) for one in study.estimators},
        "curves": {
            signal: {
                "true": [point.value for point in study.curve(signal, place, True)],
                "estimated": [point.value for point in study.curve(signal, place, False)],
                "knees": {
                    f"to {end:.0%}": {
                        "true": study.knee(signal, place, True, end),
                        "estimated": study.knee(signal, place, False, end),
                    }
                    for end in ENDS
                },
            }
            for signal in PARTS
        },
    }


def _figures(result: EstimatorResult) -> dict[str, Any]:
    def plain(value: float | None) -> float | None:
        return None if value is None or math.isnan(value) else value

    interval = None if result.bias.interval is None else list(result.bias.interval)
    return {
        "truth": result.truth,
        "bias": plain(result.bias.value),
        "bias_interval": interval,
        "deviation": plain(result.deviation),
        "variance": plain(result.deviation**2),
        "rmse": plain(result.rmse),
        "contains": result.contains,
        "width": result.width,
        "told": result.success,
        "requests": result.requests,
    }
