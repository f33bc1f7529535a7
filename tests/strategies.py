"""Random specs, as the Python text that a user could have written."""

from __future__ import annotations

import itertools
import linecache
from typing import Any

from hypothesis import strategies as st

from counterpoint.spec.notation import Model, Spec

HEADER = """\
from counterpoint.spec.notation import *
"""

TABLES = (
    "lambda a, b: a * a // 3 - b",
    "lambda a, b: (7 * a + 3 * b) % 4",
    "lambda a, b: bool(a & 1) == bool(b)",
    "lambda a, b: 1",
)
"""Functions of an integer and a truth value."""

COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


@st.composite
def integers(draw: st.DrawFn, names: tuple[str, ...], depth: int = 2) -> str:
    """Return the text of an integer expression over the state and the action's parameters."""
    leaves = ["s.a", "s.b", "s.n[0]", "s.n[1]", *(f"s.n[{p}]" for p in names), *names]
    leaves += [str(draw(st.integers(-2, 3))).replace("-", "0-")]
    if depth == 0:
        return f"({draw(st.sampled_from(leaves))})"
    inner = integers(names, depth - 1)
    truth = conditions(names, depth - 1)
    kind = draw(st.integers(0, 10))
    if kind <= 3:
        return f"({draw(st.sampled_from(leaves))})"
    if kind == 10:
        return f"tabulated({draw(st.sampled_from(TABLES))}, {draw(inner)}, {draw(truth)})"
    if kind <= 5:
        return f"({draw(inner)} {draw(st.sampled_from('+-*'))} {draw(inner)})"
    if kind == 6:
        return f"({draw(inner)} {draw(st.sampled_from(['% 2', '% 3', '// 2', '// 3']))})"
    if kind == 7:
        return f"{draw(st.sampled_from(['minimum', 'maximum']))}({draw(inner)}, {draw(inner)})"
    if kind == 8:
        return f"ite({draw(truth)}, {draw(inner)}, {draw(inner)})"
    return f"s.n[{draw(inner)}]" if draw(st.booleans()) else f"count([{draw(truth)}, s.f])"


@st.composite
def conditions(draw: st.DrawFn, names: tuple[str, ...], depth: int = 2) -> str:
    """Return the text of a condition, with operators that fork and with ones that do not."""
    kind = draw(st.integers(0, 7)) if depth else draw(st.integers(0, 3))
    if kind == 0:
        return "s.f"
    if kind <= 3:
        left, right = draw(integers(names, 0)), draw(integers(names, 0))
        if depth:
            left = draw(integers(names, depth - 1))
        return f"({left} {draw(st.sampled_from(COMPARISONS))} {right})"
    one, other = draw(conditions(names, depth - 1)), draw(conditions(names, depth - 1))
    forms = [
        f"({one} and {other})",
        f"({one} or {other})",
        f"(not {one})",
        f"every({one}, {other})",
        f"some([{one}, {other}])",
        f"no({one})",
        f"implies({one}, {other})",
        f"({one} == {other})",
    ]
    return draw(st.sampled_from(forms))


@st.composite
def statements(draw: st.DrawFn, names: tuple[str, ...], indent: int, depth: int = 2) -> list[str]:
    """Return the lines of a block."""
    pad = "    " * indent
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.integers(0, 6))
        if kind == 0:
            lines.append(f"{pad}require({draw(conditions(names, 1))})")
        elif kind == 1 and depth:
            lines.append(f"{pad}if {draw(conditions(names, 1))}:")
            lines += draw(statements(names, indent + 1, depth - 1))
            if draw(st.booleans()):
                lines.append(f"{pad}else:")
                lines += draw(statements(names, indent + 1, depth - 1))
        elif kind == 2:
            lines.append(f"{pad}s.f = {draw(conditions(names, 1))}")
        else:
            lines.append(f"{pad}{draw(_assignment(names))}")
    return lines


