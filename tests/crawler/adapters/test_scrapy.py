"""Scrapy with a policy makes the same visits in the same order as the policy makes here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.settings import Settings
from scrapy.signalmanager import SignalManager

from counterpoint.crawler.adapters import scrapy as adapter
from counterpoint.crawler.adapters.scrapy import PolicyAddon, PolicyScheduler
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Policy, Scope
from counterpoint.sim_web.world.site import SyntheticSite
from tests.ci.test_worlds import ALL, QUERY, by_number, one_address_each, start_addresses
from tests.crawler.adapters.pages import ORDER, PAGES
from tests.crawler.scripted import Page, scripted
from tests.examples import one_in
from tests.sim_web.threaded import running

HERE = Path(__file__).parent
USUAL = {
    "ADDONS": '{"counterpoint.crawler.adapters.scrapy.PolicyAddon": 100}',
    "CONCURRENT_REQUESTS": "1", "LOG_LEVEL": "INFO", "TELNETCONSOLE_ENABLED": "0",
    "RETRY_ENABLED": "0", "DOWNLOAD_DELAY": "0",
}  # fmt: skip


def crawled(
    starts: Sequence[str], proxy: str, spider: str = "Following", mode: str = "", **settings: Any
) -> tuple[list[Any], str]:
    """Run a spider; return what it printed, and its log."""
    script = (
        "import sys, scrapy.crawler\n"
        f"from tests.crawler.adapters.spiders import {spider}\n"
        "import json\n"
        "process = scrapy.crawler.CrawlerProcess(json.loads(sys.argv[1]))\n"
        f"process.crawl({spider}, starts=sys.argv[2], mode=sys.argv[3])\n"
        "process.start()\n"
    )
    given = {**USUAL, **{name.upper(): str(value) for name, value in settings.items()}}
    root = HERE.parents[2]
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script, json.dumps(given), " ".join(starts), mode],
        capture_output=True, text=True, timeout=120, check=False,
        env=os.environ | {"http_proxy": proxy, "PYTHONPATH": f"{root / 'src'}:{root}"},
    )  # fmt: skip
    return [json.loads(line) for line in ended.stdout.splitlines()], ended.stderr


def agree(policy: Policy, web: tuple[int, float, bool]) -> None:
    """Compare the visits of Scrapy with those in process."""
    planted = one_address_each(*web, declared=True)
    order = by_number(policy, planted, 60)
    with running(SyntheticSite(planted.web)) as proxy:
        found, log = crawled(
            start_addresses(planted), proxy, counterpoint_policy=policy.name,
            counterpoint_budget=60, counterpoint_seed=5, counterpoint_query=QUERY,
            counterpoint_stay=int(bool(planted.web.profile.sites)),
        )  # fmt: skip
    assert [url for url, _ in found] == order, log[-3000:]
    assert f"{policy.name} asked for {len(order)} pages; " in log


POLICIES = [one for one in ALL if not one.oracle and not one.overspends]


@pytest.mark.parametrize("name", ["opic", pytest.param("R3", marks=pytest.mark.long)])
def test_the_order_of_compare(name: str) -> None:
    """Catches an outcome that differs from that of a comparison, or a decision made too early."""
    (policy,) = [one for one in POLICIES if one.name == name]
    agree(policy, (1, 0.5, name == "R3"))


@pytest.mark.long
@pytest.mark.parametrize("policy", one_in(3, POLICIES), ids=lambda policy: policy.name)
def test_the_order_of_compare_for_each_policy(policy: Policy) -> None:
    """Catches the same for any policy, also one that reads pages or that crawls site by site."""
    # Scrapy and Counterpoint read a bad link such as http:/// in different ways: here are none.
    agree(policy, (2, 0.0, policy.scope is Scope.SITE))


@pytest.mark.parametrize(
    ("spider", "mode", "concurrency"),
    [("Following", "", 1), pytest.param("Asynchronous", "", 1, marks=pytest.mark.long),
     pytest.param("Following", "meta", 1, marks=pytest.mark.long),
     pytest.param("Following", "", 8, marks=pytest.mark.long)],
)  # fmt: skip
def test_redirects_and_what_is_missing(spider: str, mode: str, concurrency: int) -> None:
    """Catches a redirect that counts as a page, a page whose loss stops the crawl, lost links."""
    with scripted(PAGES) as web:
        found, log = crawled(["http://a.test/"], web.proxy, spider, mode,
                             counterpoint_policy="breadth-first",
                             concurrent_requests=concurrency)  # fmt: skip
    assert sorted(url for url, _ in found) == sorted(ORDER), log[-3000:]
    if concurrency == 1:
        assert [url for url, _ in found] == ORDER
    assert "breadth-first asked for 9 pages; every page found was fetched" in log
    assert web.asked.count("http://a.test/old") == 1


@pytest.mark.long
def test_a_callback_that_fails() -> None:
    """Catches a page whose callback raised that is waited for, or whose links are lost."""
    with scripted(PAGES) as web:
        found, log = crawled(["http://a.test/"], web.proxy, mode="raises",
                             counterpoint_policy="breadth-first")  # fmt: skip
    # The callback of the first page raises after it yielded the first link.
    assert [url for url, _ in found] == ["http://a.test/", "http://a.test/x", "http://a.test/y"]
    assert "breadth-first asked for 3 pages; every page found was fetched" in log


@pytest.mark.long
@pytest.mark.parametrize("start", ["http://a.test/gone", "http://a.test/big"])
@pytest.mark.parametrize(("mode", "pages"), [("errback", 3), ("errback meta", 3),
                                             ("errback again", 4)])  # fmt: skip
def test_what_an_errback_asks_for(start: str, mode: str, pages: int) -> None:
    """Catches a new page that counts as another try of the page that failed, or is lost."""
    with scripted(PAGES) as web:
        found, log = crawled([start], web.proxy, mode=mode, counterpoint_policy="breadth-first",
                             download_maxsize=1000)  # fmt: skip
    # What is gone has an answer, which Scrapy hands to the errback; of what is too big none comes.
    assert [url for url, _ in found] == ["http://mirror.test/", "http://a.test/z"], log[-3000:]
    assert web.asked.count(start) == pages - 2
    assert f"breadth-first asked for {pages} pages; every page found was fetched" in log


@pytest.mark.long
def test_a_start_that_fails() -> None:
    """Catches start pages that are not fetched since the spider failed after it yielded them."""
    pages = {"http://a.test/": Page("<a href=/x>1</a>"), "http://a.test/x": Page("")}
    with scripted(pages) as web:
        found, log = crawled(["http://a.test/"], web.proxy, mode="fails",
                             counterpoint_policy="breadth-first")  # fmt: skip
    assert [url for url, _ in found] == ["http://a.test/", "http://a.test/x"], log[-3000:]
    assert "Error while reading start items and requests: no more starts" in log


NOT_FETCHED = "WARNING: http://mirror.test/ is not fetched: "


@pytest.mark.long
@pytest.mark.parametrize("starts", [["http://b.test/w"], []], ids=["a start", "no start"])
@pytest.mark.parametrize("at", ["spider_opened", "response_received", "spider_idle"])
def test_a_page_that_no_page_brings(at: str, starts: list[str]) -> None:
    """Catches a page that is neither fetched nor named, when nothing can bring it to the policy."""
    with scripted(PAGES) as web:
        found, log = crawled(starts, web.proxy, "Feeding", at, counterpoint_policy="breadth-first",
                             closespider_timeout=60)  # fmt: skip
    is_brought = bool(starts) and at != "spider_idle"
    assert ("http://mirror.test/" in web.asked) is is_brought, log[-3000:]
    assert log.count(NOT_FETCHED) == (0 if is_brought or at == "response_received" else 1)
    assert len(found) == (3 if is_brought else len(starts))
    assert "Closing spider (finished)" in log


@pytest.mark.long
def test_a_form_is_a_page_of_its_own() -> None:
    """Catches a form that counts as the page with the same address, so that one is lost."""
    pages = {"http://a.test/": Page("<a href=/x>1</a>"), "http://a.test/x": Page("")}
    with scripted(pages) as web:
        found, _ = crawled(["http://a.test/"], web.proxy, mode="form",
                           counterpoint_policy="breadth-first")  # fmt: skip
    assert ["http://a.test/x", 200] in found
    assert "breadth-first asked for 3 pages" in _


@pytest.mark.long
def test_the_budget() -> None:
    """Catches a page beyond the budget."""
    with scripted(PAGES) as web:
        found, log = crawled(["http://a.test/"], web.proxy, counterpoint_policy="opic",
                             counterpoint_budget=3, concurrent_requests=8)  # fmt: skip
    assert "opic asked for 3 pages; the budget is spent" in log
    assert len(found) <= 3


@pytest.mark.long
@pytest.mark.parametrize(("how", "steps"), [("again", 1), ("unknown", 0)])
def test_a_policy_that_breaks_a_rule(how: str, steps: int) -> None:
    """Catches a crawl that goes on, or hangs, after its policy failed."""
    policy = f"tests.crawler.adapters.test_queue:broken,how={how}"
    with scripted(PAGES) as web:
        found, log = crawled(["http://a.test/"], web.proxy, counterpoint_policy=policy)
    assert len(found) == steps
    assert "ERROR: tests.crawler.adapters.test_queue:broken" in log
    assert f"asked for {steps} pages; {policy}: step {1 if how == 'unknown' else 2}: " in log
    assert "Closing spider (finished)" in log


@pytest.mark.long
def test_a_redirect_that_is_dropped_on_its_way() -> None:
    """Catches a crawl that ends, or waits for ever, since a middleware dropped a redirect."""
    pages = {
        "http://a.test/": Page("<a href=/out>1</a><a href=/x>2</a>"),
        "http://a.test/out": Page("", 302, {"Location": "http://far.test/"}),
        "http://a.test/x": Page(""),
    }
    with scripted(pages) as web:
        found, log = crawled(["http://a.test/"], web.proxy, "Inside",
                             counterpoint_policy="breadth-first")  # fmt: skip
    assert [url for url, _ in found] == ["http://a.test/", "http://a.test/x"], log[-3000:]
    assert "http://far.test/" not in web.asked


class Engine:
    """What a scheduler sees of the engine of Scrapy; a test decides which page is done next."""

    def __init__(self, starts: Sequence[str], concurrency: int, policy: str, stay: bool) -> None:
        self._slot = SimpleNamespace(inprogress=set())
        self.scraper = SimpleNamespace(slot=SimpleNamespace(active=set()))
        crawler: Any = SimpleNamespace(
            settings=Settings({"COUNTERPOINT_POLICY": policy, "COUNTERPOINT_STAY": stay,
                               "CONCURRENT_REQUESTS": concurrency}),
            signals=SignalManager(), engine=self)  # fmt: skip
        self.scheduler = PolicyScheduler(crawler)
        for one in starts:
            assert self.scheduler.enqueue_request(Request(one, meta={adapter._START: True}))
        self.scheduler.begin()

    def asked(self) -> list[Request]:
        """Take all requests that there are now; they are under way then."""
        found = []
        while (request := self.scheduler.next_request()) is not None:
            self._slot.inprogress.add(request)
            found.append(request)
        return found

    def yields(self, page: Request, *links: str, final: str = "") -> list[bool]:
        """Let the callback of a page yield links; return which of them were taken."""
        response = HtmlResponse(final or page.url, request=page)
        self.scheduler._received(response, page)
        self.scraper.slot.active.add(page)
        found = [adapter._marked(Request(one), response) for one in links]
        return [self.scheduler.enqueue_request(one) for one in found]

    def ends(self, page: Request) -> None:
        """Let the spider be done with a page."""
        self.scraper.slot.active.discard(page)
        self._slot.inprogress.discard(page)


A, B = "http://a.test/", "http://b.test/"


@pytest.mark.parametrize("first", [0, 1])
def test_two_pages_with_a_link_that_is_taken_from_one(first: int) -> None:
    """Catches a crawl that fails since a page that left its site has the same link."""
    engine = Engine([A, B], 2, "breadth-first", True)
    pages = engine.asked()
    for page, final in zip(pages, ("http://far.test/", ""), strict=True):
        assert engine.yields(page, f"{B}x", f"{B}x", final=final)[1] is False
    for page in (pages[first], pages[1 - first]):
        engine.ends(page)
        engine.asked()
    (last,) = engine._slot.inprogress
    assert last.url == f"{B}x"
    assert engine.yields(last, f"{B}x", B) == [False, False]


def test_no_limit_of_requests() -> None:
    """Catches a crawl that hangs if CONCURRENT_REQUESTS is 0, which is no limit for Scrapy."""
    engine = Engine([A, B], 0, "breadth-first", True)
    assert [one.url for one in engine.asked()] == [A, B]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "COUNTERPOINT_POLICY: is needed"),
        ({"policy": "opik"}, "there is no policy 'opik'"),
        ({"policy": "oracle"}, "needs the truth about pages"),
        ({"policy": "scent"}, "revisits known pages"),
        ({"policy": "opic", "budget": 0}, "at least one page"),
        ({"policy": "opic", "seed": "x"}, "COUNTERPOINT_SEED: 'x' is no whole number"),
        ({"policy": "opic", "jobdir": "jobs"}, "JOBDIR: PolicyScheduler keeps"),
    ],
)  # fmt: skip
def test_settings_that_are_wrong(given: dict[str, Any], message: str) -> None:
    """Catches a crawl with another policy than the settings name, or an unclear error."""
    names = {"jobdir": "JOBDIR"}
    settings = Settings({names.get(k, f"COUNTERPOINT_{k.upper()}"): v for k, v in given.items()})
    with pytest.raises(CrawlError) as error:
        PolicyAddon().update_settings(settings)
    assert message in str(error.value)


def test_an_old_scrapy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Catches a Scrapy with which the policy would never see a page."""
    monkeypatch.setattr(adapter, "version_info", (2, 13, 4))
    with pytest.raises(CrawlError, match=r"is too old: 2\.14 or newer is needed"):
        PolicyAddon().update_settings(Settings({"COUNTERPOINT_POLICY": "opic"}))
