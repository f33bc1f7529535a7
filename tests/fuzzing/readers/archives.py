"""WARC files of strangers: they are indexed, and every capture is read by its place."""

from __future__ import annotations

from pathlib import Path

from counterpoint.crawler.archives.captured import CapturedWeb
from counterpoint.crawler.errors import CrawlError

from ..inputs import changed, corpus
from ..reader import Reader, through_file

_WORDS = (
    b"WARC/1.1\r\n", b"WARC-Type: revisit\r\n", b"WARC-Type: response\r\n", b"\r\n\r\n",
    b"Content-Length: 99999999\r\n", b"Content-Length: 0\r\n", b"WARC-Refers-To: <urn:x:again>\r\n",
    b"WARC-Segment-Number: 1\r\n", b"WARC-Target-URI: http://a.test/\r\n", b"\x1f\x8b\x08\0",
    b"\x28\xb5\x2f\xfd", b"\x5d\x2a\x4d\x18", b"\x50\x2a\x4d\x18\xff\xff\xff\xff", b" folded",
    b"Transfer-Encoding: chunked\r\n", b"Content-Encoding: br\r\n", b"HTTP/1.1 304 \r\n\r\n",
)  # fmt: skip


def _read(path: Path) -> None:
    with CapturedWeb([path]) as web:
        assert web.index.damages is not None
        for found in web.index.captures():
            answer = web.read(found)
            assert answer is None or 0 < answer.status < 1000
            assert web.capture(found.capture.url, web.span[1], contents=False) is not None
        assert len(web.starts(3)) <= 3


READERS = (
    Reader("archive", through_file("a.warc", _read), changed(corpus("archive"), _WORDS),
           (CrawlError,), smallest=24 << 20),  # a window of Zstandard has up to 8 MB
)  # fmt: skip
