"""A traced spec as a Promela model, for the model checker Spin.

The model is one process that loops over guarded commands, each an indivisible ``d_step``; its
program counter does not change, so Spin's states correspond one to one to the spec's. Further
options of the loop check conditions; they lead back to the same state and add none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import prod

from counterpoint.models.present.formats import command_line
from counterpoint.models.symbolic.trace import Command, System, trace
from counterpoint.spec.notation import Model, Property, SpecError, nodes
from counterpoint.spec.notation.nodes import Cell, Node

from ._bounds import bounds_of
from ._expressions import (
    PromelaPrinter,
    c_function,
    identifier,
    places_of,
    reads,
    shared,
    widest,
    written,
)

LONGEST = 4000
"""A condition with more operators becomes a C function, which computes shared parts once."""

LONGEST_UPDATE = 120
"""If a command's right-hand sides have more operators, shared parts are computed once."""

MOST_STARTS = 20_000
"""The most initial states that are listed one by one, if a condition restricts them."""


@dataclass(frozen=True)
class Promela:
    """A Promela model, and how Spin's number of states relates to the spec's.

    Attributes
    ----------
    text : str
        The model.
    extra_states : int
        States that Spin stores in addition to the spec's: 1 if there are several initial states
        (the state before one is chosen), else 0.
    claims : tuple of str
        The properties that it checks.
    """

    text: str
    extra_states: int
    claims: tuple[str, ...]


def promela(model: Model, wanted: Sequence[Property] | None = None) -> Promela:
    """Return a spec under its parameters as a Promela model.

    Parameters
    ----------
    model : Model
        The spec.
    wanted : sequence of Property, optional
        The properties to check; all but the witnesses by default. A witness is written as the claim
        that it is never reached, so Spin reports a run that reaches it as an error.

    Raises
    ------
    SpecError
        If the spec has no initial state, or numbers beyond Spin's 32 bits.
    """
    if wanted is None:
        wanted = [p for p in model.properties if p.kind != "sometimes"]
    system = trace(model, wanted=wanted)
    writer = Writer(system, wanted, PromelaPrinter(places_of(model)))
    refuse_wide(system)
    text = "\n".join(writer.lines()) + "\n"
    return Promela(text, writer.extra_states, tuple(p.name for p in wanted))


def refuse_wide(system: System, *more: Node) -> None:
    """Refuse a spec, with more expressions over its state, that Spin would compute wrongly.

    Raises
    ------
    SpecError
        If a number does not fit into 32 bits.
    """
    roots = [*more]
    roots += [n for c in system.commands for n in (*c.guard, *(u for _, u in c.updates))]
    roots += [k.condition for c in system.commands for k in c.checks]
    roots += [*system.claims.values(), system.may_end or nodes.TRUE]
    low, high = widest([*roots, *system.cells])
    if low < -(2**31) or high >= 2**31:
        raise SpecError(f"{system.model.name}: numbers from {low} to {high} do not fit into the "
                        "32 bits that Spin computes with")  # fmt: skip


