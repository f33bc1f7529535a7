"""Writes messages as WARC records (ISO 28500): a request, its response, and metadata of both.

An answer of 304, and one whose payload is in the same file already, is a ``revisit`` record: it has
the head of the answer and says which record has the payload. Each file is complete by itself, since
no record refers to one in another file. The last `REMEMBERED` payloads are recognized.

Each record is compressed separately, and written completely before the crawl gets the page. So a
kill loses at most the record that was being written, and the file can be read up to there. Bodies
are stored as they came, with their compression; transfer codings are removed, and their header is
stored as ``X-Archive-Transfer-Encoding``.
"""

from __future__ import annotations

import asyncio
import io
from base64 import b32encode
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from hashlib import blake2b, sha1
from pathlib import Path
from typing import BinaryIO, NamedTuple
from urllib.parse import urlsplit

from warcio.recordloader import ArcWarcRecord
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from counterpoint.crawler.errors import CrawlError

from .messages import Message

REMEMBERED = 50_000
"""The payloads and pages of a file that are recognized when they come again."""
_PROFILE = "http://netpreserve.org/warc/1.0/revisit/"
LARGEST = 1 << 30
"""Bytes after which another file is begun."""


class _Stored(NamedTuple):
    """A response record: its identifier, its address and its time."""

    name: str
    address: str
    date: str


class _Memory:
    """The records of a file by something, of which the oldest are forgotten."""

    def __init__(self) -> None:
        self._stored: OrderedDict[bytes, _Stored] = OrderedDict()

    def get(self, key: bytes) -> _Stored | None:
        return self._stored.get(key)

    def put(self, key: bytes, stored: _Stored) -> None:
        self._stored[key] = stored
        self._stored.move_to_end(key)
        if len(self._stored) > REMEMBERED:
            self._stored.popitem(last=False)


