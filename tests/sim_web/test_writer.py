"""The compiled writer gives the same bytes as the readable one."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counterpoint.sim_web import profile
from counterpoint.sim_web.answer import Question
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.pages.ordinary import Ordinary
from counterpoint.sim_web.world.site import SyntheticSite

from .profiles import webs
from .webs import hostile, sound

few = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


def compared(web: Web, pages: list[int], time: float) -> int:
    """Compare the answers of both writers; return how many pages the compiled one can write."""
    site, short, quick = SyntheticSite(web), Ordinary(web), 0
    for page in pages:
        for accepted in (None, "gzip", "br"):
            question = Question(address(web, page), time, accept_encoding=accepted)
            answer = short.answer(question)
            assert answer is None or answer == site.reference(question)
            quick += answer is not None
    return quick


@few
@given(st.one_of(sound, webs()), st.floats(0, 1e8), st.data())
def test_both_ways_lead_to_the_same_answer(web: Web, time: float, data: st.DataObject) -> None:
    """A different byte, in any style, language, encoding, theme or version."""
    some = st.lists(st.integers(0, web.pages - 1), min_size=8, max_size=8)
    compared(web, data.draw(some), time)


def test_most_pages_go_the_short_way() -> None:
    """A compiled writer that is never used, so that all comparisons are meaningless."""
    for name in ("broder-1999", "topical", "universities"):
        web = Web(profile.load(name), 3000, 5)
        assert compared(web, list(range(0, 3000, 10)), 1e6) > 0.9 * 3 * 300


def test_every_page_of_a_hostile_web_agrees() -> None:
    """A fault or trap that the compiled writer ignores."""
    web = hostile(3)
    assert 0 < compared(web, list(range(web.pages)), 50.0) < 3 * web.pages
