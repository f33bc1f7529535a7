"""S.C.E.N.T. (Sotnik): which pages of a site to revisit, by scents as ants use them.

Every page has a scent. An iteration visits the ``batch`` pages with the strongest scent; of equal
pages the one given first. A visit halves the page's scent and then adds the harvest. When all pages
of the batch are visited, every page gains ``delta-s``. The result of a visit is chosen in every
possible way: nothing new (0), or a change that is worth up to ``changes - 1``; the first ``static``
pages never change. As corrected, the harvest is the change, ln(difference + 1), so it is 0 if
nothing has changed. As printed, it is ln(size + 1): for pages of one size the same positive number
at each visit, here the greatest.

Scents are exact. After v visits a scent is a multiple of 1 / 2^v. It is stored as an integer, in
units of 1 / 2^iterations, so nothing is rounded within so many iterations.

**Bounds.** Let H be the greatest harvest, d the gain, I the initial scent, and r = pages / batch,
rounded up. Let C = max(2 H + (r + 1) d, I). By induction, when an iteration begins, at most (j - 1)
``batch`` pages have a scent above C + (r - j) d, for j = 1 .. r: those visited, the strongest, end
at (C + (r - 1) d) / 2 + H + d <= C, and each other page moves up by a gain and by ``batch`` ranks.
So no scent exceeds C + (r - 1) d.

A page that has waited w iterations has a scent of at least m + w d, m = min(I, d). A page that is
visited meanwhile ends at most at C: from w = (C - m) / d on, rounded down, that is below a page
that still waits, and it stays below. So at most r - 1 iterations later no other page is left: a
page is visited within (C - m) / d + r iterations, rounded as above. `scent_proof` has this as
lemmas.

**Round after round.** If d >= 2 H, I > 2 H, and ``batch`` divides ``pages``, pages are visited in
turn, a batch after the other as they are given, so that visits never differ by two. If this was so
up to the k-th visit, page p of batch i = 0 .. r - 1 has by then (I + i d) / 2^(k - 1) +
2 r d (1 - e) + a(p), where e = 1 / 2^(k - 1), and a(p) <= 2 H (1 - e) is what is left of its
harvests. So while both wait, a page p of batch i is ahead of q of batch j > i by
(j - i) d (1 - e) + a(p) - a(q) >= 0, and p is given first; and right after its visit p is behind q
by (I - 2 H) / 2^k > 0 or more. `visited-in-turn` says so; it is checked, not proved.

**Without gain** (d = 0) a page found unchanged k times in a row has a scent of at most
max(2 H, I) / 2^k, and one found changed has at least 1. So once 2^k exceeds max(2 H, I) the former
is not visited while the latter waits.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Self

from counterpoint.spec.notation import (
    Array,
    Boolean,
    Choice,
    Index,
    Integer,
    Number,
    Reference,
    Spec,
    Value,
    action,
    count,
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


class Nobody(IntEnum):
    """No page was visited yet, or `delta-s` is positive."""

    NOBODY = -1


class Scaled(Integer):
    """A multiple of the unit 1 / `one`, shown as that number."""

    def show(self, spec: Spec, value: int) -> str:
        """Return the number; binary fractions of so few places are exact."""
        assert isinstance(spec, Scent)
        exact = value / spec.one()
        return f"{int(exact)}" if exact == int(exact) else str(exact)


class Scent(Spec):
    """In each iteration the pages with the strongest scent are visited."""

    name = "scent"
    lane = "pages"

    pages = Index(3, names="p", labels="P", at_most=6, help="how many pages the site has")
    changes = Index(
        2, names="change", at_least=2, at_most=9, help="the values of changes: 0 .. changes - 1"
    )
    batch = Number(1, at_least=1, at_most=6, help="how many pages an iteration visits")
    delta_s = Number(1, at_most=64, help="what every page gains after an iteration")
    initial = Number(3, at_most=64, help="every page's scent at the start")
    static = Number(0, at_most=6, help="how many pages never change: the first ones")
    iterations = Number(10, at_least=1, at_most=16, help="how many iterations there are")
    returns = Choice("difference", "size", name="harvest", help="what the harvest measures")

    scent = Array(
        pages,
        Scaled(0, lambda s: (s.step + (s.rounds + s.iterations) * s.delta_s) * s.one(), grows=True),
        initially=lambda s, p: s.initial * s.one(),
    )
    visited = Array(pages, Boolean())
    """Whether a page was visited in this iteration."""
    iteration = Integer(0, lambda s: s.iterations, grows=True)
    wait = Array(pages, Integer(0, lambda s: s.iterations if s.delta_s else 0, grows=True))
    """History: the number of iterations since a page was visited."""
    visits = Array(pages, Integer(0, lambda s: s.iterations if s.goes_round else 0, grows=True))
    """History: how often a page was visited, if pages are visited in turn."""
    changed = Array(pages, Boolean())
    """History, without gain: whether the last visit found a change."""
    last = Reference(pages, Nobody)
    """History, without gain: the page that was visited last."""
    unchanged = Array(pages, Integer(0, lambda s: 0 if s.delta_s else s.enough))
    """History, without gain: how many visits in a row found no change, up to `enough`."""

    # An iteration

    @action
    def visit(s, p: int, change: int) -> None:
        """Visit the page with the strongest scent."""
        require(s.may_go_on(), s.is_next(p))
        require(some(change == 0, p >= s.static))
        s.smell(p, s.harvest(change) * s.one())
        s.visited[p] = True
        s.record_visit(p, change)
        if s.is_complete():
            s.gain()

    def gain(s) -> None:
        """Let every page gain, and begin the next iteration."""
        for p in s.pages:
            s.scent[p] = s.scent[p] + s.gained(p) * s.one()
            s.record_gain(p)
            s.visited[p] = False
        s.count_iteration()

    def smell(s, p: int, harvest: Value) -> None:
        """Halve a scent and add the harvest."""
        s.scent[p] = s.scent[p] // 2 + harvest

    def harvest(s, change: int) -> int:
        """Return the harvest of a visit."""
        return change if s.returns == "difference" else s.most_harvested

    def gained(s, p: int) -> Value:
        """Return p's gain."""
        return s.delta_s

    def is_next(s, p: int) -> Value:
        """Return whether p is to be visited next."""
        return every(no(s.visited[p]), no(s.comes_before(q, p) for q in s.pages if q != p))

    def comes_before(s, q: int, p: int) -> Value:
        """Return whether q is to be visited before p."""
        return every(no(s.visited[q]), s.is_stronger(q, p))

    def is_stronger(s, q: int, p: int) -> Value:
        """Return whether q has the stronger scent; of equal ones, whether it is given first."""
        return s.scent[q] >= s.scent[p] if q < p else s.scent[q] > s.scent[p]

    def is_complete(s) -> Value:
        """Return whether this iteration has visited its batch."""
        return s.number_visited() >= min(s.batch, len(s.pages))

    def record_visit(s, p: int, change: int) -> None:
        """Record the history that the properties need."""
        s.wait[p] = 0
        if s.goes_round:
            s.visits[p] = s.visits[p] + 1
        if not s.delta_s:
            s.last = p
            s.changed[p] = change > 0
            more = ite(s.unchanged[p] < s.enough, s.unchanged[p] + 1, s.unchanged[p])
            s.unchanged[p] = 0 if change > 0 else more

    def record_gain(s, p: int) -> None:
        """Record that p has waited for another iteration, unless this one visited it."""
        if s.delta_s:
            s.wait[p] = ite(s.visited[p], 0, s.wait[p] + 1)

    def count_iteration(s) -> None:
        """Count an iteration."""
        s.iteration = s.iteration + 1

    # Words

    def one(s) -> Value:
        """Return 1 in the units in which scents are kept."""
        return 2**s.iterations

    def may_go_on(s) -> Value:
        """Return whether there is another iteration."""
        return s.iteration < s.iterations

    def number_visited(s) -> Value:
        """Return how many pages were visited in this iteration."""
        return count(s.visited[p] for p in s.pages)

    @property
    def most_harvested(s) -> int:
        """The greatest harvest."""
        return len(s.changes) - 1

    @property
    def rounds(s) -> int:
        """The least number of iterations that visit all pages: r."""
        return -(-len(s.pages) // s.batch)

    @property
    def step(s) -> int:
        """The bound C on the scent of a page after a visit and a gain."""
        return max(2 * s.most_harvested + (s.rounds + 1) * s.delta_s, s.initial)

    @property
    def bound(s) -> int:
        """The bound on all scents."""
        return s.step + (s.rounds - 1) * s.delta_s

    @property
    def passing(s) -> int:
        """The number of iterations in which a visited page may still overtake a waiting one."""
        return (s.step - min(s.initial, s.delta_s)) // s.delta_s

    @property
    def gap(s) -> int:
        """The bound on the iterations between two visits of a page."""
        return s.passing + s.rounds

    @property
    def goes_round(s) -> bool:
        """Whether the gain is so large that pages are visited in turn."""
        large = s.delta_s >= 2 * s.most_harvested and s.initial > 2 * s.most_harvested
        return large and len(s.pages) % s.batch == 0

    @property
    def enough(s) -> int:
        """How often in a row a page must be found unchanged to be left, without gain."""
        return s.bound.bit_length()

    @property
    def may_leave(s) -> bool:
        """Whether there are enough iterations to leave an unchanged page."""
        time = s.iterations >= s.enough * len(s.pages)
        return s.delta_s == 0 and s.initial > 0 and time and len(s.pages) > s.batch

    @property
    def may_pass_over(s) -> bool:
        """Whether there are enough iterations for a page to wait longer than a round."""
        small = 0 < s.delta_s <= s.most_harvested
        return small and s.iterations > s.rounds + 1 and len(s.pages) > s.batch

    # What must hold

    @transition
    def exactly_a_batch(s, after: Self) -> Value:
        """An iteration visits a batch of different pages; only then do all pages gain."""
        last = s.number_visited() == min(s.batch, len(s.pages)) - 1
        return ite(
            last,
            every(after.iteration == s.iteration + 1, after.number_visited() == 0),
            every(after.iteration == s.iteration,
                  after.number_visited() == s.number_visited() + 1),
        )  # fmt: skip

    @invariant
    def the_strongest_is_next(s) -> Value:
        """The next page has the strongest scent; of equal pages it is the one given first.

        Pages that this iteration has visited do not count.
        """
        return every(
            implies(
                every(s.is_next(p), no(s.visited[q])),
                some(s.scent[q] < s.scent[p], every(s.scent[q] == s.scent[p], p < q)),
            )
            for p in s.pages
            for q in s.pages
            if p != q
        )

    @transition
    def halved_and_then_harvested(s, after: Self) -> Value:
        """A visit halves one page's scent and adds a harvest; a gain is the same for all pages."""
        gain = ite(after.iteration > s.iteration, s.delta_s * s.one(), 0)
        grown = [after.scent[p] - gain - s.scent[p] for p in s.pages]
        return some(
            every(
                no(s.visited[p]),
                some(
                    grown[p] + s.scent[p] == s.scent[p] // 2 + harvest * s.one()
                    for harvest in range(s.most_harvested + 1)
                ),
                every(grown[q] == 0 for q in s.pages if q != p),
            )
            for p in s.pages
        )

    @invariant
    def scent_is_bounded(s) -> Value:
        """No scent exceeds C + (r - 1) d."""
        return every(s.scent[p] <= s.bound * s.one() for p in s.pages)

    @invariant(when=lambda s: s.delta_s > 0)
    def visited_within_the_gap(s) -> Value:
        """Each page is visited within (C - m) / d + r iterations."""
        return every(s.wait[p] < s.gap for p in s.pages)

    @invariant(when=lambda s: s.goes_round)
    def visited_in_turn(s) -> Value:
        """With a large gain no page is visited twice more often than another."""
        return every(s.visits[p] <= s.visits[q] + 1 for p in s.pages for q in s.pages if p != q)

    @transition(when=lambda s: s.delta_s == 0)
    def unchanged_is_left(s, after: Self) -> Value:
        """Without gain: a page found unchanged often is left while one found changed waits."""
        return no(
            every(
                after.last == p, s.unchanged[p] == s.enough, s.changed[q], no(s.visited[q]),
            )
            for p in s.pages
            for q in s.pages
            if p != q
        )  # fmt: skip

    @finished
    def all_iterations_are_over(s) -> Value:
        """A run ends after the given number of iterations."""
        return s.iteration == s.iterations

    @sometimes(when=lambda s: s.may_leave)
    def left_while_another_changes(s) -> Value:
        """Without gain: a page can be found unchanged so often that another is preferred."""
        return some(
            every(s.unchanged[p] == s.enough, s.changed[q], no(s.visited[q]), no(s.visited[p]))
            for p in s.pages
            for q in s.pages
            if p != q
        )

    @sometimes(when=lambda s: s.may_pass_over)
    def waits_longer_than_a_round(s) -> Value:
        """With a small gain a page can wait while pages that change are visited again."""
        return some(s.wait[p] >= s.rounds for p in s.pages)
