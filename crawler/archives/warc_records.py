"""Reads the records of a WARC file (ISO 28500) that may be damaged, and goes on after each damage.

Versions 1.0 and 1.1 are read, plain, compressed by gzip or by Zstandard. A record is right if it
has as many bytes as its header says, and the end of the file or another record follows. Where that
is not so, reading goes on at the next place that looks like the begin of a record: in a plain file
a line ``WARC/``, in a compressed one a member that begins so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from counterpoint.crawler.errors import CrawlError
from counterpoint.files.inputs import PIECE

from .warc_bytes import (
    MOST,
    WRONG_LENGTH,
    BrokenOffError,
    DamageError,
    FileBytes,
    NextError,
    NoRecordError,
    Place,
    PlainBytes,
)
from .warc_members import source_of

PLACES = 100
"""After so many damaged places, the rest of a file is left out."""
_LINES = 1_000
"""The most headers of a record."""


class Damage(NamedTuple):
    """A damaged place.

    Attributes
    ----------
    path : Path
        The file.
    at : int
        The byte of the file at which the record begins, or its member of gzip.
    reason : str
        What is wrong.
    """

    path: Path
    at: int
    reason: str


class Record(NamedTuple):
    """A record.

    Attributes
    ----------
    headers : dict of str to str
        By name in lower case; a repeated header has its values separated by commas.
    data : bytes
        Its content, at most as many bytes as were asked for.
    partial : bool
        Whether it is longer than that.
    damaged : bool
        Whether the record is damaged; then ``data`` is what can be read.
    place : Place
        Where it begins.
    length : int
        How many bytes of the file it has from ``place.at`` on, so that it can be read alone.
    version : str
        The version of the format that it says, such as 1.1.
    """

    headers: dict[str, str]
    data: bytes
    partial: bool
    damaged: bool
    place: Place = Place(0)
    length: int = 0
    version: str = "1.0"

    @property
    def type(self) -> str:
        """Its type, such as ``response``, in lower case."""
        return self.headers.get("warc-type", "").lower()


Wanted = Callable[[Mapping[str, str]], int]
"""Returns how many bytes of the content of a record are wanted, by its headers."""


def of_answers(headers: Mapping[str, str]) -> int:
    """Want the whole content of answers, and none of other records."""
    return MOST if headers.get("warc-type", "").lower() == "response" else 0


def everything(headers: Mapping[str, str]) -> int:
    """Want the whole content of each record."""
    return MOST


class WarcFile:
    """A WARC file, compressed or not, of which records can be read in order or alone.

    Parameters
    ----------
    path : Path

    Raises
    ------
    CrawlError
        If the file cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file = path.open("rb")
            try:
                self._source: FileBytes = (source_of(self._file) or PlainBytes)(self._file)
            except BaseException:
                self._file.close()
                raise
        except OSError as error:
            raise self._cannot(error) from None
        except CrawlError as error:
            raise CrawlError(f"{path}: {error}") from None

    def _cannot(self, error: OSError) -> CrawlError:
        return CrawlError(f"{self._path}: {error.strerror or error}")

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> WarcFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()

    def records(self, damages: list[Damage], wanted: Wanted) -> Iterator[Record]:
        """Yield all records from the beginning of the file; see `records`."""
        try:
            self._source.go(Place(0))
            yield from _Reader(self._path, self._source, damages, wanted).records()
        except OSError as error:
            raise self._cannot(error) from None

    def record_at(self, place: Place, wanted: Wanted = everything) -> Record:
        """Return the record at a place.

        Raises
        ------
        CrawlError
            If the file has changed so that no record begins there, or cannot be read.
        """
        damages: list[Damage] = []
        try:
            self._source.go(place)
            found = next(_Reader(self._path, self._source, damages, wanted, alone=True).records(),
                         None)  # fmt: skip
        except OSError as error:
            raise self._cannot(error) from None
        except DamageError as error:
            raise CrawlError(f"{self._path}: at byte {place.at:,}: {error}") from None
        if found is None or not found.headers:
            raise CrawlError(f"{self._path}: has no record at byte {place.at:,}")
        return found


def records(path: Path, damages: list[Damage], wanted: Wanted = of_answers) -> Iterator[Record]:
    """Yield the records of a WARC file, compressed or not.

    Parameters
    ----------
    path : Path
    damages : list of Damage
        Gets what is damaged.
    wanted : callable
        Returns how many bytes of a record's content are kept, by its headers.

    Raises
    ------
    CrawlError
        If the file cannot be read, or has no right record and does not only break off.
    """
    with WarcFile(path) as file:
        yield from file.records(damages, wanted)


