"""A traced spec as a TLA+ module: initial states, guarded commands, invariants, temporal formulas.

The module is printed from the guarded commands that all engines use. The tests run it with their
own interpreter and compare its states and verdicts with ours; neither TLC nor Apalache has been run
on it. The comments with ``@type`` are what Apalache needs to check it; TLC ignores them.

TLA+ has no until. A variable beside those of the spec is true as long as the second condition has
not been true in an earlier state: so long, one of the two conditions must be true.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from counterpoint.models.present.formats import command_line
from counterpoint.models.symbolic.trace import Command, System, trace
from counterpoint.spec.notation import TEMPORAL, Model, Property, SpecError, nodes
from counterpoint.spec.notation.nodes import Cell, Node

from . import tla_formulas
from ._bounds import bounds_of, promised_outside
from ._expressions import identifier, shared

SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "\\div", "modulo": "%",
         "less": "<", "equal": "=", "and": "/\\", "or": "\\/"}  # fmt: skip


def tla(model: Model, wanted: Sequence[Property] | None = None) -> str:
    """Return a spec under its parameters as a TLA+ module, with its configuration as a comment.

    A step that would leave a range is not part of ``Next``; the invariant ``ranges`` states that no
    such step is enabled. A transition property becomes the invariant that every enabled step
    satisfies it. Temporal properties become formulas, and the fairness of actions a part of the
    specification that they are checked on.

    Parameters
    ----------
    model : Model
        The spec.
    wanted : sequence of Property, optional
        The properties to check; by default all but the witnesses, the formulas with until or
        release, which TLA+ does not have, and the temporal properties of an endless spec, since
        ranges have ends here. A witness is checked as the invariant that it is never reached.

    Raises
    ------
    SpecError
        If the spec has no initial state, or a module cannot have a wanted property.
    """
    if wanted is None:
        wanted = [p for p in model.all_properties
                  if p.kind != "sometimes" and tla_formulas.sayable(model, p)]  # fmt: skip
    tla_formulas.must_be_sayable(model, wanted)
    if next(model.initial_states(), None) is None:
        raise SpecError(f"{model.name} has no initial state")
    return "\n".join(_Writer(trace(model, wanted=wanted), wanted).lines()) + "\n"


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
    conditions: dict[Property, tuple[Node, ...]] = field(init=False)
    """The conditions of the temporal properties to check."""
    waits: dict[str, Node] = field(init=False)
    """For each variable that is true until a condition has been true, this condition."""

    def __post_init__(self) -> None:
        self.names = names_of(self.system.model)
        runs = [p for p in self.wanted if p.kind in TEMPORAL]
        self.conditions = {p: self.system.formulas(p.method) for p in runs}
        self.waits = {_waits(p): c[1] for p, c in self.conditions.items() if p.kind == "until"}

    def lines(self) -> list[str]:
        steps = list(self._steps("step", self._possible))
        left_out = list(self._steps("left_out", self._promised_outside))
        names = list(self.names.values())
        return [
            *self._header(),
            "EXTENDS Integers",
            "",
            *self._variables(),
            "",
            *self._annotated_list("vars", names),
            *(self._annotated_list("all_vars", [*names, *self.waits]) if self.waits else []),
            "",
            *self._definition("TypeOK", [f"{n} \\in {r}" for n, r in self._ranges()]),
            *self._definition("Init", list(self._initial())),
            *(line for _, lines in steps for line in lines),
            "Next ==",
            *(f"  \\/ {name}" for name in [name for name, _ in steps] or ["FALSE"]),
            "",
            *(
                ["\\* Steps of fair actions that a constraint leaves out: no part of Next."]
                if left_out
                else []
            ),
            *(line for _, lines in left_out for line in lines),
            f"Spec == Init /\\ [][Next]_{'all_vars' if self.waits else 'vars'}",
            "",
            *self._fairness([name for name, _ in (*steps, *left_out)]),
            *self._claims(),
            "=" * 77,
        ]

    def _variables(self) -> list[str]:
        """Return the declaration of the variables, each with its type for Apalache."""
        found = [(_type(cell), name) for cell, name in self.names.items()]
        found += [("Bool", name) for name in self.waits]
        lines = ["VARIABLES"] if found else []
        for number, (kind, name) in enumerate(found, start=1):
            comma = "," if number < len(found) else ""
            lines += [f"  \\* @type: {kind};", f"  {name}{comma}"]
        return lines

    def _ranges(self) -> Iterator[tuple[str, str]]:
        for cell, name in self.names.items():
            yield name, _range(cell)
        for name in self.waits:
            yield name, "BOOLEAN"

    def _annotated_list(self, name: str, variables: Sequence[str]) -> list[str]:
        """Return the definition of a tuple of variables; Apalache could take it for a sequence."""
        types = [_type(cell) for cell in self.names][: len(variables)]
        types += ["Bool"] * (len(variables) - len(types))
        shown = f"\\* @type: () => <<{', '.join(types)}>>;"
        return [*([shown] if types else []), f"{name} == <<{', '.join(variables)}>>"]

    def _header(self) -> list[str]:
        model = self.system.model
        line = command_line(model.reference, model.changed_parameters())
        module = identifier(model.name)
        checked = ["TypeOK", *(_title(p) for p in self.wanted if p not in self.conditions)]
        runs = " ".join(map(_title, self.conditions))
        return [
            f"---------------- MODULE {module} ----------------",
            f"\\* {_line(line.replace(' check ', ' export ', 1))} --to tla",
            f"\\* Save it as {module}.tla, and this as {module}.cfg:",
            f"\\*   SPECIFICATION {'FairSpec' if self.conditions else 'Spec'}",
            f"\\*   INVARIANTS {' '.join(checked)}",
            *([f"\\*   PROPERTIES {runs}"] if runs else []),
            "\\*   CHECK_DEADLOCK FALSE",
            "\\* With Apalache: apalache-mc check --init=Init --next=Next --no-deadlock \\",
            f"\\*   --inv={','.join(checked)} {module}.tla",
            *(["\\* which leaves the PROPERTIES out."] if runs else []),
            *(f"\\* {line}" for line in bounds_of(self.system, runs=bool(runs))),
        ]

    def _initial(self) -> Iterator[str]:
        model = self.system.model
        for cell, values in zip(model.cells, model.initial_values(), strict=True):
            if cell in self.names:
                shown = ", ".join(_constant(v, cell.boolean) for v in values)
                yield f"{self.names[cell]} \\in {{{shown}}}"
        for name in self.waits:
            yield f"{name} \\in {{TRUE}}"
        if self.system.initial is not nodes.TRUE:
            yield self._show(self.system.initial)

    @cached_property
    def _possible(self) -> list[Command]:
        return [c for c in self.system.commands if not c.leaves]

    @cached_property
    def _promised_outside(self) -> list[Command]:
        return promised_outside(self.system) if self.conditions else []

    def _steps(self, kind: str, commands: Sequence[Command]) -> Iterator[tuple[str, list[str]]]:
        model = self.system.model
        for number, command in enumerate(commands, start=1):
            name = f"{kind}_{number}_{identifier(command.step.action)}"
            parts = [self._show(literal) for literal in command.guard]
            cells = model.cells
            changed = {cells[i]: node for i, node in command.updates if cells[i] in self.names}
            parts += [f"{self.names[c]}' = {self._show(node)}" for c, node in changed.items()]
            kept = [n for c, n in self.names.items() if c not in changed]
            parts += [f"UNCHANGED <<{', '.join(kept)}>>"] if kept else []
            parts += [f"{w}' = ({w} /\\ (~{self._show(node)}))" for w, node in self.waits.items()]
            comment = f"\\* {_line(model.show_step(command.step))}"
            yield name, [comment, *self._definition(name, parts)]

    def _fairness(self, steps: Sequence[str]) -> Iterator[str]:
        """Yield the specification with fairness, if there are temporal properties to check.

        Parameters
        ----------
        steps : sequence of str
            The name of each possible step, and of those that constraints leave out. The latter
            make a promise due, so a run that stops at a constraint is not fair.
        """
        if not self.conditions:
            return
        promised, either = [], " \\/ "
        for promise in self.system.model.fairness:
            commands = (*self._possible, *self._promised_outside)
            own = [n for n, c in zip(steps, commands, strict=True) if c.step in promise.steps]
            sign = "SF" if promise.strong else "WF"
            if own:
                promised.append((promise.name, f"{sign}_vars({either.join(own)})"))
        yield "\\* Steps that are not left out for ever: WF weakly, SF strongly fair."
        yield "Fairness =="
        for name, formula in promised:
            yield from (f"  \\* {_line(name)}", f"  /\\ {formula}")
        yield from ([] if promised else ["  /\\ TRUE"])
        yield from ("", "FairSpec == Spec /\\ Fairness", "")

    def _claims(self) -> Iterator[str]:
        for claim in dict.fromkeys((*self.system.model.properties, *self.wanted)):
            yield f"\\* {_line(claim.description)}".rstrip()
            if claim in self.conditions:
                yield from (f"{_title(claim)} ==", f"  {self._formula(claim)}", "")
            else:
                yield from self._definition(_title(claim), self._parts(claim))

    def _formula(self, claim: Property) -> str:
        shown = [*map(self._show, self.conditions[claim])]
        if claim.kind == "temporal":
            return tla_formulas.written(self.system.model, claim, shown)
        first, *second = shown
        forms = {"eventually": "<>{}", "infinitely-often": "[]<>{}", "stays": "<>[]{}"}
        if claim.kind in forms:
            return forms[claim.kind].format(first)
        if claim.kind == "leads-to":
            return f"{first} ~> {second[0]}"
        return f"<>{second[0]} /\\ []({_waits(claim)} => ({first} \\/ {second[0]}))"

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
    if claim.kind in TEMPORAL:
        return f"{identifier(claim.kind)}_{name}"
    return f"never_{name}" if claim.kind == "sometimes" else f"always_{name}"


def _waits(claim: Property) -> str:
    """Return the variable that is true as long as `until` waits for its second condition."""
    return f"waits_{identifier(claim.name)}"


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
