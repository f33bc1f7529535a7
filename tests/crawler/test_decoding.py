"""The encoding of a document: declared correctly, wrongly, late or not at all."""

from __future__ import annotations

import codecs
import time
from collections.abc import Mapping

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from counterpoint.crawler.documents import encodings, prescan
from counterpoint.crawler.documents.decoding import How, Text, decoded, loaded
from counterpoint.crawler.documents.links import read
from counterpoint.sim_web import profile
from counterpoint.sim_web.answer import Question
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages.address import address
from counterpoint.sim_web.pages.encoding import LEGACY
from counterpoint.sim_web.pages.encoding import encoding as encoding_of
from counterpoint.sim_web.world.site import SyntheticSite

RUSSIAN = "<p>Администрация города сообщает, что движение по улице закрыто до вечера."


@pytest.mark.parametrize(
    ("body", "content_type", "encoding", "how", "refused"),
    [
        (b"\xef\xbb\xbfa", "text/html; charset=koi8-r", "utf-8", How.MARK, ""),
        (RUSSIAN.encode("koi8-r"), "text/html; charset=KOI8", "koi8-r", How.HEADER, ""),
        (b"<meta charset=cp1251>" + RUSSIAN.encode("cp1251"), "text/html", "windows-1251",
         How.DOCUMENT, ""),
        (RUSSIAN.encode("cp1251"), "", "windows-1251", How.DETECTED, ""),
        (RUSSIAN.encode("koi8-r"), "text/html; charset=utf-8", "koi8-r", How.DETECTED, "utf-8"),
        (RUSSIAN.encode(), "text/html; charset=windows-1252", "windows-1252", How.HEADER, ""),
        (RUSSIAN.encode(), "text/html; charset=euc-jp", "utf-8", How.DETECTED, "euc-jp"),
        (RUSSIAN.encode() * 9 + b"\xe9", "text/html; charset=utf-8", "utf-8", How.HEADER, ""),
        (RUSSIAN.encode() * 9 + b"\xd0", "", "utf-8", How.DETECTED, ""),
        (b"", "", "utf-8", How.DETECTED, ""),
        (b"caf\xe9", "text/html; charset=utf-8", "windows-1252", How.FALLBACK, "utf-8"),
        (b"<!-- \xe9" + b"\xe9" * 90, "", "windows-1252", How.FALLBACK, ""),
        (b"~{<a href=x>", "text/html; charset=hz-gb-2312", "utf-8", How.DETECTED, ""),
    ],
)  # fmt: skip
def test_how_an_encoding_is_found(
    body: bytes, content_type: str, encoding: str, how: How, refused: str
) -> None:
    """An impossible declaration that is used, or a usable one that is not."""
    found = loaded(body, content_type)
    assert found[1:] == (encoding, how, refused)
    assert decoded(body, content_type) == found.text


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        (b"<meta charset=koi8-r>", "koi8-r"), (b"<META/CHARSET='KOI8-R'>", "koi8-r"),
        (b"<meta a='>' charset = \"koi8-r\"/>", "koi8-r"), (b"<meta charset=koi8-r", None),
        (b"<metacharset=koi8-r>", None), (b"<meta charset>", None),
        (b"<meta content='x;charset=koi8-r'>", None),
        (b"<meta http-equiv=refresh content='x;charset=koi8-r'>", None),
        (b"<meta content='x; charset charset = \"koi8-r' http-equiv=content-TYPE>", None),
        (b"<meta content='x; charset = \"koi8-r\"' http-equiv=content-TYPE>", "koi8-r"),
        (b"<meta http-equiv=Content-Type content=text/html;charset=koi8-r;x>", "koi8-r"),
        (b"<meta http-equiv=content-type content=charset=koi8-r charset=no-such>", None),
        (b"<meta charset=koi8-r charset=utf-8>", "koi8-r"), (b"<meta charset=utf-16le>", "utf-8"),
        (b"<meta charset=x-user-defined>", "windows-1252"),
        (b"<!-- <meta charset=koi8-r> --><meta charset=cp1251>", "windows-1251"),
        (b"<!--><meta charset=koi8-r>", "koi8-r"), (b"<!-- <meta charset=koi8-r>", None),
        (b"<a title='<meta charset=koi8-r>'><meta charset=cp1251>", "windows-1251"),
        (b"<!x '<meta charset=koi8-r>", None), (b"<!x><?y></ z><meta charset=koi8-r>", "koi8-r"),
        (b"<a x<meta charset=koi8-r><meta charset=cp1251>", "windows-1251"),
        (b"<meta charset=no-such><meta charset=koi8-r>", "koi8-r"),
        (b"<?xml version='1.0' encoding = \"koi8-r\"?><p>", "koi8-r"),
        (b"<?xml encoding='koi8-r'?><meta charset=cp1251>", "windows-1251"),
        (b" <?xml encoding='koi8-r'?>", None), (b"<?xml encoding=koi8-r?>", None),
        (b"<\0?\0x\0m\0", "utf-16le"), (b"\0<\0?\0x\0m", "utf-16be"),
        (b"<p>" * 337 + b"<meta charset=koi8-r>", None),
    ],
)  # fmt: skip
def test_the_prescan(head: bytes, encoding: str | None) -> None:
    """A declaration that a browser finds and we do not, or the other way round."""
    assert prescan.declared(head[: prescan.FIRST]) == encoding


