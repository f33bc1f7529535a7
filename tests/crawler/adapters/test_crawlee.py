"""Crawlee with a policy makes the same visits in the same order as the policy makes here."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Outcome, Policy, Request, Scope, Setting
from counterpoint.sim_web.world.site import SyntheticSite
from tests.ci.test_worlds import ALL, QUERY, by_number, one_address_each, start_addresses
from tests.crawler.adapters.pages import ORDER, PAGES
from tests.crawler.scripted import Page, scripted
from tests.examples import one_in
from tests.needs import need_module
from tests.sim_web.threaded import running

crawlers = need_module("tests.crawler.adapters.crawlers", "crawlee")
A = "http://a.test/"


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    caplog.set_level(logging.INFO)
    with crawlers.apart(str(tmp_path)):
        yield


def agree(policy: Policy, web: tuple[int, float, bool], kind: str = "parsel") -> None:
    """Compare the visits of Crawlee with those in process."""
    planted = one_address_each(*web, declared=True)
    order = by_number(policy, planted, 60)
    with running(SyntheticSite(planted.web)) as proxy:
        crawl = crawlers.run(
            crawlers.made(policy.name, proxy, kind=kind, budget=60, seed=5, query=QUERY,
                          stay=bool(planted.web.profile.sites)),
            start_addresses(planted),
        )  # fmt: skip
    assert crawl.order == order
    assert crawl.manager.steps == len(order)


POLICIES = [one for one in ALL if not one.oracle and not one.overspends]


# Crawlee fails at a bad link such as http://[: here are none.
@pytest.mark.parametrize("kind", ["parsel", "beautifulsoup"])
@pytest.mark.parametrize("name", ["opic", "R3"])
def test_the_order_of_compare(name: str, kind: str) -> None:
    """Catches an outcome that differs from that of a comparison, or a decision made too early."""
    (policy,) = [one for one in POLICIES if one.name == name]
    agree(policy, (1, 0.0, name == "R3"), kind)


@pytest.mark.long
@pytest.mark.parametrize("policy", one_in(3, POLICIES), ids=lambda policy: policy.name)
def test_the_order_of_compare_for_each_policy(policy: Policy) -> None:
    """Catches the same for any policy, also one that reads pages or that crawls site by site."""
    agree(policy, (2, 0.0, policy.scope is Scope.SITE))


@pytest.mark.parametrize("concurrency", [1, 8])
def test_redirects_and_what_is_missing(concurrency: int, caplog: pytest.LogCaptureFixture) -> None:
    """Catches a redirect that counts as a page, a page whose loss stops the crawl, lost links."""
    with scripted(PAGES) as web:
        crawl = crawlers.run(crawlers.made(proxy=web.proxy, concurrency=concurrency), [A])
    assert sorted(crawl.order) == sorted(ORDER)
    if concurrency == 1:
        assert crawl.order == ORDER
    assert "breadth-first asked for 9 pages; every page found was fetched" in caplog.messages
    assert web.asked.count(f"{A}old") == 1


@pytest.mark.parametrize("concurrency", [2, 10])
def test_no_page_is_lost_or_fetched_twice(concurrency: int) -> None:
    """Catches a page that two workers fetch, or that is lost between them."""
    web = {f"{A}{k}": Page("".join(f"<a href=/{(k * 7 + n) % 90}>x</a>" for n in range(4)))
           for k in range(90)}  # fmt: skip
    with scripted(web) as served:
        crawl = crawlers.run(crawlers.made("opic", served.proxy, concurrency=concurrency),
                             [f"{A}0"])  # fmt: skip
    assert sorted(served.asked) == sorted(web)
    assert sorted(crawl.order) == sorted(web)


def test_links_belong_to_the_page_that_is_handled() -> None:
    """Catches links that the policy gets with another page, which is done while they are added."""
    with scripted({A: Page(""), f"{A}b": Page(""), f"{A}x": Page("")}) as web:
        crawl = crawlers.made(RECORDING, web.proxy, concurrency=2)
        added = asyncio.Event()

        async def handles(context: Any) -> None:
            if context.request.url == f"{A}b":
                await crawl.crawler.add_requests([f"{A}x"])
                added.set()
                while not await crawl.manager.get_handled_count():
                    await asyncio.sleep(0)
            await added.wait()

        crawlers.run(crawl, [A, f"{A}b"], handles)
    assert Recording.seen == [(200, 0), (200, 1), (200, 0)]


class Recording:
    """A policy that fetches in the order of discovery, and records each outcome."""

    seen: list[tuple[int, int]]

    def __init__(self, setting: Setting) -> None:
        self.why, self._todo, self._known = "", list(setting.starts), set(setting.starts)
        Recording.seen = []

    def next(self) -> Request | None:
        """Return the oldest page."""
        self.why = "" if self._todo else "none is left"
        return Request(self._todo.pop(0)) if self._todo else None

    def observe(self, outcome: Outcome) -> None:
        """Record the status and the number of links."""
        new = [page for page in outcome.links.tolist() if page not in self._known]
        self._todo += new
        self._known.update(new)
        Recording.seen.append((outcome.status, len(outcome.links)))


RECORDING = f"{__name__}:Recording"


def test_another_try_belongs_to_the_page() -> None:
    """Catches a retry that costs a step, comes late, or whose answer is not the one that counts."""
    pages = {A: Page("<a href=/x>1</a><a href=/y>1</a>"), f"{A}x": Page("", 503),
             f"{A}y": Page("", 404)}  # fmt: skip
    with scripted(pages) as web:
        crawl = crawlers.run(crawlers.made(RECORDING, web.proxy, retries=2), [A])
    assert web.asked == [A, *[f"{A}x"] * 3, f"{A}y"]
    assert Recording.seen == [(200, 2), (503, 0), (404, 0)]
    assert (crawl.manager.steps, crawl.manager.why) == (3, "none is left")


def test_another_try_without_an_answer() -> None:
    """Catches the answer to a first try that counts though none came to the last one."""
    with scripted({A: Page("", 503)}) as web:
        crawl = crawlers.made(RECORDING, web.proxy, retries=1)

        @crawl.crawler.pre_navigation_hook
        async def fails(context: Any) -> None:
            if context.request.retry_count:
                raise OSError("no network")

        crawlers.run(crawl, [A])
    assert (web.asked, Recording.seen) == ([A], [(0, 0)])


def test_a_handler_that_fails() -> None:
    """Catches a page whose handler raised that is waited for; Crawlee drops its links."""
    pages = {A: Page("<a href=/x>1</a>"), f"{A}x": Page("<a href=/y>1</a>")}
    with scripted(pages) as web:
        crawl = crawlers.made(RECORDING, web.proxy, retries=1)

        async def fails(context: Any) -> None:
            await crawl.follow(context)
            if context.request.url == f"{A}x":
                raise ValueError("no")

        crawlers.run(crawl, [A], fails)
    assert web.asked == [A, f"{A}x", f"{A}x"]
    assert Recording.seen == [(200, 1), (200, 0)]


@pytest.mark.parametrize("when", ["failed", "error"])
def test_what_the_handler_of_an_error_asks_for(when: str) -> None:
    """Catches a page for a failed one that is lost, since the failed one counts as done before."""
    with scripted({**PAGES, f"{A}broken": Page("", 503)}) as web:
        crawl = crawlers.made(RECORDING, web.proxy, retries=1)
        if when == "failed":

            @crawl.crawler.failed_request_handler
            async def failed(context: Any, error: Exception) -> None:
                await context.add_requests(["http://mirror.test/"])
        else:

            @crawl.crawler.error_handler
            async def failing(context: Any, error: Exception) -> Any:
                return crawlers.crawlee_request("http://mirror.test/")

        crawlers.run(crawl, [f"{A}broken"])
    assert crawl.order == ["http://mirror.test/", f"{A}z"]
    assert Recording.seen == [(200, 1), (200, 1), (200, 0)]


def test_no_answer() -> None:
    """Catches a page without an answer that counts as an answer, or stops the crawl."""
    crawl = crawlers.run(crawlers.made(RECORDING), [A, "http://b.test/"])
    assert (crawl.order, Recording.seen) == ([], [(0, 0), (0, 0)])


def test_a_redirect_that_leaves_the_host() -> None:
    """Catches a crawl that waits for a page that Crawlee drops after its redirect."""
    pages = {A: Page("<a href=/out>1</a><a href=/x>2</a>"), f"{A}x": Page(""),
             f"{A}out": Page("", 302, {"Location": "http://far.test/"}),
             "http://far.test/": Page("<a href=/more>1</a>")}  # fmt: skip
    with scripted(pages) as web:
        crawl = crawlers.made("breadth-first", web.proxy)

        async def inside(context: Any) -> None:
            crawl.found.append((context.request.url, 0))
            await context.enqueue_links(strategy="same-hostname")

        crawlers.run(crawl, [A], inside)
    assert crawl.order == [A, f"{A}x"]
    assert crawl.manager.why == "every page found was fetched"


def test_robots() -> None:
    """Catches a crawl that waits for a page that Crawlee does not send."""
    pages = {A: Page("x"), f"{A}x": Page(""), f"{A}no": Page(""),
             f"{A}robots.txt": Page("User-agent: *\nDisallow: /no", 200,
                                    {"Content-Type": "text/plain"})}  # fmt: skip
    with scripted(pages) as web:
        crawl = crawlers.made(RECORDING, web.proxy, kind="http",
                              crawler={"respect_robots_txt_file": True})  # fmt: skip

        async def adds(context: Any) -> None:
            if context.request.url == A:
                await context.add_requests([f"{A}no", f"{A}x"])

        # Crawlee fetches robots.txt with the proxy of no session: without this one it has none.
        crawl.crawler._http_client._async_client_kwargs["proxy"] = web.proxy
        crawlers.run(crawl, [A], adds)
    assert f"{A}no" not in web.asked
    assert Recording.seen == [(200, 2), (0, 0), (200, 0)]


def test_a_request_that_is_more_than_an_address() -> None:
    """Catches a request with a key of its own that counts as the page with the same address."""
    pages = {A: Page(""), f"{A}x": Page("")}
    with scripted(pages) as web:
        crawl = crawlers.made("breadth-first", web.proxy)

        async def adds(context: Any) -> None:
            crawl.found.append((context.request.url, 0))
            if context.request.url == A:
                own = [crawlers.crawlee_request(f"{A}x", unique_key=key) for key in "aab"]
                await context.add_requests([f"{A}x", *own, f"{A}x/"])

        crawlers.run(crawl, [A], adds)
    assert crawl.order == [A, f"{A}x", f"{A}x", f"{A}x"]
    assert crawl.manager.steps == 4


def test_the_request_of_the_first_page_that_names_it_is_sent() -> None:
    """Catches a label or data that is lost, and a request of the user's that Crawlee changes."""
    with scripted(PAGES) as web:
        crawl = crawlers.made("breadth-first", web.proxy)
        given = crawlers.crawlee_request(f"{A}y", label="mine", user_data={"a": 1})

        @crawl.crawler.router.handler("mine")
        async def mine(context: Any) -> None:
            crawl.found.append((context.request.user_data["a"], 0))

        crawlers.run(crawl, [given])
    assert (crawl.order, given.loaded_url) == ([1], None)


