"""The parameters of a web's pages for compiled functions: a few small arrays, made once."""

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
    """The parameters on which the content of all pages depends.

    Attributes
    ----------
    whole, real : int64 and float64
        The parameters of the adjacency, from `packing.packed`.
    chances : float64
        Shares from the profile, in the order of the indices in `numbers`.
    law : float64, shape (3,)
        The parameters of change.
    key : uint64
        The key of all hashes.
    """

    whole: Array
    real: Array
    chances: Array
    law: Array
    key: np.uint64


@lru_cache(maxsize=8)
def plan(web: Web) -> Plan:
    """Return the arrays of a web."""
    profile = web.profile
    style, robots = profile.style, profile.robots
    shares = [
        style.relative,
        style.nofollow,
        style.aliases,
        style.frames,
        style.bad_links,
        robots.present * robots.disallow,
        robots.forbidden,
        profile.faults.redirect + profile.faults.redirect_chain,
        profile.faults.duplicates,
        style.base,
        style.canonical,
        float(profile.themes.count > 1),
    ]
    chances = np.array(shares + faults.cumulative(profile.faults), dtype=np.float64)
    whole, real = packed(web.numbers)
    return Plan(whole, real, chances, change.law(web), web.numbers.key)
