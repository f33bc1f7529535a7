"""The exhaustive engine and brute force agree on random machines with random fairness."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from counterpoint.models.checking.engines import check
from counterpoint.models.lassos import confirm_lasso, fault_of_lasso
from counterpoint.models.loading import load
from counterpoint.models.verdict import Trace
from counterpoint.spec.notation import Model, Step

from .brute_force import KINDS, Machine
from .telling import telling


def drawn(seed: int) -> Machine:
    """Return a random machine of two to six states with one to three actions."""
    chance = random.Random(seed)
    size = chance.randint(2, 6)
    states = range(size)

    def some() -> frozenset[int]:
        return frozenset(state for state in states if chance.random() < 0.4)

    actions = tuple(
        (chance.choice(("none", "weak", "strong")),
         tuple((chance.choice(states), chance.choice(states))
               for _ in range(chance.randint(1, 5))))
        for _ in range(chance.randint(1, 3))
    )  # fmt: skip
    first, second = some(), some()
    starts = some() or frozenset([size - 1])
    return Machine(size, actions, first, second, starts, chance.random() < 0.5)


def loaded(seed: int, machine: Machine, kind: str, folder: Path) -> Model:
    """Return a machine as a spec in a file, with one property."""
    path = folder / f"drawn{seed}_{kind.replace('-', '_')}.py"
    path.write_text(machine.text(kind))
    return load(str(path))


def compare(seed: int, folder: Path) -> dict[str, bool]:
    """Check each kind of property of a machine, and return which hold."""
    machine = drawn(seed)
    return {kind: compare_one(seed, machine, kind, folder) for kind in KINDS}


def compare_one(seed: int, machine: Machine, kind: str, folder: Path) -> bool:
    """Check one kind of property of a machine, and return whether it holds."""
    model = loaded(seed, machine, kind, folder)
    (claim,) = model.temporal
    (verdict,) = check(model, wanted=[claim])
    expected = "holds" if machine.holds(kind) else "violated"
    assert verdict.answer == expected, (seed, kind, machine, verdict.reason)
    if verdict.trace is not None:
        confirm_lasso(model, claim, verdict.trace)
        assert judged(machine, kind, verdict.trace) == "", (seed, kind, machine)
    return verdict.answer == "holds"


def judged(machine: Machine, kind: str, trace: Trace) -> str:
    """Return what brute force finds wrong with a lasso, or with a run that breaks an `until`."""
    states = [at for (at,) in trace.states]
    taken = [(int(step.action.removeprefix("act")), *step.binding) for step in trace.steps]
    if trace.loop is not None:
        return machine.fault(kind, states, taken, trace.loop)
    *before, last = states
    breaks = not {last} & (machine.first | machine.second) and all(
        at in machine.first - machine.second for at in before
    )
    return "" if kind == "until" and breaks else "not broken"


def walked(machine: Machine, chance: random.Random) -> tuple[list[int], list[tuple[int, int]], int]:
    """Return the states, the steps and the loop of a random lasso; some steps change nothing."""
    states, taken = [chance.choice(sorted(machine.starts))], []
    for _ in range(chance.randint(0, 8)):
        possible = [(k, m) for k, (_, steps) in enumerate(machine.actions)
                    for m, (a, _) in enumerate(steps) if a == states[-1]]  # fmt: skip
        if not possible:
            break
        taken.append(chance.choice(possible))
        states.append(machine.actions[taken[-1][0]][1][taken[-1][1]][1])
    again = [k for k, at in enumerate(states) if at == states[-1]]
    return states, taken, chance.choice(again)


def test_plain_python_and_brute_force_judge_random_lassos_alike(tmp_path: Path) -> None:
    """A record of a run that is no fair violation, and that a replay confirms."""
    answers = []
    for seed in range(12):
        machine, chance = drawn(seed), random.Random(seed)
        lassos = [walked(machine, chance) for _ in range(40)]
        for kind in KINDS:
            model = loaded(seed, machine, kind, tmp_path)
            (claim,) = model.temporal
            for states, taken, loop in lassos:
                steps = tuple(Step(f"act{k}", (m,)) for k, m in taken)
                trace = Trace(tuple((at,) for at in states), steps, loop)
                found = not fault_of_lasso(model, claim, trace)
                wanted = not machine.fault(kind, states, taken, loop)
                assert found == wanted, (seed, kind, machine, states, taken, loop)
                answers.append(found)
    assert 100 < sum(answers) < len(answers) - 100


def test_promises_can_always_be_kept(tmp_path: Path) -> None:
    """A machine without a fair run, of which all properties would hold."""
    for seed in range(12):
        never = replace(drawn(seed), first=frozenset(), second=frozenset())
        model = loaded(seed, never, "eventually", tmp_path)
        assert [v.answer for v in check(model, wanted=model.temporal)] == ["violated"]


def test_brute_force_knows_fairness() -> None:
    """An oracle for which all properties hold, or none."""
    steps = (("none", ((0, 1), (1, 0))), ("weak", ((0, 2),)))
    goal, every = frozenset([2]), frozenset(range(3))
    assert not Machine(3, steps, goal, goal).holds("eventually")  # not possible all the time
    strong = (steps[0], ("strong", steps[1][1]))
    assert not Machine(3, strong, goal, goal).holds("eventually")  # a run may stay in state 1
    moving = (("weak", steps[0][1]), strong[1])
    assert Machine(3, moving, goal, goal).holds("eventually")
    assert Machine(3, moving, every, goal).holds("leads-to")
    assert Machine(3, moving, every - goal, goal).holds("until")
    assert Machine(3, moving, goal, goal).holds("stays")


@pytest.mark.parametrize("begin", range(0, 60, 10))
def test_random_machines(begin: int, tmp_path: Path) -> None:
    """A fair run that the engine misses, or one that it invents."""
    found = [compare(seed, tmp_path) for seed in range(begin, begin + 10)]
    assert len({answer for one in found for answer in one.values()}) == 2


def test_machines_that_tell_strong_from_weak(tmp_path: Path) -> None:
    """Weak fairness in place of strong, or the reverse: most machines do not show it."""
    found = [compare_one(*one, tmp_path) for one in islice(telling(0), 40)]
    assert set(found) == {True, False}


@pytest.mark.slow
@pytest.mark.parametrize("begin", range(100, 1100, 100))
def test_a_thousand_random_machines(begin: int, tmp_path: Path) -> None:
    """The same, on more machines."""
    for seed in range(begin, begin + 100):
        compare(seed, tmp_path)
