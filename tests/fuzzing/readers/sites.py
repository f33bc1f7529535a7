"""Lists of sites, which ``counterpoint sites import`` and ``crawl --seeds`` read."""

from __future__ import annotations

from pathlib import Path

from counterpoint.crawler.coverage.lists import crawled, sampled
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store import lists

from ..inputs import changed, corpus
from ..reader import Reader, through_file

_WORDS = (b";", b",", b"\t", b"#", b"\n", b"http://", b"a.test", b"://", b"www.", b":80", b"[::1]")


def _sites(path: Path) -> None:
    for _, seed in lists.read(lists.text_of(path), "the list"):
        assert seed.start.startswith("http")


READERS = (
    Reader("sites", through_file("sites.txt", _sites), changed(corpus("sites"), _WORDS),
           (CrawlError,), smallest=4 << 20),
    Reader("sample", through_file("sample.txt", sampled), changed(corpus("sites"), _WORDS),
           (CrawlError,), smallest=2 << 20),
    Reader("crawled", through_file("crawled.txt", crawled), changed(corpus("sites"), _WORDS),
           (CrawlError,), smallest=2 << 20),
)  # fmt: skip
