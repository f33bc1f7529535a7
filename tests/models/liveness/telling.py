"""Random machines on which weak and strong fairness differ; without a choice they are rare."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from .brute_force import KINDS, Machine

OTHER = {"none": "none", "weak": "strong", "strong": "weak"}


def going_round(seed: int) -> Machine:
    """Return a random machine of three to six states, some of which lie on a circle."""
    chance = random.Random(seed)
    size = chance.randint(3, 6)
    states = range(size)
    length = chance.randint(2, size)
    circle = tuple((k, (k + 1) % length) for k in range(length))
    more = tuple(
        (chance.choice(("weak", "strong")),
         tuple((chance.choice(states), chance.choice(states))
               for _ in range(chance.randint(1, 2))))
        for _ in range(chance.randint(1, 2))
    )  # fmt: skip
    first, second = (
        frozenset(state for state in states if chance.random() < share) for share in (0.6, 0.3)
    )
    return Machine(size, (("weak", circle), *more), first, second)


def telling(begin: int) -> Iterator[tuple[int, Machine, str]]:
    """Yield machines, from a seed on, each with a kind of property whose verdict tells fairness.

    The verdict is another one if what is weakly fair is strongly fair instead, and the reverse.

    Yields
    ------
    (int, Machine, str)
        The seed, the machine and the kind. The kinds take turns.
    """
    seed, turn = begin, 0
    while True:
        machine = going_round(seed)
        actions = tuple((OTHER[fair], steps) for fair, steps in machine.actions)
        kind = KINDS[turn % len(KINDS)]
        if machine.holds(kind) != replace(machine, actions=actions).holds(kind):
            yield seed, machine, kind
            turn += 1
        seed += 1
