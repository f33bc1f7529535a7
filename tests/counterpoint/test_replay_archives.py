"""Crawls that are replayed from WARC files, against the same files served over HTTP."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

from counterpoint.studies.captured.building import arrays_of
from counterpoint.studies.captured.settings import CapturedSource
from tests.crawler.archives.standard import record, written
from tests.studies.captured.webs import RECORDS, answer, links

from .starting import end_all, start
from .test_command_line import call

POLICIES = ("breadth-first", "opic", "random", "one-by-one")
ROBOTS = [
    answer(1, "http://a.test/robots.txt", "User-agent: *\nDisallow: /x\nCrawl-delay: 100\n",
           "200 OK", "Content-Type: text/plain"),
    answer(1, "http://a.test/", links("/x", "/y")),
    answer(1, "http://a.test/x", ""),
    answer(1, "http://a.test/y", ""),
]  # fmt: skip


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[str]:
    """Serve the records over HTTP."""
    written(tmp_path / "x.warc.gz", [*RECORDS, *late()], "gzip")
    process = start("web", "serve", "--warc", "x.warc.gz", cwd=tmp_path)
    assert process.stdout is not None
    try:
        process.stdout.readline()
        yield process.stdout.readline().split()[1]
    finally:
        end_all()


def late() -> list[bytes]:
    """Return records of a site whose robots.txt forbids a page and an unknown redirect."""
    return [
        answer(2, "http://far.test/robots.txt", "User-agent: *\nDisallow: /no\n", "200 OK",
               "Content-Type: text/plain"),
        answer(2, "http://far.test/", links("/no", "/yes", "/yes/?a=1&b=2")),
        answer(2, "http://far.test/no", links("/")),
        answer(3, "http://far.test/yes", "", "302 Found", "Location: /nowhere"),
    ]  # fmt: skip


def visits(report: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return the visits of a report, without times."""
    found = [one for site in report["sites"] for one in site["visits"]]
    found.sort(key=lambda one: one["step"])
    keys = ("address", "status", "external", "size", "final")
    return [tuple(one.get(key, "") for key in keys) for one in found]


