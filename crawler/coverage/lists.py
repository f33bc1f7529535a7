"""Reads samples and crawls from files: a page's address per line, with a weight if ranked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from counterpoint.crawler.documents.addresses import key, normalized
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.worlds.capture import Capture
from counterpoint.files.inputs import TooLargeError, whole

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class ListedSample:
    """A sample that was read from a file.

    Attributes
    ----------
    name : str
        The path of the file.
    pages : tuple of str
        The distinct pages, by the keys of their addresses
        (`counterpoint.crawler.documents.addresses.key`).
    weights : float64[n] or None
        The weights of the pages; None if the file has none.
    """

    name: str
    pages: tuple[str, ...]
    weights: Array | None

    def covered(self, crawled: frozenset[str]) -> Array:
        """Return whether a crawl has each page, bool[n]."""
        return np.array([page in crawled for page in self.pages], dtype=np.bool_)


def sampled(path: Path) -> ListedSample:
    """Return the sample in a file.

    A line has the address of a page, or the address, a tab and a weight. Either all lines have a
    weight or none has. Empty lines, lines that begin with ``#`` and repeated pages are ignored.

    Raises
    ------
    CrawlError
        If the file cannot be read, or a line is malformed; the message names the line.
    """
    found: dict[str, float] = {}
    weighed: bool | None = None
    for number, line in _lines(path):
        address, tab, weight = line.partition("\t")
        if weighed not in (None, bool(tab)):
            raise CrawlError(f"{path}, line {number}: some addresses have a weight, some have none")
        weighed = bool(tab)
        found.setdefault(_key(path, number, address), _weight(path, number, weight) if tab else 0.0)
    if not found:
        raise CrawlError(f"{path}: has no address")
    weights = np.array(list(found.values())) if weighed else None
    return ListedSample(str(path), tuple(found), weights)


def crawled(path: Path) -> frozenset[str]:
    """Return the pages of a crawl: the pages fetched in a capture, or all in a list of addresses.

    Raises
    ------
    CrawlError
        If the file cannot be read, or is neither a capture nor such a list.
    """
    if path.name.removesuffix(".gz").endswith(".jsonl"):
        return frozenset(Capture(path).pages())
    pages = (_key(path, number, line.partition("\t")[0]) for number, line in _lines(path))
    return frozenset(pages)


def _lines(path: Path) -> list[tuple[int, str]]:
    try:
        with path.open("rb") as file:
            text = whole(file).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CrawlError(f"{path}: is no text in UTF-8") from None
    except TooLargeError as error:
        raise CrawlError(f"{path}: {error}") from None
    except OSError as error:
        raise CrawlError(f"{path}: {error.strerror or error}") from error
    lines = enumerate(text.split("\n"), 1)
    return [(number, line.strip()) for number, line in lines
            if line.strip() and not line.startswith("#")]  # fmt: skip


def _key(path: Path, number: int, address: str) -> str:
    found = normalized(address.strip())
    if found is None:
        raise CrawlError(f"{path}, line {number}: {address[:60]!r} is no address of a page")
    return key(found)


def _weight(path: Path, number: int, text: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = math.nan
    if not math.isfinite(weight):
        raise CrawlError(f"{path}, line {number}: {text[:40]!r} is no weight")
    return weight
