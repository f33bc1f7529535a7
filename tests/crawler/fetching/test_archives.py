"""WARC files that are read: of this crawler, of warcio, broken off, and no WARC files at all."""

from __future__ import annotations

import gzip
import io
import os
from pathlib import Path

import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.fetching import archives
from counterpoint.crawler.fetching.archives import Archived, Unpacked, answers, files_of, unpacked
from counterpoint.crawler.fetching.warc import Warc

from .test_warc import message


def answer(body: bytes, cut: bool = False, **headers: str) -> Archived:
    """Return an archived answer with headers, whose names have _ for -."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Archived("http://a.test/", 200, named, body, cut)


def kept(folder: Path, count: int = 3) -> Path:
    """Write pages with this crawler; return the file."""
    warc = Warc(folder, "counterpoint")
    for number in range(count):
        warc.write(message(number, b"<p>" * number, "length" if number == 2 else ""))
    warc.close()
    (path,) = files_of(folder)
    return path


def test_what_this_crawler_wrote(tmp_path: Path) -> None:
    """Requests and metadata that count as answers, or a cut body that counts as whole."""
    path = kept(tmp_path)
    found = list(answers(path))
    assert [(one.address, one.status, one.body, one.cut) for one in found] == [
        ("http://a.test/0?q=%C3%BC", 200, b"", False),
        ("http://a.test/1?q=%C3%BC", 200, b"<p>", False),
        ("http://a.test/2?q=%C3%BC", 200, b"<p><p>", True),
    ]
    assert found[0].headers == {"content-type": "text/html"}
    plain = tmp_path / "plain.warc"
    plain.write_bytes(gzip.decompress(path.read_bytes()))
    assert list(answers(plain)) == found
    assert files_of(tmp_path) == [path, plain]


def test_what_warcio_wrote(tmp_path: Path) -> None:
    """Chunks that stay in a body, a repeated header of which one is lost, or records of DNS."""
    path = tmp_path / "x.warc.gz"
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        headers = [("Transfer-Encoding", "chunked"), ("Via", "1"), ("Via", "2")]
        body = b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n"
        for name, kind in (("http://A.test:80/", "response"), ("dns:a.test", "response"),
                           ("http://a.test/r", "resource")):  # fmt: skip
            record = writer.create_warc_record(
                name, kind, payload=io.BytesIO(body), length=len(body),
                http_headers=StatusAndHeaders("200 OK", headers, protocol="HTTP/1.1"),
            )  # fmt: skip
            writer.write_record(record)
    (found,) = answers(path)
    assert (found.address, found.headers["via"]) == ("http://a.test/", "1,2")
    assert unpacked(found) == Unpacked(b"abcde")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (answer(b"ab"), (b"ab", False, False, False)),
        (answer(b"ab", content_length="2"), (b"ab", False, False, False)),
        (answer(b"ab", content_length="3"), (b"ab", True, False, False)),
        (answer(b"ab", content_length="many"), (b"ab", False, False, False)),
        (answer(b"ab", True), (b"ab", True, False, False)),
        (answer(b"2\r\nab\r\n", transfer_encoding="Chunked"), (b"ab", True, False, False)),
        (answer(b"9\r\nab", transfer_encoding="chunked"), (b"ab", True, False, False)),
        (answer(b"<b>\r\n", transfer_encoding="chunked"), (b"<b>\r\n", False, False, False)),
        (answer(b"2\r\nlines", transfer_encoding="chunked"), (b"2\r\nlines", False, False, False)),
        (answer(b"1\r\na\r\nb\r\n", transfer_encoding="chunked"), (b"a", True, False, False)),
        (
            answer(gzip.compress(b"ab", mtime=0), content_encoding="gzip"),
            (b"ab", False, False, False),
        ),
        (
            answer(gzip.compress(b"ab", mtime=0)[:-9], content_encoding="gzip"),
            (b"ab", True, False, False),
        ),
        (answer(b"no gzip", content_encoding="gzip"), (b"", False, False, True)),
        (answer(b"ab", content_encoding="odd"), (b"ab", False, True, False)),
    ],
)
def test_bodies(given: Archived, expected: tuple[bytes, bool, bool, bool]) -> None:
    """A body whose end is missing, or that is not coded as it says, which counts as whole."""
    found = unpacked(given)
    assert (found.cut, found.unknown, found.broken) == expected[1:]
    assert not found.partial
    assert expected[0].startswith(found.body) if expected[1] else found.body == expected[0]


def test_a_file_that_breaks_off(tmp_path: Path) -> None:
    """A crawl that was killed whose archive cannot be read, or half a record that is an answer."""
    path = kept(tmp_path)
    data = path.read_bytes()
    plain = gzip.decompress(data)
    counts = set()
    for size in range(0, len(data), 7):
        path.write_bytes(data[:size])
        counts.add(len(list(answers(path))))
    for size in range(0, len(plain), 11):
        path.write_bytes(plain[:size] if size > 5 else b"")
        counts.add(len(list(answers(path))))
    assert counts == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"<html>", "a record does not begin with WARC/"),
        (b"WARC/1.0\r\n" + b"a: b\r\n" * 2000, "more than 1,000 headers"),
        (b"WARC/1.0\r\n\r\n", "no WARC file that can be read"),
        (b"WARC/1.0\r\nContent-Length: -1\r\n\r\n", "less than no bytes"),
        (bytes(1 << 17), "a header has more than 65,536 bytes"),
        (gzip.compress(bytes(1 << 17), mtime=0), "a header has more than 65,536 bytes"),
        (b"\x1f\x8bx" + bytes(20), "no WARC file that can be read"),
    ],
)
def test_other_files(tmp_path: Path, data: bytes, said: str) -> None:
    """A traceback for another file, or a file without line feeds that fills the memory."""
    path = tmp_path / "x"
    path.write_bytes(data)
    with pytest.raises(CrawlError, match=said):
        list(answers(path))


def test_heads_with_bare_line_feeds(tmp_path: Path) -> None:
    """A page without a body, since its head has other ends of lines or its status no 3 digits."""
    path = tmp_path / "x.warc"
    for ends, status, expected in (("\n", "200", 1), ("\r\n", "200", 1), ("\n", "0200", 0)):
        http = f"HTTP/1.1 {status} OK\nA: b\n\n".replace("\n", ends) + "x\n\ny"
        path.write_text(
            "WARC/1.0\nWARC-Type: response\nWARC-Target-URI: http://a.test/\n"
            f"Content-Length: {len(http)}\n\n{http}", newline="",
        )  # fmt: skip
        found = list(answers(path))
        assert found == [Archived("http://a.test/", 200, {"a": "b"}, b"x\n\ny", False)] * expected


def test_what_is_no_file(tmp_path: Path) -> None:
    """A pipe in a folder of archives that is waited for, or a folder that is read as a file."""
    path = kept(tmp_path)
    os.mkfifo(tmp_path / "pipe.warc")
    (tmp_path / "folder.warc").mkdir()
    assert files_of(tmp_path) == [path]


def test_no_files(tmp_path: Path) -> None:
    """A folder without archives that counts as a crawl without pages, or a device that is read."""
    with pytest.raises(CrawlError, match="has no WARC files"):
        files_of(tmp_path)
    for path in (tmp_path / "none", Path("/dev/zero")):
        with pytest.raises(CrawlError, match="is no file and no folder"):
            files_of(path)


def test_a_long_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record of any length that is read into memory, or that counts as cut in the archive."""
    monkeypatch.setattr(archives, "MOST", 60)
    path = kept(tmp_path)
    first, *_, last = answers(path)
    assert not first.cut and last.cut
    path.write_bytes(
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: <http://a.test/>\r\n"
        b"Content-Length: 3000019\r\n\r\nHTTP/1.1 200 OK\r\n\r\n" + bytes(3_000_000)
    )
    (found,) = answers(path)
    assert (len(found.body), found.cut, found.partial) == (41, False, True)


@pytest.mark.parametrize(
    "given",
    [
        answer(b"ab", content_length="9")._replace(partial=True),
        answer(b"9\r\nab", transfer_encoding="chunked")._replace(partial=True),
        answer(gzip.compress(b"ab", mtime=0)[:-9], content_encoding="gzip")._replace(partial=True),
        answer(gzip.compress(b"ab" * 99, mtime=0), content_encoding="gzip"),
    ],
)
def test_a_body_that_is_too_long(given: Archived, monkeypatch: pytest.MonkeyPatch) -> None:
    """A body that counts as cut since we do not read its end, or as whole although we do not."""
    monkeypatch.setattr(archives, "MOST", 60)
    found = unpacked(given)
    assert (found.cut, found.partial, found.broken) == (False, True, False)
    assert b"ab".startswith(found.body[:2])
    assert unpacked(given._replace(cut=True)).cut
