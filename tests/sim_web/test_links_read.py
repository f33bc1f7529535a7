"""The fast way to read links gives the same results as Lexbor."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from counterpoint.sim_web import profile
from counterpoint.sim_web.answer import Question
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.world.links import DocumentLinks, read, read_any, read_plain
from counterpoint.sim_web.world.site import SyntheticSite

URL = "http://w.test/a/b/c.html?x=/d/e"

_references = st.lists(
    st.sampled_from(
        [
            "../",
            "a/",
            "b-c",
            "/",
            ".html",
            "?id=4",
            "&amp;x=1",
            "&amp",
            "&lt;",
            "./",
            ".",
            "http://h.test/",
            "HTTP://",
            "mailto:",
            "a:",
            "//",
            "#f",
            " ",
            "\t",
            "\r\n",
            "\xe9",
            "\0",
            "'",
            ">",
            "%20",
            "A",
            ":80",
            "[",
            "",
        ]
    ),
    max_size=5,
).map("".join)

_tags = st.sampled_from(
    [
        "<p>",
        "</p>",
        "<h1>",
        "</h1>",
        "</a>",
        "<html>",
        "</html>",
        "<head>",
        "</head>",
        "<body>",
        "</body>",
        "<!DOCTYPE html>",
        "<title>t</title>",
        "<title>",
        "</title>",
        "<b>",
        "</b>",
        "<table>",
        "<tr>",
        "<td>",
        "</table>",
        "<select>",
        "<option>",
        "<svg>",
        "<math>",
        "<template>",
        "<script>",
        "</script>",
        "<style>",
        "<textarea>",
        "<noscript>",
        "<iframe src='i'>",
        "<frameset>",
        "<frame src='f'>",
        "<!-- ",
        " -->",
        "<![CDATA[",
        "<?x ",
        "<",
        ">",
        "text",
        "\0",
        "&",
        "\xe9",
        '"',
        '<meta charset="utf-8">',
        '<p class="x">',
        '<link rel="canonical" href="/q">',
        "<plaintext>",
        "<A HREF=1>",
        "<a>",
        "<a href>",
        "<a name='x' href=y>",
        '<a\nhref="n">',
    ],
)


def _written(reference: str, form: int) -> str:
    forms = ('<a href="{}">', '<a href="{}" rel="nofollow">', '<a href="{}" href="other">',
             '<base href="{}">', "<a href='{}'>", '<a id="i" href="{}">', '<A HREF="{}">',
             '<a href="{}"rel="x">', '<a href="{}" >')  # fmt: skip
    return forms[form].format(reference)


_linked = st.builds(_written, _references, st.integers(0, 8))
_plain = st.builds(
    lambda reference, form, text: _written(reference, form) + ("" if form == 3 else f"{text}</a>"),
    _references, st.integers(0, 3), st.sampled_from(["", "t", "&amp;", "\xe9", "<p>"]),
)  # fmt: skip
_documents = st.lists(st.one_of(_plain, _plain, _tags, _linked), max_size=12).map("".join)


@pytest.mark.long
@settings(max_examples=1000, deadline=None)
@given(_documents)
@example('<p><a href="x"></p>y')
@example('<meta charset="<base href="></a><a href="x">y</a>')
@example('<a href="x">y</a><title><a href="z">y</a></title>')
@example('<a href="a&notit;">y</a>')
@example('<base href="HTTP://b"><a href="c">y</a>')
@example('<base href="http://["><a href="c">y</a>')
@example('<base href="mailto:x"><a href="c">y</a>')
def test_a_plain_document_has_the_links_that_lexbor_finds(text: str) -> None:
    """Links in the HTML that the regular expressions miss, or the other way round."""
    document = text.encode("latin-1")
    found = read_plain(document, URL)
    assert found is None or found == read_any(document, URL)
    assert read(document, URL) == read_any(document, URL)


@pytest.mark.parametrize("name", profile.names())
def test_most_pages_are_plain(name: str) -> None:
    """A fast way that is never used, or that reads a page of some profile wrongly."""
    web = Web(profile.load(name), 4000, 5)
    site, plain, pages = SyntheticSite(web), 0, range(0, web.pages, 16)
    for page in pages:
        url = address(web, page)
        body = site.answer(Question(url, 1e6 * (page % 3))).body
        found = read_plain(body, url)
        plain += found is not None
        assert found is None or found == read_any(body, url)
    assert plain > 0.8 * len(pages)


def test_what_is_left_to_lexbor() -> None:
    """A fast way that guesses where it should leave a document to Lexbor."""
    for document in (
        b"<b>x</b>",
        b'<a href="x"><p>y</a>',
        b'<a href="&copy;">y</a>',
        b"<a href=x>y</a>",
    ):
        assert read_plain(document, URL) is None
    assert read_plain(b'<p><a href="x">y</a>', URL) == DocumentLinks(["http://w.test/a/b/x"], [])
