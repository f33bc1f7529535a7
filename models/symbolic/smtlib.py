"""Prints terms of z3 as SMT-LIB 2.6, which other solvers read as well.

z3's own printer produces text that the standard forbids, such as ``(and x)``; this one prints only
operators of the standard. It only reads terms and creates nothing in z3's context, since z3's
results can depend on the history of its context.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import z3

OPERATORS: dict[int, str] = {
    z3.Z3_OP_TRUE: "true", z3.Z3_OP_FALSE: "false", z3.Z3_OP_NOT: "not", z3.Z3_OP_AND: "and",
    z3.Z3_OP_OR: "or", z3.Z3_OP_IMPLIES: "=>", z3.Z3_OP_XOR: "xor", z3.Z3_OP_IFF: "=",
    z3.Z3_OP_EQ: "=", z3.Z3_OP_DISTINCT: "distinct", z3.Z3_OP_ITE: "ite",
    z3.Z3_OP_LE: "<=", z3.Z3_OP_GE: ">=", z3.Z3_OP_LT: "<", z3.Z3_OP_GT: ">",
    z3.Z3_OP_ADD: "+", z3.Z3_OP_SUB: "-", z3.Z3_OP_UMINUS: "-", z3.Z3_OP_MUL: "*",
    z3.Z3_OP_IDIV: "div", z3.Z3_OP_MOD: "mod",
    z3.Z3_OP_BADD: "bvadd", z3.Z3_OP_BSUB: "bvsub", z3.Z3_OP_BMUL: "bvmul",
    z3.Z3_OP_BNEG: "bvneg", z3.Z3_OP_BSDIV: "bvsdiv", z3.Z3_OP_BSMOD: "bvsmod",
    z3.Z3_OP_SLEQ: "bvsle", z3.Z3_OP_SLT: "bvslt", z3.Z3_OP_SGEQ: "bvsge", z3.Z3_OP_SGT: "bvsgt",
}  # fmt: skip
"""The standard's names for the operators of z3 that engines use."""

TWO_OR_MORE = {"and": "true", "or": "false", "+": "0"}
"""Operators that need at least two terms in the standard, each with its value for no terms."""

NUMBER = re.compile(r"\d+|\(- \d+\)|\(_ bv\d+ \d+\)")
LONGEST = 1000
"""A longer part gets a name even if it occurs once, so that deep terms stay readable."""

SIMPLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Assertion:
    """A condition in SMT-LIB.

    Attributes
    ----------
    text : str
        The term.
    symbols : dict of str to str
        The symbols in it, with their declarations.
    features : frozenset of str
        The features that its logic must have: ``quantifiers``, ``functions``, ``integers``,
        ``products`` (also quotients and remainders) and ``bits``.
    """

    text: str
    symbols: dict[str, str]
    features: frozenset[str]


def assertion(term: Any) -> Assertion:
    """Return a z3 condition in SMT-LIB.

    Raises
    ------
    ValueError
        If it has an operator that is not in the standard, or a name with two meanings.
    """
    printer = _Printer(term.ctx.ref())
    text = printer.scope(term.as_ast(), ())
    return Assertion(text, printer.symbols, frozenset(printer.features))


def script(assertions: Sequence[Assertion], status: str, comments: Sequence[str] = ()) -> str:
    """Return a script that asks whether some conditions are satisfiable together.

    Parameters
    ----------
    assertions : sequence of Assertion
        The conditions.
    status : str
        The expected answer: ``sat``, ``unsat`` or ``unknown``.
    comments : sequence of str
        Lines at the beginning.

    Raises
    ------
    ValueError
        If a name has two meanings.
    """
    features = frozenset[str]().union(*(a.features for a in assertions))
    symbols: dict[str, str] = {}
    for name, line in (item for a in assertions for item in a.symbols.items()):
        _declare(symbols, name, line)
    lines = [
        *(f"; {' '.join(line.split())}" for line in comments),
        "(set-info :smt-lib-version 2.6)",
        f"(set-info :status {status})",
        f"(set-logic {logic(features)})",
        *symbols.values(),
        *(f"(assert {a.text})" for a in assertions),
        "(check-sat)",
        "(exit)",
    ]
    return "\n".join(lines) + "\n"


