"""Formulas on fair runs of machines by brute force: a tableau, and all ways to keep promises.

A node is a state of the machine with a guess for each `until` of the formula whether it is true
there. An edge must agree with the guesses: an until is true if its second part is, or if its first
part is and it is true after the edge. Runs may stay in a state at any time. Of each strong promise
it is chosen whether it is kept or never due. What is left is a question about the largest parts in
which all nodes reach each other: whether they keep the rest and fulfil what they guess.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from counterpoint.spec.notation import Shape

from .brute_force import Machine

Node = tuple[int, int]
"""A state and the mask of the untils that are guessed to be true."""

Edge = tuple[Node, Node, int | None]
"""Two nodes, and the promise that the step keeps, by its place among those of the machine."""


def in_untils(shape: Shape) -> Shape:
    """Return a formula with `not`, `and` and `strong until` alone."""
    parts = tuple(in_untils(part) for part in shape.parts)

    def no(one: Shape) -> Shape:
        return one.parts[0] if one.op == "not" else Shape("not", (one,))

    def until(one: Shape | None, two: Shape) -> Shape:
        return Shape("strong until", (one or Shape("and"), two))

    if shape.op in ("condition", "not", "and", "strong until"):
        return Shape(shape.op, parts, shape.number)
    if shape.op == "or":
        return no(Shape("and", tuple(map(no, parts))))
    if shape.op == "implies":
        return no(Shape("and", (parts[0], no(parts[1]))))
    if shape.op == "sometime":
        return until(None, parts[0])
    if shape.op == "always":
        return no(until(None, no(parts[0])))
    if shape.op == "release":
        return no(until(no(parts[0]), no(parts[1])))
    neither = Shape("and", tuple(map(no, parts)))  # weak until
    return no(until(no(parts[1]), neither))


def untils_of(shape: Shape) -> list[Shape]:
    """Return the different untils of a formula, the inner ones first."""
    found = [one for part in shape.parts for one in untils_of(part)]
    return list(dict.fromkeys([*found, *([shape] if shape.op == "strong until" else [])]))


@dataclass
class Tableau:
    """A machine, conditions on its states, and a formula about them."""

    machine: Machine
    conditions: tuple[frozenset[int], ...]
    shape: Shape

    def __post_init__(self) -> None:
        self.shape = in_untils(self.shape)
        self.untils = untils_of(self.shape)

    def holds(self) -> bool:
        """Return whether all fair runs satisfy the formula."""
        begins = [n for n in self._nodes() if n[0] in self.machine.starts
                  and not self._true(self.shape, n)]  # fmt: skip
        edges = list(self._edges())
        reached = set(begins)
        while more := {b for a, b, _ in edges if a in reached} - reached:
            reached |= more
        return not any(self._has_fair_cycle(reached, edges, kept) for kept in self._choices())

    def _nodes(self) -> Iterator[Node]:
        return product(range(self.machine.size), range(1 << len(self.untils)))

    def _true(self, shape: Shape, node: Node) -> bool:
        if shape.op == "condition":
            return node[0] in self.conditions[shape.number]
        if shape.op == "not":
            return not self._true(shape.parts[0], node)
        if shape.op == "and":
            return all(self._true(part, node) for part in shape.parts)
        return bool(node[1] >> self.untils.index(shape) & 1)

    def _agrees(self, before: Node, after: Node) -> bool:
        for until in self.untils:
            first, second = (self._true(part, before) for part in until.parts)
            if self._true(until, before) != (second or (first and self._true(until, after))):
                return False
        return True

    def _edges(self) -> Iterator[Edge]:
        moves: list[tuple[int, int, int | None]] = [(s, s, None) for s in range(self.machine.size)]
        for place, (_, steps) in enumerate(self.machine.promises):
            moves += [(a, b, place) for a, b in steps if a != b]
        every = range(1 << len(self.untils))
        for a, b, place in moves:
            for one, two in product(every, every):
                if self._agrees((a, one), (b, two)):
                    yield (a, one), (b, two), place

    def _choices(self) -> Iterator[frozenset[int]]:
        """Yield each set of strong promises that are kept; the others must never be due."""
        strong = [k for k, (fair, _) in enumerate(self.machine.promises) if fair == "strong"]
        for kept in product((False, True), repeat=len(strong)):
            yield frozenset(k for k, one in zip(strong, kept, strict=True) if one)

    def _due(self, place: int) -> set[int]:
        return {a for a, b in self.machine.promises[place][1] if a != b}

    def _has_fair_cycle(
        self, nodes: Iterable[Node], edges: list[Edge], kept: frozenset[int]
    ) -> bool:
        promises = self.machine.promises
        avoided = {s for k, (fair, _) in enumerate(promises)
                   if fair == "strong" and k not in kept for s in self._due(k)}  # fmt: skip
        inside = {n for n in nodes if n[0] not in avoided}
        return any(self._is_fair(part, edges, kept) for part in _parts(inside, edges))

    def _is_fair(self, part: set[Node], edges: list[Edge], kept: frozenset[int]) -> bool:
        inner = [place for a, b, place in edges if a in part and b in part]
        for k, (fair, _) in enumerate(self.machine.promises):
            if k in inner or fair == "none":
                continue
            if k in kept or (fair == "weak" and {s for s, _ in part} <= self._due(k)):
                return False
        fulfilled = all(
            any(not self._true(until, n) or self._true(until.parts[1], n) for n in part)
            for until in self.untils
        )
        return bool(inner) and fulfilled


def _parts(inside: set[Node], edges: list[Edge]) -> Iterator[set[Node]]:
    """Yield the largest sets of nodes that reach each other."""
    after: dict[Node, set[Node]] = {n: set() for n in inside}
    before: dict[Node, set[Node]] = {n: set() for n in inside}
    for a, b, _ in edges:
        if a in inside and b in inside:
            after[a].add(b)
            before[b].add(a)
    left = set(inside)
    while left:
        one = next(iter(left))
        part = _closure(one, after) & _closure(one, before)
        left -= part
        yield part


def _closure(one: Node, edges: dict[Node, set[Node]]) -> set[Node]:
    found, todo = {one}, [one]
    while todo:
        new = edges[todo.pop()] - found
        found |= new
        todo += new
    return found
