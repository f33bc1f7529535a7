"""Decodes and encodes legacy encodings as the Encoding Standard says.

Python has codecs for the same encodings, but their tables differ from the standard's: in EUC-JP and
ISO-2022-JP the rows of NEC and IBM are missing, in Big5 a part of Hong Kong's characters, and some
signs are other ones. So Python's codec decodes a text, an error handler adds the missing characters
(`_BIG5`; the rows of NEC and IBM are the same as in Python's cp932), and the different ones are
replaced (`_OTHER`). Invalid bytes become U+FFFD as in the standard, so that an ASCII character
after one, which may begin a tag, survives.

The tables were made from the index files of the standard, as the npm package
``@sinonjs/text-encoding`` has them, with the changes of GB 18030-2022; tests compare all of them
with a browser.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from functools import lru_cache

from .encodings import codec

_SINGLE = ("windows-", "iso-8859-", "koi8-", "ibm866", "macintosh", "x-mac-")
"""Prefixes of the names of single-byte encodings."""
_BYTES = {("koi8-u", 0xAE): "ў", ("koi8-u", 0xBE): "Ў", ("windows-1255", 0xCA): "\u05ba"}
"""Bytes of single-byte encodings for which Python has another character, or none."""

_OTHER: dict[str, dict[int, int]] = {
    "big5": str.maketrans("•､‾∼♁☉¥¢£", "‧﹑¯～⊕⊙￥￠￡"),
    "euc-jp": str.maketrans("〜‖−¢£¬", "～∥－￠￡￢"),
    "gbk": str.maketrans(
        "\ue5e5\ue7c7\u1e3f\ue78d\ue78e\ue78f\ue790\ue791\ue792\ue793\ue794\ue795\ue796"
        "\ue81e\ue826\ue82b\ue82c\ue832\ue843\ue854\ue864",
        "\u3000\u1e3f\ue7c7\ufe10\ufe12\ufe11\ufe13\ufe14\ufe15\ufe16\ufe17\ufe18\ufe19"
        "\u9fb4\u9fb5\u9fb6\u9fb7\u9fb8\u9fb9\u9fba\u9fbb",
    ),
    "shift_jis": str.maketrans("\uf8f0\uf8f1\uf8f2\uf8f3", "\ufffd" * 4),
}
"""Characters that Python's codecs return for bytes that are other ones in the standard."""
_OTHER["gb18030"] = _OTHER["gbk"]

_BIG5 = """
877a㡵𡵓𣚞𦀡㻬𥣞㫵竼龗𤅡𨤍𣇪𠪊𣉞䌊蒄龖鐯䤰蘓墖靊鈘秐稲晠権袝瑌篅枂稬剏遆
87be㓦珄𥶹瓆鿇垳䤯呌䄱𣚎堘穲𧭥讏䚮𦺈䆁𥶙箮𢒼鿈𢓁𢓉𢓌鿉蔄𣖻䂴鿊䓡𪷿拁灮鿋 8e69箸 8e6f簆
8e7e糎 8eab緒 8eb4縝 8ecd者 8ed0耨 8f57菁 8f69蒨 8f6e萏 8fcb覦覩 8ffe起 906d都 907a銹 90dc靜
90f1響 91bf鼖 9244蔃 92af兙兛兝兞 92c8鍮 92d1瑹 9447浧 94ca禛 95d9邗 9644靝 96ed瀞 96fc嬨
9b76爁 9b78矗 9b7b纇 9bc6駖 9bde釔 9bec惞 9bf6澶 9c42輶 9c53侻 9c62營 9c68鄄 9c6b鷰 9c77菏
9cbc尐秣 9cd0婧 9d57輋 9d5a筑 9dc4拐 9ea9恢 9eef痹 9efd汊 9f60鬮 9f66鼗 9fcb僭 9fd8弌 a063蠏
a077拎 a0d5瑨 a0df煢 a0e4牐 a3c0␀␁␂␃␄␅␆␇␈␉␊␋␌␍␎␏␐␑␒␓␔␕␖␗␘␙␚␛␜␝␞␟␡€ c6cf廴 c6d3无 c6d5癶
c6d7隶 c6de〃仝 fa5f倩 fa66偽 fabd包 fac5卄 fad5卿 fb48嘅 fbb8婷 fbf3幵 fbf9廐 fc4f彘 fc6c悤
fcb9撐 fce2晴 fcf1杞 fdb7沜渝 fdbb港 fdf1煮 fe52猪 fe6f瑜 feaa瓩 fedd砉
"""
"""Characters of Big5 that Python lacks: the first bytes, then characters with consecutive codes."""
_SLASHES = {b"\xa2A": "∕", b"\xa2B": "﹨"}
"""Codes of Big5 that Python takes for the full-width slash and backslash, which have others too."""
_NO_TILDE = re.compile(
    rb"(?:[\0-\x7f\x80-\x8d\x90-\xa0\xff]|[\x8e\xa1-\xfe][\x80-\xff]?"
    rb"|(?!\x8f\xa2\xb7)\x8f(?:[\xa1-\xfe][\x80-\xff]?|[\x80-\xff])?)*+"
)
"""All codes of EUC-JP, with their faults, but that for which Python has an ASCII tilde."""
_FIRST = {
    "big5": range(0xA1, 0xFF), "euc-kr": range(0x81, 0xFF), "gbk": range(0x81, 0xFF),
    "gb18030": range(0x81, 0xFF), "euc-jp": [0x8E, *range(0xA1, 0xFF)],
    "shift_jis": [*range(0x81, 0xED), 0xEF, *range(0xFA, 0xFD)],
}  # fmt: skip
"""The first bytes of the codes that encoders write: no characters of Hong Kong in Big5, and in
Shift_JIS neither NEC's rows of IBM's characters nor those of the user."""
_NO_SLASH = re.compile(rb"(?:[\0-\x80\xff]|(?!\xa2[AB])[\x81-\xfe][\x40-\x7e\x80-\xff]?)*+")
"""All codes of Big5, with their faults, but those."""


