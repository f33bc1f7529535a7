"""Labels of members that look like the numbers of other members."""

from __future__ import annotations

import pytest

from counterpoint.spec.notation import Array, Boolean, Index, Model, Spec, SpecError, action


class Doors(Spec):
    """Doors whose labels are numbers that do not start at 0."""

    doors = Index(3, names="d", labels="1 2 0")
    open_ = Array(doors, Boolean())

    @action
    def push(s, d: int) -> None:
        """Open a door."""
        s.open_[d] = True


def test_a_label_goes_before_a_number() -> None:
    """A replay that opens another door than the trace names."""
    model = Model(Doors())
    for step in model.steps:
        shown = model.show_binding(step)
        assert model.read_step("push", shown) == step


def test_a_number_names_a_member_where_no_label_does() -> None:
    """A trace with plain member numbers that is refused."""
    spec = Doors(doors=2)
    assert type(spec).doors.member(spec, "0") == 0
    assert type(spec).doors.member(spec, "2") == 1
    with pytest.raises(SpecError, match="no member '3'"):
        type(spec).doors.member(spec, "3")