@st.composite
def _assignment(draw: st.DrawFn, names: tuple[str, ...]) -> str:
    place = draw(st.sampled_from(["s.a", "s.b", "s.n[0]", "s.n[s.a % 2]", "s.n[s.b]", *names]))
    if place in names:
        place = f"s.n[{place}]"
    value = draw(integers(names, 2))
    if draw(st.integers(0, 3)):  # mostly within the range, so that there is something to explore
        value = f"maximum(0, minimum(2, {value}))"
    return f"{place} = {value}"


@st.composite
def sources(draw: st.DrawFn) -> str:
    """Return the text of a module that defines one spec, ``Random``."""
    lines = [
        HEADER,
        "class Random(Spec):",
        "    members = Index(2, names='p q')",
        f"    a = Integer({draw(st.sampled_from([-1, 0]))}, {draw(st.integers(2, 4))})",
        f"    b = Integer(0, 2, initially={draw(st.sampled_from(['0', '1', 'ANY']))})",
        "    f = Boolean()",
        "    n = Array(members, Integer(0, 2))",
    ]
    for i in range(draw(st.integers(1, 3))):
        names = draw(st.sampled_from([(), ("p",), ("p", "q")]))
        lines += ["    @action", f"    def act{i}(s{''.join(', ' + n for n in names)}):"]
        lines += draw(statements(names, 2))
    lines += ["    @invariant", "    def always(s):", f"        return {draw(conditions((), 1))}"]
    lines += ["    @sometimes", "    def witness(s):", f"        return {draw(conditions((), 1))}"]
    lines += ["    @transition", "    def moves(s, after):"]
    lines += ["        return every(after.a >= s.a - 1, implies(s.f, after.b >= s.b))"]
    if draw(st.booleans()):
        lines += ["    @finished", "    def ends(s):", f"        return {draw(conditions((), 1))}"]
    return "\n".join(lines) + "\n"


SYMMETRIC_HEADER = """\
from enum import IntEnum
from counterpoint.spec.notation import *

class Nobody(IntEnum):
    NOBODY = -1

class Random(Spec):
    members = Index(3, names='p q')
    a = Integer(0, 2)
    who = Reference(members, Nobody)
    last = Array(members, Reference(members, Nobody))
    n = Array(members, Integer(0, 2))
    met = Array((members, members), Boolean())
    f = Boolean()
"""

SYMMETRIC_CONDITIONS = (
    "s.n[p] == s.a", "s.n[p] < 2", "s.n[q] <= s.n[p]", "s.who == p", "s.who != q", "s.who < 0",
    "s.last[p] == q", "s.last[p] == s.who", "s.last[q] >= 0", "s.met[p, q]", "no(s.met[q, p])",
    "no(s.f)", "p != q", "every(s.n[m] <= s.n[p] for m in s.members)",
    "some(s.who == m for m in s.members)", "count(s.met[p, m] for m in s.members) < 2",
)  # fmt: skip

SYMMETRIC_STATEMENTS = (
    "s.n[p] = minimum(2, s.n[p] + 1)", "s.n[q] = s.a", "s.a = s.n[p]", "s.who = p",
    "s.who = s.last[p]", "s.last[q] = s.who", "s.last[p] = ite(s.f, q, p)", "s.met[p, q] = True",
    "s.met[q, p] = s.met[p, p]", "s.f = no(s.f)", "s.f = s.who == q", "s.a = (s.a + 1) % 3",
    "s.n[p] = count(s.last[m] == p for m in s.members) % 3", "s.who = Nobody.NOBODY",
    "s.last[p] = ite(s.last[q] == p, q, s.last[q])",
)  # fmt: skip

LOPSIDED = ("s.n[0] = 1", "s.who = 0", "s.a = s.n[1]", "s.n[p] = p", "require(s.who <= 0)")