def decode(body: bytes, name: str) -> str:
    """Return the text of bytes in an encoding, with U+FFFD for what is invalid.

    Parameters
    ----------
    body : bytes
    name : str
        The standard's name of the encoding, in lower case.
    """
    if name.startswith(_SINGLE):
        return codecs.charmap_decode(body, "replace", _letters(name))[0]
    if name == "iso-2022-jp":
        return _iso_2022_jp(body)
    text = body.decode(codec(name), _HANDLERS.get(name, "replace"))
    if name == "euc-jp" and b"\x8f\xa2\xb7" in body:
        text = _apart(body, name, _NO_TILDE, {b"\x8f\xa2\xb7": "～"})
    if name == "big5" and ("／" in text or "＼" in text):
        text = _apart(body, name, _NO_SLASH, _SLASHES)
    other = _OTHER.get(name)
    if other is None or text.isascii() or not _any_of(name).search(text):
        return text
    return text.translate(other)


def encode(text: str, name: str) -> bytes:
    """Return a text in an encoding.

    Raises
    ------
    UnicodeEncodeError
        If the standard's encoder has no bytes for a character of the text.
    """
    if name.startswith(_SINGLE):
        return codecs.charmap_encode(text, "strict", codecs.charmap_build(_letters(name)))[0]
    if name == "iso-2022-jp":
        return _as_iso_2022_jp(text)
    if name not in _HANDLERS:
        return text.encode(codec(name))
    return b"".join(_octets(letter, name) for letter in text)


def _octets(letter: str, name: str) -> bytes:
    """Return the bytes of a character in an encoding of several bytes a character."""
    if letter.isascii():
        return letter.encode()
    found = _codes(name).get(letter)
    if found is None and name.startswith("gb") and letter != "\ue5e5":
        found = letter.translate(_OTHER[name] if letter == "\ue7c7" else {}).encode(codec(name))
        found = None if name == "gbk" and len(found) > 2 else found
    if found is None:
        raise UnicodeEncodeError(name, letter, 0, 1, "the encoding does not have it")
    return found


