"""Random bodies of actions."""

from __future__ import annotations

from dataclasses import replace

from tests.oracle.expressions import Expressions, Scope
from tests.oracle.vocabulary import Var


class Statements:
    """A writer of random blocks of statements, line by line.

    Parameters
    ----------
    text : Expressions
        The writer of expressions, which has the variables.
    """

    def __init__(self, text: Expressions) -> None:
        self.text, self.chance = text, text.chance

    def block(self, scope: Scope, depth: int, most: int = 3) -> list[str]:
        """Return the lines of a block."""
        lines: list[str] = []
        for _ in range(self.chance.randint(1, most)):
            kind = self.chance.randrange(10)
            if kind == 0 and not self.text.plain:
                name = f"old{len(scope.numbers)}"
                lines.append(f"{name} = {self.text.number(scope, 1)}")
                scope = replace(scope, numbers=(*scope.numbers, name))
            elif kind in (1, 2) and depth > 0:
                lines += self._branch(scope, depth)
            elif kind == 3 and depth > 0:
                lines += self._loop(scope)
            elif kind == 4:
                lines.append(f"require({self.text.condition(scope, 1)})")
            else:
                lines.append(self.assignment(scope))
        return lines

    def _branch(self, scope: Scope, depth: int) -> list[str]:
        lines = [f"if {self.text.condition(scope, 1)}:", *self._inside(scope, depth)]
        if self.text.often(0.3):
            lines += [f"elif {self.text.condition(scope, 1)}:", *self._inside(scope, depth)]
        if self.text.often(0.5):
            lines += ["else:", *self._inside(scope, depth)]
        elif not self.text.plain and self.text.often(0.1):
            lines[-1:] = [lines[-1], "    return"]
        return lines

    def _inside(self, scope: Scope, depth: int) -> list[str]:
        return ["    " + line for line in self.block(scope, depth - 1, 2)]

    def _loop(self, scope: Scope) -> list[str]:
        """Return a loop over an index that assigns to its members."""
        over = [v for v in self.text.usable(scope, "bool", "int", "member", "reference") if v.over]
        indices = sorted({v.over[0] for v in self.text.variables if v.over}) or list(
            self.text.sizes
        )
        index = self.chance.choice([v.over[0] for v in over] or indices)
        name = next(n for n in ("n", "m", "i", "j") if n not in scope.members)
        inner = scope.bind(name, index)
        targets = [v for v in self.text.variables if index in v.over]
        targets = [v for v in targets if v in self.text.usable(inner, v.kind)]
        if not targets:
            return [self.assignment(scope)]
        line = self.assignment(inner, self.chance.choice(targets), name)
        if not self.text.plain and self.text.often(0.4):
            return [
                f"for {name} in s.{index}:",
                f"    if {self.text.condition(inner, 1)}:",
                f"        {line}",
            ]
        return [f"for {name} in s.{index}:", f"    {line}"]

    def assignment(self, scope: Scope, variable: Var | None = None, at: str = "") -> str:
        """Return an assignment; with ``at``, to that member of the variable's index."""
        usable = self.text.usable(scope, "bool", "int", "member", "reference")
        if variable is None:
            if not usable:
                return "pass"
            variable = self.chance.choice(usable)
        place = self.text.place(variable, scope)
        if at:
            keys = [at if scope.members[at] == i else self.text.member(i, scope)
                    for i in variable.over]  # fmt: skip
            place = f"s.{variable.name}[{', '.join(keys)}]"
        value = getattr(self, f"_{variable.kind}")(variable, place, scope)
        if variable.kind == "int" and value.endswith(" + 1") and self.text.often(0.5):
            return f"{place} += 1"
        return f"{place} = {value}"

    def _bool(self, variable: Var, place: str, scope: Scope) -> str:
        simple = ["True", "False", f"no({place})"]
        if not self.text.plain:
            simple.append(f"not {place}")
        return self.chance.choice([*simple, self.text.condition(scope, 1)])

    def _member(self, variable: Var, place: str, scope: Scope) -> str:
        named = [f"{variable.enum}.{name}" for name in variable.named]
        one, other = self.chance.choice(named), self.chance.choice(named)
        if self.text.often(0.3):
            return f"ite({self.text.condition(scope, 1)}, {one}, {other})"
        return one

    def _reference(self, variable: Var, place: str, scope: Scope) -> str:
        named = [f"{variable.enum}.{name}" for name in variable.named]
        named += [name for name, of in scope.members.items() if of == variable.to] * 2
        others = [
            v for v in self.text.usable(scope, "reference")
            if v.to == variable.to and v.low == variable.low
        ]  # fmt: skip
        named += [self.text.place(v, scope) for v in others]
        if self.text.often(self.text.wrong):
            return self.text.member(variable.to, scope) + " + 1"
        one, other = self.chance.choice(named), self.chance.choice(named)
        if self.text.often(0.3):
            return f"ite({self.text.condition(scope, 1)}, {one}, {other})"
        return one

    def _int(self, variable: Var, place: str, scope: Scope) -> str:
        low, high = variable.low, variable.high
        if self.text.plain:
            return self.chance.choice([f"{place} + 1", str(low), str(high), f"{place} - 1"])
        forms = [
            f"minimum({high}, {place} + 1)",
            f"maximum({low}, {place} - 1)",
            f"maximum({low}, minimum({high}, {self.text.number(scope, 2)}))",
            f"{low} + ({place} + 1 - {low}) % {high - low + 1}",
            str(self.chance.randint(low, high)),
            f"ite({self.text.condition(scope, 1)}, {place}, {low})",
            f"ite({place} < {high}, {place} + 1, {place})",
        ]
        if self.text.often(0.2):  # this may leave the range
            forms = [f"{place} + 1", f"{place} - 1", self.text.number(scope, 1)]
        return self.chance.choice(forms)
