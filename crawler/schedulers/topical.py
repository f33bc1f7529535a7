"""Policies that read pages: the link that promises the most relevant page is fetched next.

The promise of a link is a weighted mean of the relevance of its anchor (with the words around it)
and the relevance of the page that it is on; ``anchor`` is the weight of the former. Of several
links to a page the best one counts; of pages with equal promises the one found first is next. Start
pages come before all other pages. Promises are not computed again when the document frequencies of
words change, since that would require storing the words of all anchors.

Without contents, or with neither a query nor words on start pages, all relevances are 0, and pages
come in the order of discovery.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from heapq import heappop, heappush

import numpy as np

from counterpoint.compiling import Array
from counterpoint.crawler.content.reader import Bm25, Reader, TfIdf
from counterpoint.crawler.policy.protocol import Content, Outcome, Request, Setting

from .parameters import number
from .web import FETCHED, FLYING, SPENT

NOTHING = Content("", "")


class ReadingScheduler(ABC):
    """The common part of schedulers that read pages: a reader, a budget, and an index.

    Parameters
    ----------
    setting : Setting
        With the parameters ``anchor``, see above, and ``centroid``, the weight of the start pages'
        words relative to the query (`Reader`).
    """

    def __init__(self, setting: Setting) -> None:
        self.why = ""
        self.reader = self.make_reader(setting, number(setting, "centroid", 0.1, 0.0, 1.0))
        self._anchor = number(setting, "anchor", 0.5, 0.0, 1.0)
        self._budget = setting.budget
        self._issued = self._observed = 0
        self._starts = frozenset(setting.starts)
        self.fetched: list[int] = []
        """The pages that came with status 200, in the order in which they came."""

    def make_reader(self, setting: Setting, centroid: float) -> Reader:
        """Return the reader that measures relevance."""
        return TfIdf(setting.query, centroid)

    def next(self) -> Request | None:
        """Return the page with the greatest promise."""
        page = self.take() if self._issued < self._budget else None
        if page is None:
            self.why = SPENT if self._issued >= self._budget else (
                FLYING if self._issued > self._observed else FETCHED
            )  # fmt: skip
            return None
        self._issued += 1
        return Request(page)

    def observe(self, outcome: Outcome) -> None:
        """Read a page, and compute the promises of its links."""
        self._observed += 1
        if outcome.status != 200:
            self.failed(outcome.page)
            return
        self.fetched.append(outcome.page)
        content = outcome.content or NOTHING
        missing = len(outcome.links) - len(content.anchors)
        if missing:
            anchors = content.anchors[: len(outcome.links)] + ("",) * missing
            content = content._replace(anchors=anchors)
        found = self.reader.read(content, begins=outcome.page in self._starts)
        self.learn(outcome, float(found[0]), found[1:])

    def promised(self, page: float, anchors: Array) -> Array:
        """Return the promises of a page's links.

        Parameters
        ----------
        page : float
            The relevance of the page.
        anchors : float64 array
            The relevance of each link's anchor.
        """
        promised: Array = self._anchor * anchors + (1.0 - self._anchor) * page
        return promised

    def index(self) -> list[int]:
        """Return the pages fetched, the most relevant first; of equal ones the first fetched."""
        order = np.argsort(-self.reader.relevances(), kind="stable")
        return [self.fetched[place] for place in order.tolist()]

    @abstractmethod
    def take(self) -> int | None:
        """Take the page to request next; None if no page waits."""

    @abstractmethod
    def learn(self, outcome: Outcome, page: float, anchors: Array) -> None:
        """Learn the result of a page that came with status 200.

        Parameters
        ----------
        outcome : Outcome
        page : float
            The relevance of the page.
        anchors : float64 array
            The relevance of the anchor of each of `Outcome.links`.
        """

    def failed(self, page: int) -> None:  # noqa: B027 most policies learn nothing from that
        """Learn that a page did not come."""


class PromiseQueue:
    """Waiting pages, each with the promise of its best link."""

    def __init__(self) -> None:
        self._pages: set[int] = set()
        self._heap: list[tuple[float, int, int]] = []

    def __bool__(self) -> bool:
        return bool(self._pages)

    def add(self, page: int, place: int, promise: float) -> None:
        """Add a page, or raise the promise of a waiting page.

        Parameters
        ----------
        page : int
        place : int
            The page's place in the order of discovery.
        promise : float
            Greater than all promises that the page had before.
        """
        self._pages.add(page)
        heappush(self._heap, (-promise, place, page))

    def drop(self, page: int) -> None:
        """Remove a page that waits."""
        self._pages.remove(page)

    def take(self) -> int:
        """Take the page of greatest promise, of equal ones the first found; there must be one."""
        while True:
            page = heappop(self._heap)[2]
            if page in self._pages:  # promises only rise: a page's best entry is its latest
                self._pages.remove(page)
                return page


class BestFirst(ReadingScheduler):
    """Fetches the page of greatest promise; relevance is the cosine of TF-IDF vectors."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._place: dict[int, int] = {}
        self._best: dict[int, float] = {}
        self._waiting = PromiseQueue()
        for page in setting.starts:
            self._find(page, np.inf)

    def _find(self, page: int, promise: float) -> None:
        if self._best.get(page, -1.0) >= promise:
            return
        self._best[page] = promise
        self._waiting.add(page, self._place.setdefault(page, len(self._place)), promise)

    def take(self) -> int | None:
        """Take the page of greatest promise."""
        if not self._waiting:
            return None
        page = self._waiting.take()
        self._best[page] = np.inf
        return page

    def learn(self, outcome: Outcome, page: float, anchors: Array) -> None:
        """Queue the pages that the page links to."""
        promised = self.promised(page, anchors).tolist()
        for link, promise in zip(outcome.links.tolist(), promised, strict=True):
            self._find(link, promise)


