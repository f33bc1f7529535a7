"""Formulas about fair runs: the engines, a tableau, plain Python and the five marks agree."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from counterpoint.models.checking.engines import Options, check
from counterpoint.models.explore.compiled.explorer import CompiledExplorer
from counterpoint.models.explore.exhaustive import explore
from counterpoint.models.explore.liveness.judging import graph_of, verdict_from
from counterpoint.models.lassos import confirm_lasso, fault_of_lasso
from counterpoint.models.limits import Limits
from counterpoint.models.loading import load
from counterpoint.models.ltl.on_lassos import OnLasso
from counterpoint.models.symbolic.trace import trace
from counterpoint.models.verdict import Trace, Verdict
from counterpoint.spec.notation import Model, Shape, Step
from tests.models.ltl.drawing import formula
from tests.needs import need

from .brute_force import KINDS, Machine
from .tableau import Tableau, untils_of
from .telling import telling
from .test_agreement import drawn, walked

CONDITIONS = 3

FORMULAS = {
    "eventually": "sometime({first})",
    "infinitely-often": "always(sometime({first}))",
    "stays": "sometime(always({first}))",
    "leads-to": "always(implies({first}, sometime({second})))",
    "until": "strong_until({first}, {second})",
}
"""What each of the other marks says, as a formula."""

NAMES = {"always": "always", "sometime": "sometime", "strong until": "strong_until",
         "weak until": "weak_until", "release": "release", "implies": "implies"}  # fmt: skip


def in_python(shape: Shape, conditions: list[str]) -> str:
    """Return a formula as a user writes it."""
    if shape.op == "condition":
        return conditions[shape.number]
    parts = [in_python(part, conditions) for part in shape.parts]
    if shape.op in ("and", "or"):
        return f"{'every' if shape.op == 'and' else 'some'}({', '.join(parts)})"
    if shape.op == "not":
        return f"no({parts[0]})"
    return f"{NAMES[shape.op]}({', '.join(parts)})"


def in_set(states: frozenset[int]) -> str:
    """Return the condition that a machine is in one of some states."""
    return f"some(s.at == k for k in {sorted(states)})"


def spec_text(machine: Machine, claims: dict[str, str]) -> str:
    """Return a machine as a spec, with formulas by the names of their methods."""
    lines = machine.text("eventually").split("\n")
    body = "\n".join(lines[:-3]).replace("eventually as claim", "always, every, implies, no, "
                     "release, sometime, strong_until, temporal, weak_until")  # fmt: skip
    for name, text in claims.items():
        body += f"\n    @temporal\n    def {name}(s):\n        return {text}\n"
    return body


def drawn_formula(seed: int) -> tuple[Machine, tuple[frozenset[int], ...], Shape]:
    """Return a random machine with few strong promises, conditions, and a temporal formula."""
    chance = random.Random(seed)
    machine = drawn(seed)
    if sum(fair == "strong" for fair, _ in machine.promises) > 4:
        machine = replace(machine, each=False)
    conditions = tuple(
        frozenset(s for s in range(machine.size) if chance.random() < 0.5)
        for _ in range(CONDITIONS)
    )
    while True:
        shape = formula(chance, chance.randint(1, 7), CONDITIONS)
        if 1 <= len(untils_of(Tableau(machine, conditions, shape).shape)) <= 3:
            return machine, conditions, shape


def loaded(seed: int, folder: Path) -> tuple[Model, bool]:
    """Return a random machine with a formula as a spec, and whether the tableau says it holds."""
    machine, conditions, shape = drawn_formula(seed)
    text = in_python(shape, list(map(in_set, conditions)))
    path = folder / f"formula{seed}.py"
    path.write_text(spec_text(machine, {"claimed": text}))
    return load(str(path)), Tableau(machine, conditions, shape).holds()


def compare(seed: int, folder: Path, bounded: bool = False) -> bool:
    """Compare the engines with the tableau, and return whether the formula holds."""
    model, wanted = loaded(seed, folder)
    (verdict,) = check(model, wanted=model.temporal)
    assert verdict.answer == ("holds" if wanted else "violated"), (seed, verdict.reason)
    if verdict.trace is not None:
        confirm_lasso(model, verdict.claim, verdict.trace)
    if bounded:
        (found,) = check(model, "bounded", options=Options(steps=9), wanted=model.temporal)
        assert found.answer == verdict.answer or (verdict.depth or 0) > 9, (seed, found.reason)
        if found.trace is not None:
            assert (found.depth or 0) <= (verdict.depth or 0), seed
    return wanted


def test_random_formulas_of_random_machines(tmp_path: Path) -> None:
    """A fair run that the engine misses, or one that it invents."""
    found = [compare(seed, tmp_path) for seed in range(60)]
    assert 10 < sum(found) < 50


def test_bounded_lassos_of_random_formulas(tmp_path: Path) -> None:
    """A formula that means something else on the lassos of z3."""
    found = [compare(seed, tmp_path, bounded=True) for seed in range(200, 212)]
    assert 2 < sum(found) < 10


TURNING = """from counterpoint import Integer, Spec, action, always, sometime, temporal
class Turning(Spec):
    at = Integer(0, 1)
    @action(fair="weak")
    def turn(s):
        s.at = 1 - s.at
    @temporal
    def never_stays(s):
        return ~sometime(always(s.at == 0))
