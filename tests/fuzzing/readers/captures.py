"""Captures of crawls, which ``counterpoint try --replay`` reads."""

from __future__ import annotations

from pathlib import Path

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.worlds.capture import Capture

from ..inputs import changed, corpus
from ..reader import Reader, through_file

_WORDS = (
    b'{"format":"counterpoint capture","version":1}\n',
    b'{"address":"http://a.test/","status":200}\n',
    b'"links":', b'"content":', b'"final":', b'"time":', b'"size":', b"http://a.test/b", b",", b":",
)  # fmt: skip


def _read(path: Path) -> None:
    capture = Capture(path)
    for address in capture.pages():
        assert isinstance(address, str)
    assert isinstance(capture.query, str)
    assert capture.starts


READERS = (
    Reader("capture", through_file("a.capture", _read), changed(corpus("capture"), _WORDS),
           (CrawlError,)),
)  # fmt: skip
