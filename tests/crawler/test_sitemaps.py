"""Sitemaps of all formats, broken and hostile ones, against what was written into them."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.crawler.documents import apart, sitemap_entries, sitemaps
from counterpoint.crawler.documents.addresses import normalized
from counterpoint.crawler.documents.sitemap_entries import LONGEST, PROBLEMS, modified_at
from counterpoint.crawler.documents.sitemap_xml import DEEPEST, NAMES, NAMESPACE, TOKEN
from counterpoint.crawler.documents.sitemaps import Sitemap, SitemapEntry, SitemapKind, read

HERE = "http://a.test/sitemap.xml"
SITEMAPS = "http://www.sitemaps.org/schemas/sitemap/0.9"
HEAD = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{SITEMAPS}">\n'
LATIN = "<urlset><url><loc>http://a.test/é</loc></url></urlset>"
ONE = "<url><loc>http://a.test/1</loc></url>\n"
END = "</urlset>"

Written = list[tuple[str, datetime | None]]


def said(body: str | bytes, kind: str = "application/xml", hosts: Sequence[str] = ()) -> Sitemap:
    """Read a sitemap of a.test."""
    return read(body.encode() if isinstance(body, str) else body, HERE, kind, hosts)


def addresses(found: Sitemap) -> list[str]:
    """Return the addresses of a sitemap."""
    return [one.address for one in found.entries]


def as_urlset(pages: Written, root: str = "urlset", entry: str = "url") -> str:
    """Write a sitemap with an entry for each page."""
    entries = (
        f"<{entry}><loc>{escape(page)}</loc>"
        + (f"<lastmod>{time.isoformat()}</lastmod>" if time else "") + f"</{entry}>\n"
        for page, time in pages
    )  # fmt: skip
    return f'<?xml version="1.0"?><{root} xmlns="{SITEMAPS}">{"".join(entries)}</{root}>'


def as_index(pages: Written) -> str:
    """Write an index."""
    return as_urlset(pages, "sitemapindex", "sitemap")


def as_rss(pages: Written) -> str:
    """Write a feed of RSS 2.0, whose channel has a link of its own."""
    items = (
        f"<item><title>x</title><link>{escape(page)}</link>"
        + (f"<pubDate>{format_datetime(time)}</pubDate>" if time else "") + "</item>"
        for page, time in pages
    )  # fmt: skip
    head = '<rss version="2.0"><channel><title>x</title><link>http://a.test/home</link>'
    return f"{head}{''.join(items)}</channel></rss>"


def as_atom(pages: Written) -> str:
    """Write a feed of Atom, whose entries also have links to something else."""
    entries = (
        f'<entry><link rel="edit" href="http://a.test/edit"/><link href={quoteattr(page)}/>'
        + (f"<updated>{time.isoformat()}</updated>" if time else "") + "</entry>"
        for page, time in pages
    )  # fmt: skip
    return f'<feed xmlns="http://www.w3.org/2005/Atom">{"".join(entries)}</feed>'


def as_text(pages: Written) -> str:
    """Write a list of addresses, which has no times."""
    return "\n".join(page for page, _ in pages)


FORMATS = {
    SitemapKind.URLSET: as_urlset, SitemapKind.INDEX: as_index, SitemapKind.RSS: as_rss,
    SitemapKind.ATOM: as_atom, SitemapKind.TEXT: as_text,
}  # fmt: skip

LAST = {
    SitemapKind.URLSET: b"</url>", SitemapKind.INDEX: b"</sitemap>", SitemapKind.RSS: b"</item>",
    SitemapKind.ATOM: b"</entry>",
}  # fmt: skip
"""The tags with which entries end."""

paths = st.text(st.sampled_from("ab/.?&=%<>'\"é;~ ") | st.characters(codec="utf-8"), max_size=9)
pages = paths.map(lambda path: normalized(f"http://a.test/{path}")).filter(bool)
zones = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
times = st.datetimes(
    datetime(1, 1, 3), datetime(9999, 12, 29), timezones=zones
).map(lambda time: time.replace(microsecond=0))  # fmt: skip
recent = st.datetimes(
    datetime(1971, 1, 1), datetime(2068, 12, 29), timezones=zones
).map(lambda time: time.replace(microsecond=0))  # fmt: skip
written = st.lists(st.tuples(pages, st.none() | recent), min_size=1, max_size=6)


@pytest.mark.parametrize("kind", FORMATS)
@given(wanted=written, packed=st.booleans())
def test_each_format_is_read_as_it_was_written(
    kind: SitemapKind, wanted: Written, packed: bool
) -> None:
    """An address or a time that is lost, invented, changed or out of order."""
    body = FORMATS[kind](wanted).encode()
    found = read(gzip.compress(body) if packed else body, HERE, "text/plain")
    timed = kind is not SitemapKind.TEXT
    assert found == Sitemap(kind, tuple(
        SitemapEntry(page, time.timestamp() if time and timed else None) for page, time in wanted
    ), (), len(body))  # fmt: skip


@pytest.mark.parametrize("kind", LAST)
@given(wanted=written, packed=st.booleans(), data=st.data())
def test_a_broken_sitemap_keeps_what_stands_before(
    kind: SitemapKind, wanted: Written, packed: bool, data: st.DataObject
) -> None:
    """Entries that are lost since a later one is broken, and a break that is not named."""
    body = FORMATS[kind](wanted).encode()
    whole = read(body, HERE)
    at = data.draw(st.integers(1, len(body) - 1))
    cut = gzip.compress(body)[:-9] if packed else body[:at]
    found = read(cut, HERE)
    assert found.entries == whole.entries[: len(found.entries)]
    assert found.problems and "\n" not in found.problem
    if not packed:
        assert len(found.entries) == body[:at].count(LAST[kind])


@given(time=times)
def test_times_of_w3c(time: datetime) -> None:
    """A time zone or a part of a time that is ignored."""
    wanted = time.timestamp()
    assert modified_at(time.isoformat()) == wanted
    assert modified_at(time.isoformat().replace("+00:00", "Z")) == wanted
    if not time.second:
        assert modified_at(time.isoformat(timespec="minutes")) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1970", 0.0), ("1970-02", 31 * 86400.0), ("1970-01-02", 86400.0),
        ("1970-01-01T01:00+01:00", 0.0), ("1970-01-01T00:00:01.5Z", 1.5),
        ("Thu, 01 Jan 1970 00:00:10 GMT", 10.0), ("01 Jan 70 00:00 -0100", 3600.0),
        ("", None), ("1970-01-01T00:00:00", None), ("1970-13", None), ("1970-1-1", None),
        ("1970-01-01 00:00:00", None), ("0000", None), ("1970-02-30", None), ("yesterday", None),
        ("1970-01-01T00:00+99:00", None), ("Thu, 01 Jan 1970 00:00:10", None),
    ],
)  # fmt: skip
def test_forms_of_times(text: str, wanted: float | None) -> None:
    """A time without a zone that is taken for one of UTC; a form that is not known."""
    assert modified_at(text) == wanted


@pytest.mark.parametrize(
    "namespace",
    ["", SITEMAPS, "https" + SITEMAPS[4:], "http://www.google.com/schemas/sitemap/0.84"],
)
def test_namespaces_of_sitemaps(namespace: str) -> None:
    """An old sitemap that is refused; the address of an image that counts as one of a page."""
    given = f' xmlns="{namespace}"' if namespace else ""
    image = "<i:image><i:loc>http://a.test/i.png</i:loc></i:image>"
    found = said(
        f'<urlset{given} xmlns:i="http://www.google.com/schemas/sitemap-image/1.1">'
        f"<url>{image}<loc>http://a.test/1</loc>{image}</url>{image}"
        "<loc>http://a.test/2</loc></urlset>"
    )
    assert addresses(found) == ["http://a.test/1"]
    assert not found.problems


@pytest.mark.parametrize(
    "root",
    ["html", f'loc xmlns="{SITEMAPS}"', 'urlset xmlns="http://b.test/"', 'rss xmlns="x"',
     f'feed xmlns="{SITEMAPS}"'],
)  # fmt: skip
def test_other_documents_are_no_sitemaps(root: str) -> None:
    """A document of another kind that is taken for a sitemap."""
    found = said(f"<{root}><url><loc>http://a.test/</loc></url></{root.split()[0]}>")
    assert found.kind is SitemapKind.NONE and not found.entries
    assert "is no element of a sitemap" in found.problem


def test_hosts_whose_addresses_are_allowed() -> None:
    """An address that a sitemap of another host names; a sitemap that cannot be elsewhere."""
    body = (
        f"{HEAD}<url><loc>http://b.test/</loc></url>\n<url><loc>https://a.test/</loc></url>"
        f"<url><loc>http://a.test:81/</loc></url>{END}"
    )
    found = said(body)
    assert addresses(found) == ["https://a.test/"]
    assert found.problems == (
        "line 3: http://b.test/ is on another site", "line 4: http://a.test:81/ is on another site",
    )  # fmt: skip
    assert addresses(said(body, hosts=["b.test"])) == ["http://b.test/", "https://a.test/"]


def test_addresses_that_are_left_out() -> None:
    """An address that is relative, of another scheme, missing or too long; a wrong line."""
    longest = "http://a.test/".ljust(LONGEST, "x")
    locs = ["/x", "ftp://a.test/", "", "mailto:a@a.test", longest, longest + "x"]
    found = said(HEAD + "".join(f"<url><loc>{loc}</loc></url>\n" for loc in locs) + END)
    assert addresses(found) == [longest]
    assert found.problems == (
        "line 3: '/x' is no address of http or https",
        "line 4: 'ftp://a.test/' is no address of http or https",
        "line 5: an entry without an address",
        "line 6: 'mailto:a@a.test' is no address of http or https",
        "line 8: an address of more than 2,048 characters",
    )
    assert found.problem.endswith("http or https (and 4 more problems)")
    text = said("\n".join(["", *locs, "\xff"]).encode("latin-1"), "text/plain")
    assert addresses(text) == [longest]
    assert [one.partition(":")[0] for one in text.problems] == [
        "line 2", "line 3", "line 5", "line 7", "line 8"
    ]  # fmt: skip


def test_a_wrong_time_leaves_the_address() -> None:
    """A page that is lost since its time is wrong, or a wrong time that is not named."""
    found = said(f"{HEAD}<url><loc>http://a.test/</loc><lastmod>now</lastmod></url>{END}")
    assert found.entries == (SitemapEntry("http://a.test/"),)
    assert found.problems == ("line 3: 'now' is no time of the form that sitemaps have",)


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'


@pytest.mark.parametrize(
    "doctype",
    [BOMB, '<!DOCTYPE x SYSTEM "x.dtd" [<!ENTITY % a SYSTEM "http://a.test/">%a;]>',
     '<!DOCTYPE x [<!ATTLIST url a CDATA "x">]>'],
)  # fmt: skip
def test_declarations_are_refused(doctype: str) -> None:
    """Entities that grow without bound, or that read other files."""
    found = said(f"\n{doctype}<urlset><url><loc>http://a.test/&b;</loc></url></urlset>")
    assert found.kind is SitemapKind.NONE and not found.entries
    assert found.problem == ("sitemap: line 2: the DOCTYPE has declarations, such as those of "
                             "entities; the rest is left out")  # fmt: skip


def test_a_doctype_without_declarations() -> None:
    """A feed that is refused for the DOCTYPE of old feeds, or an entity of it that is dropped."""
    doctype = '<!DOCTYPE rss PUBLIC "-//N//DTD RSS 0.91//EN" "http://n.test/rss.dtd">'
    item = "<item><title>&nbsp;</title><link>http://a.test/?a&copy;</link></item>"
    found = said(f"{doctype}<rss><channel>{item}</channel></rss>")
    assert addresses(found) == ["http://a.test/?a&copy;"]


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ("<a>" * DEEPEST, f"more than {DEEPEST} elements are nested"),
        ("".join(f"<a{k}/>" for k in range(NAMES)), "more than 1,000 names"),
        ("<a " + " ".join(f'a{k}=""' for k in range(NAMES)) + "/><a/>", "more than 1,000 names"),
        ("".join(f"<a xmlns:a{k}='u'/>" for k in range(NAMES)), "more than 1,000 names"),
        (f"<a xmlns='{'u' * (NAMESPACE + 1)}'/>", f"a namespace of more than {NAMESPACE}"),
        ("<!--" + "x" * (TOKEN + 65_536) + "-->", "a tag or a comment of more than 262,144 bytes"),
        ("<a b='" + "x" * (TOKEN + 65_536) + "'/>", "a tag or a comment of more than 262,144"),
        ("<url><loc>&nbsp;</loc></url>", "the XML is broken (undefined entity)"),
        ("</url>", "the XML is broken (mismatched tag)"),
    ],
)  # fmt: skip
def test_hostile_xml_ends_the_reading(more: str, problem: str) -> None:
    """Memory that grows with names, tags or nesting; entries before it that are lost."""
    found = read(f"{HEAD}{ONE}{more}{ONE}{END}".encode(), HERE)
    assert addresses(found) == ["http://a.test/1"]
    assert len(found.problems) == 1
    assert found.problem.startswith("sitemap: line 4: ")
    assert problem in found.problem and found.problem.endswith("; the rest is left out")


def test_a_large_text_within_a_document() -> None:
    """A limit on tags that applies to texts, or a long text that is kept in memory."""
    found = said(f"{HEAD}<url><x>{'y' * 2 * TOKEN}</x><loc>http://a.test/1</loc></url>{END}")
    assert addresses(found) == ["http://a.test/1"] and not found.problems


def test_too_many_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit of addresses that is not kept, or not said."""
    monkeypatch.setattr(sitemap_entries, "MOST", 3)
    whole = said(HEAD + 3 * ONE + END)
    assert (len(whole.entries), whole.problems) == (3, ())
    more = said(HEAD + 4 * ONE + END)
    assert (len(more.entries), more.problem) == (
        3, "sitemap: more than 3 addresses; the others are left out"
    )  # fmt: skip


