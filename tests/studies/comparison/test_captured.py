"""Policies on a captured web, and what their measures rest on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from counterpoint.console import run
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Scope
from counterpoint.crawler.schedulers.finding import find
from counterpoint.main import counterpoint
from counterpoint.sim_web import profile
from counterpoint.studies.captured.settings import CapturedSource
from counterpoint.studies.comparison.captured import Captured
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.comparison.planted import Planted
from counterpoint.studies.comparison.run import PolicyRun, PolicyRunner
from tests.studies.captured.webs import DAY, answer, links, source


def plan(web: CapturedSource, *policies: str, budget: int = 50, sites: int = 10) -> ComparisonPlan:
    """Return a plan on a captured web."""
    return ComparisonPlan(policies, profile.from_mapping({}, "here", "small"), budget, 9,
                          sites=sites, captured=web, visits_per_day=9.0)  # fmt: skip


def crawled(web: CapturedSource, policy: str, seed: int = 0, **more: int) -> PolicyRun:
    """Return the run of a policy."""
    of = plan(web, policy, **more)
    chosen = find(policy)
    found = PolicyRunner(of, seed, scopes=[chosen.policy.scope]).run(0, chosen)
    assert not found.failed, found.why
    return found


@pytest.fixture
def web(tmp_path: Path) -> Iterator[CapturedSource]:
    """Return the captured web of `webs.RECORDS`, begun at the page / of each host."""
    yield source(tmp_path, starts=("http://a.test/", "http://b.test/"))


def test_a_crawl_and_what_it_rests_on(web: CapturedSource) -> None:
    """A visit outside of the capture that counts as a page, or as none; a wrong share."""
    found = crawled(web, "breadth-first")
    # x, deep, doc.pdf, b, b/y and the starts come; gone is a captured 404, never was not captured.
    assert found.steps == 8
    assert found.final["pages"] == 6 and found.final["quantity"] == 1.0
    assert found.final["outside"] == 1
    assert found.unknown["quantity"] == pytest.approx(1 / 7)
    assert found.unknown["external"] == found.unknown["pages"] == pytest.approx(1 / 13)
    assert found.final["external"] == 4


def test_a_scope_of_one_site(web: CapturedSource) -> None:
    """Links to another site that a policy sees although it stays."""
    captured = Captured(plan(web), 0)
    captured.freeze([Scope.SITE])
    offsets, targets = captured.part(Scope.SITE)
    sources = np.repeat(captured.host, np.diff(offsets))
    assert len(targets) and (sources == captured.host[targets]).all()
    assert crawled(web, "R1").final["outside"] == 1


def test_revisits_see_the_captured_versions(web: CapturedSource) -> None:
    """A page that never changes, or at another time than in the capture: another freshness.

    Seven days with nine visits each, six known pages: of them x changes after two and five days,
    and deep dies after four.
    """
    found = crawled(web, "uniform", budget=63)
    assert 0.9 < found.final["freshness"] < 1.0
    assert 0 < found.unknown["freshness"] < 1
    still = crawled(web, "uniform", budget=17)
    assert still.final["freshness"] == 1.0


def test_seeds_draw_starts(tmp_path: Path) -> None:
    """The same crawl for each seed, a start that reaches less, or another one with one seed."""
    few = source(tmp_path)
    starts = [tuple(Captured(plan(few), seed).starts(Scope.WEB)) for seed in range(20)]
    assert starts == [tuple(Captured(plan(few), seed).starts(Scope.WEB)) for seed in range(20)]
    names = Captured(plan(few), 0).arrays.addresses
    drawn = {str(names[page]) for some in starts for page in some}
    assert drawn == {f"http://{name}" for name in ("a.test/", "a.test/deep", "a.test/x", "b.test/",
                                                   "b.test/y")}  # fmt: skip
    assert all(len(some) == 2 for some in starts)
    one = [tuple(Captured(plan(few, sites=1), seed).starts(Scope.WEB)) for seed in range(20)]
    assert {str(names[page]) for (page,) in one} == {"http://a.test/", "http://b.test/"}


def test_the_first_page_of_a_site_was_captured_first(tmp_path: Path) -> None:
    """A crawl of a site that begins at the page whose address comes first in the alphabet."""
    web = source(tmp_path, [
        answer(1, "http://a.test/home/index.html", links("/home/a")),
        answer(1, "http://a.test/home/", links("/home/a", "/other/b")),
        answer(2, "http://a.test/home/a", links("/home/")),
        answer(2, "http://a.test/other/b", links("/home/")),
        answer(3, "http://a.test/other/a", links("/home/")),
    ], sites="folders")  # fmt: skip
    starts = set()
    for seed in range(20):
        captured = Captured(plan(web, sites=1), seed)
        starts |= {str(captured.arrays.addresses[page]) for page in captured.starts(Scope.WEB)}
    assert starts == {"http://a.test/home/", "http://a.test/other/b"}


def test_generated_webs_begin_alike() -> None:
    """A crawl of a generated web that begins at home pages, where that of a capture does not."""
    few = profile.from_mapping({"pages": 90, "hosts": {"mean_pages": 30}}, "here", "few")
    of = ComparisonPlan((), few, 9, draws=True)
    planted = [Planted(of, seed) for seed in range(9)]
    starts = [one.starts(Scope.WEB) for one in planted]
    assert all(len(some) == one.web.hosts for some, one in zip(starts, planted, strict=True))
    assert any(some != list(one._first[:-1]) for some, one in zip(starts, planted, strict=True))
    for one, some in zip(planted, starts, strict=True):
        assert [one.host[page] for page in some] == list(one.sites)
    drawn = [Planted(replace(of, sites=1), seed) for seed in range(9)]
    assert len({one.sites for one in drawn}) > 1
    assert all(one.starts(Scope.SITE) == [one._first[one.sites[0]]] for one in drawn)


def test_a_start_that_was_not_captured(tmp_path: Path) -> None:
    """A crawl from an address of which nothing is known."""
    for start in ("http://a.test/never", "http://a.test/gone", "http://c.test/"):
        with pytest.raises(CrawlError, match="is no captured HTML page"):
            Captured(plan(source(tmp_path, starts=(start,))), 0)


def test_policies_that_read_get_the_contents(tmp_path: Path) -> None:
    """Anchors of other links than those that a policy gets, or contents of another version."""
    web = source(tmp_path, [
        answer(1, "http://a.test/", "<title>T</title>" + links("/far", "http://far.test/", "/x")),
        answer(1, "http://a.test/x", "<p>body</p>"),
    ])  # fmt: skip
    captured = Captured(plan(web), 0)
    world = captured.world(Scope.WEB, 0.1, [0], reads=True)
    try:
        found = world.fetch(0)
        assert found.content is not None
        assert found.content.title == "T"
        assert [str(captured.arrays.addresses[link]) for link in found.links] == [
            "http://a.test/far", "http://a.test/x",
        ]  # fmt: skip
        assert ["/far" in found.content.anchors[0], "/x" in found.content.anchors[1]] == [True] * 2
    finally:
        world.close()


def test_rates_for_oracles(web: CapturedSource) -> None:
    """A page that seems never to change, or one that does although it was captured once."""
    captured = Captured(plan(web), 0)
    rate, names = captured.rates(), captured.arrays.addresses.tolist()
    assert rate(names.index("http://a.test/x")) == pytest.approx(2 / (5 * DAY))
    assert rate(names.index("http://a.test/")) == 0


def test_compare_as_a_user_types_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Options of captured webs that are passed over, or measures without what they rest on."""
    monkeypatch.chdir(tmp_path)
    source(tmp_path)
    Path("mine.toml").write_text("[captured]\nfiles = ['x.warc.gz']\n")
    options = ["--web", "mine.toml", "--pages", "6", "--seeds", "2", "--format", "json"]
    assert run(counterpoint, ["compare", "breadth-first", "opic", *options]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["web"], found["web_pages"]) == ("mine", 9)
    measures = found["policies"][0]["measures"]
    assert {"outside", "external", "quantity"} <= set(measures)
    assert 0 < measures["quantity"]["unknown"] < 1
    for more, message in (
        (["--web-pages", "9"], "--web-pages: a captured web has the pages that were captured"),
        (["--baseline", "b.json"], "--baseline: not on a captured web"),
        (["a=cmd:true"], "on a captured web, crawlers cannot be compared with policies"),
    ):
        assert run(counterpoint, ["compare", "opic", *more, *options]) == 2
        assert message in capsys.readouterr().err
