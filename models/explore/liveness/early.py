"""A look at the first states, in which most lassos are found, before all are explored."""

from __future__ import annotations

from dataclasses import replace

from counterpoint.models.explore.python.exploration import Exploration
from counterpoint.models.verdict import Trace


def expanded_part(run: Exploration) -> Exploration | None:
    """Return the part of a run in Python whose states are all expanded; None if there is none.

    It has the states within some number of steps, which is one less than the number of its levels.
    """
    if len(run.levels) < 2:
        return None
    levels = run.levels[:-1]
    return replace(run, states=run.states[: levels[-1]], levels=levels, notes=[])


def is_shortest(part: Exploration, found: Trace) -> bool:
    """Return whether a shortest violation in the expanded part is a shortest one of all.

    Any violation with as many steps stays in the part: after k steps a run is in a state within k
    steps. The last state of a cycle is its first one, so a cycle may end one step later.
    """
    cycle = found.loop is not None and found.loop < len(found.steps)
    return len(found.steps) < len(part.levels) + cycle
