"""Random specs that use all of the notation, as Python text; equal seeds give equal texts."""

from __future__ import annotations

import random
import re
from dataclasses import replace

from tests.oracle.drafts import Draft, add_core, lasting, scope_of, some_cores, some_parameters
from tests.oracle.expressions import Expressions, Scope
from tests.oracle.statements import Statements
from tests.oracle.vocabulary import NAMES, Core, Var

MOST_BITS = 12.0
"""The binary logarithm of the largest number of states of a random spec."""


def _random_variable(number: int, draft: Draft, chance: random.Random) -> Var:
    """Return a variable of any kind."""
    indices = list(draft.sizes)
    over = tuple(chance.sample(indices, min(len(indices), chance.choice([0, 0, 1, 1, 1, 2]))))
    if over and chance.random() < 0.1:
        over = (over[0], over[0])
    kind = chance.choice(["bool", "bool", "int", "int", "member", "reference"])
    name = f"{chance.choice(['a', 'b', 'c', 'd', 'e'])}{number}"
    if kind == "bool":
        return Var(name, kind, over, start=_start(chance, over, ["True", "False"]))
    if kind == "member":
        named = ("A", "B", "C", "D")[: chance.randint(2, 3)]
        low = chance.choice([0, 0, 0, 1, -1])
        high = low + len(named) - 1
        enum = f"Kind{number}"
        start = _start(chance, over, [f"{enum}.B"])
        return Var(name, kind, over, low, high, enum, named, start=start)
    if kind == "reference":
        named = ("LOST", "NONE")[chance.randint(0, 1) :]
        enum, to = f"None{number}", chance.choice(indices)
        start = _start(chance, over, [f"{enum}.NONE", "0"])
        return Var(name, kind, over, -len(named), -1, enum, named, to, start)
    low = chance.choice([0, 0, 0, -1, -2, 1])
    high = low + chance.randint(1, 3)
    grows = high > 1 and chance.random() < 0.1
    first = indices[0]
    top = f"lambda s: len(s.{first})" if low < draft.sizes[first] and chance.random() < 0.15 else ""
    high = draft.sizes[first] if top else high
    if chance.random() < 0.04:
        low, high, top = -3, -2, ""
    start = _start(chance, over, [str(low), str(high)])
    return Var(name, kind, over, low, high, start=start, top=top, grows=grows)


def _start(chance: random.Random, over: tuple[str, ...], values: list[str]) -> str:
    """Return the text of an initial value, in most cases the default."""
    kind = chance.randrange(10)
    if kind == 0 and len(over) < 2:
        return "ANY"
    if kind == 1:
        return chance.choice(values)
    if kind == 2 and len(over) == 1:
        one = chance.choice(values)
        return f"lambda s, m: {one} if m == 0 else {chance.choice(values)}"
    return ""


def _sizes(chance: random.Random, cores: list[Core]) -> dict[str, int]:
    wanted = {index for core in cores for index in core.indices} or {"processes"}
    found = {i: chance.choice([1, 2, 2, 2, 2, 3, 3]) for i in NAMES if i in wanted}
    for index in NAMES:
        if index not in found and chance.random() < 0.3:
            found[index] = chance.choice([1, 2, 2, 3])
    return {index: found[index] for index in NAMES if index in found}


def random_spec(seed: int) -> str:
    """Return the text of a spec that may use all of the notation."""
    chance = random.Random(seed)
    cores = some_cores(chance, 2)
    draft = Draft(_sizes(chance, cores))
    for core in cores:
        add_core(draft, core, chance, 0.4)
    while draft.bits() > MOST_BITS and any(size > 1 for size in draft.sizes.values()):
        largest = max(draft.sizes, key=lambda index: draft.sizes[index])
        draft.sizes[largest] -= 1
    for number in range(chance.randint(0 if cores else 2, 3)):
        new = _random_variable(number, draft, chance)
        if draft.bits() + new.bits(draft.sizes) <= MOST_BITS:
            draft.variables.append(new)
    if not draft.variables:
        draft.variables.append(Var("n", "int", high=3))
    text = Expressions(chance, draft.sizes, draft.variables, forks=chance.choice([0.1, 0.3, 0.6]))
    _helpers(draft, text)
    _random_actions(draft, text, cores)
    text.wrong = 0.02 if chance.random() < 0.1 else 0.0
    _claims(draft, text, cores)
    return draft.text()


