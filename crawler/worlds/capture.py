"""A crawl written down, and crawled again from what was written: no network, the same answers.

A capture is text in JSON Lines, one exchange a line after a header; packed if its name ends with
``.gz``. Every line leaves the process at once, so that after a kill all whole lines count.
"""

from __future__ import annotations

import gzip
import json
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

FORMAT, VERSION = "counterpoint capture", 1
_KINDS = {"address": str, "status": int, "final": str, "links": list, "external": int,
          "size": int, "time": float, "problem": str, "content": Content}  # fmt: skip
"""What each key of a line holds; all but the first two may be missing."""


class Recorder:
    """A `Source` that passes on what another brings, and writes it down first.

    Parameters
    ----------
    source : Source
    path : Path
        A new file.
    about : dict
        What the header says of the crawl beside its format and version.

    Raises
    ------
    CrawlError
        If the file is there already, or cannot be written.
    """

    def __init__(self, source: Source, path: Path, about: dict[str, Any] | None = None) -> None:
        self._source, self.path, self._asked = source, path, False
        try:
            self._file: IO[bytes] = open(path, "xb", buffering=0)  # noqa: SIM115 until close
        except FileExistsError:
            raise CrawlError(f"{path}: is there already; a capture is a new file") from None
        except OSError as error:
            raise CrawlError(f"{path}: {error.strerror}") from None
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
        """Ask the other source, and write down what it brings."""
        told = self._source.get(address)
        self._asked = True
        usual = Exchange("", 0)._asdict()
        self._write({k: v for k, v in told._asdict().items() if v != usual[k] or k == "status"})
        return told

    def close(self) -> None:
        """End the file, and remove it if nothing was asked for; may be called again."""
        if self._file.closed:
            return
        if self._packer is not None:
            self._put(self._packer.flush())
        self._file.close()
        if not self._asked:
            self.path.unlink(missing_ok=True)

    def _write(self, entry: dict[str, Any]) -> None:
        line = json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        if self._packer is not None:
            line = self._packer.compress(line) + self._packer.flush(zlib.Z_SYNC_FLUSH)
        self._put(line)

    def _put(self, data: bytes) -> None:
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            raise CrawlError(f"{self.path}: cannot be written: {error.strerror}") from None


class Capture:
    """A `Source` of what was written down.

    The first request for a page gets what the first request got then, and so on.

    Parameters
    ----------
    path : Path
        What a `Recorder` wrote. A last line that is not whole does not count.

    Attributes
    ----------
    header : dict
    exchanges : int
        How many there are.
    torn : bool
        Whether it breaks off: in a line, or if it is packed anywhere.

    Raises
    ------
    CrawlError
        If it is no capture; the message names the line.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.torn, self.exchanges = path, False, 0
        self._kept: dict[str, list[Exchange]] = defaultdict(list)
        self._visits: dict[str, int] = defaultdict(int)
        lines = self._lines()
        self.header = _header(path, next(lines, b""))
        for number, line in enumerate(lines, 2):
            told = _exchange(path, number, line)
            self._kept[key(told.address)].append(told)
            self.exchanges += 1

    @property
    def starts(self) -> list[str]:
        """The start addresses of the crawl that wrote it, as the header has them."""
        told = self.header.get("starts", [])
        if not (isinstance(told, list) and told and all(isinstance(one, str) for one in told)):
            raise CrawlError(f"{self.path}: its header names no start pages")
        return list(told)

    @property
    def query(self) -> str:
        """What the crawl that wrote it looked for; "" if nothing."""
        told = self.header.get("query", "")
        return told if isinstance(told, str) else ""

    def must_tell(self, policy: str) -> None:
        """Refuse to serve a policy that reads if there is nothing to read."""
        if not self.header.get("contents"):
            raise CrawlError(
                f"{self.path}: does not have what pages say, which {policy} reads: it was written "
                "by a policy that does not read"
            )

    def pages(self) -> set[str]:
        """Return the keys of the addresses that brought a page, and of those they led to."""
        came = [told for kept in self._kept.values() for told in kept if told.status == 200]
        return {key(address) for told in came for address in (told.address, told.final) if address}

    def get(self, address: str) -> Exchange:
        """Return what an address brought then.

        Raises
        ------
        CrawlError
            If it was not asked for, or not so often.
        """
        name = key(address)
        kept, visit = self._kept.get(name, ()), self._visits[name]
        if visit >= len(kept):
            often = f" more than {len(kept)} time{'s' * (len(kept) > 1)}" if kept else ""
            raise CrawlError(
                f"{self.path}: the capture does not have {address}{often}: the crawl that wrote it "
                "did not fetch it"
            )
        self._visits[name] += 1
        return kept[visit]

    def _lines(self) -> Iterator[bytes]:
        """Yield all whole lines."""
        try:
            with open(self.path, "rb") as plain:
                packed = plain.read(2) == b"\x1f\x8b"
                plain.seek(0)
                # A GzipFile reads as any binary file does, but is typed as none.
                file: IO[bytes] = gzip.GzipFile(fileobj=plain) if packed else plain  # type: ignore[assignment]
                for line in file:
                    if line.endswith(b"\n"):
                        yield line
                    else:
                        self.torn = True
        except EOFError:
            self.torn = True
        except zlib.error as error:
            raise CrawlError(f"{self.path}: cannot be unpacked: {error}") from None
        except OSError as error:
            raise CrawlError(f"{self.path}: {error.strerror or error}") from None


def _header(path: Path, line: bytes) -> dict[str, Any]:
    try:
        header = json.loads(line)
    except ValueError:
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise CrawlError(f"{path}: is no capture: line 1 must be its header")
    if header.get("version") != VERSION:
        raise CrawlError(f"{path}: is a capture of version {header.get('version')}, not {VERSION}")
    return header


def _exchange(path: Path, number: int, line: bytes) -> Exchange:
    """Return what a line holds."""
    try:
        told = json.loads(line)
    except ValueError as error:
        raise CrawlError(f"{path}: line {number} is no JSON: {error}") from None
    if not isinstance(told, dict) or not {"address", "status"} <= set(told):
        raise CrawlError(f"{path}: line {number} is no exchange")
    for name, value in told.items():
        if not _fits(name, value):
            raise CrawlError(f"{path}: line {number}: {name} cannot be {value!r:.40}")
    links, content = tuple(told.pop("links", ())), told.pop("content", None)
    if content is None:
        return Exchange(**told, links=links)
    title, text, anchors, language = content
    if len(anchors) != len(links):
        raise CrawlError(f"{path}: line {number}: has {len(links)} links, and {len(anchors)} "
                         "anchors")  # fmt: skip
    return Exchange(**told, links=links, content=Content(title, text, tuple(anchors), language))


def _fits(name: str, value: object) -> bool:
    kind = _KINDS.get(name)
    if kind is Content:
        return isinstance(value, list) and list(map(type, value)) == [str, str, list, str] and all(
            isinstance(anchor, str) for anchor in value[2]
        )  # fmt: skip
    if kind is str:
        return isinstance(value, str) and (
            name == "problem" or normalized(value) == value or (name == "final" and not value)
        )
    if kind is list:
        return isinstance(value, list) and all(
            isinstance(one, str) and normalized(one) == one for one in value
        )
    numbers = (int,) if kind is int else (int, float)
    # What is of one of these types can be compared with 0; `type(value) in` is not followed.
    return kind is not None and type(value) in numbers and value >= 0  # type: ignore[operator]