def test_the_budget() -> None:
    """Catches a page beyond the budget."""
    with scripted(PAGES) as web:
        crawl = crawlers.run(crawlers.made("opic", web.proxy, budget=3, concurrency=8), [A])
    assert (crawl.manager.steps, crawl.manager.why) == (3, "the budget is spent")
    assert len(web.asked) == 3 + (f"{A}new" in web.asked)


def test_a_second_run() -> None:
    """Catches a policy that knows the pages of the run before, so that nothing is fetched."""
    with scripted(PAGES) as web:
        crawl = crawlers.run(crawlers.made("breadth-first", web.proxy), [A], again=True)
    assert crawl.order == ORDER * 2


def test_no_start() -> None:
    """Catches a crawl without start pages that does not end."""
    crawl = crawlers.run(crawlers.made(), [])
    assert (crawl.order, crawl.manager.steps) == ([], 0)


@pytest.mark.parametrize(("how", "steps"), [("again", 1), ("unknown", 0)])
@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_policy_that_breaks_a_rule(how: str, steps: int, concurrency: int) -> None:
    """Catches a crawl that goes on, or hangs, after its policy failed."""
    policy = f"tests.crawler.adapters.test_queue:broken,how={how}"
    with scripted(PAGES) as web:
        crawl = crawlers.made(policy, web.proxy, concurrency=concurrency)
        with pytest.raises(CrawlError, match=f"how={how}: step {steps + 1}: "):
            crawlers.run(crawl, [A])
    assert len(crawl.order) == steps


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"policy": "opik"}, "there is no policy 'opik'"),
        ({"policy": "oracle"}, "needs the truth about pages"),
        ({"policy": "scent"}, "revisits known pages"),
        ({"policy": "opic", "budget": 0}, "at least one page"),
    ],
)
def test_what_is_refused(given: dict[str, Any], message: str) -> None:
    """Catches a manager that fails when the crawl has begun."""
    with pytest.raises(CrawlError, match=message):
        crawlers.PolicyRequestManager(**given)


