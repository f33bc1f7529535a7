"""Proofs for any number agree with proofs for given numbers and with plain Python."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest
import z3

from counterpoint.models.limits import Limits
from counterpoint.models.loading import load
from counterpoint.models.prove.sizes import any_number
from counterpoint.models.prove.sizes.parametric import FunctionStore, ParametricRun
from counterpoint.models.prove.sizes.ways import ActionPath, formula, paths
from counterpoint.models.symbolic.smt import Frame
from counterpoint.models.symbolic.trace import trace
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import (
    Array,
    Boolean,
    Index,
    Integer,
    Model,
    Spec,
    SpecError,
    Values,
    action,
    every,
    lemma,
    nodes,
    require,
    some,
)
from counterpoint.spec.notation.nodes import Node
from counterpoint.spec.stm.recorded_window import RecordedWindow
from counterpoint.spec.stm.window_proof import EndlessWindow
from tests import reference
from tests.reference import LEAVES

ANY = "every step, any number of transactions and objects"
WEAKER = ("serializability", "strict-serializability", "virtual-world-consistency")


@pytest.fixture(scope="module")
def proved() -> dict[str, Verdict]:
    """The verdicts on the corrected window protocol for any number, by property."""
    return {v.claim.name: v for v in any_number.check(load("window-stm"))}


@pytest.mark.long
def test_the_corrected_window_is_opaque_for_any_number(proved: dict[str, Verdict]) -> None:
    """A lemma that holds only for a given number, or a claim that is silently dropped."""
    found = {name: v for name, v in proved.items() if v.answer == "holds"}
    assert proved.keys() - found.keys() == {"tms2", "no-deadlock"}
    assert {v.answer for v in proved.values()} == {"holds", "unknown"}
    assert {v.extent for v in found.values()} == {ANY}
    assert found.keys() >= {
        "opacity", "alone-commits", "ranges", "nothing-half-published", "the-order-explains-all",
        "places-make-an-order", "nothing-is-hidden", "reads-are-explained", *WEAKER,
    }  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(
    ("setting", "broken"),
    [
        (
            "fetch-and-increment=old",
            {
                "updates-follow-what-they-saw": "fetch_and_increment",
                "readers-precede-what-is-to-come": "fetch_and_increment",
            },
        ),
        ("recheck-locked=ignore", {"readers-precede-what-is-to-come": "read"}),
    ],
)
def test_slips_break_the_same_lemmas_as_for_given_numbers(
    setting: str, broken: dict[str, str]
) -> None:
    """Contradictory assumptions, from which every claim would follow."""
    found = any_number.check(load("window-stm", [setting]))
    unkept = {v.claim.name: v.reason for v in found if v.reason.startswith("not kept by")}
    assert unkept.keys() == broken.keys()
    for name, where in broken.items():
        assert unkept[name].startswith(f"not kept by {where} ")
    assert not [v for v in found if v.answer == "holds" and v.claim.name == "opacity"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("criterion", "sizes"),
    [
        *[("opacity", sizes) for sizes in ((2, 2), (3, 2), (4, 2))],
        *[(name, sizes) for name in WEAKER for sizes in ((2, 2), (3, 2))],
    ],
)
def test_the_order_without_numbers_is_the_criterion(criterion: str, sizes: tuple[int, int]) -> None:
    """A reformulated claim that is weaker than the stated criterion."""
    model = Model(RecordedWindow(transactions=sizes[0], objects=sizes[1]), unbounded=True)
    system = trace(model)
    frame = Frame(system, "any", 0)
    solver = z3.Solver()
    names = ("places-make-an-order", "the-order-explains-all")
    assert RecordedWindow.in_other_words[criterion.replace("-", "_")] == names
    for name in (*names, "copies-have-sources", "real-time-is-kept"):
        solver.add(frame.show(system.claims[name]))
    for row in model.spec.transactions:  # before it begins, it has read and written nothing
        status = frame.terms[model.layout.position("status", (row,))]
        for x in model.spec.objects:
            source = frame.terms[model.layout.position("source", (row, x))]
            solver.add(z3.Implies(status == 0, source == -2), source >= -2, source < sizes[0])
    solver.add(frame.show(nodes.negation(system.claims[criterion])))
    assert solver.check() == z3.unsat


def evaluated(node: Node, model: Model, state: Values, given: dict[Node, int]) -> int:
    """Return the value, in a concrete state, of an expression over functions."""

    def of(part: Node) -> int:
        return evaluated(part, model, state, given)

    if node.op == "constant":
        return int(node.args[0])
    if node.op == "symbol":
        return given[node]
    if node.op == "size":
        return len(getattr(model.spec, node.args[0]))
    if node.op == "apply":
        name, *key = node.args
        return state[model.layout.position(name, tuple(map(of, key)))]
    if node.op == "all":
        bound, body = node.args
        sizes = [len(getattr(model.spec, v.args[0])) for v in bound]
        return int(
            all(
                evaluated(body, model, state, given | dict(zip(bound, members, strict=True)))
                for members in product(*map(range, sizes))
            )
        )
    return OPERATORS[node.op](of, *node.args)


OPERATORS: dict[str, Any] = {
    "and": lambda of, *a: int(all(of(x) for x in a)),
    "or": lambda of, *a: int(any(of(x) for x in a)),
    "not": lambda of, a: 1 - of(a),
    "ite": lambda of, c, a, b: of(a) if of(c) else of(b),
    "equal": lambda of, a, b: int(of(a) == of(b)),
    "less": lambda of, a, b: int(of(a) < of(b)),
    "add": lambda of, a, b: of(a) + of(b),
    "subtract": lambda of, a, b: of(a) - of(b),
}


def along_a_run(model: Model, number: int) -> list[Values]:
    """Return every third state of a random run, which starts again where it ends."""
    chance = random.Random(5)
    found = [next(model.initial_states())]
    while len(found) < 3 * number:
        after = [v for v in reference.successors(model, found[-1]).values() if v != LEAVES]
        found.append(chance.choice(after) if after else next(model.initial_states()))
    return found[::3]


@pytest.mark.parametrize("cls", [EndlessWindow, RecordedWindow])
def test_paths_do_what_plain_python_does(cls: type[Spec]) -> None:
    """An assignment in a loop, a branch or a quantifier whose meaning differs from Python's."""
    model = Model(cls(transactions=3))
    states = along_a_run(model, 25)
    ways = {a.name: list(paths(model, a)) for a in model.actions}
    lemmas = {
        p.name: formula(model, p.method, FunctionStore(ParametricRun(model))).meaning
        for p in model.lemmas
    }
    for state in states:
        for name, condition in lemmas.items():
            claim = model.property_named(name)
            assert evaluated(condition, model, state, {}) == model.holds(claim, state)
        for step in model.steps:
            after = _after(model, ways[step.action], state, step.binding)
            assert after == model.take(state, step), model.show_step(step)