def _helpers(draft: Draft, text: Expressions) -> None:
    for number in range(text.chance.choice([0, 0, 1])):
        names = some_parameters(draft, text.chance, 1)
        expression = text.condition(scope_of(names), 1)
        draft.say("", f"helper{number}", expression, ", ".join(["s", *names]))
        text.helpers.append((f"helper{number}", tuple(scope_of(names).members.values())))


def _random_actions(draft: Draft, text: Expressions, cores: list[Core]) -> None:
    """Add actions, and add statements to those of the cores."""
    chance = text.chance
    text.wrong = 0.08 if chance.random() < 0.3 else 0.0
    statements = Statements(text)
    own = set(draft.actions)
    for number in range(chance.randint(0, 2) if cores else chance.randint(2, 4)):
        names = some_parameters(draft, chance)
        scope = scope_of(names)
        lines = [f"require({text.condition(scope, 1)})"] if chance.random() < 0.5 else []
        if chance.random() < 0.15:
            lines.append(f"require({text.atom(scope)}, {text.condition(scope, 1)})")
        lines += statements.block(scope, 2)
        draft.actions[f"act{number}({', '.join(['s', *names])})"] = lines
    for head in sorted(own):
        if chance.random() < 0.2:
            names = re.findall(r"\w+", head)[2:]
            at = chance.randint(1, len(draft.actions[head]))
            draft.actions[head][at:at] = [statements.assignment(scope_of(names))]


def _claims(draft: Draft, text: Expressions, cores: list[Core]) -> None:
    chance = text.chance
    known = [c for core in cores for c in core.claims]
    doubtful = [c for core in cores for c in core.wrong]
    steps = [c for core in cores for c in core.steps]
    for number in range(chance.randint(2, 4)):
        kind = chance.random()
        source = known if kind < 0.35 else doubtful if kind < 0.6 else []
        claim = chance.choice(source) if source else lasting(draft, lambda: text.claim(Scope()))
        draft.say("invariant", f"always{number}", claim)
    if chance.random() < 0.6:
        claim = chance.choice(steps) if steps and chance.random() < 0.6 else _step(text)
        draft.say("transition", "moves", claim, "s, after")
    if chance.random() < 0.6:
        source = doubtful if chance.random() < 0.5 else []
        claim = chance.choice(source) if source else lasting(draft, lambda: text.claim(Scope()))
        draft.say("sometimes", "reached", f"no({claim})")
    if chance.random() < 0.5:
        ends = chance.choice(["False", "True", *(text.condition(Scope(), n) for n in (1, 2))])
        draft.say("finished", "ends", ends)
    if chance.random() < 0.4:
        lemmas = [c for core in cores for c in core.lemmas] or [text.claim(Scope())]
        for number, lemma in enumerate(lemmas):
            draft.say("lemma", f"kept{number}", lemma)
    if any("ANY" in v.start for v in draft.variables) and chance.random() < 0.5:
        draft.say("initially", "begins", text.condition(Scope(), 1))


def _step(text: Expressions) -> str:
    """Return a claim on a state and the next one."""
    variable = text.chance.choice(list(text.variables))
    names = ("m", "n")[: len(variable.over)]
    scope = Scope(dict(zip(names, variable.over, strict=True)))
    place = ", ".join(names)
    now, then = (f"{s}.{variable.name}" + (f"[{place}]" if place else "") for s in ("s", "after"))
    forms = [
        f"{then} >= {now}",
        f"implies({text.atom(scope)}, {then} == {now})",
        f"implies({then} != {now}, {text.atom(scope)})",
        f"{then} <= {now} + 1",
        f"implies({text.atom(scope)}, {text.atom(replace(scope, state='after'))})",
    ]
    claim = text.chance.choice(forms)
    loops = "".join(f" for {n} in s.{i}" for n, i in scope.members.items())
    return f"every({claim}{loops})" if loops else claim
