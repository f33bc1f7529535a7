"""What is measured in a capture is what was planted, where it is a count."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from counterpoint.crawler.errors import CrawlError
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages import faults, host, robots
from counterpoint.sim_web.pages.address import address, name_of
from counterpoint.sim_web.pages.plan import plan
from counterpoint.sim_web.pages.resolve import own_fault
from counterpoint.sim_web.pages.truth import place_at
from counterpoint.studies.captured.settings import CapturedSource
from counterpoint.studies.fitting.measuring.measures import Measures, measured
from counterpoint.studies.fitting.searching import generated
from tests.crawler.archives.standard import written
from tests.studies.captured.webs import answer, links

from .planted import capture, web

PAGES = 600
FAULTS = ("redirect", "redirect_chain", "redirect_loop", "not_found", "gone")
pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def planted() -> Web:
    """A web of which all pages are captured once."""
    return web(PAGES)


@pytest.fixture(scope="module")
def found(planted: Web, tmp_path_factory: pytest.TempPathFactory) -> Measures:
    """What is measured in the capture of the web."""
    return measured(capture(tmp_path_factory.mktemp("capture"), planted))


def test_the_graph_is_the_planted_one(planted: Web, found: Measures) -> None:
    """Catches links that are lost on the way through a WARC file, as behind redirects."""
    one, other = found.structure, generated(planted.profile, PAGES, planted.seed)
    assert one.pages == PAGES
    assert one.graph.links == other.graph.links
    assert one.bowtie.counts == other.bowtie.counts
    assert one.sizes.tolist() == other.sizes.tolist()
    assert np.sort(one.graph.in_degrees).tolist() == np.sort(other.graph.in_degrees).tolist()
    assert one.orphans == other.orphans
    assert one.menu[0] == other.menu[0] == 2
    measures = ("internal", "depth", "deepest", "unreached", "reciprocal", "top_in", "top_out")
    for name in measures:
        assert getattr(one, name) == pytest.approx(getattr(other, name)), name
    shares = np.bincount(planted.components(), minlength=6)
    assert list(one.bowtie.counts.values()) == shares.tolist()


def test_contents_are_near_the_planted_ones(planted: Web, found: Measures) -> None:
    """Catches a share that is counted of the wrong things; tolerances are four standard errors."""
    style, contents = planted.profile.style, found.contents
    for share, count, of in (
        (style.base, contents.based, PAGES),
        (style.canonical, contents.canonical, PAGES),
        (style.relative, contents.relative, contents.internal),
        (style.nofollow, contents.nofollow, contents.anchors),
    ):
        assert abs(count / of - share) < 4 * (share * (1 - share) / of) ** 0.5 + 0.015
    assert contents.bad / PAGES == pytest.approx(style.bad_links, abs=4 * (0.5 / PAGES) ** 0.5)
    assert contents.links / contents.distinct == pytest.approx(1.3, abs=0.06)
    assert set(contents.languages) == {"en", "de", "ru"}
    assert set(contents.declared) == {"header", "meta"}
    assert contents.legacy == set()


def test_hosts_say_what_was_planted(planted: Web, found: Measures) -> None:
    """Catches a robots.txt that is read wrongly: what all hosts say is compared, host by host."""
    contents = found.contents
    for number in range(planted.hosts):
        name, groups = name_of(planted, number), robots.groups(planted, number)
        said = contents.robots[name]
        assert said.present == (groups is not None)
        assert said.sitemap == (said.present and host.has_sitemap(planted, number))
        assert (name in contents.sitemaps) == host.has_sitemap(planted, number)
        if groups is not None:
            assert said.delay == groups[0].delay
            assert said.forbids == any(not allows for allows, _ in groups[0].rules)
            assert said.groups == (len(groups) > 1)
        look = host.host(planted, number)
        assert (name in contents.codings["br"]) == look.brotli
        assert (name in contents.codings["gzip"]) == (look.gzip and not look.brotli)
        assert (name in contents.codings["chunked"]) == look.chunked


def test_faults_are_counted(planted: Web, found: Measures) -> None:
    """Catches redirects and missing pages that are counted twice, or as others."""
    linked = set(planted.explicit().targets.tolist())
    counts = dict.fromkeys(FAULTS, 0)
    for page in range(PAGES):
        place = place_at(planted, address(planted, page))
        assert place is not None
        number = own_fault(plan(planted), page, place.code)
        name = "" if number < 0 else faults.OF_PAGES[number][0]
        if name and (page in linked or name not in ("redirect", "redirect_chain")):
            counts[name] += 1
    assert min(counts.values()) > 5
    assert found.linked == {404: counts["not_found"], 410: counts["gone"]}
    assert found.loops == counts["redirect_loop"]
    assert found.redirected == counts["redirect"]
    assert found.chained == counts["redirect_chain"]


def test_too_few_pages_are_one_line(tmp_path: Path) -> None:
    """Catches a traceback, or a web of three pages, for a capture with too few pages."""
    path = written(tmp_path / "x.warc.gz", [answer(1, "http://a.test/", links("/x"))], "gzip")
    with pytest.raises(CrawlError, match="has 1 HTML page with status 200; a profile is fitted to"):
        measured(CapturedSource("x", (str(path),)))
