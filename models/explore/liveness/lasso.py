"""The run that violates a temporal property: a stem, and a fair cycle that is repeated for ever."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import islice

from counterpoint.models.symbolic.fairness import Promises

from .question import Path, Search

TRIED = 64
"""The most states of a fair part from which a cycle is tried."""

CANDIDATES = 100_000
"""The most states that are looked at to find where a cycle begins."""

EFFORT = 2_000_000
"""No other cycle is tried after so many states were visited to find the ones before."""


def shortest(
    search: Search, promises: Promises, met_by_closing: Callable[[int], int] = lambda begin: 0
) -> tuple[int, Path] | None:
    """Return the state where a fair cycle begins, and its steps; none of them if it stutters.

    Of the cycles that are tried, the one is taken whose stem and cycle are shortest together.

    Parameters
    ----------
    search : Search
    promises : Promises
    met_by_closing : callable
        For a state the mask of promises that each step to it, within its part, keeps.

    Returns
    -------
    (int, Path) or None
        None if there is no fair part.
    """
    best: tuple[int, int, Path] | None = None
    tried: Counter[int] = Counter()
    effort = 0
    for begin in islice(search.candidates(), CANDIDATES):
        depth, part = search.depth(begin), search.part(begin)
        if best is not None and (depth >= best[0] or effort >= EFFORT):
            break
        if tried[part] == TRIED:
            continue
        tried[part] += 1
        path, visited = _cycle(search, promises, begin, met_by_closing(begin))
        effort += visited
        if best is None or depth + len(path) < best[0]:
            best = (depth + len(path), begin, path)
    return None if best is None else best[1:]


def _cycle(search: Search, promises: Promises, begin: int, closing: int) -> tuple[Path, int]:
    """Return steps from a state back to it, within its part, that keep the promises.

    Each turn goes on to the nearest step or state that meets one of the promises that are left;
    those that each step back keeps need no turn. The second result is the number of states that
    were visited.
    """
    weak, strong = promises.weak, promises.strong
    missing = not search.is_wanted(begin)
    if not missing and not search.due(begin) & (weak | strong):
        return [], 0
    left = weak & search.due(begin) | strong & search.due_in_part(search.part(begin))
    left &= ~closing
    path: Path = []
    at, effort = begin, 0
    while left or missing:
        steps, visited = search.way_within(at, left, missing)
        effort += visited
        for command, after in steps:
            left &= ~(promises.kept_by[command] | weak & ~search.due(after))
            missing = missing and not search.is_wanted(after)
        path += steps
        at = path[-1][1]
    if at != begin or not path:
        steps, visited = search.way_within(at, 0, False, begin)
        path, effort = path + steps, effort + visited
    return path, effort
