"""Which commands may be postponed: the relations compared with steps, and their tables in C."""

from __future__ import annotations

import random
import re
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings

from counterpoint.models.symbolic.evaluating import Evaluation
from counterpoint.models.symbolic.partial_order import PartialOrder, bits, printed
from counterpoint.models.symbolic.trace import Command, System, trace
from counterpoint.spec.notation import (
    Boolean,
    Integer,
    Model,
    Spec,
    Values,
    action,
    invariant,
    nodes,
    require,
    transition,
)
from counterpoint.spec.notation.nodes import Node
from tests import strategies
from tests.models.test_agreement import random_states


class Desks(Spec):
    """Two clerks who share a stamp, and a third who needs none."""

    stamp = Boolean()
    first = Integer(0, 2)
    second = Integer(0, 2)
    third = Integer(0, 2)
    seen = Integer(0, 1)

    @action
    def take(s):
        require(not s.stamp, s.first == 0)
        s.stamp = True
        s.first = 1

    @action
    def put(s):
        require(s.first == 1)
        s.stamp = False
        s.first = 2

    @action
    def other(s):
        require(not s.stamp, s.second < 1)
        s.second = s.second + 1

    @action
    def copy(s):
        require(s.third == 0)
        s.third = s.first

    @action
    def look(s):
        s.seen = 1

    @action
    def back(s):
        require(s.seen == 1)
        s.third = 2

    @action
    def burst(s):
        require(s.second == 2)
        s.second = 3

    @invariant
    def not_both(s):
        return s.first != 2 or s.second != 2

    @transition
    def never_back(s, after):
        return after.third >= s.third


TAKE, PUT, OTHER, COPY, LOOK, BACK, BURST = range(7)


@pytest.fixture(scope="module")
def desks() -> PartialOrder:
    """Return the partial order of the desks."""
    return order_of(Model(Desks()))


def order_of(model: Model) -> PartialOrder:
    """Return the partial order of a spec's commands."""
    system = trace(model)
    return PartialOrder(system, system.commands, list(system.claims.values()))


def test_the_commands_are_those_of_the_actions(desks: PartialOrder) -> None:
    """Command numbers in these tests that name other commands."""
    assert [c.step.action for c in desks.commands] == [
        "take", "put", "other", "copy", "look", "back", "burst"
    ]  # fmt: skip
    assert [bool(c.checks) for c in desks.commands] == [False] * 7
    assert [bool(c.leaves) for c in desks.commands] == [False] * 6 + [True]


def test_what_a_command_reads_and_writes(desks: PartialOrder) -> None:
    """A variable read in a guard, an assignment or a check that is overlooked."""
    writes = [{c.variable for c in cells} for cells in desks.writes]
    assert writes == [
        {"stamp", "first"}, {"stamp", "first"}, {"second"}, {"third"}, {"seen"}, {"third"}, set()
    ]  # fmt: skip
    reads = [{c.variable for c in cells} for cells in desks.reads]
    assert reads == [
        {"stamp", "first"}, {"first"}, {"stamp", "second"}, {"third", "first"}, set(), {"seen"},
        {"second"},
    ]  # fmt: skip


def test_what_depends_on_what(desks: PartialOrder) -> None:
    """Commands wrongly taken for independent, or for dependent."""
    assert [desks.depends(a) for a in range(7)] == [
        [PUT, OTHER, COPY], [TAKE, OTHER, COPY], [TAKE, PUT, BURST], [TAKE, PUT, BACK], [BACK],
        [COPY, LOOK], [OTHER],
    ]  # fmt: skip


def test_what_makes_a_condition_true(desks: PartialOrder) -> None:
    """A command missing, so that another is postponed forever, or one that cannot help."""
    cell = {c.variable: n for c, n in zip(desks.system.model.cells, desks.system.cells,
                                          strict=True)}  # fmt: skip
    free = nodes.negation(cell["stamp"])
    assert desks.enables(free) == [PUT]  # `take` makes it false
    assert desks.enables(cell["stamp"]) == [TAKE]
    assert desks.enables(nodes.equal(cell["first"], nodes.constant(1))) == [TAKE]
    assert desks.enables(nodes.less(cell["second"], nodes.constant(1))) == []
    assert desks.enables(nodes.equal(cell["third"], nodes.constant(0))) == [COPY]
    assert desks.enables(nodes.equal(cell["seen"], nodes.constant(1))) == [LOOK]