def test_a_replay_is_the_crawl_of_the_served_files(
    proxy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Catches another answer, redirect, rule of robots.txt or order than over HTTP."""
    for policy in POLICIES:
        common = ("try", policy, "--start", "http://a.test/", "--format", "json", "--pages", "30")
        code, out, _ = call(capsys, *common, "--replay", str(tmp_path / "x.warc.gz"))
        code_served, served, _ = call(capsys, *common, "--proxy", proxy)
        replayed = json.loads(out)
        assert (code, visits(replayed)) == (code_served, visits(json.loads(served)))
        missing = sum(one[1] == 404 for one in visits(replayed)) - 1  # /gone was captured
        assert replayed["unknown"] == missing > 0


def test_a_stored_crawl_is_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Catches a stored crawl of WARC files that differs from one without a store."""
    path = written(tmp_path / "x.warc.gz", RECORDS, "gzip")
    log, store = tmp_path / "log", str(tmp_path / "c.db")
    _, out, _ = call(capsys, "try", "breadth-first", "--replay", str(tmp_path), "--format", "json")
    code, said, _ = call(capsys, "crawl", "breadth-first", "--db", store, "--start",
                         "http://a.test/", "--replay", str(path), "--concurrency", "1",
                         "--log", str(log), "--format", "json")  # fmt: skip
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    order = [line["address"] for line in lines if line["event"] == "page"]
    assert code == 0
    assert order == [one[0] for one in visits(json.loads(out))]
    assert json.loads(said)["unknown"] == json.loads(out)["unknown"] == 3
    # A larger budget goes on with the same files, and another network ends the replay.
    assert call(capsys, "crawl", "--db", store, "--budget", "3000")[0] == 0
    for option in (["--warc", str(tmp_path / "w")], ["--proxy", "http://127.0.0.1:9/"]):
        code, _, error = call(capsys, "crawl", "--db", store, "--budget", "9", *option)
        assert (code, f"{option[0]}: this crawl is replayed from" in error) == (2, True)
    code, _, error = call(
        capsys,
        "crawl",
        "--db",
        store,
        "--budget",
        "9",
        "--replay",
        "",
        "--start",
        "http://never.invalid/",
        "--proxy",
        "http://127.0.0.1:9/",
    )
    assert "the proxy http://127.0.0.1:9/ cannot be used" in error


def test_the_order_of_compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Catches that a replay asks for other pages than a comparison on the same files."""
    # A comparison follows a redirect to its page, which then is the one that is asked for.
    direct = [one for one in RECORDS if b" 301 " not in one and b" 302 " not in one]
    path = written(tmp_path / "x.warc.gz", direct, "gzip")
    _, out, _ = call(capsys, "try", "breadth-first", "--replay", str(path), "--format", "json")
    arrays = arrays_of(CapturedSource("x", (str(path),)))
    within = {str(host) for host in arrays.hosts}
    replayed = [one[0] for one in visits(json.loads(out))]
    first = list(arrays.addresses).index("http://a.test/")
    queue, seen = [first], {first}
    for page in queue:
        for target in arrays.targets[arrays.offsets[page] : arrays.offsets[page + 1]].tolist():
            if target not in seen:
                seen.add(target)
                queue.append(target)
    expected = [str(arrays.addresses[page]) for page in queue]
    assert [one for one in replayed if one.split("/")[2] in within] == expected


def test_robots_of_the_capture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Catches a page that the captured robots.txt forbids, or a Crawl-delay that really waits."""
    path = str(written(tmp_path / "x.warc.gz", ROBOTS, "gzip"))
    _, out, _ = call(capsys, "try", "breadth-first", "--replay", path, "--format", "json")
    assert [one[0] for one in visits(json.loads(out))] == ["http://a.test/", "http://a.test/y"]
    times = [one["time"] for one in json.loads(out)["sites"][0]["visits"]]
    assert times[1] - times[0] == 100.0
    _, out, _ = call(capsys, "try", "breadth-first", "--replay", path, "--ignore-robots",
                     "--format", "json")  # fmt: skip
    assert len(visits(json.loads(out))) == 3


def test_a_stored_crawl_waits_in_virtual_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Catches a replay that really waits, and times in the store that are not those of pauses."""
    names = [f"/{number}" for number in range(30)]
    records = [
        answer(1, "http://a.test/robots.txt", "User-agent: *\nCrawl-delay: 5\n", "200 OK",
               "Content-Type: text/plain"),
        answer(1, "http://a.test/", links("/busy", *names)),
        answer(1, "http://a.test/busy", "", "503 Service Unavailable", "Retry-After: 60"),
        *(answer(1, f"http://a.test{name}", "") for name in names),
    ]  # fmt: skip
    path, store = str(written(tmp_path / "x.warc.gz", records, "gzip")), str(tmp_path / "c.db")
    code, out, _ = call(capsys, "crawl", "breadth-first", "--db", store, "--start",
                        "http://a.test/", "--replay", path, "--budget", "20,60s",
                        "--concurrency", "1")  # fmt: skip
    assert (code, out.splitlines()[-1]) == (0, "ended: the budget is spent")
    assert call(capsys, "crawl", "--db", store, "--budget", "25,60s")[0] == 0
    with closing(sqlite3.connect(store)) as found:
        times = [time for (time,) in found.execute(
            "SELECT time FROM visits WHERE NOT recalled ORDER BY plan, observed"
        )]  # fmt: skip
        (free_at,) = found.execute("SELECT free_at FROM hosts").fetchone()
    begin = datetime(2020, 1, 1, tzinfo=UTC).timestamp()
    # /busy is asked for three times; then its host rests once more.
    pauses = [5.0 + 60.0 + 60.0, 60.0] + [5.0] * 22
    assert times == list(accumulate(pauses, initial=begin))
    assert free_at == times[-1] + 5.0


def test_the_first_of_several_captures_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Catches another capture than that of a comparison, where two are of one second."""
    records = [
        answer(1, "http://a.test/", links("/x")),
        answer(1, "http://a.test/x", links("/one"), "200 OK", "Content-Type: text/html", "A: 1"),
        answer(1, "http://a.test/x", links("/two", "/three")),
        answer(1, "http://a.test/one", ""),
    ]  # fmt: skip
    for order in (records, records[::-1]):
        path = str(written(tmp_path / "x.warc.gz", order, "gzip"))
        _, out, _ = call(capsys, "try", "breadth-first", "--replay", path, "--start",
                         "http://a.test/", "--format", "json")  # fmt: skip
        arrays = arrays_of(CapturedSource("x", (path,)))
        page = list(arrays.addresses).index("http://a.test/x")
        linked = arrays.targets[arrays.offsets[page] : arrays.offsets[page + 1]]
        assert [one[0] for one in visits(json.loads(out))][2:] == [
            str(arrays.addresses[target]) for target in linked
        ]


def test_what_a_capture_lacks_is_unknown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Catches an unknown page that looks like a captured 404, and a cut body that looks whole."""
    cut = record("response", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=/z>",
                 "http://a.test/cut", WARC_Truncated="length")  # fmt: skip
    page = answer(1, "http://a.test/", links("/gone", "/cut", "/never"))
    gone = answer(1, "http://a.test/gone", "", "404 Not Found")
    path = str(written(tmp_path / "x.warc.gz", [page, gone, cut], "gzip"))
    code, out, _ = call(capsys, "try", "breadth-first", "--replay", path)
    assert code == 0
    assert out.splitlines()[2:] == [
        "      2  404  http://a.test/gone",
        "      3  200  http://a.test/cut (the body is not whole in the capture)",
        "      4  404  http://a.test/never (not in the capture)",
        "      5  404  http://a.test/z (not in the capture)",
        "",
        "5 pages, 0 external links",
        "unknown: 2 of these, which the capture does not have",
        "ended: every page found was fetched",
    ]


WAT = record("metadata", b'{"Envelope": {}}', "http://a.test/", Content_Type="application/json")


@pytest.mark.parametrize(
    ("records", "arguments", "message"),
    [
        ([WAT], [], "has no"),
        ([answer(1, "http://a.test/x.css", "a{}", "200 OK", "Content-Type: text/css")], [],
         "--start: is needed"),
        (RECORDS, ["--proxy", "http://127.0.0.1:9/"], "--proxy: not with --replay"),
        (RECORDS, ["--delay", "1"], "--delay: not with --replay"),
    ],
)  # fmt: skip
def test_errors_of_try(
    records: list[bytes], arguments: list[str], message: str, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """Catches a traceback, or a replay that ignores an option."""
    path = str(written(tmp_path / "x.warc.gz", records, "gzip"))
    code, _, error = call(capsys, "try", "breadth-first", "--replay", path, *arguments)
    assert code == 2
    assert message in error
    assert "Traceback" not in error


WAT_PAGE = json.dumps({"Envelope": {
    "WARC-Header-Metadata": {"WARC-Type": "response", "WARC-Target-URI": "http://a.test/",
                             "WARC-Date": "2020-01-01T00:00:00Z"},
    "Payload-Metadata": {"HTTP-Response-Metadata": {
        "Response-Message": {"Status": "200"}, "Headers": {"Content-Type": "text/html"},
    }},
}}).encode()  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--replay", "none.warc"], "there is no file or folder"),
        (["--replay", "wrong.warc.gz"], "wrong.warc.gz: is no WARC file"),
        (["--replay", "x.txt"], "x.txt is no WARC file"),
        (["--replay", ".", "--warc", "w"], "--warc: not with --replay"),
        (["--replay", ".", "--proxy", "http://127.0.0.1:9/"], "--proxy: not with --replay"),
        (["--replay", "empty"], "has no WARC files"),
        (["--replay", "x.wat.gz"], "x.wat.gz: has no answers of pages"),
    ],
)  # fmt: skip
def test_errors_of_crawl(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """Catches a store that is made before the files are looked at, or a network that is asked."""
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "x.warc.gz", RECORDS, "gzip")
    (tmp_path / "x.txt").write_text("no records\n")
    (tmp_path / "wrong.warc.gz").write_text("hi\n")
    (tmp_path / "empty").mkdir()
    written(tmp_path / "x.wat.gz", [record("metadata", WAT_PAGE, "http://a.test/",
                                           Content_Type="application/json")], "gzip")  # fmt: skip
    code, _, error = call(capsys, "crawl", "breadth-first", "--db", "c.db", "--start",
                          "http://a.test/", *arguments)  # fmt: skip
    assert code == 2
    assert message in error
    assert not Path("c.db").exists()


def test_sites_of_a_capture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Catches a host that is left out, or a start page that is none of the capture."""
    path, store = str(written(tmp_path / "x.warc.gz", RECORDS, "gzip")), str(tmp_path / "c.db")
    assert call(capsys, "sites", "--db", store, "import", path) == (0, "2 sites added\n", "")
    assert call(capsys, "sites", "--db", store, "import", str(tmp_path))[1] == "0 sites added\n"
    listed = json.loads(call(capsys, "sites", "--db", store, "list", "--format", "json")[1])
    assert [one["start"] for one in listed] == ["http://a.test/", "http://b.test/"]
    code, out, _ = call(capsys, "crawl", "R3", "--db", store, "--replay", path, "--budget", "50")
    assert (code, out.splitlines()[-1]) == (0, "ended: every site is exhausted")
    style = answer(1, "http://a.test/x.css", "a{}", "200 OK", "Content-Type: text/css")
    empty = str(written(tmp_path / "y.warc.gz", [style], "gzip"))
    code, _, error = call(capsys, "sites", "--db", str(tmp_path / "d.db"), "import", empty)
    assert (code, "has no HTML page" in error, (tmp_path / "d.db").exists()) == (2, True, False)


def test_damaged_places_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Catches a capture that breaks off and looks whole, in any command that reads it."""
    path = written(tmp_path / "x.warc", RECORDS, "plain")
    path.write_bytes(path.read_bytes()[:-60])
    (tmp_path / "mine.toml").write_text("[captured]\nfiles = ['x.warc']\n")
    store = str(tmp_path / "c.db")
    for command in (
        ["try", "breadth-first", "--replay", str(path), "--pages", "1"],
        ["sites", "--db", str(tmp_path / "d.db"), "import", str(path)],
        ["crawl", "opic", "--db", store, "--start", "http://a.test/", "--replay", str(path)],
        ["crawl", "--db", store, "--budget", "3"],
        ["compare", "opic", "--web", str(tmp_path / "mine.toml"), "--pages", "2"],
        ["graph", "build", str(path), str(tmp_path / "x.graph")],
    ):
        code, _, error = call(capsys, *command)
        assert (code, "breaks off" in error, str(path) in error) == (0, True, True), command
