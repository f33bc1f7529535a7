"""Legacy encodings, compared with a browser, which has the Encoding Standard's own tables."""

from __future__ import annotations

import base64
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.crawler.documents import encodings
from counterpoint.crawler.documents.legacy import decode, encode
from tests.needs import need

WIDE = ("big5", "euc-jp", "euc-kr", "gb18030", "gbk", "iso-2022-jp", "shift_jis")
NARROW = sorted(encodings.NAMES - set(WIDE))
FAULTS = {
    # These four codes are two characters each.
    "big5": re.compile(rb"\x88[\x62\x64\xa3\xa5]"),
    # After a code of three bytes that breaks off, it takes the next pair for the end of one.
    "euc-jp": re.compile(rb"\x8f[\xa1-\xfe][^\xa1-\xfe]", re.S),
    # It loses a byte after the beginning of an escape sequence.
    "iso-2022-jp": re.compile(rb"\x1b(?:\$[^@B]|\([^BIJ])", re.S),
}
"""What Chromium 156 decodes otherwise than the standard says."""

_DECODE = """([name, coded]) => {
    // A decoder for each: Chromium's decoders of Japanese keep their state at the end of a text.
    return coded.map(text => new TextDecoder(name, {ignoreBOM: true}).decode(
        Uint8Array.from(atob(text), c => c.charCodeAt(0))));
}"""

Decoder = Callable[[str, list[bytes]], list[str]]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Decoder]:
    """Yield a function that lets a browser decode bytes."""
    path = str(need("chromium"))
    from playwright.sync_api import sync_playwright

    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=options)
        page = browser.new_page()

        def decoded(name: str, bodies: list[bytes]) -> list[str]:
            coded = [base64.b64encode(body).decode() for body in bodies]
            found: list[str] = page.evaluate(_DECODE, [name, coded])
            return found

        yield decoded
        browser.close()


def faulty(name: str, body: bytes) -> bool:
    """Return whether Chromium decodes bytes wrongly."""
    return name in FAULTS and FAULTS[name].search(body) is not None


def sequences(name: str) -> Iterable[bytes]:
    """Return all bytes, and all sequences of bytes that may be one character of an encoding."""
    yield from (bytes([one]) for one in range(256))
    if name == "iso-2022-jp":
        for escape in (b"\x1b(B", b"\x1b(J", b"\x1b(I"):
            yield from (escape + bytes([one]) for one in range(256))
        for escape in (b"\x1b$B", b"\x1b$@"):
            for one in range(0x20, 0x82):
                yield from (escape + bytes([one, two]) for two in range(0x19, 0x82))
    elif name in WIDE:
        yield from (bytes([one, two]) for one in range(0x80, 0x100) for two in range(256))
    if name == "euc-jp":
        for one in range(0xA0, 0x100):
            yield from (bytes([0x8F, one, two]) for two in range(0x7F, 0x100))
    if name.startswith("gb"):
        for one, two in ((0x81, 0x30), (0x81, 0x35), (0x83, 0x36), (0x84, 0x31), (0x90, 0x30)):
            for three in range(0x81, 0xFF):
                yield from (bytes([one, two, three, four]) for four in range(0x30, 0x3A))


@pytest.mark.long
@pytest.mark.parametrize("name", [*WIDE, *NARROW])
def test_every_character(name: str, chromium: Decoder) -> None:
    """A character that Python's tables lack, or for which they have another one."""
    bodies = [body for body in sequences(name) if not faulty(name, body)]
    theirs = dict(zip(bodies, chromium(name, bodies), strict=True))
    ours = {body: decode(body, name) for body in bodies}
    assert {body: (ours[body], text) for body, text in theirs.items() if ours[body] != text} == {}


@pytest.mark.long
@pytest.mark.parametrize("name", WIDE)
def test_invalid_bytes(name: str, chromium: Decoder) -> None:
    """Text after invalid bytes that is read in the wrong pairs, or a ``<`` that is swallowed."""
    chance = Random(time.time_ns())
    print(f"the seed is {(seed := chance.getrandbits(64))}")
    chance = Random(seed)
    parts = [b"\x1b(B", b"\x1b(J", b"\x1b(I", b"\x1b$B", b"\x1b$@", b"\x1b", b"<", b"~", b"\\",
             b"\xa4\xa2", b"\xad\xa1", b"\x8f\xa2\xb7", b"\x8f", b"\x81\x30\x81\x30", b"\x81\x30",
             b"0", b"\xa2A", b"\xfe\xfe", b"\xff", b"\x80", b"\x81", b"\x8e\xb1",
             b"!!"]  # fmt: skip
    bodies = []
    for _ in range(10_000):
        pieces = [chance.choice([*parts, chance.randbytes(1), chance.randbytes(2)])
                  for _ in range(chance.randrange(1, 9))]  # fmt: skip
        body = b"".join(pieces)
        if not faulty(name, body):
            bodies.append(body)
    theirs = chromium(name, bodies)
    for body, text in zip(bodies, theirs, strict=True):
        assert decode(body, name) == text, body


