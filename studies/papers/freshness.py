"""The freshness that policies reach, compared with the formulas (Cho and Garcia-Molina, 2000).

Their example has five pages that change 1 to 5 times a day, and a crawler that makes five visits a
day. The second case is a web with a static and a dynamic part. Freshness is the share of the time
in which a copy is up to date; it is computed exactly from the times of visits and changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from counterpoint.crawler.policy.protocol import Outcome, Scope
from counterpoint.crawler.schedulers.allocation import (
    freshness,
    optimal_frequencies,
    proportional_frequencies,
)
from counterpoint.crawler.schedulers.finding import find
from counterpoint.crawler.worlds.crawl import crawl
from counterpoint.sim_web.profile import load
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.comparison.planted import Oracle, Planted
from counterpoint.studies.comparison.statistics import Mean, mean
from counterpoint.studies.comparison.world import DAY, World

from .statistics import as_json
from .study import Tell, run_all

Array = np.ndarray[Any, Any]

RATES = (1.0, 2.0, 3.0, 4.0, 5.0)
BUDGET = 5.0
FREQUENCIES = (1.15, 1.36, 1.35, 1.14, 0.0)
PRINTED = {"uniform": 0.3651, "proportional": 0.3167, "optimal": 0.3739}
"""The paper's values for its example."""

POLICIES = {
    "uniform": "uniform",
    "proportional,rates=true": "proportional",
    "optimal-freshness,rates=true": "optimal",
    "proportional": "proportional",
    "optimal-freshness": "optimal",
    "random-revisit": "random",
}
"""The allocation of each policy; policies without ``rates=true`` estimate the change rates."""

DAYS = 1000
WEB_PAGES, WEB_DAYS, SETTLED = 600, 30, 10
"""The web: number of pages, number of days, and the day from which freshness is measured."""


def allocation(name: str, rates: Array, budget: float) -> Array:
    """Return how often an allocation visits each page.

    Parameters
    ----------
    name : str
        ``optimal``, ``proportional``, or any other name for equal frequencies.
    rates : float64, shape (pages,)
        Changes of each page in a unit of time.
    budget : float
        Visits in a unit of time.

    Returns
    -------
    float64, shape (pages,)
        Visits of each page in a unit of time.
    """
    if name == "optimal":
        return optimal_frequencies(rates, budget)
    if name == "proportional":
        return proportional_frequencies(rates, budget)
    return np.full(len(rates), budget / len(rates))


def expected(name: str, rates: Array, budget: float) -> float:
    """Return the expected freshness of an allocation, mean over pages; arguments as `allocation`.

    Visits are at even intervals. For ``random``, each visit goes to a page drawn at random, so the
    intervals are geometric: at each moment, a page is visited with probability 1 / pages, and
    moments are 1 / budget apart.
    """
    if name != "random":
        return float(freshness(rates, allocation(name, rates, budget)).mean())
    chance, step = 1 / len(rates), 1 / budget
    moving = rates[rates > 0]
    kept = np.exp(-moving * step)
    spent = chance * (1 - chance * kept / (1 - (1 - chance) * kept)) / (moving * step)
    return float((spent.sum() + (rates == 0).sum()) / len(rates))


class PoissonPages:
    """Pages that change by Poisson processes; each fetch moves the clock by one visit.

    Parameters
    ----------
    rates : sequence of float
        Changes of each page in a unit of time.
    budget : float
        Visits in a unit of time.
    until : float
        The time until which pages change; not before the last visit.
    seed : int
    """

    def __init__(self, rates: Array, budget: float, until: float, seed: int) -> None:
        chance = np.random.default_rng([seed, 0xF5])
        self._rates, self._step, self._visits = rates, 1 / budget, 0
        self._seen = [0] * len(rates)
        self.changes = [
            np.sort(chance.uniform(0, until, chance.poisson(rate * until))) for rate in rates
        ]

    def rate(self, page: int) -> float:
        """Return how often a page changes."""
        return float(self._rates[page])

    def external(self, page: int) -> int:
        """Return 0: these pages have no links."""
        return 0

    def fetch(self, page: int) -> Outcome:
        """Fetch a page; the outcome says whether it has changed since the last visit."""
        time = self._visits * self._step
        self._visits += 1
        version = int(np.searchsorted(self.changes[page], time, "right"))
        changed, self._seen[page] = version != self._seen[page], version
        return Outcome(page, 200, size=1, difference=int(changed), time=time)

    def next_changes(self, pages: Array, times: Array) -> Array:
        """Return when each page changes first after a time; infinite if it does not change again.

        Parameters
        ----------
        pages : int64, shape (n,)
        times : float64, shape (n,)

        Returns
        -------
        float64, shape (n,)
        """
        found = np.full(len(pages), np.inf)
        for page, changes in enumerate(self.changes):
            mine = np.flatnonzero(pages == page)
            later = np.append(changes, np.inf)
            found[mine] = later[np.searchsorted(changes, times[mine], "right")]
        return found


def fresh_share(
    pages: Array, times: Array, next_changes: Array, count: int, since: float, until: float
) -> float:
    """Return the mean freshness: the share of copies that are fresh, over a period of time.

    Parameters
    ----------
    pages, times : arrays[n]
        The visits in the order of time. The first ones visit every page, before `since`.
    next_changes : float64[n]
        The time of the page's next change after each visit.
    count : int
        Number of pages.
    since, until : float
        The period.
    """
    by_page = np.argsort(pages, kind="stable")
    page, time = pages[by_page], times[by_page]
    last = np.append(page[1:] != page[:-1], True)
    end = np.where(last, until, np.append(time[1:], until))
    fresh_until = np.minimum(np.minimum(next_changes[by_page], end), until)
    spans = np.maximum(fresh_until - np.maximum(time, since), 0.0)
    return float(spans.sum() / (count * (until - since)))


