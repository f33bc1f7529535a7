"""The text of a document, and the words around its links."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.crawler.documents.links import read
from counterpoint.crawler.documents.saying import AROUND, MOST
from counterpoint.crawler.policy.protocol import Content

AT = "http://a.test/"


def read_content(document: str) -> Content:
    """Return the text, title and language of a document."""
    found = read(document, AT, contents=True).content
    assert found is not None
    return found


SAYS = {
    '<html lang="DE-at"><title> A\nb </title><p>one<p>two': ("A b", "one two", "de-at"),
    "<p>wo<b>r</b>d</p><div>and<br>more</div>": ("", "word and more", ""),
    "<style>a{}</style><p>x<script>y</script><!-- z --><template>t</template>": ("", "x", ""),
    "<svg><title>of a picture</title></svg>text": ("", "of a picture text", ""),
    "": ("", "", ""),
    "&lt;b&gt; &amp; &#1071;": ("", "<b> & Я", ""),
}


@pytest.mark.parametrize("document", SAYS)
def test_title_text_and_language(document: str) -> None:
    """Tags, scripts or another element's title in the text, or words split at bold letters."""
    found = read_content(document)
    assert (found.title, found.text, found.language) == SAYS[document]


AROUND_LINKS = {
    "<p>before <a href=x>link</a> after": ["before link after"],
    "<ul><li>one <a href=x>a</a> 1<li><b>two <a href=y>a</a></b> 2</ul>": ["one a 1", "two a 2"],
    "<p>a <a href=x>a</a> a <i><a href=y>a</a></i> z": ["a a a a z"] * 2,
    "free <a href=x>link</a> in the body <a href=y>other</a>": ["link", "other"],
    "<div>much <a href=x>link</a> else</div>": ["link"],
    "<p>see <a href=x><img alt='a picture'></a> here": ["a picture"],
    "<p>see <a href=x></a> here": [""],
    "<table><tr><td>cell <a href=x>l</a><td>other": ["cell l"],
    "<h2>on <a href=x>l</a></h2><p>else": ["on l"],
    "<p><a href=mailto:x>bad</a> <a href=x>good</a>": ["bad good"] * 2,
}


@pytest.mark.parametrize("document", AROUND_LINKS)
def test_the_words_around_a_link(document: str) -> None:
    """Words of another paragraph or of the whole page, or those of an equal link."""
    assert list(read_content(document).anchors) == AROUND_LINKS[document]


def test_far_words_are_left_out() -> None:
    """A very long paragraph around each link, or words cut in two."""
    [found] = read_content(f"<p>{'abcdefg ' * 99}<a href=x>link</a>{' tuvwxyz' * 99}").anchors
    assert len(found) <= 2 * AROUND + 4
    assert set(found.split()) == {"abcdefg", "link", "tuvwxyz"}
    [found] = read_content(f"<p>{'中' * 999}<a href=x>链</a>{'文' * 999}").anchors
    assert found == "中" * AROUND + "链" + "文" * AROUND


def test_a_long_text_is_cut() -> None:
    """Megabytes of text in the store, or in the words of a crawler."""
    assert len(read_content("<p>" + "word " * MOST).text) == MOST


@given(st.text("<>/apbli \"'=&;hreftd\n", max_size=80))
def test_any_document(document: str) -> None:
    """An error, or references that differ when the text is read too."""
    plain, found = read(document, AT), read(document, AT, contents=True)
    assert found._replace(content=None) == plain
    assert found.content is not None
    assert len(found.content.anchors) == len(found.references)
    for one, anchor in zip(found.references, found.content.anchors, strict=True):
        assert one.anchor in anchor


def test_read_apart() -> None:
    """A large document without text because another process reads it."""
    document = "<html lang=en><title>t</title>" + "<p>some <a href=x>link</a>" * 4_000
    found = read_content(document)
    assert (found.title, found.language) == ("t", "en")
    assert set(found.anchors) == {"some link"}
    assert found.text.startswith("some link some link")
