"""Crawlers are run, watched, ended with all that they started, and judged."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from counterpoint.crawler.errors import CrawlError
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.referee.known import truth
from counterpoint.sim_web.referee.opening import Selection, judge_file
from counterpoint.studies.subjects import SubjectRun
from counterpoint.studies.subjects.running import run

from .crawlers import PAGES, PROFILE, WEB_PAGES, subject


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, SubjectRun]:
    """Run all subjects of this module at once."""
    folder = tmp_path_factory.mktemp("runs")
    subjects = [
        subject(),
        subject("no-robots"),
        subject("no-frames"),
        subject("crash"),
        subject("silent"),
        subject(name="missing", text="there-is-no-such-program {start}"),
        subject(name="no-folder", cwd=folder / "none"),
        subject(name="env", text="sh -c 'env | sort; exit 3'",
                env={"MINE": "1", "no_proxy": "*", "https_proxy": "x"}),
    ]  # fmt: skip
    found = run(subjects, folder / "logs", processes=2)
    return {one.name: made for one, (made,) in zip(subjects, found, strict=True)}


def test_measures_are_those_of_the_referee(runs: Mapping[str, SubjectRun]) -> None:
    """A measure with the value of another one, or a log that is judged by the wrong web."""
    good = runs["good"]
    assert (good.ended, good.exit_code, good.findings) == ("exit", 0, ())
    found = judge_file(good.folder / "access.jsonl", Selection(pages=WEB_PAGES, seed=7), truth)
    measures = good.measures
    assert found.quality is not None
    assert measures["requests"] == found.about.requests == len(good.order) > PAGES
    assert measures["pages"] == found.coverage.fetched
    assert measures["coverage.out"] == found.components["out"].share
    assert measures["quality.top-5%"] == found.quality.top["5%"].share
    assert measures["duplicates"] == found.outcomes.duplicates
    assert measures["robots"] == found.outcomes.counts["robots"] > 0
    assert measures["external-links"] == found.external_links.found
    assert measures["disallowed"] == 0 == measures["starving-sites"]
    assert "crawl-delay-broken" in good.unknown and "crawl-delay-broken" not in measures


def test_the_order_is_that_of_the_log(runs: Mapping[str, SubjectRun]) -> None:
    """An order of requests that is sorted, or without robots.txt."""
    good = runs["good"]
    lines = (good.folder / "access.jsonl").read_text().splitlines()[1:]
    assert list(good.order) == [json.loads(line)["url"] for line in lines]
    web = Web(PROFILE, WEB_PAGES, 7)
    starts = (good.folder / "seeds.txt").read_text().split()
    assert len(starts) == 10
    assert good.order[0] == f"{starts[0]}robots.txt"
    pages = {web.pages_of(web.named(one[7:-1]) or 0).start for one in starts}
    assert {address(web, page) for page in pages} == set(starts)


def test_what_a_worse_crawler_does_wrong(runs: Mapping[str, SubjectRun]) -> None:
    """A crawler without robots.txt or frames, of which the facts say nothing."""
    rude, framed = runs["no-robots"], runs["no-frames"]
    assert rude.measures["disallowed"] >= len(rude.facts.disallowed) > 0
    assert rude.measures["robots"] == 0
    assert set(rude.facts.disallowed) <= set(rude.order)
    assert runs["good"].facts.followed["frames"].requested > 0
    assert framed.facts.followed["frames"].requested == 0 < framed.facts.followed["frames"].found
    assert "/frame/" in framed.facts.followed["frames"].example
    assert framed.measures["followed.frames"] == 0 < framed.measures["followed.internal"]


def test_failures_are_findings_with_the_output(runs: Mapping[str, SubjectRun]) -> None:
    """A crawler that failed, and whose measures are compared as if it had not."""
    crash, silent, missing = runs["crash"], runs["silent"], runs["missing"]
    assert [one.answer for one in crash.findings] == ["fell"]
    assert "exit code 1" in crash.findings[0].text
    assert crash.tail.endswith("RuntimeError: the crawler crashes as it was asked to")
    assert "Traceback" in (crash.folder / "output.txt").read_text()
    assert silent.findings[0].text == "it requested nothing through http_proxy"
    assert (silent.measures, silent.order) == ({}, ())
    assert missing.ended == "not started"
    assert "the program there-is-no-such-program was not found" in missing.findings[0].text
    assert "there is no folder" in runs["no-folder"].findings[0].text


def test_the_environment_leads_to_the_web_alone(runs: Mapping[str, SubjectRun]) -> None:
    """A no_proxy that leads the crawler past the web, or variables of the user that are lost."""
    text = (runs["env"].folder / "output.txt").read_text()
    assert "MINE=1" in text
    assert "no_proxy" not in text and "https_proxy" not in text
    proxies = [line for line in text.splitlines() if "proxy" in line.lower()]
    assert len(proxies) == 2 and len({line.partition("=")[2] for line in proxies}) == 1
    assert "exit code 3" in runs["env"].findings[0].text


def test_two_of_one_name_are_refused(tmp_path: Path) -> None:
    """Two crawlers that write into one folder."""
    with pytest.raises(CrawlError, match="two crawlers are named 'good'"):
        run([subject(), subject()], tmp_path)
    assert not list(tmp_path.iterdir())


def test_the_same_seed_gives_the_same_run(runs: Mapping[str, SubjectRun], tmp_path: Path) -> None:
    """A web or a judgment that depends on what ran before."""
    ((again,),) = run([subject()], tmp_path)
    good = runs["good"]
    assert (again.order, again.measures, again.facts) == (good.order, good.measures, good.facts)
    assert again.web_digest == good.web_digest
