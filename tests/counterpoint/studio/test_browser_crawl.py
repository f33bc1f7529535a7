"""A crawl of a synthetic web from the studio, in a real browser, from the first site to its end.

Nothing here waits for a fixed time: each step waits for what the page shows.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from counterpoint.crawler.beebot.holding import locking_process
from counterpoint.crawler.store.opening import open_store
from counterpoint.crawler.store.schema import external_links, plans, visits
from counterpoint.sim_web import profile
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.world.site import SyntheticSite
from tests.sim_web.threaded import running

from .browser import WAIT, browser, eventually, studio

ANCHOR = '<script>document.title = "taken"</script>'
MOUNTED = "hostile-anchors.test"


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[str]]]:
    """Serve a web on loopback; yield its proxy and start pages, one with a script in an anchor."""
    folder = tmp_path_factory.mktemp("mounted")
    anchor = ANCHOR.replace("<", "&lt;").replace(">", "&gt;")
    links = "".join(f'<a href="p{k}.html">{k}</a>' for k in range(3))
    (folder / "index.html").write_text(
        f'<title>x</title>{links}<a href="http://elsewhere.example/">{anchor}</a>'
        '<a href="javascript:alert(1)">no link</a>'
    )
    for k in range(3):
        (folder / f"p{k}.html").write_text('<a href="http://museum.example/">museum</a>')
    web = Web(profile.load("sample"), 2000, 7)
    starts = [f"http://{web.name(host)}/" for host in range(4)]
    with running(SyntheticSite(web), {MOUNTED: str(folder)}) as found:
        yield found, starts


@pytest.fixture
def page() -> Iterator[Any]:
    """Yield a page of a browser that waits for elements."""
    with browser() as found:
        page = found.new_page()
        page.set_default_timeout(WAIT)
        yield page


def visited(page: Any) -> int:
    """Return the number of visited pages that the view shows."""
    return number(page.locator("dd[data-live=visits]").inner_text())


def number(text: str) -> int:
    """Return the number that a counter shows; a dash is none."""
    return int(text.replace(",", "")) if text != "–" else 0


def wait_for_visits(page: Any, above: int) -> int:
    """Wait until more pages were visited; return their number."""
    counter = page.locator("dd[data-live=visits]")
    text = counter.inner_text()
    while number(text) <= above:
        eventually(counter).not_to_have_text(text, timeout=WAIT)
        text = counter.inner_text()
    return number(text)


def start_crawl(page: Any, address: str, proxy: str, starts: list[str]) -> None:
    """Add sites, enter settings, and start: first with an invalid policy, then with a valid one."""
    page.goto(address)
    page.get_by_role("link", name="Add sites").click()
    page.get_by_label("Start page", exact=True).fill(f"http://{MOUNTED}/")
    page.get_by_label("Short name").fill("hostile")
    page.get_by_role("button", name="Add site").click()
    page.get_by_text(f"http://{MOUNTED}/ was added.").wait_for()
    page.get_by_label("Start pages, one per line").fill("\n".join(starts))
    page.get_by_role("button", name="Import").click()
    page.get_by_text(f"{len(starts)} sites were added.").wait_for()
    page.goto(f"{address}settings")
    page.get_by_label("Proxy").fill(proxy)
    page.get_by_role("button", name="Save").click()
    page.get_by_text("The settings are saved.").wait_for()
    page.goto(f"{address}crawl")
    page.get_by_label("Kind of sites").select_option("own")
    page.get_by_label("Policy").fill("no_such_module:Policy")
    page.get_by_label("Budget", exact=True).fill("100000")
    page.get_by_label("Pages at a time").fill("2")
    page.get_by_label("Delay, in seconds").fill("0.05")
    page.get_by_role("button", name="Start").click()
    page.locator("#state").get_by_text("Failed").wait_for()
    assert "no_such_module" in page.locator("#why").inner_text()
    page.goto(f"{address}crawl")
    page.get_by_label("Policy").fill("R3,initial=4")
    page.get_by_role("button", name="Start").click()
    page.get_by_text("The crawl is started.").wait_for()


def stop_crawl(page: Any) -> None:
    """Stop the crawl, and wait until it has ended."""
    page.get_by_role("button", name="Stop", exact=True).click()
    page.locator("#state").get_by_text("Stopped").wait_for()


def kill(process: Any) -> None:
    """Kill a process, as if the machine had failed."""
    process.send_signal(signal.SIGKILL)
    process.wait()


@pytest.mark.slow
def test_a_crawl_from_start_to_end(page: Any, proxy: tuple[str, list[str]], tmp_path: Path) -> None:
    """A step of a whole crawl with another effect than its label says, or a lost link.

    Also a crawl that dies with the studio, a new studio that would start another, and a start that
    does nothing, without a word.
    """
    where = tmp_path / "crawl.db"
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    try:
        with studio(tmp_path, "--db", "crawl.db") as (process, address):
            start_crawl(page, address, *proxy)
            first = wait_for_visits(page, 0)
            page.locator("#arms tr.chosen").wait_for()
            edit_links(page, address)
            page.goto(f"{address}crawl")
            second = wait_for_visits(page, first)
            kill(process)
            page.get_by_text("The studio does not answer").wait_for()
        crawler = locking_process(where)
        assert crawler is not None
        # A new one at the same port: the page that is open finds it by itself.
        port = address.rstrip("/").rpartition(":")[2]
        with studio(tmp_path, "--db", "crawl.db", "--port", port) as (_, address):
            page.get_by_text("The studio does not answer").wait_for(state="hidden")
            page.goto(f"{address}crawl")
            page.locator("#state").get_by_text("Running").wait_for()
            assert page.get_by_role("button", name="Start").count() == 0
            assert locking_process(where) == crawler
            third = wait_for_visits(page, second)
            stop_crawl(page)
            assert locking_process(where) is None
            page.goto(f"{address}crawl")
            page.get_by_role("button", name="Resume").click()
            wait_for_visits(page, third)
            stop_crawl(page)
            finish_crawl(page, address, third)
    finally:
        if (left := locking_process(where)) is not None:
            os.kill(left, signal.SIGKILL)
    with open_store(where) as store, store.reading() as connection:
        asked = select(visits.c.page).where(visits.c.plan == 0)
        numbers = connection.execute(asked).scalars().all()
        assert len(numbers) == len(set(numbers)) > third
        assert connection.execute(select(func.count()).select_from(plans)).scalar() == 2
        again = connection.execute(select(visits.c.page).where(visits.c.plan == 1)).scalars().all()
        assert len(again) == third
        assert set(again) <= set(numbers)
        gone = select(external_links.c.address).where(external_links.c.deleted)
        assert connection.execute(gone).scalars().all() == ["http://elsewhere.example/"]


def edit_links(page: Any, address: str) -> None:
    """Check that contents of pages are shown as text, and delete a link during the crawl."""
    page.goto(f"{address}links/external")
    page.get_by_label("Contains").fill("elsewhere")
    page.get_by_role("button", name="Filter").click()
    page.wait_for_url("**words=elsewhere")
    while not page.get_by_role("cell", name=ANCHOR).count():
        page.get_by_role("link", name="Refresh").click()
    assert page.get_by_role("cell", name=ANCHOR).inner_text() == ANCHOR
    assert page.title() == "External links · Counterpoint studio"
    page.locator("tbody input[type=checkbox]").check()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_text("1 link was deleted.").wait_for()
    page.get_by_role("heading", name="Nothing matches").wait_for()


def finish_crawl(page: Any, address: str, budget: int) -> None:
    """Let another plan run to its end, whose budget is spent on stored pages."""
    page.goto(f"{address}crawl")
    page.get_by_label("Budget", exact=True).fill(str(budget))
    page.get_by_role("button", name="Resume").click()
    page.locator("#state").get_by_text("Ended").wait_for()
    page.get_by_text("The crawl ended: the budget is spent.").wait_for()
    assert visited(page) == budget