def test_which_commands_a_claim_sees(desks: PartialOrder) -> None:
    """A step postponed though it changes a claim, or called visible though it changes none."""
    assert [a for a in range(7) if desks.visible(a)] == [PUT, BURST]
    nothing = PartialOrder(desks.system, desks.commands, ())
    assert [a for a in range(7) if nothing.visible(a)] == [BURST]


def test_a_judged_step_is_seen() -> None:
    """A step postponed although a transition property judges it."""

    class Judged(Desks):
        @action
        def back(s):
            require(s.seen == 1)
            s.third = 0

    order = order_of(Model(Judged()))
    assert order.commands[BACK].checks
    assert [a for a in range(7) if order.visible(a)] == [PUT, BACK, BURST]
    assert {c.variable for c in order.reads[BACK]} == {"seen", "third"}


def took(system: System, values: Values, command: Command) -> Values | None:
    """Return the state after a command, or None if it is not possible."""
    state = Evaluation(system.cells, values)
    if command.leaves or not state.all(command.guard):
        return None
    after = list(values)
    for place, node in command.updates:
        after[place] = state.value(node)
    return tuple(after)


@given(source=strategies.sources())
@settings(deadline=None, max_examples=12, suppress_health_check=list(HealthCheck))
def test_what_waits_can_wait(source: str) -> None:
    """Independent commands that affect each other, or an invisible one that changes a claim."""
    model = strategies.build(source)
    order = order_of(model)
    system, commands = order.system, order.commands
    chance = random.Random(3)
    pairs = list(product(range(len(commands)), repeat=2))
    for values in random_states(model, 8, seed=8):
        after = [took(system, values, c) for c in commands]
        for a, b in chance.sample(pairs, min(len(pairs), 60)):
            there, other = after[a], after[b]
            if a == b or b in order.depends(a) or there is None:
                continue
            later = took(system, there, commands[b])
            assert (later is None) == (other is None)
            if other is not None:
                assert later == took(system, other, commands[a])
        for a, there in enumerate(after):
            if there is not None:
                _judged(order, a, Evaluation(system.cells, values), Evaluation(system.cells, there))


def _judged(order: PartialOrder, a: int, before: Evaluation, after: Evaluation) -> None:
    for literal in order.literals:
        if after.value(literal) and not before.value(literal):
            assert a in order.enables(literal)
    if not order.visible(a):
        assert all(before.value(claim) == after.value(claim) for claim in order.claims)


def test_sets_as_machine_words() -> None:
    """A number in the wrong word, or a table without a word, which C does not allow."""
    assert bits([], 0) == [0]
    assert bits([], 64) == [0]
    assert bits([], 65) == [0, 0]
    assert bits([0, 3, 3], 4) == [9]
    assert bits([63], 64) == [1 << 63]
    assert bits([1, 64, 130], 131) == [2, 1, 4]


def table(lines: list[str], name: str) -> list[list[int]]:
    """Return a table from the printed C code."""
    [line] = [one for one in lines if f" {name}[]" in one]
    found = re.fullmatch(rf"static const word {name}\[\]\[(\d+)\] = \{{(.*)\}};", line)
    assert found
    rows = [[int(w.strip().removesuffix("u"), 16) for w in row.split(",")]
            for row in re.findall(r"\{([^}]*)\}", found[2])]  # fmt: skip
    assert all(len(row) == int(found[1]) for row in rows)
    assert line.count("u") == line.count("0x") + line.split("[")[0].count("u")
    return rows


def test_what_is_printed_is_what_is_known(desks: PartialOrder) -> None:
    """A printed table with wrong numbers, in another order, or of another relation."""
    lines = printed(desks)
    literals: list[Node] = desks.literals
    assert lines[0] == f"#define LITERALS {len(literals)}"
    assert len(lines) == 5
    assert table(lines, "depends") == [bits(desks.depends(a), 7) for a in range(7)]
    assert table(lines, "enables") == [bits(desks.enables(n), 7) for n in literals]
    assert table(lines, "visible") == [[1 << PUT | 1 << BURST]]
    guards = table(lines, "guard_of")
    for command, [word] in zip(desks.commands, guards, strict=True):
        assert {n for i, n in enumerate(literals) if word >> i & 1} == set(command.guard)
    none = printed(PartialOrder(desks.system, (), ()))
    assert none[0] == "#define LITERALS 0"
    for name in ("depends", "enables", "guard_of", "visible"):
        assert table(none, name) == [[0]]