class _Reader:
    """Reads the records of one file, from where its source is."""

    def __init__(
        self, path: Path, source: FileBytes, damages: list[Damage], wanted: Wanted,
        *, alone: bool = False,
    ) -> None:  # fmt: skip
        self._path, self._source, self._damages = path, source, damages
        self._wanted, self._alone = wanted, alone
        self._begin(None)
        self._right = self._wrong = 0

    def _begin(self, place: Place | None) -> None:
        self._headers: dict[str, str] = {}
        self._content = bytearray()
        self._place = place
        self._most = self._end = 0
        self._version = ""

    def records(self) -> Iterator[Record]:
        goes_on = True
        while goes_on:
            self._begin(None)
            partial = damaged = False
            try:
                if not self._source.begins():
                    return
                self._place = self._source.place()
                partial = self._read()
                self._right += 1
            except DamageError as error:
                damaged, goes_on = True, self._goes_on(error)
                self._end = self._source.used()
            if self._headers:
                place = self._place or Place(0)
                length = max(0, self._end - place.at)
                yield Record(self._headers, bytes(self._content), partial, damaged, place, length,
                             self._version)  # fmt: skip

    def _goes_on(self, error: DamageError) -> bool:
        """Note a damage; return whether another record follows."""
        at = (self._source.place() if self._place is None else self._place).at
        follows = self._source.resume(at, self._content, self._most)
        breaks_off = isinstance(error, BrokenOffError)
        reason = WRONG_LENGTH if breaks_off and follows else str(error)
        if not (self._right or self._wrong or follows or breaks_off or self._alone):
            text = f"{self._path}: is no WARC file that can be read: {reason}"
            raise CrawlError(text) from None
        self._damages.append(Damage(self._path, at, reason))
        self._wrong += 1
        if self._wrong < PLACES or not follows:
            return follows
        reason = f"after {PLACES} damaged places the rest of the file is left out"
        self._damages.append(Damage(self._path, at, reason))
        return False

    def _read(self) -> bool:
        """Read a record, and its content as far as it is wanted.

        Returns
        -------
        bool
            Whether the content is longer than that.
        """
        self._headers = self._named_lines()
        self._most = self._wanted(self._headers)
        try:
            length = int(self._headers.get("content-length", ""))
        except ValueError:
            raise DamageError("a record has no length") from None
        if length < 0:
            raise DamageError("a record has less than no bytes")
        self._source.must_be_right(length)
        left, most, content = length, self._most, self._content
        while left:
            piece = self._source.read(min(PIECE, left))
            if not piece:
                raise BrokenOffError
            left -= len(piece)
            if len(content) < most:
                content += piece[: most - len(content)]
        self._must_be_followed()
        return length > most

    def _must_be_followed(self) -> None:
        """Refuse what is neither a record nor the end; of the next record this is no damage."""
        self._end = self._source.used()
        with suppress(BrokenOffError, NextError):
            try:
                follows = self._source.begins()
            except NoRecordError:
                raise DamageError(WRONG_LENGTH) from None
            place = self._source.place()
            if not follows:
                self._end = self._source.used()
            elif not place.skip:
                self._end = place.at

    def _named_lines(self) -> dict[str, str]:
        lines: list[bytes] = []
        while (line := self._source.line()) not in (b"\r\n", b"\n"):
            if not line:
                raise BrokenOffError
            lines.append(line)
            if len(lines) > _LINES:
                raise DamageError(f"a record has more than {_LINES:,} headers")
        self._version = lines[0].decode("latin-1").strip().partition("/")[2][:20]
        return named(lines, "utf-8")


OF_ROBOTS = "x-robots-tag"


def named(lines: list[bytes], encoding: str) -> dict[str, str]:
    """Return headers by their names in lower case; a line that begins with a blank goes on.

    Headers of one name become one, with commas between their values; those of `OF_ROBOTS` with line
    feeds, since a name of a crawler in one of them does not apply to the next.
    """
    found: dict[str, str] = {}
    last = ""
    for line in lines:
        text = line.decode(encoding, "replace")
        if text[:1] in (" ", "\t") and last:
            found[last] = f"{found[last]} {text.strip()}".strip()
            continue
        name, _, value = text.partition(":")
        last, value = name.strip().lower(), value.strip()
        between = "\n" if last == OF_ROBOTS else ","
        found[last] = f"{found[last]}{between}{value}" if last in found else value
    return found