LONG = b"<script>" + b"let tag = 1;" * 99 + b"tag = '<meta charset=big5>'</script>"
"""More bytes than the prescan reads, which takes scripts for markup."""


@pytest.mark.parametrize(
    ("late", "encoding"),
    [
        (LONG + b"<meta charset=koi8-r>", "koi8-r"),
        (LONG + b"<body><p><meta http-equiv=Content-Type content='a;charset=koi8-r'>", "koi8-r"),
        (LONG + b"<meta name=a><!-- <meta charset=big5> --!><meta charset=koi8-r>", "koi8-r"),
        (LONG + b"<title><meta charset=big5></title><meta charset=no><meta charset=koi8-r>",
         "koi8-r"),
        (LONG + b"<a title='<meta charset=big5>' b=\"<meta charset=big5>\"><meta charset=koi8-r>",
         "koi8-r"),
        (LONG[:-9] + b"<meta charset=koi8-r>", None),
        (LONG + b"<!--<meta charset=koi8-r>", None),
        (LONG + b"<meta charset=koi8-r", None),
    ],
)  # fmt: skip
def test_a_declaration_behind_the_first_bytes(late: bytes, encoding: str | None) -> None:
    """A declaration that a browser meets after a script, or one that it never meets."""
    assert len(LONG) > prescan.FIRST and prescan.declared(late[: prescan.FIRST]) is None
    assert prescan.met(late) == encoding
    found = loaded(late + RUSSIAN.encode("koi8-r"))
    assert (found.how is How.DOCUMENT) == (encoding is not None)
    assert found.text.endswith(RUSSIAN) or encoding is None
    assert loaded(late, "text/html; charset=cp1251").how is How.HEADER


_MARKUP = st.lists(
    st.sampled_from([
        "<meta charset=koi8-r>", "<META charset = 'no' >", '<meta charset="cp1251"/>', "<meta a>",
        "<meta http-equiv=content-type content='a; charset=gbk'>", "<!--", "-->", "--!>", "<!-->",
        "<script>", "</script>", "<style a='>'>", "</style >", "<title>", "</title/>", "<p a=b'c>",
        "<textarea>", "</textarea>", "<a b=\"", "<a b='", "'", '"', ">", "<", "</", "<!x", "<?y",
        "text", " ", "=", "<p\u00e9>", "</metal>", "<metal>", "<xmp>", "</xmp>",
    ]),
    max_size=12,
).map("".join)  # fmt: skip


