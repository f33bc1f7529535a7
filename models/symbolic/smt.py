"""Prints expressions and guarded commands for z3, over bit-vectors or over integers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import z3

from counterpoint.spec.notation import nodes
from counterpoint.spec.notation.nodes import Cell, Node

from .obligations import while_reading

EFFORT = 200_000
"""The limit for a `solution` in z3's own units of work: some tenths of a second."""

if TYPE_CHECKING:
    from .trace import Command, System


def width_for(system: System, more: Sequence[Node] = ()) -> int:
    """Return the number of bits in which no value of the system overflows, with its sign.

    Parameters
    ----------
    system : System
        The traced spec.
    more : sequence of Node
        Further expressions over its cells.
    """
    roots = [n for c in system.commands for _, n in c.updates]
    roots += [n for c in system.commands for n in c.guard]
    roots += [k.condition for c in system.commands for k in c.checks]
    roots += [*system.claims.values(), system.initial, system.may_end or nodes.TRUE]
    roots += more
    low, high = 0, len(system.cells)
    seen: set[Node] = set()
    todo = [*roots, *system.cells]
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        low, high = min(low, node.low), max(high, node.high)
        if node.op == "divide":  # computed as a - a % b first
            low = min(low, node.args[0].low - node.args[1].args[0])
        if node.op not in ("cell", "constant"):
            todo.extend(node.args)
    return max(high.bit_length(), (-low - 1).bit_length()) + 1


class TermPrinter:
    """Prints nodes as z3 expressions over given terms for the cells.

    Parameters
    ----------
    terms : dict
        The z3 term of every cell node.
    width : int
        Bits of a number, or 0 for unbounded integers.
    """

    def __init__(self, terms: dict[Node, Any], width: int) -> None:
        self.width = width
        self.done: dict[Node, Any] = dict(terms)

    def number(self, value: int) -> Any:
        """Return the term of a number."""
        return z3.BitVecVal(value, self.width) if self.width else z3.IntVal(value)

    def show(self, node: Node) -> Any:
        """Return the term of a node."""
        found = self.done.get(node)
        if found is None:
            found = self.done[node] = self._print(node)
        return found

    def _print(self, node: Node) -> Any:
        if node.op == "constant":
            value = node.args[0]
            return z3.BoolVal(bool(value)) if node.boolean else self.number(value)
        return PRINT[node.op](self, *(self.show(a) for a in node.args))

    def divide(self, a: Any, b: Any) -> Any:
        """Return the quotient rounded down, b being positive."""
        if not self.width:
            return a / b
        return (a - self.modulo(a, b)) / b

    def modulo(self, a: Any, b: Any) -> Any:
        """Return the remainder, from 0 to b - 1, b being positive."""
        return a % b


PRINT: dict[str, Callable[..., Any]] = {
    "add": lambda p, a, b: a + b,
    "subtract": lambda p, a, b: a - b,
    "multiply": lambda p, a, b: a * b,
    "divide": TermPrinter.divide,
    "modulo": TermPrinter.modulo,
    "less": lambda p, a, b: a < b,
    "equal": lambda p, a, b: a == b,
    "not": lambda p, a: z3.Not(a),
    "and": lambda p, *a: z3.And(*a),
    "or": lambda p, *a: z3.Or(*a),
    "ite": lambda p, c, a, b: z3.If(c, a, b),
}


def _name(cell: Cell) -> str:
    """Return a name that no other cell has."""
    return f"{cell.variable}{list(cell.index)}"


_integers = TermPrinter({}, 0)
"""Prints the conditions of questions. Nodes are interned, and so are their terms: most conditions
of a question were in the question before."""


def _term(cell: Cell) -> Any:
    """Return the term of a cell in questions."""
    node = nodes.cell(cell)
    if node not in _integers.done:
        name = _name(cell)
        _integers.done[node] = z3.Bool(name) if cell.boolean else z3.Int(name)
    return _integers.done[node]


@cache
def _range(cell: Cell) -> tuple[Any, ...]:
    """Return the conditions that keep a cell within its range."""
    term = _term(cell)
    if cell.boolean:
        return ()
    return (term >= cell.low, *([term <= cell.high] if cell.high != nodes.UNBOUNDED else []))


class _Question:
    """Conditions on the cells of a state, each cell within its range."""

    def __init__(self, conditions: Sequence[Node], **options: int) -> None:
        cells = sorted(nodes.cells_of(conditions), key=lambda c: (c.variable, c.index))
        self.terms = {cell: _term(cell) for cell in cells}
        ranges = (condition for cell in cells for condition in _range(cell))
        self.asked = [*ranges, *map(_integers.show, conditions)]
        self.solver = z3.SimpleSolver()
        self.solver.set(ctrl_c=False, **options)  # it would take Ctrl-C for the end of its time
        self.solver.add(*self.asked)


