"""The fast schedulers make the steps that their specs allow, on random webs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from counterpoint.crawler.policy.protocol import Outcome, Scope, Setting
from counterpoint.crawler.schedulers.finding import find
from counterpoint.crawler.schedulers.hits import FocusedHits
from counterpoint.crawler.schedulers.scent import Scent
from counterpoint.spec.crawl import (
    breadth_first,
    equal_quanta,
    focused,
    gittins,
    r1,
    r2,
    r3,
    scent,
)
from counterpoint.spec.notation import Model, Spec

from .webs import Web, World, contests, webs


class Beside:
    """A spec that takes the same steps as a scheduler."""

    def __init__(self, spec: Spec) -> None:
        self.model = Model(spec)
        (self.values,) = self.model.initial_states()

    @property
    def state(self) -> Any:
        """The spec's present state."""
        return self.model.at(self.values)

    def may(self, action: str, *binding: int) -> bool:
        """Return whether the spec can make a step."""
        return self.after(action, binding) is not None

    def after(self, action: str, binding: tuple[int, ...]) -> Any:
        found = [s for s in self.model.steps if s.action == action and s.binding == binding]
        assert len(found) == 1, f"{action}{binding} is no step: the bounds are too small"
        return self.model.take(self.values, found[0])

    def do(self, action: str, *binding: int) -> None:
        """Make a step, which must be possible."""
        after = self.after(action, binding)
        assert after is not None, f"the spec does not {action}{binding}"
        self.values = after


RULES: dict[str, tuple[type[Spec], dict[str, Any]]] = {
    "one-by-one": (equal_quanta.EqualQuanta, {"quantum": 16}),
    "equal-quanta,quantum=1": (equal_quanta.EqualQuanta, {"quantum": 1}),
    "equal-quanta,quantum=3": (equal_quanta.EqualQuanta, {"quantum": 3}),
    "R1": (r1.R1, {}),
    "R2,step=1": (r2.R2, {"step": 1}),
    "R2,step=3": (r2.R2, {"step": 3}),
    "R3,initial=1": (r3.R3, {"initial": 1}),
    "R3,initial=2": (r3.R3, {"initial": 2}),
    "gittins,discount=0.8,horizon=3": (gittins.Gittins, {"discount": 80, "horizon": 3}),
    "gittins,rewards=pages,discount=0.9,horizon=8,shape=2": (
        gittins.Gittins,
        {"rewards": "pages", "discount": 90, "horizon": 8, "shape": 2},
    ),
    "R1-printed": (r1.R1, {"reading": "printed"}),
    "R2-printed,step=2": (r2.R2, {"step": 2, "reading": "printed"}),
    "R3-printed,initial=1": (r3.R3, {"initial": 1, "reading": "printed"}),
}


@pytest.mark.long
@pytest.mark.parametrize("name", RULES)
@settings(max_examples=250, deadline=None)
@given(crawled=contests() | st.tuples(webs(most=14), st.integers(1, 16)))
def test_rules_over_sites(name: str, crawled: tuple[Web, int]) -> None:
    """A rule that chooses another site or page than its spec, or ends at another step."""
    kind, parameters = RULES[name]
    web, budget = crawled
    if parameters.get("reading") == "printed":
        # "n << N": where even the samples exceed the budget, the order is not specified.
        assume(web.sites * parameters.get("step", parameters.get("initial", 1)) <= budget)
    spec = kind(sites=web.sites, budget=budget, pages=16, links=max(1, *web.external), reveals=16,
                **parameters)  # fmt: skip
    beside = Beside(spec)
    world = World(web, Scope.SITE)
    scheduler = find(name).scheduler(world.starts, budget, 0, world)
    known = set(world.starts)
    waiting = [[page] for page in world.starts]
    while True:
        try:
            request = scheduler.next()
        except ZeroDivisionError:
            request = None
        if request is None:
            break
        page = request.page
        assert page == waiting[web.site[page]].pop(0)
        outcome = world.fetch(page)
        external = outcome.external if outcome.status == 200 else 0
        new = [link for link in dict.fromkeys(outcome.links.tolist()) if link not in known]
        known.update(new)
        waiting[web.site[page]] += new
        others = [j for j in range(web.sites) if j != web.site[page]]
        assert not any(beside.may("scan", j, 0, 0) for j in others)
        beside.do("scan", web.site[page], external, len(new))
        scheduler.observe(outcome)
    assert not any(beside.may("scan", j, 0, 0) for j in range(web.sites))
    if "printed" not in name:
        assert beside.state.is_over()


