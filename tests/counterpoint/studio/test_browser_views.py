"""Every view in a real browser: labels, keyboard, a phone's width, dark and light, contrast."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, update

from counterpoint.crawler.store.opening import open_store
from counterpoint.crawler.store.schema import external_links, hosts, pages, seeds

from .browser import WAIT, browser, eventually, studio
from .filled import HOSTILE, SITES, fill

VIEWS = ("/crawl", "/sites", "/sites/2", "/pages", "/pages?state=broken&status=x", "/pages/5",
         "/pages/9", "/pages/5/record", "/hosts",
         "/links/internal", "/links/external?site=6",
         "/links/bad", "/links/external?level=x", "/links/broken",
         "/links/broken?words=none", "/export", "/settings", "/gate", "/nothing")  # fmt: skip
LONG = "x" * 1500


@pytest.fixture(scope="module")
def chrome() -> Iterator[Any]:
    """Start one browser for all tests."""
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve a filled store that contains long and hostile texts."""
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
            connection.execute(insert(hosts), [
                {"host": f"h{k}.test", "free_at": 2.0**40 * (k % 2), "delay": k / 3, "failures": k,
                 "robots": '{"http://h.test": [1770000000.0, 404, ""]}' * (k % 2),
                 "robots_at": 1_770_000_000.0, "worker": "w" * 300 if k == 1 else None}
                for k in range(9)
            ])  # fmt: skip
            connection.execute(update(seeds).where(seeds.c.number == 3)
                               .values(full_name=LONG, reason=LONG))  # fmt: skip
    with studio(folder, "--db", "crawl.db", "--report", "report") as (_, found):
        yield found.rstrip("/")


def open_view(chrome: Any, address: str, view: str, **context: Any) -> Any:
    """Return a page at a view, after its numbers have arrived."""
    page = chrome.new_context(**context).new_page()
    page.set_default_timeout(WAIT)
    page.goto(address + view)
    page.wait_for_selector("html[data-connected=yes]")
    return page


HERE = Path(__file__).parent
NAMES, CONTRAST = (HERE / "names.js").read_text(), (HERE / "contrast.js").read_text()
TOO_WIDE = (
    "[...document.querySelectorAll('main *')].filter((e) => e.checkVisibility()"
    " && e.tagName !== 'BR' && e.getBoundingClientRect().right > 361"
    " && !e.closest('.unseen, thead, svg')).map((e) => e.outerHTML.slice(0, 80))"
)


@pytest.mark.long
@pytest.mark.parametrize("view", VIEWS)
def test_a_view_is_accessible(chrome: Any, address: str, view: str) -> None:
    """A view that is too wide for a phone, unreadable, without labels, or against its own policy.

    Too wide: by a table or an address of 1,500 characters. Read: WCAG's AA, in either theme.
    """
    page = chrome.new_context(viewport={"width": 360, "height": 740}, color_scheme="light",
                              reduced_motion="reduce").new_page()  # fmt: skip
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.goto(address + view)
    page.wait_for_selector("html[data-connected=yes]", timeout=WAIT)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert page.evaluate(TOO_WIDE) == []
    hidden = page.locator(".wideonly")
    assert hidden.filter(visible=True).count() == 0
    page.set_viewport_size({"width": 1280, "height": 800})
    assert hidden.filter(visible=True).count() == hidden.count()
    assert page.evaluate(NAMES) == []
    assert page.evaluate(CONTRAST) == []
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(CONTRAST) == []
    # The browser itself complains of answers with 404 and 422, and of what a sandbox forbids.
    ours = [text for text in messages if "the server responded with a status of" not in text
            and "/crawl" not in text]  # fmt: skip
    assert ours == []
    page.context.close()


def test_the_hostile_anchor_is_text(chrome: Any, address: str) -> None:
    """A script of a crawled page that runs in the studio."""
    page = open_view(chrome, address, "/links/external?words=onerror")
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    cell = page.get_by_role("cell", name="<script>")
    assert cell.inner_text() == HOSTILE
    assert page.title() == "External links · Counterpoint studio"
    assert page.locator("main img, main script").count() == 0
    page.context.close()


def test_the_report_is_sandboxed(chrome: Any, address: str) -> None:
    """A page of the report that changes the studio around it, or cannot run at all."""
    page = open_view(chrome, address, "/gate")
    frame = page.frame_locator("iframe")
    frame.get_by_text("ran").wait_for()
    frame.get_by_role("link").click()
    frame.get_by_text("the trace").wait_for()
    assert page.title() == "Gate · Counterpoint studio"
    page.context.close()


