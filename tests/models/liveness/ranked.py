"""Random machines with ranks, good and bad, as specs that induction may prove."""

from __future__ import annotations

import random
from dataclasses import replace

from .brute_force import Machine

Rank = list[tuple[int, ...]]


def distances(machine: Machine, kind: str) -> list[int]:
    """Return for each state how far it is from what the property waits for; large if for ever."""
    goal = machine.second if kind in ("leads-to", "until") else machine.first
    found = dict.fromkeys(goal, 0)
    for far in range(1, machine.size + 1):
        near = {a for a, b in machine.steps if b in found and found[b] < far} - found.keys()
        found |= dict.fromkeys(near, far)
    return [found.get(state, machine.size) for state in range(machine.size)]


def rank_of(machine: Machine, kind: str, chance: random.Random) -> Rank | None:
    """Return a rank for each state: distances, perhaps with faults, or random numbers, or none."""
    how = chance.choice(("distance", "distance", "faulty", "random", "pairs", "none"))
    far = distances(machine, kind)
    if how == "none":
        return None
    if how == "random":
        return [(chance.randint(-1, 3),) for _ in far]
    if how == "pairs":
        return [(one // 2, one % 2 + chance.randint(0, 1)) for one in far]
    if how == "faulty":
        far[chance.randrange(len(far))] = chance.randint(-1, machine.size)
    return [(one,) for one in far]


def other_claim(machine: Machine, chance: random.Random) -> Machine:
    """Return the machine with other states that each run is to visit again and again."""
    states = frozenset(state for state in range(machine.size) if chance.random() < 0.6)
    return replace(machine, first=states)


def ranked_text(machine: Machine, kind: str, rank: Rank | None, again: frozenset[int]) -> str:
    """Return a spec of a machine with a rank, a lemma, and a second property without a rank.

    Parameters
    ----------
    machine : Machine
    kind : str
        The kind of the property.
    rank : list or None
        The rank of each state.
    again : frozenset of int
        The states of the second property, which is `infinitely_often`.
    """
    head, imports, *rest = machine.text(kind).splitlines()
    reached = sorted(machine.closure(machine.starts, range(machine.size)))
    lines = [
        f"{head}, decreases, infinitely_often, ite, lemma",
        imports,
        *rest,
        "",
        "    @lemma",
        "    def reached(s):",
        f"        return some(s.at == k for k in {reached})",
        "",
        "    @infinitely_often",
        "    def again(s):",
        f"        return some(s.at == k for k in {sorted(again)})",
    ]
    if rank is not None:
        numbers = ", ".join(_chosen([one[k] for one in rank]) for k in range(len(rank[0])))
        lines += ["", "    @decreases(of=claimed)", "    def rank(s):", f"        return {numbers}"]
    return "\n".join(lines)


def _chosen(numbers: list[int]) -> str:
    text = str(numbers[-1])
    for state, number in reversed(list(enumerate(numbers[:-1]))):
        text = f"ite(s.at == {state}, {number}, {text})"
    return text
