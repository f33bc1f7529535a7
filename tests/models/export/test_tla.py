"""The exported TLA+ module, run by a small interpreter of the subset of TLA+ that it uses.

TLC itself is not run here. The interpreter does not know guarded commands: it reads ``Init``,
``Next`` and the invariants from the text.
"""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given

from counterpoint.models.explore import exhaustive
from counterpoint.models.export.tla import tla
from counterpoint.spec.notation import Model, SpecError
from tests import reference, strategies
from tests.examples import few_and_many
from tests.models.test_agreement import MODELS

from .odd import Odd
from .test_promela import Corner

State = tuple[int, ...]

WORDS = (
    (r"\(IF ", "ite("),
    (r" (THEN|ELSE) ", ", "),
    (r"/\\", " and "),
    (r"\\/", " or "),
    (r"\\div", " // "),
    (r"(?<![<>=:])=(?![=>])", "=="),
    (r"~", " not "),
    (r"\bTRUE\b", "True"),
    (r"\bFALSE\b", "False"),
)


def python(text: str) -> str:
    """Translate a printed TLA+ expression into Python."""
    while found := re.search(r"\(LET ((?:t\d+ == .*?)) IN ", text):
        names = re.findall(r"(t\d+) == (.*?)(?=  t\d+ ==|$)", found[1])
        values = "".join(f"({name} := {python(value)}) is None or " for name, value in names)
        text = text[: found.start()] + f"({values}" + text[found.end() :]
    left, arrow, right = text.partition(" => ")
    if arrow:
        return f"(not ({python(left)})) or ({python(right)})"
    for pattern, word in WORDS:
        text = re.sub(pattern, word, text)
    return text


class Module:
    """A TLA+ module, read from its text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.variables = re.findall(r"\w+", re.search(r"^vars == <<(.*)>>$", text, re.M)[1])  # type: ignore[index]
        blocks = re.findall(r"^(\w+) ==\n((?:  (?:/\\|\\/) .*\n)+)", text, re.M)
        self.parts = {n: [line[5:] for line in body.splitlines()] for n, body in blocks}
        self.compiled: dict[str, Any] = {}

    def value(self, text: str, state: State) -> Any:
        """Evaluate an expression in a state."""
        if text not in self.compiled:
            self.compiled[text] = compile(python(text).strip(), text, "eval")
        space = dict(zip(self.variables, state, strict=True))
        space["ite"] = lambda c, a, b: a if c else b  # type: ignore[assignment]
        return eval(self.compiled[text], space)

    def holds(self, name: str, state: State) -> bool:
        """Return whether a definition is true of a state."""
        return all(self.value(part, state) for part in self.parts[name])

    def sets(self, name: str) -> list[list[int]]:
        r"""Return the set of every variable in conjuncts ``v \in ...``."""
        found = {}
        for part in self.parts[name]:
            variable, sign, of = part.partition(r" \in ")
            if not sign:
                continue
            low, dots, high = of.partition("..")
            if dots:
                found[variable] = list(range(self.value(low, self.nowhere), int(high) + 1))
            elif of == "BOOLEAN":
                found[variable] = [0, 1]
            else:
                found[variable] = [int(self.value(v, self.nowhere)) for v in of[1:-1].split(", ")]
        assert list(found) == self.variables
        return list(found.values())

    @property
    def nowhere(self) -> State:
        """Any state, to evaluate constant expressions in."""
        return (0,) * len(self.variables)

    def initial(self) -> list[State]:
        """Return the states of ``Init``."""
        rest = [p for p in self.parts["Init"] if r" \in " not in p]
        return [s for s in product(*self.sets("Init")) if all(self.value(p, s) for p in rest)]

    def after(self, state: State) -> set[State]:
        """Return the states that ``Next`` allows."""
        ways = [name for name in self.parts["Next"] if name != "FALSE"]
        return {s for name in ways if (s := self.step(name, state)) is not None}

    def step(self, name: str, state: State) -> State | None:
        """Return the state after one disjunct of ``Next``, or None if it is disabled."""
        new = {}
        for part in self.parts[name]:
            moved = re.match(r"(\w+)' = (.*)", part)
            if moved:
                new[moved[1]] = int(self.value(moved[2], state))
            elif part.startswith("UNCHANGED"):
                for variable in re.findall(r"\w+", part.partition("<<")[2]):
                    new[variable] = state[self.variables.index(variable)]
            elif not self.value(part, state):
                return None
        assert sorted(new) == sorted(self.variables), f"{name} leaves a variable open"
        return tuple(new[v] for v in self.variables)

    def explore(self) -> dict[State, None]:
        """Return every reachable state."""
        found = dict.fromkeys(self.initial())
        todo = list(found)
        for state in todo:
            new = [s for s in self.after(state) if s not in found]
            found |= dict.fromkeys(new)
            todo += new
        return found


def agree(model: Model, failed: set[str], states: int) -> None:
    """Compare a module's states and invariants with those of the spec."""
    claims = (*model.properties, *model.lemmas)
    module = Module(tla(model, claims))
    found = module.explore()
    assert len(found) == states
    ranges = [range(c.low, c.high + 1) for c in model.cells if c.low < c.high]
    assert [list(r) for r in ranges] == module.sets("TypeOK")
    assert all(v in of for s in found for v, of in zip(s, ranges, strict=True))
    for claim in claims:
        verb = "never" if claim.kind == "sometimes" else "always"
        name = f"{verb}_{claim.name.replace('-', '_')}"
        assert f" {name}" in module.text.partition("EXTENDS")[0]
        holds = all(module.holds(name, s) for s in found)
        assert holds == (claim.name not in failed), claim.name