@pytest.mark.parametrize(
    ("name", "body", "text"),
    [
        ("euc-jp", b"\xad\xa1\xf9\xa1<a>", "①纊<a>"),
        ("euc-jp", b"\xa1\xa1\xa1\xc1\x8f\xa2\xb7\xa1\xdd~", "\u3000～～－~"),
        ("euc-jp", b"\x8f\xa2A\xad\xa1", "\ufffdA①"),
        ("iso-2022-jp", b"\x1b$\xb9\xb9", "\ufffd$\ufffd\ufffd"),
        ("iso-2022-jp", b"\x1b$B-!y!\x1b(J\\~\x1b(I1\x1b(B<a>", "①纊¥‾ｱ<a>"),
        ("shift_jis", b"\x87\x40\xfa\x5c\xa0<a>", "①纊\ufffd<a>"),
        ("big5", b"\x88\x62\x88\xa5\xa2A\xa1\xfe\xa3\xe1\x87\x7a<a>", "Ê̄ê̌∕／€㡵<a>"),
        ("gbk", b"\x80\xa2\xe3\xa6\xd9<a>", "€€︐<a>"),
        ("gb18030", b"\x81\x35\xf4\x37\xa8\xbc", "\ue7c7ḿ"),
        ("koi8-u", b"\xae\xbe", "ўЎ"),
        ("windows-1255", b"\xca", "\u05ba"),
    ],
)
def test_characters_that_python_does_not_have(name: str, body: bytes, text: str) -> None:
    """Wrong characters for the rows of NEC and IBM, and all the text after them."""
    assert decode(body, name) == text


@given(st.sampled_from([*WIDE, *NARROW]), st.binary(max_size=60))
def test_what_was_decoded_can_be_encoded(name: str, body: bytes) -> None:
    """A link whose query has letters of its document that the server then cannot read."""
    text = decode(body, name)
    for letter in text:
        try:
            octets = encode(letter, name)
        except UnicodeEncodeError:
            continue
        assert decode(octets, name) in (letter, {"−": "－"}.get(letter))


@pytest.mark.parametrize(
    ("name", "text", "octets"),
    [
        ("euc-jp", "～", b"\xa1\xc1"), ("euc-jp", "①", b"\xad\xa1"), ("euc-jp", "纊", b"\xf9\xa1"),
        ("euc-jp", "〜", None), ("euc-jp", "丂", None), ("euc-jp", "≒", b"\xa2\xe2"),
        ("gbk", "€", b"\x80"), ("gbk", "ḿ", b"\xa8\xbc"), ("gbk", "ж\U00020000", None),
        ("gb18030", "\U00020000", b"\x95\x32\x82\x36"), ("big5", "／", b"\xa1\xfe"),
        ("big5", "㡵", None), ("big5", "廴", b"\xc6\xcf"), ("koi8-u", "ў", b"\xae"),
        ("windows-1252", "\x81", b"\x81"), ("shift_jis", "纊", b"\xfa\x5c"),
        ("big5", "十", b"\xa4\x51"),
        ("gb18030", "\ue7c7", b"\x81\x35\xf4\x37"), ("gb18030", "€", b"\xa2\xe3"),
        ("iso-2022-jp", "a①b纊", b"a\x1b$B-!\x1b(Bb\x1b$By!\x1b(B"),
        ("iso-2022-jp", "ｱ", None), ("shift_jis", "①", b"\x87\x40"),
    ],
)  # fmt: skip
def test_queries_as_browsers_send_them(name: str, text: str, octets: bytes | None) -> None:
    """Bytes that the standard's encoder does not write, so that the server finds nothing."""
    if octets is not None:
        assert encode(text, name) == octets
        return
    with pytest.raises(UnicodeEncodeError):
        encode(text, name)


@pytest.mark.parametrize(
    ("name", "body"),
    [("euc-jp", b"\xad\xa1"), ("euc-jp", b"\xe9<"), ("euc-jp", b"\x8f\xa2\xb7"),
     ("big5", b"\xa2A"), ("big5", b"\xa1\xfe"),
     ("gbk", b"\x80"), ("iso-2022-jp", b"\x1b$B!!"), ("shift_jis", b"\x81<"),
     ("gbk", b"\x81\x30")],
)  # fmt: skip
def test_decoding_takes_bounded_time(name: str, body: bytes) -> None:
    """A page of exceptions that delays the crawler by seconds a megabyte."""
    begun = time.process_time()
    decode(body * (2_000_000 // len(body)), name)
    assert time.process_time() - begun < 8
