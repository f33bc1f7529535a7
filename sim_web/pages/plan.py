"""A web as the compiled functions of pages take it: a few small arrays, made once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from counterpoint.compiling import Array
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.generator.packing import packed

from . import change, faults


@dataclass(frozen=True, slots=True)
class Plan:
    """What every page's numbers depend on.

    Attributes
    ----------
    whole, real : int64 and float64 arrays
        The web's numbers, packed.
    chances : float64 array
        Shares, in the order that `numbers` names.
    law : float64[3]
        Of change.
    key : uint64
        Of all hashes.
    """

    whole: Array
    real: Array
    chances: Array
    law: Array
    key: np.uint64


@lru_cache(maxsize=8)
def plan(web: Web) -> Plan:
    """Return the arrays of a web."""
    told = web.profile
    style, robots = told.style, told.robots
    shares = [
        style.relative,
        style.nofollow,
        style.aliases,
        style.frames,
        style.bad_links,
        robots.present * robots.disallow,
        robots.forbidden,
        told.faults.redirect + told.faults.redirect_chain,
        told.faults.duplicates,
        style.base,
        style.canonical,
        float(told.themes.count > 1),
    ]
    chances = np.array(shares + faults.cumulative(told.faults), dtype=np.float64)
    whole, real = packed(web.numbers)
    return Plan(whole, real, chances, change.law(web), web.numbers.key)
