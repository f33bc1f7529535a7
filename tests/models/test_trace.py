"""Guarded commands: they have the meaning of the text, and there are no more than needed."""

from __future__ import annotations

import random
from itertools import product

import pytest

from counterpoint.models.limits import LimitReached, Limits
from counterpoint.models.symbolic import comparing
from counterpoint.models.symbolic.trace import (
    Check,
    Command,
    System,
    explore,
    facts_of,
    merge,
    trace,
)
from counterpoint.spec.notation import (
    ANY,
    Boolean,
    Index,
    Integer,
    Model,
    Spec,
    SpecError,
    Step,
    action,
    finished,
    initially,
    invariant,
    lemma,
    nodes,
    require,
    sometimes,
    transition,
)
from counterpoint.spec.notation.nodes import Cell, Node
from counterpoint.spec.notation.symbolic import deciding

FLAGS = [nodes.cell(Cell(f"f{i}", (), f"f{i}", 0, 1, True)) for i in range(4)]


class Lamp(Spec):
    """A lamp with a dimmer."""

    hands = Index(2, names="h")
    on = Boolean()
    level = Integer(0, 3, initially=ANY)
    worn = Integer(0, 9)

    @initially
    def dark(s):
        return s.level < 2

    @initially
    def off(s):
        return not s.on

    @action
    def switch(s, h):
        if h == 0:
            s.on = not s.on
        else:
            require(s.on)
            s.on = False

    @action
    def brighter(s):
        require(s.on)
        if s.level == 3:
            s.level = 0
        else:
            s.level = s.level + 1

    @action
    def either(s):
        if s.level > 1:
            s.worn = 1
        else:
            s.worn = 1

    @action
    def wear(s):
        require(s.level == 2)
        s.worn = s.worn + s.level

    @invariant
    def fine(s):
        return s.worn < 9

    @sometimes
    def bright(s):
        return s.level == 3

    @lemma
    def known(s):
        return s.level >= 0

    @transition
    def slowly(s, after):
        return after.level <= s.level + 1

    @transition
    def only_up(s, after):
        return after.worn >= s.worn

    @finished
    def done(s):
        return not s.on

    @finished
    def worn_out(s):
        return s.worn > 2


@pytest.fixture(scope="module")
def system() -> System:
    """Return the symbolic reading of the lamp."""
    return trace(Model(Lamp()))


def of(system: System, action: str, *binding: int) -> list[Command]:
    """Return the commands of a step."""
    return [c for c in system.commands if c.step == Step(action, binding)]


def cells(system: System) -> dict[str, Node]:
    """Return the node of each variable."""
    return {c.variable: n for c, n in zip(system.model.cells, system.cells, strict=True)}


def test_commands_of_a_spec(system: System) -> None:
    """A branch that is lost, a path that occurs twice, or an update that changes nothing."""
    there = cells(system)
    on, level, worn = there["on"], there["level"], there["worn"]
    places = {name: i for i, name in enumerate(there)}
    assert [c.step.action for c in system.commands] == [
        "switch", "switch", "switch", "brighter", "brighter", "either", "wear", "wear"
    ]  # fmt: skip
    first, second = of(system, "switch", 0)
    assert (first.guard, first.updates) == ((on,), ((places["on"], nodes.FALSE),))
    assert (second.guard, second.updates) == (
        (nodes.negation(on),), ((places["on"], nodes.TRUE),)
    )  # fmt: skip
    [put_out] = of(system, "switch", 1)
    assert (put_out.guard, put_out.updates) == ((on,), ((places["on"], nodes.FALSE),))
    wrap, up = of(system, "brighter")
    full = nodes.equal(level, nodes.constant(3))
    assert (wrap.guard, wrap.updates) == ((on, full), ((places["level"], nodes.constant(0)),))
    assert up.guard == (on, nodes.negation(full))
    assert up.updates == ((places["level"], nodes.add(level, nodes.constant(1))),)
    [either] = of(system, "either")
    assert (either.guard, either.updates) == ((), ((places["worn"], nodes.constant(1)),))
    assert [c.leaves for c in system.commands] == [""] * 7 + ["worn"]
    wears, leaves = of(system, "wear")
    # The guard decides the level, so 2 is put in.
    assert wears.updates == ((places["worn"], nodes.add(worn, nodes.constant(2))),)
    assert leaves.updates == leaves.checks == ()


def test_checks_are_those_that_a_command_may_fail(system: System) -> None:
    """A transition property checked for steps that cannot break it, or for too few."""
    assert [sorted({k.claim for k in c.checks}) for c in system.commands] == [
        [], [], [], [], [], ["only-up"], [], []
    ]  # fmt: skip
    [either] = of(system, "either")
    worn = cells(system)["worn"]
    assert either.checks == (Check(nodes.negation(nodes.less(nodes.constant(1), worn)), "only-up"),)


def test_conditions_of_a_spec(system: System) -> None:
    """A claim, a start or an end that is missing, or listed as another kind."""
    there = cells(system)
    assert list(system.claims) == ["fine", "bright", "known"]
    assert system.claims["bright"] is nodes.equal(there["level"], nodes.constant(3))
    model = system.model
    for on, level, worn in product(range(2), range(4), range(10)):
        given = dict(zip(system.cells, map(nodes.constant, (on, level, worn)), strict=True))
        given[there["on"]] = nodes.constant(bool(on))
        start = nodes.rebuild(system.initial, given, {})
        assert start is nodes.constant(level < 2 and not on)
        assert system.may_end is not None
        end = nodes.rebuild(system.may_end, given, {})
        assert end is nodes.constant(model.may_end((on, level, worn)))


