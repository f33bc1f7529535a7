"""Compares the engines with the oracle on as many random specs as requested.

python -m tests.oracle --specs 5000 --seed 1
"""

from __future__ import annotations

import argparse
import ast
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from tests.oracle import batches
from tests.oracle.comparing import LIMIT, Outcome
from tests.oracle.comparing_any_number import ForAnyNumber
from tests.oracle.random_specs import random_spec
from tests.oracle.random_specs_for_any_number import random_spec_for_any_number

ANSWERS = ("holds", "violated", "unknown", "refused")


@dataclass
class Tally:
    """The results of one engine.

    Attributes
    ----------
    specs, accepted : int
        The specs it was given, and those of which it answered at least one claim.
    answers : Counter
        The number of claims with each answer.
    wrong : list of (int, str)
        The differences, each with the seed of the spec.
    true, proved : int
        See `ForAnyNumber`.
    """

    specs: int = 0
    accepted: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    wrong: list[tuple[int, str]] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    true: int = 0
    proved: int = 0

    def add(self, seed: int, outcome: Outcome) -> None:
        """Add the outcome of one spec."""
        self.specs += 1
        self.accepted += any(outcome.answers[a] for a in ANSWERS[:3])
        self.answers += outcome.answers
        self.wrong += [(seed, sentence) for sentence in outcome.wrong]
        if isinstance(outcome, ForAnyNumber):
            self.reasons += outcome.reasons
            self.true += outcome.true
            self.proved += outcome.proved


def searches_and_proofs(source: str, seed: int, limit: int, one_in: int) -> dict[str, Outcome]:
    """Compare all engines except the one for any number."""
    found = batches.searches(source, seed, limit, one_in)
    return found | (batches.proofs(source, seed, limit) if found else {})


NESTED = 6
"""The deepest nesting of generators; with 9 levels over 5 members, one step takes minutes."""


def nested(tree: ast.AST) -> int:
    """Return how deeply generators are nested in each other."""
    below = max(map(nested, ast.iter_child_nodes(tree)), default=0)
    return below + isinstance(tree, ast.GeneratorExp)


def run(
    write: Callable[[int], str],
    compare: Callable[[str, int], dict[str, Outcome]],
    seeds: range,
    tallies: dict[str, Tally],
) -> int:
    """Compare the engines on specs; return how many specs were too large."""
    large, began = 0, time.monotonic()
    for number, seed in enumerate(seeds, 1):
        source = write(seed)
        outcomes = compare(source, seed) if nested(ast.parse(source)) <= NESTED else {}
        large += not outcomes
        for engine, outcome in outcomes.items():
            tallies.setdefault(engine, Tally()).add(seed, outcome)
            for sentence in outcome.wrong[:1]:
                print(f"{write.__name__}({seed}), {engine}: {sentence[:300]}", flush=True)
        if number % 100 == 0 or number == len(seeds):
            seconds = time.monotonic() - began
            print(f"{write.__name__}: {number} of {len(seeds)}, {seconds:.0f} s", file=sys.stderr)
    return large


def table(tallies: dict[str, Tally]) -> list[str]:
    """Return the lines of a summary."""
    heads = ("specs", "accepted", *ANSWERS, "differ", "seeds")
    lines = [f"{'':16}" + "".join(f"{head:>10}" for head in heads)]
    for engine, tally in tallies.items():
        counts = [tally.answers[answer] for answer in ANSWERS]
        seeds = len({seed for seed, _ in tally.wrong})
        numbers = [tally.specs, tally.accepted, *counts, len(tally.wrong), seeds]
        lines.append(f"{engine:16}" + "".join(f"{number:>10,}" for number in numbers))
    return lines


def main() -> int:
    """Run the comparison; the exit code is 1 if there is a difference."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle", description=__doc__)
    parser.add_argument("--specs", type=int, default=500, help="how many of each profile")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--limit", type=int, default=LIMIT, help="states of the largest spec")
    parser.add_argument("--one-in", type=int, default=10, help="how rarely C is compiled")
    parser.add_argument("--profile", choices=["both", "all", "any-number"], default="both")
    parser.add_argument("--show", action="store_true", help="print the text of one spec instead")
    given = parser.parse_args()
    if given.show:
        any_number = given.profile == "any-number"
        print(random_spec_for_any_number(given.seed) if any_number else random_spec(given.seed))
        return 0
    seeds = range(given.seed, given.seed + given.specs)
    tallies: dict[str, Tally] = {}
    large = 0
    if given.profile != "any-number":
        compare = partial(searches_and_proofs, limit=given.limit, one_in=given.one_in)
        large = run(random_spec, compare, seeds, tallies)
    if given.profile != "all":
        large += run(random_spec_for_any_number, batches.any_number, seeds, tallies)
    print(f"\n{given.specs} specs from seed {given.seed}, {large} of them too large")
    print("\n".join(table(tallies)))
    for tally in tallies.values():
        if tally.true:
            print(f"for any number: {tally.proved} of {tally.true} true claims are proved;")
            print("why others are not:", *tally.reasons.most_common(12), sep="\n  ")
    return 1 if any(tally.wrong for tally in tallies.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
