"""Prints a traced spec as C: guards and claims as circuits over many states, steps one by one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib import resources

from counterpoint.models.symbolic import partial_order
from counterpoint.models.symbolic.fairness import promises_of
from counterpoint.models.symbolic.partial_order import PartialOrder
from counterpoint.models.symbolic.statements import Statements
from counterpoint.models.symbolic.symmetry import InterchangeableIndices
from counterpoint.models.symbolic.trace import Command, System
from counterpoint.spec.notation import Property, SpecError, nodes
from counterpoint.spec.notation.nodes import Cell, Node

from . import exchanging
from .circuit import Circuit, CircuitWriter
from .layout import WORD, BitPacking

LANES = 4
"""The number of machine words that one vector instruction processes."""

PARTS = (
    "types", "planes", "table", "waiting", "expanding", "threads", "memory", "inserting", "calls",
    "liveness",
)  # fmt: skip
"""The files of the code that is the same for all specs, in order."""

MOST_RESULTS = 50_000
"""The most commands and conditions of a spec for which C is printed."""


class BeyondWords(SpecError):
    """An action computes numbers that do not fit into a machine word."""


LARGEST = 1 << 62
"""Larger numbers are not computed in C."""


def _words(mask: int, words: int) -> str:
    """Return a mask as an initial value of an array of machine words."""
    parts = (mask >> WORD * w & (1 << WORD) - 1 for w in range(words))
    return f"{{{', '.join(f'{part:#x}u' for part in parts)}}}"


@dataclass
class ExplorerSource:
    """The program for one spec, with the numbers that C uses for commands and claims.

    Attributes
    ----------
    system : System
        The traced spec.
    layout : BitPacking
        How states are packed.
    order : sequence of int
        The commands in the order in which a state's successors are visited.
    claims : dict of str to Node
        The conditions that must hold in every state, by name.
    steps : sequence of str
        The other properties to check: transitions, ranges, deadlock.
    symmetry : InterchangeableIndices or None
        The interchangeable members, if one state of each class is to be visited.
    waiting : bool
        Whether commands wait for others if that changes no answer.
    temporal : sequence of Property
        The temporal properties to judge.
    """

    system: System
    layout: BitPacking
    order: Sequence[int]
    claims: dict[str, Node]
    steps: Sequence[str]
    symmetry: InterchangeableIndices | None = None
    waiting: bool = False
    temporal: Sequence[Property] = ()
    names: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.names = [*self.claims, *self.steps]
        self.commands = [self.system.commands[i] for i in self.order]
        self.partial_order = PartialOrder(self.system, self.commands, list(self.claims.values()))

    def text(self) -> str:
        """Return the whole program.

        Raises
        ------
        SpecError
            If a number of the spec does not fit a machine word.
        """
        self._must_fit()
        checks = list(self._checks())
        folder = resources.files(__package__).joinpath("runtime")
        runtime = [folder.joinpath(f"{part}.c").read_text() for part in PARTS]
        return "\n".join(
            [
                *self._head(checks),
                *self._enabled([condition for _, _, condition in checks]),
                *self._judge(),
                *self._step(),
                *(exchanging.printed(self.symmetry, self.layout) if self.symmetry else []),
                *(partial_order.printed(self.partial_order) if self.waiting else []),
                *(self._conditions() if self.temporal else []),
                *runtime,
            ]
        )

    def _must_fit(self) -> None:
        if len(self.commands) + len(self.partial_order.literals) > MOST_RESULTS:
            raise SpecError(f"there are {len(self.commands)} commands, too many to compile")
        for command in self.commands:
            roots = [n for _, n in command.updates]
            if any(not -LARGEST < n.low <= n.high < LARGEST for n in subnodes(roots)):
                raise BeyondWords(f"{command.step.action} computes numbers beyond machine words")

    def _checks(self) -> Iterable[tuple[int, int, Node]]:
        """Yield the checks of steps: command, number of the claim, and the condition to satisfy."""
        for place, command in enumerate(self.commands):
            if command.leaves and "ranges" in self.names:
                yield place, self.names.index("ranges"), nodes.FALSE
            for check in command.checks:
                if check.claim in self.names:
                    yield place, self.names.index(check.claim), check.condition

    def _head(self, checks: Sequence[tuple[int, int, Node]]) -> list[str]:
        def table(kind: str, name: str, entries: Iterable[int]) -> str:
            return f"static const {kind} {name}[] = {{{', '.join(map(str, [*entries, 0]))}}};"

        sizes = {
            "W": self.layout.words,
            "LANES": LANES,
            "COMMANDS": len(self.commands),
            "CHECKS": len(checks),
            "RESULTS": len(self.commands)
            + len(checks)
            + 1
            + (len(self.partial_order.literals) if self.waiting else 0),
            "CLAIMS": len(self.names),
            "JUDGED": len(self.claims),
        }
        if "no-deadlock" in self.names:
            sizes["DEADLOCK"] = self.names.index("no-deadlock")
        return [
            "#define _GNU_SOURCE",
            "#include <stdint.h>",
            *(f"#define {name} {size}" for name, size in sizes.items()),
            "typedef uint64_t word;",
            "typedef word lane __attribute__((vector_size(8 * LANES)));",
            table("uint16_t", "check_command", (place for place, _, _ in checks)),
            table("uint16_t", "check_claim", (claim for _, claim, _ in checks)),
            table("uint8_t", "leaves", (int(bool(c.leaves)) for c in self.commands)),
        ]

    # Over many states at once

    def _enabled(self, conditions: Sequence[Node]) -> list[str]:
        """Print the function for enabled commands, failed checks, and possible ends of runs."""
        circuit = Circuit(self.layout)
        guards = [circuit.conjunction(map(circuit.truth, c.guard)) for c in self.commands]
        fails = [
            circuit.conjunction((guards[place], circuit.truth(condition) ^ 1))
            for (place, _, _), condition in zip(self._checks(), conditions, strict=True)
        ]
        end = self.system.may_end
        stuck = circuit.truth(end) ^ 1 if end is not None else circuit.truth(nodes.FALSE)
        literals = map(circuit.truth, self.partial_order.literals if self.waiting else ())
        return self._function("enabled", circuit, [*guards, *fails, stuck, *literals])

    def _judge(self) -> list[str]:
        circuit = Circuit(self.layout)
        wrong = [circuit.truth(n) ^ 1 for n in self.claims.values()]
        return self._function("judge", circuit, wrong)

    def _conditions(self) -> list[str]:
        """Print the conditions of temporal properties, and the masks of promises."""
        circuit, promises = Circuit(self.layout), promises_of(self.system)
        conditions = [n for p in self.temporal for n in self.system.formulas(p.method)]
        truths = [circuit.truth(n) for n in conditions]
        words = promises.words
        kept_by = [_words(promises.kept_by[i], words) for i in self.order]
        return [
            "#define LIVENESS",
            f"#define CONDITIONS {len(truths)}",
            f"#define PROMISES {words}",
            f"static const word kept_by[][PROMISES] = {{{', '.join([*kept_by, '{0}'])}}};",
            f"static const word weak[] = {_words(promises.weak, words)};",
            f"static const word strong[] = {_words(promises.strong, words)};",
            *self._function("conditions", circuit, truths),
        ]

    def _function(self, name: str, circuit: Circuit, results: Sequence[int]) -> list[str]:
        places = [(f"r[{i}]", literal) for i, literal in enumerate(results)]
        return [
            f"static void {name}(const lane *restrict p, lane *restrict r) {{",
            "const lane none = {0}, all = ~none; (void)none, (void)all, (void)p, (void)r;",
            *CircuitWriter(circuit).lines(places),
            "}",
        ]

    # One state

    def _step(self) -> list[str]:
        lines = [
            "static inline int64_t remainder_of(int64_t a, int64_t b) "
            "{ int64_t r = a % b; return r < 0 ? r + b : r; }",
            "static inline int64_t quotient_of(int64_t a, int64_t b) "
            "{ return (a - remainder_of(a, b)) / b; }",
            "static void step(int command, const word *restrict s, word *restrict n) {",
            "switch (command) {",
        ]
        for place, command in enumerate(self.commands):
            if not command.leaves:
                lines += [f"case {place}: {{", *self._successor(command), "break; }"]
        return [*lines, "default: break; }", "}"]

    def _successor(self, command: Command) -> list[str]:
        statements = Scalars(self.layout)
        updates = [(self.system.model.cells[i], n) for i, n in command.updates]
        written = statements.name([n for _, n in updates])
        keep = [(1 << 64) - 1] * self.layout.words
        fixed = [0] * self.layout.words
        moved: list[list[str]] = [[] for _ in keep]
        for cell, node in updates:
            place = self.layout.places.get(cell)
            if place is None:
                continue
            keep[place.word] &= ~place.mask
            if node.op == "constant":
                fixed[place.word] |= node.args[0] - cell.low << place.shift
            else:
                raw = f"(word)({statements.show(node)} - ({cell.low}))"
                moved[place.word].append(f"{raw} << {place.shift}")
        for w, mask in enumerate(keep):
            parts = [f"(s[{w}] & {mask:#x}u)" if mask != (1 << 64) - 1 else f"s[{w}]"]
            parts += [f"{fixed[w]:#x}u"] if fixed[w] else []
            written.append(f"n[{w}] = {' | '.join(parts + moved[w])};")
        return written


class Scalars(Statements):
    """Expressions of one packed state ``s`` in C."""

    all_of, one_of = "&&", "||"

    def __init__(self, layout: BitPacking) -> None:
        super().__init__()
        self.layout = layout

    def assign(self, name: str, text: str) -> str:
        """Return a declaration."""
        return f"const int64_t {name} = {text};"

    def constant(self, node: Node) -> str:
        """Return a number."""
        return f"({node.args[0]})"

    def cell(self, cell: Cell) -> str:
        """Return a cell's value."""
        place = self.layout.places[cell]
        raw = f"(int64_t)(s[{place.word}] >> {place.shift} & {(1 << place.width) - 1:#x})"
        return f"({raw} + ({cell.low}))" if cell.low else f"({raw})"

    def operation(self, op: str, a: Sequence[str]) -> str:
        """Return an operation on printed arguments."""
        if op == "not":
            return f"(!{a[0]})"
        if op == "ite":
            return f"({a[0]} ? {a[1]} : {a[2]})"
        if op == "divide":
            return f"quotient_of({a[0]}, {a[1]})"
        if op == "modulo":
            return f"remainder_of({a[0]}, {a[1]})"
        return super().operation(op, a)


def subnodes(roots: Iterable[Node]) -> set[Node]:
    """Return all nodes of some expressions."""
    seen: set[Node] = set()
    todo = list(roots)
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            if node.op not in ("cell", "constant"):
                todo.extend(node.args)
    return seen
