"""The bow-tie as polygons whose areas are the shares of the components.

The whole web has an area of 1. SCC is a disc, IN and OUT are bows on its sides, tendrils are arms
of the bows, tubes run past the disc from bow to bow, and islands lie below.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Polygon = np.ndarray[Any, Any]
"""The corners in order, float64, shape (corners, 2); x to the right, y upward."""

GAP = 0.03
"""The distance between the disc and the shapes around it."""

OPENING = math.radians(50)
"""Half the angle of the disc's edge that a bow covers."""

LEAST = 1e-9
"""Components with a share below this are not drawn."""

FLARE = 0.35
"""By how much each edge of a bow widens, as a share of the bow's length."""

_FINE = 96
"""How many points a curve has."""


def area(polygon: Polygon) -> float:
    """Return the area of a polygon that does not cross itself."""
    x, y = polygon[:, 0], polygon[:, 1]
    return float(abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2)


def shapes(shares: Mapping[str, float], hanging_off_in: float = 0.5) -> dict[str, list[Polygon]]:
    """Return the polygons of each component; their areas sum to its share.

    Parameters
    ----------
    shares : mapping
        The shares of scc (above 0), in, out, tendrils, tubes and disconnected.
    hanging_off_in : float
        The share of the tendrils that hang off IN.
    """
    radius = math.sqrt(shares["scc"] / math.pi)
    into, out = _bow(radius, shares["in"]), _bow(radius, shares["out"])
    off_in = shares["tendrils"] * (hanging_off_in if out.length else 1.0) * bool(into.length)
    off_out = (shares["tendrils"] - off_in) * bool(out.length)
    tubes = _tubes(radius, shares["tubes"])
    # Thick tubes take the place above the disc, so the arms next to it lean outward.
    lean = min(0.5, 2.5 * (float(tubes[0][:, 1].max()) - radius - GAP)) if tubes else 0.0
    arms_in = [_mirrored(arm) for arm in _arms(into, off_in, lean)]
    found: dict[str, list[Polygon]] = {
        "scc": [_disc(radius)],
        "in": [_mirrored(_outline(into))] if into.length else [],
        "out": [_outline(out)] if out.length else [],
        "tendrils": arms_in + _arms(out, off_out, lean),
        "tubes": tubes,
    }
    corners = np.concatenate([p for part in found.values() for p in part])
    left_end, right_end = float(corners[:, 0].min()), float(corners[:, 0].max())
    islands = _islands(shares["disconnected"], float(corners[:, 1].min()), right_end - left_end)
    middle = np.array([(left_end + right_end) / 2, 0.0])
    found["disconnected"] = [island + middle for island in islands]
    return found


def _disc(radius: float, x: float = 0.0, y: float = 0.0) -> Polygon:
    """Return a disc's polygon, of exactly the disc's area."""
    angle = np.linspace(0, 2 * math.pi, _FINE, endpoint=False)
    radius *= math.sqrt(2 * math.pi / (_FINE * math.sin(2 * math.pi / _FINE)))
    return np.column_stack([x + radius * np.cos(angle), y + radius * np.sin(angle)])


def _mirrored(polygon: Polygon) -> Polygon:
    return np.asarray(polygon * np.array([-1.0, 1.0]))


@dataclass(frozen=True)
class _Bow:
    """The measures of the bow on the right; a length of 0 means that there is no bow."""

    inner: float
    opening: float
    length: float

    def edge(self, t: Any) -> tuple[Any, Any]:
        """Return the upper edge at t, from 0 at the disc to 1 at the outer end."""
        x, y = self.inner * math.cos(self.opening), self.inner * math.sin(self.opening)
        along = x + (self.inner + self.length - x) * t
        return along, y + FLARE * self.length * t**1.6


def _outline(bow: _Bow) -> Polygon:
    """Return the bow on the right: an arc along the disc, edges that flare, a bulging end."""
    arc = np.linspace(-bow.opening, bow.opening, _FINE)
    x, y = bow.edge(np.linspace(0, 1, _FINE))
    turn = np.linspace(1, -1, _FINE)[1:-1]
    end = np.column_stack([x[-1] + 0.12 * bow.length * (1 - turn**2), float(y[-1]) * turn])
    return np.concatenate([
        bow.inner * np.column_stack([np.cos(arc), np.sin(arc)])[:-1],
        np.column_stack([x, y]),
        end,
        np.column_stack([x, -y])[::-1][:-1],
    ])  # fmt: skip


def _bow(radius: float, share: float) -> _Bow:
    """Return the bow with a given area; if it is too small for the full opening, it is narrower."""
    inner = radius + GAP
    if share < LEAST:
        return _Bow(inner, OPENING, 0.0)

    def least(opening: float) -> float:
        return area(_outline(_Bow(inner, opening, 0.0)))

    opening = OPENING
    if least(OPENING) > 0.6 * share:
        opening = _solved(least, 0.6 * share, OPENING)
    length = _solved(lambda n: area(_outline(_Bow(inner, opening, n))), share, 4.0)
    return _Bow(inner, opening, length)


