"""A traced spec as a TLA+ module: initial states, guarded commands, and invariants.

The module is printed from the guarded commands that all engines use. The tests run it with their
own interpreter and compare its states and verdicts with ours; neither TLC nor Apalache has been run
on it. The comments with ``@type`` are what Apalache needs to check it; TLC ignores them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from counterpoint.models.present.formats import command_line
from counterpoint.models.symbolic.trace import Command, System, trace
from counterpoint.spec.notation import Model, Property, SpecError, nodes
from counterpoint.spec.notation.nodes import Cell, Node

from ._expressions import identifier, shared

SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "\\div", "modulo": "%",
         "less": "<", "equal": "=", "and": "/\\", "or": "\\/"}  # fmt: skip


def tla(model: Model, wanted: Sequence[Property] | None = None) -> str:
    """Return a spec under its parameters as a TLA+ module, with its configuration as a comment.

    A step that would leave a range is not part of ``Next``; the invariant ``ranges`` states that no
    such step is enabled. A transition property becomes the invariant that every enabled step
    satisfies it.

    Parameters
    ----------
    model : Model
        The spec.
    wanted : sequence of Property, optional
        The properties to check; all but the witnesses by default. A witness is checked as the
        invariant that it is never reached.

    Raises
    ------
    SpecError
        If the spec has no initial state.
    """
    if wanted is None:
        wanted = [p for p in model.properties if p.kind != "sometimes"]
    if next(model.initial_states(), None) is None:
        raise SpecError(f"{model.name} has no initial state")
    return "\n".join(_Writer(trace(model), wanted).lines()) + "\n"


def names_of(model: Model) -> dict[Cell, str]:
    """Return the TLA+ variable of every cell that has more than one value."""
    found: dict[Cell, str] = {}
    for cell in model.cells:
        if cell.low == cell.high:
            continue
        plain = name = "s_" + identifier(cell.label)
        number = 1
        while name in found.values():
            number += 1
            name = f"{plain}_{number}"
        found[cell] = name
    return found


@dataclass
class _Writer:
    system: System
    wanted: Sequence[Property]
    names: dict[Cell, str] = field(init=False)

    def __post_init__(self) -> None:
        self.names = names_of(self.system.model)

    def lines(self) -> list[str]:
        steps = list(self._steps())
        names = list(self.names.values())
        listed = ", ".join(names)
        return [
            *self._header(),
            "EXTENDS Integers",
            "",
            *self._variables(),
            "",
            *self._annotated_list(listed),
            "",
            *self._definition("TypeOK", [f"{n} \\in {_range(c)}" for c, n in self.names.items()]),
            *self._definition("Init", list(self._initial())),
            *(line for _, lines in steps for line in lines),
            "Next ==",
            *(f"  \\/ {name}" for name in [name for name, _ in steps] or ["FALSE"]),
            "",
            "Spec == Init /\\ [][Next]_vars",
            "",
            *self._claims(),
            "=" * 77,
        ]

    def _variables(self) -> list[str]:
        """Return the declaration of the variables, each with its type for Apalache."""
        lines = ["VARIABLES"] if self.names else []
        for number, (cell, name) in enumerate(self.names.items(), start=1):
            comma = "," if number < len(self.names) else ""
            lines += [f"  \\* @type: {_type(cell)};", f"  {name}{comma}"]
        return lines

    def _annotated_list(self, listed: str) -> list[str]:
        """Return the tuple of all variables; Apalache could take it for a sequence."""
        types = ", ".join(map(_type, self.names))
        return [*([f"\\* @type: () => <<{types}>>;"] if types else []), f"vars == <<{listed}>>"]

    def _header(self) -> list[str]:
        model = self.system.model
        line = command_line(model.reference, model.changed_parameters())
        module = identifier(model.name)
        checked = ["TypeOK", *(_title(p) for p in self.wanted)]
        return [
            f"---------------- MODULE {module} ----------------",
            f"\\* {_line(line.replace(' check ', ' export ', 1))} --to tla",
            f"\\* Save it as {module}.tla, and this as {module}.cfg:",
            "\\*   SPECIFICATION Spec",
            f"\\*   INVARIANTS {' '.join(checked)}",
            "\\*   CHECK_DEADLOCK FALSE",
            "\\* With Apalache: apalache-mc check --init=Init --next=Next --no-deadlock \\",
            f"\\*   --inv={','.join(checked)} {module}.tla",
        ]

    def _initial(self) -> Iterator[str]:
        model = self.system.model
        for cell, values in zip(model.cells, model.initial_values(), strict=True):
            if cell in self.names:
                shown = ", ".join(_constant(v, cell.boolean) for v in values)
                yield f"{self.names[cell]} \\in {{{shown}}}"
        if self.system.initial is not nodes.TRUE:
            yield self._show(self.system.initial)

    def _steps(self) -> Iterator[tuple[str, list[str]]]:
        model = self.system.model
        possible = [c for c in self.system.commands if not c.leaves]
        for number, command in enumerate(possible, start=1):
            name = f"step_{number}_{identifier(command.step.action)}"
            parts = [self._show(literal) for literal in command.guard]
            cells = model.cells
            changed = {cells[i]: node for i, node in command.updates if cells[i] in self.names}
            parts += [f"{self.names[c]}' = {self._show(node)}" for c, node in changed.items()]
            kept = [n for c, n in self.names.items() if c not in changed]
            parts += [f"UNCHANGED <<{', '.join(kept)}>>"] if kept else []
            comment = f"\\* {_line(model.show_step(command.step))}"
            yield name, [comment, *self._definition(name, parts)]

    def _claims(self) -> Iterator[str]:
        for claim in dict.fromkeys((*self.system.model.properties, *self.wanted)):
            yield f"\\* {_line(claim.description)}"
            yield from self._definition(_title(claim), self._parts(claim))

    def _parts(self, claim: Property) -> list[str]:
        commands = self.system.commands
        if claim.kind == "range":
            return [f"~{self._guard(c)}" for c in commands if c.leaves]
        if claim.kind == "transition":
            return [
                f"{self._guard(c)} => {self._show(k.condition)}"
                for c in commands
                for k in c.checks
                if k.claim == claim.name
            ]
        if claim.kind == "deadlock":
            ways = [self.system.may_end or nodes.TRUE]
            ways += [nodes.conjunction(c.guard) for c in commands]
            shown = dict.fromkeys(self._show(way) for way in ways if way is not nodes.FALSE)
            return [" \\/ ".join(shown) or "FALSE"]
        condition = self.system.claims[claim.name]
        return [self._show(nodes.negation(condition) if claim.kind == "sometimes" else condition)]

    def _guard(self, command: Command) -> str:
        return self._show(nodes.conjunction(command.guard))

    def _definition(self, name: str, parts: Sequence[str]) -> list[str]:
        return [f"{name} ==", *(f"  /\\ {part}" for part in parts or ["TRUE"]), ""]

    def _show(self, root: Node) -> str:
        """Return an expression; shared parts are defined once, before it."""
        named: dict[Node, str] = {}
        defined = []
        for k, node in enumerate(shared([root])):
            defined.append(f"t{k} == {self._print(node, named)}")
            named[node] = f"t{k}"
        shown = self._print(root, named)
        return f"(LET {'  '.join(defined)} IN {shown})" if defined else shown

    def _print(self, node: Node, named: dict[Node, str]) -> str:
        if node in named:
            return named[node]
        if node.op == "constant":
            return _constant(node.args[0], node.boolean)
        if node.op == "cell":
            return self.names[node.args[0]]
        a = [self._print(n, named) for n in node.args]
        if node.op == "not":
            return f"(~{a[0]})"
        if node.op == "ite":
            return f"(IF {a[0]} THEN {a[1]} ELSE {a[2]})"
        return f"({f' {SIGNS[node.op]} '.join(a)})"


def _title(claim: Property) -> str:
    name = identifier(claim.name)
    return f"never_{name}" if claim.kind == "sometimes" else f"always_{name}"


def _constant(value: int, boolean: bool) -> str:
    if boolean:
        return "TRUE" if value else "FALSE"
    return f"({value})" if value < 0 else str(value)


def _type(cell: Cell) -> str:
    return "Bool" if cell.boolean else "Int"


def _range(cell: Cell) -> str:
    return "BOOLEAN" if cell.boolean else f"{_constant(cell.low, False)}..{cell.high}"


def _line(text: str) -> str:
    """Return a text on one line, for a comment."""
    return " ".join(text.split())
