"""Records the answers of a crawl in a file, and replays them without a network.

A capture is a text in JSON Lines: a header, then one exchange per line. It is compressed if its
name ends with ``.gz``. Every line is written at once, so that after a kill all complete lines are
usable.
"""

from __future__ import annotations

import gzip
import json
import math
import zlib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from counterpoint.crawler.documents.addresses import key, normalized
from counterpoint.crawler.documents.exchange import Exchange, Source
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Content
from counterpoint.files.inputs import TEXT, TooLargeError, lines_of, without_advice

FORMAT, VERSION = "counterpoint capture", 1
_KINDS = {"address": str, "status": int, "final": str, "links": list, "external": int,
          "size": int, "time": float, "problem": str, "content": Content, "nofollow": list,
          "canonical": str}  # fmt: skip
"""The type of each key of a line; all but the first two keys may be missing."""


class Recorder:
    """A `Source` that records the exchanges of another source.

    Parameters
    ----------
    source : Source
    path : Path
        A new file.
    about : dict
        Further entries of the header, in addition to format and version.

    Raises
    ------
    CrawlError
        If the file exists, or cannot be written.
    """

    def __init__(self, source: Source, path: Path, about: dict[str, Any] | None = None) -> None:
        self._source, self.path, self._asked = source, path, False
        try:
            self._file: IO[bytes] = open(path, "xb", buffering=0)  # noqa: SIM115 until close
        except FileExistsError:
            raise CrawlError(f"{path}: exists already; a capture must be a new file") from None
        except OSError as error:
            raise CrawlError(f"{path}: {error.strerror}") from error
        self._packer = zlib.compressobj(wbits=31) if path.suffix == ".gz" else None
        self._write({"format": FORMAT, "version": VERSION, **(about or {})})

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()

    def get(self, address: str) -> Exchange:
        """Return the other source's exchange, after it was recorded."""
        exchange = self._source.get(address)
        self._asked = True
        usual = Exchange("", 0)._asdict()
        self._write({k: v for k, v in exchange._asdict().items() if v != usual[k] or k == "status"})
        return exchange

    def close(self) -> None:
        """Close the file, and remove it if it has no exchange; may be called again."""
        if self._file.closed:
            return
        if self._packer is not None:
            self._put(self._packer.flush())
        self._file.close()
        if not self._asked:
            self.path.unlink(missing_ok=True)

    def _write(self, entry: dict[str, Any]) -> None:
        line = json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        if len(line) > TEXT:  # 250,000 links may have long addresses
            raise CrawlError(f"{self.path}: what {entry.get('address')} has is larger than "
                             f"{TEXT >> 20} MB, and cannot be recorded")  # fmt: skip
        if self._packer is not None:
            line = self._packer.compress(line) + self._packer.flush(zlib.Z_SYNC_FLUSH)
        self._put(line)

    def _put(self, data: bytes) -> None:
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            raise CrawlError(f"{self.path}: cannot be written: {error.strerror}") from error


