"""Documents: decoded, and their links."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from counterpoint.crawler.documents.decoding import decoded
from counterpoint.crawler.documents.links import read
from counterpoint.sim_web.answer import Question
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.pages.truth import documents
from counterpoint.sim_web.world import fetcher
from counterpoint.sim_web.world.site import SyntheticSite
from tests.sim_web.webs import hostile, sound


def test_links_stand_in_the_order_of_appearance() -> None:
    """Links grouped by kind, and so crawled in another order than the document's."""
    body = """<base><base href="/x/"><base href="/no/"><a href=1>1</a><iframe src=2></iframe>
    <map><area href="//o.test/3"></map><a href>4</a><a name=n></a><A HREF=" 1 ">5</A>
    <a href="HTTP://H.test/y?a=1&amp;b=2&copy=3">6</a><link href=7><img src=8>
    <a href="javascript:x()">9</a><!-- <a href=10></a> --><script>"<a href=11></a>"</script>"""
    found = read(body, "http://h.test/d/e")
    assert found.all == [
        "http://h.test/x/1", "http://h.test/x/2", "http://o.test/3", "http://h.test/x/",
        "http://h.test/x/1", "http://h.test/y?a=1&b=2&copy=3",
    ]  # fmt: skip
    assert found.external == ["http://o.test/3"]
    assert found.internal == found.all[:2] + found.all[3:]
    assert found.bad == ["javascript:x()"]


def test_frames_are_links() -> None:
    """A site behind a frameset whose pages are not found."""
    body = '<frameset><frame src="a"><frame src="http://o.test/"><noframes><a href=b>b</a>'
    assert read(body, "http://h.test/").all == ["http://h.test/a", "http://o.test/"]


def test_a_base_that_is_no_address() -> None:
    """Links that are lost because a base is invalid."""
    assert read('<base href="mailto:x"><a href=a>', "http://h.test/d/").all == ["http://h.test/d/a"]


@pytest.mark.parametrize("body", ["", "\0", "<", "<a href", "<a href='", "<base href>" * 3])
def test_what_is_hardly_a_document(body: str) -> None:
    """A crash on invalid documents."""
    assert read(body, "http://h.test/").external == []


TEXT = "<p>привет"


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        (TEXT.encode("koi8-r"), "text/html; charset=KOI8-R", TEXT),
        (TEXT.encode("koi8-r"), 'text/html;charset="koi8-r"', TEXT),
        (b"<meta charset=koi8-r>" + TEXT.encode("koi8-r"), "", "<meta charset=koi8-r>" + TEXT),
        (b"<META http-equiv=Content-Type content='x; charset=koi8-r'>\xc1", "text/html",
         "<META http-equiv=Content-Type content='x; charset=koi8-r'>а"),
        (b"<meta charset=koi8-r>\xd0\xb6", "text/html; charset=utf-8", "<meta charset=koi8-r>ж"),
        (TEXT.encode(), "", TEXT),
        (b"caf\xe9", "", "café"),
        ("\ufeff".encode() + TEXT.encode(), "text/html; charset=koi8-r", TEXT),
        (TEXT.encode("utf-16"), "", TEXT),
        (b"<meta charset=utf-16>\xd0\xb6", "", "<meta charset=utf-16>ж"),
        (b"\x80", "text/html; charset=iso-8859-1", "€"),
        (TEXT.encode(), "text/html; charset=no-such", TEXT),
        (b"ab", "text/html; charset=rot13", "ab"),
        (b"\\x41", "text/html; charset=unicode_escape", "\\x41"),
        (b"ab", "text/html; charset=utf-7", "ab"),
        (b"6162", "text/html; charset=hex", "6162"),
    ],
)  # fmt: skip
def test_decoding(body: bytes, content_type: str, text: str) -> None:
    """Links with letters that lead nowhere, or a codec that is not for documents."""
    assert decoded(body, content_type) == text


def _agree(web: Web, pages: range) -> None:
    """Compare with the other reader, which reads all references as ASCII and writes no escapes."""
    site = SyntheticSite(web)
    for page in pages:
        for url in documents(web, page):
            answer = site.answer(Question(url, 0.0))
            content_type = dict(answer.headers).get("Content-Type", "")
            ours = read(decoded(answer.body, content_type), url)
            theirs = fetcher.read(answer.body, url)
            assert sorted(ours.all) == sorted(theirs.urls)
            assert sorted(ours.bad) == sorted(theirs.bad)
            if b"<iframe" not in answer.body and b"<frame" not in answer.body:
                assert (ours.all, ours.bad) == (theirs.urls, theirs.bad)


@given(sound)
@settings(max_examples=15)
def test_it_reads_what_the_synthetic_web_writes(web: Web) -> None:
    """Links lost by an encoding, a base or a relative form, or two readers that differ."""
    _agree(web, range(0, web.pages, 23))


def test_it_reads_faulty_pages() -> None:
    """The same errors on broken pages."""
    web = hostile(2)
    _agree(web, range(1, web.pages, 11))
    assert address(web, 1).startswith("http://")
