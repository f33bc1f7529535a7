"""The page of the report, as text and in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from counterpoint.ci import reports
from counterpoint.ci.crawlers.cases import CrawlerCase
from counterpoint.ci.crawlers.result import CrawlerResult
from counterpoint.ci.outcome import Outcome
from counterpoint.ci.reports.html import page
from counterpoint.ci.reports.summary import summary
from counterpoint.ci.reports.values import Value, values
from counterpoint.studies.subjects import SubjectRun
from tests.counterpoint.studio.browser import browser

from .made import ALL, FELL, GOOD, UNKNOWN, WARNED, checked, crawled, many

VOID = {"meta", "input", "br", "line", "img", "link", "hr"}


class Balanced(HTMLParser):
    """Reads a page, and fails at an element that is not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.headings: list[int] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, (tag, self.getpos())


def test_the_page_is_well_formed_and_needs_nothing_else() -> None:
    """An element that is not closed; a script, font or picture from elsewhere; a lost heading."""
    text = page([*ALL, crawled("R1", 0.5), checked({"first": "turn"}, {})], 1.0, {})
    reader = Balanced()
    reader.feed(text)
    assert reader.open == []
    assert len(set(reader.ids)) == len(reader.ids)
    assert reader.headings[0] == 1
    assert all(b - a <= 1 for a, b in zip(reader.headings, reader.headings[1:], strict=False))
    assert not re.search(r"https?://|<link|<img|@import|url\(", text)


def test_the_worst_comes_first() -> None:
    """A page that begins with what holds."""
    text = page(ALL, 1.0, {})
    parts = ['id="fell"', FELL.name, 'id="unknown"', UNKNOWN.name, 'id="warnings"', WARNED.name,
             'id="as-expected"', GOOD.name]  # fmt: skip
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert "<title>✗ Counterpoint gate: 1 of 2 checks as expected, 1 fell;" in text


def test_names_are_text() -> None:
    """A name or a message of a user that becomes a part of the page."""
    bad = many(1)[0]
    assert "&lt;script&gt;" in page(
        [type(bad)("check", "<script>", "<script>", "<script>", again="<script>")], 1.0, {}
    )
    assert page([], 1.0, {}).count("<script>") == 1


def test_an_unexpected_counterexample_is_shown() -> None:
    """A violation of which the page shows only that it is one."""
    text = page([checked({"first": "turn"}, {})], 1.0, {(1, "mutual-exclusion"): "x.html"})
    assert "mutual-exclusion is violated after step 6" in text
    assert '<tr class=wrong>\n<th scope="row">mutual-exclusion</th>' in text
    assert "3 properties as expected" in text
    expected = page([checked({"first": "turn"}, {"mutual-exclusion": 6})], 1.0, {})
    assert "violated after 6 steps, as expected" in expected
    assert "<pre" not in expected


def test_a_policy_that_changed_has_its_curves() -> None:
    """A changed policy without a figure, or a figure for one that did not change."""
    changed = page([crawled("R1", 0.5)], 1.0, {})
    assert changed.count("<figure>") == changed.count("line c7 dashed") >= 3
    assert "1,000 pages, 3 webs" in changed
    assert "<figure>" not in page([crawled("R1", 1.0)], 1.0, {})


def test_a_change_that_is_intended_can_be_accepted() -> None:
    """A changed policy without the command that accepts it, or one that did not change with it."""
    command = "counterpoint gate --accept &#39;R1 on sample&#39;"
    assert command in page([crawled("R1", 0.5)], 1.0, {})
    assert "--accept" not in page([crawled("R1", 1.0), FELL], 1.0, {})
    assert "`counterpoint gate --accept 'R1 on sample'`" in summary([crawled("R1", 0.5)], 1.0)


def test_measures_are_beside_those_of_the_baseline() -> None:
    """A policy or a crawler without its measures, or with those of now in place of the baseline."""
    policy = crawled("R1", 1.0)
    now = replace(policy.detail.now, values={"pages": [1.0, 2.0], "new": [0.25]})
    before = replace(now, values={"pages": [5.0, 4000.0]})
    found = values(replace(policy, detail=replace(policy.detail, now=now, before=before)))
    assert found == [Value("pages", "2,002", "1.5"), Value("new", "", "0.25")]
    crawler = Outcome("crawler", "sample", "spider", detail=CrawlerResult(
        CrawlerCase("spider", "true", "sample"),
        tuple(SubjectRun(seed, 1, "exit", 0, 1.0, {"pages": 3.0 + seed}) for seed in (1, 2)),
    ))  # fmt: skip
    assert values(crawler) == [Value("pages", "", "4.5")]
    assert "2 runs" in page([crawler], 1.0, {})
    assert values(GOOD) == []


