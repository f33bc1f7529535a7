"""``counterpoint crawl --db`` as a process that is stopped, killed, or called wrongly."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from counterpoint.commands.crawls.watching import summary
from counterpoint.console import run as command_line
from counterpoint.crawler.beebot.beginning import begin
from counterpoint.crawler.beebot.engine import CrawlEnd
from counterpoint.crawler.beebot.planner import Planner
from counterpoint.crawler.policy.protocol import Outcome, Request, Setting
from counterpoint.crawler.store import seeds
from counterpoint.crawler.store.lists import Seed
from counterpoint.crawler.store.opening import open_store
from counterpoint.crawler.store.recording import Recording
from counterpoint.main import counterpoint
from tests.crawler.scripted import Page, Scripted, scripted

COUNT = 100


def site(name: str) -> dict[str, Page]:
    """Return a site of a tree of pages, with a link to another site on each."""
    return {
        f"http://{name}.test/{number or ''}": Page(
            f"<a href=/{2 * number + 1}>one</a><a href=/{2 * number + 2}>two</a>"
            f"<a href=http://out.test/{number}>out</a>"
        )
        for number in range(COUNT)
    }


@pytest.fixture
def web() -> Iterator[Scripted]:
    """Serve two sites behind a proxy on this machine."""
    with scripted({**site("a"), **site("b")}, "counterpoint") as script:
        yield script


def start(*arguments: str, **more: Any) -> subprocess.Popen[str]:
    """Start the command."""
    return subprocess.Popen(
        [sys.executable, "-m", "counterpoint", "crawl", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more,
    )  # fmt: skip


def run(*arguments: str) -> tuple[int, str, str]:
    """Run the command to its end."""
    with start(*arguments) as process:
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err


def dump(where: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return the content of a store, without times."""
    with sqlite3.connect(where) as connection:
        found = {
            table: sorted(connection.execute(f"SELECT * FROM {table}"), key=repr)
            for table in ("pages", "internal_links", "external_links", "seeds")
        }
        found["visits"] = list(connection.execute(
            "SELECT number, page, issued, observed, status, fresh FROM visits ORDER BY number"
        ))  # fmt: skip
    connection.close()
    return found


def options(where: Path, web: Scripted) -> list[str]:
    """Return the options of a crawl of both sites."""
    return ["--db", str(where), "--start", "http://a.test/", "--start", "http://b.test/",
            "--scheduler", "R3", "--budget", "90", "--proxy", web.proxy,
            "--concurrency", "1"]  # fmt: skip


def visits(where: Path) -> int:
    """Return the number of visits of a crawl."""
    try:
        connection = sqlite3.connect(where, timeout=10)
        count = connection.execute("SELECT count(observed) FROM visits").fetchone()[0]
        connection.close()
    except sqlite3.OperationalError:  # no such table yet
        return 0
    return int(count)


@pytest.mark.long
@pytest.mark.parametrize("how", [
    signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow),
    pytest.param(signal.SIGINT, marks=pytest.mark.slow),
])  # fmt: skip
def test_a_killed_crawl_is_resumed(how: signal.Signals, web: Scripted, tmp_path: Path) -> None:
    """A resumed crawl whose store differs from that of an uninterrupted crawl."""
    whole, parts = tmp_path / "whole.db", tmp_path / "parts.db"
    code, out, err = run(*options(whole, web))
    assert (code, err) == (0, ""), err
    assert "R3: 90 pages visited" in out and "ended: the budget is spent" in out
    for limit in (15, 40):
        with start(*options(parts, web)) as process:
            deadline = time.monotonic() + 60
            while visits(parts) < limit and time.monotonic() < deadline:
                time.sleep(0.005)
            os.kill(process.pid, how)
            _, err = process.communicate(timeout=60)
        if how is not signal.SIGKILL:
            assert process.returncode == 130
            assert f"resume with: counterpoint crawl --db {parts}" in err
    before = visits(parts)
    assert 40 <= before < 90
    asked = len(web.asked)
    assert run("--db", str(parts))[0] == 0
    assert len([a for a in web.asked[asked:] if "robots" not in a]) <= 90 - before + 1
    assert dump(parts) == dump(whole)


