"""Crawlers that read: of the links found, the one that promises the most relevant page is next.

A link promises as much as its anchor with the words around it is relevant, and the page that it is
on; ``anchor`` is the share of the first. Of links to one page the best counts, and of pages with
equal links the one found first is next. Start pages come before all others. What a link promises is
not computed again when rarity changes, since that would take the words of all anchors.

Without contents, or with neither a query nor words on start pages, nothing is relevant, and the
order is that of discovery.
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


class Reading(ABC):
    """What schedulers that read share: a reader, a budget, and an index.

    Parameters
    ----------
    setting : Setting
        With the parameters ``anchor`` and ``centroid``, the share of the start pages in what is
        looked for beside the query (`Reader`).
    """

    def __init__(self, setting: Setting) -> None:
        self.why = ""
        self.reader = self.make_reader(setting, number(setting, "centroid", 0.1, 0.0, 1.0))
        self._anchor = number(setting, "anchor", 0.5, 0.0, 1.0)
        self._budget = setting.budget
        self._issued = self._observed = 0
        self._starts = frozenset(setting.starts)
        self.fetched: list[int] = []
        """Pages that came, in the order in which they did."""

    def make_reader(self, setting: Setting, centroid: float) -> Reader:
        """Return what reads pages."""
        return TfIdf(setting.query, centroid)

    def next(self) -> Request | None:
        """Return the page that promises most."""
        page = self.take() if self._issued < self._budget else None
        if page is None:
            self.why = SPENT if self._issued >= self._budget else (
                FLYING if self._issued > self._observed else FETCHED
            )  # fmt: skip
            return None
        self._issued += 1
        return Request(page)

    def observe(self, outcome: Outcome) -> None:
        """Read a page, and weigh its links."""
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
        """Return what links promise, by the relevance of their page and of their anchors."""
        promised: Array = self._anchor * anchors + (1.0 - self._anchor) * page
        return promised

    def index(self) -> list[int]:
        """Return the pages fetched, the most relevant one first; of equals those fetched first."""
        order = np.argsort(-self.reader.relevances(), kind="stable")
        return [self.fetched[place] for place in order.tolist()]

    @abstractmethod
    def take(self) -> int | None:
        """Return what is asked for next; None: no page waits."""

    @abstractmethod
    def learn(self, outcome: Outcome, page: float, anchors: Array) -> None:
        """Learn of the relevance of a page that came, and of the anchors of its links."""

    def failed(self, page: int) -> None:  # noqa: B027 most have nothing to learn from that
        """Learn that a page did not come."""


class Waiting:
    """Pages that wait, each with what its best link promises."""

    def __init__(self) -> None:
        self._pages: set[int] = set()
        self._heap: list[tuple[float, int, int]] = []

    def __bool__(self) -> bool:
        return bool(self._pages)

    def add(self, page: int, place: int, promise: float) -> None:
        """Let a page wait, with a promise above all that it had.

        Parameters
        ----------
        page : int
        place : int
            Its own in the order of discovery.
        promise : float
        """
        self._pages.add(page)
        heappush(self._heap, (-promise, place, page))

    def drop(self, page: int) -> None:
        """Let a page that waits wait no more."""
        self._pages.remove(page)

    def take(self) -> int:
        """Take the page that promises most, of equals the one found first; there must be one."""
        while True:
            page = heappop(self._heap)[2]
            if page in self._pages:  # promises rise, so the first entry of a page is its last one
                self._pages.remove(page)
                return page


class BestFirst(Reading):
    """What promises most is next: relevance is the cosine of TF-IDF vectors."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._place: dict[int, int] = {}
        self._best: dict[int, float] = {}
        self._waiting = Waiting()
        for page in setting.starts:
            self._find(page, np.inf)

    def _find(self, page: int, promise: float) -> None:
        if self._best.get(page, -1.0) >= promise:
            return
        self._best[page] = promise
        self._waiting.add(page, self._place.setdefault(page, len(self._place)), promise)

    def take(self) -> int | None:
        """Take the page that promises most."""
        if not self._waiting:
            return None
        page = self._waiting.take()
        self._best[page] = np.inf
        return page

    def learn(self, outcome: Outcome, page: float, anchors: Array) -> None:
        """Let the pages it links to wait."""
        promised = self.promised(page, anchors).tolist()
        for link, promise in zip(outcome.links.tolist(), promised, strict=True):
            self._find(link, promise)


class BestFirstBm25(BestFirst):
    """What promises most is next: relevance is BM25, with the parameters ``k1`` and ``b``."""

    def make_reader(self, setting: Setting, centroid: float) -> Reader:
        """Return what reads pages."""
        k1 = number(setting, "k1", 1.2, 0.0, 100.0)
        return Bm25(setting.query, centroid, k1, number(setting, "b", 0.75, 0.0, 1.0))


BOUNDS = (0.0, 0.1, 0.3)
"""Of relevance: which bin of four it is in depends on how many of them it is above."""
BINS = len(BOUNDS) + 1
OUTSIDE, INSIDE, SOMEWHERE = range(3)
"""Whether a link leads to another host, to its page's own, or nobody knows."""


class LinkBandit(Reading):
    """A bandit over features of links: which kind of link leads to relevant pages is learned.

    An arm is all links whose anchors are relevant to the same degree, whose pages are, and that
    lead to another host or not. Its reward is the relevance of the page that came, 0 if none did;
    the arm with the largest index of UCB1 (Auer, Cesa-Bianchi and Fischer, 2002) is next, mean +
    sqrt(``exploration`` ln n / n_a); of equals the one met first. Of its links the one that
    promises most is.
    """

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._exploration = number(setting, "exploration", 0.01, 0.0, 1e6)
        self._hosts = setting.hosts
        self._queue = list(dict.fromkeys(setting.starts))[::-1]
        self._place = {page: k for k, page in enumerate(self._queue[::-1])}
        self._best = dict.fromkeys(self._queue, np.inf)
        self._arm_of: dict[int, int] = {}
        self._arms: dict[int, Waiting] = {}
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
        """Reward the arm, and give the links to arms."""
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
        """Reward the arm with nothing."""
        self._reward(page, 0.0)

    def _reward(self, page: int, reward: float) -> None:
        arm = self._arm_of.pop(page, None)
        if arm is not None:
            self._came[arm] += 1
            self._rewards[arm] += reward

    def _find(self, page: int, promise: float, arm: int) -> None:
        """Let a page wait in an arm, and in no other."""
        if page in self._arm_of:
            self._arms[self._arm_of[page]].drop(page)
        if arm not in self._arms:
            self._arms[arm], self._rewards[arm] = Waiting(), 0.0
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
