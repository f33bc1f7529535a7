"""``counterpoint web serve --warc`` as a user types it, and its errors."""

from __future__ import annotations

import json
import signal
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from counterpoint.console import run
from counterpoint.main import counterpoint
from tests.crawler.archives.standard import PAGE, every_type, record, written

from .starting import end_all, start


def fetch(proxy: str, url: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Return the answer that a client gets through the proxy."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(url, headers=named)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy}))
    try:
        with opener.open(request, timeout=20) as answer:
            return answer.status, dict(answer.headers), answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), error.read()


def test_a_captured_web_is_served(tmp_path: Path) -> None:
    """A printed address that does not answer, a time that is not kept, a log without unknowns."""
    (tmp_path / "crawl").mkdir()
    written(tmp_path / "crawl" / "x.warc.gz", every_type(), "gzip")
    late = record("response", PAGE + b" late", "http://b.test/", "2020-03-01T00:00:00Z")
    written(tmp_path / "y.warc.zst", [late], "zstd")
    process = start(
        "web",
        "serve",
        "--warc",
        "crawl",
        "--warc",
        "y.warc.zst",
        "--log",
        "log",
        "--index",
        "index",
        "--seeds",
        "9",
        "--seeds-file",
        "seeds",
        cwd=tmp_path,
    )
    assert process.stdout is not None
    try:
        lines = [process.stdout.readline().split(maxsplit=1)[1].strip() for _ in range(4)]
        about, proxy, first, _ = lines
        assert about == "5 captures from 2020-01-02 03:04:05 to 2020-03-01 00:00:00"
        assert first == "http://a.test/"
        assert (tmp_path / "seeds").read_text().split() == ["http://a.test/", "http://b.test/"]
        status, headers, body = fetch(proxy, first)
        assert (status, body) == (200, PAGE.partition(b"\r\n\r\n")[2])
        assert headers["Memento-Datetime"] == headers["Date"] == "Thu, 02 Jan 2020 03:04:05 GMT"
        status, headers, _ = fetch(proxy, first, X_Counterpoint_Time="3000000")
        assert headers["Memento-Datetime"] == "Sun, 02 Feb 2020 03:04:05 GMT"
        assert headers["Date"] == "Wed, 05 Feb 2020 20:24:05 GMT"
        status, headers, _ = fetch(proxy, "http://a.test/never")
        assert (status, headers["X-Counterpoint-Unknown"]) == (404, "not captured")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    finally:
        end_all()
    assert process.returncode == 0
    assert errors.splitlines() == ["Ctrl-C stops the server.",
                                   "counterpoint: stopped after 3 requests"]  # fmt: skip
    kinds = [json.loads(line)["kind"] for line in (tmp_path / "log").read_text().splitlines()[1:]]
    assert kinds == ["captured", "captured", "unknown"]
    assert len(list((tmp_path / "index").iterdir())) == 2
    assert [one.name for one in (tmp_path / "crawl").iterdir()] == ["x.warc.gz"]


def test_its_log_cannot_be_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A judgment by a truth that nobody knows, or an error about keys of profiles."""
    header = {"counterpoint-web-log": 2, "profile": {"captured": ["x.warc"]}, "pages": 0,
              "seed": 0, "mounts": {}, "real_time": False}  # fmt: skip
    (tmp_path / "log").write_text(json.dumps(header) + "\n")
    assert run(counterpoint, ["web", "judge", str(tmp_path / "log")]) == 2
    assert "is the log of a captured web" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give either --profile or --warc"),
        (["--warc", "x.warc", "--profile", "sample"], "give either --profile or --warc"),
        (["--profile", "sample", "--index", "x"], "--index: only with --warc"),
        (["--warc", "x.warc", "--pages", "3"], "--pages: not with --warc"),
        (["--warc", "x.warc", "--seed", "0"], "--seed: not with --warc"),
        (["--warc", "x.warc", "--seeds-from", "any"], "--seeds-from: not with --warc"),
        (["--warc", "/nowhere"], "/nowhere: is no file and no folder"),
        (["--warc", "no.warc"], "is no WARC file that can be read"),
        (["--warc", "info.warc"], "has no captured pages"),
        (["--warc", "only.warc"], "no page of HTML with status 200 was captured"),
        (["--warc", "x.warc", "--index", "/proc/x"], "the index of x.warc cannot be written there"),
    ],
)
def test_a_wrong_command_gets_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    arguments: list[str], message: str,
) -> None:  # fmt: skip
    """A traceback, or a server that starts although the command is wrong."""
    monkeypatch.chdir(tmp_path)
    Path("no.warc").write_text("<html>")
    for name, lines in (
        ("x.warc", every_type()),
        ("info.warc", every_type()[:1]),
        ("only.warc", [record("response", b"HTTP/1.1 404 No\r\n\r\n")]),
    ):
        written(Path(name), lines, "plain")
    assert run(counterpoint, ["web", "serve", *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert message in err


def test_requests_are_counted_without_a_log(tmp_path: Path) -> None:
    """Catches a server that says it stopped after 0 requests because it wrote no log."""
    written(tmp_path / "x.warc.gz", every_type(), "gzip")
    process = start("web", "serve", "--warc", "x.warc.gz", cwd=tmp_path)
    assert process.stdout is not None
    try:
        proxy = [process.stdout.readline().split(maxsplit=1)[1].strip() for _ in range(3)][1]
        for _ in range(2):
            assert fetch(proxy, "http://a.test/")[0] == 200
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    finally:
        end_all()
    assert errors.splitlines()[-1] == "counterpoint: stopped after 2 requests"
