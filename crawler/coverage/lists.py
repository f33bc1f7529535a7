"""Samples and crawls as files: addresses of pages, one a line, with weights if they are ranked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from counterpoint.crawler.documents.addresses import key, normalized
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.worlds.capture import Capture

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Listed:
    """A sample as a file has it.

    Attributes
    ----------
    name : str
        Of the file.
    pages : tuple of str
        What is compared of each address (`counterpoint.crawler.documents.addresses.key`); each page
        once.
    weights : float64[n] or None
        None: they have none.
    """

    name: str
    pages: tuple[str, ...]
    weights: Array | None

    def covered(self, crawled: frozenset[str]) -> Array:
        """Return which of the pages a crawl has, bool[n]."""
        return np.array([page in crawled for page in self.pages], dtype=np.bool_)


def sampled(path: Path) -> Listed:
    """Return the sample in a file.

    A line is the address of a page, or the address, a tab and a weight; all have weights or none.
    Empty lines and such as begin with ``#`` are passed over, and a page that comes again.

    Raises
    ------
    CrawlError
        If it cannot be read, or a line is none of that; the message names it.
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
    return Listed(str(path), tuple(found), weights)


def crawled(path: Path) -> frozenset[str]:
    """Return the pages of a crawl: of a capture those that came, or all of a list of addresses.

    Raises
    ------
    CrawlError
        If it cannot be read, or is neither.
    """
    if path.name.removesuffix(".gz").endswith(".jsonl"):
        return frozenset(Capture(path).pages())
    pages = (_key(path, number, line.partition("\t")[0]) for number, line in _lines(path))
    return frozenset(pages)


def _lines(path: Path) -> list[tuple[int, str]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise CrawlError(f"{path}: is no text in UTF-8") from None
    except OSError as error:
        raise CrawlError(f"{path}: {error.strerror or error}") from None
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