def answer_of(solver: z3.Solver, *assumptions: z3.BoolRef) -> z3.CheckSatResult:
    """Return z3's answer to a question.

    Raises
    ------
    KeyboardInterrupt
        If the user has pressed Ctrl-C: z3 handles the signal itself, and only gives up.
    """
    answer = solver.check(*assumptions)
    if answer == z3.unknown and solver.reason_unknown() == "interrupted from keyboard":
        raise KeyboardInterrupt
    return answer


def satisfiable(conditions: Sequence[Node]) -> bool:
    """Return whether some values of the cells, within their ranges, satisfy all conditions.

    A negative answer is recorded as an obligation: proofs rest on it, since impossible commands are
    left out.
    """
    # If z3 has no answer within a second, the conditions count as satisfiable.
    question = _Question(conditions, timeout=1000)
    if answer_of(question.solver) != z3.unsat:
        return True
    while_reading.get()("impossible", question.asked, z3.unsat)
    return False


def solution(conditions: Sequence[Node]) -> dict[Cell, int] | None:
    """Return values of the cells that satisfy all conditions; None if z3 soon finds none."""
    question = _Question(conditions, rlimit=EFFORT)
    if answer_of(question.solver) != z3.sat:
        return None
    model = question.solver.model()
    found = {c: model.eval(t, model_completion=True) for c, t in question.terms.items()}
    return {c: int(z3.is_true(v)) if c.boolean else v.as_long() for c, v in found.items()}


class Frame:
    """z3 terms for all cells at one moment.

    Parameters
    ----------
    system : System
        The traced spec.
    moment : str
        A suffix of the names of the terms.
    width : int
        Bits of a number, or 0 for unbounded integers.
    """

    def __init__(self, system: System, moment: str, width: int) -> None:
        self.system = system
        self.terms: list[Any] = []
        for cell, node in zip(system.model.cells, system.cells, strict=True):
            name = f"{_name(cell)}@{moment}"
            if node.op == "constant":
                self.terms.append(TermPrinter({}, width).show(node))
            elif cell.boolean:
                self.terms.append(z3.Bool(name))
            else:
                self.terms.append(z3.BitVec(name, width) if width else z3.Int(name))
        known = {n: t for n, t in zip(system.cells, self.terms, strict=True) if n.op != "constant"}
        self.printer = TermPrinter(known, width)

    def show(self, node: Node) -> Any:
        """Return the term of a condition or a value at this moment."""
        return self.printer.show(node)

    def guard(self, command: Command) -> Any:
        """Return the term of a command's guard."""
        return z3.And(*map(self.show, command.guard)) if command.guard else z3.BoolVal(True)

    def is_one_of(self, values: Sequence[Sequence[int]]) -> Any:
        """Return the condition that every cell has one of its given values."""
        parts = []
        for term, node, allowed in zip(self.terms, self.system.cells, values, strict=True):
            if node.op == "constant":
                continue
            if node.boolean:
                if len(allowed) == 1:
                    parts.append(term if allowed[0] else z3.Not(term))
            elif isinstance(allowed, range):
                low, high = map(self.printer.number, (allowed[0], allowed[-1]))
                parts.append(z3.And(low <= term, term <= high))
            else:
                parts.append(z3.Or(*(term == self.printer.number(v) for v in allowed)))
        return z3.And(*parts)

    def values(self, found: Any) -> tuple[int, ...]:
        """Return the state that a z3 model has at this moment."""
        values = []
        for term, node in zip(self.terms, self.system.cells, strict=True):
            value = found.eval(term, model_completion=True)
            if node.boolean:
                values.append(int(z3.is_true(value)))
            else:
                signed = value.as_signed_long() if z3.is_bv(term) else value.as_long()
                values.append(signed)
        return tuple(values)


def becomes(system: System, before: Frame, after: Frame, choice: Any, number: Any) -> list[Any]:
    """Return the conditions that ``after`` follows ``before`` by one command.

    Parameters
    ----------
    system : System
        The traced spec.
    before, after : Frame
        Terms for the cells before and after the step.
    choice : z3 term
        The number of the command in ``system.commands``.
    number : callable
        Makes a term of the sort of `choice` from an int.
    """
    chosen = {i: choice == number(i) for i, c in enumerate(system.commands) if not c.leaves}
    parts = [z3.Or(*chosen.values())]
    changed: dict[int, list[tuple[Any, Any]]] = {}
    for i, is_it in chosen.items():
        command = system.commands[i]
        parts.append(z3.Implies(is_it, before.guard(command)))
        for place, node in command.updates:
            changed.setdefault(place, []).append((is_it, before.show(node)))
    for place, node in enumerate(system.cells):
        if node.op == "constant":
            continue
        value = before.terms[place]
        for is_it, new in changed.get(place, ()):
            value = z3.If(is_it, new, value)
        parts.append(after.terms[place] == value)
    return parts
