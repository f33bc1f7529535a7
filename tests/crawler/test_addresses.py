"""References are joined to absolute addresses, and addresses are compared."""

from __future__ import annotations

from urllib.parse import unquote_to_bytes

import ada_url
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from counterpoint.crawler.documents import addresses
from counterpoint.crawler.documents.addresses import (
    LONGEST,
    Spelling,
    as_typed,
    domain,
    joined,
    key,
    normalized,
    site,
)
from counterpoint.crawler.worlds.web_world import Handles

BASE = "http://a/b/c/d;p?q"


@pytest.mark.parametrize(
    ("reference", "target"),
    [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"), ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"),
        (";x", "http://a/b/c/;x"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
        ("..", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
        ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"), ("g/../h", "http://a/b/c/h"),
        ("g;x=1/../y", "http://a/b/c/y"), ("g?y/../x", "http://a/b/c/g?y/../x"),
    ],
)  # fmt: skip
def test_the_examples_of_rfc_3986(reference: str, target: str) -> None:
    """A link that leads elsewhere than in a browser (section 5.4, without fragments)."""
    assert joined(BASE, reference) == target


@pytest.mark.parametrize(
    ("reference", "target"),
    [
        ("  g \n", "http://a/b/c/g"), ("g\n/h", "http://a/b/c/g/h"), ("\\x\\y", "http://a/x/y"),
        ("http:\\\\H\\x?a\\b", "http://h/x?a\\b"), ("HTTP://H.Test:80/A", "http://h.test/A"),
        ("https://h:443", "https://h/"), ("http://h:443/", "http://h:443/"),
        ("http://u:p@h/", "http://h/"), ("http://h:/", "http://h/"), ("g?", "http://a/b/c/g"),
        ("/%7eu/%2E%2e/%2f%e9", "http://a/%2F%E9"), ("/a b", "http://a/a%20b"),
        ("/ж?ж", "http://a/%D0%B6?%D0%B6"), ("/100%", "http://a/100%"),
        ("http://пример.test/", "http://xn--e1afmkfd.test/"), ("//x//y", "http://x//y"),
        ("http://[::0:1]:8080/", "http://[::1]:8080/"), ("/a//b/", "http://a/a//b/"),
        ("http://h/a/../b", "http://h/b"), ("http://h?x", "http://h/?x"),
        ("http://-h/", "http://-h/"), ("http://%41/", "http://a/"), ("http:g", "http://a/b/c/g"),
        ("http:///x", "http://x/"), ("http://1.2.0x3/", "http://1.2.0.3/"), ("/a?%7e?", "http://a/a?~?"),
        ("http://h/%%341%4%41", "http://h/%%341%4%41"), ("/a|b^", "http://a/a|b%5E"), ("https:g", "https://g/"),
    ],
)  # fmt: skip
def test_what_stands_in_documents(reference: str, target: str) -> None:
    """A page fetched twice because it has two spellings, or not fetched at all."""
    assert joined(BASE, reference) == target


@pytest.mark.parametrize(
    "reference",
    [
        "javascript:void(0)", "JavaScript:x", "mailto:a@b.test", "http://[", "http:///", "htp:/x",
        "http://two words.test/", "tel:+49-30-1234", "data:text/plain,x", "http://h:port/",
        "http://h:65536/", "http://h:0/", "http://[::1]:0/", "http://a..b/", "http://%2F/",
        "http://[1]/", "ftp://h/", "https:", "http://" + "x" * 64, "http://ж" + "ж" * 70 + "/",
        "/" + "x" * LONGEST, "http://[v1.x]/", "//:80/", "http://h\0/",
    ],
)  # fmt: skip
def test_what_is_no_address(reference: str) -> None:
    """An address that is requested although it cannot be fetched."""
    assert joined(BASE, reference) is None


PIECES = st.sampled_from(
    ["http:", "https:", "HTTP:", "//", "/", "\\", "a", "B", "ж", "%", "%41", "%2f", "%2e", "..",
     ".", "?", "#", ":", ":80", "@", "[", "]", "::1", " ", "\n", "\0", "%zz", "\ud800", "x" * 70]
)  # fmt: skip


@given(st.lists(PIECES, max_size=12).map("".join), st.booleans())
@example("http://a/%%335", False)
def test_one_spelling(text: str, relative: bool) -> None:
    """A spelling that changes when it is read again, so that one page would get two handles."""
    found = joined("http://base.test/x/y" if relative else "", text)
    if found is not None:
        assert normalized(found) == found
        assert found.isascii() and found.isprintable() and "#" not in found
        assert joined(found, "") == found
        assert normalized(key(found)) == key(found)
        assert site(found) == site(key(found)) != ""


BASES = st.sampled_from(
    ["http://h.test/", "http://h.test/a/b", "https://h.test:81/a/b/?c=/d", "http://h.test/a/?"
     "x/../y", "http://h.test/%D0%B6/;x=1/"]
)  # fmt: skip
USUAL = st.lists(
    st.sampled_from(
        ["a", "B-", "_", ".html", ".", "..", "/", "?", "?id=", "&amp;", "#", "#top", "~", "%7e",
         "%2E", ":", "=", "+", "'", " ", "ж", "index", "//", ";", ",", "\\", "|"]
    ),
    max_size=8,
).map("".join)  # fmt: skip

HOSTS = st.lists(
    st.sampled_from(["a", "b-", "-c", "xn--", "xn--e1afmkfd", "4", "0x7f", "127", ".", "..", "_",
                     "B", "d" * 63, "e" * 64, ":80", ":81", "@", "test", "%61", "\u0436"]),
    max_size=6,
).map("".join)  # fmt: skip
ROOTED = st.tuples(
    st.sampled_from(["http://", "https://", "HTTP://", "//", "http:/", ""]), HOSTS, USUAL
).map(lambda three: f"{three[0]}{three[1]}/{three[2]}")


@given(BASES, USUAL | ROOTED)
@example("http://h.test/a/b", "http://a.b.c.d.test/")
@example("http://h.test/a/b", "http://" + "d" * 63 + ".test/a?b#c")
@example("http://h.test/a/b", "http://" + f"{'d' * 62}." * 4 + "test/")
@example("http://h.test/a/b", "http://a.test/b/..")
@example("http://h.test/a/b?c/", "/d")
@example("http://h.test/a/b", "a#\n")
@example("http://h.test/a/b", "a..")
@example("http://h.test/a/b", "x" * LONGEST)
def test_the_short_way(base: str, reference: str) -> None:
    """A plain reference for which the fast way of joining differs from the standard."""
    assert joined(base, reference) == addresses._joined(base, reference)


@given(BASES, st.lists(PIECES | USUAL, max_size=6).map("".join))
def test_the_standard_decides(base: str, reference: str) -> None:
    """A reference that browsers follow and we do not, or that we join otherwise."""
    found = joined(base, reference)
    try:
        href = ada_url.join_url(base, reference.replace("\ud800", "\ufffd"))
    except ValueError:
        assert found is None
        return
    if found is None:
        parsed = ada_url.URL(href)
        lengths = {len(part) for part in parsed.hostname.removesuffix(".").split(".")}
        assert not href.startswith("http") or parsed.port == "0" or not lengths <= set(range(1, 64))
        return
    parsed = ada_url.URL(href)
    assert site(found) == parsed.host
    whole = parsed.pathname + parsed.search
    assert unquote_to_bytes(found.split("/", 3)[3]) == unquote_to_bytes(whole[1:])
    assert normalized(href) == found


@pytest.mark.parametrize(
    ("address", "registered"),
    [
        ("http://www.a.example.co.uk/", "example.co.uk"), ("http://a.com:81/x", "a.com"),
        ("http://a.b.github.io/", "b.github.io"), ("http://github.io/", "github.io"),
        ("http://co.uk/", "co.uk"), ("http://a.b.no-such-suffix/", "b.no-such-suffix"),
        ("http://localhost:8080/", "localhost"), ("http://127.0.0.1:80/", "127.0.0.1"),
        ("http://[::1]:8080/", "[::1]"), ("http://[::1]/", "[::1]"), ("http://a.test./", "a.test"),
        ("http://b.xn--e1afmkfd.xn--p1ai/", "xn--e1afmkfd.xn--p1ai"), ("http://spb.ru/", "spb.ru"),
        ("http://math.spbu.ru/", "spbu.ru"),
    ],
)  # fmt: skip
def test_registered_domains(address: str, registered: str) -> None:
    """A companion set that counts one owner's hosts many times, or all of a country once."""
    found = normalized(address)
    assert found is not None and domain(found) == registered


def test_the_spelling_of_the_paper() -> None:
    """Spellings that are one page in [BeeBot] and two here, or a changed requested address."""
    paper = Spelling("paper")
    assert paper.key("http://h.test/A/B/") == paper.key("http://h.test/a/b") == "http://h.test/a/b"
    assert paper.key("http://h.test/?Q=X/") == "http://h.test/?q=x"
    assert paper.key("http://h.test/") == "http://h.test/"
    assert Spelling("safe").key("http://h.test/A/") == key("http://h.test/A/") == "http://h.test/A"
    handles = Handles(paper)
    asked = ["http://h.test/A/", "http://h.test/a", "http://h.test/B"]
    assert [handles.handle(one) for one in asked] == [0, 0, 1]
    assert handles.address(0) == "http://h.test/A/"


def test_what_is_one_page() -> None:
    """Two pages taken for one, or one for two."""
    assert key("http://h/a/") == key("http://h/a") != key("http://h/A")
    assert key("http://h/") == "http://h/"
    assert key("http://h/?x=/") == "http://h/?x=/"
    assert site("http://h/a") == site("https://h/") != site("http://h:81/")


def test_handles_are_given_in_the_order_of_discovery() -> None:
    """A handle that changes, or an address that a later spelling changes."""
    handles = Handles()
    asked = ["http://h/a/", "http://h/", "http://h/a", "http://h/b"]
    assert [handles.handle(one) for one in asked] == [0, 1, 0, 2]
    assert [handles.address(k) for k in range(len(handles))] == [asked[0], asked[1], asked[3]]
    assert "http://h/b/" in handles and "http://h/c" not in handles
    assert len(handles) == 3
    for unknown in (-1, 3):
        with pytest.raises(KeyError):
            handles.address(unknown)


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("a.test", "http://a.test/"),
        (" A.test:8080/x?y#z ", "http://a.test:8080/x?y"),
        ("localhost:8000/a", "http://localhost:8000/a"),
        ("127.0.0.1", "http://127.0.0.1/"),
        ("[::1]:80/", "http://[::1]/"),
        ("пример.рф", "http://xn--e1afmkfd.xn--p1ai/"),
        ("https://a.test", "https://a.test/"),
        ("word", None),
        ("two words.test", None),
        ("1", None),
        ("3.5", None),
        ("1.2.3", None),
        ("mailto:x@y.z", None),
        ("user@a.test", None),
        ("a.test:path", None),
        ("a.test:99999", None),
        ("/a.test", None),
        ("//a.test/", None),
        ("a..test", None),
        ("1;Uni;u;a.test/", None),
        ("1,Uni,u,a.test", None),
        ("a.test/x;y,z", "http://a.test/x;y,z"),
        ("javascript:a.b", None),
        ("ftp://a.test/", None),
    ],
)
def test_address_as_it_is_typed(typed: str, address: str | None) -> None:
    """An address without a scheme that is refused, or a word, a number or another scheme taken."""
    assert as_typed(typed) == address
