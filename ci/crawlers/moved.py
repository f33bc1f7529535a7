"""Which measures have left their bands, in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from counterpoint.studies.subjects.measures import MEASURES, LogMeasure

from .bands import Band, Bands
from .baseline import Values
from .noise import PairedDifference, paired


def figure(value: float, measure: LogMeasure, signed: bool = False) -> str:
    """Return a value as text: shares in per cent, other values with four digits or more."""
    sign = "+" if signed else ""
    if measure.share:
        return f"{100 * value:{sign}.4g}%"
    if value == round(value) and abs(value) < 1e15:
        return f"{value:{sign},.0f}"
    return f"{value:{sign}.4g}"


@dataclass
class Moves:
    """Sentences on measures: those that moved, that are unknown now, and warnings."""

    fell: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def moves_of(
    now: Values, before: Values, bands: Bands, measures: Mapping[str, LogMeasure] | None = None
) -> Moves:
    """Compare measures with those of a baseline.

    Parameters
    ----------
    now, before : mapping
        By measure and seed: a value for each repeat. A measure is compared on the seeds that have
        it in both.
    bands : Bands
    measures : mapping of str to LogMeasure, optional
        The measures to compare; by default those that the bands name, and the standard ones.
    """
    found = Moves()
    measures = measures or {name: MEASURES[name] for name in bands.compared()}
    compared = [name for name in measures if name in now or name in before]
    for name in compared:
        seeds = [seed for seed in before.get(name, {}) if seed in now.get(name, {})]
        if name not in before:
            found.warnings.append(f"{name} is not in the baseline, so that it is not compared")
        elif not seeds:
            found.unknown.append(f"{name} is unknown now, and is known in the baseline")
        else:
            difference = paired(
                {seed: now[name][seed] for seed in seeds},
                {seed: before[name][seed] for seed in seeds},
                bands.of(name), len(compared),
            )  # fmt: skip
            _add(found, measures[name], difference, bands.of(name))
    return found


def _add(found: Moves, measure: LogMeasure, difference: PairedDifference, band: Band) -> None:
    """Add a sentence on a measure, if it moved or its band is narrower than the noise."""
    if difference.has_moved:
        found.fell.append(sentence(measure.name, measure, difference, str(band)))
    elif difference.is_narrow and difference.noise is not None:
        found.warnings.append(
            f"the band of {measure.name}, {band} or ±{figure(difference.band, measure)}, is "
            f"narrower than the noise of its repeats, ±{figure(difference.noise, measure)}: "
            "smaller changes are not seen"
        )


def sentence(name: str, measure: LogMeasure, difference: PairedDifference, band: str) -> str:
    """Return a sentence on a measure that moved."""
    before, now = difference.before, difference.now
    share = f" ({difference.difference / before:+.1%})" if before else ""
    better = ""
    if measure.best:
        better = ", better" if (now > before) == (measure.best == "most") else ", worse"
    noise = "" if difference.noise is None else f", noise ±{figure(difference.noise, measure)}"
    return (
        f"{name}: {figure(now, measure)}, before {figure(before, measure)}{share}{better}; "
        f"band {band}{noise}"
    )
