"""Python code generated from guarded commands, for the exhaustive engine.

A state is packed into bytes: one byte a cell, two where its range needs more than 256 values, none
where it has one value only. The generated code unpacks a state into local variables, walks a tree
of the guards' conditions, in which equal conditions stand once, and packs each next state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from counterpoint.models.symbolic.statements import Statements
from counterpoint.models.symbolic.trace import Command, System
from counterpoint.spec.notation import SpecError, Values, nodes
from counterpoint.spec.notation.nodes import Cell, Node


@dataclass(frozen=True)
class BytePacking:
    """The positions of cells in a packed state.

    Attributes
    ----------
    cells : tuple of Cell
        All cells of a state.
    offset : dict of Cell to int
        For each cell with more than one value, its first byte.
    width : dict of Cell to int
        For each such cell, its number of bytes, 1 or 2.
    size : int
        The number of bytes of a state.
    """

    cells: tuple[Cell, ...]
    offset: dict[Cell, int]
    width: dict[Cell, int]
    size: int

    def pack(self, values: Values) -> bytes:
        """Return a state as bytes."""
        found = bytearray(self.size)
        for cell, value in zip(self.cells, values, strict=True):
            if cell in self.offset:
                at, width = self.offset[cell], self.width[cell]
                found[at : at + width] = (value - cell.low).to_bytes(width, "big")
        return bytes(found)

    @cached_property
    def _slices(self) -> list[tuple[int, slice]]:
        """The least value and the bytes of each cell."""
        begin = [self.offset.get(cell, 0) for cell in self.cells]
        ends = [at + self.width.get(cell, 0) for at, cell in zip(begin, self.cells, strict=True)]
        lows = (cell.low for cell in self.cells)
        return list(zip(lows, map(slice, begin, ends), strict=True))

    def unpack(self, state: bytes) -> Values:
        """Return a packed state's values."""
        number = int.from_bytes
        return tuple([low + number(state[part], "big") for low, part in self._slices])


MOST_VALUES = 65536
"""The most values of a cell: it has at most two bytes."""


def too_wide(cells: Sequence[Cell]) -> str:
    """Return which range has too many values for Python; "" if none has."""
    for cell in cells:
        if cell.high - cell.low >= MOST_VALUES:
            return (
                f"the range of {cell.label} has {cell.high - cell.low + 1} values; Python code "
                f"takes at most {MOST_VALUES}"
            )
    return ""


def packing(cells: Sequence[Cell]) -> BytePacking:
    """Assign bytes to the cells.

    Raises
    ------
    SpecError
        If a range has more than 65,536 values.
    """
    if wide := too_wide(cells):
        raise SpecError(wide)
    offset, width, size = {}, {}, 0
    for cell in cells:
        span = cell.high - cell.low
        if span:
            offset[cell], width[cell] = size, 1 if span < 256 else 2
            size += width[cell]
    return BytePacking(tuple(cells), offset, width, size)


class PythonPrinter(Statements):
    """Prints nodes as Python expressions over the local variables of an unpacked state."""

    def __init__(self, layout: BytePacking) -> None:
        super().__init__()
        self.layout = layout

    def cell(self, cell: Cell) -> str:
        """Return a local variable."""
        return f"v{self.layout.offset[cell]}"

    def show(self, node: Node) -> str:
        """Return an expression; ``not`` before a comparison becomes another comparison."""
        if node.op == "not" and node not in self.named:
            inner = node.args[0]
            if inner not in self.named and inner.op in ("less", "equal"):
                sign = "!=" if inner.op == "equal" else ">="
                return f"({self.show(inner.args[0])} {sign} {self.show(inner.args[1])})"
        return super().show(node)


def unpacking(layout: BytePacking, used: Iterable[Cell]) -> list[str]:
    """Return lines that put the used cells of a packed state ``s`` into local variables."""
    names = [f"r{i}" for i in range(layout.size)]
    wanted = set(used)
    lines = []
    for cell, at in layout.offset.items():
        if cell not in wanted:
            continue
        if layout.width[cell] == 1 and cell.low == 0:
            names[at] = f"v{at}"
            continue
        raw = f"r{at}" if layout.width[cell] == 1 else f"(r{at} << 8 | r{at + 1})"
        lines.append(f"v{at} = {raw} + {cell.low}")
    return [f"{', '.join(names)}, = s" if len(names) == 1 else f"{', '.join(names)} = s",
            *lines] if names else []  # fmt: skip


class _Tree:
    """A decision tree of commands over the conditions of their guards, without repetitions."""

    def __init__(self) -> None:
        self.branches: dict[Node, _Tree] = {}
        self.commands: list[int] = []

    def add(self, guard: Sequence[Node], command: int) -> None:
        here = self
        for literal in guard:
            here = here.branches.setdefault(literal, _Tree())
        here.commands.append(command)

    def questions(self) -> Iterator[tuple[list[Node], _Tree, _Tree | None]]:
        """Yield conditions to test, with the subtree if all hold, and the subtree if one fails."""
        done: set[Node] = set()
        for literal, branch in self.branches.items():
            if literal in done:
                continue
            inverse = nodes.negation(literal)
            conditions, branch = _chain(literal, branch)
            done.add(literal)
            other = self.branches.get(inverse)
            if other is None or inverse in done or len(conditions) > 1:
                yield conditions, branch, None
            else:
                done.add(inverse)
                yield conditions, branch, other

    def in_order(self) -> Iterator[int]:
        """Yield the commands in the order in which the generated code tests them."""
        yield from self.commands
        for _, then, otherwise in self.questions():
            yield from then.in_order()
            if otherwise is not None:
                yield from otherwise.in_order()


