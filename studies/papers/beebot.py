"""Table 2 of [BeeBot]: external links found by R1, R2 and R3 on three sets of ten sites, N = 2000.

The paper gives neither n of R2 nor m of R3, so the study runs several values. Each web is one draw
from the profile, and each of the paper's figures comes from one web. So there are two questions:
whether the interval of the *mean* ratio contains the paper's ratio, and how often a single web has
a ratio as extreme as the paper's.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from counterpoint.crawler.schedulers.finding import find
from counterpoint.sim_web.profile import load
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.comparison.planted import Planted
from counterpoint.studies.comparison.statistics import Mean, mean

from .arms import SiteLinks, order_of, rows_of
from .assumptions import agreeing, companions, in_the_time_of
from .starvation import Starvation, by_links, experiment, starved
from .statistics import as_json, contains, ratio
from .study import Tell, run_all

Array = np.ndarray[Any, Any]

PRINTED = {
    "institutes": (417, 816, 457),
    "universities": (1337, 774, 1447),
    "sample": (949, 994, 1078),
}
"""Table 2: S_R1, S_R2, S_R3."""

BUDGET = 2000
STEPS = (5, 10, 20, 50, 100)
"""n of R2."""
INITIALS = (1, 10, 50)
"""m of R3."""
STEP, INITIAL = 20, 10
"""The defaults of the rules: N / 10 K and N / 20 K."""

RULES = ("R1", *(f"R2,step={n}" for n in STEPS), *(f"R3,initial={m}" for m in INITIALS))
TIMED = (f"R2,step={STEP}", f"R3,initial={INITIAL}")
AS_PRINTED = ("R1-printed", f"R2-printed,step={STEP}", f"R3-printed,initial={INITIAL}")
"""The rules with the paper's own errors: they scan more than N pages."""
TRIED = {"universities": tuple(range(10)), "sample": tuple(range(5, 10))}
"""The universities in the sets in which R2 finds less, relative to R1, than here; the first five of
either are those of Table 1."""
TOGETHER = (("rshu", "spbu"), ("spbstu", "finec"))
"""Universities of Table 1: two of the 32 choices for which R2/R1 on sample is near to the paper's
if just they begin empty. They were chosen on webs of the same seeds."""
OF_TABLE_1 = ("pgups", "rshu", "spbstu", "spbu", "finec")


def printed_ratio(web: str, rule: str) -> float:
    """Return the paper's S of a rule over its S of R1."""
    r1, r2, r3 = PRINTED[web]
    return (r2 if rule.startswith("R2") else r3) / r1


@dataclass(frozen=True)
class BeeBotWeb:
    """The results of all rules on one web.

    Attributes
    ----------
    found : dict of str to int
        External links that each of `RULES` and `AS_PRINTED` found.
    pages : dict of str to int
        Pages that each of `AS_PRINTED` scanned.
    starved : dict of int to Starvation
        The sites to which R2 never returned, by its n.
    richest, poorest : int64[universities + 1, 3] or None
        The results of `experiment`; None on other sets than `TRIED`.
    together : tuple of int64[n, 3]
        For each of `TOGETHER`: the results if these begin empty, and if 1, 2, ... of the
        universities that are not in Table 1 do, too.
    companions : dict of str to int
        To how many hosts outside of the set the pages of each of `RULES` link.
    timed : dict of str to int
        External links that R2 and R3 find in the time of R1, if a page takes a time in proportion
        to its size.
    """

    found: dict[str, int]
    pages: dict[str, int]
    starved: dict[int, Starvation]
    richest: Array | None
    poorest: Array | None
    together: tuple[Array, ...]
    companions: dict[str, int]
    timed: dict[str, int]


