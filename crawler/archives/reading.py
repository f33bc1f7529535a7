"""Reads the records of captures: joins segments, and finds the payloads of revisits.

A revisit has no payload of its own. The record that has it is looked for by the address and the
time that the revisit says, then by the identifier, then by the digest among earlier captures of the
page, then by the digest among all records. A revisit for a status of 304 that says none of these
refers to the latest earlier answer of the page that is no revisit. Some crawlers store a 304 as any
other answer; it is read in the same way.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import NamedTuple

from .archives import Archived, answer_of
from .cdxj import Capture
from .index import CaptureIndex, FileIndex, Found
from .warc_bytes import Place
from .warc_records import Record, WarcFile

OPEN = 16
"""The most WARC files that are open at a time."""
_REVISITS = 10
"""The most revisits that lead to a payload."""
_SEGMENTS = 1_000
_NUMBER = re.compile(r"[0-9]{1,9}\Z")
_FRAMING = frozenset(["transfer-encoding", "content-encoding", "content-length"])
"""Headers that belong to the stored payload, and not to a later answer about it."""
_WHOLE = ("response", "resource")


class Read(NamedTuple):
    """The answer of a capture.

    Attributes
    ----------
    answer : Archived
        The answer, with the payload to which a revisit refers.
    missing : bool
        Whether it is a revisit whose payload is not in the files; the answer has no body then.
    """

    answer: Archived
    missing: bool = False


class CaptureReader:
    """Reads answers by the captures of an index.

    Parameters
    ----------
    index : CaptureIndex
    """

    def __init__(self, index: CaptureIndex) -> None:
        self._index = index
        self._files: OrderedDict[FileIndex, WarcFile] = OrderedDict()

    def close(self) -> None:
        """Close all files."""
        while self._files:
            self._files.popitem()[1].close()

    def record(self, index: FileIndex, place: Place) -> Record:
        """Return the record at a place of a file; raise CrawlError if there is none."""
        file = self._files.pop(index, None)
        if file is None:
            file = WarcFile(index.path)
            if len(self._files) >= OPEN:
                self._files.popitem(last=False)[1].close()
        self._files[index] = file
        return file.record_at(place)

    def read(self, found: Found) -> Read | None:
        """Return the answer of a capture; None if its record has none, as those of WAT.

        Raises
        ------
        CrawlError
            If the file has changed or cannot be read.
        """
        if found.capture.type == "wat":
            return None
        record = self._joined(found.file, self.record(found.file, found.capture.place))
        own = answer_of(record)
        if record.type != "revisit" and (own is None or own.status != 304):
            return None if own is None else Read(own)
        payload = self._payload(found)
        if payload is not None:
            return Read(_merged(found.capture, own, payload))
        body = Archived(found.capture.url, 0, {}, b"", cut=True) if own is None else own
        return Read(body._replace(cut=True, body=b""), missing=True)

    def _joined(self, index: FileIndex, record: Record) -> Record:
        """Return a record with the data of its further segments; without them it is damaged."""
        if record.headers.get("warc-segment-number") != "1":
            return record
        name = record.headers.get("warc-record-id", "")
        parts: dict[int, Record] = {}
        for file, place in self._index.references("segment", name):
            part = self.record(file, place)
            said = part.headers.get("warc-segment-number", "")
            if part.headers.get("warc-segment-origin-id") == name and _NUMBER.match(said):
                parts[int(said)] = part
            if len(parts) > _SEGMENTS:
                break
        data, number = record.data, 2
        while number in parts:
            data, number = data + parts[number].data, number + 1
        last = parts.get(number - 1)
        total = last.headers.get("warc-segment-total-length", "") if last is not None else ""
        return record._replace(data=data, damaged=total != str(len(data)))

    def _payload(self, found: Found) -> Archived | None:
        """Return the answer that has the payload of a revisit."""
        seen = {(found.file.path, found.capture.place)}
        for _ in range(_REVISITS):
            target = self._target(found)
            if target is None or (target.file.path, target.capture.place) in seen:
                return None
            if _is_whole(target.capture):
                record = self.record(target.file, target.capture.place)
                return answer_of(self._joined(target.file, record))
            seen.add((target.file.path, target.capture.place))
            found = target
        return None

    def _target(self, found: Found) -> Found | None:
        """Return the capture to which a revisit refers."""
        capture = found.capture
        url, stamp, name = capture.refers or ("", "", "")
        if stamp:
            exact = [one for one in self._index.of(url or capture.url)
                     if one.capture.stamp == stamp and one.capture != capture]  # fmt: skip
            exact.sort(key=lambda one: (_is_whole(one.capture),
                                        one.capture.digest == capture.digest))  # fmt: skip
            if exact:
                return exact[-1]
        if name and (by_name := self._by("id", name, "warc-record-id")) is not None:
            return by_name
        return self._by_digest(found) if capture.digest else self._earlier(capture, "")

    def _by_digest(self, found: Found) -> Found | None:
        digest = found.capture.digest
        return (self._earlier(found.capture, digest)
                or self._by("digest", digest, "warc-payload-digest"))  # fmt: skip

    def _earlier(self, capture: Capture, digest: str) -> Found | None:
        """Return the latest answer of the same page before a revisit, of a digest if that is said.

        With a digest, a later one also counts.
        """
        found = self._index.at(capture.url, capture.stamp, lambda one: _is_whole(one)
                               and (not digest or one.digest == digest))  # fmt: skip
        if found is None or (not digest and found.capture.stamp > capture.stamp):
            return None
        return found

    def _by(self, kind: str, name: str, header: str) -> Found | None:
        for index, place in self._index.references(kind, name):
            record = self.record(index, place)
            if record.headers.get(header) == name and record.type in _WHOLE:
                capture = Capture("", "", record.type, 0, "", "", index.path.name, place, 0)
                return Found(capture, index)
        return None


def _is_whole(capture: Capture) -> bool:
    """Return whether the record of a capture has a payload of its own."""
    return capture.type in _WHOLE and capture.status != 304


def _merged(capture: Capture, own: Archived | None, payload: Archived) -> Archived:
    """Return a payload with the head of the revisit that refers to it.

    After a 304 the page is what it was, with the new headers (RFC 9111, 4.3.4).
    """
    headers = dict(payload.headers)
    status = payload.status
    if own is not None:
        headers |= {name: value for name, value in own.headers.items() if name not in _FRAMING}
        status = payload.status if own.status == 304 else own.status
    return payload._replace(address=capture.url, status=status, headers=headers)