def expected_of(pages: Array, times: Array, rates: Array, until: float) -> float:
    """Return the expected freshness for visits at given times, over all possible changes.

    Parameters
    ----------
    pages, times : arrays[n]
        The visits in the order of time. The first ones visit every page at time 0.
    rates : float64[pages]
        The rates of change of the pages, above 0.
    until : float
        The end of the period, which begins at 0.
    """
    total = 0.0
    for page, rate in enumerate(rates.tolist()):
        spans = np.diff(np.append(times[pages == page], until))
        total += float(-np.expm1(-rate * spans).sum()) / rate
    return total / (len(rates) * until)


def five_pages(days: int, seed: int) -> dict[str, tuple[float, float]]:
    """Return, for each policy, the freshness of the five pages, and the expected one."""
    rates, found = np.array(RATES), {}
    budget = round(days * BUDGET)
    for policy in POLICIES:
        world = PoissonPages(rates, BUDGET, float(days), seed)
        pages = list(range(len(rates)))
        scheduler = find(policy).scheduler(pages, budget, seed, world)
        order = crawl(policy, scheduler, world, pages, budget, Scope.KNOWN).order
        # The index holds a copy of each page as it was at time 0.
        visited = np.concatenate((pages, order))
        times = np.concatenate((np.zeros(len(pages)), np.arange(len(order)) / BUDGET))
        changes = world.next_changes(visited, times)
        share = fresh_share(visited, times, changes, len(pages), 0.0, float(days))
        found[policy] = (share, expected_of(visited, times, rates, float(days)))
    return found


def web(pages: int, seed: int) -> dict[str, tuple[float, float]]:
    """Return, for each policy, the freshness of a web, and the value of the formula."""
    planted = Planted(ComparisonPlan((), load("living"), pages * WEB_DAYS, pages), seed)
    known, texts = Oracle(planted), planted.texts
    rates = np.array([known.rate(page) for page in range(pages)]) * DAY
    seconds, budget, found = DAY / pages, pages * WEB_DAYS, {}
    for policy, name in POLICIES.items():
        world = World(planted, Scope.KNOWN, seconds, budget)
        starts = planted.starts(Scope.KNOWN)
        scheduler = find(policy).scheduler(starts, budget, seed, known)
        order = crawl(policy, scheduler, world, starts, budget, Scope.KNOWN).order
        visited = np.concatenate((starts, order))
        times = np.concatenate((np.zeros(pages), np.arange(len(order)) * seconds))
        changes = texts.times(visited, texts.versions(visited, times) + 1)
        share = fresh_share(visited, times, changes, pages, SETTLED * DAY, WEB_DAYS * DAY)
        found[policy] = (share, expected(name, rates, float(pages)))
    return found


@dataclass(frozen=True)
class Freshness:
    """The measured figures.

    Attributes
    ----------
    seeds : range
    days, web_pages : int
        For how many days the five pages were visited, and how many pages the web had.
    five : dict of str to (Mean, Mean)
        Freshness of the five pages by policy, and the expected freshness for its visits.
    web : dict of str to (Mean, Mean)
        Freshness of the web by policy, and its difference to the formula for the same web.
    """

    seeds: range
    days: int
    web_pages: int
    five: dict[str, tuple[Mean, Mean]]
    web: dict[str, tuple[Mean, Mean]]

    def to_json(self) -> dict[str, Any]:
        """Return all figures."""
        rates = np.array(RATES)
        return {
            "seeds": [self.seeds.start, self.seeds.stop - 1],
            "optimal_frequencies": optimal_frequencies(rates, BUDGET).tolist(),
            "analytic": {name: expected(name, rates, BUDGET) for name in (*PRINTED, "random")},
            "five_pages": {
                name: {"freshness": as_json(one), "of_visits": as_json(must)}
                for name, (one, must) in self.five.items()
            },
            "web": {
                name: {"freshness": as_json(one), "above_formula": as_json(above)}
                for name, (one, above) in self.web.items()
            },
        }


def study(
    seeds: range, processes: int = 1, tell: Tell | None = None,
    *, days: int = DAYS, web_pages: int = WEB_PAGES,
) -> Freshness:  # fmt: skip
    """Measure freshness by policy, on five pages and on a web.

    Parameters
    ----------
    seeds : range
        Each experiment is repeated with each seed.
    processes : int
        How many experiments run at the same time.
    tell : callable, optional
        Shows the progress.
    days : int
        For how many days the five pages are visited.
    web_pages : int
        Pages of the web.
    """
    five = run_all(partial(five_pages, days), seeds, processes, tell, "five pages, seed")
    webs = run_all(partial(web, web_pages), seeds, processes, tell)
    return Freshness(
        seeds,
        days,
        web_pages,
        {
            name: (mean([one[name][0] for one in five]), mean([one[name][1] for one in five]))
            for name in POLICIES
        },
        {
            name: (
                mean([one[name][0] for one in webs]),
                mean([one[name][0] - one[name][1] for one in webs]),
            )
            for name in POLICIES
        },
    )