def crawled(budget: int, job: tuple[str, int]) -> BeeBotWeb:
    """Crawl the web of a set and a seed with all rules; ``job`` is (set, seed)."""
    name, seed = job
    planted = Planted(ComparisonPlan((), load(name), budget), seed)
    rows = rows_of(planted, budget)
    found, scanned, left, reached = {}, {}, {}, {}
    for rule in (*RULES, *AS_PRINTED):
        order = order_of(rule, SiteLinks(planted), budget, seed)
        found[rule] = int(planted.external[order].sum())
        reached[rule] = companions(planted, order)
        if rule in AS_PRINTED:
            scanned[rule] = len(order)
        elif rule.startswith("R2"):
            step = find(rule).parameters["step"]
            pages = np.bincount(planted.of_site[order], minlength=len(rows))
            left[step] = starved(rows, pages, step)
    timed = _in_equal_time(planted, budget, seed)
    if name not in TRIED:
        return BeeBotWeb(found, scanned, left, None, None, (), reached, timed)
    universities = TRIED[name]
    orders = [by_links(rows, universities, richest) for richest in (True, False)]
    others = by_links(rows, universities[len(OF_TABLE_1) :], True)
    for pair in TOGETHER:
        orders.append([*(universities[OF_TABLE_1.index(one)] for one in pair), *others])
    tried = [experiment(rows, STEP, INITIAL, budget, order) for order in orders]
    together = tuple(one[len(pair) :] for one, pair in zip(tried[2:], TOGETHER, strict=True))
    return BeeBotWeb(found, scanned, left, tried[0], tried[1], together, reached, timed)


def _in_equal_time(planted: Planted, budget: int, seed: int) -> dict[str, int]:
    """Return what R2 and R3 find in the time in which R1 scans its pages."""
    world = SiteLinks(planted)
    longer = {rule: order_of(rule, world, 2 * budget, seed) for rule in TIMED}
    first = order_of("R1", world, budget, seed)
    return in_the_time_of(first, longer, planted.external, planted.sizes_until(0.0))


