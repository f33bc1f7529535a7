"""Reads the answers in WARC files (ISO 28500), of this crawler or of another one.

Answers are in records of the type ``response``; a ``resource`` is a document that came without an
answer of HTTP, and counts as one with status 200 where a captured web is read.

Files are read as they may be on any disk: records may break off or be damaged (`warc_records`), and
all that is read into memory has a limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

from counterpoint.crawler.documents.addresses import normalized
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.fetching.codings import UnpackingError
from counterpoint.crawler.fetching.manners import Limits
from counterpoint.crawler.fetching.unpacking import Unpacking

from .warc_bytes import MOST, Place
from .warc_records import Damage, Record, WarcFile, named, of_answers, records

_HEAD = 1 << 16
"""The most bytes of the head of an answer in a revisit record."""

SUFFIXES = (".warc", ".warc.gz", ".warc.zst", ".wat", ".wat.gz", ".wat.zst")
"""How the names of files end that are read in a folder."""


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
        Whether the archive has only the body's beginning, or its record is damaged.
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
        try:
            found = sorted(p for p in path.iterdir() if p.name.endswith(SUFFIXES) and p.is_file())
        except OSError as error:
            raise CrawlError(f"{path}: {error.strerror or error}") from None
        if found:
            return found
        raise CrawlError(f"{path}: has no WARC files")
    if not path.is_file():
        raise CrawlError(f"{path}: is no file and no folder")
    return [path]


def answers(path: Path, damages: list[Damage]) -> Iterator[Archived]:
    """Yield the answers of a WARC file, compressed or not; of a damaged record what can be read.

    A revisit record of which the payload is in an earlier record of the file is an answer, too; one
    that says that a page has not changed (304) is none.

    Parameters
    ----------
    path : Path
    damages : list of Damage
        Gets each damaged place of the file.

    Raises
    ------
    CrawlError
        If it cannot be read, or is no WARC file.
    """
    places: dict[str, Place] = {}
    with ExitStack() as opened:
        again: WarcFile | None = None
        for record in records(path, damages, _with_heads):
            digest = record.headers.get("warc-payload-digest", "")
            found = answer_of(record) if record.type in ("response", "revisit") else None
            if found is None or (record.type == "revisit" and digest not in places):
                continue
            if record.type == "response" and digest and not record.damaged:
                places.setdefault(digest, record.place)
            elif record.type == "revisit":
                again = again or opened.enter_context(WarcFile(path))
                payload = answer_of(again.record_at(places[digest]))
                if payload is None or found.status == 304:
                    continue
                found = found._replace(body=payload.body, cut=payload.cut, partial=payload.partial)
            yield found


def _with_heads(headers: Mapping[str, str]) -> int:
    return _HEAD if headers.get("warc-type", "").lower() == "revisit" else of_answers(headers)


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


def target_of(record: Record) -> str | None:
    """Return the normalized address of a record; None if it is none of http or https."""
    return normalized(record.headers.get("warc-target-uri", "").strip().strip("<>"))


def answer_of(record: Record) -> Archived | None:
    """Return the answer in a record of any type; None if it has none of HTTP.

    A ``revisit`` may have the head of an answer, and no body.
    """
    address = target_of(record)
    if address is None:
        return None
    cut = record.damaged or "warc-truncated" in record.headers
    if record.type == "resource":
        headers = {"content-type": record.headers.get("content-type", "")}
        return Archived(address, 200, headers, record.data, cut, record.partial)
    head, *rest = re.split(rb"\r?\n\r?\n", record.data, maxsplit=1)
    first, *lines = re.split(rb"\r?\n", head)
    words = first.split(None, 2)
    if len(words) < 2 or not words[0].startswith(b"HTTP/"):
        return None
    status = words[1]
    if len(status) != 3 or not status.isdigit():
        return None
    headers = named(lines, "latin-1")
    return Archived(address, int(status), headers, b"".join(rest), cut, record.partial)


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