@given(_MARKUP)
@example("<meta a=b'><meta charset=koi8-r>'>")
def test_the_parser_meets_the_same_declaration(markup: str) -> None:
    """A ``meta`` in a comment or a script that counts, or a real one that does not."""
    tags = LexborHTMLParser(markup).css("meta")
    theirs = [prescan.declared(_alone(tag.attributes)) for tag in tags]
    assert prescan.met(markup.encode()) == next(filter(None, theirs), None)


def _alone(attributes: Mapping[str, str | None]) -> bytes:
    """Return a ``meta`` with these attributes and nothing around it."""
    pairs = (f'{name}="{value or ""}"' for name, value in attributes.items() if name.isalpha()
             or name == "http-equiv")  # fmt: skip
    return f"<meta {' '.join(pairs)}>".encode()


_HEADS = st.lists(
    st.sampled_from(
        [b"<meta ", b"charset", b"=", b"koi8-r", b"'", b'"', b">", b"<!--", b"-->", b"<", b"/",
         b" ", b"<a ", b"content", b"http-equiv", b"content-type", b";", b"<?xml ", b"encoding",
         b"\xe9"]
    ),
    max_size=20,
).map(b"".join)  # fmt: skip


@given(_HEADS, st.sampled_from(["", "text/html; charset=utf-8", "text/html; charset=koi8-r"]))
@example(b"<meta charset=koi8-r>", "")
def test_whatever_is_declared_can_be_decoded(head: bytes, content_type: str) -> None:
    """A crash on invalid bytes, or on a label that is not an encoding."""
    found = loaded(head, content_type)
    assert found.encoding in encodings.NAMES
    assert loaded(head, content_type) == found
    assert prescan.declared(head) in encodings.NAMES | {None}


def test_all_labels_have_codecs() -> None:
    """An encoding that Python names differently, so that its first page causes a crash."""
    assert len(encodings.NAMES) == 38
    for name in encodings.NAMES:
        assert encodings.named(f" {name.upper()}\n") == name
        assert codecs.lookup(encodings.codec(name))
        again = encodings.name_of(encodings.codec(name))
        assert again == {"gbk": "gb18030", "iso-8859-8-i": "iso-8859-8"}.get(name, name)
    assert encodings.named("latin1") == encodings.named("us-ascii") == "windows-1252"
    assert encodings.named("iso-2022-kr") is encodings.named("utf-7") is None


def test_windows_1252_has_no_errors() -> None:
    """Pages with the five unused bytes taken for wrongly declared ones."""
    found = loaded(bytes(range(256)), "text/html; charset=latin1")
    assert found.encoding == "windows-1252" and "\x81" in found.text and "�" not in found.text


def by_declaration(declared: str, language: str) -> list[tuple[str, Text, str]]:
    """Return the true encoding of pages of one language, their decodings, and the web's truth."""
    found = []
    for legacy in (0.0, 1.0):
        style = {"languages": {language: 1}, "legacy": legacy, "declared": {declared: 1},
                 "gzip": 0, "brotli": 0, "frames": 0, "aliases": 0}  # fmt: skip
        mapping = {"hosts": {"mean_pages": 12}, "style": style}
        web = Web(profile.from_mapping(mapping, "test", "test"), 200, 3)
        site = SyntheticSite(web)
        for page in range(0, web.pages, 8):
            answer = site.answer(Question(address(web, page), 0.0))
            name = encoding_of(web, web.host(page)).name
            document = loaded(answer.body, dict(answer.headers)["Content-Type"])
            found.append((name, document, answer.body.decode(encodings.codec(name))))
    return found


LANGUAGES = pytest.mark.parametrize("language", LEGACY)


@LANGUAGES
@pytest.mark.parametrize("declared", ["header", "meta"])
def test_a_right_declaration(language: str, declared: str) -> None:
    """A correctly declared page that is decoded otherwise."""
    documents = by_declaration(declared, language)
    assert {name for name, _, _ in documents} == {"utf-8", *LEGACY[language]}
    how = How.HEADER if declared == "header" else How.DOCUMENT
    for name, document, text in documents:
        assert document == (text, name, how, "")


