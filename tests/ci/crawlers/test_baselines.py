"""The gate for crawlers with the double of the tests: baselines are written, read and compared."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from counterpoint.ci import crawlers
from counterpoint.ci.converting import of_crawler
from counterpoint.ci.crawlers import baseline
from counterpoint.ci.outcome import Place
from counterpoint.ci.reports.github import github
from counterpoint.ci.reports.junit import junit
from counterpoint.crawler.errors import CrawlError
from counterpoint.sim_web import profile
from counterpoint.sim_web.profile import to_mapping
from tests.studies.subjects.crawlers import PROFILE, command

from .made import both, judged

CASE = crawlers.CrawlerCase("spider", command(), "web.toml", 100, 300, (7, 8), order="exact")


def _web(folder: Path, frames: float = 0.2) -> str:
    path = folder / "web.toml"
    lines = []
    for key, value in to_mapping(PROFILE).items():
        if key in ("robots", "style"):
            lines.append(f"[{key}]")
            lines += [f"{name} = {number}" for name, number in value.items()
                      if isinstance(number, (int, float)) and name != "frames"]  # fmt: skip
            lines += [f"frames = {frames}"] if key == "style" else []
    path.write_text("\n".join(lines))
    assert profile.load(str(path)).style.frames == frames
    return str(path)


@pytest.mark.long
def test_accept_then_run(tmp_path: Path) -> None:
    """A baseline that does not fit its own crawler, or a changed one that does not fall."""
    case, folder = replace(CASE, web=_web(tmp_path)), tmp_path / "baselines"
    first = crawlers.run([case], folder, 2)
    assert [one.answer for one in first] == ["fell"]
    assert not folder.exists()
    assert crawlers.accept(first, folder) == ["crawlers/spider.json: new"]
    cases = [replace(case, command=command(fault)) for fault in ("", "no-frames", "half")]
    good, framed, half = (crawlers.run([one], folder, 2, logs=tmp_path / "logs")[0]
                          for one in cases)  # fmt: skip
    assert (good.answer, crawlers.accept([good], folder)) == ("as expected", [])
    assert any("does not follow frames and iframes any more" in text for text in framed.fell)
    assert any("it stops early" in text and "at 5" in text for text in half.details)
    assert "the first are the same" in half.fell[0]
    assert (tmp_path / "logs/spider/seed-8-1/access.jsonl").exists()
    _web(tmp_path, frames=0.1)
    (edited,) = crawlers.run([case], folder, 2)
    assert edited.fell[0].startswith("the web is not that of its baseline: its profile was changed")
    assert len(edited.fell) == 1


@pytest.mark.long
def test_crawl_delays_are_judged_in_real_time(tmp_path: Path) -> None:
    """A crawler that waits as it is asked to and falls, or one that does not and passes."""
    web = tmp_path / "web.toml"
    web.write_text("pages = 300\n[robots]\npresent = 1\ncrawl_delay = 1\ndelay_seconds = 0.1\n")
    must = ("crawl-delay-broken == 0", "crawl-delay.least >= 0")
    case = replace(CASE, web=str(web), pages=20, seeds=(7,), must=must, order="any")
    cases = [replace(case, name=fault or "hasty", command=command(fault)) for fault in ("wait", "")]
    polite, hasty = crawlers.run(cases, tmp_path, 2)
    assert [text for text in polite.fell if "no baseline" not in text] == []
    assert polite.unknown == ()
    assert polite.values["crawl-delay.least"] >= 1
    assert hasty.fell[0].startswith("crawl-delay-broken == 0 does not hold: it is ")


def test_a_result_as_an_outcome() -> None:
    """A report of the gate in which a crawler fell and is green, or its warnings are red."""
    place = Place("counterpoint.toml", 7)
    fell = of_crawler(judged(both(pages=50.0)), place)
    assert (fell.kind, fell.group, fell.name, fell.answer) == (
        "crawler", "broder-1999", "spider", "fell",
    )  # fmt: skip
    assert [one.level for one in fell.findings] == ["fell"]
    assert "it stops early" in fell.findings[0].text
    assert all(one.place == place for one in fell.findings)
    assert fell.again == "counterpoint gate spider"
    good = judged(both())
    assert of_crawler(good).answer == "as expected"
    assert of_crawler(replace(good, warnings=("x",))).answer == "as expected"
    assert of_crawler(replace(good, unknown=("x",))).answer == "unknown"
    for outcome in (fell, of_crawler(good)):
        assert junit([outcome]) and github([outcome])


def test_the_file_is_sorted_and_has_small_diffs(tmp_path: Path) -> None:
    """A file in another order each time, or on one line, or that another reading changes."""
    made = judged(both(), order="exact").now
    assert made is not None
    path = tmp_path / "a.json"
    baseline.save(path, made)
    text = path.read_text()
    assert json.loads(text)["schema"] == baseline.SCHEMA
    for key in ("counterpoint", "web_digest", "measures_digest"):
        assert json.loads(text)[key]
    assert '   "pages": {"7": [100], "8": [100]},\n' in text
    assert list(json.loads(text)) == sorted(json.loads(text))
    again = baseline.load(path)
    assert again is not None
    assert baseline.text_of(again) == text
    other = judged(both(pages=50.0), order="exact").now
    assert other is not None
    lines = zip(text.splitlines(), baseline.text_of(other).splitlines(), strict=True)
    assert sum(one != two for one, two in lines) == 1


def test_seeds_are_sorted_as_numbers() -> None:
    """Seeds 10 and 9 in the order of their texts, so that the first seed is another one."""
    made = judged(both()).now
    assert made is not None
    values = {"x": {"pages": {"10": [1.0], "9": [2.0]}}}
    text = baseline.text_of(replace(made, values=values))
    assert '"pages": {"9": [2], "10": [1]}' in text
    assert replace(made, values=values).seeds("x") == ["9", "10"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"schema": 1', '"schema": 99'),
        ("[100]", "[]"),
        ("[100]", '["x"]'),
        ("[100]", "[NaN]"),
        ('"7": [100]', '"seven": [100]'),
        ("{", "<<<<<<<"),
        ('"web_digest"', '"web_digests"'),
        ('"orders"', '"others"'),
    ],
)
def test_what_is_no_baseline(tmp_path: Path, old: str, new: str) -> None:
    """A file after a bad merge that ends in a traceback, or is compared with."""
    made = judged(both(), order="exact").now
    assert made is not None
    path = tmp_path / "crawlers/spider.json"
    baseline.save(path, made)
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(CrawlError, match=r"spider\.json is no baseline of crawlers"):
        crawlers.run([replace(CASE, web="broder-1999")], tmp_path)


def test_what_failed_is_not_accepted(tmp_path: Path) -> None:
    """A crash that becomes the baseline."""
    runs = [replace(one, findings=judged(both()).runs[0].findings) for one in both()]
    good = judged(runs)
    assert crawlers.accept([replace(good, before=None)], tmp_path) == ["crawlers/spider.json: new"]
    before = (tmp_path / "crawlers/spider.json").read_text()
    failed = replace(good, now=None, unknown=("it was ended after 5 s",))
    broken = replace(good, before=None, broken=("disallowed == 0 does not hold: it is 2 (seed 7)",))
    assert crawlers.accept([broken], tmp_path / "other") == [
        "crawlers/spider.json: not written, because disallowed == 0 does not hold: it is 2 "
        "(seed 7); --force writes it"
    ]
    assert not (tmp_path / "other").exists()
    assert len(crawlers.accept([broken], tmp_path / "other", failures=True)) == 1
    assert crawlers.accept([failed], tmp_path) == [
        "crawlers/spider.json: not written, because it was ended after 5 s"
    ]
    assert (tmp_path / "crawlers/spider.json").read_text() == before


def test_unused_baselines(tmp_path: Path) -> None:
    """A baseline of a crawler that was renamed, which nobody notices."""
    for name in ("spider", "other"):
        crawlers.path_of(tmp_path, name).parent.mkdir(exist_ok=True)
        crawlers.path_of(tmp_path, name).write_text('{"schema": 1, "values": {}}')
    crawlers.path_of(tmp_path, "notes").write_text("{}")
    assert crawlers.unused([CASE], tmp_path) == [(tmp_path / "crawlers/other.json", "other")]


@pytest.mark.parametrize("name", ["", "..", "a/b", "-x", ".x", "x\n"])
def test_names_that_are_paths_are_refused(tmp_path: Path, name: str) -> None:
    """A baseline that is written outside of its folder."""
    with pytest.raises(CrawlError, match="cannot be the name of a crawler"):
        crawlers.run([replace(CASE, name=name)], tmp_path)