@settings(max_examples=80, deadline=None)
@given(web=webs(most=9), flight=st.integers(1, 3), data=st.data())
def test_breadth_first(web: Web, flight: int, data: st.DataObject) -> None:
    """A request out of turn, with answers in any order."""
    beside = Beside(breadth_first.BreadthFirst(pages=9, concurrency=flight))
    world = World(web, Scope.WEB)
    scheduler = find("breadth-first").scheduler(world.starts[:1], 99)
    number = {world.starts[0]: 0}
    flying: list[int] = []
    while True:
        request = scheduler.next() if len(flying) < flight else None
        if request is not None:
            assert sum(beside.may("request", p) for p in range(9)) == 1
            beside.do("request", number[request.page])
            flying.append(request.page)
            continue
        if not flying:
            break
        page = flying.pop(data.draw(st.integers(0, len(flying) - 1)))
        outcome = world.fetch(page)
        before = len(number)
        for link in outcome.links.tolist():
            number.setdefault(link, len(number))
        beside.do("fetched", number[page], len(number) - before)
        scheduler.observe(outcome)
    assert beside.model.may_end(beside.values)


@pytest.mark.parametrize("returns", ["difference", "size"])
@settings(max_examples=60, deadline=None)
@given(
    pages=st.integers(1, 6),
    batch=st.integers(1, 6),
    delta=st.integers(0, 4),
    initial=st.integers(0, 9),
    data=st.data(),
)
def test_scent(
    returns: str, pages: int, batch: int, delta: int, initial: int, data: st.DataObject
) -> None:
    """A page visited out of turn, or a scent that differs; whole harvests make all scents exact."""
    spec = scent.Scent(pages=pages, batch=batch, changes=4, delta_s=delta, initial=initial,
                       iterations=6, harvest=returns)  # fmt: skip
    beside = Beside(spec)
    per = min(batch, pages)
    given_ = {"batch": batch, "delta": delta, "initial": initial}
    fast = Scent(Setting(range(pages), 6 * per, parameters=given_),
                 lambda o: float(o.difference if returns == "difference" else 3))  # fmt: skip
    for _ in range(6 * per):
        request = fast.next()
        assert request is not None
        page, change = request.page, data.draw(st.integers(0, 3))
        assert sum(beside.may("visit", p, 0) for p in range(pages)) == 1
        beside.do("visit", page, change)
        fast.observe(Outcome(page, 200, difference=change))
        scents = [beside.state.scent[p] / 2**6 for p in range(pages)]
        assert fast.scent.tolist() == scents
    assert fast.next() is None


@settings(max_examples=100, deadline=None)
@given(
    web=webs(most=5),
    c=st.integers(1, 3),
    steps=st.integers(0, 4),
    flight=st.integers(1, 3),
    data=st.data(),
)
def test_focused_hits(web: Web, c: int, steps: int, flight: int, data: st.DataObject) -> None:
    """A page indexed or expanded out of turn, requested too early, or an early end.

    Answers come in any order, and some pages fail. The spec draws its weights at random; the
    scheduler computes them, so the test gives the spec the scheduler's ranks.
    """
    spec = focused.FocusedHits(pages=5, hubs=6, authorities=6, concurrency=flight, c=c,
                               steps=steps, failures=5)  # fmt: skip
    beside = Beside(spec)
    world = World(web, Scope.WEB)
    parameters = {"c": c} | ({"steps": steps} if steps else {})
    fast = FocusedHits(Setting(world.starts[:1], 99, parameters=parameters))
    flying: list[int] = []
    while True:
        request = fast.next() if len(flying) < flight else None
        if request is not None:
            beside.do("request", fast.hits.pages.index(request.page))
            flying.append(request.page)
            continue
        if not flying:
            break
        page = flying.pop(data.draw(st.integers(0, len(flying) - 1)))
        outcome = world.fetch(page)
        before = fast.steps
        fast.observe(outcome)
        number = {known: i for i, known in enumerate(fast.hits.pages)}
        if outcome.status == 200:
            waiting = [q for q in outcome.links.tolist() if beside.state.place[number[q]] <= 1]
            beside.do("fetched", number[page], sum(1 << number[q] for q in waiting))
        else:
            beside.do("failed", number[page])
        for _ in range(fast.steps - before):
            weighed(beside, fast)
        assert [fast.hits.pages[p] for p in range(5) if beside.state.entries[p]] == sorted(
            fast.index(), key=number.__getitem__
        )
        assert [fast.hits.pages[p] for p in range(5) if beside.state.expanded[p]] == sorted(
            fast.expanded, key=number.__getitem__
        )
    assert beside.model.may_end(beside.values)


def weighed(beside: Beside, fast: FocusedHits) -> None:
    """Let the spec begin a step, give all pages the scheduler's weights, and choose."""
    beside.do("go_on")
    hits, state = fast.hits, beside.state
    hub = dict(zip(hits.sources.tolist(), hits.hubs.tolist(), strict=True))
    hubs = sorted({0.0, *hub.values()})
    authorities = sorted({0.0, *hits.authorities.tolist()})
    for p in range(len(hits.pages)):
        waits = state.fetches[p] and not state.expanded[p]
        beside.do(
            "weigh",
            p,
            hubs.index(hub[p]) if waits else 0,
            0 if state.entries[p] else authorities.index(hits.authorities[p]),
        )
    beside.do("choose")
