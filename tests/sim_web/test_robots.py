"""The referee's reading of robots.txt agrees with that of another parser."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from protego import Protego

from counterpoint.sim_web.answer import Fault, Kind, Question
from counterpoint.sim_web.pages import robots
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.world.site import SyntheticSite

from .webs import hostile

AGENTS = ("Mozilla/5.0 (compatible; GreedyBot/2.1)", "goodbot/1.0", "KindBot", "wget/1.21", "")


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 399), st.sampled_from(AGENTS), st.sampled_from(["", "%70rivate/", "staff/"]))
def test_the_truth_is_what_protego_reads(page: int, agent: str, path: str) -> None:
    """A robots.txt that differs from the rules that the referee applies."""
    web = hostile()
    host = web.host(page)
    text = robots.text(web, host)
    rules = Protego.parse(text or "")
    if robots.is_silent(web, host):
        rules = Protego.parse("")
    url = f"http://{web.name(host)}/{path}" if path else address(web, page)
    assert robots.disallowed(web, url, agent) == (not rules.can_fetch(url, agent))
    assert robots.crawl_delay(web, host, agent) == (rules.crawl_delay(agent) or 0.0)


def test_about_as_much_is_forbidden_as_the_profile_says() -> None:
    """Forbidden parts that contain no pages, or all of them."""
    web = hostile(3)
    open_to_all = [host for host in range(web.hosts) if not robots.is_silent(web, host)]
    having = [host for host in open_to_all if robots.groups(web, host) is not None]
    assert 0.6 < len(having) / len(open_to_all) < 0.95
    pages = [p for host in open_to_all for p in web.pages_of(host)]
    forbidden = sum(robots.disallowed(web, address(web, p), "any") for p in pages)
    assert 0.02 < forbidden / len(pages) < 0.35
    assert not any(robots.disallowed(web, address(web, web.pages_of(h).start), "any")
                   for h in range(web.hosts))  # fmt: skip


def test_robots_txt_is_served() -> None:
    """A robots.txt of a host without one, or an answer from a host that should not answer."""
    web = hostile()
    site = SyntheticSite(web)
    seen = set()
    for host in range(web.hosts):
        answer = site.answer(Question(f"http://{web.name(host)}/robots.txt", 0.0))
        if answer.fault is Fault.VANISHED:
            continue
        assert answer.kind is Kind.ROBOTS
        silent = robots.is_silent(web, host)
        text = robots.text(web, host)
        assert (answer.fault is Fault.ROBOTS_TIMEOUT) == silent
        if not silent:
            assert answer.status == (404 if text is None else 200)
            assert text is None or answer.body == text.encode()
        seen.add(answer.status)
    assert seen == {200, 404, 504}
