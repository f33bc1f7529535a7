"""Makes the index of a WARC file, which is written once and used while the file stays as it is.

The index is a file of CDXJ (`cdxj`). Its first line says of which file it is, with size and time,
and what was found in it. Then come the places of records by identifier and by digest, for revisits
that say only these, and then the captures. Whatever the number of records, making an index takes
some 50 MB of memory.
"""

from __future__ import annotations

import errno
import json
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from counterpoint.crawler.documents.addresses import normalized
from counterpoint.crawler.errors import CrawlError

from .archives import answer_of, target_of
from .cdxj import STAMP, Capture, line_of, reference_line, stamp_of
from .sorting import ExternalSorter
from .warc_records import Damage, Record, WarcFile
from .wat import MOST as WAT_MOST
from .wat import page_of

FORMAT = 1
"""The version of the index's format; an index of another one is made again."""
HEAD = 1 << 16
"""The bytes of an answer in which its head is looked for."""
MOST_DAMAGES = 1_000
"""So many damaged places are named."""
SUFFIX = ".cdxj"
_BEGIN = b"!cdxj 00000000000000 "
_LONGEST = 1 << 20
"""The most bytes of the first line."""
_REPORTED = 10_000
"""After so many records the progress is reported."""

Tell = Callable[[str], None]


_READ_ONLY = (errno.EACCES, errno.EPERM, errno.EROFS)
_ELSEWHERE = "name another folder for it: index in TOML, --index of web serve, or XDG_CACHE_HOME"


class About(NamedTuple):
    """The first line of an index.

    Attributes
    ----------
    size, time : int
        The size of the WARC file in bytes, and its time in nanoseconds.
    captures : int
        The captures in it.
    first, last : str
        The times of the first and of the last of them, 14 digits; "" if there are none.
    start : str
        The time and the address of the first one that is an HTML page with status 200, separated by
        a blank; "" if there is none.
    types : dict of str to int
        The number of its records of each type.
    damages : tuple of (int, str)
        The places that are damaged, and why.
    """

    size: int
    time: int
    captures: int
    first: str
    last: str
    start: str
    types: dict[str, int]
    damages: tuple[tuple[int, str], ...]

    def line(self) -> bytes:
        """Return the line, with its line feed."""
        fields = {"format": FORMAT, "size": self.size, "time": self.time,
                  "captures": self.captures, "first": self.first, "last": self.last,
                  "start": self.start, "types": self.types, "damages": self.damages}  # fmt: skip
        return _BEGIN + json.dumps(fields).encode() + b"\n"


def about(path: Path) -> About | None:
    """Return what an index says about itself; None if there is none of this format."""
    try:
        with path.open("rb") as file:
            line = file.readline(_LONGEST)
        fields: Any = json.loads(line.removeprefix(_BEGIN)) if line.startswith(_BEGIN) else {}
        if fields.get("format") != FORMAT:
            return None
        damages = tuple((int(at), str(why)) for at, why in fields["damages"])
        types = {str(kind): int(count) for kind, count in fields["types"].items()}
        first, last, start = str(fields["first"]), str(fields["last"]), str(fields["start"])
        return About(int(fields["size"]), int(fields["time"]), int(fields["captures"]),
                     first, last, start, types, damages)  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def place_of_index(path: Path, folder: Path | None = None) -> Path:
    """Return where the index of a WARC file is: beside it, or in a folder.

    In a folder its name has a digest of the file's own folder, since files of several folders can
    have one name.
    """
    if folder is None:
        return path.with_name(path.name + SUFFIX)
    where = blake2b(os.fsencode(path.resolve().parent), digest_size=4).hexdigest()
    return folder / f"{path.name}.{where}{SUFFIX}"


def indexed(path: Path, folder: Path | None = None, tell: Tell | None = None) -> Path:
    """Return the index of a WARC file, which is made if there is none, or if the file has changed.

    Parameters
    ----------
    path : Path
        The WARC file.
    folder : Path, optional
        Where the index is; by default beside the file, and if nothing can be written there, in
        `caches`.
    tell : callable, optional
        Gets a line of text on the progress.

    Raises
    ------
    CrawlError
        If the file is no WARC file or cannot be read, or if the index cannot be written.
    """
    place = place_of_index(path, folder)
    try:
        status = path.stat()
    except OSError as error:
        raise CrawlError(f"{path}: {error.strerror or error}") from None
    found = about(place)
    if found is not None and (found.size, found.time) == (status.st_size, status.st_mtime_ns):
        return place
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        _write(path, place, status, tell)
    except OSError as error:
        if folder is None and error.errno in _READ_ONLY:
            return indexed(path, caches(), tell)
        raise CrawlError(
            f"{place.parent}: the index of {path.name} cannot be written there "
            f"({error.strerror or error}); {_ELSEWHERE}"
        ) from None
    return place


def caches() -> Path:
    """Return the folder of indexes whose files are in folders that are read-only.

    Raises
    ------
    CrawlError
        If there is none, since the user has no home directory.
    """
    try:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:
        raise CrawlError(
            "an index cannot be written beside its file, and there is no home directory to keep it "
            f"in; {_ELSEWHERE}"
        ) from None
    return Path(base) / "counterpoint" / "indexes"