def _chain(literal: Node, branch: _Tree) -> tuple[list[Node], _Tree]:
    """Return the conditions up to the next fork or command, which one line can test."""
    conditions = [literal]
    while not branch.commands and len(branch.branches) == 1:
        (literal, branch), *_ = branch.branches.items()
        conditions.append(literal)
    return conditions, branch


def tree_of(commands: Sequence[Command]) -> _Tree:
    """Return the decision tree of some commands."""
    tree = _Tree()
    for i, command in enumerate(commands):
        tree.add(command.guard, i)
    return tree


def in_order(commands: Sequence[Command]) -> list[int]:
    """Return the order in which the generated code visits a state's successors."""
    return list(tree_of(commands).in_order())


class Expander:
    """Generates the function that expands a chunk of states."""

    def __init__(self, system: System, layout: BytePacking) -> None:
        self.system, self.layout = system, layout
        self.printer = PythonPrinter(layout)
        self.lines: list[str] = []

    def source(self) -> str:
        """Return the source of ``expand(chunk, first, seen, found, parent, via, taken, report)``.

        For each state of the chunk it adds the next states that are new to ``seen`` and to the
        lists ``found``, ``parent`` and ``via``; it returns the number of steps that were possible.
        """
        tree = tree_of(self.system.commands)
        used: set[Cell] = set()
        for command in self.system.commands:
            used |= nodes.cells_of(
                [*command.guard, *(n for _, n in command.updates)]
                + [c.condition for c in command.checks]
            )
        self.lines = [
            "def expand(chunk, first, seen, found, parent, via, taken, report):",
            "    steps = 0",
            "    add = seen.add",
            "    for i, s in enumerate(chunk, first):",
            "        before = steps",
        ]
        self.lines += ["        " + line for line in unpacking(self.layout, used)]
        self._emit(tree, 2)
        self.lines += [
            "        if steps == before: report(i, -1, 'no-deadlock')",
            "    return steps",
        ]
        return "\n".join(self.lines)

    def _emit(self, tree: _Tree, depth: int) -> None:
        pad = "    " * depth
        for command in tree.commands:
            self._emit_command(command, depth)
        for conditions, then, otherwise in tree.questions():
            known = dict(self.printer.named)
            self.lines += [pad + line for line in self.printer.name(conditions, least=2)]
            self.lines.append(f"{pad}if {' and '.join(map(self.printer.show, conditions))}:")
            self._emit(then, depth + 1)
            if otherwise is not None:
                self.lines.append(f"{pad}else:")
                self._emit(otherwise, depth + 1)
            self.printer.named = known

    def _emit_command(self, index: int, depth: int) -> None:
        pad = "    " * depth
        command: Command = self.system.commands[index]
        self.lines.append(f"{pad}steps += 1; taken[{index}] += 1")
        if command.leaves:
            self.lines.append(f"{pad}report(i, {index}, 'ranges')")
            return
        roots = [n for _, n in command.updates] + [c.condition for c in command.checks]
        known = dict(self.printer.named)
        self.lines += [pad + line for line in self.printer.name(roots)]
        for check in command.checks:
            failed = self.printer.show(nodes.negation(check.condition))
            self.lines.append(f"{pad}if {failed}: report(i, {index}, {check.claim!r})")
        self.lines += [pad + line for line in self._successor(command)]
        self.lines += [
            f"{pad}if n not in seen: add(n); found.append(n); parent.append(i); via.append({index})"
        ]
        self.printer.named = known

    def _successor(self, command: Command) -> list[str]:
        lines = ["b = bytearray(s)"]
        for place, node in command.updates:
            cell = self.layout.cells[place]
            if cell not in self.layout.offset:
                continue
            at, value = self.layout.offset[cell], self.printer.show(node)
            if node.boolean and node.op not in ("cell", "constant"):
                value = f"1 if {value} else 0"
            elif node.op == "constant":
                value = str(node.args[0] - cell.low)
            elif cell.low:
                value = f"{value} - ({cell.low})"
            if self.layout.width[cell] == 1:
                lines.append(f"b[{at}] = {value}")
            else:
                lines.append(f"w = {value}; b[{at}] = w >> 8; b[{at + 1}] = w & 255")
        return [*lines, "n = bytes(b)"]


def size_of(root: Node) -> int:
    """Return the number of different nodes of an expression."""
    seen: set[Node] = set()
    todo = [root]
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            if node.op not in ("cell", "constant"):
                todo.extend(node.args)
    return len(seen)


def judge_source(layout: BytePacking, claims: Sequence[Node], name: str) -> str:
    """Return the source of a function that returns the violated claims of a packed state as bits.

    Parameters
    ----------
    layout : BytePacking
        How states are packed.
    claims : sequence of Node
        Bit k of the result is set where claim k is false.
    name : str
        The function's name.
    """
    printer = PythonPrinter(layout)
    lines = [f"def {name}(s):"]
    lines += ["    " + line for line in unpacking(layout, nodes.cells_of(claims))]
    lines += ["    " + line for line in printer.name(claims)]
    lines.append("    bits = 0")
    for k, claim in enumerate(claims):
        lines.append(f"    if not {printer.show(claim)}: bits |= {1 << k}")
    return "\n".join([*lines, "    return bits"])


def compile_function(source: str, name: str) -> Callable[..., Any]:
    """Compile generated source and return one of its functions."""
    space: dict[str, Any] = {}
    exec(compile(source, f"<generated {name}>", "exec"), space)
    found: Callable[..., Any] = space[name]
    return found
