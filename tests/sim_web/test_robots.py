"""What robots.txt forbids is judged as another reader of robots.txt judges it."""

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
    """A text that says something else than the referee holds it to."""
    web = hostile()
    host = web.host(page)
    text = robots.text(web, host)
    told = Protego.parse(text or "")
    if robots.is_silent(web, host):
        told = Protego.parse("")
    url = f"http://{web.name(host)}/{path}" if path else address(web, page)
    assert robots.disallowed(web, url, agent) == (not told.can_fetch(url, agent))
    assert robots.crawl_delay(web, host, agent) == (told.crawl_delay(agent) or 0.0)


def test_about_as_much_is_forbidden_as_the_profile_says() -> None:
    """Forbidden parts in which nothing lies, or in which everything does."""
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
    """A text for hosts that have none, and an answer from hosts that keep silent."""
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
