"""A proof that S.C.E.N.T. keeps its bounds for ever: the argument of `scent` as lemmas.

Runs do not end here, and the unit of scents is any positive integer. All values of a run of any
length are multiples of some unit, so nothing is rounded in that unit. The lemmas hold in every
unit, and even if each halving were rounded down.
"""

from __future__ import annotations

from counterpoint.spec.notation import (
    ANY,
    Array,
    Integer,
    Value,
    action,
    count,
    decreases,
    every,
    finished,
    implies,
    infinitely_often,
    initially,
    lemma,
    no,
    some,
)

from .scent import Scent


class EndlessScent(Scent):
    """S.C.E.N.T. without a last iteration, and with any unit."""

    name = "endless-scent"
    without = ("all_iterations_are_over",)

    unit = Integer(1, lambda s: 2**s.iterations, initially=ANY, grows=True)
    scent = Array(
        Scent.pages,
        Integer(0, lambda s: s.bound * 2**s.iterations, grows=True),
        initially=ANY,
    )

    def one(s) -> Value:
        """Return the unit."""
        return s.unit

    def may_go_on(s) -> Value:
        """Return true: there is always another iteration."""
        return True

    @initially
    def all_alike(s) -> Value:
        """All pages start with the same scent."""
        return every(s.scent[p] == s.initial * s.unit for p in s.pages)

    @finished
    def never(s) -> Value:
        """A run never ends."""
        return False

    # Words for the lemmas

    def above(s, p: int) -> Value:
        """Return how many pages would be visited before p by their current scents."""
        return count(s.is_stronger(q, p) for q in s.pages if q != p)

    # The lemmas

    @lemma
    def no_more_than_the_batch(s) -> Value:
        """An iteration visits at most a batch of pages."""
        return s.number_visited() <= s.batch

    @lemma
    def few_are_strong(s) -> Value:
        """At most (j - 1) batches of pages are above C + (r - j) d, less those just visited."""
        return every(
            some(strong == 0, strong + s.number_visited() <= (j - 1) * s.batch)
            for j in range(1, s.rounds + 1)
            for strong in [s.strong(s.step + (s.rounds - j) * s.delta_s)]
        )

    def strong(s, limit: int) -> Value:
        """Return how many pages that this iteration has not visited are above a limit."""
        return count(every(no(s.visited[p]), s.scent[p] > limit * s.unit) for p in s.pages)

    @lemma
    def who_was_visited_is_weak(s) -> Value:
        """A page visited in this iteration has at most C after the gain."""
        limit = (s.step - s.delta_s) * s.unit
        return every(implies(s.visited[p], s.scent[p] <= limit) for p in s.pages)

    @lemma
    def who_waits_grows(s) -> Value:
        """After w iterations of waiting a scent is at least m + w d."""
        least = min(s.initial, s.delta_s)
        return every(
            implies(
                every(no(s.visited[p]), s.wait[p] >= w),
                s.scent[p] >= (least + w * s.delta_s) * s.unit,
            )
            for p in s.pages
            for w in range(s.gap if s.delta_s else 1)
        )

    @lemma
    def who_is_visited_waits_no_more(s) -> Value:
        """A page visited in this iteration does not wait."""
        return every(implies(s.visited[p], s.wait[p] == 0) for p in s.pages)

    @lemma(when=lambda s: s.delta_s > 0)
    def nobody_passes_twice(s) -> Value:
        """After some time, pages visited meanwhile stay below the page that waits."""
        others = len(s.pages) - 1
        return every(
            implies(
                every(no(s.visited[p]), s.wait[p] == w),
                s.above(p) + s.batch * (w - s.passing) + s.number_visited() <= others,
            )
            for p in s.pages
            for w in range(s.passing, s.gap)
        )

    @lemma(when=lambda s: s.delta_s == 0 and s.returns == "difference")
    def unchanged_is_weak(s) -> Value:
        """A page found unchanged k times in a row has at most the bound over 2^k."""
        return every(
            implies(s.unchanged[p] == k, s.scent[p] * 2**k <= s.bound * s.unit)
            for p in s.pages
            for k in range(s.enough + 1)
        )

    @lemma(when=lambda s: s.delta_s == 0 and s.returns == "difference")
    def changed_is_strong(s) -> Value:
        """A page found changed has at least 1."""
        return every(implies(s.changed[p], s.scent[p] >= s.unit) for p in s.pages)


class VisitedForEver(EndlessScent):
    """S.C.E.N.T. with a gain: each page is visited again and again, in a run of any length.

    A page that is not visited gains, and no scent is above the bound. So `until_its_turn` becomes
    smaller with each visit of another page.
    """

    name = "scent-visits"

    iteration = Integer(0, 1)
    """Iterations are not counted; one is only distinguished from the next."""

    def count_iteration(s) -> None:
        """Distinguish the iteration from the next."""
        s.iteration = 1 - s.iteration

    @action(fair="weak", fair_for=())
    def visit(s, p: int, change: int) -> None:
        """Visit the page with the strongest scent; there is always another visit."""
        super().visit(p, change)

    @infinitely_often(when=lambda s: s.delta_s > 0)
    def the_first_page_is_visited_for_ever(s) -> Value:
        """With a gain, a page is visited again and again."""
        return s.wait[0] == 0

    @decreases(of=the_first_page_is_visited_for_ever)
    def until_its_turn(s) -> tuple[Value, Value]:
        """How much the page may still gain, and how many visits the iteration has left."""
        left = min(s.batch, len(s.pages)) - s.number_visited()
        return s.bound * s.one() - s.scent[0], left
