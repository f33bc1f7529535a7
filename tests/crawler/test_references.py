"""References of a document: in order, of the right kind, with their reason or anchor."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.crawler.documents.addresses import LONGEST, joined, normalized, site
from counterpoint.crawler.documents.links import TEXT, Kind, Reading, Reason, read

AT = "http://h.test/d/e"


def references_of(body: str) -> list[tuple[Kind, str, str]]:
    """Return kind, address or invalid text, and anchor of all references."""
    return [(one.kind, one.address or one.text, one.anchor) for one in read(body, AT).references]


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ("javascript:void(0)", Reason.SCRIPT), (" JAVA\nSCRIPT:x", Reason.SCRIPT),
        ("vbscript:x", Reason.SCRIPT), ("mailto:a@b.test", Reason.MAIL),
        ("tel:1", Reason.TELEPHONE),
        ("callto:x", Reason.TELEPHONE), ("data:text/html,<a href=x>", Reason.DATA),
        ("blob:http://h.test/x", Reason.DATA), ("ftp://o.test/", Reason.SCHEME),
        ("about:blank", Reason.SCHEME), ("localhost:8080/", Reason.SCHEME),
        ("htp:/x", Reason.SCHEME),
        ("http://", Reason.MALFORMED), ("//", Reason.MALFORMED), ("http://a b/", Reason.MALFORMED),
        ("http://h:port/", Reason.MALFORMED), ("//o.test:99999/", Reason.MALFORMED),
        ("http://a..b/", Reason.MALFORMED), ("http://[1]/", Reason.MALFORMED),
        ("x" * LONGEST, Reason.LONG), ("?" + "ж" * 2000, Reason.LONG),
        ("http://o.test/" + " " * LONGEST + "x", Reason.LONG), ("http:// /" + "x" * LONGEST,
         Reason.MALFORMED),
    ],
)  # fmt: skip
def test_why_a_reference_is_none(reference: str, reason: Reason) -> None:
    """A bad link without the reason or the original text."""
    text = reference.replace("<", "&lt;")
    (one,) = read(f'<a href="{text}">an  anchor</a>', AT).references
    assert (one.kind, one.reason, one.address) == (Kind.BAD, reason, "")
    assert one.text == reference[:TEXT] and one.anchor == "an anchor"


def test_all_elements_that_refer_in_order() -> None:
    """A kind of reference that is overlooked, or in the wrong position."""
    body = """<head><link rel="Next" href=1 title=T><link rel=stylesheet href=no>
    <link rel=icon href=no>
    <link rel="shortcut icon" href=no><link rel=preload href=no><link href=no><link rel=x href=no>
    <link rel=alternate type="application/atom+xml" href=no><link rel=alternate hreflang=de href=2>
    <link rel="alternate stylesheet" href=no><link rel=canonical href=e#x><link rel=prev href="">
    <meta http-equiv=Refresh content="5; URL = '3'"><meta http-equiv=x content="5;url=no">
    <meta http-equiv=refresh content=5></head>
    <a href=4>x</a><map><area href=5 alt=A></map><iframe src=6 title=F></iframe>
    <iframe src></iframe>
    <svg><a xlink:href=7><text>S</text></a></svg><img src=no><form action=no></form>"""
    assert references_of(body) == [
        (Kind.INTERNAL, "http://h.test/d/1", "T"), (Kind.INTERNAL, "http://h.test/d/2", ""),
        (Kind.BAD, "", ""), (Kind.INTERNAL, "http://h.test/d/3", ""),
        (Kind.INTERNAL, "http://h.test/d/4", "x"), (Kind.INTERNAL, "http://h.test/d/5", "A"),
        (Kind.INTERNAL, "http://h.test/d/6", "F"), (Kind.BAD, "", ""),
        (Kind.INTERNAL, "http://h.test/d/7", "S"),
    ]  # fmt: skip
    found = read(body, AT).references
    assert [one.position for one in found] == list(range(9))
    assert [one.position for one in found if one.frame] == [6, 7]
    assert [one.reason for one in found if one.kind is Kind.BAD] == [Reason.EMPTY] * 2


@pytest.mark.parametrize(
    ("inside", "anchor"),
    [
        ("a <b>b\n\n</b>\tc", "a b c"), ("", "title"), (" \n", "title"),
        ("<img alt='x  y'><b><img alt=z></b>", "x y z"), ("<img alt=''><img>", "title"),
        ("<img alt=x>y", "y"), ("<!-- no -->y&lt;script&gt;", "y<script>"), ("\0y&#0;", "y�"),
        ("y" * 2 * TEXT, "y" * TEXT), ("a\u00a0b\u2003c", "a b c"),
    ],
)  # fmt: skip
def test_the_context_of_a_link(inside: str, anchor: str) -> None:
    """An anchor that is lost, too long, or cannot be stored."""
    (one,) = read(f"<a href=//o.test title=title>{inside}</a>", AT).references
    assert one.anchor == anchor


@pytest.mark.parametrize(
    ("content", "reference"),
    [
        ("0;url=x", "x"), ("0;URL='x y'z", "x y"), ("0,url=\"x", "x"), (" .5 ; x", "x"),
        ("1 x", "x"),
        ("5;", None), ("5", None), ("", None), ("x;url=y", None), ("5x;url=y", None),
        ("5;url=", None), ("5;u=x", "u=x"), ("5; url x", "url x"), ("5;url='' ", None),
        ("5;url='x", "x"), ("5;;x", ";x"), ("1.2.3;x", "x"),
    ],
)  # fmt: skip
def test_where_a_page_that_refreshes_goes(content: str, reference: str | None) -> None:
    """A refreshing page that is not followed, or one followed to no address."""
    escaped = content.replace('"', "&quot;")
    found = read(f'<meta http-equiv=refresh content="{escaped}">', AT).references
    assert [one.text for one in found] == ([] if reference is None else [reference])


PIECES = st.sampled_from(
    ["<a href=", "<a ", "x", '"', "'", ">", "</a>", "<base href=", "<link rel=next href=",
     "//o.test", "http://", "<iframe src=", "<meta http-equiv=refresh content=", "0;url=",
     "javascript:", "<p>",
     " ", "<svg>", "xlink:href=", "<table>", "<td>", "<select>", "<frameset><frame src=", "&#0;",
     "\0", "&#xd800;", "ж", "<!--", "-->", "<template>", "<title>", "</title>", "%zz"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=20).map("".join))
def test_whatever_is_read_fits_together(body: str) -> None:
    """A crash on invalid documents, a link of two kinds, or text that a database refuses."""
    found = read(body, AT)
    assert [one.position for one in found.references] == list(range(len(found.references)))
    for one in found.references:
        bad = one.kind is Kind.BAD
        assert bad == (one.address == "") == (one.reason is not Reason.NONE)
        assert bad or normalized(one.address) == one.address
        assert bad or (one.kind is Kind.INTERNAL) == (site(one.address) == found.site)
        shown = one.text + one.anchor
        assert "\0" not in shown and shown.encode().decode() == shown
        assert len(one.text) <= TEXT and len(one.anchor) <= TEXT
    assert len(found.all) + len(found.bad) == len(found.references)
    assert sorted(found.all) == sorted(found.internal + found.external)


def test_a_base_changes_what_all_are_relative_to() -> None:
    """A base that applies only to later links, or one that is not an address."""
    assert read("<a href=1><base href=//o.test/x/><a href=2>", AT).all == [
        "http://o.test/x/1", "http://o.test/x/2",
    ]  # fmt: skip
    assert read("<base href><base href=/x/><a href=1>", AT).all == [joined(AT, "1")]
    assert read("", AT) == Reading("h.test", ())


@pytest.mark.parametrize("between", ["<object>", "<svg>", "<table><td>"])
def test_links_in_links_in_links(between: str) -> None:
    """Minutes for a page with a thousand nested links, each with the text of all inner ones."""
    begun = time.process_time()
    within = f"<a href=x>{between}" * 400 + "text <b></b>" * 30_000
    found = read(f"<a href=1>before</a>{within}", AT).references
    assert time.process_time() - begun < 3
    assert [one.anchor for one in found[:2]] == ["before", ""]
    few = read(f"<a href=1>{between}<a href=2>two", AT).references
    assert [one.anchor for one in few] == ["two", "two"]
