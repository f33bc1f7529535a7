"""A crawl that keeps its pages fresh, from the studio in a real browser: begun, paused, ended.

Nothing here waits for a fixed time: each step waits for what the page shows.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from counterpoint.crawler.beebot.holding import locking_process
from counterpoint.crawler.store.opening import open_store
from counterpoint.sim_web import profile
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.world.site import SyntheticSite
from counterpoint.studio import wishing
from tests.sim_web.threaded import running

from .browser import WAIT, browser, eventually, studio
from .test_browser_crawl import stop_crawl, wait_for_visits

HOST = "mounted.test"


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[str]:
    """Serve a site whose start page has a broken link; yield the proxy."""
    folder = tmp_path / "mounted"
    folder.mkdir()
    links = "".join(f'<a href="p{k}.html">{k}</a>' for k in range(5))
    (folder / "index.html").write_text(f"<title>x</title>{links}<a href=gone.html>gone</a>")
    for k in range(5):
        (folder / f"p{k}.html").write_text(f'<a href="/">start</a> page {k}')
    with running(SyntheticSite(Web(profile.load("sample"), 2000, 7)), {HOST: str(folder)}) as found:
        yield found


@pytest.fixture
def page() -> Iterator[Any]:
    """Yield a page of a browser that waits for elements."""
    with browser() as found:
        page = found.new_page()
        page.set_default_timeout(WAIT)
        yield page


@pytest.mark.long
def test_pages_are_kept_fresh_until_the_crawl_is_stopped(
    page: Any, proxy: str, tmp_path: Path
) -> None:
    """A plan without an end that shows a share of its budget, or a pause that the view hides.

    Also a field that is locked while the crawl runs, or still locked when it has ended.
    """
    where = tmp_path / "crawl.db"
    try:
        with studio(tmp_path, "--db", "crawl.db") as (_, address):
            begin(page, address, proxy)
            eventually(page.locator("#spent")).to_contain_text("by uniform, until you stop it")
            eventually(page.locator("#part")).to_be_hidden()
            eventually(page.locator("#visits-name")).to_have_text("visits")
            assert "at most 20 are visited" in page.locator("#spent").inner_text()
            assert (
                "each page every 2 s in the mean; 7 pages known"
                in page.locator("#spent").inner_text()
            )
            change_pace(page)
            seen = wait_for_visits(page, 14)
            page.get_by_role("button", name="Pause").click()
            page.locator("#state").get_by_text("Paused").wait_for()
            page.locator("#why").get_by_text("No request begins until you continue.").wait_for()
            eventually(page.get_by_role("button", name="Pause")).to_have_count(0)
            page.get_by_role("button", name="Continue").click()
            page.locator("#state").get_by_text("Running").wait_for()
            wait_for_visits(page, seen)
            stop_crawl(page)
            eventually(page.get_by_label("Budget", exact=True)).to_be_enabled()
            look_at_broken_links(page, address)
    finally:
        if (left := locking_process(where)) is not None:
            os.kill(left, signal.SIGKILL)
    with open_store(where) as store:
        wishes = wishing.stored(store)
    assert (wishes.paused, wishes.revisit, wishes.every) == (False, "uniform", "2s")
    assert (wishes.delay, wishes.concurrency) == (0.01, 3)


def begin(page: Any, address: str, proxy: str) -> None:
    """Add the site, and begin a crawl that keeps its pages fresh; first with a wrong time."""
    page.goto(f"{address}sites")
    page.get_by_label("Start page", exact=True).fill(f"http://{HOST}/")
    page.get_by_role("button", name="Add site").click()
    page.get_by_text("was added.").wait_for()
    page.goto(f"{address}settings")
    page.get_by_label("Proxy").fill(proxy)
    page.get_by_role("button", name="Save").click()
    page.get_by_text("The settings are saved.").wait_for()
    page.goto(f"{address}crawl")
    page.get_by_label("Budget", exact=True).fill("20")
    page.get_by_label("Delay, in seconds").fill("0")
    assert not page.get_by_label("Rule for visits").is_visible()
    page.get_by_label("Keep pages fresh by").select_option("uniform")
    page.get_by_label("Every").fill("now and then")
    page.get_by_role("button", name="Start").click()
    eventually(page.locator("#every-error")).to_contain_text("such as 30min, 12h or 7d")
    page.get_by_label("Every").fill("2s")
    page.get_by_role("button", name="Start").click()
    page.get_by_text("The crawl is started.").wait_for()


def change_pace(page: Any) -> None:
    """Change the pace while the crawl runs; the rest of the plan is locked."""
    eventually(page.get_by_label("Budget", exact=True)).to_be_disabled()
    page.get_by_label("Delay, in seconds").fill("0.01")
    page.get_by_label("Delay, in seconds").press("Enter")
    page.get_by_text("The pace is set.").wait_for()
    page.goto(page.url)
    page.get_by_label("Pages at a time").fill("3")
    page.get_by_role("button", name="Set the pace").click()
    page.get_by_text("The pace is set.").wait_for()
    eventually(page.get_by_role("button", name="Save")).to_have_count(0)
    page.locator("#state").get_by_text("Running").wait_for()


def look_at_broken_links(page: Any, address: str) -> None:
    """Find the broken link, on a page of its list and after a filter."""
    page.goto(f"{address}links/broken")
    row = page.locator("tbody tr")
    assert row.count() == 1
    assert f"http://{HOST}/gone.html" in row.inner_text() and "404" in row.inner_text()
    page.get_by_label("Broke", exact=True).select_option("1d")
    page.get_by_role("button", name="Filter").click()
    page.wait_for_url("**/links/broken?since=1d")
    assert row.count() == 1
    page.get_by_label("Part of the address").fill("p0")
    page.get_by_role("button", name="Filter").click()
    page.get_by_role("heading", name="Nothing matches").wait_for()
    page.get_by_role("link", name="Clear the filter").click()
    page.get_by_role("link", name=f"http://{HOST}/", exact=True).click()
    page.get_by_role("heading", name="Facts").wait_for()
