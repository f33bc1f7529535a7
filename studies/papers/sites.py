"""Sites that share a crawler's time, and Q of their index after each run.

The formal statement of [SCENT]: to check a page takes A x size + B; a run has a fixed time, which
all sites share; Q(j) of site j sums over N(j), the documents that the site has or had, so a copy of
a deleted page counts against it, and so does a page that is not in the index yet. Time passes
between two runs; a run itself changes nothing. A crawler learns of a new page at the first run
after its birth, as from a sitemap, and forgets a page that a visit finds gone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from counterpoint.crawler.schedulers.costs import VisitCost
from counterpoint.sim_web.generator.counting import first_pages
from counterpoint.sim_web.profile import load
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.comparison.planted import Planted

from . import visiting
from .visiting import GONE, HARVESTS, IN_TURN, INFORMED, PLANNED, SCENT

Array = np.ndarray[Any, Any]

DAY = 86_400.0
INITIAL = 20.0
"""The scent of a new page, as in the scheduler, in units of the harvest ``difference``."""


class SiteKind(NamedTuple):
    """How the pages of a site change.

    Attributes
    ----------
    static : float
        The share of pages that never change.
    per_day : float
        The mean number of changes per day of the other pages.
    passing : float
        The share of pages that are born and die.
    life_days : float
        How long such a page exists, on average.
    """

    static: float
    per_day: float
    passing: float = 0.0
    life_days: float = 4.0


@dataclass
class Visited:
    """The results of a policy.

    Attributes
    ----------
    quality : float64[runs, sites]
        Q of each site right after each run.
    spent : float64[runs]
        The time of each run that was spent.
    visits : bool[runs, pages]
        Whether each run visited each page.
    """

    quality: Array
    spent: Array
    visits: Array

    @property
    def q(self) -> Array:
        """Q of all sites after each run."""
        return np.asarray(self.quality.sum(axis=1))


@dataclass
class State:
    """What a crawler knows and has; arrays of one number for each page, as in `visiting`."""

    scent: Array
    copies: Array
    known: Array
    last: Array
    listed: Array
    terms: Array
    debts: Array
    seen: Array = field(init=False)
    changes: Array = field(init=False)
    spans: Array = field(init=False)
    harvests: Array = field(init=False)

    def __post_init__(self) -> None:
        count = len(self.scent)
        self.seen, self.changes, self.spans = (np.zeros(count, dtype=np.int64) for _ in range(3))
        self.harvests = np.zeros(count)

    def arrays(self) -> tuple[Array, ...]:
        """Return all arrays in the order of the compiled function."""
        return (self.scent, self.copies, self.known, self.last, self.listed, self.terms, self.debts,
                self.seen, self.changes, self.spans, self.harvests)  # fmt: skip


class Sites:
    """The pages of several sites at the times of the runs.

    Parameters
    ----------
    kinds : tuple of SiteKind
        The sites; each has the same number of pages.
    pages : int
        The number of pages of all sites.
    seed : int
    runs : int
        Number of runs.
    interval : float
        Seconds between two runs. The first run is at this time; at time 0 the index has a fresh
        copy of every page that is there.
    cost : VisitCost
    time : float
        The time of a run.

    Attributes
    ----------
    versions, sizes : int64[runs, pages]
        The version and the size of each page at each run; `GONE` and 0 if it is not there.
    site : int64[pages]
        The site of each page.
    rates : float64[pages]
        Changes of each page from one run to the next, on average.
    passing : bool[pages]
        Which pages are born or die.
    """

    def __init__(
        self, kinds: tuple[SiteKind, ...], pages: int, seed: int, runs: int, interval: float,
        cost: VisitCost, time: float,
    ) -> None:  # fmt: skip
        planted = Planted(ComparisonPlan((), load("living"), 1, pages), seed)
        self.kinds, self.runs, self.cost, self.time = kinds, runs, cost, time
        self.interval = interval
        self.site = np.arange(pages) * len(kinds) // pages
        spread = planted.web.profile.change.spread
        laws = np.array([[kind.static, kind.per_day, spread] for kind in kinds])
        days = runs * interval / DAY
        lives = np.array([[kind.passing, kind.life_days, days] for kind in kinds])
        lasting = np.zeros(pages, dtype=np.bool_)
        lasting[first_pages(planted.web)[:-1]] = True
        key = planted.web.numbers.key
        self.text = (key, *planted.texts.tables)
        times = interval * np.arange(runs + 1.0)
        found = visiting.histories(key, laws, lives, self.site, lasting, times, *self.text[1:])
        self._begin = found[0][0], found[1][0]
        self.versions, self.sizes = found[0][1:].copy(), found[1][1:].copy()
        self.passing = np.isfinite(found[2][:, 1])
        self.rates = visiting.rates(key, laws, self.site) * interval

    def fresh(self) -> Array:
        """Return Q of an index in which every copy is fresh, after each run."""
        return np.asarray(np.log1p(self.sizes.astype(np.float64)).sum(axis=1))

    def state(self, initial: float = INITIAL) -> State:
        """Return what a crawler has at time 0."""
        versions, sizes = self._begin
        count = len(versions)
        there = versions != GONE
        return State(
            np.full(count, initial), versions.copy(), sizes.copy(), np.full(count, -1),
            there.astype(np.int64), np.zeros(count), np.zeros(len(self.kinds)),
        )  # fmt: skip

    def empty(self) -> Visited:
        """Return results that are still to be filled."""
        shape = self.versions.shape
        return Visited(np.zeros((shape[0], len(self.kinds))), np.zeros(shape[0]),
                       np.zeros(shape, dtype=np.bool_))  # fmt: skip

    def go(
        self, state: State, into: Visited, runs: tuple[int, int], rule: int, *,
        harvest: int = 0, delta: float = 0.0, initial: float = INITIAL, kept: float = 0.5,
        table: Array | None = None, apart: bool = False,
    ) -> float:  # fmt: skip
        """Visit pages in some runs; the arguments are as in `visiting.visit_runs`.

        Parameters
        ----------
        state : State
        into : Visited
            Gets the results.
        runs : (int, int)
            The first run, and the one after the last.
        rule : int
            By what pages are ranked.
        harvest : int
        delta, initial, kept : float
        table : float64[pages, ages], optional
        apart : bool
            Whether each site has the same part of the time, instead of all of it together.

        Returns
        -------
        float
            The sum of the harvests.
        """
        shares = len(self.kinds) if apart else 1
        state.debts = state.debts[:shares]
        found = visiting.visit_runs(
            self.text, self.versions, self.sizes, self.site, runs, state.arrays(),
            (rule, harvest), (delta, initial, kept), (self.cost.per_byte, self.cost.per_visit),
            np.full(shares, self.time / shares), np.zeros((1, 1)) if table is None else table,
            (into.quality, into.spent, into.visits),
        )  # fmt: skip
        return float(found)

    def visited(self, rule: int, **how: Any) -> Visited:
        """Return the results of all runs by one rule; ``how`` is as in `go`."""
        into = self.empty()
        state = self.state(how.get("initial", INITIAL))
        self.go(state, into, (0, self.runs), rule, **how)
        return into

    def scent(self, harvest: str, delta: float, rule: int = SCENT, apart: bool = False) -> Visited:
        """Return the results of S.C.E.N.T.

        Parameters
        ----------
        harvest : str
            One of `HARVESTS`.
        delta : float
            DeltaS in units of the harvest ``difference``.
        rule : int
            `SCENT` or `visiting.PER_SECOND`.
        apart : bool
        """
        unit = self.unit(harvest)
        return self.visited(rule, harvest=HARVESTS.index(harvest), delta=delta * unit,
                            initial=INITIAL * unit, apart=apart)  # fmt: skip

    def unit(self, harvest: str) -> float:
        """Return the mean harvest of one change, over that of ``difference``."""
        if harvest in ("difference", "pace"):
            return 1.0
        there = np.flatnonzero(self._begin[0] != GONE)
        values = [visiting.unit_harvests(self.text, there, HARVESTS.index(name)).mean()
                  for name in (harvest, "difference")]  # fmt: skip
        return float(values[0] / values[1])

    def informed(self) -> Visited:
        """Return the results of an oracle that knows what each visit gains now."""
        return self.visited(INFORMED)

    def in_turn(self) -> Visited:
        """Return the results of visits in turn."""
        return self.visited(IN_TURN)

    def planned(self, table: Array) -> Visited:
        """Return the results of visits by a table of what they are worth at each age."""
        return self.visited(PLANNED, table=table)

    def fresh_by_site(self) -> Array:
        """Return Q of each site with fresh copies, after each run, float64[runs, sites]."""
        terms = np.log1p(self.sizes.astype(np.float64))
        return np.stack([terms[:, self.site == k].sum(axis=1)
                         for k in range(len(self.kinds))], axis=1)  # fmt: skip

    def at(self, cost: VisitCost, time: float) -> Sites:
        """Return the same sites with another cost of visits and another time of a run."""
        other = Sites.__new__(Sites)
        other.__dict__.update(self.__dict__, cost=cost, time=time)
        return other
