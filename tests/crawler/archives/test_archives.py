"""WARC files that are read: of this crawler, of warcio, broken off, and no WARC files at all."""

from __future__ import annotations

import asyncio
import gzip
import io
import os
import random
import re
from itertools import accumulate, pairwise
from pathlib import Path

import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from counterpoint.crawler.archives import archives, warc_records
from counterpoint.crawler.archives.archives import Archived, Unpacked, files_of, unpacked
from counterpoint.crawler.archives.archives import answers as answers_of
from counterpoint.crawler.archives.fetcher import ArchiveFetcher
from counterpoint.crawler.archives.warc_records import Damage
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.fetching.manners import Limits
from counterpoint.crawler.fetching.network import PageRequest
from counterpoint.crawler.fetching.warc import Warc

from ..fetching.test_warc import message


def answer(body: bytes, cut: bool = False, **headers: str) -> Archived:
    """Return an archived answer with headers, whose names have _ for -."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Archived("http://a.test/", 200, named, body, cut)


def answers(path: Path) -> list[Archived]:
    """Return the answers of a file that is not damaged."""
    damages: list[Damage] = []
    found = list(answers_of(path, damages))
    assert damages == []
    return found


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
    found = answers(path)
    assert [(one.address, one.status, one.body, one.cut) for one in found] == [
        ("http://a.test/0?q=%C3%BC", 200, b"", False),
        ("http://a.test/1?q=%C3%BC", 200, b"<p>", False),
        ("http://a.test/2?q=%C3%BC", 200, b"<p><p>", True),
    ]
    assert found[0].headers == {"content-type": "text/html"}
    plain = tmp_path / "plain.warc"
    plain.write_bytes(gzip.decompress(path.read_bytes()))
    assert answers(plain) == found
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


def test_repeated_headers_stay_apart(tmp_path: Path) -> None:
    """A crawler's name in one header X-Robots-Tag that is taken for that of the next one, too."""
    path = tmp_path / "x.warc.gz"
    headers = [("X-Robots-Tag", "otherbot: noindex"), ("Content-Type", "text/html"),
               ("X-Robots-Tag", "nofollow")]  # fmt: skip
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        writer.write_record(writer.create_warc_record(
            "http://a.test/", "response", payload=io.BytesIO(b"x"), length=1,
            http_headers=StatusAndHeaders("200 OK", headers, protocol="HTTP/1.1"),
        ))  # fmt: skip

    async def fetched() -> list[str]:
        fetcher = ArchiveFetcher(path, Limits())
        found = await fetcher.fetch(PageRequest("http://a.test/"))
        await fetcher.close()
        return list(found.headers.getall("X-Robots-Tag"))

    assert asyncio.run(fetched()) == ["otherbot: noindex", "nofollow"]


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


def pieces_of(path: Path) -> list[bytes]:
    """Return the members of gzip of an archive, each with one record."""
    data = path.read_bytes()
    starts = [found.start() for found in re.finditer(rb"\x1f\x8b\x08\0", data)]
    return [data[at:end] for at, end in pairwise([*starts, len(data)])]


@pytest.mark.parametrize("packed", [True, False])
def test_a_file_that_breaks_off(tmp_path: Path, packed: bool) -> None:
    """A killed crawl whose archive cannot be read, half a record that counts as whole, or silence.

    An archive that breaks off anywhere but between two records is damaged. What is left of its
    last answer is cut.
    """
    path = kept(tmp_path)
    pieces = pieces_of(path)
    if not packed:
        path = tmp_path / "x.warc"
        pieces = [gzip.decompress(piece) for piece in pieces]
    data = b"".join(pieces)
    ends = set(accumulate(map(len, pieces)))
    path.write_bytes(data)
    whole = answers(path)
    counts = set()
    for size in range(2, len(data), 7 if packed else 11):
        path.write_bytes(data[:size])
        damages: list[Damage] = []
        found = list(answers_of(path, damages))
        *before, last = found or [None]
        assert before == whole[: len(before)]
        assert last in (None, whole[len(before)]) or last.cut
        ends_well = any(size + left in ends for left in range(1 if packed else 5))
        assert [one.reason for one in damages] == ["a record breaks off"] * (not ends_well), size
        counts.add(len(found))
    assert counts == {0, 1, 2, 3}


def damaged(path: Path, data: bytes) -> tuple[list[tuple[bytes, bool]], list[tuple[int, str]]]:
    """Write data to a file; return its bodies, whether each is cut, and the damaged places."""
    path.write_bytes(data)
    damages: list[Damage] = []
    found = [(one.body, one.cut) for one in answers_of(path, damages)]
    assert {one.path for one in damages} <= {path}
    return found, [(one.at, one.reason) for one in damages]


BODIES = [b"%d " % number + b"abcdefghijklmnop" * 40 for number in range(4)]


def plain_record(body: bytes, length: int | None = None) -> bytes:
    """Return a record with an answer; ``length`` is what its header says instead of the truth."""
    http = b"HTTP/1.1 200 OK\r\n\r\n" + body
    said = len(http) if length is None else length
    return (
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.test/\r\n"
        b"Content-Length: %d\r\n\r\n" % said + http + b"\r\n\r\n"
    )


