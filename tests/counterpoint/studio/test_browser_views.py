"""Every view in a real browser: labels, keyboard, a phone's width, dark and light, contrast."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from crawler.store.opening import open_store
from crawler.store.schema import external_links, pages, seeds

from .browser import WAIT, browser, studio
from .filled import HOSTILE, SITES, fill

VIEWS = ("/crawl", "/sites", "/sites/2", "/links/internal", "/links/external?site=6",
         "/links/bad", "/links/external?level=x", "/export", "/settings", "/gate",
         "/nothing")  # fmt: skip
LONG = "x" * 1500


@pytest.fixture(scope="module")
def chrome() -> Iterator[Any]:
    """One browser for all tests."""
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A studio of a store that a crawl has filled, with what is hard to show in it."""
    folder = tmp_path_factory.mktemp("studio")
    report = folder / "report"
    report.mkdir()
    (report / "index.html").write_text(
        "<!DOCTYPE html><title>r</title><p id=p>no script</p><a href=trace.html>step through</a>"
        "<script>p.textContent = 'ran'; try { parent.document.title = 'taken' } catch {}"
        "fetch('/crawl').then(() => { p.textContent = 'fetched' }, () => {})</script>")  # fmt: skip
    (report / "trace.html").write_text("<!DOCTYPE html><title>t</title><p>the trace")
    with open_store(folder / "crawl.db", create=True) as store:
        fill(store)
        with store.transaction() as connection:
            connection.execute(update(pages).where(pages.c.id == 9)
                               .values(address=f"http://zin.test/{LONG}"))  # fmt: skip
            connection.execute(
                update(external_links).where(external_links.c.page == 5).values(anchor=LONG)
            )
            connection.execute(update(seeds).where(seeds.c.number == 3)
                               .values(full_name=LONG, reason=LONG))  # fmt: skip
    with studio(folder, "--db", "crawl.db", "--report", "report") as (_, found):
        yield found.rstrip("/")


def opened(chrome: Any, address: str, view: str, **context: Any) -> Any:
    """Return a page at a view, with all of its numbers."""
    page = chrome.new_context(**context).new_page()
    page.set_default_timeout(WAIT)
    page.goto(address + view)
    page.wait_for_selector("html[data-connected=yes]")
    return page


HERE = Path(__file__).parent
NAMES, CONTRAST = (HERE / "names.js").read_text(), (HERE / "contrast.js").read_text()


@pytest.mark.parametrize("view", VIEWS)
def test_everything_has_a_name(chrome: Any, address: str, view: str) -> None:
    """A field, a button or a table of which a screen reader can say nothing."""
    page = opened(chrome, address, view)
    assert page.evaluate(NAMES) == []
    page.context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_text_can_be_read(chrome: Any, address: str, view: str, theme: str) -> None:
    """Text of less contrast than WCAG's AA, in either theme."""
    page = opened(chrome, address, view, color_scheme=theme)
    assert page.evaluate(CONTRAST) == []
    page.context.close()