@LANGUAGES
def test_no_declaration(language: str) -> None:
    """A language whose pages can be read only if declared, or a wrong guess.

    Of Japanese in Shift_JIS the detector recognizes natural text, but not all random words of this
    web; then it must report that it does not know the encoding.
    """
    documents = by_declaration("none", language)
    assert {name for name, _, _ in documents} == {"utf-8", *LEGACY[language]}
    right = 0
    for name, document, text in documents:
        assert document.how in (How.DETECTED, How.FALLBACK) and not document.refused
        right += document.text == text
        if document.text != text:
            assert (name, document.how) == ("shift_jis", How.FALLBACK)
    assert right >= (0.65 if language == "ja" else 1) * len(documents)
    natural = "これは日本語の文章です。東京都の天気は晴れでしょう。詳しくはこちらをご覧ください。"
    for name in ("shift_jis", "euc-jp"):
        assert loaded(natural.encode(name))[:3] == (natural, name, How.DETECTED)


@LANGUAGES
def test_a_wrong_declaration(language: str) -> None:
    """A page that is not decoded again although its declared encoding is impossible.

    A declared encoding with one octet per letter is always possible, so its error cannot be
    noticed.
    """
    for name, document, text in by_declaration("wrong", language):
        if name in ("windows-1252", "gb18030"):
            assert document.text == text
            assert text.isascii() or (document.how, document.refused) != (How.HEADER, "")
        else:
            assert (document.how, document.refused) == (How.HEADER, "")


def test_links_survive_a_wrong_encoding() -> None:
    """Links lost because letters were decoded wrongly."""
    body = f'{RUSSIAN}<a href="/a?b=c">{RUSSIAN[3:]}</a><a href=//o.test>x</a>'.encode("koi8-r")
    for label in ("utf-8", "shift_jis", "gb18030", "utf-7", "windows-1251"):
        assert read(decoded(body, f"text/html; charset={label}"), "http://h.test/").all == [
            "http://h.test/a?b=c", "http://o.test/",
        ]  # fmt: skip


def test_queries_are_written_in_the_encoding_of_their_document() -> None:
    """A query in a link that a Russian or Japanese server does not understand."""
    for encoding, reference, target in (
        ("windows-1251", "/п?к=ж&x=\u4e00#ж", "/%D0%BF?%EA=%E6&x=%26%2319968%3B"),
        ("shift_jis", "?ソ", "/d?%83\\"),
        ("utf-8", "?ж", "/d?%D0%B6"),
        ("utf-16le", "?ж", "/d?%D0%B6"),
        ("koi8-r", "#?ж", "/d"),
    ):
        found = read(f'<a href="{reference}">', "http://h.test/d", encoding)
        assert found.all == [f"http://h.test{target}"]


@pytest.mark.parametrize(
    "body",
    [b"\xe9<" * 2_000_000, b"<!--\xe9" * 1_000_000, b"<script>\xe9" * 1_000_000,
     bytes(range(256)) * 20_000, b"\xc3\xa9 \xe9" * 1_000_000, b"<meta " * 1_000_000,
     b"charset=" * 1_000_000, b"<meta content=charset" + b"=" * 3_000_000,
     b"<meta charset=x>" * 600_000, b"charset=<meta charset='" * 300_000,
     b"charset=<a b='" * 500_000, b"charset=" + b"</" * 3_000_000,
     b"charset=" + b"<title>" * 1_000_000],
    ids=lambda body: repr(body[:12]),
)  # fmt: skip
def test_detection_takes_bounded_time(body: bytes) -> None:
    """A page that delays the crawler because its encoding is hard to detect."""
    begun = time.process_time()
    loaded(body)
    assert time.process_time() - begun < 5