def test_many_failures_are_folded() -> None:
    """A page of a thousand open failures."""
    assert len(re.findall("data-answer[^>]* open>", page(many(20), 1.0, {}))) == 20
    assert not re.findall("data-answer[^>]* open>", page(many(21), 1.0, {}))


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address of a report."""
    folder = tmp_path_factory.mktemp("report") / "report"
    outcomes = [*ALL, crawled("R1", 0.5), crawled("R2", 1.0), checked({"first": "turn"}, {}),
                checked({}, {})]  # fmt: skip
    reports.write(folder, outcomes, 61.0)
    return (folder / "index.html").as_uri()


@pytest.fixture(scope="module")
def chrome() -> Iterator[Any]:
    """Yield a browser."""
    with browser() as found:
        yield found


def opened(chrome: Any, report: str, **settings: Any) -> Any:
    """Return the report in a new window, in which an error of the page is a failure."""
    window = chrome.new_context(**settings).new_page()
    errors: list[str] = []
    window.on("console", lambda message: errors.append(message.text))
    window.on("pageerror", lambda error: errors.append(str(error)))
    window.goto(report)
    assert errors == []
    return window


def shown(window: Any) -> list[str]:
    """Return the names of the outcomes that the filter leaves, in order."""
    found: list[str] = window.evaluate(
        "[...document.querySelectorAll('details.row:not([hidden]) .name')].map(e => e.textContent)"
    )
    return found


@pytest.mark.long
def test_the_filter(chrome: Any, report: str) -> None:
    """A filter that hides what it should show, or a match that stays folded."""
    window = opened(chrome, report)
    everything = shown(window)
    assert len(everything) == 9
    window.fill("input[name=text]", "BUFFER wait")
    assert shown(window) == [FELL.name]
    assert window.locator("output").text_content() == "1 of 9 shown"
    assert not window.locator("#as-expected").is_visible()
    window.fill("input[name=text]", "peterson's")
    names = window.locator("details.row:not([hidden]) .name")
    assert names.count() == 2
    assert all(names.nth(k).is_visible() for k in range(2))
    window.fill("input[name=text]", "")
    window.select_option("select[name=kind]", "policy")
    assert shown(window) == ["R1 on sample", UNKNOWN.name, "R2 on sample"]
    window.select_option("select[name=answer]", "fell")
    assert shown(window) == ["R1 on sample"]
    window.select_option("select[name=kind]", "")
    window.select_option("select[name=answer]", "")
    assert shown(window) == everything
    assert window.locator("output").text_content() == ""


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_it_is_readable(chrome: Any, report: str, width: int, scheme: str) -> None:
    """Text wider than a phone; text that is too faint on its ground, by day or by night."""
    window = opened(chrome, report, viewport={"width": width, "height": 800}, color_scheme=scheme)
    window.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    assert window.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert window.evaluate(FAINT) == []


FAINT = """() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const part = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = numbers(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || !element.checkVisibility() || element.closest("svg, script")) continue;
    const [a, b] = [numbers(getComputedStyle(element).color), ground(element)].map(light);
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) found.push(`${element.tagName} ${element.className}: ${contrast}`);
  }
  return found;
}"""
"""The elements whose text has less contrast than WCAG asks for, computed in the page."""


@pytest.mark.long
def test_without_scripts_all_can_be_read(chrome: Any, report: str) -> None:
    """A filter that does nothing; a part that only a script opens."""
    window = opened(chrome, report, java_script_enabled=False)
    assert not window.locator("#filter").is_visible()
    assert window.locator(f"text={FELL.findings[0].text}").is_visible()
    good = window.locator("#as-expected details.group", has_text="peterson")
    name = good.locator(".name", has_text="peterson")
    assert not name.is_visible()
    good.locator("summary").first.click()
    assert name.is_visible()
    name.click()
    assert good.locator("th", has_text="mutual-exclusion").is_visible()


@pytest.mark.long
def test_the_keyboard_is_enough(chrome: Any, report: str) -> None:
    """A part that only a mouse opens; a link to an outcome that stays folded."""
    window = opened(chrome, report)
    group = window.locator("#as-expected details.group").first
    group.locator("summary").first.focus()
    window.keyboard.press("Enter")
    assert group.get_attribute("open") is not None
    folded = window.locator("#as-expected details.row").last
    name = folded.get_attribute("id")
    window.goto(f"{report}#{name}")
    assert folded.locator(".again").first.is_visible()
