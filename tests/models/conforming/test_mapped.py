"""What mappings say: every kind of variable, and every error."""

from __future__ import annotations

from typing import Any

import pytest

from counterpoint.models.conforming.mapped import Mapped, Row
from counterpoint.spec.notation import Model, SpecError, Values

from .shelf import Nobody, Phase, Shelf

MODEL = Model(Shelf())
MAPPED = Mapped(MODEL)


def _start() -> Values:
    return next(iter(MODEL.initial_states()))


def _rows(**given: Any) -> list[Row]:
    return list(MAPPED.rows(given))


@pytest.mark.parametrize(
    ("given", "labels", "code"),
    [
        ({"count": 2}, ["count"], ["2"]),
        ({"phase": [Phase.BUSY, "IDLE"]}, ["phase[A]", "phase[B]"], ["BUSY", "IDLE"]),
        ({"phase": {"B": 1}}, ["phase[B]"], ["BUSY"]),
        ({"phase[B]": 1}, ["phase[B]"], ["BUSY"]),
        ({"holder": None}, ["holder"], ["NONE"]),
        ({"holder": Nobody.NONE}, ["holder"], ["NONE"]),
        ({"holder": 1}, ["holder"], ["B"]),
        ({"marks": {("A", 1): True}}, ["marks[A, R1]"], ["True"]),
        ({"marks": {"A": [1, 0]}}, ["marks[A, R0]", "marks[A, R1]"], ["True", "False"]),
        ({"items": [1, 2]}, ["items"], ["⟨1, 2⟩"]),
        ({"inside": {"B"}}, ["inside"], ["{B}"]),
        ({"price": {"A": 0}}, ["price"], ["{A: 0}"]),
        ({"bag": ["A", "A"]}, ["bag"], ["{A: 2}"]),
        ({"bag": {"B": 1}}, ["bag"], ["{B: 1}"]),
        ({"pairs": {"A": {"low": 2, "on": True}}}, ["pairs[A]"], ["(low=2, on=True)"]),
        ({"items.length": 1}, ["items.length"], ["1"]),
    ],
)
def test_a_value_stands_for_the_same_in_the_spec(
    given: dict[str, Any], labels: list[str], code: list[str]
) -> None:
    """Catches a value that is read as another one, or as that of another element."""
    rows = MAPPED.rows(given)
    assert [row.label for row in rows] == labels
    assert [row.code for row in rows] == code
    for row in rows:
        state = list(_start())
        for place, text in row.facts:
            cell = MODEL.cells[place]
            (number,) = [n for n in range(cell.low, cell.high + 1)
                         if str(MODEL.show_value(cell, n)) == text]  # fmt: skip
            state[place] = number
        assert row.in_spec(MODEL, tuple(state)) == row.code


@pytest.mark.parametrize(
    "given",
    [{"count": 4}, {"items": [0, 0, 0]}, {"items": [7]}, {"inside": ["C"]}, {"bag": ["A"] * 3},
     {"price": {"A": 6}}, {"holder": 2}, {"phase": ["LOST", "IDLE"]}],
)  # fmt: skip
def test_a_value_that_the_spec_cannot_have_never_agrees(given: dict[str, Any]) -> None:
    """Catches code outside of all ranges that counts as equal, or an error instead of a row."""
    rows = MAPPED.rows(given)
    facts = [fact for row in rows for fact in row.facts]
    shown = {
        place: {str(MODEL.show_value(MODEL.cells[place], n))
                for n in range(MODEL.cells[place].low, MODEL.cells[place].high + 1)}
        for place, _ in facts
    }  # fmt: skip
    assert any(text not in shown[place] for place, text in facts)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"cuont": 1}, "shelf has no variable 'cuont' (it has: count, phase, holder, marks, "),
        ({"phase": 1}, "phase is an array"),
        ({"phase": [0]}, "phase has 2 elements, not 1"),
        ({"phase": {"C": 0}}, "phase cannot be 'C' (it is one of: A, B)"),
        ({"marks": {("A", "R0", "R1"): 0}}, "marks has 2 indices, not 3"),
        ({"count": 1.5}, "count: 1.5 is no number, truth value or name"),
        ({"items": 3}, "items is a sequence: its value is a list, not 3"),
        ({"inside": "A"}, "inside is a set"),
        ({"price": ["A"]}, "price is a map"),
        ({"bag": 2}, "bag is a bag"),
        ({"pairs": {"A": {"low": 1}}}, "the field 'on' is missing"),
        ({"pairs": {"A": 1}}, "pairs[A] is a record"),
    ],
)
def test_errors_name_the_variable(given: dict[str, Any], message: str) -> None:
    """Catches a traceback, a value that is passed over, or a message without the variable."""
    with pytest.raises(SpecError, match="the mapping: ") as error:
        MAPPED.rows(given)
    assert message in str(error.value)


def test_a_mapping_returns_a_dict() -> None:
    """Catches that nothing is taken for a mapping that names no variable."""
    with pytest.raises(SpecError, match="returned NoneType, and no dict"):
        MAPPED.rows(None)
    assert _rows() == []