def _write(path: Path, place: Path, status: os.stat_result, tell: Tell | None) -> None:
    number, part = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
    sorter = ExternalSorter(place.parent)
    try:
        with os.fdopen(number, "wb") as file:
            damages: list[Damage] = []
            types: Counter[str] = Counter()
            captures, first, last, start = 0, "", "", ""
            for line, capture in lines_of(path, damages, types, tell):
                sorter.add(line)
                if capture is None:
                    continue
                stamp = capture.stamp
                captures, last, first = captures + 1, max(last, stamp), min(first or stamp, stamp)
                if capture.is_page and (not start or stamp < start[:STAMP]):
                    start = f"{stamp} {capture.url}"
            said = tuple((one.at, one.reason) for one in damages[:MOST_DAMAGES])
            made = About(status.st_size, status.st_mtime_ns, captures, first, last, start,
                         dict(sorted(types.items())), said)  # fmt: skip
            file.write(made.line())
            file.writelines(sorter.sorted())
        os.chmod(part, 0o644)
        os.replace(part, place)
    except BaseException:
        sorter.close()
        with suppress(OSError):
            os.unlink(part)
        raise


def wanted(headers: Mapping[str, str]) -> int:
    """Want the heads of answers, and the whole JSON of WAT."""
    kind = headers.get("warc-type", "").lower()
    if kind == "metadata" and "json" in headers.get("content-type", ""):
        return WAT_MOST
    return HEAD if kind in ("response", "revisit") else 0


def lines_of(
    path: Path, damages: list[Damage], types: Counter[str], tell: Tell | None = None
) -> Iterator[tuple[bytes, Capture | None]]:
    """Yield the lines of an index in the order of the file, and the capture if it has one.

    Parameters
    ----------
    path : Path
    damages : list of Damage
        Gets what is damaged, and what cannot be indexed.
    types : Counter
        Gets the number of records of each type.
    tell : callable, optional
        Gets a line of text on the progress.
    """
    size = max(1, path.stat().st_size)
    with WarcFile(path) as file:
        for number, record in enumerate(file.records(damages, wanted), 1):
            types[record.type[:20]] += 1
            if tell is not None and number % _REPORTED == 0:
                tell(f"{path.name}: {number:,} records, {record.place.at / size:.0%}")
            for line in _references(record):
                yield line, None
            try:
                capture = capture_in(record, path.name)
            except ValueError as error:
                if len(damages) < MOST_DAMAGES:
                    damages.append(Damage(path, record.place.at, str(error)))
                continue
            if capture is not None:
                yield line_of(capture), capture


def _references(record: Record) -> Iterator[bytes]:
    """Yield the lines by which a record is found by something else than its address."""
    headers, kind = record.headers, record.type
    if kind == "continuation":
        yield reference_line("segment", headers.get("warc-segment-origin-id", ""), record.place)
    if kind not in ("response", "resource"):
        return
    if "warc-record-id" in headers:
        yield reference_line("id", headers["warc-record-id"], record.place)
    if "warc-payload-digest" in headers and not record.damaged:
        yield reference_line("digest", headers["warc-payload-digest"], record.place)


def capture_in(record: Record, filename: str) -> Capture | None:
    """Return the capture in a record; None if it has none.

    Raises
    ------
    ValueError
        If it cannot be used; the message says why.
    """
    kind, headers = record.type, record.headers
    if kind == "metadata":
        return _wat(record, filename)
    if kind not in ("response", "resource", "revisit"):
        return None
    address = target_of(record)
    answer = answer_of(record)
    if address is None or (answer is None and kind == "response"):
        return None  # of DNS, FTP or another protocol
    stamp = stamp_of(headers.get("warc-date", ""))
    if not stamp:
        raise ValueError("a record has no date that can be read")
    mime = answer.headers.get("content-type", "") if answer is not None else ""
    refers: tuple[str, ...] = ()
    if kind == "revisit":
        uri = normalized(headers.get("warc-refers-to-target-uri", "").strip("<> ")) or ""
        refers = (uri, stamp_of(headers.get("warc-refers-to-date", "")),
                  headers.get("warc-refers-to", ""))  # fmt: skip
    cut = record.damaged or (kind != "revisit" and "warc-truncated" in headers)
    return Capture(
        address, stamp, kind, answer.status if answer is not None else 0,
        mime.partition(";")[0].strip().lower(), headers.get("warc-payload-digest", ""), filename,
        record.place, record.length, refers, cut,
    )  # fmt: skip


def _wat(record: Record, filename: str) -> Capture | None:
    if "json" not in record.headers.get("content-type", ""):
        return None
    if record.partial:
        raise ValueError(f"the JSON of a record has more than {WAT_MOST >> 20} MB")
    try:
        page = page_of(record.data)
    except ValueError:
        raise ValueError("the JSON of a record cannot be read") from None
    if page is None:
        return None
    stamp = stamp_of(page.date or record.headers.get("warc-date", ""))
    if not stamp:
        raise ValueError("a record has no date that can be read")
    mime = page.headers.get("content-type", "").partition(";")[0].strip().lower()
    return Capture(page.address, stamp, "wat", page.status, mime, "", filename, record.place,
                   record.length)  # fmt: skip