"""


def test_a_lasso_has_one_cycle(tmp_path: Path) -> None:
    """A run of z3 that comes twice to a state, and is judged by the states after the second."""
    (tmp_path / "turning.py").write_text(TURNING)
    model = load(str(tmp_path / "turning.py"))
    (found,) = check(model, "bounded", options=Options(steps=6), wanted=model.temporal)
    assert (found.answer, found.extent) == ("holds", "no lasso of up to 6 steps")


@pytest.mark.slow
@pytest.mark.parametrize("begin", range(1000, 2000, 100))
def test_a_thousand_random_formulas(begin: int, tmp_path: Path) -> None:
    """The same, on more machines and formulas; a tenth of them with z3."""
    for seed in range(begin, begin + 100):
        compare(seed, tmp_path, bounded=seed % 10 == 0)


def both(machine: Machine, kind: str, folder: Path) -> tuple[Verdict, Verdict]:
    """Return the verdict on a kind of property and on its formula."""
    form = FORMULAS[kind].format(first=in_set(machine.first), second=in_set(machine.second))
    (folder / "marked.py").write_text(machine.text(kind))
    (folder / "formula.py").write_text(spec_text(machine, {"claimed": form}))
    found = []
    for name in ("marked.py", "formula.py"):
        model = load(str(folder / name))
        found += check(model, wanted=model.temporal)
    one, two = found
    return one, two


def same(machine: Machine, kind: str, folder: Path) -> bool:
    """Compare a kind of property with its formula, and return whether it holds."""
    one, two = both(machine, kind, folder)
    assert one.answer == two.answer, (kind, machine)
    if one.trace is not None and one.trace.loop is not None:
        assert two.trace is not None and (two.depth or 0) <= (one.depth or 0), (kind, machine)
    return one.answer == "holds"


@pytest.mark.long
def test_each_mark_says_what_its_formula_says(tmp_path: Path) -> None:
    """Two marks for one thing with two verdicts, or a longer lasso for the formula."""
    found = [same(drawn(seed), kind, tmp_path) for seed in range(3000, 3025) for kind in KINDS]
    found += [same(machine, kind, tmp_path) for _, machine, kind in islice(telling(0), 25)]
    assert 20 < sum(found) < len(found) - 20


@pytest.mark.slow
@pytest.mark.parametrize("begin", range(5000, 6000, 100))
@pytest.mark.long
def test_each_mark_says_what_its_formula_says_on_many_machines(begin: int, tmp_path: Path) -> None:
    """The same, on more machines."""
    for seed in range(begin, begin + 100):
        for kind in KINDS:
            same(drawn(seed), kind, tmp_path)


def test_plain_python_judges_lassos_by_the_definition(tmp_path: Path) -> None:
    """A record of a run that is no fair violation, and that a replay confirms."""
    answers = []
    for seed in range(40):
        machine, conditions, shape = drawn_formula(seed)
        model, _ = loaded(seed, tmp_path)
        chance = random.Random(seed)
        for _ in range(20):
            states, taken, loop = walked(machine, chance)
            steps = tuple(Step(f"act{k}", (m,)) for k, m in taken)
            run = Trace(tuple((at,) for at in states), steps, loop)
            fair = machine.fault("eventually", states, taken, loop) in (
                "", "it satisfies the property"
            )  # fmt: skip
            true = [[at in one for one in conditions] for at in states]
            wanted = fair and not OnLasso(true, loop).truth(shape)[0]
            found = not fault_of_lasso(model, model.temporal[0], run)
            assert found == wanted, (seed, states, taken, loop)
            answers.append(found)
    assert 50 < sum(answers) < len(answers) - 50


def test_the_graph_in_c_gives_the_same(tmp_path: Path) -> None:
    """A step, a promise or a condition that C has and Python has not, or the reverse."""
    need("gcc")
    for seed in range(6):
        model, _ = loaded(seed, tmp_path)
        one = graph_of(explore(model, Limits(), (), "python"), Limits())
        run = CompiledExplorer(trace(model), (), (), model.temporal).explore(Limits(), 1)
        two = graph_of(run, Limits())
        (claim,) = model.temporal
        first, second = (verdict_from(graph, claim, Limits()) for graph in (one, two))
        assert (first.answer, first.trace, first.extent) == (
            second.answer, second.trace, second.extent
        )  # fmt: skip


def test_the_tableau_knows_fairness() -> None:
    """An oracle for which all formulas hold, or none."""
    steps = (("none", ((0, 1), (1, 0))), ("weak", ((0, 2),)))
    goal = (frozenset([2]),)
    later = Shape("sometime", (Shape("condition"),))
    assert not Tableau(Machine(3, steps, *goal * 2), goal, later).holds()
    strong = (("weak", steps[0][1]), ("strong", steps[1][1]))
    assert Tableau(Machine(3, strong, *goal * 2), goal, later).holds()
    assert not Tableau(Machine(3, strong, *goal * 2), goal, Shape("not", (later,))).holds()
