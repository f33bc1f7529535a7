"""When pages are born and when they die: at random times, computed for any page without a history.

A share of the pages exists only for a time. Their births are spread evenly over a period from the
beginning of the web, and their lives are exponential with a given mean. Of them, as many are there
at the beginning as at any later time of the period, so that their number neither grows nor falls by
more than chance. Start pages of hosts are there for ever. Links to a page that is not there stay.
"""

from __future__ import annotations

import math

import numpy as np

from counterpoint.compiling import Array, compiled
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.generator.counting import first_pages
from counterpoint.sim_web.generator.kernels import unit

from .change import GRAIN, next_change

_DAY = 86_400.0
_PASSING, _BORN, _LIFE = ((1 << 57) + k for k in range(3))


@compiled
def life_of(key: np.uint64, law: Array, page: int) -> tuple[float, float]:
    """Return when a page is born and when it dies; 0 and infinite for pages that are for ever.

    Parameters
    ----------
    key : uint64
        The key of all hashes of the web.
    law : float64, shape (3,)
        The share of passing pages, their mean life, and the period of births, both in days.
    page : int
        No start page of a host.
    """
    share, life, births = law[:3]
    if share <= 0.0 or unit(key, _PASSING, page, 0) >= share:
        return 0.0, math.inf
    chance, there = unit(key, _BORN, page, 0), life / (life + births)
    born = 0.0
    if chance >= there:
        born = math.floor(births * (chance - there) / (1.0 - there) * _DAY / GRAIN) * GRAIN
    length = -math.log(1.0 - unit(key, _LIFE, page, 0)) * life * _DAY
    return born, born + max(1.0, math.floor(length / GRAIN)) * GRAIN


@compiled
def _lives(key: np.uint64, law: Array, first: int, last: int) -> tuple[Array, Array]:
    born, dies = np.zeros(last - first), np.zeros(last - first)
    for at in range(last - first):
        born[at], dies[at] = life_of(key, law, first + at)
    return born, dies


def law(web: Web) -> Array:
    """Return the parameters of births and deaths for the compiled functions, float64[3]."""
    change = web.profile.change
    return np.array([change.passing, change.life_days, change.births_days], dtype=np.float64)


def life(web: Web, page: int) -> tuple[float, float]:
    """Return the seconds from which and until which a page is there; infinite: for ever."""
    if not web.profile.change.passing or page == web.pages_of(web.host(page)).start:
        return 0.0, math.inf
    born, dies = life_of(web.numbers.key, law(web), page)
    return float(born), float(dies)


def is_there(web: Web, page: int, time: float) -> bool:
    """Return whether a page is there at a time: from its birth on, and no more at its death."""
    born, dies = life(web, page)
    return born <= time < dies


def lives(web: Web, first: int = 0, last: int | None = None) -> tuple[Array, Array]:
    """Return the results of `life` for the pages ``first`` to ``last - 1``; by default, for all.

    Returns
    -------
    float64[n] and float64[n]
    """
    end = web.pages if last is None else last
    born, dies = _lives(web.numbers.key, law(web), first, end)
    starts = first_pages(web)[:-1]
    own = starts[np.searchsorted(starts, first) : np.searchsorted(starts, end)] - first
    born[own], dies[own] = 0.0, math.inf
    return born, dies


def ends(web: Web, page: int, time: float) -> float:
    """Return when a page ceases to be what it is at a time: it changes or dies; infinite: never."""
    changes, (_, dies) = next_change(web, page, time), life(web, page)
    return min(changes, dies) if time < dies else changes
