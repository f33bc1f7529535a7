"""What documents say about following their links: ``rel``, ``meta``, and ``X-Robots-Tag``."""

from __future__ import annotations

import pytest
from multidict import CIMultiDict, CIMultiDictProxy

from counterpoint.crawler.documents.directives import (
    CANONICAL,
    NOFOLLOW,
    header_forbids,
    meta_forbids,
)
from counterpoint.crawler.documents.exchange import Exchange, with_links
from counterpoint.crawler.documents.links import read
from counterpoint.crawler.fetching.headers import forbids_links
from counterpoint.crawler.fetching.network import Answer


def marks(document: str) -> dict[str, int]:
    """Return the mark of each reference, by its text."""
    return {one.text: one.mark for one in read(document, "http://a.test/x").references}


@pytest.mark.parametrize(
    ("lines", "forbids"),
    [
        ((), False),
        (("nofollow",), True),
        (("NoIndex, NoFollow",), True),
        (("none",), True),
        (("noindex", "nofollow"), True),
        (("nofollowed",), False),
        (("counterpoint: nofollow",), True),
        (("Counterpoint : noindex, nofollow",), True),
        (("otherbot: nofollow",), False),
        (("otherbot: noindex, nofollow",), False),
        (("otherbot: noindex", "nofollow"), True),
        (("otherbot: nofollow, counterpoint: none",), True),
        (("noindex, otherbot: nofollow",), False),
        (("max-snippet: 20, nofollow",), True),
        (("unavailable_after: 25 Jun 2030 15:00:00 GMT, nofollow",), True),
        (("otherbot: unavailable_after: 25 Jun 2030 15:00:00 GMT, nofollow",), False),
    ],
)
def test_headers(lines: tuple[str, ...], forbids: bool) -> None:
    """A directive for another crawler that is taken for ours, or a date that hides a directive."""
    assert header_forbids(lines) == forbids
    headers = CIMultiDictProxy(CIMultiDict([("x-robots-tag", line) for line in lines]))
    assert forbids_links(Answer(200, b"", headers)) == forbids


@pytest.mark.parametrize(
    ("name", "content", "forbids"),
    [
        ("robots", "nofollow", True),
        (" ROBOTS ", "noindex,NOFOLLOW", True),
        ("robots", "noindex nofollow", True),
        ("robots", "none", True),
        ("robots", "noindex", False),
        ("robots", "", False),
        ("robots", "follow, index", False),
        ("counterpoint", "nofollow", True),
        ("otherbot", "nofollow", False),
        ("description", "none", False),
    ],
)
def test_meta_elements(name: str, content: str, forbids: bool) -> None:
    """A page whose links are followed although it asks not to, or left for another's sake."""
    assert meta_forbids(name, content) == forbids
    document = f'<meta name="{name}" content="{content}"><a href=/y>y</a><iframe src=/z></iframe>'
    assert marks(document) == dict.fromkeys(("/y", "/z"), NOFOLLOW if forbids else 0)


def test_rel() -> None:
    """A token that is only a part of another one, or one that the HTML standard does not have."""
    assert marks(
        "<a href=1 rel='me NoFollow'>a</a><a href=2 rel=nofollows>a</a>"
        "<a href=3 rel='ugc sponsored'>a</a><map><area href=4 rel=nofollow></map>"
        "<a href=5 rel>a</a><a href=6>a</a>"
        "<a href='mailto:x' rel=nofollow>a</a>"
    ) == {"1": NOFOLLOW, "2": 0, "3": 0, "4": NOFOLLOW, "5": 0, "6": 0, "mailto:x": NOFOLLOW}


def test_canonical() -> None:
    """A link in the text, or one to another site, that is taken for the canonical address."""
    assert marks(
        "<link rel=Canonical href=/c><link rel=canonical href=http://b.test/>"
        "<link rel=alternate href=/d><link rel=canonical href=/x><a rel=canonical href=/e>e</a>"
    ) == {"/c": CANONICAL, "http://b.test/": 0, "/d": 0, "/e": 0}


def exchange(document: str, *, nofollow: bool = False) -> Exchange:
    """Return the exchange of a document."""
    empty = Exchange("http://a.test/x", 200)
    return with_links(empty, document.encode(), "text/html", nofollow=nofollow)


def test_an_exchange_names_what_is_not_followed() -> None:
    """A link that is left although another one to the same page may be followed."""
    links = "<a href=1 rel=nofollow>a</a><a href=2>b</a><a href=2 rel=nofollow>c</a>"
    assert exchange(links).nofollow == ("http://a.test/1",)
    assert exchange(links, nofollow=True).nofollow == ("http://a.test/1", "http://a.test/2")
    assert exchange(links).links == ("http://a.test/1", "http://a.test/2")


def test_an_exchange_has_one_canonical_address() -> None:
    """A page with two canonical addresses that is taken for a copy of one of them."""
    one, two = "<link rel=canonical href=/c>", "<link rel=canonical href=/d>"
    assert exchange(one).canonical == exchange(one * 2).canonical == "http://a.test/c"
    assert exchange(one + two).canonical == exchange("").canonical == ""
