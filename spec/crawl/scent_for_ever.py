"""S.C.E.N.T. without a last iteration: what its claims say about all that is to come.

It is the text of `scent`; only what grows for ever is left out. Iterations are not counted: one is
only distinguished from the next. Of a scent, the part below 1 / 2^places is left out: a scent k
stands for all scents from k to below k + 1 units.

**Why this misses no run.** Let m be the whole part of a scent, in units. Then the whole part of
half the scent is that of m / 2, whether m is even or odd, and a gain and a harvest are whole units.
So the whole parts after a visit follow from those before it. They decide which page is next, too,
except between pages with the same whole part: here any of these may be next. Each run of `scent`,
of any length and with any iterations, is therefore a run here, and what *holds* here for all runs
holds there. A run here is one of `scent` as well if each page visited has a greater whole part than
the pages that wait.

If nothing ever changes (no gain, and all pages are static), scents only become halves, and the unit
may be chosen anew: when no scent is above half of the initial one, all are doubled. So there are
two scents only, nothing is left out, and of equal pages the one given first is next, as in `scent`.

**Visits** are counted as differences: how often a page was visited more than the one with fewest
visits. If a difference reaches 2 it stays there.
"""

from __future__ import annotations

from counterpoint.spec.notation import (
    Array,
    Integer,
    Number,
    Value,
    action,
    every,
    finished,
    infinitely_often,
    invariant,
    ite,
    minimum,
    require,
    some,
    stays,
)

from .scent import Scaled, Scent


class ScentForEver(Scent):
    """Pages with the strongest scent are visited for ever; the verdicts are about all runs."""

    name = "scent-for-ever"
    without = (
        "exactly_a_batch", "the_strongest_is_next", "halved_and_then_harvested",
        "visited_within_the_gap", "visited_in_turn", "unchanged_is_left",
        "all_iterations_are_over", "left_while_another_changes", "waits_longer_than_a_round",
    )  # fmt: skip

    pages = Scent.pages
    static = Number(1, at_most=6, help="how many pages never change: the first ones")
    changing = Number(0, at_most=6, help="how many pages change at each visit: the last ones")
    places = Number(1, at_most=8, help="the binary places of scents that are kept")
    iterations = Number(
        1, at_least=1, at_most=1, help="iterations are not counted, but are even and odd in turn"
    )

    scent = Array(
        pages,
        Scaled(0, lambda s: (s.bound + s.delta_s + s.most_harvested) * s.one()),
        initially=lambda s, p: s.initial * s.one(),
    )
    wait = Array(pages, Integer(0, 0))
    visits = Array(pages, Integer(0, lambda s: 2 if s.goes_round else 0))
    """History: how many visits more than the page with fewest, if pages are visited in turn."""
    unchanged = Array(pages, Integer(0, 0))

    @action(fair="weak", fair_for=())
    def visit(s, p: int, change: int) -> None:
        """Visit the page with the strongest scent; there is always another visit."""
        require(some(change > 0, p < len(s.pages) - s.changing))
        super().visit(p, change)
        if s.never_changes:
            s.choose_unit()

    # What is left out

    def one(s) -> Value:
        """Return 1 in the units in which scents are kept."""
        return 2**s.places

    def may_go_on(s) -> Value:
        """Return true: there is always another iteration."""
        return True

    def count_iteration(s) -> None:
        """Distinguish the iteration from the next."""
        s.iteration = 1 - s.iteration

    def is_stronger(s, q: int, p: int) -> Value:
        """Return whether q has the stronger scent for certain."""
        return super().is_stronger(q, p) if s.never_changes else s.scent[q] > s.scent[p]

    def choose_unit(s) -> None:
        """Double all scents if none is above half of the initial one."""
        weak = every(2 * s.scent[p] <= s.initial * s.one() for p in s.pages)
        for p in s.pages:
            s.scent[p] = ite(weak, 2 * s.scent[p], s.scent[p])

    def record_gain(s, p: int) -> None:
        """Record nothing."""

    def record_visit(s, p: int, change: int) -> None:
        """Record which page was visited, and how much more often than others."""
        s.last = p
        if s.goes_round:
            visits = [minimum(s.visits[q] + (q == p), 2) for q in s.pages]
            round_is_over = every(v > 0 for v in visits)
            for q in s.pages:
                less = every(round_is_over, visits[q] < 2)
                s.visits[q] = ite(less, visits[q] - 1, visits[q])

    # Words

    @property
    def never_changes(s) -> bool:
        """Whether scents only ever become halves."""
        nothing = s.delta_s == 0 and s.returns == "difference"
        return nothing and s.static >= len(s.pages) and s.places > 0

    @property
    def goes_round(s) -> bool:
        """Whether the gain is so large that pages are visited in turn, and no scents are equal."""
        return super().goes_round and s.delta_s > 2 * s.most_harvested

    # What must happen

    @infinitely_often(when=lambda s: s.delta_s > 0)
    def the_first_page_is_visited_for_ever(s) -> Value:
        """With a gain, a page is visited again and again, although it never changes."""
        return s.last == 0

    @stays(when=lambda s: s.delta_s == 0 and s.static > 0)
    def the_first_page_is_left(s) -> Value:
        """Without gain, a page that never changes is not visited any more from some time on."""
        return s.last != 0

    @infinitely_often(when=lambda s: s.goes_round)
    def all_are_visited_equally_often(s) -> Value:
        """With a large gain all pages have equally many visits, again and again."""
        return every(s.visits[p] == 0 for p in s.pages)

    @invariant(when=lambda s: s.goes_round)
    def visits_never_differ_by_two(s) -> Value:
        """With a large gain no page is ever visited twice more often than another."""
        return every(s.visits[p] < 2 for p in s.pages)

    @finished
    def never(s) -> Value:
        """A run never ends."""
        return False