@lru_cache(maxsize=8)
def _codes(name: str) -> dict[str, bytes]:
    """Return the bytes of the characters of at most two bytes, as the standard's encoder has them.

    Of several codes it takes the first one.
    """
    singles = [bytes([octet]) for octet in range(0x80, 0x100)]
    pairs = [bytes((first, second)) for first in _FIRST[name] for second in range(0x40, 0x100)]
    found: dict[str, bytes] = {"¥": b"\\", "‾": b"~"} if name in ("euc-jp", "shift_jis") else {}
    for octets in (*singles, *pairs):
        letter = decode(octets, name)
        if len(letter) == 1 and letter != "\ufffd":
            if name == "big5" and letter in "═╞╡╪十卅":
                found.pop(letter, None)
            found.setdefault(letter, octets)
    if "－" in found:
        found.setdefault("−", found["－"])
    return found if name != "gb18030" else found | {"€": b"\xa2\xe3"}


def _as_iso_2022_jp(text: str) -> bytes:
    found, double = bytearray(), False
    for letter in text:
        octets = _octets(letter, "euc-jp")
        if octets[0] == 0x8E or (len(octets) == 1 and not letter.isascii()):
            raise UnicodeEncodeError("iso-2022-jp", letter, 0, 1, "the encoding does not have it")
        if (len(octets) == 2) != double:
            double = not double
            found += b"\x1b$B" if double else b"\x1b(B"
        found += octets.translate(_LOWERED)
    return bytes(found + b"\x1b(B") if double else bytes(found)


def _apart(body: bytes, name: str, others: re.Pattern[bytes], characters: dict[bytes, str]) -> str:
    """Return the text of bytes in which some codes are not those of Python.

    Parameters
    ----------
    body : bytes
    name : str
        The name of the encoding.
    others : re.Pattern
        Matches all codes but these.
    characters : dict of bytes to str
        The characters of these codes, which have the same length.
    """
    pieces, at, size = [], 0, len(next(iter(characters)))
    while at < len(body):
        match = others.match(body, at)
        end = match.end() if match is not None else at
        pieces.append(body[at:end].decode(codec(name), _HANDLERS[name]))
        pieces.append(characters.get(body[end : end + size], ""))
        at = end + size
    return "".join(pieces)


@lru_cache(maxsize=32)
def _letters(name: str) -> str:
    """Return the characters of all 256 bytes of a single-byte encoding.

    Where Python's codec has no character, the standard's control character is used.
    """
    letters = [bytes([octet]).decode(codec(name), "replace") for octet in range(256)]
    for octet in range(0x80, 0xA0):
        letters[octet] = letters[octet].replace("\ufffd", chr(octet))
    for (encoding, octet), letter in _BYTES.items():
        if encoding == name:
            letters[octet] = letter
    return "".join(letters)


@lru_cache(maxsize=8)
def _any_of(name: str) -> re.Pattern[str]:
    return re.compile("[" + "".join(map(chr, _OTHER[name])) + "]")


# Errors of Python's decoders

_Error = Callable[[UnicodeError], tuple[str | bytes, int]]


def _invalid(body: bytes, at: int, lead: bool) -> tuple[str, int]:
    """Return U+FFFD and where to continue: an ASCII character after a first byte is kept."""
    if lead and at + 1 < len(body) and body[at + 1] >= 0x80:
        return "\ufffd", at + 2
    return "\ufffd", at + 1


def _euc_jp(error: UnicodeError) -> tuple[str | bytes, int]:
    assert isinstance(error, UnicodeDecodeError)
    body, at = error.object, error.start
    first, pair = body[at], body[at : at + 2]
    letter = _ibm().get(pair)
    if letter is not None:
        return letter, at + 2
    if first == 0x8F and len(pair) == 2 and 0xA1 <= pair[1] <= 0xFE:  # one of three bytes
        _, end = _invalid(body, at + 1, lead=True)
        return "\ufffd", end
    return _invalid(body, at, first in (0x8E, 0x8F) or 0xA1 <= first <= 0xFE)


@lru_cache(maxsize=1)
def _ibm() -> dict[bytes, str]:
    """Return the characters of NEC and IBM by their pairs of bytes in EUC-JP."""
    found = {}
    for row in (0xAD, *range(0xF9, 0xFD)):
        for cell in range(0xA1, 0xFF):
            first, second = divmod((row - 0xA1) * 94 + cell - 0xA1, 188)
            first += 0x81 if first < 0x1F else 0xC1
            second += 0x40 if second < 0x3F else 0x41
            letter = bytes((first, second)).decode("cp932", "replace")
            if len(letter) == 1 and letter != "\ufffd":
                found[bytes((row, cell))] = letter
    return found