class Warc:
    """A folder of WARC files; its method `keep` is passed to a `Network`.

    Parameters
    ----------
    folder : Path
        Created if it does not exist; existing files in it are not changed.
    agent : str
        The name of the crawler, for the warcinfo record.
    largest : int
        Bytes after which a new file is started.

    Raises
    ------
    CrawlError
        If nothing can be written there.
    """

    def __init__(self, folder: Path, agent: str, largest: int = LARGEST) -> None:
        self._folder, self._agent, self._largest = folder, agent, largest
        self._file: BinaryIO | None = None
        self._count = 0
        self._payloads, self._pages = _Memory(), _Memory()
        self._thread = ThreadPoolExecutor(1, "warc")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._begin()
        except OSError as error:
            raise self._cannot(error) from error

    def _cannot(self, error: OSError) -> CrawlError:
        return CrawlError(f"--warc {self._folder}: {error.strerror or error}")

    async def keep(self, message: Message) -> None:
        """Write the records of a message; return when the system has them.

        Raises
        ------
        CrawlError
            If they cannot be written.
        """
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._thread, self.write, message)
        except OSError as error:
            raise self._cannot(error) from error

    def close(self) -> None:
        """Close the file."""
        self._thread.shutdown()
        if self._file is not None:
            self._file.close()
            self._file = None

    def write(self, message: Message) -> None:
        """Write the records of a message; raise OSError if they cannot be."""
        if self._file is None or self._file.tell() >= self._largest:
            self._begin()
        packed = io.BytesIO()
        writer = WARCWriter(packed, gzip=True)
        date = _date(message.begun)
        digest = sha1(message.body).digest()
        page = blake2b(message.address.encode(), digest_size=16).digest()
        response = self._revisit(writer, message, date, digest, page)
        is_new = response is None
        if response is None:
            response = writer.create_warc_record(
                message.address, "response", payload=io.BytesIO(message.body),
                length=len(message.body),
                http_headers=_answered(message), warc_headers_dict=_about(message, date),
            )  # fmt: skip
        of = {"WARC-Date": date,
              "WARC-Concurrent-To": response.rec_headers.get_header("WARC-Record-ID")}  # fmt: skip
        request = writer.create_warc_record(
            message.address, "request", http_headers=_asked(message), warc_headers_dict=of
        )
        fields = f"bytesOfBody: {len(message.body)}\r\n".encode()
        if message.cut:
            fields += f"truncated: {message.cut}\r\n".encode()
        metadata = writer.create_warc_record(
            message.address, "metadata", payload=io.BytesIO(fields), length=len(fields),
            warc_headers_dict=of, warc_content_type="application/warc-fields",
        )  # fmt: skip
        for record in (response, request, metadata):
            writer.write_record(record)
        self._append(packed.getvalue())
        name = response.rec_headers.get_header("WARC-Record-ID")
        stored = _Stored(name, message.address, date)
        if is_new and message.body and not message.cut:
            self._payloads.put(digest, stored)
        if is_new and message.status == 200:
            self._pages.put(page, stored)

    def _revisit(
        self, writer: WARCWriter, message: Message, date: str, digest: bytes, page: bytes
    ) -> ArcWarcRecord | None:
        """Return a revisit record for a message; None if its payload is new."""
        if message.status == 304:
            profile, stored = "server-not-modified", self._pages.get(page)
        else:
            profile = "identical-payload-digest"
            stored = self._payloads.get(digest) if message.body and not message.cut else None
            if stored is None:
                return None
        about = _about(message, date) | {"WARC-Profile": _PROFILE + profile}
        if message.status != 304:
            about["WARC-Payload-Digest"] = f"sha1:{b32encode(digest).decode()}"
        if stored is not None:
            about |= {"WARC-Refers-To": stored.name, "WARC-Refers-To-Target-URI": stored.address,
                      "WARC-Refers-To-Date": stored.date}  # fmt: skip
        return writer.create_warc_record(
            message.address, "revisit", http_headers=_answered(message), warc_headers_dict=about,
            warc_content_type="application/http; msgtype=response",
        )  # fmt: skip

    def _append(self, data: bytes) -> None:
        """Write whole records, or nothing that stays."""
        assert self._file is not None
        before = self._file.tell()
        try:
            written = 0
            while written < len(data):
                written += self._file.write(data[written:])
        except OSError:
            self._file.truncate(before)
            self._file.seek(before)
            raise

    def _begin(self) -> None:
        """Begin another file."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self._payloads, self._pages = _Memory(), _Memory()
        while self._file is None:
            stamp = f"{datetime.now(UTC):%Y%m%d%H%M%S}"
            path = self._folder / f"counterpoint-{stamp}-{self._count:05}.warc.gz"
            self._count += 1
            try:
                self._file = path.open("xb", buffering=0)
            except FileExistsError:  # of another process of this second
                continue
        packed = io.BytesIO()
        writer = WARCWriter(packed, gzip=True)
        about = {"software": self._agent, "format": "WARC File Format 1.0",
                 "isPartOf": self._folder.name}  # fmt: skip
        writer.write_record(writer.create_warcinfo_record(path.name, about))
        self._append(packed.getvalue())


def _date(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _about(message: Message, date: str) -> dict[str, str]:
    about = {"WARC-Date": date}
    if message.cut:
        about["WARC-Truncated"] = message.cut
    if message.ip:
        about["WARC-IP-Address"] = message.ip
    return about


def _answered(message: Message) -> StatusAndHeaders:
    headers = [
        ("X-Archive-Transfer-Encoding" if name.lower() == "transfer-encoding" else name, value)
        for name, value in message.answered
    ]
    reason = message.reason.encode("latin-1", "replace").decode("latin-1")
    return _headers(f"{message.status} {reason}", headers, message.version)


def _asked(message: Message) -> StatusAndHeaders:
    parts = urlsplit(message.address)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return _headers(f"GET {path} HTTP/1.1", message.asked, "")


def _headers(first: str, headers: Sequence[tuple[str, str]], protocol: str) -> StatusAndHeaders:
    return _AsSent(first, list(headers), protocol=protocol, is_http_request=not protocol)


class _AsSent(StatusAndHeaders):  # type: ignore[misc] # warcio has no types
    """A head with the bytes that were sent: warcio would escape those that are not ASCII."""

    def compute_headers_buffer(self, header_filter: object = None) -> None:
        self.headers_buff = self.to_str(header_filter).encode("latin-1", "replace") + b"\r\n"
