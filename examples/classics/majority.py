"""The majority vote of Boyer and Moore: one pass, one candidate and one counter.

After the pass no value but the candidate can have a majority. By Robert Boyer and J Strother
Moore, "MJRTY" (1981); module Majority of tlaplus/Examples, by Stephan Merz.

    counterpoint check majority.py --set longest=5
"""

from counterpoint import (
    ANY,
    Array,
    DerivedIndex,
    Index,
    Integer,
    Number,
    Spec,
    action,
    count,
    every,
    finished,
    implies,
    initially,
    invariant,
    ite,
    require,
)


class Majority(Spec):
    """All sequences of votes up to a length; places that are not used hold -1."""

    values = Index(3, names="v", labels="V")
    longest = Number(4, at_least=1, at_most=8)
    places = DerivedIndex(lambda s: s.longest, names="k")
    vote = Array(places, Integer(-1, lambda s: len(s.values) - 1, initially=ANY))
    number = Integer(0, lambda s: s.longest, initially=ANY)
    next = Integer(0, lambda s: s.longest)
    candidate = Integer(0, lambda s: len(s.values) - 1, initially=ANY)
    counter = Integer(0, lambda s: s.longest)

    @initially
    def votes_are_first(s):
        """The first places are used."""
        return every((s.vote[k] >= 0) == (k < s.number) for k in s.places)

    @action
    def read(s, k):
        """Read the next vote."""
        require(s.next == k, k < s.number)
        s.next = k + 1
        same = (s.counter == 0) | (s.vote[k] == s.candidate)
        s.candidate = ite(s.counter == 0, s.vote[k], s.candidate)
        s.counter = s.counter + ite(same, 1, -1)

    @finished
    def all_are_read(s):
        """No vote is left."""
        return s.next == s.number

    def votes(s, v, before):
        """How many of the first votes are for a value."""
        return count((s.vote[k] == v) & (k < before) for k in s.places)

    @invariant
    def only_the_candidate(s):
        """In the end no other value has a majority."""
        return implies(
            s.all_are_read(),
            every(implies(2 * s.votes(v, s.number) > s.number, s.candidate == v) for v in s.values),
        )

    @invariant
    def the_counter_is_a_bound(s):
        """The counter says how many more votes the candidate may have than all others."""
        rest = s.next - s.counter
        return every(
            ite(
                s.candidate == v,
                2 * (s.votes(v, s.next) - s.counter) <= rest,
                2 * s.votes(v, s.next) <= rest,
            )
            for v in s.values
        )