def test_the_summary_and_the_log(web: Scripted, tmp_path: Path) -> None:
    """A summary that is no valid JSON, or a log without the pages."""
    log = tmp_path / "log.jsonl"
    where = tmp_path / "crawl.db"
    seeds = tmp_path / "sites.txt"
    seeds.write_text("# two sites\nhttp://a.test/\n\nhttp://b.test/\n")
    code, out, _ = run("--db", str(where), "--seeds", str(seeds), "--kind", "institutes",
                       "--budget", "40", "--proxy", web.proxy, "--log", str(log),
                       "--format", "json")  # fmt: skip
    report = json.loads(out)
    assert code == 0
    assert (report["policy"], report["visited"], report["ended"]) == (
        "R2",
        40,
        "the budget is spent",
    )
    assert [site["site"] for site in report["sites"]] == ["a.test", "b.test"]
    assert sum(site["external"] for site in report["sites"]) == 40
    events = [json.loads(line) for line in log.read_text().splitlines()]
    assert [e["event"] for e in events] == ["begun", *["page"] * 40, "ended"]
    code, out, _ = run("--db", str(where), "--budget", "50", "--level", "4")
    assert code == 0 and "R2: 50 pages visited, " in out and "of them known before" in out
    code, out, err = run("--db", str(where), "--resume")
    assert (code, err) == (0, "")
    assert "ended: the budget is spent" in out


def test_the_summary_names_the_pages_of_other_sites(web: Scripted, tmp_path: Path) -> None:
    """Fewer pages in the lines of the sites than in the last line, without a reason."""
    where = ("--db", str(tmp_path / "crawl.db"))
    code, out, _ = run("breadth-first", *where, "--start", "http://a.test/", "--budget", "30",
                       "--proxy", web.proxy, "--format", "json")  # fmt: skip
    report = json.loads(out)
    assert code == 0 and report["elsewhere"] > 0
    assert sum(site["fetched"] for site in report["sites"]) + report["elsewhere"] == 30
    code, out, _ = run(*where)
    said = f"breadth-first: 30 pages visited, {report['elsewhere']} of them on other sites\n"
    assert code == 0 and said in out


