"""Compares the random engine with a uniform random walk of as many runs, on many specs.

    python benchmarks/random_runs.py --runs 200 --json benchmarks/random_runs.json

For each spec: the share of the reachable states that each reached, and for each violation and
witness, in how many of the seeds each found it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from counterpoint.models.explore import exhaustive
from counterpoint.models.random import stateful
from counterpoint.spec.notation import Model
from tests.models.random import gallery
from tests.models.random.uniform import UniformWalk

STEPS = 64
"""The most steps of a run, in the engine and in the uniform walk."""


def by_engine(model: Model, runs: int, seed: int) -> tuple[int, set[str]]:
    """Return the number of states that the engine reached, and what it found."""
    verdicts = stateful.check(model, runs=runs, random_seed=seed)
    return verdicts[0].states or 0, {v.claim.name for v in verdicts if v.trace is not None}


def by_uniform_walk(model: Model, runs: int, seed: int) -> tuple[int, set[str]]:
    """Return the same of a uniform walk."""
    walk = UniformWalk(model, seed)
    for _ in range(runs):
        walk.walk(STEPS)
    return len(walk.seen), set(walk.found)


PEERS = {"stateful": by_engine, "uniform": by_uniform_walk}


def measured(name: str, model: Model, runs: int, seeds: int) -> dict[str, Any]:
    """Return the measures of one spec."""
    exact = exhaustive.check(model)
    shown = {v.claim.name for v in exact if v.trace is not None}
    row: dict[str, Any] = {"spec": name, "states": exact[0].states, "share": {}, "found": {}}
    for peer, make in PEERS.items():
        made = [make(model, runs, seed) for seed in range(seeds)]
        row["share"][peer] = statistics.mean(n for n, _ in made) / (exact[0].states or 1)
        row["found"][peer] = {c: sum(c in found for _, found in made) for c in sorted(shown)}
    return row


HEAD = "| | states | uniform | stateful | found by uniform, by stateful |\n|---|--:|--:|--:|---|"


def print_rows(rows: Iterable[dict[str, Any]], seeds: int) -> None:
    """Print the shares of each spec, and all that one of the two misses."""
    for row in rows:
        one, other = (row["found"][peer] for peer in ("uniform", "stateful"))
        few = [c for c in one if min(one[c], other[c]) < seeds]
        text = "; ".join(f"{c} {one[c]}, {other[c]}" for c in few)
        shares = " | ".join(f"{row['share'][p]:.1%}" for p in ("uniform", "stateful"))
        print(f"| {row['spec']} | {row['states']:,} | {shares} | {text} |", flush=True)


def print_summary(rows: list[dict[str, Any]]) -> None:
    """Print in how many specs, and for how many properties, each of the two is better."""
    for what, pairs in (
        ("shares of states", [(r["share"]["uniform"], r["share"]["stateful"]) for r in rows]),
        (
            "violations and witnesses",
            [
                (r["found"]["uniform"][c], r["found"]["stateful"][c])
                for r in rows
                for c in r["found"]["uniform"]
            ],
        ),
    ):
        better, worse = (sum(s > u for u, s in pairs), sum(s < u for u, s in pairs))
        print(f"{what}: stateful is better in {better}, worse in {worse} of {len(pairs)}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--mutants", type=int, default=1, help="mutants of each spec")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    every = chain(
        gallery.strangers(), gallery.examples(), gallery.random_ones(12),
        gallery.catalogue(given.mutants),
    )  # fmt: skip
    rows = []
    print(HEAD)
    for name, model in every:
        rows.append(measured(name, model, given.runs, given.seeds))
        print_rows(rows[-1:], given.seeds)
    print_summary(rows)
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
