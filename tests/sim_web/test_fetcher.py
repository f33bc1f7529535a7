"""The in-process fetcher agrees with the answers of the site."""

from __future__ import annotations

from urllib.parse import urljoin

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.sim_web.answer import Question
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.world.fetcher import ManualClock, Simulated, keep_memory, read
from counterpoint.sim_web.world.site import SyntheticSite

from .webs import hostile


def test_outcomes_by_number_are_those_of_the_answers() -> None:
    """A simulation that is easier or harder than the web that it simulates."""
    web = hostile(3)
    clock = ManualClock()
    site = SyntheticSite(web)
    computed, written = Simulated(site, clock), Simulated(site, clock, web.explicit())
    statuses = set()
    for time in (0.0, 3.0, 5000.0):
        clock.wait(time)
        for page in range(0, web.pages, 3):
            outcome, other = computed.fetch(page), written.fetch(page)
            answer = computed.get(address(web, page))
            assert outcome.status == other.status == answer.status
            assert outcome.links.tolist() == other.links.tolist()
            readable = answer.status == 200 and "html" in dict(answer.headers)["Content-Type"]
            assert outcome.links.tolist() == (web.out_links(page).tolist() if readable else [])
            statuses.add(outcome.status)
    assert statuses == {0, 200, 500, 503}


def test_the_clock_is_the_time_of_answers_and_goes_forward_only() -> None:
    """Answers for another time, or a clock that runs backward."""
    web = hostile(3)
    fetcher = Simulated(SyntheticSite(web), ManualClock(77.0))
    url = address(web, 5)
    assert fetcher.get(url) == fetcher.site.answer(Question(url, 77.0))
    with pytest.raises(ValueError, match="back"):
        fetcher.clock.wait(-1)


def test_references_are_joined_as_a_browser_does() -> None:
    """A fast way of joining that differs from the standard one."""
    body = b"""<base href="/a/b/c.html"><a href="x.html">1</a><a href="../y?z=1#f">2</a>
    <a href="//h.test/p">3</a><a href="?q=1">4</a><a href="http:///">5</a><a href="http://[">6</a>
    <a href="JavaScript:x">7</a><a name="none">8</a><a href="htp:/x">9</a>
    <a href="http://a b.test/">10</a><a href="">11</a><a href="http://h.test:port/">12</a>"""
    found = read(body, "http://w.test/start")
    assert found.urls == [
        "http://w.test/a/b/x.html", "http://w.test/a/y?z=1", "http://h.test/p",
        "http://w.test/a/b/c.html?q=1", "http://w.test/a/b/c.html",
    ]  # fmt: skip
    assert found.bad == ["http:///", "http://[", "JavaScript:x", "htp:/x", "http://a b.test/",
                         "http://h.test:port/"]  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from(["http://w.test/", "http://w.test/a/b/", "http://w.test/a/b/c?x=/d/e"]),
    st.lists(st.sampled_from(["../", "a/", "b-c", "/", ".html", "?id=4", "&x=1", "./", "http://h.test/"]),
             max_size=6).map("".join),
)  # fmt: skip
def test_joining_is_that_of_the_standard_library(at: str, reference: str) -> None:
    """A reference that the fast way joins wrongly."""
    found = read(f'<a href="{reference}">x</a>'.encode(), at)
    if found.urls:
        assert found.urls == [urljoin(at, reference)]
    else:
        assert "http:" in reference or reference.startswith("//")


def test_memory_can_be_kept() -> None:
    """An option that the memory allocator does not understand and refuses."""
    assert isinstance(keep_memory(), bool)
