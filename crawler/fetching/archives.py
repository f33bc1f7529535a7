"""Reads the answers in WARC files (ISO 28500), of this crawler or of another one.

Files are read as they may be on any disk: a record that breaks off, since its writer was killed, is
the end of its file, and all that is read into memory has a limit.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple, cast

from counterpoint.crawler.documents.addresses import normalized
from counterpoint.crawler.errors import CrawlError
from counterpoint.files.inputs import PIECE

from .codings import UnpackingError
from .manners import Limits
from .unpacking import Unpacking

MOST = 1 << 26
"""The most bytes of a record that are read; of a longer one, only its beginning."""
_LINE = 1 << 16
_LINES = 1_000
"""The most bytes of a header of a record, and the most headers of one."""
_GZIP = b"\x1f\x8b"
_BEGIN = b"WARC/"


class Archived(NamedTuple):
    """An answer in an archive.

    Attributes
    ----------
    address : str
        Normalized.
    status : int
    headers : dict of str to str
        By name in lower case; a repeated header has its values separated by commas.
    body : bytes
        The body as it was stored.
    cut : bool
        Whether the archive has only the body's beginning.
    partial : bool
        Whether the archive has more of the body, which was not read: the record is too long.
    """

    address: str
    status: int
    headers: dict[str, str]
    body: bytes
    cut: bool
    partial: bool = False


class Unpacked(NamedTuple):
    """A body without its codings.

    Attributes
    ----------
    body : bytes
    cut : bool
        Whether its end is missing in the archive.
    partial : bool
        Whether this is only its beginning, since the whole is too long to be read.
    unknown : bool
        Whether it has a coding that nobody here knows; then it is unchanged.
    broken : bool
        Whether it is not coded as its headers say.
    """

    body: bytes
    cut: bool = False
    partial: bool = False
    unknown: bool = False
    broken: bool = False


def files_of(path: Path) -> list[Path]:
    """Return the WARC files of a folder, or a file.

    Raises
    ------
    CrawlError
        If there is none.
    """
    if path.is_dir():
        found = sorted(
            p for p in path.iterdir() if p.name.endswith((".warc", ".warc.gz")) and p.is_file()
        )
        if found:
            return found
        raise CrawlError(f"{path}: has no WARC files")
    if not path.is_file():
        raise CrawlError(f"{path}: is no file and no folder")
    return [path]


def answers(path: Path) -> Iterator[Archived]:
    """Yield the answers of a WARC file, compressed or not.

    Raises
    ------
    CrawlError
        If it cannot be read, or is no WARC file.
    """
    try:
        with path.open("rb") as file:
            packed = file.read(2) in (_GZIP, _GZIP[:1])
            file.seek(0)
            yield from _answers(cast(IO[bytes], gzip.GzipFile(fileobj=file)) if packed else file)
    except EOFError:  # its last record breaks off
        return
    except (zlib.error, gzip.BadGzipFile, ValueError) as error:
        if isinstance(error, gzip.BadGzipFile) and str(error).endswith("(b'\\x1f')"):
            return  # it breaks off after the first byte of a record
        raise CrawlError(f"{path}: is no WARC file that can be read: {error}") from None
    except OSError as error:
        raise CrawlError(f"{path}: {error.strerror or error}") from None


def unpacked(answer: Archived) -> Unpacked:
    """Return the body of an answer without its codings."""
    body, headers = answer.body, answer.headers
    transfer = headers.get("transfer-encoding", "")
    ends = True
    if "chunked" in transfer.lower():
        body, ends = _joined_chunks(body)
    else:
        with suppress(ValueError):
            ends = len(body) >= int(headers.get("content-length", "0"))
    unpacking = Unpacking(headers.get("content-encoding", ""), MOST, Limits().ratio, transfer)
    broken = False
    try:
        unpacking.feed(body)
        unpacking.finish()
    except UnpackingError:
        broken = True
    partial = answer.partial or unpacking.full
    cut = answer.cut or not (answer.partial or ends) or not (partial or broken or unpacking.whole)
    return Unpacked(bytes(unpacking.out), cut, partial, bool(unpacking.unknown), broken)


def _answers(file: IO[bytes]) -> Iterator[Archived]:
    while line := _line(file):
        if not line.strip():
            continue
        if not line.startswith(_BEGIN):
            if _BEGIN.startswith(line):
                return  # the file breaks off here
            raise ValueError("a record does not begin with WARC/")
        headers = _headers(file)
        length = int(headers.get("content-length", ""))
        if length < 0:
            raise ValueError("a record has less than no bytes")
        data = b""
        if headers.get("warc-type") == "response":
            data = _read(file, min(length, MOST))
            length -= len(data)
        _skip(file, length)
        found = _answer(headers.get("warc-target-uri", ""), data) if data else None
        if found is not None:
            yield found._replace(cut="warc-truncated" in headers, partial=length > 0)


def _line(file: IO[bytes]) -> bytes:
    line = file.readline(_LINE + 1)
    if len(line) > _LINE:
        raise ValueError(f"a header has more than {_LINE:,} bytes")
    return line


def _headers(file: IO[bytes]) -> dict[str, str]:
    lines = []
    while (line := _line(file)) not in (b"\r\n", b"\n"):
        if not line:
            raise EOFError
        lines.append(line)
        if len(lines) > _LINES:
            raise ValueError(f"a record has more than {_LINES:,} headers")
    return _named(lines, "utf-8")


def _named(lines: list[bytes], encoding: str) -> dict[str, str]:
    """Return headers by their names in lower case."""
    found: dict[str, str] = {}
    for line in lines:
        name, _, value = line.decode(encoding, "replace").partition(":")
        name, value = name.strip().lower(), value.strip()
        found[name] = f"{found[name]},{value}" if name in found else value
    return found


def _read(file: IO[bytes], size: int) -> bytes:
    """Return so many bytes; raise EOFError if there are fewer."""
    data = bytearray()
    while len(data) < size:
        piece = file.read(min(PIECE, size - len(data)))
        if not piece:
            raise EOFError
        data += piece
    return bytes(data)


def _skip(file: IO[bytes], size: int) -> None:
    while size > 0:
        piece = file.read(min(PIECE, size))
        if not piece:
            raise EOFError
        size -= len(piece)


def _answer(address: str, data: bytes) -> Archived | None:
    """Return the answer in a record; None if it is none of HTTP."""
    wanted = normalized(address.strip("<>"))
    head, *rest = re.split(rb"\r?\n\r?\n", data, maxsplit=1)
    first, *lines = re.split(rb"\r?\n", head)
    words = first.split(None, 2)
    if wanted is None or len(words) < 2 or not words[0].startswith(b"HTTP/"):
        return None
    status = words[1]
    if len(status) != 3 or not status.isdigit():
        return None
    return Archived(wanted, int(status), _named(lines, "latin-1"), b"".join(rest), cut=False)


def _joined_chunks(body: bytes) -> tuple[bytes, bool]:
    """Return a body without its chunks, and whether it has its end.

    Some archives have the header of a chunked body, and the body without chunks: it is unchanged.
    """
    joined, at = bytearray(), 0
    while True:
        end = body.find(b"\r\n", at, at + 1_000)
        try:
            size = int(body[at:end].partition(b";")[0], 16) if end >= 0 else -1
        except ValueError:
            size = -1
        if size < 0:
            return (body, True) if not at else (bytes(joined), False)
        if size == 0:
            return bytes(joined), True
        if not at and not b"\r\n".startswith(body[end + 2 + size : end + 4 + size]):
            return body, True  # it only begins like a chunk
        joined += body[end + 2 : end + 2 + size]
        at = end + 2 + size + 2
        if at > len(body):
            return bytes(joined), False
