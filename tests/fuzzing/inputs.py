"""Inputs for readers: files of a corpus with changes, and words of a format in any order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

CORPORA = Path(__file__).parent / "corpora"
LONGEST = 64 << 10
"""Bytes; a longer input is cut."""

Draw = Callable[[st.SearchStrategy[Any]], Any]

_EDGE = re.compile(rb"\b")

HOSTILE = (
    b"\0", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\xc0\x80", b"\xed\xa0\x80", b"\r", b"\n",
    b"\r\n", b"\x0b", b"\x0c", b"\x1a", b"\x1f\x8b", b"\xc2\xa0", b"\xe2\x80\xa8", b"-1", b"0",
    b"1e308", b"1e999", b"nan", b"inf", b"9" * 30, b"9" * 5000, b"0x1F", b"1_0", b"true", b"null",
    b"[", b"]", b"{", b"}", b'"', b"'", b"\\", b"\\ud800", b"\xf0\x9f\x98\x80", b"\xd9\xa3", b"",
)  # fmt: skip
"""Bytes that often trouble a reader of any format."""

NESTING = (b"[", b'{"a":', b"(", b"a.", b"-", b"<div>", b"not ")
"""Bytes that nest in some format when they are repeated."""

_TIMES = (1, 3, 30, 300, 2000, 20_000)


def corpus(name: str) -> list[bytes]:
    """Return the files of a corpus, in the order of their names; there is at least one."""
    found = [path.read_bytes() for path in sorted((CORPORA / name).iterdir())]
    assert found, f"the corpus {name} is empty"
    return found


@st.composite
def changed(draw: Draw, files: Sequence[bytes], words: Sequence[bytes] = ()) -> bytes:
    """Return a strategy for files with up to eight changes each.

    Parameters
    ----------
    files : sequence of bytes
        Valid files.
    words : sequence of bytes
        Words that mean something in the format, in addition to `HOSTILE`.
    """
    data = bytearray(draw(st.sampled_from(files)))
    some = st.sampled_from((*words, *HOSTILE)) | st.binary(max_size=8)
    repeated = st.sampled_from(NESTING) | some
    for _ in range(draw(st.sampled_from((0, 1, 1, 1, 1, 2, 2, 3, 5, 8)))):
        at = _place(draw, data)
        end = min(len(data), at + draw(st.integers(0, 40)))
        match draw(st.integers(0, 7)):
            case 0:  # a word, in the place of others
                data[at:end] = draw(some)
            case 1:
                data[at:at] = draw(some)
            case 2:  # deep nesting, and long fields
                data[at:at] = draw(repeated) * draw(st.sampled_from(_TIMES))
            case 3:
                del data[at:end]
            case 4:
                data[at:at] = data[at:end] * draw(st.integers(1, 200))
            case 5:
                other = draw(st.sampled_from(files))
                begin = draw(st.integers(0, len(other)))
                data[at:end] = other[begin : begin + draw(st.integers(0, 400))]
            case 6:
                del data[at:]
            case 7 if data:
                data[min(at, len(data) - 1)] ^= 1 << draw(st.integers(0, 7))
    return bytes(data[:LONGEST])


def _place(draw: Draw, data: bytearray) -> int:
    """Draw a place in some data: often one where a word begins or ends."""
    if draw(st.booleans()):
        return draw(st.integers(0, len(data)))
    found = [0, *(match.start() for match in _EDGE.finditer(data)), len(data)]
    return draw(st.sampled_from(found))
