"""Random specs whose claims may hold for any number of members, as Python text.

They use only what can be expressed without a number, so that the engine for any number has claims
to prove: locks, tokens, tickets with their lemmas, mostly correct, and random actions next to them.
"""

from __future__ import annotations

import random

from tests.oracle.drafts import Draft, add_core, lasting, scope_of, some_cores, some_parameters
from tests.oracle.expressions import Expressions, Scope
from tests.oracle.statements import Statements
from tests.oracle.vocabulary import NAMES, Core, Var


def random_spec_for_any_number(seed: int) -> str:
    """Return the text of a spec whose claims may hold for any number of members."""
    chance = random.Random(f"any number {seed}")
    cores = some_cores(chance, 1) if chance.random() < 0.8 else some_cores(chance, 2)
    sizes = {i: 2 for i in NAMES if any(i in core.indices for core in cores) or i == "processes"}
    draft = Draft(sizes, any_number=tuple(sizes))
    for core in cores:
        add_core(draft, core, chance, 0.35)
    for number in range(chance.randint(0 if cores else 1, 1 if cores else 3)):
        draft.variables.append(_plain_variable(number, draft, chance))
    text = Expressions(chance, draft.sizes, draft.variables, plain=True, forks=0.0)
    if chance.random() < 0.15:  # most of these need a number
        text.plain, text.forks = False, 0.2
    _plain_actions(draft, text, cores)
    _plain_claims(draft, text, cores)
    return draft.text()


def _plain_variable(number: int, draft: Draft, chance: random.Random) -> Var:
    index = chance.choice(list(draft.sizes))
    over = (index,) if chance.random() < 0.7 else ()
    kind = chance.choice(["bool", "bool", "member", "reference"])
    name = f"v{number}"
    if kind == "bool":
        return Var(name, kind, over, start=chance.choice(["", "", "", "", "ANY", "True"]))
    if kind == "member":
        return Var(name, kind, over, 0, 1, f"Kind{number}", ("A", "B"))
    return Var(
        name, kind, over, -1, -1, f"None{number}", ("NONE",), chance.choice(list(draft.sizes))
    )


def _plain_actions(draft: Draft, text: Expressions, cores: list[Core]) -> None:
    chance = text.chance
    statements = Statements(text)
    for number in range(chance.choice([0, 0, 1]) if cores else chance.randint(2, 3)):
        names = some_parameters(draft, chance)
        scope = scope_of(names)
        text.wrong = 0.15 if chance.random() < 0.2 else 0.0
        lines = [f"require({text.condition(scope, 1)})"] if chance.random() < 0.8 else []
        lines += statements.block(scope, 1)
        draft.actions[f"act{number}({', '.join(['s', *names])})"] = lines
    text.wrong = 0.05 if chance.random() < 0.05 else 0.0


def _plain_claims(draft: Draft, text: Expressions, cores: list[Core]) -> None:
    chance = text.chance
    known = [c for core in cores for c in core.claims]
    doubtful = [c for core in cores for c in core.wrong]
    lemmas = [c for core in cores for c in core.lemmas]
    for number in range(chance.randint(2, 3)):
        kind = chance.random()
        source = known if kind < 0.65 else doubtful if kind < 0.85 else []
        claim = chance.choice(source) if source else lasting(draft, lambda: text.claim(Scope()))
        draft.say("invariant", f"always{number}", claim)
        if not source and chance.random() < 0.3:
            lemmas.append(claim)
    steps = [c for core in cores for c in core.steps]
    if steps and chance.random() < 0.5:
        draft.say("transition", "moves", chance.choice(steps), "s, after")
    for number, lemma in enumerate(lemmas):
        if chance.random() < 0.95:
            draft.say("lemma", f"kept{number}", lemma)