def test_a_crawler_whose_answers_nobody_sees() -> None:
    """Catches a crawl in which every page counts as missing, or the policy is not asked."""
    crawl = crawlers.made(kind="basic")
    with pytest.raises(CrawlError, match="is needed, not BasicCrawler"):
        crawl.manager.watch(crawl.crawler)
    crawl = crawlers.made()
    with pytest.raises(CrawlError, match=r"call watch\(crawler\) before run"):
        asyncio.run(crawl.crawler.run([A]))
    other = crawlers.made()
    with pytest.raises(CrawlError, match="takes its requests elsewhere"):
        crawl.manager.watch(other.crawler)


def test_an_old_crawlee(monkeypatch: pytest.MonkeyPatch) -> None:
    """Catches a Crawlee with which the policy would never see a page."""
    monkeypatch.setattr("counterpoint.crawler.adapters.crawlee.crawlee_version", "1.10.4")
    with pytest.raises(CrawlError, match=r"is too old: 1\.11 or newer is needed"):
        crawlers.PolicyRequestManager("opic")


def test_starts_that_a_policy_refuses() -> None:
    """Catches a policy over sites that gets two start pages of one site."""
    with pytest.raises(CrawlError, match="a site has one"):
        crawlers.run(crawlers.made("R3"), [A, f"{A}x"])


def test_requests_that_no_page_brings(caplog: pytest.LogCaptureFixture) -> None:
    """Catches a request from outside that is lost without a word, or not fetched though it can."""
    with scripted(PAGES) as web:
        crawl = crawlers.made("breadth-first", web.proxy)

        async def feeds(context: Any) -> None:
            crawl.found.append((context.request.url, 0))
            if len(crawl.found) == 1:
                outside = crawlers.empty_context()
                add = crawl.manager.add_request("http://mirror.test/")
                await asyncio.get_running_loop().create_task(add, context=outside)

        crawlers.run(crawl, [f"{A}y"], feeds)
        assert crawl.order == [f"{A}y", "http://mirror.test/"]
        late = crawl.manager.add_requests([f"{A}late", "mailto:x@y.test", f"{A}y"][::2])
        asyncio.run(late)
    said = [one for one in caplog.messages if "is not fetched: the policy gets" in one]
    assert len(said) == 1
    assert said[0].startswith(f"{A}late ")


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_order_of_answers_and_retries(data: st.DataObject) -> None:
    """Catches a request that is lost or handed out twice, whatever order the workers end in."""
    asyncio.run(crawlers.driven(lambda most: data.draw(st.integers(0, most))))
