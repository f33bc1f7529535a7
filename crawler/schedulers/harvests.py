"""What a visit brought: the candidates for the function CalcInfo of S.C.E.N.T.

The paper leaves the function open. All but ``size`` are 0 for a page that has not changed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

Harvest: TypeAlias = Callable[[int, int, int, float], float]
"""A function of what a visit showed: the bytes of the text, of its copy from the visit before, and
those that only one of the two has; and how many iterations ago that visit was, at least 1."""


def worth(size: int, before: int, difference: int) -> float:
    """Return the term of a copy in Q: log(1 + ActualSize) - log(1 + DeletedSize)."""
    return math.log1p((size + before - difference) // 2) - math.log1p(difference)


def added(size: int, before: int, difference: int) -> float:
    """Return what a visit adds to Q, by the paper's formula 1."""
    return math.log1p(size) - worth(size, before, difference) if difference else 0.0


HARVESTS: dict[str, Harvest] = {
    "difference": lambda size, before, difference, waited: math.log1p(difference),
    "size": lambda size, before, difference, waited: math.log1p(size),
    "bytes": lambda size, before, difference, waited: float(difference),
    "changed": lambda size, before, difference, waited: float(difference > 0),
    "share": lambda size, before, difference, waited: difference / max(1, size + before),
    "worth": lambda size, before, difference, waited: added(size, before, difference),
    "pace": lambda size, before, difference, waited: math.log1p(difference) / waited,
}
"""By name.

- ``difference``: the logarithm of the bytes that have changed, as the paper means it.
- ``size``: the logarithm of the page's size, as the paper prints it.
- ``bytes``: the bytes that have changed.
- ``changed``: 1 if anything has changed, as in Cho and Garcia-Molina's estimates of change rates.
- ``share``: the share of both texts that has changed, like the distance between shingled documents
  (Broder et al. 1997).
- ``worth``: what the visit adds to Q.
- ``pace``: ``difference`` for each iteration since the visit before.
"""

REMEMBERING = tuple(HARVESTS[name] for name in ("share", "worth", "pace"))
"""The harvests that need the visit before: its copy, or when it was."""
