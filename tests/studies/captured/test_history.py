"""The history of change of captured pages, by hand and as a user sees it."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path

import pytest

from counterpoint.console import run as command_line
from counterpoint.crawler.archives.captured import CapturedWeb
from counterpoint.main import counterpoint
from counterpoint.studies.captured.history import PageHistory, histories, versions
from tests.crawler.archives.standard import record, written

from .test_serving import page

A, B, C = "http://a.test/", "http://a.test/b", "http://a.test/c"
DAY = 86_400
BEGIN = 1_577_836_800  # 2020-01-01


def at(day: int, body: bytes, address: str, status: str = "200 OK", *headers: str) -> bytes:
    """Return the record of an answer that came on a day of January 2020."""
    return record("response", page(status, body, "Content-Type: text/html", *headers), address,
                  date=f"2020-01-{day:02}T00:00:00Z")  # fmt: skip


RECORDS = [
    at(1, b"one", A), at(3, b"one", A), at(5, b"two", A), at(6, b"cut", A, "200 OK",
                                                            "Content-Length: 99"),
    at(7, b"two", A), at(9, b"three", A),
    at(1, b"x", B), at(11, b"x", B, "404 Not Found"),
    at(2, b"once", C),
]  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a WARC file of three pages."""
    return written(tmp_path / "x.warc.gz", RECORDS, "gzip")


def test_histories_by_hand(file: Path) -> None:
    """A capture that is not whole and counts as a change; a wrong estimate or time."""
    with CapturedWeb([file]) as web:
        one, other, once = histories(web)
        seen = versions(web, A)
    # Four comparisons within 8 days, of which two showed a change.
    often = -math.log((4 - 2 + 0.5) / (4 + 0.5)) / 2
    assert one[:7] == (A, 6, 4, 2, BEGIN, BEGIN + 8 * DAY, 200)
    assert one.per_day == pytest.approx(often)
    seldom = -math.log((1 - 1 + 0.5) / 1.5) / 10
    assert other[:7] == (B, 2, 1, 1, BEGIN, BEGIN + 10 * DAY, 404)
    assert other.per_day == pytest.approx(seldom)
    assert once == PageHistory(C, 1, 0, 0, BEGIN + DAY, BEGIN + DAY, 200, None)
    assert [version.changed for version in seen] == [None, False, True, None, False, True]
    assert [version.size for version in seen] == [3, 3, 3, 3, 3, 5]


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Return the exit code, the output and the errors of a command."""
    code = command_line(counterpoint, ["web", "history", *words])
    out, error = capsys.readouterr()
    return code, out, error


def test_the_command(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A form that says something else than the others."""
    code, out, error = said(capsys, str(file))
    assert (code, error) == (0, "")
    assert out == (
        "3 pages, 9 captures\n2 pages could be compared; 2 of them changed\n\n"
        "captures  changes  a day   last  page\n"
        f"       6        2  0.294    200  {A}\n"
        f"       2        1   0.11    404  {B}\n"
    )
    found = json.loads(said(capsys, str(file), "--format", "json")[1])
    assert (found["pages"], found["captures"], found["compared"], found["changed"]) == (3, 9, 2, 2)
    rows = list(csv.DictReader(io.StringIO(said(capsys, str(file), "--format", "csv")[1])))
    assert [row["address"] for row in rows] == [one["address"] for one in found["histories"]]
    assert rows[2]["per_day"] == "" and found["histories"][2]["per_day"] is None


def test_one_page(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A page that is not found by another spelling; a page that was never captured."""
    code, out, _ = said(capsys, str(file), "--page", "a.test/b")
    assert code == 0 and out.splitlines() == [
        B, "  2020-01-01 00:00:00 UTC  200          1 bytes",
        "  2020-01-11 00:00:00 UTC  404          1 bytes  changed",
    ]  # fmt: skip
    code, out, error = said(capsys, str(file), "--page", "http://a.test/never")
    assert (code, out) == (2, "") and "--page http://a.test/never: was not captured" in error
