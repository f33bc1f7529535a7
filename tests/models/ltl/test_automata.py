"""The automata of random formulas accept the lassos that satisfy them, as Spin's claims do."""

from __future__ import annotations

import random
import re
import subprocess
from itertools import product

import pytest

from counterpoint.models.ltl.automaton import Automaton, Move
from counterpoint.models.ltl.construction import TooLarge, automaton_of
from counterpoint.models.ltl.normal import ALWAYS_FALSE, ALWAYS_TRUE, normal
from counterpoint.models.ltl.on_lassos import OnLasso
from counterpoint.spec.notation import Shape
from tests.needs import need

from .drawing import TWO, formula, in_spin, lasso, unfolded

CONDITIONS = 3
READING = [1, 2, 3]
C = [Shape("condition", number=k) for k in range(20)]


def compare(seed: int, lassos: int = 30) -> list[bool]:
    """Compare the automata of a formula and its negation with its truth; return the truths."""
    chance = random.Random(seed)
    shape = formula(chance, chance.randint(1, 9), CONDITIONS)
    positive, negative = (automaton_of(normal(shape, READING, sign)) for sign in (True, False))
    answers = []
    for _ in range(lassos):
        truths, loop = lasso(chance, CONDITIONS)
        wanted = OnLasso(unfolded(truths, CONDITIONS), loop).truth(shape)[0]
        assert positive.accepts(truths, loop) == wanted, (seed, shape, truths, loop)
        assert negative.accepts(truths, loop) != wanted, (seed, shape, truths, loop)
        answers.append(wanted)
    return answers


def test_automata_accept_what_satisfies_the_formula() -> None:
    """A run that the automaton misses, or one that it invents; a wrong simplification."""
    answers = [answer for seed in range(500) for answer in compare(seed, 12)]
    assert len(answers) / 4 < sum(answers) < len(answers) * 3 / 4


def small_formulas() -> list[Shape]:
    """Return the formulas from which every simplification begins."""
    found = [C[0]]
    for op in ("always", "sometime"):
        for part in (C[0], C[1], Shape("always", (C[1],)), Shape("sometime", (C[2],))):
            found.append(Shape(op, (part,)))
    found += [Shape(op, pair) for op in ("strong until", "release")
              for pair in ((C[0], C[1]), (C[2], C[1]), (C[0], C[2]))]  # fmt: skip
    return found


def test_all_pairs_of_small_formulas() -> None:
    """A simplification of two formulas together that is wrong, and that is rare at random."""
    chance = random.Random(1)
    words = [lasso(chance, CONDITIONS) for _ in range(60)]
    lassos = [(truths, loop, OnLasso(unfolded(truths, CONDITIONS), loop))
              for truths, loop in words]  # fmt: skip
    for op, one, two in product(TWO, small_formulas(), small_formulas()):
        shape = Shape(op, (one, two))
        made = automaton_of(normal(shape, READING))
        for truths, loop, judged in lassos:
            wanted = judged.truth(shape)[0]
            assert made.accepts(truths, loop) == wanted, (shape, truths, loop)


@pytest.mark.slow
@pytest.mark.parametrize("begin", range(1000, 21000, 2000))
def test_more_formulas(begin: int) -> None:
    """The same, on more formulas."""
    for seed in range(begin, begin + 2000):
        compare(seed)


def claim_of(shape: Shape) -> Automaton:
    """Return Spin's never claim for a formula; its acceptance is that of its states."""
    said = subprocess.run(["spin", "-f", in_spin(shape)], capture_output=True, text=True,
                          check=True, timeout=60).stdout  # fmt: skip
    blocks = re.findall(r"^((?:\w+:\n)+)((?:\t.*\n)*)", said, re.MULTILINE)
    names = {name: k for k, (labels, _) in enumerate(blocks) for name in labels.split(":\n")}
    states = []
    for labels, body in blocks:
        waits = 0 if "accept" in labels else 1
        options = re.findall(r":: (?:atomic \{ )?\((.*)\) -> (?:goto (\w+)|assert)", body)
        found = [move for condition, target in options
                 for move in moves_of(condition, names[target or "accept_all"], waits)]  # fmt: skip
        if re.search(r"^\tskip$", body, re.MULTILINE):
            found.append(Move(0, 0, names[labels.split(":")[0]], waits))
        states.append(tuple(found))
    return Automaton(tuple(states), 1)


