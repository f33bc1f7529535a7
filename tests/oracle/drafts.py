"""A random spec while it is written, for both profiles of random specs."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tests.oracle.cores import CORES
from tests.oracle.expressions import Scope
from tests.oracle.functions import SpecError
from tests.oracle.search import Runner, spec_in
from tests.oracle.vocabulary import LABELS, NAMES, Core, Var

HEADER = "from enum import IntEnum\nfrom counterpoint.spec.notation import *\n\n"


@dataclass
class Draft:
    """A spec that is being written.

    Attributes
    ----------
    sizes : dict
        The indices.
    variables : list of Var
        The variables.
    actions : dict
        Name and parameters to lines.
    methods : list of (str, str, str)
        A method's decorator, its name and parameters, and the expression that it returns.
    """

    sizes: dict[str, int]
    variables: list[Var] = field(default_factory=list)
    actions: dict[str, list[str]] = field(default_factory=dict)
    methods: list[tuple[str, str, str]] = field(default_factory=list)
    any_number: tuple[str, ...] = ()

    def bits(self) -> float:
        """Return the binary logarithm of the number of possible states."""
        return sum(v.bits(self.sizes) for v in self.variables)

    def say(self, mark: str, name: str, expression: str, parameters: str = "s") -> None:
        """Add a method."""
        self.methods.append((mark, f"{name}({parameters})", expression))

    def text(self) -> str:
        """Return the module."""
        enums = dict.fromkeys(v.enumeration() for v in self.variables if v.enum)
        lines = [HEADER + "\n".join(enums), "class Random(Spec):"]
        if self.any_number:
            lines.append(f"    any_number = ({', '.join(map(repr, self.any_number))},)")
        for index, size in self.sizes.items():
            names, label = " ".join(NAMES[index]), LABELS[index]
            labels = f", labels={label!r}" if label else ""
            lines.append(f"    {index} = Index({size}, names={names!r}{labels})")
        lines += [f"    {v.declaration()}" for v in self.variables]
        for head, body in self.actions.items():
            inner = "\n".join(body).split("\n")
            lines += ["", "    @action", f"    def {head}:", *(f"        {line}" for line in inner)]
        for mark, head, expression in self.methods:
            lines += ["", *([f"    @{mark}"] if mark else []), f"    def {head}:"]
            lines.append(f"        return {expression}")
        return "\n".join(lines) + "\n"


def lasting(draft: Draft, write: Callable[[], str], tries: int = 4) -> str:
    """Return a claim that does not fail at once; a claim that does says little about the runs."""
    for _ in range(tries):
        claim = write()
        trial = replace(draft, methods=[*draft.methods])
        trial.say("invariant", "trial", claim)
        runner = Runner(spec_in(trial.text())())
        try:
            if all(runner.holds("trial", start) for start in runner.starts()[:4]):
                break
        except SpecError:
            break
    return claim


def some_cores(chance: random.Random, most: int) -> list[Core]:
    """Return one core, or where more are allowed up to two or none."""
    wanted = chance.choice([0, 1, 1, 2, 2]) if most > 1 else 1
    return [CORES[i] for i in sorted(chance.sample(range(len(CORES)), wanted))]


def add_core(draft: Draft, core: Core, chance: random.Random, spoils: float) -> None:
    """Add a core's variables and actions, sometimes with an error."""
    draft.variables += core.variables
    actions = {head: list(lines) for head, lines in core.actions.items()}
    if chance.random() < spoils:
        head = chance.choice(list(actions))
        _spoil(actions[head], chance)
    draft.actions |= {head: lines or ["pass"] for head, lines in actions.items()}


SLIPS = (
    (r"no\((s\.\w+)\)", r"\1"),
    (r"== (\w)", r"!= \1"),
    (r"\bTrue\b", "False"),
    (r"\bq\b", "p"),
    (r" \+ 1", ""),
    (r"require\(((?:[^(),[\]]|\[[^\]]*\])+), .+\)$", r"require(\1)"),
    (r"\bevery\b", "some"),
    (r"<= ", "< "),
)
"""Typical mistakes, as replacements in a line."""


def _spoil(lines: list[str], chance: random.Random) -> None:
    """Leave a line out, or change a part of it."""
    at = chance.randrange(len(lines))
    fitting = [s for s in SLIPS if re.search(s[0], lines[at]) and not lines[at].startswith("for")]
    if not fitting or chance.random() < 0.5:
        del lines[at]
    else:
        pattern, by = chance.choice(fitting)
        lines[at] = re.sub(pattern, by, lines[at], count=1)


def some_parameters(draft: Draft, chance: random.Random, most: int = 2) -> list[str]:
    """Return the names of an action's parameters, in most cases one."""
    names = [n for index in draft.sizes for n in NAMES[index]]
    return sorted(chance.sample(names, min(len(names), chance.choice([0, 1, 1, 1, most]))))


def scope_of(names: list[str], state: str = "s") -> Scope:
    """Return the scope of a method with these parameters."""
    of = {n: index for index, several in NAMES.items() for n in several}
    return Scope({n: of[n] for n in names}, state=state)
