"""How often pages change, from captures between which it is known only whether they changed.

A page that changes by a Poisson process of rate r has changed between two captures, t days apart,
with probability 1 - exp(-rt). A share of the pages never changes, and the rates of the others are
log-normal. The parameters are those of greatest likelihood.
"""

from __future__ import annotations

import math
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from counterpoint.compiling import Array
from counterpoint.crawler.archives.captured import CapturedWeb
from counterpoint.crawler.archives.index import Found

LEAST = 30
"""Of so many pages there must be several captures, so that rates are fitted."""
_DAY = 86_400.0
_NODES = 24


class Seen(NamedTuple):
    """What is known of the changes of a page: days between captures, and whether it changed."""

    days: tuple[float, ...]
    changed: tuple[bool, ...]


class Rates(NamedTuple):
    """The fitted law of changes, see the section ``[change]`` of a profile.

    Attributes
    ----------
    static, per_day, spread : float or None
        None: the captures do not say it.
    """

    static: float | None
    per_day: float | None
    spread: float | None


def seen(web: CapturedWeb, captures: list[Found]) -> Seen:
    """Return between which captures a page changed; captures of one second are one."""
    days, changed = list[float](), list[bool]()
    before: tuple[int, bytes] | None = None
    for one in captures:
        answer = web.read(one)
        if answer is None or answer.status != 200 or not answer.whole:
            continue
        now = answer.time, blake2b(answer.body, digest_size=8).digest()
        if before is not None and now[0] > before[0]:
            days.append((now[0] - before[0]) / _DAY)
            changed.append(now[1] != before[1])
        if before is None or now[0] > before[0]:
            before = now
    return Seen(tuple(days), tuple(changed))


def rates(pages: list[Seen], static: float, spread: float) -> Rates:
    """Return the law of changes of greatest likelihood.

    With two captures a page only ``per_day`` is fitted, and the other values are given: a page that
    has not changed may be a static one or a slow one. With three captures the share of static pages
    is fitted, too, and with four or more all three values are.

    Parameters
    ----------
    pages : list of Seen
    static, spread : float
        The given values.
    """
    known = [one for one in pages if one.days]
    if len(known) < LEAST:
        return Rates(None, None, None)
    intervals = float(np.median([len(one.days) for one in known]))
    if not any(any(one.changed) for one in known):
        return Rates(1.0 if intervals >= 2 else None, None, None)
    if intervals < 2 and np.mean([any(one.changed) for one in known]) > 0.95 * (1 - static):
        return Rates(None, None, None)
    free = 1 if intervals < 2 else 2 if intervals < 3 else 3
    found = _likeliest(known, free, static, spread)
    return Rates(found[0] if free > 1 else None, found[1], found[2] if free > 2 else None)


def _likeliest(
    pages: list[Seen], free: int, static: float, spread: float
) -> tuple[float, float, float]:
    """Return the share of static pages, the mean rate, and the spread, the first ones free."""
    from scipy.optimize import minimize

    quiet, same, differing = _sums(pages)
    exposed = sum(sum(one.days) for one in pages)
    first = math.log(max(1e-3, 2 * sum(sum(one.changed) for one in pages) / exposed))

    def unpacked(x: Array) -> tuple[float, float, float]:
        still = static if free < 2 else 1 / (1 + math.exp(-min(max(x[1], -30), 30)))
        wide = spread if free < 3 else min(abs(float(x[2])), 4.0)
        return still, math.exp(min(max(x[0], -20), 7)), wide

    def cost(x: Array) -> float:
        still, mean, wide = unpacked(x)
        return -_likelihood(quiet, same, differing, still, mean, wide)

    start = np.array([first, 0.0, 1.0])[:free]
    best = minimize(cost, start, method="Nelder-Mead", options={"maxiter": 600, "xatol": 1e-3})
    return unpacked(best.x)


def _sums(pages: list[Seen]) -> tuple[Array, Array, list[Array]]:
    """Return whether each page never changed, the days without change, and those with a change."""
    quiet = np.array([not any(one.changed) for one in pages])
    same = np.array([
        sum(d for d, c in zip(one.days, one.changed, strict=True) if not c) for one in pages
    ])  # fmt: skip
    most = max(sum(one.changed) for one in pages)
    columns = [np.full(len(pages), np.inf) for _ in range(most)]
    for row, one in enumerate(pages):
        with_change = (d for d, c in zip(one.days, one.changed, strict=True) if c)
        for column, days in zip(columns, with_change, strict=False):
            column[row] = days
    return quiet, same, columns


def _likelihood(
    quiet: Array, same: Array, differing: list[Array], still: float, mean: float, wide: float
) -> float:
    """Return the logarithm of the likelihood; the integral over rates is by Gauss and Hermite."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    rate = mean * np.exp(wide * nodes - wide * wide / 2)
    each = np.exp(-same[:, None] * rate)
    for column in differing:  # an infinite column has the factor 1
        each *= -np.expm1(-column[:, None] * rate)
    moving = each @ (weights / weights.sum())
    return float(np.log(np.maximum(still * quiet + (1 - still) * moving, 1e-300)).sum())
