"""Outcomes of fetches equal those of the planted web, although no page is rendered."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from counterpoint.crawler.documents.exchange import Exchange, with_links
from counterpoint.crawler.policy.protocol import Outcome, Scope
from counterpoint.sim_web import profile
from counterpoint.sim_web.answer import Question
from counterpoint.sim_web.pages import change, life, render
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.pages.host import host
from counterpoint.sim_web.pages.truth import place_at
from counterpoint.sim_web.world.fetcher import ManualClock, Simulated
from counterpoint.sim_web.world.site import SyntheticSite
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.comparison.planted import Oracle, Planted
from counterpoint.studies.comparison.world import World, seconds_per_visit


def planted(name: str, pages: int | None, seed: int = 3, sites: int = 4) -> Planted:
    """Return the web of a seed."""
    return Planted(ComparisonPlan((), profile.load(name), 100, pages, sites=sites), seed)


def of(web: Planted, scope: Scope, seconds: float = 0.1, steps: int = 1000) -> World:
    """Return a world."""
    return World(web, scope, seconds, steps)


@pytest.fixture(scope="module")
def broder() -> Planted:
    """A web with all parts of the bow-tie."""
    return planted("broder-1999", 3_000)


@pytest.mark.parametrize("name", ["institutes", "universities", "sample"])
def test_external_links_of_the_papers_sites(name: str) -> None:
    """Sites with more or fewer external links than Table 1 says."""
    web = planted(name, None)
    sums = [int(web.external[list(web.web.pages_of(k))].sum()) for k in web.sites]
    assert sums == [site.external_links for site in web.web.profile.sites]
    for k, start in enumerate(web.starts(Scope.SITE)):
        assert start == web.web.pages_of(k).start
        assert of(web, Scope.SITE).fetch(start).external == web.external[start]


def test_links_and_external_links_are_the_webs(broder: Planted) -> None:
    """A lost link, one of another page, uncounted copies, a host taken for another."""
    web = broder.web
    within, free = of(broder, Scope.SITE, steps=web.pages), of(broder, Scope.WEB, steps=web.pages)
    for page in range(0, web.pages, 7):
        targets = web.out_links(page).tolist()
        own = web.pages_of(web.host(page))
        leaving = sum(web.copies(page, k) for k, target in enumerate(targets) if target not in own)
        outcome, inside = free.fetch(page), within.fetch(page)
        assert (outcome.page, outcome.status) == (page, 200)
        assert outcome.links.tolist() == targets
        assert inside.links.tolist() == [target for target in targets if target in own]
        assert outcome.external == inside.external == leaving
        assert outcome.links.dtype == inside.links.dtype == np.int64


def test_links_out_of_named_sites_are_not_followed() -> None:
    """A crawl of ten sites that visits others, or that cannot go from one to another."""
    web = planted("sample", 12_000)
    end = web.web.pages_of(9).stop
    world = of(web, Scope.WEB)
    crossing = 0
    for page in range(0, end, 11):
        links = world.fetch(page).links
        assert links.tolist() == [t for t in web.web.out_links(page).tolist() if t < end]
        crossing += bool(set(links.tolist()) - set(web.web.pages_of(web.web.host(page))))
    assert web.reachable(Scope.WEB)[:end].all()
    assert not web.reachable(Scope.WEB)[end:].any()
    assert web.starts(Scope.KNOWN) == list(range(end))


def test_the_target_set_are_the_hosts_with_the_most_pages(broder: Planted) -> None:
    """Small hosts in the target set, or addresses that are no start pages."""
    sizes = [len(broder.web.pages_of(one)) for one in range(broder.web.hosts)]
    assert [sizes[one] for one in broder.sites] == sorted(sizes, reverse=True)[:4]
    assert broder.starts(Scope.WEB) == [broder.web.pages_of(one).start for one in broder.sites]
    topical = planted("topical", 4_000)
    assert len({topical.web.theme(one) for one in topical.sites}) == 1
    for page in range(0, 4_000, 37):
        same = topical.web.theme(topical.web.host(page)) == topical.web.theme(topical.sites[0])
        assert topical.relevant[page] == (same and topical.web.relevant(page))


def test_themes_of_pages_give_a_target_set_of_one_site() -> None:
    """A second host in the target set because its start page happens to share the theme."""
    for seed in range(6):
        local = planted("local", 300, seed)
        sizes = [len(local.web.pages_of(one)) for one in range(local.web.hosts)]
        assert local.sites == (sizes.index(max(sizes)),)


def test_reachable_pages_equal_those_of_a_search(broder: Planted) -> None:
    """A coverage of 100% that leaves pages out, or that no crawl can reach."""
    for scope in (Scope.SITE, Scope.WEB):
        world = of(broder, scope, steps=broder.web.pages)
        found = set(broder.starts(scope))
        queue = list(found)
        while queue:
            for link in world.fetch(queue.pop()).links.tolist():
                if link not in found:
                    found.add(link)
                    queue.append(link)
        assert np.flatnonzero(broder.reachable(scope)).tolist() == sorted(found)
    assert broder.reachable(Scope.KNOWN).all()


def paragraphs(web: Planted, page: int, time: float) -> list[bytes]:
    """Return the paragraphs of a rendered page; the last one is its version, if it has one."""
    place = place_at(web.web, address(web.web, page))
    assert place is not None
    of_page = host(web.web, web.web.host(page))
    look = render.look(web.web, of_page, page, place.way, place.code, time)
    found = re.findall(rb"<p>(.*?)</p>", render.document(web.web, look), re.DOTALL)
    return found if change.version(web.web, page, time) else [*found, b""]


@pytest.mark.parametrize(("name", "pages"), [("living", 300), ("topical", 400)])
def test_sizes_and_differences_are_those_of_the_rendered_text(name: str, pages: int) -> None:
    """A size of another version, language or theme; a change that is missed or halved."""
    web = planted(name, pages)
    seconds = 4000.0
    world = World(web, Scope.KNOWN, seconds, 3 * pages)
    before: dict[int, list[bytes]] = {}
    changed = 0
    for step, page in enumerate([*range(pages), *range(pages), *range(0, pages, 3)]):
        outcome = world.fetch(page)
        now = paragraphs(web, page, step * seconds)
        old = before.get(page, now)
        assert outcome.time == step * seconds
        assert outcome.size == sum(map(len, now))
        gone = [len(a) + len(b) for a, b in zip(old, now, strict=True) if a != b]
        assert outcome.difference == sum(gone)
        changed += bool(gone)
        before[page] = now
        assert not len(outcome.links)
    assert changed > pages / 20


def test_faulty_pages_are_not_fetched() -> None:
    """A fetched page of a vanished host or with status 503; links of a page that is no HTML."""
    web = planted("hostile", 1_500)
    seconds, steps = 2.0, 1_500
    world = World(web, Scope.WEB, seconds, steps)
    clock = ManualClock()
    simulated = Simulated(SyntheticSite(web.web), clock)
    statuses = set()
    for step in range(steps):
        outcome = world.fetch(step)
        clock.now = step * seconds
        expected = simulated.fetch(step)
        assert outcome.status == expected.status
        assert outcome.links.tolist() == expected.links.tolist()
        statuses.add((outcome.status, outcome.external > 0))
    assert {(0, False), (500, False), (503, False), (200, True), (200, False)} <= statuses
    assert not any(external for status, external in statuses if status != 200)


def test_time_moves_with_the_visits() -> None:
    """A clock that does not move, or that ignores the visits per day."""
    web = planted("living", 300)
    plan = ComparisonPlan((), profile.load("living"), 10, 300)
    assert seconds_per_visit(plan, web, Scope.KNOWN) == 86_400 / 300
    fast = ComparisonPlan((), profile.load("living"), 10, 300, visits_per_day=1000)
    assert seconds_per_visit(fast, web, Scope.KNOWN) == 86.4
    assert seconds_per_visit(fast, web, Scope.WEB) == 0.1


def test_an_oracle_gets_the_truth(broder: Planted) -> None:
    """The truth of another page."""
    known = Oracle(broder)
    world = of(broder, Scope.WEB)
    for page in range(0, 3_000, 101):
        outcome: Outcome = world.fetch(page)
        assert known.external(page) == outcome.external
        assert known.rate(page) == change.rate(broder.web, page)


def test_the_step_is_marked_before_the_fetch() -> None:
    """A policy that hangs and is reported at another step."""
    web = planted("living", 300)
    mark = [0]
    world = World(web, Scope.WEB, 0.1, 10, mark)
    marks = []
    for _ in range(3):
        world.fetch(0)
        marks.append(mark[0])
    assert marks == [2, 4, 6]


def test_contents_are_what_the_documents_say() -> None:
    """A text, a title or an anchor that differs from that of the rendered page.

    Pages with frames are left out: what they say stands in several documents.
    """
    web = planted("topical", 3_000)
    site, reads = SyntheticSite(web.web), World(web, Scope.WEB, 0.1, 10**6, reads=True)
    compared = 0
    for page in range(0, 3_000, 7):
        answer = site.answer(Question(address(web.web, page), 0.0))
        document = answer.body.decode()
        if "<frame" in document or "<iframe" in document:
            continue
        at = address(web.web, page)
        exchange = with_links(Exchange(at, 200), answer.body, "text/html", contents=True).content
        outcome = reads.fetch(page)
        assert exchange is not None and outcome.content is not None
        assert outcome.content[:2] == exchange[:2]
        assert outcome.content.language == exchange.language
        assert len(outcome.content.anchors) == len(outcome.links)
        assert set(outcome.content.anchors) <= set(exchange.anchors)
        compared += 1
    assert compared > 350
    assert of(web, Scope.WEB).fetch(0).content is None


def test_pages_that_are_not_there() -> None:
    """A dead page that can be fetched, or one that is there and cannot."""
    living = profile.load("living")
    lives = replace(living.change, passing=0.8, life_days=0.5, births_days=1.0)
    web = Planted(ComparisonPlan((), replace(living, change=lives), 100, 60), 4)
    world, seen = World(web, Scope.KNOWN, 900.0, 100), set()
    for step in range(100):
        page = 7 * step % 60
        outcome = world.fetch(page)
        assert (outcome.status == 200) == life.is_there(web.web, page, step * 900.0)
        assert outcome.size == 0 or outcome.status == 200
        seen.add(outcome.status)
    assert seen == {200, 404, 410}