@pytest.mark.long
@pytest.mark.parametrize("name", ["peterson", "window old", "odd", "corner"])
def test_the_module_says_what_the_spec_says(name: str) -> None:
    """A module whose text has another start, step, state or verdict than the spec."""
    own = {"odd": lambda: Model(Odd()), "corner": lambda: Model(Corner())}
    model = {**MODELS, **own}[name]()
    states = exhaustive.explore(model, wanted=()).states
    claims = (*model.properties, *model.lemmas)
    failures = exhaustive.explore(model, wanted=claims).failures
    agree(model, set(failures), len(states))


@pytest.mark.long
@few_and_many(
    given(source=strategies.sources()), 30, 300,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)  # fmt: skip
def test_random_modules_say_what_the_specs_say(source: str) -> None:
    """Any construct that is printed wrongly."""
    model = strategies.build(source)
    naive = reference.explore(model, limit=300)
    assume(naive is not None and naive.states)
    assert naive is not None
    agree(model, set(naive.first), len(naive.states))


def test_it_is_named_and_closed() -> None:
    """A module without an end, or not named like its file, so that TLC rejects it."""
    text = tla(MODELS["window old"]())
    assert re.match(r"-{4,} MODULE window_stm -{4,}\n", text)
    assert re.search(r"\n={4,}\n$", text)
    assert "window_stm.cfg" in text
    assert text.isascii()


@pytest.mark.parametrize("name", ["window old", "odd"])
def test_each_variable_has_a_type_for_apalache(name: str) -> None:
    """A variable without a type or of a wrong one; a tuple that Apalache takes for a sequence."""
    model = Model(Odd()) if name == "odd" else MODELS[name]()
    text = tla(model)
    declared = re.search(r"^VARIABLES\n((?:  .*\n)+)\n", text, re.M)
    assert declared is not None
    found = re.findall(r"  \\\* @type: (Int|Bool);\n  (\w+)(,?)\n", declared[1])
    assert "".join(f"  \\* @type: {t};\n  {n}{c}\n" for t, n, c in found) == declared[1]
    assert [c for _, _, c in found] == [","] * (len(found) - 1) + [""]
    bounds = text.partition("Init ==")[0]
    sets = dict(re.findall(r"^  /\\ (\w+) \\in (BOOLEAN|.*)$", bounds, re.M))
    assert {n: t == "Bool" for t, n, _ in found} == {n: of == "BOOLEAN" for n, of in sets.items()}
    assert {t for t, _, _ in found} == ({"Int"} if name == "odd" else {"Int", "Bool"})
    types = ", ".join(t for t, _, _ in found)
    names = ", ".join(n for _, n, _ in found)
    assert f"\\* @type: () => <<{types}>>;\nvars == <<{names}>>\n" in text


def test_a_spec_without_a_start_is_refused() -> None:
    """A module without initial states, of which every property would be true."""

    class Nowhere(Odd):
        pass

    model = Model(Nowhere())
    model.initial_states = lambda: iter(())  # type: ignore[method-assign]
    with pytest.raises(SpecError, match="no initial state"):
        tla(model)