@lru_cache(maxsize=1)
def _big5() -> dict[bytes, str]:
    found = {}
    for run in _BIG5.split():
        code = int(run[:2], 16) * 157 + _cell(int(run[2:4], 16))
        for number, letter in enumerate(run[4:], code):
            row, cell = divmod(number, 157)
            found[bytes((row, cell + (0x40 if cell < 0x3F else 0x62)))] = letter
    return found


def _cell(octet: int) -> int:
    return octet - (0x40 if octet < 0x7F else 0x62)


def _of_big5(error: UnicodeError) -> tuple[str | bytes, int]:
    assert isinstance(error, UnicodeDecodeError)
    body, at = error.object, error.start
    letter = _big5().get(body[at : at + 2])
    return (letter, at + 2) if letter else _invalid(body, at, 0x81 <= body[at] <= 0xFE)


def _gb18030(error: UnicodeError) -> tuple[str | bytes, int]:
    assert isinstance(error, UnicodeDecodeError)
    body, at = error.object, error.start
    if body[at] == 0x80:
        return "€", at + 1
    four = body[at : at + 4]
    if re.fullmatch(rb"[\x81-\xfe][0-9](?:[\x81-\xfe][0-9]?)?", four):
        # Four bytes without a character, or the end of the text within them.
        return "\ufffd", at + len(four)
    return _invalid(body, at, 0x81 <= body[at] <= 0xFE)


def _euc_kr(error: UnicodeError) -> tuple[str | bytes, int]:
    assert isinstance(error, UnicodeDecodeError)
    return _invalid(error.object, error.start, 0x81 <= error.object[error.start] <= 0xFE)


def _shift_jis(error: UnicodeError) -> tuple[str | bytes, int]:
    assert isinstance(error, UnicodeDecodeError)
    first = error.object[error.start]
    return _invalid(error.object, error.start, 0x81 <= first <= 0x9F or 0xE0 <= first <= 0xFC)


_FUNCTIONS: dict[str, _Error] = {
    "big5": _of_big5, "euc-jp": _euc_jp, "euc-kr": _euc_kr, "gbk": _gb18030, "gb18030": _gb18030,
    "shift_jis": _shift_jis,
}  # fmt: skip
_HANDLERS = {name: f"counterpoint.{name}" for name in _FUNCTIONS}
for _name, _function in _FUNCTIONS.items():
    codecs.register_error(_HANDLERS[_name], _function)


# ISO-2022-JP, of which Python's codec knows too few escape sequences

_ESCAPE = re.compile(rb"\x1b(\([BJI]|\$[@B])")
_TOKENS = re.compile(rb"[\x21-\x7e][^\x1b]?|.", re.S)
_PAIRS = re.compile(rb"(?:[\x21-\x7e]{2})*+")
_LOWERED = bytes(octet & 0x7F for octet in range(256))
_HIGH = bytes(octet | 0x80 for octet in range(256))
_LOW = [chr(octet) if octet < 0x80 and octet not in b"\x0e\x0f\x1b" else "\ufffd"
        for octet in range(256)]  # fmt: skip
_SETS = {
    b"(B": "".join(_LOW),
    b"(J": "".join(_LOW).replace("\\", "¥").replace("~", "‾"),
    b"(I": "".join(
        chr(0xFF61 + octet - 0x21) if 0x21 <= octet <= 0x5F else "\ufffd" for octet in range(256)
    ),
}


def _iso_2022_jp(body: bytes) -> str:
    parts = _ESCAPE.split(body)
    letters = [codecs.charmap_decode(parts[0], "replace", _SETS[b"(B"])[0]]
    for number in range(1, len(parts), 2):
        part = parts[number + 1]
        if number > 1 and not parts[number - 1]:
            letters.append("\ufffd")  # nothing was written since the last escape sequence
        table = _SETS.get(parts[number])
        letters.append(codecs.charmap_decode(part, "replace", table)[0] if table else _double(part))
    return "".join(letters)


def _double(part: bytes) -> str:
    """Return characters of two bytes each."""
    if _PAIRS.fullmatch(part):
        return decode(part.translate(_HIGH), "euc-jp")
    return "".join(
        decode(token.translate(_HIGH), "euc-jp") if _PAIRS.fullmatch(token) else "\ufffd"
        for token in _TOKENS.findall(part)
    )