@dataclass
class Writer:
    """Writes one model."""

    system: System
    wanted: Sequence[Property]
    printer: PromelaPrinter
    functions: dict[Node, list[str]] = field(default_factory=dict)
    extra_states: int = 0
    temporaries: int = 0

    def lines(self) -> list[str]:
        """Return the lines of the model."""
        options = [*self._commands(), *self._monitors()] or ["  :: false"]
        body = [*self._start(), "end_of_run:", "  do", *options, "  od"]
        below = self._claim()
        first = next(self.system.model.initial_states())
        kept = [f"int t{k};" for k in range(self.temporaries)]
        return [
            *self._header(),
            "",
            *self._variables(first),
            "",
            *self._flags(),
            *kept,
            "",
            *self._functions(),
            "active proctype spec()",
            "{",
            *body,
            "}",
            *below,
        ]

    def _claim(self) -> Sequence[str]:
        """Return what stands below the process: nothing."""
        return ()

    # Above the process

    def _header(self) -> list[str]:
        model = self.system.model
        line = command_line(model.reference, model.changed_parameters(), properties=self._named())
        claims = ", ".join(self._checked()) or "nothing"
        lines = [
            f"{model.name}, as guarded commands that Counterpoint traced:",
            f"  {line.replace(' check ', ' export ', 1)} --to promela",
            f"Checked: {claims}.",
            "",
            *self._how_to_run(),
        ]
        if self.functions:
            lines.append("Conditions with many shared parts are C: ./pan -r instead of spin -t.")
        return ["/*", *((" * " + line.replace("*/", "* /")).rstrip() for line in lines), " */"]

    def _named(self) -> list[str]:
        """Return the names of the properties for which alone the model is."""
        return []

    def _checked(self) -> list[str]:
        return [p.name for p in self.wanted]

    def _how_to_run(self) -> list[str]:
        lines = [
            "To run it:",
            "  spin -a -o2 FILE",
            "  gcc -O2 -DSAFETY -DNOREDUCE -DNOFAIR -o pan pan.c",
            "  ./pan -m1000000              stops at the first error",
            "  spin -t FILE                 shows the run to it (with -p -g every variable)",
            "  ./pan -m1000000 -c0          counts all states, past every error",
            "With -DBFS instead of -DSAFETY a first error is a shortest one. Without -o2 Spin",
            "leaves out of the state what no command and no checked property reads.",
        ]
        lines += [
            f"An error that names {flag(p)} is no error: it is a run that reaches {p.name}."
            for p in self.wanted
            if p.kind == "sometimes"
        ]
        lines += bounds_of(self.system, runs=False)
        if self.extra_states:
            lines.append("Spin stores one state more than there are: before a start is chosen.")
        return lines

    def _flags(self) -> list[str]:
        """Return the declarations of variables that are no part of the spec's state."""
        return [
            "/* What Spin's messages name; these are 0 between steps, so they add no states. */",
            *(f"bool {flag(p)};" for p in self.wanted),
        ]

    def _functions(self) -> list[str]:
        """Return the functions in C that conditions call."""
        return [line for function in self.functions.values() for line in function]

    def _variables(self, first: Sequence[int]) -> list[str]:
        lines = []
        for cell, value in zip(self.system.model.cells, first, strict=True):
            place = self.printer.places.get(cell)
            if place is None:
                continue
            start = value + place.shift
            note = f"{comment(cell.label)}: {cell.low}..{cell.high}"
            note += f", stored {place.shift:+}" if place.shift else ""
            lines.append(f"{place.type} {place.name} = {start}; {note.join(('/* ', ' */'))}")
        return lines

    # The process

    def _start(self) -> list[str]:
        """Return the choice of an initial state, if there are several."""
        model = self.system.model
        choices = model.initial_values()
        if next(model.initial_states(), None) is None:
            raise SpecError(f"{model.name} has no initial state")
        if not model.methods("initially", "constraint"):
            if prod(map(len, choices)) == 1:
                return []
            self.extra_states = 1
            return self._start_freely(choices)
        starts = list(islice(model.initial_states(), MOST_STARTS + 1))
        if len(starts) > MOST_STARTS:
            raise SpecError(f"{model.name} has more than {MOST_STARTS} initial states to list")
        if len(starts) == 1:
            return []
        self.extra_states = 1
        several = [i for i, found in enumerate(zip(*starts, strict=True)) if len(set(found)) > 1]
        lines = ["  if"]
        for start in starts:
            moves = "; ".join([*(self._set(i, start[i]) for i in several), *self._begun()])
            lines.append(f"  :: d_step {{ {moves} }}")
        return [*lines, "  fi;"]

    def _start_freely(self, choices: Sequence[Sequence[int]]) -> list[str]:
        lines = ["  atomic {"]
        for i, values in enumerate(choices):
            if len(values) > 1:
                lines += ["    if", *(f"    :: {self._set(i, v)}" for v in values), "    fi;"]
        return [*lines, *(f"    {line}" for line in self._begun()), "  };"]

    def _begun(self) -> Sequence[str]:
        """Return the statements after the choice of an initial state."""
        return ()

    def _set(self, cell: int, value: int) -> str:
        place = self.printer.places[self.system.model.cells[cell]]
        return f"{place.name} = {value + place.shift}"

    def _commands(self) -> Iterator[str]:
        shown = None
        for command in self.system.commands:
            step = self.system.model.show_step(command.step)
            if step != shown:
                yield f"  /* {comment(step)} */"
                shown = step
            yield f"  :: d_step {{ {self._guard(command)} ->"
            yield f"       printf({string(step)});"
            yield from (f"       {line};" for line in self._effect(command))
            yield "     }"

    def _guard(self, command: Command) -> str:
        return self._condition(nodes.conjunction(command.guard))

    def _effect(self, command: Command) -> list[str]:
        if command.leaves:
            report = self._failing("ranges")
            return [report] if report else []
        self.printer.named.clear()
        wanted = {p.name for p in self.wanted}
        checks = [k for k in command.checks if k.claim in wanted]
        cells = self.system.model.cells
        updates = {cells[i]: n for i, n in command.updates if cells[i] in self.printer.places}
        lines = self._name_shared([*updates.values(), *(k.condition for k in checks)])
        for check in checks:
            failed = self.printer.show(nodes.negation(check.condition))
            report = self._failing(check.claim)
            lines.append(f"if :: {failed} -> {report} :: else fi")
        lines += self._assign(updates)
        kept = [name for name in self.printer.named.values() if name.startswith("t")]
        self.printer.named.clear()
        return [*lines, *(f"{name} = 0" for name in kept)]

    def _name_shared(self, roots: list[Node]) -> list[str]:
        if written(roots) <= LONGEST_UPDATE:
            return []
        lines = []
        for node in shared(roots):
            lines.append(self._keep(node))
        return lines

    def _keep(self, node: Node) -> str:
        """Return the line that stores a value during a step; afterwards the variable is 0 again."""
        name = f"t{sum(n.startswith('t') for n in self.printer.named.values())}"
        line = f"{name} = {self.printer.show(node)}"
        self.printer.named[node] = name
        self.temporaries = max(self.temporaries, int(name[1:]) + 1)
        return line

    def _assign(self, updates: dict[Cell, Node]) -> list[str]:
        """Return sequential assignments with the effect of simultaneous updates."""
        lines = []
        left = dict(updates)
        while left:
            read = {c: reads(n, self.printer.named) for c, n in left.items()}
            ready = [c for c in left if not any(c in r for d, r in read.items() if d is not c)]
            if not ready:  # a cycle, as where two cells swap values
                lines.append(self._keep(next(n for n in left.values() if self._unkept(n))))
                continue
            place = self.printer.places[ready[0]]
            value = left.pop(ready[0])
            lines.append(f"{place.name} = {self._shifted(value, place.shift)}")
        return lines

    def _unkept(self, node: Node) -> bool:
        return node not in self.printer.named and node.op != "constant"

    def _shifted(self, value: Node, shift: int) -> str:
        if value.op == "constant" or not shift:
            return (
                str(value.args[0] + shift) if value.op == "constant" else self.printer.show(value)
            )
        return f"{self.printer.show(value)} + {shift}"

    # What is checked

    def _monitors(self) -> Iterator[str]:
        watched = [p for p in self.wanted if p.kind in ("invariant", "lemma", "sometimes")]
        for claim in watched:
            condition = self.system.claims[claim.name]
            bad = condition if claim.kind == "sometimes" else nodes.negation(condition)
            yield from self._monitor(claim, self._condition(bad))
        for claim in self.wanted:
            if claim.kind == "deadlock":
                yield from self._monitor(claim, self._stuck(alone=not watched))

    def _monitor(self, claim: Property, condition: str) -> Iterator[str]:
        yield f"  /* {claim.name}: {comment(claim.description)} */"
        block = "atomic" if condition.startswith("timeout") else "d_step"
        yield f"  :: {block} {{ {condition} -> {self._failing(claim.name)} }}"

    def _stuck(self, alone: bool) -> str:
        """Return the condition that no step is possible although the run may not end.

        ``timeout`` is true if nothing else can run. If there are other monitors, it would miss
        states where one of them can run, so every guard is negated instead.
        """
        must_go_on = nodes.negation(self.system.may_end or nodes.TRUE)
        parts = [] if must_go_on is nodes.TRUE else [must_go_on]
        if not alone:
            guards = dict.fromkeys(nodes.conjunction(c.guard) for c in self.system.commands)
            parts += map(nodes.negation, guards)
        shown = [*(["timeout"] if alone else []), *map(self._condition, parts)]
        return " && ".join(shown) or "true"

    def _failing(self, name: str) -> str:
        """Return the statements that report a property, so that Spin's message has its name."""
        flags = [flag(p) for p in self.wanted if p.name == name]
        return "; ".join(f"{f} = true; assert(!{f}); {f} = false" for f in flags)

    def _condition(self, node: Node) -> str:
        """Return a condition; if it is long, as the call of a C function."""
        if node.op == "constant":
            return "true" if node.args[0] else "false"
        if written([node]) <= LONGEST:
            return self.printer.show(node)
        number = list(self.functions).index(node) if node in self.functions else None
        name = f"condition_{len(self.functions) if number is None else number}"
        if number is None:
            self.functions[node] = [*c_function(name, node, self.printer), ""]
        return f"c_expr {{ {name} () }}"  # without the space Spin suspects a side effect


def flag(claim: Property) -> str:
    """Return the name in Spin's message when a property fails."""
    verb = "reached" if claim.kind == "sometimes" else "violated"
    return f"{verb}_{identifier(claim.name)}"


def string(text: str) -> str:
    """Return a line as a string of Promela and C; ``?`` replaces other characters."""
    plain = "".join(c if c.isascii() and c.isprintable() and c not in '"%\\' else "?" for c in text)
    return f'"{plain}\\n"'


def comment(text: str) -> str:
    """Return a text for a comment: on one line, and without the end of a comment."""
    return " ".join(text.replace("*/", "* /").split())