@pytest.mark.parametrize("length", [0, 5, 700, 900, 10**12])
@pytest.mark.parametrize("packed", [True, False])
def test_a_wrong_length_loses_no_other_record(tmp_path: Path, length: int, packed: bool) -> None:
    """Records that a wrong length swallows; a huge one, all to the end of the file."""
    raw = [plain_record(body) for body in BODIES]
    raw[1] = plain_record(BODIES[1], length)
    if packed:
        raw = [gzip.compress(one, mtime=0) for one in raw]
    found, places = damaged(tmp_path / "x.warc", b"".join(raw))
    whole = [(body, False) for body in BODIES]
    assert [one for one in found if not one[1]] == [whole[0], whole[2], whole[3]]
    assert places == [(len(raw[0]), "the length of a record is wrong")]


def test_a_hole_loses_only_the_records_in_which_it_is(tmp_path: Path) -> None:
    """A record with a hole that counts as whole, with the beginning of the next one in it."""
    raw = [plain_record(body) for body in BODIES]
    data = b"".join(raw)
    at = len(raw[0]) + 300
    found, places = damaged(tmp_path / "x.warc", data[:at] + data[at + 200 :])
    assert [cut for _, cut in found] == [False, True, False, False]
    assert (found[1][0] + BODIES[1]).startswith(BODIES[1][:150])
    assert places == [(len(raw[0]), "the length of a record is wrong")]
    found, places = damaged(tmp_path / "x.warc", data[:at] + data[at + len(raw[1]) + 9 :])
    assert [body[:1] for body, cut in found if not cut] == [b"0", b"3"]
    assert len(places) == 1


@pytest.mark.parametrize("at", [0, 3, 12, 200, -9, -3])
def test_bad_bytes_in_a_packed_file(tmp_path: Path, at: int) -> None:
    """Forty bad bytes that make the whole file unreadable, or lose all that follows."""
    chance = random.Random(1)
    bodies = [bytes(chance.randrange(256) for _ in range(3000)) for _ in range(4)]
    raw = [gzip.compress(plain_record(body), mtime=0) for body in bodies]
    start = at % len(raw[1])
    bad = bytearray(raw[1])
    bad[start : start + 40] = b"\x55" * len(bad[start : start + 40])
    found, places = damaged(tmp_path / "x.warc.gz", b"".join([raw[0], bad, *raw[2:]]))
    assert [body for body, cut in found if not cut] == [bodies[0], bodies[2], bodies[3]]
    assert [cut for _, cut in found].count(True) == (start > 20)
    ((place, reason),) = places
    assert place == len(raw[0])
    assert "cannot be unpacked" in reason or "incorrect" in reason or "invalid" in reason


def test_records_across_members_are_right(tmp_path: Path) -> None:
    """A file that was packed in blocks of equal size, and counts as damaged."""
    data = b"".join(plain_record(body) for body in BODIES)
    blocks = [gzip.compress(data[at : at + 100], mtime=0) for at in range(0, len(data), 100)]
    for packed in (b"".join(blocks), gzip.compress(data, mtime=0), b"".join(blocks) + bytes(9)):
        found, places = damaged(tmp_path / "x.warc.gz", packed)
        assert (found, places) == ([(body, False) for body in BODIES], [])


def test_a_file_of_damages_is_left(tmp_path: Path) -> None:
    """A hostile file whose every record is wrong, and takes hours to be read."""
    wrong = plain_record(b"x" * 50, 60)
    found, places = damaged(tmp_path / "x.warc", plain_record(b"a") + wrong * 1000)
    assert len(found) == warc_records.PLACES + 1
    assert places[-1][1] == "after 100 damaged places the rest of the file is left out"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"<html>", "a record does not begin with WARC/"),
        (b"WARC/1.0\r\n" + b"a: b\r\n" * 2000, "more than 1,000 headers"),
        (b"WARC/1.0\r\n\r\n", "no WARC file that can be read"),
        (b"WARC/1.0\r\nContent-Length: -1\r\n\r\n", "less than no bytes"),
        (bytes(1 << 17), "does not begin with WARC/"),
        (gzip.compress(b"WARC/" + bytes(1 << 17), mtime=0), "a header has more than 65,536 bytes"),
        (b"WARC/" + bytes(1 << 17), "a header has more than 65,536 bytes"),
        (b"\x1f\x8bx" + bytes(20), "no WARC file that can be read"),
    ],
)
def test_other_files(tmp_path: Path, data: bytes, said: str) -> None:
    """A traceback for another file, or a file without line feeds that fills the memory."""
    path = tmp_path / "x"
    path.write_bytes(data)
    with pytest.raises(CrawlError, match=said):
        answers(path)


def test_heads_with_bare_line_feeds(tmp_path: Path) -> None:
    """A page without a body, since its head has other ends of lines or its status no 3 digits."""
    path = tmp_path / "x.warc"
    for ends, status, expected in (("\n", "200", 1), ("\r\n", "200", 1), ("\n", "0200", 0)):
        http = f"HTTP/1.1 {status} OK\nA: b\n\n".replace("\n", ends) + "x\n\ny"
        path.write_text(
            "WARC/1.0\nWARC-Type: response\nWARC-Target-URI: http://a.test/\n"
            f"Content-Length: {len(http)}\n\n{http}", newline="",
        )  # fmt: skip
        found = answers(path)
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
    monkeypatch.setattr(warc_records, "MOST", 60)
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