@pytest.mark.long
def test_the_index_is_written(
    web: Scripted, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another index than without a store, or no index when nothing is left to crawl."""

    def here(*arguments: str, command: str = "crawl") -> tuple[int, str, str]:
        code, printed = command_line(counterpoint, [command, *arguments]), capsys.readouterr()
        return code, printed.out, printed.err

    policy = "hits,c=3"
    where, kept, plain = (tmp_path / name for name in ("crawl.db", "kept.run", "plain.run"))
    starts = ["--start", "http://a.test/", "--start", "http://b.test/", "--proxy", web.proxy]
    topic = ["--topic", "trees", "--run"]
    code = here(policy, *starts, "--pages", "60", "--stay", *topic, str(plain), command="try")[0]
    assert code == 0
    assert here("--db", str(where), *starts, "--scheduler", policy, "--budget", "60", "--stay",
                "--concurrency", "1")[0] == 0  # fmt: skip
    code, out, err = here("--db", str(where), *topic, str(kept))
    assert (code, err) == (0, f"{kept} has the pages that were found\n")
    assert f"{policy}: 60 pages visited\n" in out
    assert kept.read_text() == plain.read_text()
    assert kept.read_text().startswith("trees Q0 http://") and kept.read_text().count("\n") > 20
    before = kept.read_text()
    code, _, err = here("--db", str(where), "--scheduler", "uniform", "--run", str(kept))
    assert code == 2 and "revisits known pages" in err
    assert f"\n{policy}: 60 pages visited\n" in here("--db", str(where))[1]  # still the plan
    assert kept.read_text() == before


class HostsAtOnce:
    """A policy that asks for the hosts of the start pages when it is made."""

    def __init__(self, setting: Setting) -> None:
        assert setting.hosts is not None
        self.pages = {setting.hosts(page): page for page in setting.starts}
        assert None not in self.pages and len(self.pages) == len(setting.starts)
        self.hosts, self.why = setting.hosts, "all were fetched"

    def next(self) -> Request | None:
        """Return the next start page."""
        for host in list(self.pages):
            page = self.pages.pop(host)
            assert self.hosts(page) == host
            return Request(page)
        return None

    def observe(self, outcome: Outcome) -> None:
        """Do nothing."""


def test_a_policy_knows_the_hosts_of_start_pages_when_it_is_made(
    web: Scripted, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A policy that runs in compare and try, and fails in a crawl that is kept."""
    arguments = ["crawl", f"{__name__}:HostsAtOnce", "--db", str(tmp_path / "crawl.db"),
                 "--start", "http://a.test/", "--start", "http://b.test/", "--proxy", web.proxy,
                 "--concurrency", "1"]  # fmt: skip
    assert command_line(counterpoint, arguments) == 0
    assert "2 pages visited" in capsys.readouterr().out
    assert command_line(counterpoint, arguments) == 0


SITE = ["--db", "new.db", "--start", "http://a.test/"]
WRONG = [
    (["--db", "new.db"], "new.db: there is no such store, and a new crawl needs sites"),
    (["R1", "--db", "no/new.db"], "no/new.db: there is no folder no"),
    (["--db", "new.db", "--start", "nowhere"], "'nowhere' is no address such as"),
    ([*SITE, "--scheduler", "R9"], "there is no policy 'R9'"),
    ([*SITE, "--scheduler", "R2,step=x"], "R2,step=x: step"),
    ([*SITE, "--budget", "much"], "a budget is"),
    ([*SITE, "--scheduler", "oracle"], "needs the truth about pages"),
    ([*SITE, "--scheduler", "scent"], "no page is known yet"),
    (["--db", "new.db", "--seeds", "empty.txt"], "empty.txt: has no site in it"),
    (["--db", "new.db", "--seeds", "bad.txt"], "bad.txt: line 2: "),
    ([*SITE, "--pages", "5"], "--pages: is an option of `counterpoint try`; here it is --budget"),
    ([*SITE, "--run", "none/found.run"], "--run: there is no folder"),
    ([*SITE, "--run", "found.run", "--topic", "two words"], "--topic: must be one word"),
    (["R3", *SITE, "--scheduler", "R2"], "another policy is given"),
    (["--start", "http://a.test/"], "counterpoint try POLICY --start URL"),
    (
        ["R3", "--start", "http://a.test/"],
        "--db: is needed, since `crawl` keeps what it fetches; to try "
        "a policy without a store: counterpoint try R3 --start URL",
    ),
    (["--db", "text.db", "--start", "http://a.test/"], "is no SQLite database"),
    ([*SITE, "--warc", "text.db"], "--warc: "),
    ([*SITE, "--warc", "text.db/folder"], "text.db is no folder"),
    ([*SITE, "--proxy", "ftp://a.test/"], "is not an http address"),
    (["--db", "none/new.db", "--start", "http://a.test/"], "there is no folder none"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_a_wrong_command_gets_one_line(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """A traceback, several lines, or a file that a wrong command creates or changes."""
    (tmp_path / "empty.txt").write_text("# nothing\n")
    (tmp_path / "bad.txt").write_text("http://a.test/\nnowhere at all\n")
    (tmp_path / "text.db").write_text("some text that is no database")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.chdir(tmp_path)
    assert command_line(counterpoint, ["crawl", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err and err.count("\n") == 1
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_failed_command_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sites or options that are stored although the command failed or was killed."""
    where = tmp_path / "crawl.db"
    with open_store(where, create=True) as store:
        seeds.add(store, "http://a.test/")

    def kept() -> list[Any]:
        with open_store(where) as store, store.reading() as connection:
            return [list(connection.exec_driver_sql(f"SELECT * FROM {table}"))
                    for table in ("seeds", "settings", "pages", "plans")]  # fmt: skip

    before = kept()
    more = ["crawl", "--db", str(where), "--start", "http://b.test/", "--budget", "9"]
    assert command_line(counterpoint, [*more, "--retry", "nowhere.test"]) == 2
    assert capsys.readouterr().err == (
        "counterpoint: --retry nowhere.test: is no site of this crawl\n"
    )
    assert kept() == before
    write = Recording.write

    def killed(recording: Recording, kind: str, rows: Any) -> None:
        write(recording, kind, rows)
        raise KeyboardInterrupt

    monkeypatch.setattr(Recording, "write", killed)
    assert command_line(counterpoint, more) == 130
    assert kept() == before


@pytest.mark.long
def test_a_kind_of_sites_overrides_the_stored_policy(web: Scripted, tmp_path: Path) -> None:
    """An option that is silently ignored because the store has a policy."""
    where = tmp_path / "crawl.db"
    assert run(*options(where, web), "--budget", "3")[0] == 0
    assert "R2: 3 pages" in run("--db", str(where), "--kind", "institutes")[1]


def test_open_requests_do_not_count_as_visits(tmp_path: Path) -> None:
    """Requests without an answer that are reported as known pages when the crawl stops."""
    with open_store(tmp_path / "crawl.db", create=True) as store:
        seeds.add_all(store, [(of, Seed(f"http://{of}.test/")) for of in "abc"])
        begin(store, {"scheduler": "breadth-first"})
        assert len(Planner(store, 2).step().jobs) == 2
        text = summary(store, CrawlEnd("stopped", False)).text()
    assert text.endswith("breadth-first: 0 pages visited\nstopped\n")
