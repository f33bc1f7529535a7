"""What a visit brought: the candidates for the function CalcInfo of S.C.E.N.T.

The paper leaves the function open. All but ``size`` are 0 for a page that has not changed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple


class Visit(NamedTuple):
    """What a visit showed.

    Attributes
    ----------
    size, before : int
        The bytes of the page's text now, and of the copy from the visit before.
    difference : int
        The bytes that only one of the two has.
    waited : float
        How long ago the visit before was, in iterations; at least 1.
    """

    size: int
    before: int
    difference: int
    waited: float = 1.0


def worth(size: int, before: int, difference: int) -> float:
    """Return the term of a copy in Q: log(1 + ActualSize) - log(1 + DeletedSize)."""
    return math.log1p((size + before - difference) // 2) - math.log1p(difference)


HARVESTS: dict[str, Callable[[Visit], float]] = {
    "difference": lambda visit: math.log1p(visit.difference),
    "size": lambda visit: math.log1p(visit.size),
    "bytes": lambda visit: float(visit.difference),
    "changed": lambda visit: float(visit.difference > 0),
    "share": lambda visit: visit.difference / max(1, visit.size + visit.before),
    "worth": lambda visit: math.log1p(visit.size) - worth(*visit[:3]) if visit.difference else 0.0,
    "pace": lambda visit: math.log1p(visit.difference) / visit.waited,
}
"""By name.

- ``difference``: the logarithm of the bytes that have changed, as the paper means it.
- ``size``: the logarithm of the page's size, as the paper prints it.
- ``bytes``: the bytes that have changed.
- ``changed``: 1 if anything has changed, as in Cho and Garcia-Molina's estimates of change rates.
- ``share``: the share of both texts that has changed, like the distance between shingled documents
  (Broder et al. 1997).
- ``worth``: what the visit adds to Q, by the paper's formula 1.
- ``pace``: ``difference`` for each iteration since the visit before.
"""
