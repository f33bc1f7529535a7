"""axe-core, by which others judge accessibility, on every view in each theme and width."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest

from counterpoint.crawler.store.opening import open_store

from .browser import WAIT, browser, studio
from .filled import fill
from .test_browser_views import VIEWS

# The package carries axe-core; its own function would be stopped by the Content-Security-Policy.
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text()
WORST = ("serious", "critical")
SIZES = ({"width": 1280, "height": 800}, {"width": 360, "height": 740})


@pytest.fixture(scope="module")
def chrome() -> Iterator[Any]:
    """Start one browser for all tests."""
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Serve a filled store with a report, and an empty store without one."""
    folder = tmp_path_factory.mktemp("studio")
    (folder / "report").mkdir()
    (folder / "report" / "index.html").write_text(
        "<!DOCTYPE html><html lang=en><title>r</title><main><h1>The report</h1></main>"
    )
    with open_store(folder / "crawl.db", create=True) as store:
        fill(store)
    with (
        studio(folder, "--db", "crawl.db", "--report", "report") as (_, filled),
        studio(folder, "--db", "empty.db", "--report", "none") as (_, empty),
    ):
        yield filled.rstrip("/"), empty.rstrip("/")


def violations(page: Any) -> list[str]:
    """Return what axe finds on a page: rule, impact and element of each violation."""
    found = page.evaluate("() => axe.run(document, { resultTypes: ['violations'] })")
    assert len(found["passes"]) > 10  # it has looked
    return [f"{one['id']} ({one['impact']}): {node['html'][:120]}"
            for one in found["violations"] if one["impact"] in WORST
            for node in one["nodes"]]  # fmt: skip


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("empty", [
    pytest.param(False, marks=pytest.mark.long), pytest.param(True, marks=pytest.mark.slow),
])  # fmt: skip
def test_axe_finds_nothing_serious(
    chrome: Any, addresses: tuple[str, str], view: str, empty: bool
) -> None:
    """A violation that keeps somebody with a screen reader or weak eyes from using a view."""
    wrong = []
    for theme in ("light", "dark"):
        for size in SIZES:
            context = chrome.new_context(viewport=size, color_scheme=theme, bypass_csp=True,
                                         reduced_motion="reduce")  # fmt: skip
            context.add_init_script(AXE)
            page = context.new_page()
            page.goto(addresses[empty] + view, timeout=WAIT)
            page.wait_for_selector("html[data-connected=yes]", timeout=WAIT)
            wrong += [f"{theme}, {size['width']}: {one}" for one in violations(page)]
            if size["width"] > 1000:
                page.keyboard.press("?")
                wrong += [f"{theme}, help: {one}" for one in violations(page)]
            context.close()
    assert wrong == []