SYMMETRIC_CLAIMS = (
    "no(every(s.n[m] == 2, s.who == m) for m in s.members)",
    "count(s.n[m] == 2 for m in s.members) < 3",
    "some(s.met[m, k] for m in s.members for k in s.members if m != k)",
    "every(s.last[m] == s.who for m in s.members)", "s.a < 2", "s.f",
)  # fmt: skip


@st.composite
def symmetric_sources(draw: st.DrawFn) -> str:
    """Return the text of a spec whose members are mostly interchangeable."""
    lines = [SYMMETRIC_HEADER]
    for i in range(draw(st.integers(2, 4))):
        lines += ["    @action", f"    def act{i}(s, p, q):"]
        for condition in draw(st.lists(st.sampled_from(SYMMETRIC_CONDITIONS), max_size=2)):
            word = draw(st.sampled_from(["require({})", "if {}: s.f = True"]))
            lines.append(f"        {word.format(condition)}")
        chosen = st.lists(st.sampled_from(SYMMETRIC_STATEMENTS), min_size=1, max_size=3)
        lines += [f"        {statement}" for statement in draw(chosen)]
        if not draw(st.integers(0, 9)):
            lines.append(f"        {draw(st.sampled_from(LOPSIDED))}")
    for kind, name in (("invariant", "always"), ("sometimes", "witness"), ("finished", "ends")):
        claim = draw(st.sampled_from(SYMMETRIC_CLAIMS))
        lines += [f"    @{kind}", f"    def {name}(s):", f"        return {claim}"]
    lines += ["    @transition", "    def moves(s, after):"]
    lines += ["        return every(after.n[m] >= s.n[m] for m in s.members)"]
    return "\n".join(lines) + "\n"


WAITING_HEADER = """\
from counterpoint.spec.notation import *

class Random(Spec):
    members = Index(3, names='p')
    at = Array(members, Integer(0, 3))
    own = Array(members, Integer(0, 2))
    lock = Boolean()
    shared = Integer(0, 2)
"""

WAITING_STATEMENTS = (
    "s.own[p] = (s.own[p] + 1) % 3", "s.own[p] = 0", "require(no(s.lock)); s.lock = True",
    "s.lock = False", "s.shared = s.own[p]", "require(s.shared < 2); s.shared = s.shared + 1",
    "require(s.shared != 1)", "s.own[p] = s.shared", "pass", "pass",
    "s.own[(p + 1) % 3] = 1", "require(s.at[(p + 1) % 3] != 2)",
)  # fmt: skip

WAITING_CLAIMS = (
    "s.shared < 2", "no(s.lock)", "s.own[0] < 2", "no(every(s.at[m] == 2 for m in s.members))",
    "every(s.at[m] == 3 for m in s.members)", "s.own[1] + s.shared < 4", "s.at[2] < 3",
)  # fmt: skip


@st.composite
def waiting_sources(draw: st.DrawFn) -> str:
    """Return the text of a spec whose processes each go through a few places, mostly alone."""
    lines = [WAITING_HEADER]
    for place in range(4):
        after = draw(st.sampled_from([(place + 1) % 4, place + 1 if place < 3 else 0, 0, 3]))
        statement = draw(st.sampled_from(WAITING_STATEMENTS))
        lines += ["    @action", f"    def act{place}(s, p):"]
        lines += [f"        require(s.at[p] == {place})", f"        {statement}"]
        lines += [f"        s.at[p] = {after}"]
    for kind, name in (("invariant", "always"), ("sometimes", "witness"), ("finished", "ends")):
        claim = draw(st.sampled_from(WAITING_CLAIMS))
        lines += [f"    @{kind}", f"    def {name}(s):", f"        return {claim}"]
    return "\n".join(lines) + "\n"


_numbers = itertools.count()


def build(source: str) -> Model:
    """Return the model of the spec that a source defines."""
    space: dict[str, Any] = {}
    name = f"<random spec {next(_numbers)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    exec(compile(source, name, "exec"), space)
    found: type[Spec] = space["Random"]
    return Model(found())
