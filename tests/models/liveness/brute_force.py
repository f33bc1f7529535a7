"""Temporal properties by brute force: all sets of states in which a run can stay for ever.

A set is one if each of its states can be reached from each other one within it, or if it has one
state only, where a run can stutter. A run that stays there takes all steps within it again and
again: this keeps the most promises that a run with these states can keep.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise

from counterpoint.spec.notation import TEMPORAL

KINDS = tuple(kind for kind in TEMPORAL if kind != "temporal")
"""The kinds of temporal properties of one or two conditions."""


@dataclass(frozen=True)
class Machine:
    """A graph of states with fair actions.

    Attributes
    ----------
    size : int
        The states are 0 to ``size - 1``; see `starts`.
    actions : tuple of (str, tuple of (int, int))
        For each action its fairness, and its steps.
    first, second : frozenset of int
        The states in which the two conditions of a property are true.
    starts : frozenset of int
        The states in which runs begin.
    each : bool
        Whether each step of an action is fair by itself, and not the action as a whole.
    """

    size: int
    actions: tuple[tuple[str, tuple[tuple[int, int], ...]], ...]
    first: frozenset[int]
    second: frozenset[int]
    starts: frozenset[int] = frozenset([0])
    each: bool = False

    @property
    def promises(self) -> list[tuple[str, tuple[tuple[int, int], ...]]]:
        """The strength of each promise, and the steps that keep it."""
        if not self.each:
            return list(self.actions)
        return [(fair, (step,)) for fair, steps in self.actions for step in steps]

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
                if joined and all(self._keeps(chosen, *one) for one in self.promises):
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
        reached = self.closure(self.starts, every)
        not_first, not_second = reached - self.first, reached - self.second
        if kind == "eventually":
            return not any(self.recurring(self.closure(self.starts, not_first)))
        if kind == "infinitely-often":
            return not any(self.recurring(not_first))
        if kind == "stays":
            return not any(one & not_first for one in self.recurring(reached))
        if kind == "leads-to":
            return not any(self.recurring(self.closure(self.first & not_second, not_second)))
        waiting = self.closure(self.starts, self.first & not_second)
        ends = {b for a, b in self.steps if a in waiting} | self.starts
        return not (ends & not_first & not_second) and not any(self.recurring(waiting))

    def fault(self, kind: str, states: list[int], taken: list[tuple[int, int]], loop: int) -> str:
        """Return why a lasso is no fair violation of a property; "" if it is one.

        Parameters
        ----------
        kind : str
            The kind of the property.
        states : list of int
            The states of the lasso; the last one is the one after ``loop`` steps.
        taken : list of (int, int)
            For each step its action and its number among those of the action.
        loop : int
        """
        if states[-1] != states[loop]:
            return "not closed"
        moves = [self.actions[k][1][m] for k, m in taken]
        if states[0] not in self.starts or moves != list(pairwise(states)):
            return "no run"
        keeping = {kept for kept in range(len(self.promises))
                   for move in taken[loop:] if self._keeps_by(kept, *move)}  # fmt: skip
        for number, (fair, steps) in enumerate(self.promises):
            due = [any(a == s and a != b for a, b in steps) for s in states[loop:]]
            if number in keeping or fair == "none":
                continue
            if any(due) if fair == "strong" else all(due):
                return f"promise {number} is not kept"
        length = max(len(states) - 1, loop + 1)
        return "it satisfies the property" if self._satisfies(kind, states[:length], loop) else ""

    def _keeps_by(self, promise: int, action: int, step: int) -> bool:
        """Return whether a step keeps a promise: it changes the state and is one of its steps."""
        a, b = self.actions[action][1][step]
        if not self.each:
            return a != b and promise == action
        before = sum(len(steps) for _, steps in self.actions[:action])
        return a != b and promise == before + step

    def _satisfies(self, kind: str, states: list[int], loop: int) -> bool:
        """Return whether an infinite run satisfies a property, by the definition of its kind.

        Parameters
        ----------
        kind : str
        states : list of int
            The states, of which those from ``loop`` on are repeated for ever.
        loop : int
        """
        places = range(len(states))
        first, second = ([s in one for s in states] for one in (self.first, self.second))

        def later(k: int) -> range:
            return range(min(k, loop), len(states))

        return {
            "eventually": lambda: any(first),
            "infinitely-often": lambda: all(any(first[j] for j in later(k)) for k in places),
            "stays": lambda: any(all(first[j] for j in later(k)) for k in places),
            "leads-to": lambda: all(
                not first[k] or any(second[j] for j in later(k)) for k in places
            ),
            "until": lambda: any(second[k] and all(first[:k]) for k in places),
        }[kind]()

    def text(self, kind: str) -> str:
        """Return a spec of this machine as a user would write it."""
        chosen = [] if self.starts == {0} else [
            "",
            "    @initially",
            "    def begins(s):",
            f"        return some(s.at == k for k in {sorted(self.starts)})",
            "",
        ]  # fmt: skip
        lines = [
            "from counterpoint import ANY, Index, Integer, Spec, action, initially, require, some",
            f"from counterpoint import {kind.replace('-', '_')} as claim",
            "",
            "class Drawn(Spec):",
            '    """A drawn machine."""',
            f"    at = Integer(0, {self.size - 1}, initially={'ANY' if chosen else 0})",
            *chosen,
        ]
        for k, (_, steps) in enumerate(self.actions):
            lines.append(f"    moves{k} = Index({len(steps)}, names='m{k}', labels='m{k}_')")
        for k, (fair, steps) in enumerate(self.actions):
            lines += [
                "",
                f"    @action(fair={fair!r}{'' if self.each else ', fair_for=()'})",
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