def moves_of(condition: str, target: int, waits: int) -> list[Move]:
    """Return a move for each combination of conditions that a condition of a claim allows."""
    text = re.sub(r"p(\d)", r"truth[\1]", condition.replace("!", " not "))
    text = text.replace("&&", " and ").replace("||", " or ")
    every = range(1 << CONDITIONS)
    return [Move(mask, every[-1] & ~mask, target, waits) for mask in every
            if eval(text, {"truth": unfolded([mask], CONDITIONS)[0]})]  # fmt: skip


def with_spin(seed: int) -> None:
    """Compare the truth of a formula on lassos with Spin's claim, and so with our automaton."""
    chance = random.Random(seed)
    shape = formula(chance, chance.randint(1, 6), CONDITIONS)
    claim, own = claim_of(shape), automaton_of(normal(shape, READING))
    for _ in range(30):
        truths, loop = lasso(chance, CONDITIONS)
        said = claim.accepts(truths, loop)
        assert said == own.accepts(truths, loop), (seed, shape, truths, loop)
        judged = OnLasso(unfolded(truths, CONDITIONS), loop).truth(shape)[0]
        assert said == judged, (seed, shape, truths, loop)


def test_spin_means_the_same() -> None:
    """An operator that means something else than in Spin, in the automaton and in the oracle."""
    need("spin")
    for seed in range(60):
        with_spin(seed)


@pytest.mark.slow
def test_spin_means_the_same_by_more_formulas() -> None:
    """The same, on more formulas."""
    need("spin")
    for seed in range(1000, 2500):
        with_spin(seed)


def test_repeated_states_change_no_truth() -> None:
    """A meaning that depends on how long a run stays in a state."""
    for seed in range(300):
        chance = random.Random(seed)
        shape = formula(chance, chance.randint(1, 8), CONDITIONS)
        truths, loop = lasso(chance, CONDITIONS)
        times = [chance.randint(1, 3) for _ in truths]
        longer = [truth for truth, n in zip(truths, times, strict=True) for _ in range(n)]
        one, two = (OnLasso(unfolded(word, CONDITIONS), at).truth(shape)[0]
                    for word, at in ((truths, loop), (longer, sum(times[:loop]))))  # fmt: skip
        assert one == two


def test_automata_are_small() -> None:
    """An automaton that makes the product with the states of a spec larger than need be."""

    def states(shape: Shape) -> int:
        return len(automaton_of(normal(shape, range(1, 21), positive=False)).moves)

    answered = Shape("always", (Shape("implies", (C[0], Shape("sometime", (C[1],)))),))
    assert states(answered) == 2
    assert states(Shape("always", (Shape("sometime", (C[0],)),))) == 2
    assert states(Shape("sometime", (Shape("always", (C[0],)),))) == 1
    assert states(Shape("sometime", (C[0],))) == 1
    assert states(Shape("always", (C[0],))) <= 2
    again = Shape("and", tuple(Shape("always", (Shape("sometime", (c,)),)) for c in C[:5]))
    assert states(again) <= 6
    assert states(Shape("sometime", (Shape("sometime", (C[0],)),))) == 1


def test_equal_conditions_and_constants_count_once() -> None:
    """A condition and its negation that are true together, or a constant that varies."""
    both = Shape("and", (Shape("sometime", (C[0],)), Shape("always", (C[1],))))
    assert automaton_of(normal(both, [1, -1])).moves == ((),)
    assert automaton_of(normal(both, [ALWAYS_TRUE, ALWAYS_TRUE])).accepts([0], 0)
    assert not automaton_of(normal(both, [ALWAYS_FALSE, 1])).accepts([3], 0)


def test_too_large_a_formula_is_refused() -> None:
    """An automaton that takes all memory."""
    some = Shape("and", tuple(Shape("sometime", (c,)) for c in C))
    with pytest.raises(TooLarge, match="more than"):
        automaton_of(normal(some, range(1, 21)))
