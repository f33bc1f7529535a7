"""Figures computed from the visits of a plan: curves over time, shares of sites, indices of a rule.

Each visit is read once, in the order of observation, and added to the figures. So a studio that is
started during a crawl shows the crawl from its beginning, and later reads only new visits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

POINTS = 240
"""Largest number of points of a curve."""
BUCKETS = 60
"""Largest number of buckets in which shares are counted."""


class ObservedVisit(NamedTuple):
    """An observed visit: site (None if not in the list), external links, seconds since 1970."""

    seed: int | None
    external: int
    time: float | None


class Point(NamedTuple):
    """A point of the curve: seconds since 1970, visited pages, external links on them."""

    time: float
    pages: int
    links: int


@dataclass
class Tally:
    """The figures of one site by which rules over sites decide.

    Attributes
    ----------
    pages, links, most : int
        Visited pages, external links on them, and the largest number of links on one page.
    faded_pages, faded_links : float
        The same with a discount for each later visit of any site.
    """

    pages: int = 0
    links: int = 0
    most: int = 0
    faded_pages: float = 0.0
    faded_links: float = 0.0
    _at: int = 0

    def add(self, external: int, now: int, discount: float) -> None:
        """Add a visit of this site.

        Parameters
        ----------
        external : int
            External links on the page.
        now : int
            The number of this visit among the visits of all sites.
        discount : float
            The factor by which each later visit reduces the weight of earlier ones.
        """
        fading = discount ** (now - self._at)
        self.pages += 1
        self.links += external
        self.most = max(self.most, external)
        self.faded_pages = self.faded_pages * fading + 1
        self.faded_links = self.faded_links * fading + external
        self._at = now

    def faded(self, now: int, discount: float) -> tuple[float, float]:
        """Return the discounted pages and links after ``now`` visits of all sites."""
        fading: float = discount ** (now - self._at)
        return self.faded_pages * fading, self.faded_links * fading


@dataclass
class History:
    """The figures of one plan.

    Attributes
    ----------
    plan : int
        The number of the plan; -1 if there is none yet.
    events : int
        The number of the last observation that was added.
    discount : float
        The factor by which each later visit reduces the weight of earlier ones (discounted-ucb).
    """

    plan: int = -1
    events: int = -1
    discount: float = 1.0
    pages: int = 0
    links: int = 0
    tallies: dict[int, Tally] = field(default_factory=dict)
    points: list[Point] = field(default_factory=list)
    shares: list[dict[int, int]] = field(default_factory=list)
    _every: int = 1
    _width: int = 1
    _last: Point | None = None

    def add(self, seen: Iterable[ObservedVisit]) -> None:
        """Add some visits, in the order of observation."""
        for one in seen:
            self.pages += 1
            self.links += one.external
            if one.seed is not None:
                tally = self.tallies.setdefault(one.seed, Tally())
                tally.add(one.external, self.pages, self.discount)
                self._share(one.seed)
            if one.time is not None:
                self._point(Point(one.time, self.pages, self.links))

    def curve(self) -> list[Point]:
        """Return the points of the curve of pages and links, including the last one."""
        if self._last is None or (self.points and self.points[-1] == self._last):
            return list(self.points)
        return [*self.points, self._last]

    def _point(self, point: Point) -> None:
        # Answers may be observed in another order than they arrived; time must not go backward.
        if self._last is not None and point.time < self._last.time:
            point = point._replace(time=self._last.time)
        self._last = point
        if (point.pages - 1) % self._every == 0:
            self.points.append(point)
            if len(self.points) > POINTS:
                self.points = self.points[::2]
                self._every *= 2

    def _share(self, seed: int) -> None:
        bucket = (self.pages - 1) // self._width
        while bucket >= BUCKETS:
            self.shares = [_merged(self.shares[k : k + 2]) for k in range(0, len(self.shares), 2)]
            self._width *= 2
            bucket = (self.pages - 1) // self._width
        while len(self.shares) <= bucket:
            self.shares.append({})
        counts = self.shares[bucket]
        counts[seed] = counts.get(seed, 0) + 1

    @property
    def width(self) -> int:
        """The number of visits in a bucket of shares."""
        return self._width


def _merged(buckets: list[dict[int, int]]) -> dict[int, int]:
    found: dict[int, int] = {}
    for bucket in buckets:
        for seed, count in bucket.items():
            found[seed] = found.get(seed, 0) + count
    return found


@dataclass(frozen=True)
class Arm:
    """A site as an arm of a bandit rule; None for figures that the rule does not have.

    Attributes
    ----------
    seed, pages, links : int
    mean : float
        Mean external links on a page, divided by Xmax if the rule does so.
    bonus : float or None
        The exploration bonus, which is large for sites with few pages.
    index : float or None
        The value that the rule compares; infinite before the first page.
    """

    seed: int
    pages: int
    links: int
    mean: float
    bonus: float | None
    index: float | None


@dataclass(frozen=True)
class Rule:
    """How a policy chooses: the name of its index, and an explanation in one line."""

    index: str
    why: str


RULES = {
    "R1": Rule("sum", "Each site first gets its share; then the site with the largest sum of links "
                      "is next."),
    "R2": Rule("mean", "The site with the largest mean of external links per page is next."),
    "R3": Rule("index", "The site with the largest index of UCB1 is next: "
                        "mean / Xmax + √(2 ln n / t)."),
    "thompson": Rule("mean", "The policy draws a mean from the posterior of each site; the site "
                             "with the largest one is next. Shown: the expected mean, and its "
                             "deviation."),
    "gittins": Rule("mean", "The site with the largest index of Gittins is next: what can be "
                            "expected of it, and what it may turn out to be. Shown: the mean."),
    "discounted-ucb": Rule("index", "The site with the largest index is next; recent visits count "
                                    "more."),
}  # fmt: skip
"""The rules by the names of their policies, without ``-printed``."""

OTHER = Rule("", "This policy does not compare sites by their links.")


def rule_of(policy: str) -> Rule:
    """Return the rule by which a policy chooses among sites; ``policy`` may have parameters."""
    return RULES.get(_name(policy), OTHER)


def discount_of(policy: str) -> float:
    """Return the discount of a policy; ``policy`` may have parameters."""
    return _parameter(policy, "discount", 0.995) if _name(policy) == "discounted-ucb" else 1.0


def arms(policy: str, history: History, seeds: Iterable[int]) -> list[Arm]:
    """Return the sites as arms of a policy, those with the largest index first.

    Parameters
    ----------
    policy : str
        The policy, possibly with parameters.
    history : History
    seeds : iterable of int
        The numbers of the sites.
    """
    make = _ARMS.get(_name(policy), _plain)
    seen = [(seed, history.tallies.get(seed) or Tally()) for seed in seeds]
    found = make(policy, history, seen)
    return sorted(found, key=lambda arm: (-(arm.index if arm.index is not None else 0), arm.seed))


_Seen = list[tuple[int, Tally]]


def _plain(policy: str, history: History, seen: _Seen) -> list[Arm]:
    return [Arm(k, t.pages, t.links, t.links / max(1, t.pages), None, None) for k, t in seen]


def _sums(policy: str, history: History, seen: _Seen) -> list[Arm]:
    return [replace(arm, index=float(arm.links)) for arm in _plain(policy, history, seen)]


def _means(policy: str, history: History, seen: _Seen) -> list[Arm]:
    return [replace(arm, index=arm.mean if arm.pages else math.inf)
            for arm in _plain(policy, history, seen)]  # fmt: skip


def _ucb(policy: str, history: History, seen: _Seen) -> list[Arm]:
    most = max((t.most for _, t in seen), default=0) or 1
    n = sum(t.pages for _, t in seen)
    found = []
    for seed, t in seen:
        mean = t.links / (max(1, t.pages) * most)
        bonus = math.sqrt(2 * math.log(n) / t.pages) if t.pages else math.inf
        found.append(Arm(seed, t.pages, t.links, mean, bonus, mean + bonus))
    return found


def _thompson(policy: str, history: History, seen: _Seen) -> list[Arm]:
    shape, rate = _parameter(policy, "shape", 1.0), _parameter(policy, "rate", 1.0)
    return [Arm(seed, t.pages, t.links, mean := (shape + t.links) / (rate + t.pages),
                math.sqrt(shape + t.links) / (rate + t.pages), mean)
            for seed, t in seen]  # fmt: skip


def _discounted(policy: str, history: History, seen: _Seen) -> list[Arm]:
    discount = discount_of(policy)
    exploration = _parameter(policy, "exploration", 0.1)
    faded = {seed: t.faded(history.pages, discount) for seed, t in seen}
    width = exploration * math.log(max(1.0, sum(pages for pages, _ in faded.values())))
    most = max((t.most for _, t in seen), default=0) or 1
    found = []
    for seed, t in seen:
        pages, links = faded[seed]
        mean = links / (pages * most) if pages > 0 else 0.0
        bonus = 2 * math.sqrt(width / pages) if pages > 0 else math.inf
        found.append(Arm(seed, t.pages, t.links, mean, bonus, mean + bonus))
    return found


_ARMS = {"R1": _sums, "R2": _means, "R3": _ucb, "thompson": _thompson,
         "discounted-ucb": _discounted}  # fmt: skip


def _name(policy: str) -> str:
    return policy.partition(",")[0].strip().removesuffix("-printed")


def _parameter(policy: str, name: str, default: float) -> float:
    """Return a parameter of a policy; its value was checked when the plan was made."""
    for item in policy.split(",")[1:]:
        key, _, value = item.partition("=")
        if key.strip() == name:
            try:
                return float(value)
            except ValueError:
                return default
    return default
