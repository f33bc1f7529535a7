"""Recall and precision of an answer, as Blekanov and Bondarenko define them.

Some pages of a collection are relevant, and some are found. Let a be the number of found and
relevant pages, and c that of relevant pages not found. Recall is a / (a + c), and precision is a /
(a + b). The paper's text says that b is the number of documents found; then a perfect answer has a
precision of 1/2. The formula needs b as the number of found pages that are not relevant. Which
pages are relevant, and which are found, is left open.
"""

from __future__ import annotations

from typing import Self

from counterpoint.spec.notation import (
    ANY,
    Array,
    Boolean,
    Choice,
    Index,
    Spec,
    Value,
    action,
    count,
    every,
    finished,
    implies,
    invariant,
    no,
    require,
    sometimes,
    transition,
)


class Retrieval(Spec):
    """Pages are found one by one, relevant and irrelevant ones."""

    name = "retrieval"

    pages = Index(4, names="p", labels="P", at_most=8, help="how many pages the collection has")
    counted = Choice("irrelevant", "all", name="b", help="which of the pages found b counts")

    relevant = Array(pages, Boolean(), initially=ANY)
    found = Array(pages, Boolean())

    @action
    def find(s, p: int) -> None:
        """Find a page."""
        require(no(s.found[p]))
        s.found[p] = True

    # A measure is a fraction: numerator and denominator

    def recall(s) -> tuple[Value, Value]:
        """Return the share of the relevant pages that were found."""
        a = s.number(found=True, relevant=True)
        return a, a + s.number(found=False, relevant=True)

    def precision(s) -> tuple[Value, Value]:
        """Return the share of the found pages that are relevant, with b as the parameter says."""
        a = s.number(found=True, relevant=True)
        irrelevant = s.number(found=True, relevant=False)
        return a, a + (irrelevant if s.counted == "irrelevant" else a + irrelevant)

    def number(s, found: bool, relevant: bool) -> Value:
        """Return how many pages are found or not, and relevant or not."""
        return count(every(s.found[p] == found, s.relevant[p] == relevant) for p in s.pages)

    # What must hold

    @invariant
    def no_fault_is_full_precision(s) -> Value:
        """An answer of relevant pages alone has a precision of 1."""
        above, below = s.precision()
        good = every(above > 0, s.number(found=True, relevant=False) == 0)
        return implies(good, above == below)

    @invariant
    def all_found_is_full_recall(s) -> Value:
        """Recall is 1 when every relevant page is found, and only then."""
        above, below = s.recall()
        return (above == below) == (s.number(found=False, relevant=True) == 0)

    @transition
    def precision_follows_relevance(s, after: Self) -> Value:
        """A found page never lowers precision if it is relevant, and never raises it if not."""
        above, below = s.precision()
        new, under = after.precision()
        better = new * below >= above * under
        worse = new * below <= above * under
        return every(
            implies(every(no(s.found[p]), after.found[p]),
                    every(implies(s.relevant[p], better), implies(no(s.relevant[p]), worse)))
            for p in s.pages
        )  # fmt: skip

    @transition
    def recall_never_falls(s, after: Self) -> Value:
        """A further page in the answer never lowers recall."""
        above, below = s.recall()
        new, under = after.recall()
        return new * below >= above * under

    @finished
    def all_is_found(s) -> Value:
        """A run may end when all pages are found."""
        return every(s.found[p] for p in s.pages)

    @sometimes(when=lambda s: len(s.pages) > 1)
    def half_precise_and_all_recalled(s) -> Value:
        """Full recall is possible with a precision of 1/2."""
        (a, found), (b, relevant) = s.precision(), s.recall()
        return every(b > 0, b == relevant, 2 * a == found)
