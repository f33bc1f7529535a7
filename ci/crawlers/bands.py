"""Bands: how far the mean of a measure may move from its baseline."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from counterpoint.crawler.errors import CrawlError
from counterpoint.studies.subjects.measures import MEASURES, measure_named


def _log_measure(name: str) -> str:
    return measure_named(name).name


DEFAULT = "default"
_SHARE = re.compile(r"\s*(\d+\.?\d*|\.\d+)\s*%\s*")


@dataclass(frozen=True)
class Band:
    """A band: a number, or a share of the baseline."""

    size: float
    relative: bool

    def around(self, value: float) -> float:
        """Return how far a value may move."""
        return self.size * abs(value) if self.relative else self.size

    def __str__(self) -> str:
        return f"{100 * self.size:g}%" if self.relative else f"{self.size:g}"


USUAL = Band(0.02, True)
"""The band of measures that no other band names."""


@dataclass(frozen=True)
class Bands:
    """The bands of all measures.

    Attributes
    ----------
    default : Band
    by_measure : mapping of str to Band
        Measures that are compared even if they are not standard.
    """

    default: Band = USUAL
    by_measure: Mapping[str, Band] = field(default_factory=dict)

    def of(self, measure: str) -> Band:
        """Return the band of a measure."""
        return self.by_measure.get(measure, self.default)

    def compared(self) -> list[str]:
        """Return the names of the measures to compare: the standard ones, and those with a band."""
        return [name for name, one in MEASURES.items() if one.standard or name in self.by_measure]


def bands_of(
    given: Mapping[str, float | str], names: Callable[[str], str] = _log_measure
) -> Bands:  # fmt: skip
    """Parse bands: by measure, or ``default``, a number or a share such as ``10%``.

    Parameters
    ----------
    given : mapping of str to (float or str)
    names : callable
        Returns the name of a measure, or raises CrawlError; by default of a measure of logs.

    Raises
    ------
    CrawlError
        If there is no such measure, or a band is neither.
    """
    found: dict[str, Band] = {}
    default = USUAL
    for name, value in given.items():
        band = _band(name, value)
        if name == DEFAULT:
            default = band
        else:
            found[names(name)] = band
    return Bands(default, found)


def pairs_of(given: Sequence[str]) -> dict[str, float | str]:
    """Return bands of the command line: ``MEASURE=BAND``, or ``BAND`` for all others."""
    pairs: dict[str, float | str] = {}
    for text in given:
        name, equals, value = text.rpartition("=")
        pairs[name.strip() if equals else DEFAULT] = value.strip()
    return pairs


def _band(name: str, value: float | str) -> Band:
    if isinstance(value, str):
        if share := _SHARE.fullmatch(value):
            return Band(float(share[1]) / 100, True)
        try:
            value = float(value)
        except ValueError:
            value = math.nan
    if isinstance(value, bool) or not 0 <= value < math.inf:
        raise CrawlError(f"the band of {name} is a number from 0 on, or a share such as '10%'")
    return Band(float(value), False)
