"""Dependencies between commands, for partial-order reduction.

In a state, a stubborn set of commands is closed under two rules. With an enabled command, it
contains all commands that depend on it. With a disabled command, it contains all commands that can
make one false condition of its guard true. It suffices to take the enabled commands of the set, if
they are invisible to the claims and one of them leads to a state that is expanded later, so that no
command waits for ever. Every deadlock, every violation and every action is still reached, though
not always by a shortest run. Sources:
Valmari 1990; Godefroid 1996; for the order of expansion, Bošnački and Holzmann 2005.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from counterpoint.spec.notation import nodes
from counterpoint.spec.notation.nodes import FALSE, Cell, Node

from .trace import Command, System, facts_of


@dataclass(frozen=True)
class PartialOrder:
    """The dependencies between the commands of a system.

    Attributes
    ----------
    system : System
        The traced spec.
    commands : sequence of Command
        Its commands, in the order of their numbers here.
    claims : sequence of Node
        The claims; commands that may change their truth are visible.
    """

    system: System
    commands: Sequence[Command]
    claims: Sequence[Node]

    @cached_property
    def literals(self) -> list[Node]:
        """The conditions of all guards."""
        return list(dict.fromkeys(n for c in self.commands for n in c.guard))

    @cached_property
    def writes(self) -> list[set[Cell]]:
        """The cells that each command changes."""
        cells = self.system.model.cells
        return [{cells[i] for i, _ in c.updates} for c in self.commands]

    @cached_property
    def reads(self) -> list[set[Cell]]:
        """The cells on which each command depends."""
        return [
            nodes.cells_of([*c.guard, *(n for _, n in c.updates), *(k.condition for k in c.checks)])
            for c in self.commands
        ]

    def depends(self, a: int) -> list[int]:
        """Return the commands that may not commute with a command."""
        return [
            b
            for b in range(len(self.commands))
            if b != a
            and (
                self.writes[a] & (self.reads[b] | self.writes[b])
                or self.writes[b] & self.reads[a]
            )
        ]  # fmt: skip

    def enables(self, literal: Node) -> list[int]:
        """Return the commands that can make a condition true."""
        cells = nodes.cells_of([literal])
        return [
            i
            for i, command in enumerate(self.commands)
            if self.writes[i] & cells and self._after(command, literal) is not FALSE
        ]

    def visible(self, a: int) -> bool:
        """Return whether a command can change the truth of a claim, or is judged itself."""
        command = self.commands[a]
        if command.leaves or command.checks:
            return True
        return any(
            self._after(command, claim) is not self._before(command, claim)
            for claim in self.claims
            if self.writes[a] & nodes.cells_of([claim])
        )

    def _before(self, command: Command, node: Node) -> Node:
        """Return an expression, simplified by the facts of the command's guard."""
        return nodes.rebuild(node, facts_of(command.guard).replacements(), {})

    def _after(self, command: Command, node: Node) -> Node:
        """Return an expression's value after a command, in terms of the state before."""
        new = {self.system.cells[i]: n for i, n in command.updates}
        return self._before(command, nodes.rebuild(node, new, {}))


def bits(numbers: Iterable[int], size: int) -> list[int]:
    """Return a set of numbers below a size as machine words."""
    words = [0] * max(1, (size + 63) // 64)
    for number in numbers:
        words[number // 64] |= 1 << number % 64
    return words


def printed(order: PartialOrder) -> list[str]:
    """Return the tables that the explorer in C needs."""
    size, literals = len(order.commands), order.literals
    places = {n: i for i, n in enumerate(literals)}

    def table(name: str, entries: Sequence[Sequence[int]]) -> str:
        rows = entries or [[0]]
        inside = ", ".join("{" + ", ".join(f"{w:#x}u" for w in row) + "}" for row in rows)
        return f"static const word {name}[][{len(rows[0])}] = {{{inside}}};"

    return [
        f"#define LITERALS {len(literals)}",
        table("depends", [bits(order.depends(a), size) for a in range(size)]),
        table("enables", [bits(order.enables(n), size) for n in literals]),
        table("guard_of", [bits((places[n] for n in c.guard), len(literals))
                           for c in order.commands]),
        table("visible", [bits((a for a in range(size) if order.visible(a)), size)]),
    ]  # fmt: skip
