"""Expressions as circuits over bits, so that one instruction evaluates 64 states or more.

The bits of many states are arranged in planes: plane i contains bit i of every state. A truth value
then takes one machine word for 64 states, and a number takes one word for each binary digit. Equal
gates are shared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from counterpoint.spec.notation.nodes import Node

from .layout import WORD, BitPacking

NO, YES = 0, 1
"""The literals of the two truth values."""


@dataclass(frozen=True)
class Digits:
    """A number: an offset plus the value of binary digits, the least significant first."""

    offset: int
    digits: tuple[int, ...]


@dataclass(frozen=True)
class Gate:
    """A gate: ``and`` of literals, ``xor`` of two, or ``input`` of a plane."""

    kind: str
    inputs: tuple[int, ...]


class Circuit:
    """Gates built from expressions. A literal is twice a gate's number, plus 1 if negated.

    Gate 0 is false, so that the literal 0 is false and 1 is true.

    Parameters
    ----------
    layout : BitPacking
        Assigns bits of cells to planes.
    """

    def __init__(self, layout: BitPacking) -> None:
        self.layout = layout
        self.gates = [Gate("input", ())]
        self._known: dict[Gate, int] = {}
        self._truths: dict[Node, int] = {}
        self._numbers: dict[Node, Digits] = {}

    def _literal(self, gate: Gate) -> int:
        found = self._known.get(gate)
        if found is None:
            found = self._known[gate] = 2 * len(self.gates)
            self.gates.append(gate)
        return found

    # Gates

    def conjunction(self, literals: Iterable[int]) -> int:
        """Return the literal of "all of them"."""
        inputs = set(literals)
        inputs.discard(YES)
        if NO in inputs or any(i ^ 1 in inputs for i in inputs):
            return NO
        if len(inputs) <= 1:
            return inputs.pop() if inputs else YES
        return self._literal(Gate("and", tuple(sorted(inputs))))

    def disjunction(self, literals: Iterable[int]) -> int:
        """Return the literal of "one of them"."""
        return self.conjunction(i ^ 1 for i in literals) ^ 1

    def differ(self, a: int, b: int) -> int:
        """Return the literal of "exactly one of the two"."""
        sign = a & 1 ^ b & 1
        a, b = sorted((a & ~1, b & ~1))
        if a == b:
            return sign
        return b ^ sign if a == NO else self._literal(Gate("xor", (a, b))) ^ sign

    def choose(self, condition: int, then: int, otherwise: int) -> int:
        """Return the literal of ``then`` where the condition holds, of ``otherwise`` elsewhere."""
        if then == otherwise:
            return then
        yes = self.conjunction((condition, then))
        return self.disjunction((yes, self.conjunction((condition ^ 1, otherwise))))

    # Numbers

    def plus(self, a: Digits, b: Digits, carry: int = NO) -> Digits:
        """Return a + b + carry."""
        digits = []
        for i in range(max(len(a.digits), len(b.digits))):
            one = a.digits[i] if i < len(a.digits) else NO
            two = b.digits[i] if i < len(b.digits) else NO
            half = self.differ(one, two)
            digits.append(self.differ(half, carry))
            both = self.conjunction((one, two))
            carry = self.disjunction((both, self.conjunction((half, carry))))
        return Digits(a.offset + b.offset, tuple(digits) + ((carry,) if carry != NO else ()))

    def minus(self, a: Digits) -> Digits:
        """Return -a, with the complement of the digits."""
        largest = (1 << len(a.digits)) - 1
        return Digits(-a.offset - largest, tuple(d ^ 1 for d in a.digits))

    def based(self, a: Digits, offset: int) -> Digits:
        """Return the number with a smaller offset, or the same one."""
        more = a.offset - offset
        if not more:
            return a
        fixed = tuple(YES if more >> i & 1 else NO for i in range(more.bit_length()))
        return self.plus(Digits(offset, fixed), Digits(0, a.digits))

    def pair(self, a: Digits, b: Digits) -> tuple[Digits, list[tuple[int, int]]]:
        """Return a common offset (as a number) and the pairs of digits of both above it."""
        offset = min(a.offset, b.offset)
        one, two = self.based(a, offset).digits, self.based(b, offset).digits
        size = max(len(one), len(two))
        padded = zip(one + (NO,) * (size - len(one)), two + (NO,) * (size - len(two)), strict=True)
        return Digits(offset, ()), list(padded)

    def same(self, a: Digits, b: Digits) -> int:
        """Return the literal of a == b."""
        return self.conjunction(self.differ(x, y) ^ 1 for x, y in self.pair(a, b)[1])

    def below(self, a: Digits, b: Digits) -> int:
        """Return the literal of a < b."""
        found = NO
        for x, y in self.pair(a, b)[1]:
            found = self.choose(self.differ(x, y), y, found)
        return found

    def times(self, a: Digits, by: int) -> Digits:
        """Return a times a plain number."""
        total = Digits(0, ())
        for i in range(abs(by).bit_length()):
            if abs(by) >> i & 1:
                total = self.plus(total, Digits(0, (NO,) * i + a.digits))
        total = Digits(abs(by) * a.offset, total.digits)
        return self.minus(total) if by < 0 else total

    def product(self, a: Digits, b: Digits) -> Digits:
        """Return a * b, as (A + x)(B + y) = AB + Ay + Bx + xy."""
        x, y = Digits(0, a.digits), Digits(0, b.digits)
        total = self.plus(self.times(y, a.offset), self.times(x, b.offset))
        for i, digit in enumerate(x.digits):
            part = tuple(self.conjunction((digit, other)) for other in y.digits)
            total = self.plus(total, Digits(0, (NO,) * i + part))
        return Digits(total.offset + a.offset * b.offset, total.digits)

    def divided(self, a: Digits, by: int) -> tuple[Digits, Digits]:
        """Return quotient and remainder by a positive plain number, rounded down."""
        whole, rest = divmod(a.offset, by)
        digits = self.based(Digits(rest, a.digits), 0).digits
        left = Digits(0, ())
        quotient: list[int] = []
        for digit in reversed(digits):
            left = Digits(0, (digit, *left.digits))
            fits = self.below(left, Digits(by, ())) ^ 1
            less = self.plus(left, self.minus(self.based(Digits(by, ()), 0)))
            size = (by - 1).bit_length()
            kept = self._modulo_power(less, size)
            left = Digits(0, tuple(
                self.choose(fits, kept[i], left.digits[i] if i < len(left.digits) else NO)
                for i in range(size)
            ))  # fmt: skip
            quotient.append(fits)
        return Digits(whole, tuple(reversed(quotient))), left

    def _modulo_power(self, a: Digits, size: int) -> tuple[int, ...]:
        """Return the last binary digits of a number in two's complement."""
        fixed = Digits(0, tuple(YES if a.offset >> i & 1 else NO for i in range(size)))
        digits = self.plus(fixed, Digits(0, a.digits[:size])).digits
        return (digits + (NO,) * size)[:size]

    # Expressions

    def truth(self, node: Node) -> int:
        """Return the literal of a truth value."""
        found = self._truths.get(node)
        if found is None:
            found = self._truths[node] = self._truth(node)
        return found

    def _truth(self, node: Node) -> int:
        if node.op == "constant":
            return YES if node.args[0] else NO
        if node.op == "cell":
            return self._input(node)[0]
        if node.op == "not":
            return self.truth(node.args[0]) ^ 1
        if node.op in ("and", "or"):
            parts = [self.truth(a) for a in node.args]
            return self.conjunction(parts) if node.op == "and" else self.disjunction(parts)
        a, b = node.args
        if a.boolean and b.boolean:
            return self.differ(self.truth(a), self.truth(b)) ^ 1
        one, two = self.number(a), self.number(b)
        return self.below(one, two) if node.op == "less" else self.same(one, two)

    def _input(self, node: Node) -> tuple[int, ...]:
        place = self.layout.places[node.args[0]]
        first = place.word * WORD + place.shift
        return tuple(self._literal(Gate("input", (first + i,))) for i in range(place.width))

    def number(self, node: Node) -> Digits:
        """Return the digits of an integer, without those that are always 0 in its interval."""
        found = self._numbers.get(node)
        if found is None:
            found = self._number(node)
            size = max(0, node.high - found.offset).bit_length()
            found = self._numbers[node] = Digits(found.offset, found.digits[:size])
        return found

    def _number(self, node: Node) -> Digits:
        if node.boolean:
            return Digits(0, (self.truth(node),))
        if node.op == "constant":
            return Digits(node.args[0], ())
        if node.op == "cell":
            return Digits(node.low, self._input(node))
        if node.op == "ite":
            condition = self.truth(node.args[0])
            base, digits = self.pair(self.number(node.args[1]), self.number(node.args[2]))
            return Digits(base.offset, tuple(self.choose(condition, x, y) for x, y in digits))
        a, b = (self.number(n) for n in node.args)
        if node.op == "add":
            return self.plus(a, b)
        if node.op == "subtract":
            return self.plus(a, self.minus(b))
        if node.op == "multiply":
            return self.product(a, b)
        quotient, rest = self.divided(a, node.args[1].args[0])
        return quotient if node.op == "divide" else rest


