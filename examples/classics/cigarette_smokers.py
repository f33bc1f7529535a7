"""Cigarette smokers: three of them have one ingredient each, and a dealer offers the other two.

By Suhas Patil (1971); module CigaretteSmokers of tlaplus/Examples, by Mariusz Ryndzionek. An offer
is named by the ingredient that it lacks, that is by the smoker who can use it.

    counterpoint check cigarette_smokers.py
"""

from counterpoint import (
    ANY,
    Array,
    Boolean,
    Index,
    Integer,
    Spec,
    action,
    choose,
    count,
    infinitely_often,
    initially,
    invariant,
    require,
    some,
)


class CigaretteSmokers(Spec):
    """The dealer offers, one smokes, and the dealer offers again."""

    smokers = Index(3, names="r", labels="S")
    smoking = Array(smokers, Boolean())
    lacking = Integer(-1, lambda s: len(s.smokers) - 1, initially=ANY)

    @initially
    def an_offer(s):
        """There is an offer from the beginning."""
        return s.lacking >= 0

    @action(fair="weak", fair_for=())
    def smoke(s, r):
        """The smoker who has what the offer lacks takes it and smokes."""
        require(s.lacking == r)
        s.smoking[r] = True
        s.lacking = -1

    @action(fair="weak", fair_for=())
    def stop(s, r, offer=choose(smokers)):
        """A smoker stops, and the dealer makes an offer."""
        require(s.lacking == -1, s.smoking[r])
        s.smoking[r] = False
        s.lacking = offer

    @invariant
    def one_smokes(s):
        """At most one smokes."""
        return count(s.smoking[r] for r in s.smokers) <= 1

    @infinitely_often
    def somebody_smokes(s):
        """Again and again somebody smokes."""
        return some(s.smoking[r] for r in s.smokers)
