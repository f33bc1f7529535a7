"""What a rank proves of a random machine, brute force confirms: an attack on the rule."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from counterpoint.models.checking.engines import check
from counterpoint.models.loading import load

from .brute_force import KINDS
from .ranked import other_claim, rank_of, ranked_text
from .test_agreement import drawn


def attack(seed: int, folder: Path) -> Counter[tuple[str, bool]]:
    """Try to prove each kind of property of a machine; count the answers and what is true."""
    machine, chance = drawn(seed), random.Random(seed)
    found: Counter[tuple[str, bool]] = Counter()
    for kind in KINDS:
        other = other_claim(machine, chance)
        text = ranked_text(machine, kind, rank_of(machine, kind, chance), other.first)
        path = folder / f"ranked{seed}_{kind.replace('-', '_')}.py"
        path.write_text(text)
        model = load(str(path))
        verdicts = check(model, "induction", wanted=model.temporal)
        rights = {"claimed": machine.holds(kind), "again": other.holds("infinitely-often")}
        for verdict in verdicts:
            right = rights[verdict.claim.name]
            assert verdict.answer in ("holds", "unknown")
            assert right or verdict.answer == "unknown", (seed, kind, verdict.notes, text)
            found[verdict.answer, right] += 1
    return found


def all_of(seeds: range, folder: Path) -> Counter[tuple[str, bool]]:
    """Attack the rule with many machines."""
    return sum((attack(seed, folder) for seed in seeds), Counter())


@pytest.mark.parametrize("begin", range(0, 24, 8))
def test_random_machines_with_random_ranks(begin: int, tmp_path: Path) -> None:
    """A false property that a rank proves, or a rule that proves little of what is true."""
    found = all_of(range(begin, begin + 8), tmp_path)
    assert found["holds", True] > found["unknown", True]
    assert found["unknown", False] > 10


@pytest.mark.slow
@pytest.mark.parametrize("begin", range(3000, 3200, 100))
def test_two_hundred_random_machines_with_random_ranks(begin: int, tmp_path: Path) -> None:
    """The same, on more machines."""
    found = all_of(range(begin, begin + 100), tmp_path)
    assert found["holds", True] > found["unknown", True]