def _declare(symbols: dict[str, str], name: str, line: str) -> None:
    """Add the declaration of a symbol, unless it is there already.

    Raises
    ------
    ValueError
        If the symbol is there with another declaration.
    """
    if symbols.setdefault(name, line) != line:
        raise ValueError(f"SMT-LIB cannot have both {symbols[name]} and {line}")


def logic(features: frozenset[str]) -> str:
    """Return the standard's smallest logic with all of some features."""
    parts = [
        "" if "quantifiers" in features else "QF_",
        "UF" if "functions" in features or not features & {"integers", "bits"} else "",
        "BV" if "bits" in features else "",
        ("NIA" if "products" in features else "LIA") if "integers" in features else "",
    ]
    return "ALL" if {"bits", "integers"} <= features else "".join(parts)


def quoted(name: str) -> str:
    """Return a symbol of SMT-LIB for a name; different names give different symbols.

    A symbol is never a reserved word or a name of a theory, such as ``let`` or ``mod``. It has no
    question mark, which marks generated names.
    """
    if SIMPLE.fullmatch(name):
        return f"s.{name}"
    plain = any(sign.isalnum() for sign in name)
    kept = (f"%{ord(c):X}" if c in "%|\\?." or not plain else c for c in name)
    return f"|{''.join(kept)}|"


