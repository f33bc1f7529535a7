"""Pages behind forms: how many there are, where they stand, and that no link leads to them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from counterpoint.crawler.documents.links import read
from counterpoint.sim_web import RunningWeb
from counterpoint.sim_web.answer import Answer, Kind, Question
from counterpoint.sim_web.describe.description import describe
from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.pages.forms import FORM, hidden, hidden_address, hidden_of
from counterpoint.sim_web.pages.truth import documents, kind_at
from counterpoint.sim_web.profile import Profile, from_mapping
from counterpoint.sim_web.world.site import SyntheticSite
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.comparison.planted import Planted
from counterpoint.studies.coverage.plan import CoveragePlan
from counterpoint.studies.coverage.report import report
from counterpoint.studies.coverage.study import as_json, study
from counterpoint.studies.subjects.digests import digest_of_web
from tests.counterpoint.test_command_line import call

from .test_serving import fetch

PAGES = 400


@cache
def web(share: float, frames: float = 0.3) -> Web:
    """Return a web with a share of its pages behind forms."""
    tables = {"style": {"frames": frames, "sitemaps": 1}, "forms": {"hidden": share}}
    return Web(from_mapping(tables, "test", "forms"), PAGES, 3)


def got(of: Web, url: str) -> Answer:
    """Return the answer of a web, without compression."""
    return SyntheticSite(of).answer(Question(url, 5.0))


@pytest.mark.parametrize("share", [0.0, 0.001, 0.25, 0.9])
def test_number(share: float) -> None:
    """Another share of the pages, or a host that has more or fewer than its part."""
    of = web(share)
    counts = [hidden_of(of, host) for host in range(of.hosts)]
    total = hidden(of.profile, 0, of.pages)
    assert sum(counts) == total
    assert total / (total + of.pages) == pytest.approx(share, abs=1 / of.pages)
    for host, count in enumerate(counts):
        assert abs(count - len(of.pages_of(host)) * share / (1 - share)) <= 1


def test_without_forms() -> None:
    """A form on a web whose profile asks for none, or a hidden page there."""
    of = web(0.0)
    for host in range(of.hosts):
        assert got(of, hidden_address(of, host, 1)).status == 404
    assert all(b"<form" not in got(of, address(of, page)).body for page in range(PAGES))
    assert Profile("a").forms.hidden == 0


def test_answers() -> None:
    """An entry without its page, a page for another entry, or two entries with one page."""
    of, seen = web(0.5), set()
    for host in range(of.hosts):
        count = hidden_of(of, host)
        for entry in range(1, count + 1):
            url = hidden_address(of, host, entry)
            found = got(of, url)
            assert (found.status, found.kind, found.page) == (200, Kind.FORM, None)
            assert kind_at(of, url) is Kind.FORM
            assert found == got(of, url)
            seen.add((host, found.body))
        for other in ("0", "01", str(count + 1), "", "x", "9" * 40):
            missing = got(of, f"http://{of.name(host)}/find?entry={other}")
            assert (missing.status, missing.kind) == (404, Kind.MISSING)
    assert len(seen) == hidden(of.profile, 0, of.pages)


def test_no_link_leads_there() -> None:
    """A link or a sitemap that leads to a hidden page; a host without its form, or with two."""
    of, plain = web(0.5), web(0.0)
    framed = 0
    for page in range(PAGES):
        forms = 0
        for url in documents(of, page):
            body = got(of, url).body
            assert not [link for link in read(body.decode("latin-1"), url).all if "/find" in link]
            assert body.replace(FORM, b"") == got(plain, url).body
            forms += body.count(FORM)
        host = of.host(page)
        assert forms == (page == of.pages_of(host).start and hidden_of(of, host) > 0)
        framed += forms and len(documents(of, page)) > 2
    assert framed
    for host in range(of.hosts):
        assert b"find" not in got(of, f"http://{of.name(host)}/sitemap.xml").body


def test_a_form_leads_there() -> None:
    """A form that a browser sends to another address, or a hidden page that leads nowhere."""
    of = web(0.5, 0.0)
    body = got(of, address(of, 0)).body.decode("latin-1")
    (method, action), (name,) = (
        re.findall(pattern, body)[0] if pattern.startswith("<form") else re.findall(pattern, body)
        for pattern in ('<form method="(.*?)" action="(.*?)"', '<input type="text" name="(.*?)"')
    )
    assert method == "get"
    url = f"http://{of.name(0)}{action}?{name}=1"
    assert url == hidden_address(of, 0, 1)
    assert read(got(of, url).body.decode("latin-1"), url).all == [address(of, 0)]


def test_keys() -> None:
    """A web of hidden pages alone, which has no number of pages."""
    with pytest.raises(WebError, match=r"\[forms\] hidden: 1 is not between 0 and 0.99"):
        from_mapping({"forms": {"hidden": 1}}, "x", "x")


def test_described(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A description that leaves the hidden pages out, or names them where there are none."""
    for share, said in ((0.5, True), (0.0, False)):
        (tmp_path / "x.toml").write_text(f"[forms]\nhidden = {share}\n")
        code, out, _ = call(capsys, "web", "describe", "--profile", str(tmp_path / "x.toml"),
                            "--pages", "200")  # fmt: skip
        assert code == 0
        assert ("200 more pages behind forms" in out) == said
    assert describe(web(0.5), web(0.5).explicit()).to_json()["hidden"] == PAGES
    assert "hidden" not in describe(web(0.0), web(0.0).explicit()).to_json()


def test_judged(tmp_path: Path) -> None:
    """A request for a hidden page that counts as an error, or as a page of the graph."""
    of = web(0.5, 0.0)
    with RunningWeb(of, log=tmp_path / "log") as running:
        fetch(running, address(of, 0), "a")
        fetch(running, hidden_address(of, 0, 1), "a")
        found = running.judgment()
    assert found.outcomes.counts["frames"] == found.outcomes.counts["new_pages"] == 1
    assert found.outcomes.wasted == 0


def test_true_coverage_with_hidden_pages() -> None:
    """A truth that leaves the hidden pages out, or a column of it where there are none."""
    for share in (0.0, 0.5):
        plan = CoveragePlan(("breadth-first",), web(share).profile, 100, PAGES, range(1), 2, 40,
                            20, 2, 2)  # fmt: skip
        found = study(plan, 1)
        policy = as_json(found)["policies"]["breadth-first"]
        assert ("with hidden" in str(report(found, "x"))) == (share > 0)
        if share:
            (there,) = policy["truth"]["quantity"]
            assert policy["truth_with_hidden"] == [pytest.approx(there / 2)]
        else:
            assert "truth_with_hidden" not in policy


def test_digest() -> None:
    """A baseline that is lost where a web has no forms, or one that is taken for another web."""
    plain, other = (
        digest_of_web(Planted(ComparisonPlan(("r1",), web(share, 0.0).profile, 100, PAGES), 3))
        for share in (0.0, 0.5)
    )
    assert plain == "9c9dcc98791ea0a7" != other
