"""Serves folders of files as hosts, in addition to the synthetic hosts."""

from __future__ import annotations

import errno
import gzip
import html
import mimetypes
import os
import stat
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from email.utils import formatdate, parsedate_to_datetime
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

from counterpoint.sim_web.answer import Answer, Kind, Question
from counterpoint.sim_web.errors import WebError

from .request import RefusedRequest, RequestAddresses

INDEXES = (b"index.html", b"index.htm")
PIECE = 65_536
"""How many bytes are read at a time."""

_TYPES = mimetypes.MimeTypes()
"""Python's own table of types; the machine's table would make answers differ between machines."""

_HTML = ("Content-Type", "text/html; charset=utf-8")
_TEXT = ("Content-Type", "text/plain; charset=utf-8")


@dataclass(frozen=True, slots=True)
class FileAnswer:
    """An answer whose body is read from a file while it is sent.

    Attributes
    ----------
    answer : Answer
        Status and headers; its body is empty.
    pieces : iterator of bytes
        The body. The file is open until the iterator ends, or until ``close`` is called.
    length : int or None
        The length of the body in bytes; None if it is not known in advance.
    """

    answer: Answer
    pieces: _Plain
    length: int | None


def parse(texts: Iterable[str]) -> dict[str, str]:
    """Return the host and the folder of each ``HOST=DIR``.

    Raises
    ------
    WebError
        If a text has another form, its host is not a host name or appears twice, or its folder does
        not exist or cannot be read.
    """
    found: dict[str, str] = {}
    for text in texts:
        host, equals, folder = text.partition("=")
        if not equals or not folder:
            raise WebError(f"--site {text}: must be HOST=DIR")
        host = host.lower()
        try:
            _, name = RequestAddresses().absolute("/", host)
        except RefusedRequest:
            name = ""
        if not name or name != host:
            raise WebError(f"--site {text}: '{host}' is not a host name")
        if host in found:
            raise WebError(f"--site {text}: {host} is given twice")
        if not Path(folder).is_dir():
            raise WebError(f"--site {text}: there is no folder {folder}")
        if not os.access(folder, os.R_OK | os.X_OK):
            raise WebError(f"--site {text}: the folder cannot be read")
        found[host] = os.path.realpath(folder)
    return found


class Mounts:
    """Answers requests to mounted folders.

    No file outside a folder is ever sent, neither by ``..`` in any spelling nor by symbolic links.

    Parameters
    ----------
    folders : mapping of str to str
        The folder of each host.
    """

    def __init__(self, folders: Mapping[str, str]) -> None:
        self.folders = dict(folders)
        self._roots = {host: os.path.realpath(os.fsencode(f)) for host, f in folders.items()}

    def __contains__(self, host: str) -> bool:
        return host in self._roots

    def answer(self, host: str, question: Question) -> Answer | FileAnswer:
        """Return the answer to a request to a mounted host."""
        path, _, query = question.url.split("/", 3)[3].partition("?")
        root = self._roots[host]
        place = _inside(root, path)
        if place is None:
            return _missing()
        if os.path.isdir(place):
            if path and not path.endswith("/"):
                return _to_folder(question.url, query)
            return self._folder(root, place, path, question)
        if path.endswith("/"):
            return _missing()
        return _file(place, question)

    def _folder(
        self, root: bytes, place: bytes, path: str, question: Question
    ) -> Answer | FileAnswer:
        """Return the index file of a folder, or a list of its files."""
        for index in INDEXES:
            found = _contained(root, os.path.join(place, index))
            if found is not None and os.path.isfile(found):
                return _file(found, question)
        return _listing(place, path)


def _missing() -> Answer:
    return Answer(404, (_TEXT,), b"there is no such file\n", Kind.MOUNTED)


def _to_folder(url: str, query: str) -> Answer:
    target = url.partition("?")[0] + "/" + (f"?{query}" if query else "")
    return Answer(301, (("Location", target), _TEXT), b"moved\n", Kind.MOUNTED)


def _inside(root: bytes, path: str) -> bytes | None:
    """Return the real path of the file that the path of an address names, if it is below the root.

    A path with ``..`` is refused even if it would stay inside the root: clients resolve ``..``
    themselves, so that a request with it is probably an attack.
    """
    parts = unquote_to_bytes(path).split(b"/")
    if any(part == b".." or b"\0" in part for part in parts):
        return None
    place = os.path.join(root, *[part for part in parts if part not in (b"", b".")])
    found = _contained(root, place)
    if found is None and (found := _contained(root, place + b".gz")) is not None:
        return place if os.path.isfile(found) else None
    return found


