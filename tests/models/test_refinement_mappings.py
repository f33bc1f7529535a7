"""What a mapping costs, and what is said of a step that is none of the abstract spec."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from counterpoint import (
    Array,
    Boolean,
    Index,
    Integer,
    Spec,
    action,
    invariant,
    ite,
    refines,
    require,
)
from counterpoint.models.checking.engines import check
from counterpoint.models.symbolic.trace import trace
from counterpoint.spec.notation import Model, Values, nodes
from counterpoint.spec.notation._refinement import Refinement

from .test_refinement import Clock, Watch


def test_a_reason_says_what_changes_and_what_does_not() -> None:
    """Cells of a set that nobody has written, or a change that is not shown."""

    class Deaf(Watch):
        """The clock rings at all hours at once, at minute 2."""

        without = ("as_clock",)

        @refines(Clock)
        def mapping(s, abstract):
            abstract.hour = 0
            abstract.rung = [h for h in s.hours if s.minute == 2]

    model = Model(Deaf())
    (found,) = check(model, wanted=[model.property_named("mapping")])
    assert found.reason == (
        "in clock it would be rung: {}→{0, 1, 2, 3} and no other change, which is none of its steps"
    )


def test_a_reason_shows_some_of_many_changes() -> None:
    """A reason of many lines."""

    class Lamps(Spec):
        """Lamps that never change."""

        lamps = Index(12)
        lit = Array(lamps, Boolean())

        @action
        def rest(s):
            require(False)

    class Switch(Spec):
        """All lamps at once."""

        lamps = Index(12)
        on = Boolean()

        @action
        def turn(s):
            s.on = True

        @refines(Lamps)
        def mapping(s, abstract):
            for i in s.lamps:
                abstract.lit[i] = s.on

    (found, *_) = check(Model(Switch()))
    assert "lit[7]: False→True and 4 more changes, which is none" in found.reason
    assert "lit[8]" not in found.reason


class Count(Spec):
    """How many switches are up."""

    switches = Index(6, names="i", at_most=99)
    on = Integer(0, lambda s: len(s.switches))

    @action
    def up(s):
        require(s.on < len(s.switches))
        s.on += 1

    @action
    def down(s):
        require(s.on > 0)
        s.on -= 1


class Switches(Spec):
    """Switches, counted one by one."""

    switches = Index(6, names="i", at_most=99)
    up = Array(switches, Boolean())

    @action
    def turn(s, i):
        s.up[i] = ite(s.up[i], False, True)

    @invariant
    def anything(s):
        return True

    @refines(Count)
    def counted(s, abstract):
        on = 0
        for i in s.switches:
            if s.up[i]:
                on = on + 1
        abstract.on = on


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Each run of a mapping from now on."""
    found: list[str] = []
    image = Refinement.image

    def counted(self: Refinement, values: Values) -> tuple[object, ...]:
        found.append(self.abstract.name)
        return image(self, values)

    monkeypatch.setattr(Refinement, "image", counted)
    return found


def test_a_mapping_with_many_branches(runs: list[str]) -> None:
    """Paths that are squared, or expressions of a size that grows like their number."""
    model = Model(Switches(switches=9))
    system = trace(model)
    assert len(runs) == 2**9
    assert len(_subnodes(k.condition for c in system.commands for k in c.checks)) < 2_000
    answers = {v.claim.name: v.answer for v in check(model)}
    assert answers == {"anything": "holds", "counted": "holds", "ranges": "holds"}


@pytest.mark.parametrize("engine", ["exhaustive", "bounded", "induction"])
def test_a_mapping_that_nobody_asks_for_is_not_read(engine: str, runs: list[str]) -> None:
    """Time spent on a refinement when another property is checked."""
    model = Model(Switches())
    (found,) = check(model, engine, wanted=[model.property_named("anything")])
    assert (found.answer, runs) == ("holds", [])


@pytest.mark.parametrize("engine", ["exhaustive", "bounded", "stateful"])
def test_a_mapping_that_leaves_a_range_on_one_path(engine: str) -> None:
    """A path without an image whose state gets the image of another path."""

    class Late(Watch):
        """A mapping without an image at minute 2."""

        without = ("as_clock",)

        @refines(Clock)
        def mapping(s, abstract):
            abstract.rung.clear()
            abstract.hour = 0
            if s.minute == 2:
                abstract.hour = s.minute + 2

    model = Model(Late())
    (found,) = check(model, engine, wanted=[model.property_named("mapping")])
    assert found.answer == "violated"
    assert found.trace is not None
    assert engine == "stateful" or len(found.trace.steps) == 2
    assert "hour would become 4" in found.reason


def _subnodes(roots: Iterable[nodes.Node]) -> set[nodes.Node]:
    found, todo = set(), list(roots)
    while todo:
        node = todo.pop()
        if node not in found:
            found.add(node)
            todo += [part for part in node.args if isinstance(part, nodes.Node)]
    return found
