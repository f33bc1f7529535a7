"""Schedulers that use contents, compared step by step with slow ones written from the rules."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.crawler.content.reader import Bm25, Reader, TfIdf
from counterpoint.crawler.policy.protocol import Content, Outcome, Scope
from counterpoint.crawler.schedulers.finding import POLICIES, find
from counterpoint.crawler.schedulers.weights import GrowingHits
from counterpoint.crawler.worlds.crawl import crawl

from .webs import QUERY, Web, World, webs

READING = [name for name, policy in POLICIES.items() if policy.reads]
SOME = settings(max_examples=60, deadline=None)


class Slow:
    """The known pages, in dictionaries that have only the order of discovery."""

    def __init__(self, world: World, reader: Reader, anchor: float) -> None:
        self.world, self.reader, self.anchor = world, reader, anchor
        self.found = dict.fromkeys(world.starts, math.inf)
        self.asked: list[int] = []
        self.links: dict[int, list[tuple[int, float]]] = {}

    @property
    def waiting(self) -> list[int]:
        """The pages that may be requested, in the order of discovery."""
        return [page for page in self.found if page not in self.asked]

    def observe(self, outcome: Outcome) -> tuple[float, list[float]]:
        """Read a page; return its relevance and that of its anchors."""
        if outcome.status != 200:
            return 0.0, []
        assert outcome.content is not None
        begins = outcome.page in self.world.starts
        page, *anchors = self.reader.read(outcome.content, begins=begins).tolist()
        for link, one in zip(outcome.links.tolist(), anchors, strict=True):
            promise = self.anchor * one + (1 - self.anchor) * page
            self.found[link] = max(self.found.get(link, 0.0), promise)
            self.links.setdefault(outcome.page, []).append((link, promise))
        return page, anchors


def steps(name: str, web: Web, budget: int) -> tuple[Any, World, list[Outcome]]:
    """Run a policy; return its scheduler, a world to run it again in, and its observations."""
    chosen, seen = find(name), list[Outcome]()
    world = World(web, Scope.WEB, reads=True)
    scheduler = chosen.scheduler(world.starts, budget, 0, query=QUERY, hosts=world.host)
    crawl(name, scheduler, world, world.starts, budget, on_outcome=seen.append)
    return scheduler, World(web, Scope.WEB, reads=True), seen


@pytest.mark.parametrize(
    ("name", "reader", "anchor"),
    [("tfidf", TfIdf(QUERY, 0.1), 0.5), ("tfidf,anchor=0.9,centroid=0.7", TfIdf(QUERY, 0.7), 0.9),
     ("bm25,k1=2,b=0.1", Bm25(QUERY, 0.1, 2.0, 0.1), 0.5)],
)  # fmt: skip
@SOME
@given(web=webs(), budget=st.integers(1, 30))
def test_best_first(name: str, reader: Reader, anchor: float, web: Web, budget: int) -> None:
    """A less promising page, a later one of equals, or an outdated promise."""
    _, world, seen = steps(name, web, budget)
    own = type(reader)(*_made_with(reader))
    slow = Slow(world, own, anchor)
    for outcome in seen:
        best = max(slow.waiting, key=slow.found.__getitem__)  # the first one of equals
        assert outcome.page == best
        slow.asked.append(best)
        slow.observe(outcome)


def _made_with(reader: Reader) -> tuple[Any, ...]:
    """Return the arguments with which a reader was created."""
    if isinstance(reader, Bm25):
        return QUERY, reader._centroid, reader._k1, reader._b
    return QUERY, reader._centroid


def degree(relevance: float) -> int:
    """Return the relevance of a text, from 0 to 3."""
    return 0 if relevance <= 0 else 1 if relevance <= 0.1 else 2 if relevance <= 0.3 else 3


@SOME
@given(web=webs(), budget=st.integers(1, 40), exploration=st.sampled_from([0, 0.01, 1.0]))
def test_the_bandit(web: Web, budget: int, exploration: float) -> None:
    """A reward for the wrong arm, an arm that is not tried, or a page in two arms."""
    _, world, seen = steps(f"link-bandit,exploration={exploration}", web, budget)
    slow = Slow(world, TfIdf(QUERY, 0.1), 0.5)
    arm_of: dict[int, tuple[int, int, str]] = {}
    rewards: dict[tuple[int, int, str], list[float]] = {}

    def index(arm: tuple[int, int, str]) -> float:
        pulls = len(rewards[arm])
        if not pulls:
            return math.inf
        return sum(rewards[arm]) / pulls + math.sqrt(
            exploration * math.log(len(slow.asked)) / pulls
        )

    for outcome in seen:
        starts = [page for page in slow.waiting if page in world.starts]
        if starts:
            assert outcome.page == starts[0]
        else:
            arm = max((arm for arm in rewards if arm in {arm_of[p] for p in slow.waiting}),
                      key=index)  # fmt: skip
            of_arm = [page for page in slow.waiting if arm_of[page] == arm]
            assert outcome.page == max(of_arm, key=slow.found.__getitem__)
        slow.asked.append(outcome.page)
        before = dict(slow.found)
        relevance, anchors = slow.observe(outcome)
        if outcome.page in arm_of:
            rewards[arm_of[outcome.page]].append(relevance)
        for (link, promise), one in zip(slow.links.get(outcome.page, ()), anchors, strict=True):
            if link not in slow.asked and promise > before.get(link, -1.0):
                hosts = world.host(outcome.page), world.host(link)
                where = "?" if None in hosts else "in" if hosts[0] == hosts[1] else "out"
                arm_of[link] = degree(one), degree(relevance), where
                rewards.setdefault(arm_of[link], [])


def test_the_bandits_means_are_of_answers() -> None:
    """A failure without cost, or a pending answer counted as one.

    Links with the anchor "fox" lead to better pages than those with "dog", until two of them fail.
    """
    texts = {1: "fox", 3: "fox fox fox cat"}
    links = np.array([1, 3, 2, 5, 6, 4, 7])
    anchors = tuple("dog" if page in (3, 4, 7) else "fox" for page in links)
    bandit = find("link-bandit,exploration=0,centroid=0").scheduler([0], 99, query="fox")

    def observe(page: int, status: int = 200) -> None:
        content = Content("", texts.get(page, ""), anchors if page == 0 else (), "en")
        bandit.observe(Outcome(page, status, links if page == 0 else links[:0], content=content))

    def pages(count: int) -> list[int]:
        return [request.page for _ in range(count) if (request := bandit.next()) is not None]

    for wanted in (0, 1, 3):
        assert pages(1) == [wanted]
        observe(wanted)
    assert pages(2) == [2, 5]
    observe(2, 503)
    observe(5, 503)
    assert pages(1) == [4]


@pytest.mark.parametrize("name", ["hits,c=2", *READING])
@SOME
@given(web=webs(), budget=st.integers(1, 30))
def test_who_looks_at_the_index_changes_nothing(name: str, web: Web, budget: int) -> None:
    """Weights updated for a look at the index that then change decisions."""
    orders = []
    for looks in (False, True):
        world = World(web, Scope.WEB, reads=find(name).policy.reads)
        scheduler: Any = find(name).scheduler(world.starts, budget, 0, query=QUERY)

        def look(_: Outcome, looks: bool = looks, scheduler: Any = scheduler) -> None:
            if looks:
                scheduler.index()

        ended = crawl(name, scheduler, world, world.starts, budget, on_outcome=look)
        orders.append((ended.order.tolist(), scheduler.index()))
    assert orders[0] == orders[1]


@pytest.mark.parametrize("mix", ["sum", "links"])
@SOME
@given(web=webs(), budget=st.integers(1, 40), share=st.sampled_from([0.0, 0.2, 1.0]),
       expand=st.integers(1, 4), internal=st.sampled_from([0.0, 1.0]))  # fmt: skip
def test_tfidf_and_hits(
    mix: str, web: Web, budget: int, share: float, expand: int, internal: float
) -> None:
    """A worse page, a step that begins too early, or links with wrong weights."""
    name = f"tfidf+hits,mix={mix},share={share},expand={expand},internal={internal}"
    scheduler, world, seen = steps(name, web, budget)
    slow = Slow(world, TfIdf(QUERY, 0.1), 0.5)
    hits = GrowingHits(internal=internal, hosts=world.host)
    hits.meet(world.starts)

    def worth(pages: list[int], relevances: list[float]) -> list[float]:
        of_hits = np.array([hits.authorities[hits.meet([page])[0]] for page in pages])
        of_words = np.array(relevances)
        of_hits /= of_hits.max(initial=0.0) or 1.0
        of_words /= of_words.max(initial=0.0) or 1.0
        both = of_hits * of_words if mix == "links" else share * of_hits + (1 - share) * of_words
        return [float(one) for one in both.round(12)]

    queue = list(world.starts)
    for outcome in seen:
        if not queue:
            hits.weigh()
            waiting = slow.waiting
            values = dict(zip(waiting, worth(waiting, [slow.found[p] for p in waiting]),
                              strict=True))  # fmt: skip
            queue = sorted(waiting, key=lambda page: -values[page])[:expand]
        assert outcome.page == queue.pop(0)
        slow.asked.append(outcome.page)
        slow.observe(outcome)
        links = slow.links.get(outcome.page, [])
        by_link = np.array([promise for _, promise in links]) if mix == "links" else None
        came = outcome.status == 200
        hits.add(outcome.page, outcome.links if came else outcome.links[:0],
                 by_link if came else None)  # fmt: skip
    fetched = [outcome.page for outcome in seen if outcome.status == 200]
    if fetched:
        hits.weigh()
        values = dict(zip(fetched, worth(fetched, slow.reader.relevances().tolist()), strict=True))
        assert scheduler.index() == sorted(fetched, key=lambda page: -values[page])


@pytest.mark.parametrize("name", READING)
@SOME
@given(web=webs(), budget=st.integers(0, 30))
def test_the_index(name: str, web: Web, budget: int) -> None:
    """A page in the index that was never fetched, failed, or is there twice, or one left out."""
    scheduler, _, seen = steps(name, web, budget)
    index = scheduler.index()
    assert all(type(page) is int for page in index)
    assert sorted(index) == sorted(one.page for one in seen if one.status == 200)
    if name != "tfidf+hits":
        relevant = dict(zip(scheduler.fetched, scheduler.reader.relevances(), strict=True))
        assert index == sorted(scheduler.fetched, key=lambda page: -relevant[page])


@pytest.mark.parametrize("name", [name for name in READING if name != "tfidf+hits"])
@SOME
@given(web=webs(), budget=st.integers(0, 30))
def test_nothing_to_read(name: str, web: Web, budget: int) -> None:
    """An order other than discovery where no page has a text, or missing anchors."""
    orders = []
    for policy, content in (("breadth-first", None), (name, None), (name, Content("", "", ("",)))):
        world = World(web, Scope.WEB)
        world.content = lambda page, content=content: content  # type: ignore[assignment,method-assign,misc]
        world.reads = True
        scheduler = find(policy).scheduler(world.starts, budget, 0, query=QUERY)
        ended = crawl(policy, scheduler, world, world.starts, budget)
        orders.append(ended.order.tolist())
    assert orders[0] == orders[1] == orders[2]


@pytest.mark.parametrize("name", READING)
def test_relevant_pages_come_first(name: str) -> None:
    """A crawler that ignores the contents it reads.

    Of a page's eight links two have an anchor about the query; they lead to pages that are about it
    and link on in the same way.
    """
    count = 1 + 8 * 60

    class Topical(World):
        def content(self, page: int) -> Content:
            links = self.web.links[page]
            about = "the red fox" if page == 0 or page % 8 in (3, 6) else "some other thing"
            anchors = tuple("red fox" if q % 8 in (3, 6) else "thing" for q in links)
            return Content("", f"{about} and more {page}", anchors, "en")

    links = [tuple(range(8 * p + 1, 8 * p + 9)) if 8 * p + 9 <= count else () for p in range(count)]
    web = Web(1, (0,) * count, tuple(links), (0,) * count, frozenset())
    world = Topical(web, Scope.WEB, reads=True)
    ended = crawl(name, find(name).scheduler([0], 15, query=QUERY), world, [0], 15)
    assert sum(page % 8 in (3, 6) for page in ended.order.tolist()) >= 8  # breadth first: 4
    assert ended.order[0] == 0