def _contained(root: bytes, place: bytes) -> bytes | None:
    try:
        found = os.path.realpath(place, strict=True)
    except OSError:
        return None
    return found if found == root or found.startswith(root.rstrip(b"/") + b"/") else None


def _listing(place: bytes, path: str) -> Answer:
    try:
        with os.scandir(place) as entries:
            names = sorted(e.name + b"/" * e.is_dir() for e in entries)
    except OSError:
        return _missing()
    links = [b"../"] if path else []
    rows = "".join(
        f'<li><a href="{quote(name) if name != b"../" else "../"}">'
        f"{html.escape(name.decode('utf-8', 'replace'))}</a></li>\n"
        for name in links + names
    )
    title = html.escape("/" + unquote_to_bytes(path).decode("utf-8", "replace"))
    text = f"<!DOCTYPE html>\n<title>{title}</title>\n<h1>{title}</h1>\n<ul>\n{rows}</ul>\n"
    return Answer(200, (_HTML,), text.encode("utf-8", "replace"), Kind.MOUNTED)


def _file(place: bytes, question: Question) -> Answer | FileAnswer:
    """Return the answer for a file; if only ``NAME.gz`` exists, its unpacked content."""
    only_compressed = not os.path.exists(place)
    try:
        file = os.open(place + b".gz" if only_compressed else place, os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE):
            raise  # the file exists, but too many files are open
        return _missing()
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):  # a pipe would block the server
            os.close(file)
            return _missing()
        headers, unpacked = _headers(place, status, only_compressed, question)
        if _unchanged(status, dict(headers)["ETag"], question):
            os.close(file)
            return Answer(304, headers[:2], b"", Kind.MOUNTED)
        answer = Answer(200, headers, b"", Kind.MOUNTED)
        if unpacked:
            return FileAnswer(answer, _Unpacked(file), None)
        return FileAnswer(answer, _Plain(file), status.st_size)
    except BaseException:
        os.close(file)
        raise


def _headers(
    place: bytes, status: os.stat_result, only_compressed: bool, question: Question
) -> tuple[tuple[tuple[str, str], ...], bool]:
    """Return the headers of a file, and whether it must be unpacked.

    Parameters
    ----------
    place : bytes
        The path of the file, without an added ``.gz``.
    status : os.stat_result
        The status of the file that is read.
    only_compressed : bool
        Whether only ``NAME.gz`` exists.
    question : Question
        The request.
    """
    kind, encoding = _TYPES.guess_type(os.fsdecode(place).rpartition("/")[2])
    packed = only_compressed or encoding == "gzip"
    takes = "gzip" in (question.accept_encoding or "").lower()
    encoded = packed and takes and (kind or "").startswith("text/")
    if packed and not encoded and not only_compressed:
        kind = "application/gzip"
    elif encoding is not None and not packed:
        kind = "application/octet-stream"
    mark = "-gzip" if encoded else ""
    headers = [
        ("ETag", f'"{status.st_mtime_ns:x}-{status.st_size:x}{mark}"'),
        ("Last-Modified", formatdate(int(status.st_mtime), usegmt=True)),
        ("Content-Type", kind or "application/octet-stream"),
    ]
    if encoded:
        headers.append(("Content-Encoding", "gzip"))
    if packed:
        headers.append(("Vary", "Accept-Encoding"))
    return tuple(headers), only_compressed and not encoded


def _unchanged(status: os.stat_result, tag: str, question: Question) -> bool:
    if question.if_none_match is not None:
        tags = [one.strip().removeprefix("W/") for one in question.if_none_match.split(",")]
        return "*" in tags or tag in tags
    if question.if_modified_since is None:
        return False
    try:
        since = parsedate_to_datetime(question.if_modified_since).timestamp()
    except (ValueError, OverflowError, TypeError):
        return False
    return int(status.st_mtime) <= since


class _Plain:
    """The pieces of an open file. The file is closed at its end, or by `close`."""

    def __init__(self, file: int) -> None:
        self._file = os.fdopen(file, "rb", buffering=0)

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        piece = self._read() if not self._file.closed else b""
        if not piece:
            self.close()
            raise StopIteration
        return piece

    def _read(self) -> bytes:
        return self._file.read(PIECE) or b""

    def close(self) -> None:
        """Close the file; may be called again."""
        self._file.close()


class _Unpacked(_Plain):
    """The pieces of the unpacked content of a compressed file."""

    def __init__(self, file: int) -> None:
        super().__init__(file)
        self._plain = gzip.GzipFile(fileobj=self._file)

    def _read(self) -> bytes:
        try:
            return self._plain.read(PIECE)
        except (OSError, EOFError, zlib.error) as error:
            raise ConnectionError(f"the file cannot be unpacked: {error}") from error
