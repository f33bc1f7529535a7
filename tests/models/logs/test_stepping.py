"""Steps whose outcomes are kept, against plain runs."""

from __future__ import annotations

import random

import pytest

from counterpoint import Array, Boolean, Index, Integer, Spec, action, constraint, require
from counterpoint.models.loading import load
from counterpoint.models.logs.stepping import Steps
from counterpoint.models.symbolic.comparing import random_states
from counterpoint.spec.notation import Model, RangeError, Step, Values


class Counters(Spec):
    """Steps that read by what they have read, assign without reading, and leave a range."""

    cells = Index(4, names="c")
    count = Array(cells, Integer(0, 3))
    points = Integer(0, 3)
    found = Boolean()

    @action
    def follow(s, c: int) -> None:
        """Read the cell to which another one points; add to it, even beyond its range."""
        require(s.points != c)
        s.count[s.points] = s.count[s.points] + s.count[c]
        s.points = c

    @action
    def reset(s, c: int) -> None:
        """Assign what may be there already, and read what was assigned."""
        s.count[c] = 1
        s.found = s.count[c] == 1

    @action
    def up(s, c: int) -> None:
        """Add, within a constraint."""
        s.count[c] = s.count[c] + 1

    @constraint
    def not_too_many(s) -> bool:
        """Bound a sum, which reads all cells."""
        return sum(s.count[c] for c in s.cells) <= 7


def taken(model: Model, values: Values, step: Step) -> Values | None:
    """Return the state after a step in plain Python."""
    try:
        return model.take(values, step)
    except RangeError:
        return None


@pytest.mark.parametrize(
    "name", ["counters", "leases", "window-stm", "philosophers", "scent", "breadth-first-visits"]
)
def test_a_kept_outcome_is_that_of_a_plain_run(name: str) -> None:
    """A step that reads another cell than was noted, or an assignment that is lost."""
    model = Model(Counters()) if name == "counters" else load(name)
    steps, chance = Steps(model), random.Random(name)
    states = random_states(model, 60, seed=1, length=20)
    asked = 0
    for _ in range(2):
        chance.shuffle(states)
        for values in states:
            for step in chance.sample(model.steps, min(len(model.steps), 30)):
                assert steps.after(values, step) == taken(model, values, step)
                asked += 1
    assert 0 < steps.run < asked


def test_other_cells_do_not_matter() -> None:
    """A step that is run again because of a cell that it does not read."""
    model = Model(Counters())
    steps, step = Steps(model), Step("reset", (0,))
    rows = [(0, a, b, 0, p, 0) for a in range(4) for b in range(3) for p in range(4)]
    assert [steps.after(row, step) for row in rows] == [taken(model, row, step) for row in rows]
    assert steps.run == 12


def parts(steps: Steps) -> int:
    """Count what is kept, part by part."""
    todo, number = list(steps._kept.values()), 0
    for one in todo:  # which grows
        number += 1
        todo += [] if isinstance(one, tuple) else one.by_value.values()
    return number


@pytest.mark.parametrize("most", [30, 300])
def test_what_is_kept_has_a_limit_of_all_steps_together(most: int) -> None:
    """Catches a memory that grows with the states, a wrong count, or an outcome that is lost."""
    model = Model(Counters())
    steps, chance = Steps(model, most), random.Random(most)
    full = 0
    for values in random_states(model, 60, seed=2, length=20) * 2:
        for step in chance.sample(model.steps, len(model.steps)):
            assert steps.after(values, step) == taken(model, values, step)
            assert steps.kept == parts(steps) <= most
            full = max(full, steps.kept)
    assert full > 0.7 * most
    assert len(steps._steps) == len(steps._kept)
