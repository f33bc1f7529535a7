"""Makes a small automaton of a formula.

A state is a set of formulas that the rest of the run must satisfy. A move reads conditions, leaves
other formulas for the rest, and may put off what an `until` waits for; each `until` has a set of
the moves that do not put it off (J.-M. Couvreur, *On-the-fly verification of linear temporal
logic*, FM 1999). States from which nothing is accepted are left out, and states with the same moves
are one.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import NamedTuple

from counterpoint.spec.notation import SpecError

from .automaton import Automaton, Edges, Move, is_accepting, parts_of
from .normal import FALSE, TRUE, Term

MOST_STATES = 300
"""An automaton with more states is refused."""

MOST_MOVES = 1_000
"""A state with more moves is refused."""

Terms = frozenset[Term]
NOTHING: Terms = frozenset()


class TooLarge(SpecError):
    """A formula needs an automaton beyond the limits."""


class _Way(NamedTuple):
    """A way to satisfy a formula: conditions now, formulas from the next state on, and waits."""

    literals: frozenset[int]
    rest: Terms
    waits: Terms

    def is_within(self, other: _Way) -> bool:
        """Return whether it asks for less than another one."""
        return all(a <= b for a, b in zip(self, other, strict=True))


def automaton_of(term: Term) -> Automaton:
    """Return an automaton that accepts the runs that satisfy a formula.

    Raises
    ------
    TooLarge
        If it has more than `MOST_STATES` states or a state with more than `MOST_MOVES` moves.
    """
    return _smaller(_Construction().automaton(term))


class _Construction:
    """The states so far, and the ways to satisfy formulas."""

    def __init__(self) -> None:
        self._ways: dict[Term, list[_Way]] = {}
        self._places: dict[Terms, int] = {}
        self._untils: dict[Term, int] = {}

    def automaton(self, term: Term) -> Automaton:
        """Return the automaton of a formula."""
        todo = [frozenset(term.parts if term.op == "and" else (term,)) - {TRUE}]
        self._places[todo[0]] = 0
        moves: list[tuple[Move, ...]] = []
        for state in todo:  # which grows
            ways = _product([self._of(one) for one in sorted(state, key=lambda t: t.serial)])
            ways = [way._replace(rest=_needed(way.rest)) for way in ways]
            for way in ways:
                if way.rest not in self._places:
                    self._places[way.rest] = len(todo)
                    todo.append(way.rest)
            if len(todo) > MOST_STATES:
                raise TooLarge(f"its automaton has more than {MOST_STATES} states")
            moves.append(tuple(map(self._move, ways)))
        return Automaton(tuple(moves), len(self._untils))

    def _move(self, way: _Way) -> Move:
        yes = sum(1 << one - 1 for one in way.literals if one > 0)
        no = sum(1 << -one - 1 for one in way.literals if one < 0)
        waits = (self._untils.setdefault(u, len(self._untils)) for u in way.waits)
        return Move(yes, no, self._places[way.rest], sum(1 << k for k in waits))

    def _of(self, term: Term) -> list[_Way]:
        if term not in self._ways:
            self._ways[term] = _least(self._made(term))
        return self._ways[term]

    def _made(self, term: Term) -> list[_Way]:
        if term is FALSE:
            return []
        if term.op == "literal":
            return [_Way(frozenset((term.literal,)), NOTHING, NOTHING)]
        if term.op == "or":
            return [way for part in term.parts for way in self._of(part)]
        if term.op in ("and", "true"):
            return _product([self._of(part) for part in term.parts])
        first, second = map(self._of, term.parts)
        itself = frozenset((term,))
        if term.op == "until":
            return [*second, *_product([first, [_Way(frozenset(), itself, itself)]])]
        return _product([second, [*first, _Way(frozenset(), itself, NOTHING)]])


def _needed(rest: Terms) -> Terms:
    """Return formulas without those that are the second part of a release among them.

    Each way to satisfy that release contains a way to satisfy them, with the same waits.
    """
    seconds = [r.parts[1] for r in rest if r.op == "release"]
    return rest - {p for one in seconds for p in (one, *(one.parts if one.op == "and" else ()))}


def _product(several: list[list[_Way]]) -> list[_Way]:
    """Return the ways to satisfy several formulas, of each of which the ways are given."""
    found = [_Way(frozenset(), NOTHING, NOTHING)]
    for ways in several:
        joined = [_Way(a.literals | b.literals, a.rest | b.rest, a.waits | b.waits)
                  for a, b in product(found, ways)]  # fmt: skip
        found = _least(w for w in joined if not any(-one in w.literals for one in w.literals))
    return found


def _least(ways: Iterable[_Way]) -> list[_Way]:
    """Return the ways without those that ask for more than another one."""
    found: list[_Way] = []
    for way in sorted(set(ways), key=lambda w: sum(map(len, w))):
        if not any(one.is_within(way) for one in found):
            found.append(way)
        if len(found) > MOST_MOVES:
            raise TooLarge(f"a state of its automaton has more than {MOST_MOVES:,} moves")
    return found


# Smaller automata


def _smaller(given: Automaton) -> Automaton:
    """Return an automaton that accepts the same runs, with fewer states, moves and sets."""
    made = _live(given)
    while True:
        merged = _merged(made)
        if len(merged.moves) == len(made.moves):
            return _with_few_sets(merged)
        made = merged


def _edges(given: Automaton) -> Edges:
    every = (1 << given.sets) - 1
    return {k: [(m.target, every & ~m.puts_off) for m in moves]
            for k, moves in enumerate(given.moves)}  # fmt: skip


def _live(given: Automaton) -> Automaton:
    """Return an automaton without states from which no run is accepted.

    Moves within a part without an accepting cycle put everything off, and moves between parts
    nothing.
    """
    edges, every = _edges(given), (1 << given.sets) - 1
    part_of: dict[int, int] = {}
    cycles: set[int] = set()
    live: set[int] = set()
    for number, part in enumerate(parts_of(edges)):  # those further on first
        part_of |= dict.fromkeys(part, number)
        if is_accepting(part, edges, given.sets):
            cycles.add(number)
        if number in cycles or any(t in live for node in part for t, _ in edges[node]):
            live |= part
    kept = sorted(live | {0})
    place = {state: k for k, state in enumerate(kept)}

    def moved(state: int) -> tuple[Move, ...]:
        found = []
        for m in given.moves[state]:
            if m.target in live:
                puts_off = m.puts_off if part_of[state] in cycles else every
                inner = part_of[state] == part_of[m.target]
                found.append(Move(m.yes, m.no, place[m.target], puts_off if inner else 0))
        return _weakest(found)

    return Automaton(tuple(map(moved, kept)), given.sets)


def _weakest(moves: Iterable[Move]) -> tuple[Move, ...]:
    """Return moves without those that another one to the same state can replace."""
    found: list[Move] = []
    for m in sorted(set(moves), key=lambda m: (m.yes | m.no).bit_count() + m.puts_off.bit_count()):
        if not any(o.target == m.target and not (o.yes & ~m.yes or o.no & ~m.no
                                                 or o.puts_off & ~m.puts_off)
                   for o in found):  # fmt: skip
            found.append(m)
    return tuple(sorted(found))


def _merged(given: Automaton) -> Automaton:
    """Return an automaton in which states with the same moves are one."""
    classes = [0] * len(given.moves)
    number = 1
    while True:
        known: dict[object, int] = {}
        signs = [(classes[k], frozenset(m._replace(target=classes[m.target]) for m in moves))
                 for k, moves in enumerate(given.moves)]  # fmt: skip
        new = [known.setdefault(sign, len(known)) for sign in signs]
        classes = new
        if len(known) == number:
            break
        number = len(known)
    first = {c: k for k, c in reversed(list(enumerate(classes)))}
    return Automaton(
        tuple(
            _weakest(m._replace(target=classes[m.target]) for m in given.moves[first[c]])
            for c in range(number)
        ),
        given.sets,
    )


def _with_few_sets(given: Automaton) -> Automaton:
    """Return an automaton without the sets that contain all moves, and without equal ones."""
    moves = [m for several in given.moves for m in several]
    signs = {
        tuple(m.puts_off >> k & 1 for m in moves): k
        for k in reversed(range(given.sets))
        if any(m.puts_off >> k & 1 for m in moves)
    }
    kept = sorted(signs.values())

    def fewer(puts_off: int) -> int:
        return sum((puts_off >> k & 1) << place for place, k in enumerate(kept))

    return Automaton(
        tuple(tuple(m._replace(puts_off=fewer(m.puts_off)) for m in several)
              for several in given.moves),
        len(kept),
    )  # fmt: skip