def test_where_nothing_is_said_of_the_end() -> None:
    """A spec without ``@finished`` whose runs may end anywhere."""

    class Plain(Spec):
        n = Integer(0, 1)

        @action
        def go(s):
            s.n = 1

    system = trace(Model(Plain()))
    assert system.may_end is None
    assert system.initial is nodes.TRUE
    assert system.claims == {}


def covered(guards: list[frozenset[Node]]) -> set[tuple[bool, ...]]:
    """Return the assignments of truth values under which one of the guards holds."""
    found = set()
    for values in product((False, True), repeat=len(FLAGS)):
        true = {f if v else nodes.negation(f) for f, v in zip(FLAGS, values, strict=True)}
        if any(guard <= true for guard in guards):
            found.add(values)
    return found


def test_merged_guards_cover_the_same() -> None:
    """A path lost by merging, or two guards left that differ in one condition only."""
    chance = random.Random(1)
    literals = [(f, nodes.negation(f)) for f in FLAGS]
    for _ in range(150):
        guards = [
            frozenset(chance.choice(pair) for pair in literals)
            for _ in range(chance.randint(1, 12))
        ]
        found = merge(guards)
        assert covered(found) == covered(guards)
        assert len(set(found)) == len(found)
        for one, other in product(found, repeat=2):
            apart = one ^ other
            assert len(apart) != 2 or nodes.negation(next(iter(apart))) not in apart


def test_merged_guards_stand_where_the_first_stood() -> None:
    """An order of commands that depends on which of them were merged."""
    a, b, c, d = FLAGS
    none = nodes.negation
    one, two = frozenset([a, b]), frozenset([none(a), c])
    assert merge([one, two]) == [one, two]
    assert merge([two, one]) == [two, one]
    assert merge([frozenset([a, d]), two, frozenset([a, none(d)])]) == [frozenset([a]), two]
    assert merge([two, frozenset([a, d]), frozenset([a, none(d)])]) == [two, frozenset([a])]
    assert merge([frozenset([a]), frozenset([a, d]), two, frozenset([a, none(d)])]) == [
        frozenset([a]), two
    ]  # fmt: skip
    four = [frozenset([x, y]) for x in (a, none(a)) for y in (b, none(b))]
    assert merge(four) == [frozenset()]
    assert merge([two, two, one]) == [two, one]
    assert merge([]) == []


def sides(*conditions: Node) -> tuple[bool, ...]:
    """Decide conditions in turn, as a text with branches does."""
    run = deciding.get()
    assert run is not None
    return tuple(run.decide(c) for c in conditions)


def test_every_path_is_gone_once() -> None:
    """A branch that is not taken or taken twice, or paths in another order."""
    found = [sides_ for _, sides_ in explore(lambda: sides(*FLAGS[:3]))]
    assert found == list(product((True, False), repeat=3))
    runs = [run for run, _ in explore(lambda: sides(FLAGS[0], FLAGS[1]))]
    assert [r.literals for r in runs] == [
        [FLAGS[0], FLAGS[1]],
        [FLAGS[0], nodes.negation(FLAGS[1])],
        [nodes.negation(FLAGS[0]), FLAGS[1]],
        [nodes.negation(FLAGS[0]), nodes.negation(FLAGS[1])],
    ]

    def some() -> tuple[bool, ...]:
        return sides(FLAGS[1]) if sides(FLAGS[0])[0] else ()

    assert [r for _, r in explore(some)] == [(True,), (False,), ()]


def test_an_error_on_a_path_counts_where_a_state_takes_it() -> None:
    """A right spec refused for an unreachable error, or a reachable error ignored."""
    a, b, c = (nodes.cell(Cell(f"n{i}", (), f"n{i}", 0, 3, False)) for i in range(3))

    def fails(*conditions: Node) -> int:
        if all(sides(*conditions)):
            raise SpecError("here")
        return 1

    impossible = nodes.less(a, b), nodes.less(b, c), nodes.less(c, a)
    assert len(list(explore(lambda: fails(*impossible)))) == 7
    with pytest.raises(SpecError, match="here"):
        list(explore(lambda: fails(*impossible[:2])))


def test_reading_ends_in_time() -> None:
    """A spec with very many paths, whose reading ignores the time limit."""
    with pytest.raises(LimitReached):
        list(explore(lambda: sides(*FLAGS), Limits(0.0)))
    with pytest.raises(LimitReached):
        trace(Model(Lamp()), Limits(0.0))


def test_reading_a_property_ends_in_time() -> None:
    """A property with very many paths, whose reading ignores the time limit."""
    system = trace(Model(Lamp()), Limits())
    system.limits = Limits(0.0)
    with pytest.raises(LimitReached):
        _ = system.claims


def test_what_was_found_is_compared_after_the_end_of_the_time() -> None:
    """A violation that is lost since the time was over before plain Python confirmed it."""
    model = Model(Lamp())
    system = trace(model, Limits())
    system.limits = Limits(0.0)
    found = comparing.compare(system, list(model.initial_states()), model.properties)
    assert (found.states, found.difference) == (2, "")


def test_each_path_is_asked_for_itself() -> None:
    """A decision recorded in a run that has ended."""
    assert deciding.get() is None
    list(explore(lambda: sides(FLAGS[0])))
    assert deciding.get() is None


def test_facts_of_a_guard() -> None:
    """A part of a guard that is forgotten."""
    facts = facts_of((FLAGS[0], nodes.negation(FLAGS[1])))
    assert (facts.known(FLAGS[0]), facts.known(FLAGS[1]), facts.known(FLAGS[2])) == (
        True, False, None
    )  # fmt: skip
