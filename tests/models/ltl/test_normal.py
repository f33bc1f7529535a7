"""Normal forms of small formulas: all of them, since rare patterns are simplified."""

from __future__ import annotations

from itertools import combinations, product

from counterpoint.models.ltl.normal import FALSE, TRUE, Term, normal
from counterpoint.models.ltl.on_lassos import OnLasso
from counterpoint.spec.notation import Shape

from .drawing import unfolded

A, B = Shape("condition", number=0), Shape("condition", number=1)
UNTILS = ("strong until", "release")


def _as_shape(term: Term) -> Shape:
    """Return a formula in normal form as one of the notation."""
    if term in (TRUE, FALSE):
        never = Shape("and", (A, Shape("not", (A,))))
        return Shape("not", (never,)) if term is TRUE else never
    if term.op == "literal":
        condition = Shape("condition", number=abs(term.literal) - 1)
        return condition if term.literal > 0 else Shape("not", (condition,))
    op = "strong until" if term.op == "until" else term.op
    return Shape(op, tuple(map(_as_shape, term.parts)))


def _small() -> list[Shape]:
    """Return formulas with up to three until and release in each other, and pairs of them."""
    single = [A, B, *(Shape(op, (one,)) for op in ("always", "sometime") for one in (A, B))]
    twos = [Shape(op, (x, y)) for op in UNTILS for x, y in product([A, B], repeat=2)]
    nested = [Shape(op, (x, y)) for op in UNTILS
              for x, y in (*product([A, B], twos), *product(twos, [A, B]))]  # fmt: skip
    eventual = [Shape(op, (one,)) for op in ("always", "sometime") for one in (*single, *twos)]
    terms = [*single, *twos, *eventual]
    joined = [Shape(op, (x, y)) for op in ("and", "or") for x, y in combinations(terms, 2)]
    return [*nested, *joined]


def test_small_formulas_keep_their_meaning() -> None:
    """A wrong simplification of a pattern that random formulas hardly ever have."""
    lassos = [OnLasso(unfolded(list(truths), 2), loop)
              for size in (1, 2, 3) for truths in product(range(4), repeat=size)
              for loop in range(size) if size < 3 or loop == 1]  # fmt: skip
    for shape in _small():
        positive, negative = (_as_shape(normal(shape, [1, 2], sign)) for sign in (True, False))
        for one in lassos:
            wanted = one.truth(shape)[0]
            assert one.truth(positive)[0] == wanted, (shape, positive)
            assert one.truth(negative)[0] != wanted, (shape, negative)
