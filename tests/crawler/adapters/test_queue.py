"""A queue that a policy orders: the same crawl as here, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.crawler.adapters.queue import PolicyQueue
from counterpoint.crawler.documents.scope import ScopeRules
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Content, Outcome, Policy, Request, Scope, Setting
from counterpoint.sim_web.world.site import SyntheticSite
from tests.ci.test_worlds import (
    ALL,
    QUERY,
    ByAddress,
    by_number,
    one_address_each,
    start_addresses,
)
from tests.examples import few_and_many

STEADY = pytest.mark.parametrize(
    "policy", [one for one in ALL if not one.oracle], ids=lambda policy: policy.name
)
A = "http://a.test/"


@few_and_many(given(st.integers(0, 9), st.integers(1, 80)), 3, 20, STEADY)
def test_the_crawl_of_compare(policy: Policy, seed: int, budget: int) -> None:
    """Catches an outcome, an order of links or an end that differs from a comparison."""
    sites = policy.scope is Scope.SITE
    planted = one_address_each(seed, 0.1, sites, declared=policy.reads)
    source = ByAddress(SyntheticSite(planted.web), contents=policy.reads)
    queue = PolicyQueue(policy.name, start_addresses(planted), budget, 5, query=QUERY,
                        stay=bool(planted.web.profile.sites), now=lambda: 0.0)  # fmt: skip
    found: list[str] = []
    try:
        while (address := queue.next()) is not None:
            found.append(address)
            answer = source.get(address)
            queue.done(address, answer.status, everywhere(answer), size=answer.size,
                       content=answer.content)  # fmt: skip
    except CrawlError:
        assert policy.overspends  # as printed, R3 divides by zero on sites without links
    assert found == by_number(policy, planted, budget)


def everywhere(answer: Any) -> list[str]:
    """Return links as a crawler finds them: those to other sites as often as they stand there."""
    outside = answer.outside
    return list(answer.links) + outside[:1] * (answer.external - len(outside))


@settings(max_examples=60)
@given(st.data())
def test_answers_in_any_order(data: st.DataObject) -> None:
    """Catches an address that is asked for twice, or lost, with several on their way."""
    web = {f"{A}{k}": [f"{A}{(k * 7 + n) % 30}" for n in range(3)] for k in range(30)}
    queue, flying, seen = PolicyQueue("breadth-first", [f"{A}0"], 100), [], []
    while True:
        address = queue.next() if not flying or data.draw(st.booleans()) else None
        if address is not None:
            flying.append(address)
            seen.append(address)
        elif flying:
            done = flying.pop(data.draw(st.integers(0, len(flying) - 1)))
            queue.done(done, 200, web[done])
        else:
            break
        assert queue.in_flight == len(flying)
    reachable, todo = {f"{A}0"}, [f"{A}0"]
    for one in todo:
        for target in web[one]:
            if target not in reachable:
                reachable.add(target)
                todo.append(target)
    assert sorted(seen) == sorted(reachable)
    assert queue.why == "every page found was fetched"


def test_what_is_no_address_and_other_spellings() -> None:
    """Catches a page that is fetched twice since it is spelled in two ways."""
    queue = PolicyQueue("breadth-first", [A], 10)
    assert queue.next() == A
    queue.done(A, 200, ["mailto:x@y.test", "HTTP://A.test:80/x#1", f"{A}x/", "/b/relative", A])
    assert queue.next() == f"{A}x"
    queue.done(f"{A}x", 404)
    assert queue.next() == f"{A}b/relative"
    queue.done(f"{A}b/relative", 200, ["other"], final=f"{A}c/")
    assert queue.next() == f"{A}c/other"
    queue.done(f"{A}c/other", 0)
    assert (queue.next(), queue.why) == (None, "every page found was fetched")
    assert queue.steps == 4


def test_sites_rules_and_redirects() -> None:
    """Catches a link that the options leave out, and a redirect to another site that counts."""
    rules = ScopeRules((), (f"url:{A}no",))
    queue = PolicyQueue("breadth-first", [A], 10, stay=True, rules=rules)
    assert queue.next() == A
    queue.done(A, 200, [f"{A}no", "http://b.test/", f"{A}out", f"{A}in"])
    assert [queue.next(), queue.next(), queue.next()] == [f"{A}out", f"{A}in", None]
    queue.done(f"{A}out", 200, [f"{A}of-b"], final="http://b.test/")
    queue.done(f"{A}in", 200, [f"{A}last"], final=f"{A}there")
    assert [queue.next(), queue.next()] == [f"{A}last", None]


class _Broken:
    """A policy that breaks a rule at a step, or fails."""

    def __init__(self, setting: Setting, how: str = "again") -> None:
        self.why, self._how, self._start = "", how, setting.starts[0]

    def next(self) -> Any:
        """Request the start page again and again, a page that nobody knows, or nothing real."""
        return {"again": Request(self._start), "unknown": Request(7), "text": "x"}[self._how]

    def observe(self, outcome: Outcome) -> None:
        """Fail."""
        raise ValueError("no")


def broken(setting: Setting, how: str = "again") -> _Broken:
    """Make such a policy."""
    return _Broken(setting, how)


BROKEN = f"{__name__}:broken"


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("again", "step 2: requested page 0 a second time"),
        ("unknown", "step 1: requested page 7, which it has not seen yet"),
        ("text", "step 1: returned 'x', which is not a Request"),
    ],
)
def test_a_policy_that_breaks_a_rule(how: str, message: str) -> None:
    """Catches a page that is fetched twice, or an error that does not name the policy."""
    queue = PolicyQueue(f"{BROKEN},how={how}", [A], 10)
    with pytest.raises(CrawlError, match=f"how={how}: {message}"):
        for _ in range(2):
            queue.next()
    with pytest.raises(CrawlError, match=f"how={how}: {message}"):
        queue.next()  # it stays failed
    if how == "again":
        with pytest.raises(CrawlError, match="ValueError: no"):
            queue.done(A, 200)


@pytest.mark.parametrize(
    ("policy", "starts", "budget", "message"),
    [
        ("opik", [A], 1, "there is no policy 'opik'"),
        ("oracle", [A], 1, "needs the truth about pages"),
        ("scent", [A], 1, "revisits known pages"),
        ("opic", [], 1, "at least one start page"),
        ("opic", ["a.test"], 1, "'a.test' is no address"),
        ("opic", [A], 0, "at least one page, not 0"),
        ("R3", [A, f"{A}x"], 5, "a site has one"),
        ("opic", A, 5, "starts is a list of addresses, not the text 'http://a.test/'"),
        (_Broken, [A], 5, "a policy is named by a text"),
    ],
)
def test_what_is_refused(policy: Any, starts: Any, budget: int, message: str) -> None:
    """Catches a queue that begins and fails later."""
    with pytest.raises(CrawlError, match=message):
        PolicyQueue(policy, starts, budget)


def test_an_address_that_is_not_in_flight() -> None:
    """Catches an answer that a policy gets twice."""
    queue = PolicyQueue("opic", [A], 1)
    with pytest.raises(ValueError, match="not in flight"):
        queue.done(A, 200)
    assert queue.next() == A
    queue.done(A, 200, [f"{A}x"])
    with pytest.raises(ValueError, match="not in flight"):
        queue.done(A, 200)
    assert (queue.next(), queue.why) == (None, "the budget is spent")


@pytest.mark.parametrize(
    "given",
    [{"status": "200"}, {"status": None}, {"status": 9999}, {"links": "http://c.test/"},
     {"links": b"x"}, {"final": "xx"}],
)  # fmt: skip
def test_wrong_answers(given: dict[str, Any]) -> None:
    """Catches an answer that is taken for another one, and an address that is lost by it."""
    queue = PolicyQueue("opic", [A], 5)
    assert queue.next() == A
    with pytest.raises((ValueError, TypeError)):
        queue.done(A, **{"status": 200} | given)
    assert queue.in_flight == 1
    queue.done(A, 200, ["x"])
    assert queue.next() == f"{A}x"


@pytest.mark.parametrize("anchors", [(), ("one",), ("one", "two", "three")])
@pytest.mark.parametrize("policy", ["tfidf", "breadth-first"])
def test_a_wrong_number_of_anchors(policy: str, anchors: tuple[str, ...]) -> None:
    """Catches an address that is lost, or a page that counts, though its answer was refused."""
    queue = PolicyQueue(policy, [A], 5, query="x", stay=True)
    assert queue.next() == A
    links = ["x", "y", f"{A}x"]
    with pytest.raises(ValueError, match=f"{A}: {len(anchors)} anchors for 2 distinct links"):
        queue.done(A, 200, links, content=Content("", "", anchors))
    assert (queue.in_flight, queue.knows(f"{A}x")) == (1, False)
    queue.done(A, 200, links, content=Content("", "", ("one", "two")))
    assert queue.in_flight == 0
    assert {queue.next(), queue.next()} == {f"{A}x", f"{A}y"}