@pytest.mark.parametrize("packed", [False, True])
def test_too_many_bytes(packed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that unpacks to more than the limit, or one of exactly the limit that is cut."""
    monkeypatch.setattr(apart, "POSSIBLE", False)  # else another process reads packed files
    body = (HEAD + ONE + " " * 200_000 + END).encode()
    monkeypatch.setattr(sitemaps, "LARGEST", len(body))
    given = gzip.compress(body) if packed else body
    whole = said(given)
    assert (addresses(whole), whole.problems) == (["http://a.test/1"], ())
    monkeypatch.setattr(sitemaps, "LARGEST", len(body) - 1)
    cut = said(given)
    assert cut == Sitemap(
        SitemapKind.URLSET, whole.entries,
        (f"longer than {len(body) - 1:,} bytes; the rest is left out",), len(body) - 1,
    )  # fmt: skip


def test_a_bomb_of_gzip() -> None:
    """A small file that fills the memory."""
    found = said(gzip.compress((HEAD + ONE).encode() + b" " * 60_000_000, 1))
    assert addresses(found) == ["http://a.test/1"]
    assert found.problem == "sitemap: longer than 52,428,800 bytes; the rest is left out"
    assert found.size == sitemaps.LARGEST


def test_gzip_in_several_parts_and_broken_gzip() -> None:
    """Parts that are not read, or a format that is guessed from the first part alone."""
    body = (HEAD + ONE + END).encode()
    parts = gzip.compress(b" ") + gzip.compress(body[:20]) + gzip.compress(body[20:])
    assert addresses(said(parts)) == ["http://a.test/1"]
    after = said(gzip.compress(body) + b"x")
    assert addresses(after) == ["http://a.test/1"]
    assert "the gzip data is broken" in after.problem
    assert "the gzip data is broken" in said(b"\x1f\x8bxx").problem


def test_encodings_and_space_before_xml() -> None:
    """Documents that many servers send: with a byte order mark, or with lines before the XML."""
    text = HEAD.replace("UTF-8", "UTF-16") + ONE + END
    assert addresses(said(text.encode("utf-16"))) == ["http://a.test/1"]
    late = said(b"\xef\xbb\xbf\n\n" + (HEAD + "<url/>").encode())
    assert late.problems == ("line 5: the XML is broken (no element found); the rest is left out",
                             "line 5: an entry without an address")  # fmt: skip
    latin = f'<?xml version="1.0" encoding="iso-8859-1"?>{LATIN}'
    assert addresses(said(latin.encode("latin-1"))) == ["http://a.test/%C3%A9"]
    for name in ("utf-9", "big5", "zlib", "punycode"):
        found = said(f'<?xml version="1.0" encoding="{name}"?>{LATIN}')
        assert found.problem == "sitemap: line 1: the encoding is not known; the rest is left out"


@pytest.mark.parametrize(
    ("body", "kind", "problem"),
    [
        ("", "application/xml", "it is empty"),
        (" \n", "text/plain", "it is empty"),
        ("<!doctype html><p>No", "text/html", "the XML is broken (syntax error)"),
        ("http://a.test/", "text/html", "it is neither XML nor text"),
        ("Not found", "text/plain", "line 1: 'Not found' is no address"),
    ],
)
def test_other_files_are_no_sitemaps(body: str, kind: str, problem: str) -> None:
    """A page that says that there is no sitemap, and is taken for one."""
    found = said(body, kind)
    assert found.kind is SitemapKind.NONE
    assert problem in found.problem


def test_problems_are_bounded() -> None:
    """A list of problems as long as a file, or a message of several lines."""
    found = said(b"\x00\r\x0b\n" * (PROBLEMS + 7), "application/octet-stream")
    assert len(found.problems) == PROBLEMS + 1
    assert found.problems[-1] == "7 more problems"
    assert all(one.isprintable() for one in found.problems)


def test_large_sitemaps_are_read_in_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sitemap without a limit of time, or one that is read otherwise in the other process."""
    body = (HEAD + ONE * 2_000 + "<url/>" + END).encode()
    assert len(body) > apart.LARGE
    found = read(body, HERE)
    monkeypatch.setattr(apart, "POSSIBLE", False)
    assert read(body, HERE) == found
    assert len(found.entries) == 2_000 and len(found.problems) == 1


def test_a_sitemap_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hostile sitemap that stops the crawl."""
    with_little_time = apart.ReadingProcess(0.05)
    monkeypatch.setattr(apart, "READER", with_little_time)
    try:
        found = read((HEAD + "<b/>" * 1_000_000).encode(), HERE)
    finally:
        with_little_time.close()
    assert found == Sitemap(SitemapKind.NONE, (), (apart.TOO_LONG,))


def test_content_types_of_sitemaps() -> None:
    """A type with which sitemaps are served and that is refused, or one of images that is read."""
    assert all(map(sitemaps.may_be_sitemap, (
        "", "text/xml; charset=utf-8", "application/xml", "text/plain", "application/x-gzip",
        "Application/GZIP", "application/rss+xml", "application/octet-stream", "text/html",
    )))  # fmt: skip
    assert not any(map(sitemaps.may_be_sitemap, ("image/png", "application/pdf", "video/mp4")))
