"""Random expressions and statements over the variables of a spec, as Python text."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.oracle.vocabulary import Var

COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")

TABLES = (
    "lambda a, b: a * a // 3 - b",
    "lambda a, b: (7 * a + 3 * b) % 4",
    "lambda a, b: bool(a & 1) == bool(b)",
    "lambda a, b: max(a, b) - min(a, b)",
)
"""Functions of two integers."""

BOUND = ("m", "n", "i", "j", "k", "h", "u", "v")
"""Names that generators bind."""


@dataclass(frozen=True)
class Scope:
    """The names that an expression may use.

    Attributes
    ----------
    members : dict
        Name to the index that it is a member of.
    numbers : tuple of str
        Other integers.
    state : str
        The state that is read: ``s`` or ``after``.
    """

    members: dict[str, str] = field(default_factory=dict)
    numbers: tuple[str, ...] = ()
    state: str = "s"

    def bind(self, name: str, index: str) -> Scope:
        """Return the scope with one more member."""
        return Scope(self.members | {name: index}, self.numbers, self.state)


@dataclass
class Expressions:
    """A writer of random expressions.

    Attributes
    ----------
    chance : random.Random
        The source of all random choices.
    sizes : dict
        The indices with their sizes.
    variables : sequence of Var
        The variables that can be read.
    plain : bool
        Whether to write only expressions that are allowed for any number of members.
    forks : float
        The share of choices written with Python's operators where the notation has its own.
    wrong : float
        The share of indices that may lie outside of the array.
    helpers : list of (str, tuple of str)
        Methods that return a condition, with the indices of their parameters.
    """

    chance: random.Random
    sizes: dict[str, int]
    variables: Sequence[Var]
    plain: bool = False
    forks: float = 0.3
    wrong: float = 0.0
    helpers: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    def often(self, share: float) -> bool:
        """Return True with a given probability."""
        return self.chance.random() < share

    # Places

    def member(self, index: str, scope: Scope) -> str:
        """Return the text of a member of an index."""
        known = [name for name, of in scope.members.items() if of == index]
        if self.often(self.wrong):
            return self._wrong_member(index, known, scope)
        if known and self.often(0.6):  # the name that was bound last, so that it is used
            return known[-1]
        if known and (self.plain or self.often(0.8)):
            return self.chance.choice(known)
        if known and self.often(0.6):
            return f"({self.chance.choice(known)} + 1) % len(s.{index})"
        return str(self.chance.randrange(self.sizes[index]))

    def _wrong_member(self, index: str, known: list[str], scope: Scope) -> str:
        texts = [f"{name} + 1" for name in known] + [f"{name} - 1" for name in known]
        texts += [f"{scope.state}.{v.name}" for v in self.variables if v.to == index and not v.over]
        texts.append(str(self.sizes[index]))
        return self.chance.choice(texts or ["0"])

    def place(self, variable: Var, scope: Scope) -> str:
        """Return the text of an element of a variable."""
        inside = ", ".join(self.member(index, scope) for index in variable.over)
        return f"{scope.state}.{variable.name}" + (f"[{inside}]" if inside else "")

    def usable(self, scope: Scope, *kinds: str) -> list[Var]:
        """Return the variables of some kinds whose elements the scope can name."""
        here = set(scope.members.values())
        found = [
            v for v in self.variables
            if v.kind in kinds and (not self.plain or here >= set(v.over))
        ]  # fmt: skip
        last = [v for v in found if here and list(scope.members.values())[-1] in v.over]
        return last if last and self.often(0.6) else found

    # Conditions

    def condition(self, scope: Scope, depth: int = 2) -> str:
        """Return the text of a condition."""
        kinds: list[Callable[[Scope, int], str]] = [self.atom]
        if not self.usable(scope, "bool", "member", "reference", "int"):
            return self.quantified(scope, max(depth, 1))
        if depth > 0:
            kinds += [self.atom, self.junction, self.junction, self.quantified, self.counted]
            kinds += [self.other] if not self.plain else []
        return self.chance.choice(kinds)(scope, depth)

    def atom(self, scope: Scope, depth: int = 0) -> str:
        """Return a condition on one variable."""
        variables = self.usable(scope, "bool", "member", "reference", "int")
        if not variables and len(scope.members) < len(self.sizes) + 2:
            return self.quantified(scope, 1)
        names = [
            n for n in scope.members if list(scope.members.values()).count(scope.members[n]) > 1
        ]
        if not variables or (len(names) > 1 and self.often(0.1)):
            return self._names(scope)
        variable = self.chance.choice(variables)
        return getattr(self, f"_{variable.kind}")(variable, self.place(variable, scope), scope)

    def _names(self, scope: Scope) -> str:
        pairs = [
            (a, b) for a, i in scope.members.items() for b, j in scope.members.items()
            if a != b and i == j
        ]  # fmt: skip
        if not pairs:
            return self.chance.choice(["True", "False"])
        a, b = self.chance.choice(pairs)
        return f"{a} {self.chance.choice(['!=', '==', '!=', '<'])} {b}"

    def _bool(self, variable: Var, place: str, scope: Scope) -> str:
        if self.often(0.6):
            return place
        return f"not {place}" if self.often(self.forks) else f"no({place})"

    def _member(self, variable: Var, place: str, scope: Scope) -> str:
        named = [f"{variable.enum}.{name}" for name in variable.named]
        if not self.plain and self.often(self.forks / 3):
            return f"{place} in ({', '.join(named[:2])})"
        sign = self.chance.choice(["==", "==", "==", "!=", ">=", "<"])
        return f"{place} {sign} {self.chance.choice(named)}"

    def _reference(self, variable: Var, place: str, scope: Scope) -> str:
        known = [name for name, of in scope.members.items() if of == variable.to]
        texts = [f"{place} == {variable.enum}.{name}" for name in variable.named]
        texts += [f"{place} == {name}" for name in known] * 2
        texts += [f"{place} != {name}" for name in known] + [f"{place} >= 0", f"{place} < 0"]
        others = [v for v in self.usable(scope, "reference") if v.to == variable.to]
        texts += [f"{place} == {self.place(v, scope)}" for v in others if v != variable]
        return self.chance.choice(texts)

    def _int(self, variable: Var, place: str, scope: Scope) -> str:
        sign = self.chance.choice(COMPARISONS)
        others = [o for o in self.usable(scope, "int") if o != variable]
        if others and self.often(0.3):
            return f"{place} {sign} {self.place(self.chance.choice(others), scope)}"
        bound = self.chance.randint(variable.low, variable.high)
        if not self.plain and self.often(self.forks / 3):
            return f"{bound - 1} <= {place} < {bound + 1}"
        return f"{place} {sign} {bound}"

    def junction(self, scope: Scope, depth: int) -> str:
        """Return conditions joined."""
        one, other = (self.condition(scope, depth - 1) for _ in range(2))
        if self.often(self.forks):
            forms = ["({} and {})", "({} or {})", "(not ({}) or {})"]
        else:
            forms = ["every({}, {})", "some({}, {})", "implies({}, {})", "no({}, {})"]
            forms += ["(({}) == ({}))", "every([{}, {}])"]
        return self.chance.choice(forms).format(one, other)

    def quantified(self, scope: Scope, depth: int) -> str:
        """Return a condition on all members of an index, or of two."""
        word = self.chance.choice(["every", "every", "some", "no"])
        scope, loops, names = self._loops(scope, 2 if self.often(0.3) else 1)
        inner = self.condition(scope, depth - 1)
        if len(names) == 2 and self.often(0.5):
            a, b = names
            inner = f"every({self.atom(scope)}, {self.atom(scope)}, {a} != {b})"
        elif word == "every" and self.often(0.6):
            inner = f"implies({self.atom(scope)}, {inner})"
        return f"{word}({inner}{loops})"

    def _loops(self, scope: Scope, number: int) -> tuple[Scope, str, list[str]]:
        """Return a scope with bound names, the loops that bind them, and the bound names."""
        index, text, names = self.chance.choice(list(self.sizes)), "", []
        for _ in range(number):
            name = next((n for n in BOUND if n not in scope.members), BOUND[0])
            scope, text = scope.bind(name, index), f"{text} for {name} in s.{index}"
            names.append(name)
        others = [n for n, of in scope.members.items() if of == index and n not in names]
        if others and not self.plain and self.often(0.3):
            text += f" if {names[0]} != {others[0]}"
        return scope, text, names

    def counted(self, scope: Scope, depth: int) -> str:
        """Return a count compared with a small number."""
        inner, loops, _ = self._loops(scope, 1)
        sign = self.chance.choice(["<= 1", "< 2", "== 0", ">= 1", ">= 2", "< 3", "== 1", "!= 1"])
        return f"count({self.condition(inner, depth - 1)}{loops}) {sign}"

    def other(self, scope: Scope, depth: int) -> str:
        """Return a condition of a rarer form."""
        kind = self.chance.randrange(5)
        if kind == 0 and self.helpers:
            name, indices = self.chance.choice(self.helpers)
            if self.often(self.wrong):
                return f"every({self.atom(scope)}, s.{name})"  # not called: an error
            return f"s.{name}({', '.join(self.member(i, scope) for i in indices)})"
        if kind == 1:
            one, other = (self.condition(scope, depth - 1) for _ in range(2))
            return f"ite({self.atom(scope)}, {one}, {other})"
        if kind == 2:
            sign = self.chance.choice("&|")
            return f"(({self._truth(scope)}) {sign} ({self._truth(scope)}))"
        if kind == 3:
            inner, loops, _ = self._loops(scope, 1)
            return f"{self.chance.choice(['any', 'all'])}({self.atom(inner)}{loops})"
        sign = self.chance.choice(COMPARISONS)
        return f"{self.number(scope, depth)} {sign} {self.number(scope, 0)}"

    def _truth(self, scope: Scope) -> str:
        found = self.atom(scope)
        return f"no({found})" if " in (" in found or "<=" in found else found

    # Numbers

    def number(self, scope: Scope, depth: int = 2) -> str:
        """Return the text of an integer."""
        if depth <= 0:
            return self._leaf(scope)
        kind = self.chance.randrange(12)
        one, other = self.number(scope, depth - 1), self.number(scope, depth - 1)
        inner, loops, _ = self._loops(scope, 1)
        forms = [
            lambda: self._leaf(scope),
            lambda: f"({one} {self.chance.choice('+-*')} {other})",
            lambda: f"({one} {self.chance.choice('+-')} {self.chance.randint(1, 2)})",
            lambda: f"({one} {self.chance.choice(['% 2', '% 3', '// 2', '// 3'])})",
            lambda: f"{self.chance.choice(['minimum', 'maximum'])}({one}, {other})",
            lambda: f"{self.chance.choice(['minimum', 'maximum'])}({self._leaf(inner)}{loops})",
            lambda: f"ite({self.condition(scope, depth - 1)}, {one}, {other})",
            lambda: f"count({self.condition(inner, depth - 1)}{loops})",
            lambda: f"sum({self.number(inner, 0)}{loops})",
            lambda: f"abs({one})",
            lambda: f"tabulated({self.chance.choice(TABLES)}, {one}, {self._leaf(scope)})",
            lambda: f"({one} if {self.condition(scope, 0)} else {other})",
        ]
        return forms[kind]()

    def _leaf(self, scope: Scope) -> str:
        texts = [self.place(v, scope) for v in self.usable(scope, "int")] * 3
        texts += [self.place(v, scope) for v in self.usable(scope, "bool", "member", "reference")]
        texts += [*scope.numbers, *scope.numbers, str(self.chance.randint(0, 3)), "1", "0"]
        texts += list(scope.members)
        return self.chance.choice(texts)

    # Claims as people write them

    def claim(self, scope: Scope) -> str:
        """Return a condition of a form that claims often have."""
        kind = self.chance.randrange(6)
        inner, loops, _ = self._loops(scope, 1)
        if kind == 0:
            return f"count({self.atom(inner)}{loops}) {self.chance.choice(['<= 1', '< 2', '< 3'])}"
        if kind == 1:
            return f"every(implies({self.atom(inner)}, {self.condition(inner, 1)}){loops})"
        if kind == 2:
            both, loops, (a, b) = self._loops(scope, 2)
            return f"no(every({self.atom(both)}, {self.atom(both)}, {a} != {b}){loops})"
        if kind == 3:
            return f"no(every({self.atom(inner)}, {self.atom(inner)}){loops})"
        if kind == 4 and self.usable(scope, "int") and not self.plain:
            variable = self.chance.choice(self.usable(scope, "int"))
            return (
                f"{self.place(variable, scope)} {self.chance.choice(['<', '<='])} {variable.high}"
            )
        return self.condition(scope, 2)