@dataclass
class _Printer:
    """Prints one condition; ``let`` names the parts that occur twice.

    It uses z3's C interface for terms: to create a Python object for each term takes several times
    as long.
    """

    context: Any
    symbols: dict[str, str] = field(default_factory=dict)
    features: set[str] = field(default_factory=set)
    given: int = 0  # number of generated names

    def scope(self, root: Any, bound: tuple[str, ...]) -> str:
        """Return the text of a condition; `bound` has its bound variables, the innermost last."""
        order, uses = self._parts(root)
        texts: dict[int, str] = {}
        heights: dict[int, int] = {}
        named: dict[int, list[str]] = {}
        for part, below in order:
            height = max((heights[p.value] for p in below), default=0)
            text = self._text(part, [texts[p.value] for p in below], bound)
            shared = uses[part.value] > 1 and not NUMBER.fullmatch(text)
            if text.startswith("(") and (shared or len(text) > LONGEST):
                self.given += 1
                named.setdefault(height, []).append(f"(?{self.given} {text})")
                text, height = f"?{self.given}", height + 1
            texts[part.value], heights[part.value] = text, height
        found = texts[root.value]
        for height in sorted(named, reverse=True):
            found = f"(let ({' '.join(named[height])}) {found})"
        return found

    def _parts(self, root: Any) -> tuple[list[tuple[Any, list[Any]]], Counter[int]]:
        """Return the parts of a term within its scope, operands first, and how often each is used.

        A quantifier is one part: its body is another scope.
        """
        order: list[tuple[Any, list[Any]]] = []
        uses: Counter[int] = Counter()
        done: set[int] = set()
        todo: list[tuple[Any, list[Any] | None]] = [(root, None)]
        while todo:
            part, below = todo.pop()
            if below is not None:
                order.append((part, below))
            elif part.value not in done:
                done.add(part.value)
                below = self._operands(part)
                uses.update(p.value for p in below)
                todo.append((part, below))
                todo += [(p, None) for p in reversed(below)]
        return order, uses

    def _operands(self, part: Any) -> list[Any]:
        if z3.Z3_get_ast_kind(self.context, part) != z3.Z3_APP_AST:
            return []
        number = z3.Z3_get_app_num_args(self.context, part)
        return [z3.Z3_get_app_arg(self.context, part, i) for i in range(number)]

    def _text(self, part: Any, below: list[str], bound: tuple[str, ...]) -> str:
        kind = z3.Z3_get_ast_kind(self.context, part)
        if kind == z3.Z3_VAR_AST:
            place: int = z3.Z3_get_index_value(self.context, part)
            return bound[-1 - place]
        if kind == z3.Z3_QUANTIFIER_AST:
            return self._quantified(part, bound)
        sort = self._sort(z3.Z3_get_sort(self.context, part))
        if kind == z3.Z3_NUMERAL_AST:
            value = int(z3.Z3_get_numeral_string(self.context, part))
            if sort != "Int":
                return f"(_ bv{value} {sort.split()[-1].rstrip(')')})"
            return str(value) if value >= 0 else f"(- {-value})"
        return self._applied(part, below)

    def _applied(self, part: Any, below: list[str]) -> str:
        function = z3.Z3_get_app_decl(self.context, part)
        kind = z3.Z3_get_decl_kind(self.context, function)
        if kind == z3.Z3_OP_UNINTERPRETED:
            name = self._declared(function)
            return f"({' '.join([name, *below])})" if below else name
        if kind not in OPERATORS:
            raise ValueError(f"SMT-LIB has no operator for {self._name(function)}")
        operator = OPERATORS[kind]
        if _is_product(operator, below):
            self.features.add("products")
        if operator in TWO_OR_MORE and len(below) < 2:
            return below[0] if below else TWO_OR_MORE[operator]
        return f"({' '.join([operator, *below])})" if below else operator

    def _declared(self, function: Any) -> str:
        """Return the symbol of a function, and declare it in the script."""
        name = quoted(self._name(function))
        number = z3.Z3_get_arity(self.context, function)
        of = [self._sort(z3.Z3_get_domain(self.context, function, i)) for i in range(number)]
        to = self._sort(z3.Z3_get_range(self.context, function))
        _declare(self.symbols, name, f"(declare-fun {name} ({' '.join(of)}) {to})")
        self.features |= {"functions"} if of else set()
        return name

    def _name(self, function: Any) -> str:
        symbol = z3.Z3_get_decl_name(self.context, function)
        return str(z3.Z3_get_symbol_string(self.context, symbol))

    def _sort(self, sort: Any) -> str:
        kind = z3.Z3_get_sort_kind(self.context, sort)
        if kind == z3.Z3_BOOL_SORT:
            return "Bool"
        if kind == z3.Z3_INT_SORT:
            self.features.add("integers")
            return "Int"
        if kind == z3.Z3_BV_SORT:
            self.features.add("bits")
            return f"(_ BitVec {z3.Z3_get_bv_sort_size(self.context, sort)})"
        raise ValueError("SMT-LIB has no sort for a sort of z3")

    def _quantified(self, part: Any, bound: tuple[str, ...]) -> str:
        if z3.Z3_is_lambda(self.context, part):
            raise ValueError("SMT-LIB 2.6 has no lambda")
        self.features.add("quantifiers")
        names, variables = list(bound), []
        for i in range(z3.Z3_get_quantifier_num_bound(self.context, part)):
            symbol = z3.Z3_get_quantifier_bound_name(self.context, part, i)
            base = str(z3.Z3_get_symbol_string(self.context, symbol)).partition("!")[0]
            self.given += 1
            names.append(f"{base}?{self.given}" if SIMPLE.fullmatch(base) else f"?{self.given}")
            sort = self._sort(z3.Z3_get_quantifier_bound_sort(self.context, part, i))
            variables.append(f"({names[-1]} {sort})")
        body = self.scope(z3.Z3_get_quantifier_body(self.context, part), tuple(names))
        word = "forall" if z3.Z3_is_quantifier_forall(self.context, part) else "exists"
        return f"({word} ({' '.join(variables)}) {body})"


def _is_product(operator: str, below: list[str]) -> bool:
    """Return whether an operation is not linear arithmetic in the sense of the standard."""
    if operator in ("div", "mod"):
        return True
    return operator == "*" and sum(not NUMBER.fullmatch(text) for text in below) > 1