@dataclass(frozen=True)
class BeeBot:
    """The measured figures.

    Attributes
    ----------
    seeds : range
    budget : int
        N.
    webs : dict of str to tuple of BeeBotWeb
        A web for each seed, by set.
    """

    seeds: range
    budget: int
    webs: dict[str, tuple[BeeBotWeb, ...]]

    def values(self, web: str, rule: str) -> list[float]:
        """Return the number of links that a rule found on each web of a set."""
        return [float(run.found[rule]) for run in self.webs[web]]

    def mean(self, web: str, rule: str) -> Mean:
        """Return the mean number of links that a rule found."""
        return mean(self.values(web, rule))

    def ratio(self, web: str, rule: str) -> Mean:
        """Return the ratio of a rule's mean to that of R1."""
        return ratio(self.values(web, rule), self.values(web, "R1"))

    def single(self, web: str, rule: str) -> list[float]:
        """Return a rule's ratio to R1 on each web."""
        pairs = zip(self.values(web, rule), self.values(web, "R1"), strict=True)
        return [a / max(1.0, b) for a, b in pairs]

    def as_low(self, web: str, rule: str) -> int:
        """Return on how many webs the ratio is at most the paper's."""
        return sum(one <= printed_ratio(web, rule) for one in self.single(web, rule))

    def holds(self, web: str, rule: str) -> bool:
        """Return whether the interval of the ratio contains the paper's ratio."""
        return contains(self.ratio(web, rule), printed_ratio(web, rule))

    def tried(self, web: str, rule: str, richest: bool = True) -> list[Mean]:
        """Return ratios to R1 in the experiment, for each number of universities that begin empty.

        Parameters
        ----------
        web : str
            One of `TRIED`.
        rule : {"R2", "R3"}
        richest : bool
            Whether they are the universities with the most links, or those with the fewest.
        """
        runs = [run.richest if richest else run.poorest for run in self.webs[web]]
        table = np.array([run for run in runs if run is not None], dtype=float)
        column = ("R1", "R2", "R3").index(rule)
        return [ratio(table[:, k, column], table[:, k, 0]) for k in range(table.shape[1])]

    def nearest(self, web: str) -> int:
        """Return for how many rich universities that begin empty R2/R1 is nearest to the paper's.

        0 if it is nearest as it is.
        """
        printed = printed_ratio(web, TIMED[0])
        return int(np.argmin([abs(one.value - printed) for one in self.tried(web, "R2")]))

    def together(self, web: str, pair: int) -> list[Mean]:
        """Return R2/R1 if the universities of `TOGETHER` begin empty, and 0, 1, ... others."""
        table = np.array([run.together[pair] for run in self.webs[web]], dtype=float)
        return [ratio(table[:, k, 1], table[:, k, 0]) for k in range(table.shape[1])]

    def companions(self, web: str, rule: str) -> Mean:
        """Return the mean number of hosts outside of the set to which a rule's pages link."""
        return mean([float(run.companions[rule]) for run in self.webs[web]])

    def agreeing(self) -> tuple[int, int]:
        """Return in how many pairs of rules more links lead to more companions, and all pairs."""
        pairs = [agreeing({rule: run.found[rule] for rule in RULES}, run.companions)
                 for runs in self.webs.values() for run in runs]  # fmt: skip
        return sum(more for more, _ in pairs), sum(number for _, number in pairs)

    def in_time(self, web: str, rule: str) -> Mean:
        """Return the ratio of a rule of `TIMED` to R1 in equal time."""
        return ratio([float(run.timed[rule]) for run in self.webs[web]], self.values(web, "R1"))

    def pages(self, web: str, rule: str) -> Mean:
        """Return the mean number of pages that a rule of `AS_PRINTED` scanned."""
        return mean([float(run.pages[rule]) for run in self.webs[web]])

    def to_json(self) -> dict[str, Any]:
        """Return all figures."""
        return {
            "seeds": [self.seeds.start, self.seeds.stop - 1],
            "pages": self.budget,
            "sets": {web: self._set(web) for web in self.webs},
            "experiment": {
                "step": STEP,
                "together": [
                    {
                        "begin_empty": pair,
                        **{web: [as_json(one) for one in self.together(web, k)] for web in TRIED},
                    }
                    for k, pair in enumerate(TOGETHER)
                ],
                "sets": {
                    web: {
                        f"{which}_begin_empty": {
                            rule: [
                                as_json(one) for one in self.tried(web, rule, which == "richest")
                            ]
                            for rule in ("R2", "R3")
                        }
                        for which in ("richest", "poorest")
                    }
                    for web in TRIED
                },
            },
        }

    def _set(self, web: str) -> dict[str, Any]:
        rules = {}
        for rule in RULES:
            found: dict[str, Any] = {
                "links": as_json(self.mean(web, rule)),
                "values": self.values(web, rule),
                "companions": as_json(self.companions(web, rule)),
            }
            if rule in TIMED:
                found["ratio_in_equal_time"] = as_json(self.in_time(web, rule))
            if rule != "R1":
                found["ratio"] = as_json(self.ratio(web, rule))
                found["paper"] = printed_ratio(web, rule)
                found["paper_in_interval"] = self.holds(web, rule)
                found["webs_at_most_paper"] = self.as_low(web, rule)
            rules[rule] = found
        for rule in AS_PRINTED:
            rules[rule] = {
                "links": as_json(self.mean(web, rule)),
                "values": self.values(web, rule),
                "pages": as_json(self.pages(web, rule)),
            }
        starved = {str(n): [run.starved[n]._asdict() for run in self.webs[web]] for n in STEPS}
        return {"rules": rules, "starved": starved}


def study(
    seeds: range, processes: int = 1, tell: Tell | None = None, *, budget: int = BUDGET
) -> BeeBot:
    """Run the rules on one web for each set and seed.

    Parameters
    ----------
    seeds : range
        One web of each set for each seed.
    processes : int
        How many webs are crawled at the same time.
    tell : callable, optional
        Shows the progress.
    budget : int
        N, the pages that each rule may scan.
    """
    jobs = list(product(PRINTED, seeds))
    runs = run_all(partial(crawled, budget), jobs, processes, tell)
    return BeeBot(seeds, budget, {
        name: tuple(run for job, run in zip(jobs, runs, strict=True) if job[0] == name)
        for name in PRINTED
    })  # fmt: skip