def _solved(function: Callable[[float], float], goal: float, high: float) -> float:
    """Return where a rising function has a given value, by bisection.

    Parameters
    ----------
    function : callable
        Rises from 0 to ``high``.
    goal : float
        The value.
    high : float
        The end of the searched range.
    """
    low = 0.0
    for _ in range(45):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < goal else (low, middle)
    return (low + high) / 2


def _ribbon(line: Polygon, width: float, taper: float = 0.0) -> Polygon:
    """Return a band along a line.

    Parameters
    ----------
    line : float64, shape (points, 2)
        The middle of the band.
    width : float
        The width at the beginning.
    taper : float
        By which share the band is narrower at its end. If it is above 0, the ends are round.
    """
    along = np.gradient(line, axis=0)
    along /= np.linalg.norm(along, axis=1)[:, None]
    normal = np.column_stack([-along[:, 1], along[:, 0]])
    t = np.linspace(0, 1, len(line))
    half = width / 2 * (1 - taper * t)
    if taper:
        half *= np.sqrt(1 - ((t - 0.9) / 0.1).clip(0) ** 2)
        half *= np.sqrt(1 - ((0.05 - t) / 0.05).clip(0) ** 2)
    return np.concatenate([line + normal * half[:, None], (line - normal * half[:, None])[::-1]])


def _arms(bow: _Bow, share: float, lean: float) -> list[Polygon]:
    """Return the tendrils of the bow on the right: three above, three below, of equal areas.

    Parameters
    ----------
    bow : _Bow
    share : float
        The sum of the areas.
    lean : float
        How far the arms next to the disc lean outward, from 0 to 0.5.
    """
    if share < LEAST or bow.length <= 0:
        return []
    reach = 0.62 * math.sqrt(share / 0.1)
    lines = []
    turns = (1.02 - lean, 0.7 - lean / 2, 0.36)
    for t, turn, far in zip((0.22, 0.6, 0.96), turns, (0.85, 1.0, 0.9), strict=True):
        x, y = bow.edge(t)
        lines.append(_arm(float(x), float(y), turn * math.pi / 2, far * reach))
    # The area of a band is its width times that of the band of width 1.
    upper = [_ribbon(line, share / 6 / area(_ribbon(line, 1.0, 0.55)), 0.55) for line in lines]
    return upper + [arm * np.array([1.0, -1.0]) for arm in upper]


def _arm(x: float, y: float, angle: float, reach: float) -> Polygon:
    """Return a wavy line of length ``reach`` that leaves a point at an angle in radians."""
    t = np.linspace(0, 1, _FINE)
    bent = angle + 0.55 * np.sin(2 * math.pi * t) * t
    step = reach / (_FINE - 1)
    return np.column_stack([
        x + np.cumsum(np.cos(bent)) * step,
        y + np.cumsum(np.sin(bent)) * step,
    ])  # fmt: skip


def _tubes(radius: float, share: float) -> list[Polygon]:
    """Return two bands around the disc, from bow to bow, above and below."""
    if share < LEAST:
        return []
    start = OPENING - math.radians(4)
    angle = np.linspace(start, math.pi - start, _FINE)

    def band(width: float) -> Polygon:
        out = radius + GAP * 1.25 + width / 2
        line = np.column_stack([out * np.cos(angle), out * np.sin(angle)])
        return _ribbon(line, width)

    upper = band(_solved(lambda w: area(band(w)), share / 2, 1.0))
    return [upper, upper * np.array([1.0, -1.0])]


def _islands(share: float, below: float, wide: float) -> list[Polygon]:
    """Return discs in a row below everything else, the largest in the middle.

    Parameters
    ----------
    share : float
        The sum of the areas.
    below : float
        The lowest y of all other shapes.
    wide : float
        The width of all other shapes.
    """
    if share < LEAST:
        return []
    number = 17
    sizes = np.array([1 / (1 + abs(k - number // 2)) ** 0.9 for k in range(number)])
    sizes *= np.array([1.0 if k % 2 == 0 else 0.45 for k in range(number)])
    radii = np.sqrt(share * sizes / sizes.sum() / math.pi)
    gap = max(0.012, (0.85 * wide - 2 * radii.sum()) / (number + 1))
    x = np.cumsum(2 * radii + gap) - radii
    x -= (x[0] - radii[0] + x[-1] + radii[-1]) / 2
    y = below - 0.09 - float(radii.max())
    shift = 0.25 * radii.max() * np.array([(-1.0) ** k for k in range(number)])
    shift[number // 2] = 0.0
    places = zip(radii.tolist(), x.tolist(), (y + shift).tolist(), strict=True)
    return [_disc(r, across, up) for r, across, up in places]
