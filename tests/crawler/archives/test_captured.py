"""What a captured web answers for an address and a time."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from counterpoint.crawler.archives.captured import CapturedWeb
from counterpoint.crawler.archives.cdxj import seconds_of
from counterpoint.crawler.errors import CrawlError

from .standard import PAGE, every_type, record, written
from .test_records import WAT

PROFILE = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
LATE = 4_000_000_000


def at(second: int) -> str:
    """Return a date."""
    return f"2020-01-01T00:00:{second:02}Z"


def seconds(second: int) -> int:
    """Return the same date in seconds since 1970."""
    return seconds_of("20200101000000") + second


def page(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    """Return an answer of HTTP."""
    lines = [f"HTTP/1.1 {status}", "Content-Type: text/html", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


_OPENED: list[CapturedWeb] = []


@pytest.fixture(autouse=True)
def close_all() -> Iterator[None]:
    """Close the webs that a test has opened."""
    yield
    while _OPENED:
        _OPENED.pop().close()


def web(folder: Path, *records: bytes, packing: str = "gzip") -> CapturedWeb:
    """Return the captured web of some records."""
    _OPENED.append(CapturedWeb([written(folder / "x.warc", records, packing)]))
    return _OPENED[-1]


@pytest.mark.parametrize("packing", ["plain", "gzip", "zstd", "one"])
def test_versions_in_time(tmp_path: Path, packing: str) -> None:
    """Another version than the latest one at a time, or nothing before the first."""
    found = web(tmp_path, *[record("response", page(b"%d" % n), date=at(n)) for n in (9, 3, 6)],
                packing=packing)  # fmt: skip
    expected = {0: b"3", 3: b"3", 5.9: b"3", 6: b"6", 8: b"6", 9: b"9", 99: b"9", 1e15: b"9"}
    for second, body in expected.items():
        answer = found.answer("http://a.test/", seconds(0) + second)
        assert answer is not None
        assert (answer.body, answer.status, answer.whole) == (body, 200, True)
        assert answer.time == seconds(int(body))
    assert found.span == (seconds(3), seconds(9))


def test_unknown_is_not_404(tmp_path: Path) -> None:
    """A page that was never captured and counts as missing."""
    found = web(tmp_path, record("response", page(b"", "404 Not Found"), "http://a.test/gone"))
    answer = found.answer("http://a.test/gone", LATE)
    assert answer is not None and answer.status == 404
    assert found.answer("http://a.test/never", LATE) is None
    assert found.answer("http://b.test/gone", LATE) is None


def refers(**fields: str) -> dict[str, str]:
    """Return the fields of a revisit."""
    return {f"WARC_{name}": value for name, value in fields.items()}


REVISITS = {
    "address and time": refers(Refers_To_Target_URI="http://b.test/", Refers_To_Date=at(1)),
    "identifier": refers(Refers_To="<urn:x:1>"),
    "digest": refers(Payload_Digest="sha1:B"),
    "identifier that is not there": refers(Refers_To="<urn:x:9>", Payload_Digest="sha1:B"),
}


@pytest.mark.parametrize("packing", ["plain", "gzip", "one"])
@pytest.mark.parametrize("fields", REVISITS.values(), ids=REVISITS)
def test_revisits_have_their_payload(tmp_path: Path, fields: dict[str, str], packing: str) -> None:
    """A revisit without a body, with that of another record, or with the old headers."""
    body = gzip.compress(b"<p>payload", mtime=0)
    whole = page(body, "200 OK", "Content-Encoding: gzip", "X-Old: 1", "ETag: old")
    found = web(
        tmp_path,
        record("response", page(b"other"), "http://b.test/", at(0), WARC_Record_ID="<urn:x:0>",
               WARC_Payload_Digest="sha1:A"),
        record("response", whole, "http://b.test/", at(1), WARC_Record_ID="<urn:x:1>",
               WARC_Payload_Digest="sha1:B"),
        record("revisit", page(b"", "200 OK", "ETag: new"), "http://a.test/", at(5),
               WARC_Profile=PROFILE, **fields),
        packing=packing,
    )  # fmt: skip
    answer = found.answer("http://a.test/", LATE)
    assert answer is not None
    assert (answer.body, answer.status, answer.whole, answer.kind) == (
        b"<p>payload", 200, True, "revisit",
    )  # fmt: skip
    assert (answer.headers["etag"], answer.headers["x-old"]) == ("new", "1")
    assert answer.address == "http://a.test/" and answer.time == seconds(5)


def test_revisits_of_an_unchanged_page(tmp_path: Path) -> None:
    """A status of 304 that a page seems to have, or a payload of a later time."""
    found = web(
        tmp_path,
        record("response", page(b"1"), date=at(1)), record("response", page(b"3"), date=at(3)),
        record("revisit", b"HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n", date=at(2)),
        record("revisit", b"", date=at(4)),
    )  # fmt: skip
    answers = [found.answer("http://a.test/", seconds(n)) for n in (1, 2, 3, 4)]
    assert [(a.status, a.body) for a in answers if a is not None] == [
        (200, b"1"), (200, b"1"), (200, b"3"), (200, b"3"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "fields",
    [
        refers(Refers_To="<urn:x:9>"), refers(Payload_Digest="sha1:X"),
        refers(Refers_To_Target_URI="http://a.test/", Refers_To_Date=at(5)),
        refers(Refers_To_Target_URI="http://a.test/", Refers_To_Date=at(6)),
    ],
)  # fmt: skip
def test_revisits_of_nothing(tmp_path: Path, fields: dict[str, str]) -> None:
    """A revisit that refers to itself, to another in a ring, or to what is elsewhere: a hang."""
    ring = refers(Refers_To_Target_URI="http://a.test/", Refers_To_Date=at(5))
    found = web(tmp_path, record("revisit", page(b""), date=at(5), **fields),
                record("revisit", page(b""), date=at(6), **ring))  # fmt: skip
    answer = found.answer("http://a.test/", seconds(5))
    assert answer is not None
    assert (answer.body, answer.whole, answer.status) == (b"", False, 200)


def test_redirects(tmp_path: Path) -> None:
    """A redirect that is not followed, that is followed for ever, or to what nobody captured."""

    def leads(name: str, target: str) -> bytes:
        return record("response", page(b"", "301 Moved", f"Location: {target}"),
                      f"http://a.test/{name}")  # fmt: skip

    found = web(
        tmp_path,
        leads("1", "/2"),
        leads("2", "x"),
        leads("ring", "ring"),
        leads("out", "http://b.test/"),
        record("response", page(b"x"), "http://a.test/x"),
    )
    end = found.followed("http://a.test/1", LATE)
    assert end is not None and (end.address, end.body) == ("http://a.test/x", b"x")
    ring = found.followed("http://a.test/ring", LATE)
    assert ring is not None and ring.status == 301
    assert found.followed("http://a.test/out", LATE) is None


def test_segments_are_joined(tmp_path: Path) -> None:
    """A record in two segments that ends after the first, or counts as whole without the second."""
    lines = every_type()
    found = web(tmp_path, *lines)
    answer = found.answer("http://a.test/long", LATE)
    assert answer is not None and answer.whole
    assert answer.body == PAGE.partition(b"\r\n\r\n")[2]
    found = web(tmp_path, *lines[:-1])
    answer = found.answer("http://a.test/long", LATE)
    assert answer is not None and not answer.whole


def test_what_is_cut(tmp_path: Path) -> None:
    """A truncated record that counts as whole."""
    found = web(
        tmp_path,
        record("response", page(b"<p"), WARC_Truncated="length"),
        record("resource", b"<p>", "http://a.test/r", Content_Type="text/html"),
    )
    cut, whole = (found.answer(f"http://a.test/{name}", LATE) for name in ("", "r"))
    assert cut is not None and whole is not None
    assert (cut.whole, whole.whole, whole.status, whole.body) == (False, True, 200, b"<p>")


def test_wat_has_links_and_no_contents(tmp_path: Path) -> None:
    """A page of a WAT file that is answered without a body, or whose links are not there."""
    line = record("metadata", json.dumps(WAT).encode(), "http://a.test/x/",
                  Content_Type="application/json")  # fmt: skip
    broken = record("metadata", b"{", Content_Type="application/json")
    found = web(tmp_path, line, broken)
    assert found.answer("http://a.test/x/", LATE) is None
    capture = found.capture("http://a.test/x", LATE, contents=False)
    assert capture is not None
    wat = found.wat(capture)
    assert wat is not None and len(wat.links) == 4
    assert [one.reason for one in found.index.damages] == ["the JSON of a record cannot be read"]


def test_no_captures(tmp_path: Path) -> None:
    """A file of other records that is served as a web without pages."""
    with pytest.raises(CrawlError, match="has no captured pages"):
        web(tmp_path, record("warcinfo", b"", uri=""))


def test_a_file_that_changes_while_it_is_read(tmp_path: Path) -> None:
    """A page of another record, or a traceback."""
    found = web(tmp_path, *[record("response", page(b"%d" % n), f"http://a.test/{n}")
                            for n in range(3)])  # fmt: skip
    (tmp_path / "x.warc").write_bytes(b"")
    with pytest.raises(CrawlError, match="has no record at byte"):
        found.answer("http://a.test/2", LATE)
