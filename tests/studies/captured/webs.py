"""A captured web that is written record by record, with all that can be odd in one."""

from __future__ import annotations

from pathlib import Path

from counterpoint.studies.captured.settings import CapturedSource
from tests.crawler.archives.standard import record, written

DAY = 86_400.0


def answer(day: int, url: str, body: str, status: str = "200 OK", *headers: str) -> bytes:
    """Return the record of an answer on a day."""
    kind = [] if any(one.startswith("Content-Type") for one in headers) else [
        "Content-Type: text/html; charset=utf-8"
    ]  # fmt: skip
    head = "\r\n".join([f"HTTP/1.1 {status}", *kind, *headers, "", ""])
    return record("response", (head + body).encode(), url, f"2020-01-{day:02}T00:00:00Z")


def links(*targets: str) -> str:
    """Return a page with links."""
    return "".join(f"<a href='{target}'>{target}</a>\n" for target in targets)


RECORDS = [
    answer(1, "http://a.test/", links("/x", "/moved", "/x#2", "/gone", "/never", "http://b.test/",
                                      "/doc.pdf", "http://far.test/", "mailto:a@a.test", "/")),
    answer(1, "http://a.test/x", links("/", "/deep") + "one\n"),
    answer(3, "http://a.test/x", links("/", "/deep") + "two\n"),
    answer(4, "http://a.test/x", links("/", "/deep") + "two\n"),
    answer(6, "http://a.test/x", links("/", "/deep") + "three three\n"),
    answer(1, "http://a.test/moved", "", "301 Moved", "Location: http://b.test/y"),
    answer(1, "http://a.test/gone", "", "404 Not Found"),
    answer(1, "http://a.test/doc.pdf", "%PDF", "200 OK", "Content-Type: application/pdf"),
    answer(1, "http://a.test/style.css", "a{}", "200 OK", "Content-Type: text/css"),
    answer(2, "http://a.test/deep", links("/x")),
    answer(5, "http://a.test/deep", "", "410 Gone"),
    answer(1, "http://b.test/", links("y", "http://a.test/", "http://a.test/", "out")),
    answer(1, "http://b.test/y", links("/")),
    answer(1, "http://b.test/alone", links("/")),
    answer(1, "http://b.test/out", "", "302 Found", "Location: http://far.test/"),
]  # fmt: skip


def source(folder: Path, records: list[bytes] | None = None, **more: object) -> CapturedSource:
    """Return the captured web of some records, by default of `RECORDS`."""
    path = written(folder / "x.warc.gz", RECORDS if records is None else records, "gzip")
    return CapturedSource("small", (str(path),), **more)  # type: ignore[arg-type]
