"""Terms as SMT-LIB: the text has the meaning of the term and conforms to the standard."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import cvc5
import pytest
import z3

from counterpoint.models.symbolic.smtlib import assertion, logic, quoted, script

NAMES = ("x", "let", "mod", "a[0]@1", "two words", "bar|bar", "back\\slash", "ä", "?1", "p!7")
X = z3.Int("x")


def read_strictly(text: str) -> str:
    """Return the answer of cvc5, in its strict mode, to a text."""
    solver = cvc5.Solver()
    solver.setOption("parsing-mode", "strict")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "text")
    answers = []
    while not (command := parser.nextCommand()).isNull():
        answers.append(command.invoke(solver, parser.getSymbolManager()))
    return "".join(answers).strip()


class Terms:
    """Random conditions; the same seed gives the same conditions, except for names."""

    def __init__(self, seed: int, named: Callable[[str], str]) -> None:
        self.chance, self.named = random.Random(seed), named

    def number(self, depth: int, bound: list[Any]) -> Any:
        """Return an integer term."""
        name = self.named(self.chance.choice(NAMES))
        if not depth or self.chance.random() < 0.2:
            value = self.chance.randint(-3, 3)
            return self.chance.choice([z3.Int(name), z3.IntVal(value), *bound])
        a, b = (self.number(depth - 1, bound) for _ in range(2))
        condition = self.truth(depth - 1, bound)
        function = z3.Function(self.named("f of"), z3.IntSort(), z3.IntSort())
        kinds = [a + b, a - b, 2 * a, -a, a / 3, a % 3, z3.If(condition, a, b), function(a)]
        return self.chance.choice(kinds)

    def truth(self, depth: int, bound: list[Any]) -> Any:
        """Return a condition; a bound variable may have the name of a free one."""
        name = self.chance.choice(NAMES)
        if not depth:
            return z3.Bool(self.named(f"flag {name}"))
        new = z3.Int(self.named(name))
        inner = self.truth(depth - 1, [*bound, new])
        inner = z3.Implies(z3.And(new >= 0, new < 2), z3.Or(inner, z3.And(inner, new == 1)))
        a, b = (self.truth(depth - 1, bound) for _ in range(2))
        m, n = (self.number(depth - 1, bound) for _ in range(2))
        kinds = [
            z3.And(a, b, a), z3.Or(a, b), z3.And(a), z3.Or(b, z3.Or()), z3.And(b, z3.And()),
            z3.Not(a), z3.Implies(a, b), a == b, z3.Xor(a, b), z3.If(a, b, z3.BoolVal(True)),
            m < n, m <= n, m == n, z3.Distinct(m, n), m >= n, m > n,
            z3.ForAll([new], inner), z3.Exists([new], inner), z3.ForAll([new], inner),
        ]  # fmt: skip
        return self.chance.choice(kinds)


def printed_name(name: str) -> str:
    """Return the name that a symbol has after the text was read."""
    return quoted(name).strip("|")


@pytest.mark.parametrize("seed", range(60))
def test_the_text_means_what_the_term_means(seed: int) -> None:
    """A captured variable, an operand in the wrong place, or a lost minus."""
    term, renamed = (Terms(seed, named).truth(4, []) for named in (str, printed_name))
    text = script([assertion(term)], "unknown")
    [again] = z3.parse_smt2_string(text)
    solver = z3.Solver()
    solver.set("timeout", 300)
    assert solver.check(renamed != again) != z3.sat
    if "(forall" not in text and "(exists" not in text:
        assert solver.check(renamed != again) == z3.unsat
    assert read_strictly(text.replace("(check-sat)", "")) == ""


def test_bits_mean_what_they_mean() -> None:
    """Quotients and remainders of bit-vectors with another rounding, or without the sign."""
    a, b = z3.BitVecs("a[0] a[1]", 5)
    for term in (
        a % 3 == b, a / 3 == b, a < b, a <= b, a > b, a >= b, a - b == -a, a * b == a + 7,
        z3.If(a == -3, b, a) == 2, a == -16,
    ):  # fmt: skip
        text = script([assertion(term)], "sat")
        [again] = z3.parse_smt2_string(text)
        solver = z3.Solver()
        assert solver.check(term != again) == z3.unsat
        assert "(set-logic QF_BV)" in text
        assert read_strictly(text) == "sat"


def test_names_are_never_mixed_up() -> None:
    """Two variables printed with one name, or a name that ends its quotation."""
    names = [*NAMES, "bar%7Cbar", "%3F1", "|", "and|", "x?1", "x%3F1", "s.x", "+", "%2B", "true"]
    assert len({quoted(n) for n in names}) == len(names)
    text = script([assertion(z3.And([z3.Bool(n) for n in names]))], "sat")
    assert read_strictly(text) == "sat"


def test_a_name_means_one_thing() -> None:
    """A text in which one name is both an integer and a truth value."""
    both = z3.And(z3.Bool("x"), X > 0)
    with pytest.raises(ValueError, match="cannot have both"):
        assertion(both)
    with pytest.raises(ValueError, match="cannot have both"):
        script([assertion(z3.Bool("x")), assertion(X > 0)], "sat")


def test_what_is_shared_is_printed_once() -> None:
    """A text that is exponentially longer than the term."""
    term = X
    for _ in range(60):
        term = term + term
    assert len(assertion(term == 1).text) < 3000


def test_a_term_may_be_deep() -> None:
    """A chain of choices deeper than Python's stack, or a text that is far too long."""
    term = z3.IntVal(0)
    for i in range(3000):
        term = z3.If(z3.Bool(f"b{i}"), z3.IntVal(i), term)
        if i == 200:
            assert read_strictly(script([assertion(term == 7)], "sat")) == "sat"
    assert len(assertion(term == 7).text) < 300_000


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        (z3.Bool("b"), "QF_UF"),
        (X < 3, "QF_LIA"),
        (2 * X + -3 * X < 3, "QF_LIA"),
        (X * X < 3, "QF_NIA"),
        (X % 3 == 1, "QF_NIA"),
        (z3.BitVec("v", 3) == 1, "QF_BV"),
        (z3.Function("f", z3.IntSort(), z3.BoolSort())(X), "QF_UFLIA"),
        (z3.ForAll([X], X < 3), "LIA"),
        (z3.ForAll([X], z3.Function("f", z3.IntSort(), z3.BoolSort())(X)), "UFLIA"),
    ],
)
def test_a_logic_of_the_standard(term: Any, expected: str) -> None:
    """A logic that lacks what the text uses, or that no solver knows."""
    assert logic(assertion(term).features) == expected


@pytest.mark.parametrize("term", [z3.Real("r") < 1, z3.LShR(z3.BitVec("v", 3), 1) == 1])
def test_what_is_not_known_is_refused(term: Any) -> None:
    """An operator printed as z3 prints it, without knowing that it is standard."""
    with pytest.raises(ValueError, match="SMT-LIB"):
        assertion(term)
