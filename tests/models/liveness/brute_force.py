"""Temporal properties by brute force: all sets of states in which a run can stay for ever.

A set is one if each of its states can be reached from each other one within it, or if it has one
state only, where a run can stutter. A run that stays there takes all steps within it again and
again: this keeps the most promises that a run with these states can keep.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True)
class Machine:
    """A graph of states with fair actions.

    Attributes
    ----------
    size : int
        The states are 0 to ``size - 1``; runs begin in state 0.
    actions : tuple of (str, tuple of (int, int))
        For each action its fairness, and its steps.
    first, second : frozenset of int
        The states in which the two conditions of a property are true.
    """

    size: int
    actions: tuple[tuple[str, tuple[tuple[int, int], ...]], ...]
    first: frozenset[int]
    second: frozenset[int]

    @property
    def steps(self) -> set[tuple[int, int]]:
        """All steps that change the state."""
        return {(a, b) for _, steps in self.actions for a, b in steps if a != b}

    def closure(self, begin: Iterable[int], inside: Iterable[int]) -> set[int]:
        """Return the states of a set that runs reach from others of it without leaving it."""
        kept = set(inside)
        found = set(begin) & kept
        while more := {b for a, b in self.steps if a in found and b in kept} - found:
            found |= more
        return found

    def recurring(self, inside: Iterable[int]) -> Iterator[frozenset[int]]:
        """Yield the sets of states, within a set, in which a fair run can stay for ever."""
        states = sorted(inside)
        for number in range(1, len(states) + 1):
            for chosen in map(frozenset, combinations(states, number)):
                joined = all(self.closure([one], chosen) == chosen for one in chosen)
                if joined and all(self._keeps(chosen, *action) for action in self.actions):
                    yield chosen

    def _keeps(self, chosen: frozenset[int], fair: str, steps: tuple[tuple[int, int], ...]) -> bool:
        changing = [(a, b) for a, b in steps if a != b]
        if fair == "none" or any(a in chosen and b in chosen for a, b in changing):
            return True
        due = {a for a, _ in changing}
        return not due & chosen if fair == "strong" else not chosen <= due

    def holds(self, kind: str) -> bool:
        """Return whether all fair runs satisfy a property of a kind."""
        every = set(range(self.size))
        reached = self.closure([0], every)
        not_first, not_second = reached - self.first, reached - self.second
        if kind == "eventually":
            return not any(self.recurring(self.closure([0], not_first)))
        if kind == "infinitely-often":
            return not any(self.recurring(not_first))
        if kind == "stays":
            return not any(one & not_first for one in self.recurring(reached))
        if kind == "leads-to":
            return not any(self.recurring(self.closure(self.first & not_second, not_second)))
        waiting = self.closure([0], self.first & not_second)
        ends = {b for a, b in self.steps if a in waiting} | {0}
        return not (ends & not_first & not_second) and not any(self.recurring(waiting))

    def text(self, kind: str) -> str:
        """Return a spec of this machine as a user would write it."""
        lines = [
            "from counterpoint import Index, Integer, Spec, action, require, some",
            f"from counterpoint import {kind.replace('-', '_')} as claim",
            "",
            "class Drawn(Spec):",
            '    """A drawn machine."""',
            f"    at = Integer(0, {self.size - 1})",
        ]
        for k, (_, steps) in enumerate(self.actions):
            lines.append(f"    moves{k} = Index({len(steps)}, names='m{k}', labels='m{k}_')")
        for k, (fair, steps) in enumerate(self.actions):
            lines += [
                "",
                f"    @action(fair={fair!r}, fair_for=())",
                f"    def act{k}(s, m{k}):",
                f"        require(s.at == {tuple(a for a, _ in steps)}[m{k}])",
                f"        s.at = {tuple(b for _, b in steps)}[m{k}]",
            ]
        first, second = (f"some(s.at == k for k in {sorted(one)})" for one in
                         (self.first, self.second))  # fmt: skip
        both = f"{first}, {second}" if kind in ("leads-to", "until") else first
        return "\n".join(
            [*lines, "", "    @claim", "    def claimed(s):", f"        return {both}"]
        )
