"""What a server sends as a page: encodings, HTML, addresses, robots.txt, sitemaps."""

from __future__ import annotations

from functools import lru_cache

from hypothesis import strategies as st

from counterpoint.crawler.documents import sitemap_entries
from counterpoint.crawler.documents.addresses import LONGEST, Spelling, domain, joined, normalized
from counterpoint.crawler.documents.blocks import blocks, difference
from counterpoint.crawler.documents.decoding import loaded
from counterpoint.crawler.documents.encodings import NAMES
from counterpoint.crawler.documents.legacy import decode, encode
from counterpoint.crawler.documents.links import TEXT, Kind, read
from counterpoint.crawler.documents.robots import LONGEST_DELAY, rules, written
from counterpoint.crawler.documents.sitemaps import read_here

from ..inputs import changed, corpus
from ..reader import Reader

HTML = (
    b"<a href=x>", b"<a href='", b"</a>", b"<base href=/b/>", b"<iframe src=f>", b"<frameset>",
    b"<meta http-equiv=refresh content='0;url=x'>", b"<meta charset=shift_jis>", b"<svg>",
    b"<math>", b"<template>", b"<table>", b"<select>", b"<p>", b"<b>", b"<plaintext>", b"<script>",
    b"</script>", b"<!--", b"-->", b"<![CDATA[", b"<?xml encoding='gbk'?>", b"&copy", b"&#x110000;",
    b"href=", b"alt=x", b"rel=next", b"<link rel=next href=n>", b"a=b ", b"\x1b$B", b"\x81", b"?",
    b"text/html; charset=euc-jp\n", b"<title>", b"<textarea>", b"<noscript>", b"<font>", b"<nobr>",
)  # fmt: skip
ADDRESSES = (
    b"http://", b"https://", b"//", b"/", b"../", b"./", b"?", b"#", b"@", b":", b":80", b":0",
    b"%", b"%2e", b"%7e", b"%zz", b"[::1]", b"0x7f.1", b"xn--", b"xn--a", b"\xc3\xa9", b".", b"\t",
    b"javascript:", b"mailto:", b"h.test", b"\\", b"%00", b"\xe3\x80\x82", b"\xf0\x9f\x92\xa9",
)  # fmt: skip
ROBOTS = (
    b"User-agent: *\n", b"User-agent: counterpoint\n", b"Disallow: /", b"Allow: /", b"\n", b"*",
    b"$", b"Crawl-delay: 1\n", b"Crawl-delay: ", b"#", b"Sitemap: ", b"%", b"%C3", b",", b"/*a",
    b"Disallow\n", b"dissalow:", b"user agent ", b"\xef\xbb\xbf", b"Request-rate: 1/0s 25-1\n",
    b"Visit-time: 0600-\n", b"Host:", b"\x85", b"\xe2\x80\xa8",
)  # fmt: skip
SITEMAPS = (
    b"<urlset>", b"</urlset>", b"<sitemapindex>", b"<url>", b"</url>", b"<loc>", b"</loc>",
    b"<lastmod>", b"<rss>", b"<channel>", b"<item>", b"<link>", b"<link href='", b"<entry>",
    b"<feed xmlns='http://www.w3.org/2005/Atom'>", b"xmlns='", b" xmlns:a='u'", b"<a:b/>", b"<!--",
    b"<![CDATA[", b"]]>", b"<?xml version='1.0' encoding='utf-16'?>", b"<!DOCTYPE a [", b"&amp;",
    b"<!ENTITY a 'b'>", b"&a;", b"&#x110000;", b"http://h.test/", b"1970-01-01", b"T00:00:60Z",
    b"Thu, 01 Jan 1970 00:00:00 GMT", b"9999-12-31T23:59:59-23:59", b"0001-01-01T00:00+23:59",
)  # fmt: skip
_ORDERED = sorted(NAMES)
_PARSER = 2 << 20
"""Bytes of memory that the parser takes for any document: 1.3 MB."""
PAGE = "http://h.test/d/p?q"


@lru_cache(maxsize=1)
def _tables() -> None:
    """Load what stays in memory: tables of encodings, the list of public suffixes."""
    domain("http://h.test/")
    for number in range(len(_ORDERED)):
        _encoding(bytes([number]) + bytes(range(256)))
    for data in corpus("document"):
        _document(data)


def _document(data: bytes) -> None:
    """Read a header Content-Type, which ends with the first line, and a document."""
    header, _, body = data.partition(b"\n")
    text = loaded(body, header.decode("latin-1"))
    assert text.text.isprintable() or len(text.text) <= len(body) + 1
    found = read(text.text, PAGE, text.encoding, contents=True)
    assert found.problem or found.content is not None
    for place, one in enumerate(found.references):
        assert one.position == place
        assert max(len(one.text), len(one.anchor)) <= TEXT
        assert (one.kind is Kind.BAD) == bool(one.reason) == (not one.address)
        assert not one.address or normalized(one.address) == one.address
    if found.content is not None:
        assert len(found.content.anchors) == len(found.references)
    summary = blocks(text.text) if not found.problem else b""
    assert difference(summary, summary) == 0


def _encoding(data: bytes) -> None:
    """Decode a body in the encoding that the first byte chooses, and encode its letters."""
    name = _ORDERED[data[0] % len(_ORDERED)] if data else "utf-8"
    text = decode(data[1:], name)
    text.encode()  # no lone surrogates
    for letter in dict.fromkeys(text[:1000]):
        try:
            encode(letter, name)
        except UnicodeEncodeError:
            continue


def _address(data: bytes) -> None:
    """Join the second line to the first one, with whatever bytes stand there."""
    first, _, second = data.decode("utf-8", "surrogateescape").partition("\n")
    for base in ("", PAGE, normalized(first) or PAGE):
        found = joined(base, second)
        if found is None:
            continue
        assert len(found) <= LONGEST
        assert found.isascii() and found.isprintable() and "#" not in found
        assert normalized(found) == found
        assert domain(found)
        assert all(spelling.key(found) for spelling in Spelling)


def _robots(data: bytes) -> None:
    found = rules(200, written(data), "", "counterpoint")
    assert 0 <= found.delay <= LONGEST_DELAY
    for address in ("http://h.test/", "http://h.test/a%C3%A9*$?b=1", "http://h.test/" + "a" * 500):
        assert "\n" not in found.problem(address)


def _sitemap(data: bytes) -> None:
    """Read a header Content-Type, which ends with the first line, and a sitemap."""
    header, _, body = data.partition(b"\n")
    found = read_here(body, PAGE, header.decode("latin-1"), ("other.test",))
    assert found.entries or not found.kind or found.kind != "text"
    assert all(one.isprintable() for one in found.problems)
    assert len(found.problems) <= sitemap_entries.PROBLEMS + 3
    for entry in found.entries:
        assert normalized(entry.address) == entry.address
        assert entry.address.split("/")[2] in ("h.test", "other.test")
        assert entry.modified is None or abs(entry.modified) < 3e11


READERS = (
    Reader("document", _document, changed(corpus("document"), HTML), prepare=_tables,
           smallest=_PARSER),
    Reader("encoding", _encoding, changed(corpus("document"), HTML) | st.binary(max_size=2000),
           prepare=_tables),
    Reader("address", _address, changed(corpus("address"), ADDRESSES), examples=60,
           prepare=_tables, factor=300),  # a lone surrogate, which is replaced, takes 220
    Reader("robots", _robots, changed(corpus("robots"), ROBOTS), examples=60),
    Reader("sitemap", _sitemap, changed(corpus("sitemap"), SITEMAPS), examples=60),
)  # fmt: skip
