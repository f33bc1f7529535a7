"""Files of TREC, which ``counterpoint evaluate`` reads."""

from __future__ import annotations

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.evaluation.trec import read_qrels, read_run

from ..inputs import changed, corpus
from ..reader import Reader, through_file

_WORDS = (b" ", b"\t", b"#", b"# comment\n", b"Q0", b"1 Q0 a 1 0.5 tag\n", b"1 0 a 1\n", b"-1")

READERS = (
    Reader("run", through_file("a.run", read_run), changed(corpus("run"), _WORDS), (CrawlError,)),
    Reader("qrels", through_file("a.qrels", read_qrels), changed(corpus("qrels"), _WORDS),
           (CrawlError,)),
)  # fmt: skip