class BestFirstBm25(BestFirst):
    """Fetches the page of greatest promise; relevance is BM25 with parameters ``k1`` and ``b``."""

    def make_reader(self, setting: Setting, centroid: float) -> Reader:
        """Return the reader that measures relevance."""
        k1 = number(setting, "k1", 1.2, 0.0, 100.0)
        return Bm25(setting.query, centroid, k1, number(setting, "b", 0.75, 0.0, 1.0))


BOUNDS = (0.0, 0.1, 0.3)
"""They divide the relevances into four bins: the bin is the number of bounds below a relevance."""
BINS = len(BOUNDS) + 1
OUTSIDE, INSIDE, SOMEWHERE = range(3)
"""Whether a link leads to another host, to the host of its own page, or to an unknown host."""


class LinkBandit(ReadingScheduler):
    """A bandit over features of links: it learns which kind of link leads to relevant pages.

    An arm is the set of links that agree in three features: the bin of the anchor's relevance, the
    bin of the page's relevance, and whether the link leads to another host. The reward of a request
    is the relevance of the page that came, 0 if none came. The arm with the largest UCB1 index
    (Auer, Cesa-Bianchi and Fischer, 2002), mean + sqrt(``exploration`` ln n / n_a), is pulled next;
    of equal arms, the one met first. Within the arm, the link of greatest promise is followed.
    """

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._exploration = number(setting, "exploration", 0.01, 0.0, 1e6)
        self._hosts = setting.hosts
        self._queue = list(dict.fromkeys(setting.starts))[::-1]
        self._place = {page: k for k, page in enumerate(self._queue[::-1])}
        self._best = dict.fromkeys(self._queue, np.inf)
        self._arm_of: dict[int, int] = {}
        self._arms: dict[int, PromiseQueue] = {}
        self._pulls: dict[int, int] = {}
        self._came: dict[int, int] = {}
        self._rewards: dict[int, float] = {}

    def take(self) -> int | None:
        """Take a start page, or a page of the arm with the largest index."""
        if self._queue:
            return self._queue.pop()
        arms = [arm for arm, waiting in self._arms.items() if waiting]
        if not arms:
            return None
        arm = max(arms, key=self._index)  # the first one of equals
        self._pulls[arm] += 1
        page = self._arms[arm].take()
        self._best[page] = np.inf
        return page

    def _index(self, arm: int) -> float:
        pulls = self._pulls[arm]
        if not pulls:
            return float(np.inf)
        mean = self._rewards[arm] / max(self._came[arm], 1)
        return mean + math.sqrt(self._exploration * math.log(self._issued) / pulls)

    def learn(self, outcome: Outcome, page: float, anchors: Array) -> None:
        """Reward the arm of the page, and add its links to their arms."""
        self._reward(outcome.page, page)
        of_page = BINS * int(np.searchsorted(BOUNDS, page))
        of_anchors = np.searchsorted(BOUNDS, anchors).tolist()
        host = self._host(outcome.page)
        promised = self.promised(page, anchors).tolist()
        for link, promise, degree in zip(
            outcome.links.tolist(), promised, of_anchors, strict=True
        ):  # fmt: skip
            if self._best.get(link, -1.0) < promise:
                self._find(link, promise, degree + of_page + BINS * BINS * self._leads(host, link))

    def failed(self, page: int) -> None:
        """Give the page's arm the reward 0."""
        self._reward(page, 0.0)

    def _reward(self, page: int, reward: float) -> None:
        arm = self._arm_of.pop(page, None)
        if arm is not None:
            self._came[arm] += 1
            self._rewards[arm] += reward

    def _find(self, page: int, promise: float, arm: int) -> None:
        """Let a page wait in an arm, and remove it from the arm in which it waited before."""
        if page in self._arm_of:
            self._arms[self._arm_of[page]].drop(page)
        if arm not in self._arms:
            self._arms[arm], self._rewards[arm] = PromiseQueue(), 0.0
            self._pulls[arm] = self._came[arm] = 0
        self._best[page], self._arm_of[page] = promise, arm
        self._arms[arm].add(page, self._place.setdefault(page, len(self._place)), promise)

    def _host(self, page: int) -> int | None:
        return None if self._hosts is None else self._hosts(page)

    def _leads(self, host: int | None, link: int) -> int:
        if host is None:
            return SOMEWHERE
        other = self._host(link)
        return SOMEWHERE if other is None else INSIDE if other == host else OUTSIDE
