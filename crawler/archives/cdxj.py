"""The lines of an index of a WARC file: CDXJ, as pywb and Common Crawl write it.

A line has a key, a time and a JSON object, separated by single spaces. The key is the address with
its host reversed, ``test,a,www)/Path?query``, so that a host and its subdomains are side by side.
It is made from the normalized address (`documents.addresses`), and unlike the keys of other tools
its letters keep their case: servers may know ``/A`` and ``/a``. It has no scheme, and no slash at
the end of a path. The time has 14 digits, of UTC.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

from counterpoint.crawler.documents import addresses

from .warc_bytes import Place

PAGES = frozenset(["text/html", "application/xhtml+xml"])
"""The types of HTML pages."""
STAMP = 14
"""The digits of a time."""
_SHORT = re.compile(r"(\d{4})(?:-(\d\d))?\Z", re.A)
_IPV4 = re.compile(r"[0-9]+(?:\.[0-9]+){3}\Z", re.A)
_LONGEST = 300
"""The most characters of a digest or an identifier."""


class Capture(NamedTuple):
    """A record of an index.

    Attributes
    ----------
    url : str
        The normalized address.
    stamp : str
        When it was captured: 14 digits, in UTC.
    type : str
        ``response``, ``resource``, ``revisit``, or ``wat``: a record of a WAT file, which has the
        links of a page and not its contents.
    status : int
        The status of the answer; of a revisit that does not say it, 0.
    mime : str
        The type that the answer says, without parameters.
    digest : str
        The digest of the payload as the record says it, such as ``sha1:…``; "" if it has none.
    filename : str
        The file that has the record.
    place : Place
        Where it begins there.
    length : int
        Its bytes in the file.
    refers : tuple of str
        Of a revisit: the address, the time (14 digits) and the identifier of the record that has
        the payload, each "" if that is not said; else empty.
    cut : bool
        Whether the record is truncated or damaged.
    """

    url: str
    stamp: str
    type: str
    status: int
    mime: str
    digest: str
    filename: str
    place: Place
    length: int
    refers: tuple[str, ...] = ()
    cut: bool = False

    @property
    def seconds(self) -> int:
        """When it was captured, in seconds since 1970."""
        return seconds_of(self.stamp)

    @property
    def is_page(self) -> bool:
        """Whether it is an HTML page with status 200."""
        return self.status == 200 and self.mime in PAGES


def key_of(address: str) -> str:
    """Return the key of a normalized address."""
    host, _, path = addresses.key(address).partition("://")[2].partition("/")
    return f"{_reversed(host)})/{path}"


@lru_cache(maxsize=addresses.REMEMBERED)
def _reversed(host: str) -> str:
    name, colon, port = host, "", ""
    if not host.endswith("]") and ":" in host:
        name, colon, port = host.rpartition(":")
    if not name.startswith("[") and not _IPV4.match(name):
        name = ",".join(reversed(name.split(".")))
    return f"{name}{colon}{port}"


def stamp_of(date: str) -> str:
    """Return the 14 digits of a date as WARC writes it (W3CDTF); "" if it is none.

    Fractions of a second are left out, and what a short date does not say is its beginning.
    """
    found = _SHORT.match(date)
    if found is not None:
        date = f"{found[1]}-{found[2] or '01'}-01T00:00:00Z"
    try:
        time = datetime.fromisoformat(date)
        time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        return ""
    return (f"{time.year:04}{time.month:02}{time.day:02}"
            f"{time.hour:02}{time.minute:02}{time.second:02}")  # fmt: skip


@lru_cache(maxsize=addresses.REMEMBERED)
def seconds_of(stamp: str) -> int:
    """Return the seconds since 1970 of 14 digits."""
    day = f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}"
    time = datetime.fromisoformat(f"{day}T{stamp[8:10]}:{stamp[10:12]}:{stamp[12:14]}+00:00")
    return int(time.timestamp())


def stamp_at(seconds: float) -> str:
    """Return the 14 digits of seconds since 1970, without fractions."""
    time = datetime.fromtimestamp(int(seconds // 1), UTC)
    return (f"{time.year:04}{time.month:02}{time.day:02}"
            f"{time.hour:02}{time.minute:02}{time.second:02}")  # fmt: skip


def date_of(seconds: float) -> str:
    """Return seconds since 1970 as a date and a time, in UTC, for users."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S}"


def line_of(capture: Capture) -> bytes:
    """Return the line of a capture, with its line feed."""
    fields: dict[str, Any] = {
        "url": capture.url, "mime": capture.mime[:_LONGEST], "status": str(capture.status or "-"),
        "digest": capture.digest[:_LONGEST] or "-", "length": str(capture.length),
        "offset": str(capture.place.at), "filename": capture.filename, "type": capture.type,
    }  # fmt: skip
    if capture.place.skip:
        fields["skip"] = str(capture.place.skip)
    if capture.refers:
        fields["refers-to"] = [one[: addresses.LONGEST] for one in capture.refers]
    if capture.cut:
        fields["cut"] = True
    return f"{key_of(capture.url)} {capture.stamp} {json.dumps(fields)}\n".encode()


def capture_of(line: bytes) -> Capture:
    """Return the capture of a line.

    Raises
    ------
    ValueError
        If it is no line that `line_of` makes.
    """
    _, stamp, text = line.decode().split(" ", 2)
    fields = json.loads(text)
    try:
        status = fields["status"]
        digest = fields["digest"]
        return Capture(
            fields["url"], stamp, fields["type"], 0 if status == "-" else int(status),
            fields["mime"], "" if digest == "-" else digest, fields["filename"],
            Place(int(fields["offset"]), int(fields.get("skip", 0))), int(fields["length"]),
            tuple(fields.get("refers-to", ())), fields.get("cut", False),
        )  # fmt: skip
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"is no line of an index: {error}") from None


def reference_key(kind: str, name: str) -> bytes:
    """Return the key under which an index has the places of records by something else.

    Parameters
    ----------
    kind : str
        ``id``, ``digest``, or ``segment``: continuations by the identifier of their first record.
    name : str
    """
    found = blake2b(f"{kind} {name}".encode("utf-8", "replace"), digest_size=8).hexdigest()
    return f"!ref {found} ".encode()


def reference_line(kind: str, name: str, place: Place) -> bytes:
    """Return a line with the place of a record, see `reference_key`."""
    fields = json.dumps({"offset": str(place.at), "skip": str(place.skip)})
    return reference_key(kind, name) + fields.encode() + b"\n"


def place_of(line: bytes) -> Place:
    """Return the place in a line of `reference_line`; raise ValueError if it is none."""
    try:
        fields = json.loads(line.split(b" ", 2)[2])
        return Place(int(fields["offset"]), int(fields["skip"]))
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError(f"is no line of an index: {error}") from None
