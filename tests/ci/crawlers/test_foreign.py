"""Scrapy, wget and a shell script with curl as users run them, each with what it may do wrong."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from counterpoint.ci import crawlers
from counterpoint.ci.crawlers import CrawlerCase, CrawlerResult
from tests.needs import need

pytestmark = pytest.mark.long

HERE = Path(__file__).parent
PROFILE = """
pages = 150
[robots]
disallow = 0.7
forbidden = 0.2
[style]
frames = 0.2
"""
SCRAPY = (
    f"{sys.executable} -W ignore -m scrapy runspider {HERE / 'spider.py'} -a seeds={{seeds_file}} "
    "-s LOG_LEVEL=ERROR -s TELNETCONSOLE_ENABLED=0 -s RETRY_ENABLED=0"
)
WGET = (
    "sh -c 'wget --no-config -q -r -l inf -H --tries=1 --timeout=20 -nd --delete-after "
    "-i {seeds_file} || [ $? = 8 ]'"
)  # wget ends with 8 if a server answered with an error, as this web does on purpose

Gate = Callable[..., CrawlerResult]


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    """Return a function that gates a command; keywords replace attributes of the case."""
    (tmp_path / "web.toml").write_text(PROFILE)

    def run(command: str, **changes: object) -> CrawlerResult:
        case = CrawlerCase("spider", command, str(tmp_path / "web.toml"), None, seeds=(7,),
                           must=("disallowed == 0",), cwd=tmp_path)  # fmt: skip
        (found,) = crawlers.run([replace(case, **changes)], tmp_path / "baselines", 2)  # type: ignore[arg-type]
        return found

    return run


def test_scrapy(gate: Gate, tmp_path: Path) -> None:
    """A spider that drops frames, forgets robots.txt or stops at half, and is not caught."""
    polite = f"{SCRAPY} -s ROBOTSTXT_OBEY=1"
    first = gate(polite, repeats=2)
    assert [text for text in first.fell if "no baseline" not in text] == []
    assert crawlers.accept([first], tmp_path / "baselines") == ["crawlers/spider.json: new"]
    again = gate(polite, repeats=2)
    assert (again.answer, again.findings) == ("as expected", ())
    unframed = gate(f"{polite} -a frames=", repeats=2)
    assert any("does not follow frames and iframes any more" in one for one in unframed.fell)
    assert not any("disallowed" in one for one in unframed.findings)
    rude = gate(SCRAPY, repeats=2)
    assert any(one.startswith("disallowed == 0 does not hold") for one in rude.fell)
    assert any(one.startswith("robots.txt forbids, for example, http://") for one in rude.details)
    assert any(one.startswith("it requested no robots.txt at all") for one in rude.details)
    half = round(first.values["pages"] / 2)
    stopped = gate(f"{polite} -s CLOSESPIDER_PAGECOUNT={half}", repeats=2)
    assert any("it stops early" in one for one in stopped.details)
    assert any(one.startswith("pages: ") for one in stopped.fell)
    assert not any("disallowed" in one for one in stopped.findings)


def test_scrapy_with_a_mistake(gate: Gate) -> None:
    """A spider that cannot start, of which only zeros are shown."""
    found = gate(SCRAPY.replace("spider.py", "no-spider.py"))
    assert found.answer == "fell"
    assert any("it requested nothing through http_proxy" in one for one in found.fell)
    assert any("no-spider.py" in one for one in found.details)


def test_wget(gate: Gate) -> None:
    """A crawler whose exit code says more than that it failed, or that no budget ends."""
    need("wget")
    found = gate(WGET)
    assert [text for text in found.fell if "no baseline" not in text] == []
    assert found.values["coverage.reachable"] > 0.9
    assert found.runs[0].facts.followed["frames"].requested > 0
    rude = gate(WGET.replace("-r ", "-r -e robots=off "), pages=50)
    assert rude.runs[0].ended == "budget"
    assert rude.values["pages"] == 50
    assert any(one.startswith("disallowed == 0 does not hold") for one in rude.fell)


def test_a_shell_script_with_curl(gate: Gate) -> None:
    """A crawler of many short processes, whose requests are not all seen."""
    need("curl")
    found = gate(f"sh {HERE / 'crawler.sh'} {{seeds_file}} {{pages}}", pages=25)
    run = found.runs[0]
    assert (run.ended, run.exit_code, run.findings) == ("exit", 0, ())
    assert run.tail == "25 addresses requested"
    assert found.values["requests"] == 25
    assert found.values["robots"] == 0
    assert "it requested no robots.txt at all (seed 7)" in found.details