def _after(
    model: Model, ways: list[ActionPath], state: Values, binding: tuple[int, ...]
) -> Values | None:
    """Return the state after the one path of an action that is open, or None if there is none."""
    open_ways = []
    for path in (way for way in ways if way.possible):
        given = dict(zip(path.run.members, binding, strict=True))
        if all(evaluated(x, model, state, given) for x in path.literals):
            open_ways.append((path, given))
    if not open_ways:
        return None
    [(path, given)] = open_ways
    found = []
    for cell in model.cells:
        value = path.after.read(cell.variable, cell.index)
        node = value.node if hasattr(value, "node") else nodes.constant(value)
        found.append(evaluated(node, model, state, given))
    return tuple(found)


class Ring(Spec):
    """A ring of any number of members, each of which may be marked."""

    any_number = ("members",)
    members = Index(2, names="p q")
    marked = Array(members, Boolean())
    total = Integer(0, 9, grows=True)

    @action
    def mark(s, p: int) -> None:
        require(not s.marked[p])
        s.marked[p] = True

    @action
    def branch(s) -> None:
        for q in s.members:
            if s.marked[q]:
                s.marked[q] = False

    @action
    def add_up(s) -> None:
        s.total = sum(s.marked[q] * 1 for q in s.members)

    @action
    def first_only(s) -> None:
        for q in s.members:
            s.marked[q] = True
            return

    @action
    def shift(s, p: int) -> None:
        for q in s.members:
            s.marked[q] = s.marked[p]

    @lemma
    def nonsense(s):
        return every(some(s.marked[p], p != q) for p in s.members for q in s.members)


@pytest.mark.parametrize("name", ["branch", "add_up", "first_only", "shift"])
def test_what_needs_a_number_is_refused(name: str) -> None:
    """A loop over all members read as a step of one member, so that another protocol is proved."""
    model = Model(Ring())
    [wanted] = [a for a in model.actions if a.name == name]
    with pytest.raises(SpecError):
        list(paths(model, wanted))


def test_an_assignment_to_all_is_refused_where_it_reads_what_it_assigns() -> None:
    """A loop whose later assignments read what earlier ones changed, read as one assignment."""

    class Turn(Ring):
        @action
        def before_it(s, p: int) -> None:
            for q in s.members:
                s.marked[q] = s.marked[p] == (p != q)

        @action
        def after_it(s, p: int) -> None:
            for q in s.members:
                s.marked[q] = True
                s.other[q] = s.marked[p]

        @action
        def counted(s) -> None:
            for _ in s.members:
                s.total = s.total + 1

        other = Array(Ring.members, Boolean())

    model = Model(Turn())
    for name in ("before_it", "after_it", "counted"):
        [wanted] = [a for a in model.actions if a.name == name]
        with pytest.raises(SpecError, match="loop"):
            list(paths(model, wanted))


@pytest.mark.long
def test_a_claim_that_is_asked_for_by_name_is_answered(proved: dict[str, Verdict]) -> None:
    """A selected claim that needs a given number and is silently dropped, as if it held."""
    model = load("window-stm")
    wanted = [model.property_named("tms2"), model.property_named("opacity")]
    found = {v.claim.name: v for v in any_number.check(model, wanted=wanted)}
    assert found["tms2"].answer == proved["tms2"].answer == "unknown"
    assert "memory.py:" in found["tms2"].reason
    assert found["opacity"].answer == "holds"
    assert "all 4,611 states of size 2" in found["opacity"].notes[-1]


def test_a_spec_without_such_indices_is_unknown() -> None:
    """A spec of which nothing was proved, reported as proved."""
    found = any_number.check(load("peterson"))
    assert {v.answer for v in found} == {"unknown"}
    assert "declares no indices of any number" in found[0].reason


def test_the_time_limit_is_kept() -> None:
    """A proof cut short by the time limit that counts as a proof."""
    found = any_number.check(load("window-stm"), Limits(0.0))
    assert {v.answer for v in found} == {"unknown"}
