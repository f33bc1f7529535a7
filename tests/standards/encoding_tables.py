"""The Encoding Standard's indices and labels, and the W3C's documents that declare an encoding.

The indices are those of the standard's reference implementation in JavaScript. Every pointer of an
index becomes bytes by the formulas of the standard's decoders, read backwards.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache

import webencodings
from w3lib.encoding import html_to_unicode, to_unicode

from counterpoint.crawler.documents.decoding import loaded
from counterpoint.crawler.documents.encodings import named
from counterpoint.crawler.documents.legacy import decode
from tests.needs import find

from .suite import OURS, Case, Suite

PACKAGE = "libjs-text-encoding"
PAGES = "golang-golang-x-net-dev"
MULTIPLE = {
    "big5": ["big5"], "euc-kr": ["euc-kr"], "gb18030": ["gbk", "gb18030"],
    "jis0208": ["euc-jp", "shift_jis", "iso-2022-jp"], "jis0212": ["euc-jp"],
}  # fmt: skip
"""The encodings of each index of several bytes a character."""


@lru_cache(maxsize=1)
def _indices() -> dict[str, list[int | None]]:
    path = find(PACKAGE)
    assert path is not None
    text = path.read_text()
    table = text[text.index('{\n  "big5"') :].partition("\n};")[0] + "}"
    found: dict[str, list[int | None]] = json.loads(table)
    return found


def octets(name: str, index: str, pointer: int) -> bytes | None:
    """Return the bytes of a pointer; None if an encoding has no bytes for it."""
    if index == "big5":
        lead, trail = divmod(pointer, 157)
        return bytes((lead + 0x81, trail + (0x40 if trail < 0x3F else 0x62)))
    if index in ("euc-kr", "gb18030"):
        lead, trail = divmod(pointer, 190)
        if index == "euc-kr":
            return bytes((lead + 0x81, trail + 0x41))
        return bytes((lead + 0x81, trail + (0x40 if trail < 0x3F else 0x41)))
    if name == "shift_jis":
        lead, trail = divmod(pointer, 188)
        first = lead + (0x81 if lead < 0x1F else 0xC1)
        return bytes((first, trail + (0x40 if trail < 0x3F else 0x41))) if first < 0xFD else None
    row, cell = divmod(pointer, 94)
    if row > 93:
        return None
    if name == "iso-2022-jp":
        return b"\x1b$B" + bytes((row + 0x21, cell + 0x21))
    return (b"\x8f" if index == "jis0212" else b"") + bytes((row + 0xA1, cell + 0xA1))


def tables() -> list[Case]:
    """Return every pointer of every index, for every encoding of it."""
    found = []
    for index, points in _indices().items():
        if index == "gb18030-ranges":
            found += _four_bytes()
        elif index in MULTIPLE:
            for name in MULTIPLE[index]:
                found += _of_index(name, index)
        else:
            for octet, point in enumerate(points, 0x80):
                given = (index, bytes([octet]))
                found.append(Case(f"{index} {octet:X}", given, _letter(point)))
    return found


def _of_index(name: str, index: str) -> Iterator[Case]:
    special = {1133: "Ê̄", 1135: "Ê̌", 1164: "ê̄", 1166: "ê̌"} if index == "big5" else {}
    for pointer, point in enumerate(_indices()[index]):
        body = octets(name, index, pointer)
        letter = special.get(pointer) or _letter(point)
        if body is None:
            continue
        if letter == "\ufffd" and name == "shift_jis" and 8836 <= pointer <= 10715:
            letter = chr(0xE000 + pointer - 8836)
        if letter == "\ufffd" and body[-1] < 0x80 and name != "iso-2022-jp":
            letter += chr(body[-1])  # an ASCII byte is not swallowed
        yield Case(f"{name} {index} {pointer}", (name, body), letter)


def _four_bytes() -> Iterator[Case]:
    """Yield every pointer at which a range of gb18030 begins, and the one before it."""
    ranges: list[list[int]] = _indices()["gb18030-ranges"]  # type: ignore[assignment]
    known = {7457: 0xE7C7}
    for (begin, code), after in zip(ranges, [*ranges[1:], [1_237_576, 0]], strict=True):
        for pointer in sorted({begin, min(after[0], 39_420 if begin < 189_000 else after[0]) - 1}):
            point = known.get(pointer, code + pointer - begin)
            one, rest = divmod(pointer, 12_600)
            two, rest = divmod(rest, 1_260)
            three, four = divmod(rest, 10)
            body = bytes((one + 0x81, two + 0x30, three + 0x81, four + 0x30))
            yield Case(f"gb18030 four bytes {pointer}", ("gb18030", body), chr(point))


def _letter(point: int | None) -> str:
    return "\ufffd" if point is None else chr(point)


def labels() -> list[Case]:
    """Return every label of the standard, with its encoding."""
    path = find(PACKAGE)
    assert path is not None
    text = path.with_name("encoding.js").read_text()
    text = text[text.index("var encodings =") + len("var encodings =") :]
    groups = json.loads(text[: text.index("\n  ];") + 4])
    return [
        Case(label, label, encoding["name"].lower())
        for group in groups
        for encoding in group["encodings"]
        for label in encoding["labels"]
    ]


_DECLARED = {
    "HTTP-charset": ("iso-8859-15", True), "HTTP-vs-UTF-8-BOM": ("utf-8", True),
    "HTTP-vs-meta-charset": ("iso-8859-15", True), "HTTP-vs-meta-content": ("iso-8859-15", True),
    "No-encoding-declaration": ("utf-8", False), "UTF-16BE-BOM": ("utf-16be", False),
    "UTF-16LE-BOM": ("utf-16le", False), "UTF-8-BOM-vs-meta-charset": ("utf-8", False),
    "UTF-8-BOM-vs-meta-content": ("utf-8", False),
    "meta-charset-attribute": ("iso-8859-15", False),
    "meta-content-attribute": ("iso-8859-15", False),
}  # fmt: skip
"""The documents of the W3C: their encoding, and whether the header says ISO-8859-15."""


def declarations() -> list[Case]:
    """Return the documents with the encodings that they have."""
    path = find(PAGES)
    assert path is not None
    folder = path.parents[2] / "charset" / "testdata"
    assert {p.stem for p in folder.glob("*.html")} == set(_DECLARED)
    return [
        Case(name, ((folder / f"{name}.html").read_bytes(),
                    "text/html; charset=iso-8859-15" if header else "text/html"), encoding)
        for name, (encoding, header) in _DECLARED.items()
    ]  # fmt: skip


def _w3lib_encoding(given: tuple[bytes, str]) -> str:
    name, _ = html_to_unicode(given[1], given[0])
    return webencodings.lookup(name).name.lower()


TABLES = Suite(
    "Encodings: indices", PACKAGE, tables,
    {OURS: lambda given: decode(given[1], given[0]),
     "w3lib": lambda given: to_unicode(given[1], given[0])},
    {"the standard has the characters of GB 18030-2022 since 2023; the suite is of 2018":
        lambda case: case.given[0] in ("gbk", "gb18030") and "\ue78d" <= case.expected <= "\ue864"},
)  # fmt: skip
LABELS = Suite(
    "Encodings: labels", PACKAGE, labels,
    {OURS: named, "html5lib": lambda label: webencodings.lookup(label).name.lower()},
    {"labels of `replacement`, which shows no text, name no encoding, so that links survive":
        lambda case: case.expected == "replacement",
     "`x-user-defined`, whose ASCII is the same, is read as windows-1252":
        lambda case: case.given == "x-user-defined"},
)  # fmt: skip
DECLARED = Suite(
    "Encodings: declarations",
    PAGES,
    declarations,
    {OURS: lambda given: loaded(*given).encoding, "w3lib": _w3lib_encoding},
)
