"""Missionaries and cannibals cross a river, and are never outnumbered on a bank.

The boat takes one or two persons. The invariant says that somebody always stays behind; it is
violated, and the shortest run to a violation is the solution. Module MissionariesAndCannibals of
tlaplus/Examples, by Leslie Lamport.

    counterpoint check missionaries_cannibals.py
"""

from counterpoint import (
    Boolean,
    Index,
    Set,
    Spec,
    action,
    every,
    invariant,
    no,
    require,
    some_subset,
)


class MissionariesCannibals(Spec):
    """Who has crossed the river, and where the boat is."""

    missionaries = Index(3, names="m", labels="M")
    cannibals = Index(3, names="c", labels="C")
    crossed = Set(missionaries)
    crossed_too = Set(cannibals)
    boat_has_crossed = Boolean()

    @action
    def cross(s, good=some_subset(missionaries), bad=some_subset(cannibals)):
        """One or two persons take the boat to the other bank."""
        require(1 <= len(good) + len(bad) <= 2)
        back = s.boat_has_crossed
        require(every(s.crossed.has(m) == back for m in good))
        require(every(s.crossed_too.has(c) == back for c in bad))
        if back:
            s.crossed = s.crossed - good
            s.crossed_too = s.crossed_too - bad
        else:
            s.crossed = s.crossed | good
            s.crossed_too = s.crossed_too | bad
        s.boat_has_crossed = back == 0
        there = s.crossed.size, s.crossed_too.size
        here = len(s.missionaries) - there[0], len(s.cannibals) - there[1]
        for m, c in (there, here):
            require((m == 0) | (c <= m))

    @invariant
    def somebody_stays(s):
        """Never all have crossed."""
        all_good = s.crossed.size == len(s.missionaries)
        return no(all_good & (s.crossed_too.size == len(s.cannibals)))
