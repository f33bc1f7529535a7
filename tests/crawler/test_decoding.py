"""What a document is encoded in: declared rightly, wrongly, late or not at all."""

from __future__ import annotations

import codecs
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

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
    """A declaration that is believed though nothing can be read by it; one that is not believed."""
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
    """A declaration that a browser sees and we do not, or the other way round."""
    assert prescan.declared(head[: prescan.FIRST]) == encoding


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
    """A crash on garbage; a label that is no encoding."""
    found = loaded(head, content_type)
    assert found.encoding in encodings.NAMES
    assert loaded(head, content_type) == found
    assert prescan.declared(head) in encodings.NAMES | {None}


def test_all_labels_have_codecs() -> None:
    """An encoding that Python calls otherwise, and so a crash when the first page of it comes."""
    assert len(encodings.NAMES) == 38
    for name in encodings.NAMES:
        assert encodings.named(f" {name.upper()}\n") == name
        assert codecs.lookup(encodings.codec(name))
        again = encodings.name_of(encodings.codec(name))
        assert again == {"gbk": "gb18030", "iso-8859-8-i": "iso-8859-8"}.get(name, name)
    assert encodings.named("latin1") == encodings.named("us-ascii") == "windows-1252"
    assert encodings.named("iso-2022-kr") is encodings.named("utf-7") is None


def test_windows_1252_has_no_errors() -> None:
    """Pages of five unused bytes taken for wrongly declared ones."""
    found = loaded(bytes(range(256)), "text/html; charset=latin1")
    assert found.encoding == "windows-1252" and "\x81" in found.text and "�" not in found.text


def by_declaration(declared: str, language: str) -> list[tuple[str, Text, str]]:
    """Return the true encoding of pages of one language, how they are loaded, and the truth."""
    found = []
    for legacy in (0.0, 1.0):
        style = {"languages": {language: 1}, "legacy": legacy, "declared": {declared: 1},
                 "gzip": 0, "brotli": 0, "frames": 0, "aliases": 0}  # fmt: skip
        told = {"hosts": {"mean_pages": 12}, "style": style}
        web = Web(profile.from_mapping(told, "test", "test"), 200, 3)
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
    """A page that was declared rightly, and is read otherwise."""
    told = by_declaration(declared, language)
    assert {name for name, _, _ in told} == {"utf-8", *LEGACY[language]}
    how = How.HEADER if declared == "header" else How.DOCUMENT
    for name, document, text in told:
        assert document == (text, name, how, "")


@LANGUAGES
def test_no_declaration(language: str) -> None:
    """A language whose pages cannot be read unless they tell their encoding; a wrong guess.

    Of Japanese in Shift_JIS the detector recognizes natural text, but not all of this web's random
    words; then it must say that it knows nothing.
    """
    told = by_declaration("none", language)
    assert {name for name, _, _ in told} == {"utf-8", *LEGACY[language]}
    right = 0
    for name, document, text in told:
        assert document.how in (How.DETECTED, How.FALLBACK) and not document.refused
        right += document.text == text
        if document.text != text:
            assert (name, document.how) == ("shift_jis", How.FALLBACK)
    assert right >= (0.65 if language == "ja" else 1) * len(told)
    natural = "これは日本語の文章です。東京都の天気は晴れでしょう。詳しくはこちらをご覧ください。"
    for name in ("shift_jis", "euc-jp"):
        assert loaded(natural.encode(name))[:3] == (natural, name, How.DETECTED)


@LANGUAGES
def test_a_wrong_declaration(language: str) -> None:
    """A page that is not loaded again though what is declared fits nowhere.

    What is declared to be of one octet a letter fits always, so nothing can be seen of it.
    """
    for name, document, text in by_declaration("wrong", language):
        if name in ("windows-1252", "gb18030"):
            assert document.text == text
            assert text.isascii() or (document.how, document.refused) != (How.HEADER, "")
        else:
            assert (document.how, document.refused) == (How.HEADER, "")


def test_links_survive_a_wrong_encoding() -> None:
    """Links lost because letters were."""
    body = f'{RUSSIAN}<a href="/a?b=c">{RUSSIAN[3:]}</a><a href=//o.test>x</a>'.encode("koi8-r")
    for label in ("utf-8", "shift_jis", "gb18030", "utf-7", "windows-1251"):
        assert read(decoded(body, f"text/html; charset={label}"), "http://h.test/").all == [
            "http://h.test/a?b=c", "http://o.test/",
        ]  # fmt: skip


def test_queries_are_written_in_the_encoding_of_their_document() -> None:
    """A search form's link that a Russian or Japanese server does not understand."""
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
     b"charset=" * 1_000_000, b"<meta content=charset" + b"=" * 3_000_000],
    ids=lambda body: repr(body[:12]),
)  # fmt: skip
def test_detection_takes_bounded_time(body: bytes) -> None:
    """A page that holds up the crawler because its encoding is hard to tell."""
    begun = time.process_time()
    loaded(body)
    assert time.process_time() - begun < 5