@pytest.mark.parametrize("view", VIEWS)
def test_a_phone_is_wide_enough(chrome: Any, address: str, view: str) -> None:
    """A page that must be moved sideways, by a table or an address of 1,500 characters."""
    page = opened(chrome, address, view, viewport={"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    wide = page.evaluate(
        "[...document.querySelectorAll('main *')].filter((e) => e.checkVisibility()"
        " && e.tagName !== 'BR' && e.getBoundingClientRect().right > 361"
        " && !e.closest('.unseen, thead, svg'))"
        ".map((e) => e.outerHTML.slice(0, 80))"
    )
    assert wide == []
    page.context.close()


@pytest.mark.parametrize("view", VIEWS)
def test_nothing_is_complained_of(chrome: Any, address: str, view: str) -> None:
    """A script that fails, or a page that its own policy breaks."""
    page = chrome.new_context().new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(address + view)
    page.wait_for_selector("html[data-connected=yes]", timeout=WAIT)
    # The browser itself complains of answers with 404 and 422, and of what a sandbox forbids.
    ours = [text for text in said if "the server responded with a status of" not in text
            and "/crawl" not in text]  # fmt: skip
    assert ours == []
    page.context.close()


def test_the_hostile_anchor_is_text(chrome: Any, address: str) -> None:
    """A script of a crawled page that runs in the studio."""
    page = opened(chrome, address, "/links/external?words=onerror")
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    cell = page.get_by_role("cell", name="<script>")
    assert cell.inner_text() == HOSTILE
    assert page.title() == "External links · Counterpoint studio"
    assert page.locator("main img, main script").count() == 0
    page.context.close()


def test_the_report_is_kept_apart(chrome: Any, address: str) -> None:
    """A page of the report that changes the studio it is shown in, or cannot run at all."""
    page = opened(chrome, address, "/gate")
    frame = page.frame_locator("iframe")
    frame.get_by_text("ran").wait_for()
    frame.get_by_role("link").click()
    frame.get_by_text("the trace").wait_for()
    assert page.title() == "Gate · Counterpoint studio"
    page.context.close()


def test_themes(chrome: Any, address: str) -> None:
    """A switch that does nothing, or is forgotten with the next page."""
    page = opened(chrome, address, "/crawl", color_scheme="dark")

    def ground() -> int:
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(map(int, colour.removeprefix("rgb(").removesuffix(")").split(",")))

    assert ground() < 150
    page.get_by_role("button", name="Switch between light and dark").click()
    assert ground() > 600
    page.goto(address + "/sites")
    assert ground() > 600
    page.keyboard.press("d")
    assert ground() < 150
    page.context.close()


def focused(page: Any) -> str:
    """Return what has the focus: its id, or what it says."""
    return str(page.evaluate(
        "(e => e.id || e.ariaLabel || e.textContent.trim())(document.activeElement)"
    ))  # fmt: skip


def test_by_keyboard_alone(chrome: Any, address: str) -> None:
    """A view or a step of it that needs a mouse."""
    page = opened(chrome, address, "/crawl")
    press = page.keyboard.press
    press("Tab")
    assert focused(page) == "Skip to content"
    press("Enter")
    assert focused(page) == "content"
    for key, path in (("s", "/sites"), ("i", "/links/internal"), ("b", "/links/bad"),
                      ("x", "/export"), ("t", "/settings"), ("r", "/gate"), ("c", "/crawl"),
                      ("e", "/links/external")):  # fmt: skip
        press("g")
        press(key)
        page.wait_for_url(address + path)
        page.wait_for_selector("html[data-connected=yes]")
    press("?")
    assert page.locator("dialog").is_visible()
    press("Escape")
    assert not page.locator("dialog").is_visible()
    press("/")
    assert focused(page) == "words"
    page.keyboard.type("museum")
    press("Enter")
    page.wait_for_url("**/links/external?words=museum")
    page.wait_for_selector("html[data-connected=yes]")
    press("j")
    press("j")
    press("x")
    assert page.locator("tbody input:checked").count() == 1
    assert page.get_by_text("1 link is selected").is_visible()
    first = page.locator("tbody tr").nth(1).locator("input").get_attribute("value")
    assert page.locator("tbody input:checked").get_attribute("value") == first
    page.get_by_role("button", name="Delete", exact=True).focus()
    press("Enter")
    page.get_by_text("1 link was deleted.").wait_for()
    assert page.locator(f'input[value="{first}"]').count() == 0
    press("]")
    page.wait_for_url("**after=*")
    press("[")
    page.wait_for_url("**before=*")
    press("n")
    page.wait_for_url("**/sites#start")
    page.wait_for_selector("html[data-connected=yes]")
    press("Tab")
    page.context.close()


def test_what_has_the_focus_is_seen(chrome: Any, address: str) -> None:
    """A focus that cannot be seen, or one that is caught."""
    page = opened(chrome, address, "/sites")
    seen = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        told = page.evaluate(
            "(e => e === document.body ? ['body', 3] :"
            " [e.outerHTML, parseFloat(getComputedStyle(e).outlineWidth)])(document.activeElement)"
        )
        assert told[1] >= 2, told[0]
        seen.add(told[0])
    assert len(seen) > 40
    page.context.close()


def test_single_keys_can_be_switched_off(chrome: Any, address: str) -> None:
    """A shortcut that fires while somebody dictates (WCAG 2.1.4)."""
    page = opened(chrome, address, "/crawl")
    page.keyboard.press("?")
    page.get_by_label("Shortcuts of single keys are on").uncheck()
    page.get_by_role("button", name="Close").click()
    page.keyboard.press("?")
    assert not page.locator("dialog").is_visible()
    page.reload()
    page.keyboard.press("?")
    assert not page.locator("dialog").is_visible()
    page.get_by_role("button", name="Keyboard shortcuts").click()
    assert page.locator("dialog").is_visible()
    page.context.close()


def test_the_plots_are_drawn(chrome: Any, address: str) -> None:
    """An empty frame, a site without a row, or an index that is not its mean and bonus."""
    page = opened(chrome, address, "/crawl")
    assert page.locator("#curve path").count() == 2
    assert page.locator("#shares rect").count() > 50
    rows = page.locator("#arms tr")
    assert rows.count() == len(SITES)
    assert page.locator("#arms tr.chosen").count() == 1
    for row in rows.all():
        mean, bonus, index = (float(cell) for cell in row.locator("td.n").all_inner_texts()[2:])
        assert index == pytest.approx(mean + bonus, abs=0.0011)
    page.context.close()


def test_a_wrong_field_gets_the_focus(chrome: Any, address: str) -> None:
    """An error that somebody has to look for."""
    page = opened(chrome, address, "/sites")
    page.get_by_label("Start page", exact=True).fill("nothing")
    page.get_by_role("button", name="Add site").click()
    page.locator("#start[aria-invalid=true]").wait_for()
    page.wait_for_function("document.activeElement.id === 'start'")
    assert "is no address" in page.locator("#start-error").inner_text()
    page.context.close()


def test_the_store_is_only_named(chrome: Any, address: str) -> None:
    """A path of the machine where a file's name will do."""
    page = opened(chrome, address, "/crawl")
    assert page.locator(".store").inner_text() == "crawl.db"
    page.context.close()
