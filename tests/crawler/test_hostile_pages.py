"""Pages that are made to take long or much memory: both are bounded, whatever a page has in it."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from random import Random

import pytest

from counterpoint.crawler.documents import apart
from counterpoint.crawler.documents.blocks import blocks_here
from counterpoint.crawler.documents.decoding import loaded
from counterpoint.crawler.documents.links import read_here
from counterpoint.crawler.documents.robots import LARGEST, rules, written

ADDRESS = "http://h.test/"
SECONDS = 4.0
"""Processor time in seconds for each page here, under `tracemalloc`; without it 0.3 s are seen."""
MEMORY = 64 << 20
"""Bytes of memory that a page takes that is read in the crawl's own process."""
FACTOR = 32
"""Bytes of memory for each byte of a body that is decoded, 22 seen: a letter may take four bytes,
and ISO-2022-JP is decoded in pieces, one for each escape sequence."""

PARTS = (
    "<div>", "<a href=x>", "<svg><a xlink:href=x>", "<b a ", "<table>", "<table><tr><td>",
    "<p><a href=b>", "<select><option>", "<template>", "<nobr>", "<button>", "</p>", "</b>",
    "<a><p>", "<font><p>", "<li>", "<dl><dt>", "<ruby><rt>", "<frameset>", "&copy", "&#1;",
    "<form>", "<h1>", "<table><a href=y>", "<b></p>", "<applet><b>", "<td><b>", "<math><mi><b>",
    "<i><table>", "<a href=x><div>", "</a><a href=x><p>", "<a href=x><img alt=y>", "<p></s>",
    "<p><b><i></p></b>", "<b><em><i><p></b></i>", "<!--", "<script>", "<link rel=next href=x>",
)  # fmt: skip
BYTES = (
    b"<", b"<!--", b"<meta ", b"<meta charset=x>", b"<meta content='charset=", b"<a '", b"<script>",
    b"<a =", b'<a b="c', b"<title>", b"<!", b"</", b"charset=", b"<xmp></xm", b"<!-- -->", b"\x1b(",
    b"\x1b$B", b"\xff", b"\xe9 ", b"<b a=b ", b"\xa2A", b"<style></style>", b"\xf0\x9f\x92\xa9 ",
)  # fmt: skip


def measured(read: Callable[[], object]) -> tuple[float, int]:
    """Return the processor time of a call in seconds, and the most memory that it took."""
    tracemalloc.start()
    begun = time.process_time()
    try:
        read()
        return time.process_time() - begun, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def read_in_this_process(part: str, before: str = "") -> None:
    """Read the longest page of a repeated part that is not read apart, within the bounds."""
    page = before + part * (apart.LARGE // len(part))
    while apart.wanted(page):
        page = page[: len(page) * 9 // 10]
    seconds, memory = measured(lambda: read_here(page, ADDRESS, contents=True))
    assert seconds < SECONDS
    assert memory < MEMORY
    seconds, memory = measured(lambda: blocks_here(page))
    assert (seconds < SECONDS, memory < MEMORY) == (True, True)


@pytest.mark.long
@pytest.mark.parametrize("part", PARTS)
def test_page_of_repeated_tags(part: str) -> None:
    """Tags for which a parser, or we, look at all others again and again."""
    read_in_this_process(part)


@pytest.mark.long
@pytest.mark.parametrize("count", [20, 36, 100, 300])
def test_page_of_repeated_formatting(count: int) -> None:
    """A page just below the limit, in which each paragraph repeats all formatting elements."""
    read_in_this_process("<p>x", "<p>" + "".join(f"<b a{i}>" for i in range(count)))


@pytest.mark.long
def test_page_of_attributes() -> None:
    """A tag of as many attributes as a page can have that is not read apart."""
    page = "<a href=x " + " ".join(f"x{i}" for i in range(apart.LARGE // 7)) + ">"
    assert not apart.wanted(page)
    seconds, memory = measured(lambda: read_here(page, ADDRESS))
    assert (seconds < SECONDS, memory < MEMORY) == (True, True)


@pytest.mark.long
@pytest.mark.parametrize("header", ["", "text/html; charset=iso-2022-jp", "text/html;charset=big5"])
def test_body_of_repeated_bytes(header: str) -> None:
    """Bytes in which a declaration is looked for, or that are decoded, again and again."""
    for before in (b"", b"<meta charset=", b"<a>charset="):
        for part in (*BYTES, Random(1).randbytes(100_000)):
            body = before + part * (100_000 // len(part))
            seconds, memory = measured(lambda body=body: loaded(body, header))
            assert seconds < SECONDS, part[:20]
            assert memory < FACTOR * len(body) + (2 << 20), part[:20]


@pytest.mark.long
@pytest.mark.parametrize(
    "part",
    ["Disallow: /*a*a*b$\n", "Disallow: /*\n", "Allow: /" + "*a" * 2_000 + "b\n", "User-agent:,\n",
     "user agent ", "Disallow: %", "dis", "Crawl-delay: 9", "Disallow: /\u00e9\n"],
)  # fmt: skip
def test_robots_of_repeated_rules(part: str) -> None:
    """Wildcards that are tried in every way; lines that are read again and again."""
    body = ("User-agent: *\n" + part * (LARGEST // len(part))).encode()[:LARGEST]
    address = ADDRESS + "a" * 7_900

    def read() -> None:
        rules(200, written(body), "", "counterpoint").problem(address)

    seconds, memory = measured(read)
    assert seconds < 2 * SECONDS
    assert memory < MEMORY