class Capture:
    """A `Source` that replays a capture.

    The first request for a page gets the exchange of the first recorded request, and so on.

    Parameters
    ----------
    path : Path
        A file that a `Recorder` wrote. An incomplete last line is ignored.

    Attributes
    ----------
    header : dict
    exchanges : int
        How many exchanges it has.
    torn : bool
        Whether the file ends in an incomplete line or in incomplete compressed data.

    Raises
    ------
    CrawlError
        If the file is not a capture; the message names the line.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.torn, self.exchanges = path, False, 0
        self._kept: dict[str, list[Exchange]] = defaultdict(list)
        self._visits: dict[str, int] = defaultdict(int)
        lines = self._lines()
        self.header = _header(path, next(lines, b""))
        for number, line in enumerate(lines, 2):
            exchange = _exchange(path, number, line)
            self._kept[key(exchange.address)].append(exchange)
            self.exchanges += 1

    @property
    def starts(self) -> list[str]:
        """The start addresses of the recorded crawl, from the header."""
        given = self.header.get("starts", [])
        if not (isinstance(given, list) and given and all(isinstance(one, str) for one in given)):
            raise CrawlError(f"{self.path}: its header contains no start pages")
        return list(given)

    @property
    def query(self) -> str:
        """The search query of the recorded crawl; "" if it had none."""
        query = self.header.get("query", "")
        return query if isinstance(query, str) else ""

    def require_contents(self, policy: str) -> None:
        """Refuse a policy that reads, if the capture has no contents of pages."""
        if not self.header.get("contents"):
            raise CrawlError(
                f"{self.path}: has no contents of pages, which {policy} reads: it was recorded "
                "with a policy that does not read"
            )

    def pages(self) -> set[str]:
        """Return the keys of the addresses that brought a page, and of their redirects' targets."""
        came = [one for kept in self._kept.values() for one in kept if one.status == 200]
        return {key(address) for one in came for address in (one.address, one.final) if address}

    def get(self, address: str) -> Exchange:
        """Return the next recorded exchange of an address.

        Raises
        ------
        CrawlError
            If the recorded crawl did not request the address, or not so often.
        """
        name = key(address)
        kept, visit = self._kept.get(name, ()), self._visits[name]
        if visit >= len(kept):
            often = f" more than {len(kept)} time{'s' * (len(kept) > 1)}" if kept else ""
            raise CrawlError(
                f"{self.path}: the capture does not have {address}{often}: the recorded crawl did "
                "not fetch it"
            )
        self._visits[name] += 1
        return kept[visit]

    def _lines(self) -> Iterator[bytes]:
        """Yield all complete lines."""
        try:
            with open(self.path, "rb") as plain:
                packed = plain.read(2) == b"\x1f\x8b"
                plain.seek(0)
                # A GzipFile can be read like any binary file, but its type does not say so.
                file: IO[bytes] = gzip.GzipFile(fileobj=plain) if packed else plain  # type: ignore[assignment]
                for line in lines_of(file, TEXT):
                    if line.endswith(b"\n"):
                        yield line
                    else:
                        self.torn = True
        except EOFError:
            self.torn = True
        except TooLargeError as error:
            raise CrawlError(f"{self.path}: {error}") from None
        except zlib.error as error:
            raise CrawlError(f"{self.path}: cannot be unpacked: {error}") from None
        except OSError as error:
            raise CrawlError(f"{self.path}: {error.strerror or error}") from error


def _header(path: Path, line: bytes) -> dict[str, Any]:
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise CrawlError(f"{path}: is not a capture: line 1 must be its header")
    if header.get("version") != VERSION:
        raise CrawlError(f"{path}: is a capture of version {header.get('version')!r:.40}, "
                         f"not {VERSION}")  # fmt: skip
    return header


def _exchange(path: Path, number: int, line: bytes) -> Exchange:
    """Return the exchange of a line.

    Parameters
    ----------
    path : Path
        For messages.
    number : int
        The number of the line, from 1 on.
    line : bytes
    """
    try:
        entry = json.loads(line)
    except ValueError as error:
        raise CrawlError(f"{path}: line {number} is not JSON: {without_advice(error)}") from None
    except RecursionError:
        raise CrawlError(f"{path}: line {number} is nested too deeply") from None
    if not isinstance(entry, dict) or not {"address", "status"} <= set(entry):
        raise CrawlError(f"{path}: line {number} is not an exchange")
    for name, value in entry.items():
        if not _fits(name, value):
            raise CrawlError(f"{path}: line {number}: {name} cannot be {value!r:.40}")
    links, content = tuple(entry.pop("links", ())), entry.pop("content", None)
    entry["nofollow"] = tuple(entry.get("nofollow", ()))
    if content is None:
        return Exchange(**entry, links=links)
    title, text, anchors, language = content
    if len(anchors) != len(links):
        raise CrawlError(f"{path}: line {number}: has {len(links)} links, and {len(anchors)} "
                         "anchors")  # fmt: skip
    return Exchange(**entry, links=links, content=Content(title, text, tuple(anchors), language))


def _fits(name: str, value: object) -> bool:
    kind = _KINDS.get(name)
    if kind is Content:
        return isinstance(value, list) and list(map(type, value)) == [str, str, list, str] and all(
            isinstance(anchor, str) for anchor in value[2]
        )  # fmt: skip
    if kind is str:
        return isinstance(value, str) and (
            name == "problem" or normalized(value) == value or (name != "address" and not value)
        )
    if kind is list:
        return isinstance(value, list) and all(
            isinstance(one, str) and normalized(one) == one for one in value
        )
    numbers = (int,) if kind is int else (int, float)
    # A value of these types can be compared with 0; mypy does not follow `type(value) in`.
    return kind is not None and type(value) in numbers and 0 <= value < math.inf  # type: ignore[operator]