class CircuitWriter:
    """Prints a circuit as statements in C over planes ``p``.

    A gate is printed directly or negated, whichever needs fewer negation signs.
    """

    def __init__(self, circuit: Circuit) -> None:
        self.gates = circuit.gates
        self.negated: dict[int, bool] = {}

    def lines(self, results: Sequence[tuple[str, int]]) -> list[str]:
        """Return statements that assign literals to places."""
        lines = []
        for number in self._needed(literal >> 1 for _, literal in results):
            lines.append(f"lane t{number} = {self._gate(number)};")
        return lines + [f"{place} = {self.show(literal)};" for place, literal in results]

    def _needed(self, roots: Iterable[int]) -> list[int]:
        needed: set[int] = set()
        todo = [r for r in roots if r]
        while todo:
            number = todo.pop()
            if number not in needed:
                needed.add(number)
                if self.gates[number].kind != "input":
                    todo.extend(i >> 1 for i in self.gates[number].inputs)
        return sorted(needed)  # the inputs of a gate have lower numbers

    def show(self, literal: int) -> str:
        """Return a literal as an expression."""
        if literal <= YES:
            return "all" if literal else "none"
        sign = "~" if self._sign(literal) else ""
        return f"{sign}t{literal >> 1}"

    def _sign(self, literal: int) -> bool:
        return bool(literal & 1) != self.negated.get(literal >> 1, False)

    def _gate(self, number: int) -> str:
        gate = self.gates[number]
        if gate.kind == "input":
            return f"p[{gate.inputs[0]}]"
        if gate.kind == "xor":
            self.negated[number] = self._sign(gate.inputs[0]) != self._sign(gate.inputs[1])
            return " ^ ".join(f"t{i >> 1}" for i in gate.inputs)
        signs = sum(map(self._sign, gate.inputs))
        self.negated[number] = 2 * signs > len(gate.inputs)
        if self.negated[number]:
            return " | ".join(self.show(i ^ 1) for i in gate.inputs)
        return " & ".join(map(self.show, gate.inputs))
