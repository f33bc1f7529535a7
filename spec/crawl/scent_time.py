"""S.C.E.N.T. with a budget of time: a check of a page costs A x size + B ([SCENT], formulas 3, 4).

An iteration has ``time``. The next page is the one with the strongest scent of those whose check
still fits, and the iteration ends when no check fits. Pages have the sizes 0 .. ``sizes`` - 1 in
turn, which do not change, so that every cost is known. What is left of the time is lost.

**Bounds.** A page whose check costs more than the whole time is never visited, and its scent grows
for ever. For all others the bounds of `scent` hold with a batch of one page: an iteration begins
with the whole time, so the strongest of them is always visited, and the pages that are visited
besides end no higher than it may.
"""

from __future__ import annotations

from itertools import permutations
from typing import Self

from counterpoint.spec.notation import (
    Integer,
    Number,
    Value,
    action,
    every,
    finished,
    implies,
    invariant,
    ite,
    no,
    require,
    some,
    sometimes,
    transition,
)

from .scent import Scent


class ScentInTime(Scent):
    """In each iteration pages are checked in the order of their scents, while time is left."""

    name = "scent-in-time"
    without = ("exactly_a_batch", "unchanged_is_left", "waits_longer_than_a_round")

    batch = Number(1, at_least=1, at_most=1, help="how many pages an iteration visits at least")
    time = Number(3, at_least=1, at_most=64, help="the time of an iteration")
    per_byte = Number(1, at_most=8, help="A: the time for each unit of a page's size")
    per_visit = Number(1, at_least=1, at_most=8, help="B: the time that each check takes")
    sizes = Number(3, at_least=1, at_most=6, help="the sizes of pages: 0 .. sizes - 1 in turn")
    iterations = Number(8, at_least=1, at_most=16, help="how many iterations there are")

    spent = Integer(0, lambda s: s.time + s.dearest, grows=True)
    """The time that checks have taken in this iteration, as it is counted."""
    most = Integer(0, lambda s: s.time + s.dearest, grows=True)
    """History: the most that the checks of an iteration have really taken."""

    # An iteration

    @action
    def visit(s, p: int, change: int) -> None:
        """Check the page with the strongest scent of those that fit."""
        require(s.may_go_on(), s.is_next(p))
        require(some(change == 0, p >= s.static))
        s.smell(p, s.harvest(change) * s.one())
        s.visited[p] = True
        s.spent = s.spent + s.charged(p)
        s.record_visit(p, change)
        s.most = ite(s.used() > s.most, s.used(), s.most)
        if s.is_complete():
            s.gain()

    def gain(s) -> None:
        """Let every page gain, and begin the next iteration with the whole time."""
        super().gain()
        s.begin()

    def begin(s) -> None:
        """Forget what was spent."""
        s.spent = 0

    def is_next(s, p: int) -> Value:
        """Return whether p is to be visited next."""
        return every(s.may_be_visited(p), no(s.comes_before(q, p) for q in s.pages if q != p))

    def comes_before(s, q: int, p: int) -> Value:
        """Return whether q is to be visited before p."""
        return every(s.may_be_visited(q), s.is_stronger(q, p))

    def may_be_visited(s, p: int) -> Value:
        """Return whether this iteration may still visit p."""
        return every(no(s.visited[p]), s.fits(p))

    def fits(s, p: int) -> Value:
        """Return whether the time suffices for a check of p."""
        return s.spent + s.cost(p) <= s.time

    def charged(s, p: int) -> Value:
        """Return what a check of p is counted as."""
        return s.cost(p)

    def is_complete(s) -> Value:
        """Return whether no page is left that fits."""
        return no(s.may_be_visited(p) for p in s.pages)

    # Words

    def cost(s, p: int) -> int:
        """Return the time that a check of p takes."""
        return s.per_byte * (p % s.sizes) + s.per_visit

    def is_within_reach(s, p: int) -> bool:
        """Return whether the time of an iteration suffices for a check of p."""
        return s.cost(p) <= s.time

    def used(s) -> Value:
        """Return the time that the checks of this iteration have really taken."""
        return sum(ite(s.visited[p], s.cost(p), 0) for p in s.pages)

    @property
    def dearest(s) -> int:
        """The most that a check takes."""
        return max(s.cost(p) for p in s.pages)

    @property
    def goes_round(s) -> bool:
        """Pages need not be visited in turn: cheap ones fill what dear ones leave."""
        return False

    @property
    def may_leave(s) -> bool:
        """Whether an unchanged page is left is not asked here."""
        return False

    @property
    def may_pass_over(s) -> bool:
        """Whether a strong page may not fit while a weaker one does."""
        small = 0 < s.delta_s <= s.most_harvested and s.returns == "difference"
        return (
            small
            and not s.static
            and s.iterations > 4
            and any(
                s.cost(first) + s.cost(p) <= s.time < s.cost(first) + s.cost(q)
                for first, p, q in permutations(s.pages, 3)
                if s.is_within_reach(q)
            )
        )

    # What must hold

    @invariant
    def time_is_never_overspent(s) -> Value:
        """The checks of an iteration take no more than its time."""
        return s.most <= s.time

    @invariant
    def what_is_spent_is_the_cost(s) -> Value:
        """The time spent is the sum of A x size + B over the pages that were visited."""
        return s.spent == s.used()

    @invariant
    def the_strongest_is_next(s) -> Value:
        """The next page has the strongest scent of those that fit; of equal ones, the first."""
        return every(
            implies(
                every(s.is_next(p), no(s.visited[q]), s.spent + s.cost(q) <= s.time),
                some(s.scent[q] < s.scent[p], every(s.scent[q] == s.scent[p], p < q)),
            )
            for p in s.pages
            for q in s.pages
            if p != q
        )

    @transition
    def no_time_is_wasted(s, after: Self) -> Value:
        """An iteration ends only when no page is left that fits."""
        return implies(
            after.iteration > s.iteration,
            no(
                every(no(s.visited[q]), no(s.is_next(q)), s.spent + s.cost(p) + s.cost(q) <= s.time,
                      s.is_next(p))
                for p in s.pages
                for q in s.pages
                if p != q
            ),
        )  # fmt: skip

    @invariant
    def out_of_reach_is_never_visited(s) -> Value:
        """A page whose check takes more than the time of an iteration is never visited."""
        return every(
            s.scent[p] == (s.initial + s.iteration * s.delta_s) * s.one()
            for p in s.pages
            if not s.is_within_reach(p)
        )

    @invariant
    def scent_is_bounded(s) -> Value:
        """No scent of a page within reach exceeds C + (r - 1) d."""
        return every(s.scent[p] <= s.bound * s.one() for p in s.pages if s.is_within_reach(p))

    @invariant(when=lambda s: s.delta_s > 0)
    def visited_within_the_gap(s) -> Value:
        """Each page within reach is visited within (C - m) / d + r iterations."""
        return every(s.wait[p] < s.gap for p in s.pages if s.is_within_reach(p))

    @finished
    def all_iterations_are_over(s) -> Value:
        """A run ends after the given number of iterations, or at once if no page is in reach."""
        return some(s.iteration == s.iterations, not any(map(s.is_within_reach, s.pages)))

    @sometimes(when=lambda s: s.may_pass_over)
    def a_stronger_page_is_passed_over(s) -> Value:
        """A page can be next while a stronger one does not fit into what is left."""
        return some(
            every(s.is_next(p), no(s.visited[q]), s.scent[q] > s.scent[p])
            for p in s.pages
            for q in s.pages
            if p != q and s.is_within_reach(q)
        )
