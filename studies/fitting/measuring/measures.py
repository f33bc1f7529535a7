"""All that is measured in a captured web, and that a fit or a comparison needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from counterpoint.crawler.errors import CrawlError
from counterpoint.studies.captured.arrays import CapturedArrays
from counterpoint.studies.captured.building import arrays_of
from counterpoint.studies.captured.settings import CapturedSource

from .contents import Contents, contents_of
from .structure import Structure, of_capture

LEAST = 20
"""A synthetic web has at least so many pages."""
CORE = 3
"""The strong component of a synthetic web has at least so many pages."""

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Measures:
    """What was measured in a captured web.

    Attributes
    ----------
    structure : Structure
    contents : Contents
    linked : dict of int to int
        By status from 400 on: the captured addresses to which pages link.
    uncaptured : float
        The share of the links on pages, to the hosts of the capture, that lead to what was not
        captured.
    redirected, chained, loops : int
        The pages that are reached by one redirect, and by several, and the circles of redirects.
    """

    structure: Structure
    contents: Contents
    linked: dict[int, int]
    uncaptured: float
    redirected: int
    chained: int
    loops: int


def measured(source: CapturedSource, tell: Tell | None = None) -> Measures:
    """Measure a captured web.

    Parameters
    ----------
    source : CapturedSource
    tell : callable, optional
        Gets a line of text on the progress.

    Raises
    ------
    CrawlError
        If a file cannot be read, or too few pages or no contents were captured, or too few pages
        reach each other.
    """
    arrays = arrays_of(source, tell)
    pages = int(arrays.html.sum())
    if pages < LEAST:
        raise CrawlError(
            f"{source.name}: has {pages} HTML page{'s' * (pages != 1)} with status 200; a profile "
            f"is fitted to {LEAST} or more"
        )
    contents = contents_of(source, tell)
    if not contents.pages:
        raise CrawlError(f"{source.name}: has links without pages (WAT); give the WARC files")
    structure, keys = of_capture(arrays)
    core = structure.bowtie.counts["scc"]
    if core < CORE:
        raise CrawlError(
            f"{source.name}: no {CORE} captured pages reach each other by links, and a synthetic "
            "web has such pages; capture more of the web"
        )
    return Measures(structure, contents, _linked(arrays), _uncaptured(arrays), *contents.hops(keys))


def _linked(arrays: CapturedArrays) -> dict[int, int]:
    others = arrays.status[arrays.captured & ~arrays.html]
    return {int(status): int(number)
            for status, number in zip(*np.unique(others, return_counts=True), strict=True)
            if status >= 400}  # fmt: skip


def _uncaptured(arrays: CapturedArrays) -> float:
    return float((~arrays.captured[arrays.targets]).mean()) if len(arrays.targets) else 0.0
