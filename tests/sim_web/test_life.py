"""Pages that are born and die: their law, their answers, and the judgment of their copies."""

from __future__ import annotations

import math
import re
from functools import lru_cache

import numpy as np
import pytest

from counterpoint.sim_web import profile
from counterpoint.sim_web.answer import Kind, Question
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.generator.counting import first_pages
from counterpoint.sim_web.pages import change, life, truth
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.pages.host import host
from counterpoint.sim_web.world.fetcher import ManualClock, Simulated
from counterpoint.sim_web.world.site import SyntheticSite

DAY = 86_400.0


@lru_cache(maxsize=4)
def web(passing: float = 0.5, pages: int = 400) -> Web:
    """Return a web whose passing pages live ten days, born over 40 days."""
    mapping = {
        "hosts": {"mean_pages": 12},
        "change": {"passing": passing, "life_days": 10, "births_days": 40},
        "style": {"sitemaps": 1.0},
    }
    return Web(profile.from_mapping(mapping, "test", "test"), pages, 5)


def test_births_and_lives_follow_their_law() -> None:
    """More pages at one time than at another, lives of another mean, or a start page that dies."""
    of = web(pages=20_000)
    born, dies = life.lives(of)
    starts = first_pages(of)[:-1]
    assert not born[starts].any() and np.isinf(dies[starts]).all()
    passing = np.flatnonzero(np.isfinite(dies))
    assert len(passing) / (of.pages - len(starts)) == pytest.approx(0.5, abs=0.02)
    spans = (dies - born)[passing] / DAY
    assert spans.mean() == pytest.approx(10, rel=0.04)
    assert np.median(spans) == pytest.approx(10 * math.log(2), rel=0.05)
    there = [((born <= t) & (t < dies))[passing].mean() for t in np.linspace(0, 39.9, 9) * DAY]
    assert there == pytest.approx([10 / 50] * 9, abs=0.02)
    assert born.max() < 40 * DAY
    part = life.lives(of, 100, 300)
    assert (part[0] == born[100:300]).all() and (part[1] == dies[100:300]).all()
    assert [life.life(of, page) for page in range(100, 120)] == list(
        zip(born[100:120].tolist(), dies[100:120].tolist(), strict=True)
    )


def test_the_shortest_life_has_a_moment() -> None:
    """A page that dies when it is born, so that nobody can ever see it."""
    lives = [life.life_of(np.uint64(7), np.array([1.0, 1e-10, 1.0]), page) for page in range(400)]
    assert min(dies - born for born, dies in lives) == change.GRAIN


def test_without_passing_pages_all_are_for_ever() -> None:
    """A page that dies in a web of today."""
    born, dies = life.lives(web(0.0))
    assert not born.any() and np.isinf(dies).all()
    assert life.is_there(web(0.0), 7, 1e12)


def test_answers_before_birth_and_after_death() -> None:
    """A page that answers before its birth or after its death, or not in between."""
    of = web()
    site, clock = SyntheticSite(of), ManualClock()
    simulated = Simulated(site, clock)
    seen = set()
    for page in range(0, of.pages, 3):
        born, dies = life.life(of, page)
        times = {200: [born]}
        if math.isfinite(dies):
            times = {200: [born, math.nextafter(dies, 0.0)], 410: [dies, 2 * dies]}
            times |= {404: [0.0, math.nextafter(born, 0.0)]} if born else {}
        for status, moments in times.items():
            for time in moments:
                question = Question(address(of, page), time)
                answer = site.answer(question)
                assert answer == site.reference(question)
                assert (answer.status, answer.page) == (status, page)
                assert (answer.kind is Kind.MISSING) == (status != 200)
                assert site.kind(question) is answer.kind
                clock.now = time
                assert simulated.fetch(page).status == status
                seen.add(status)
    assert seen == {200, 404, 410}


def test_sitemaps_name_the_pages_that_are_there() -> None:
    """A dead page in a sitemap, or one that is there and not in it."""
    of, time = web(), 15 * DAY
    site, absent = SyntheticSite(of), 0
    for number in range(of.hosts):
        body = site.answer(Question(f"http://{of.name(number)}/sitemap.xml", time)).body.decode()
        assert host(of, number).sitemap
        named = [truth.leads_to(of, one) for one in re.findall("<loc>(.*?)</loc>", body)]
        there = [page for page in of.pages_of(number) if life.is_there(of, page, time)]
        assert named == there
        absent += len(of.pages_of(number)) - len(there)
    assert absent > 20


def test_a_death_ends_what_a_copy_shows() -> None:
    """A copy of a dead page that counts as fresh, or a death that comes again."""
    of = web()
    for page in range(of.pages):
        _, dies = life.life(of, page)
        following = change.next_change(of, page, 5.0)
        assert life.ends(of, page, 5.0) == (min(following, dies) if dies > 5.0 else following)
        if math.isfinite(dies):
            assert dies < 2 * dies < life.ends(of, page, 2 * dies)