def test_a_link_from_a_mail_keeps_the_session(chrome: Any, address: str) -> None:
    """A link in a mail that replaces the session, and so invalidates forms of other windows."""
    page = open_view(chrome, address, "/settings")
    other = page.context.new_page()
    other.set_content(f'<a href="{address}/sites">the studio</a>')  # of no origin
    other.get_by_role("link").click()
    other.wait_for_url(f"{address}/sites")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("The settings are saved.").wait_for(timeout=WAIT)
    page.context.close()


@pytest.mark.long
def test_hidden_pages_have_no_connection(chrome: Any, address: str) -> None:
    """A seventh window that never loads: a browser has six connections to a server."""
    context = chrome.new_context()
    context.add_init_script(
        "let seen = true;"
        "Object.defineProperty(document, 'visibilityState', "
        "{get: () => seen ? 'visible' : 'hidden'});"
        "window.see = (yes) => { seen = yes; document.dispatchEvent("
        "new Event('visibilitychange', {bubbles: true})); };"
    )
    windows = []
    for _ in range(8):
        page = context.new_page()
        page.goto(address + "/export", timeout=WAIT)
        page.wait_for_selector("html[data-connected=yes]", timeout=WAIT)
        page.evaluate("see(false)")
        windows.append(page)
    windows[0].evaluate("delete document.documentElement.dataset.connected; see(true)")
    windows[0].wait_for_selector("html[data-connected=yes]", timeout=WAIT)
    context.close()


@pytest.mark.long
def test_beyond_loopback_the_address_has_a_token(chrome: Any, tmp_path: Path) -> None:
    """A studio that is open to the network, or closed to the user who follows the address."""
    with studio(tmp_path, "--listen", "0.0.0.0", "--name", "127.0.0.1") as (process, found):
        place, _, token = found.partition("?token=")
        assert len(token) >= 32
        page = chrome.new_context().new_page()
        assert page.goto(place).status == 401
        page.set_content(f'<a href="{found}">the studio</a>')  # as in a mail, of another origin
        page.get_by_role("link").click()
        page.get_by_role("heading", name="No sites yet").wait_for(timeout=WAIT)
        assert page.url == f"{place}crawl"
        page.context.close()
        process.terminate()
        assert process.wait(timeout=20) == 0


def test_themes(chrome: Any, address: str) -> None:
    """A switch without effect, or one that the next page forgets."""
    page = open_view(chrome, address, "/crawl", color_scheme="dark")

    def ground() -> int:
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(map(int, colour.removeprefix("rgb(").removesuffix(")").split(",")))

    assert page.locator(".store").inner_text() == "crawl.db"  # not a path of the machine
    assert ground() < 150
    page.get_by_role("button", name="Switch between light and dark").click()
    assert ground() > 600
    page.goto(address + "/sites")
    assert ground() > 600
    page.keyboard.press("d")
    assert ground() < 150
    page.context.close()


def focused(page: Any) -> str:
    """Return the id, label or text of the focused element."""
    return str(page.evaluate(
        "(e => e.id || e.ariaLabel || e.textContent.trim())(document.activeElement)"
    ))  # fmt: skip


@pytest.mark.long
def test_by_keyboard_alone(chrome: Any, address: str) -> None:
    """A view, or an action in it, that needs a mouse."""
    page = open_view(chrome, address, "/crawl")
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
    eventually(page.locator("dialog:focus-within")).to_have_count(0, timeout=WAIT)
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


def test_the_focus_is_visible(chrome: Any, address: str) -> None:
    """A focus that is invisible, or that cannot leave an element."""
    page = open_view(chrome, address, "/sites")
    seen = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        focused = page.evaluate(
            "(e => e === document.body ? ['body', 3] :"
            " [e.outerHTML, parseFloat(getComputedStyle(e).outlineWidth)])(document.activeElement)"
        )
        assert focused[1] >= 2, focused[0]
        seen.add(focused[0])
    assert len(seen) > 40
    page.context.close()


def test_single_keys_can_be_switched_off(chrome: Any, address: str) -> None:
    """A shortcut that fires while the user dictates (WCAG 2.1.4)."""
    page = open_view(chrome, address, "/crawl")
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
    """An empty frame, a site without a row, or an index that is not its mean plus its bonus."""
    page = open_view(chrome, address, "/crawl")
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
    """An error that the user has to look for."""
    page = open_view(chrome, address, "/sites")
    page.get_by_label("Start page", exact=True).fill("nothing")
    page.get_by_role("button", name="Add site").click()
    page.locator("#start[aria-invalid=true]").wait_for()
    eventually(page.locator("#start")).to_be_focused(timeout=WAIT)
    assert "is no address" in page.locator("#start-error").inner_text()
    page.context.close()
