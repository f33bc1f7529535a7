"""The notation: ranges, branches, parameters, and mistakes of users."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.models.symbolic.trace import trace
from counterpoint.spec.notation import (
    ANY,
    Array,
    Boolean,
    Choice,
    Index,
    Integer,
    Model,
    Number,
    RangeError,
    Spec,
    SpecError,
    Step,
    action,
    count,
    every,
    implies,
    initially,
    ite,
    maximum,
    minimum,
    no,
    nodes,
    require,
    some,
    tabulated,
)
from counterpoint.spec.notation.nodes import Cell
from counterpoint.spec.notation.symbolic import Symbolic, node_of


class Box(Spec):
    """An array of two bounded numbers, and a single number."""

    places = Index(2, names="p", at_most=3)
    top = Number(3, at_most=9)
    mode = Choice("up", "down")
    row = Array(places, Integer(0, lambda s: s.top))
    low = Integer(-2, 2)
    flag = Boolean()

    @action
    def put(s, p):
        """Add two, if the flag is up."""
        s.low = 1
        require(s.flag)
        s.row[p] = s.row[p] + 2

    @action
    def raise_flag(s):
        """Raise the flag."""
        require(no(s.flag))
        s.flag = True

    @action
    def point(s):
        """Write where ``low`` points to."""
        s.row[s.low] = 1


def state(model: Model, **named: int) -> tuple[int, ...]:
    """Return the initial state with some cells changed, by label."""
    values = dict(zip((c.label for c in model.cells), next(model.initial_states()), strict=True))
    return tuple((values | named).values())


def test_leaving_a_range_names_variable_and_action() -> None:
    """A value that is wrapped or clamped, or an error without the variable and the action."""
    model = Model(Box())
    full = state(model, flag=1) | {} if False else state(model, **{"row[1]": 2, "flag": 1})
    with pytest.raises(RangeError, match=r"row\[1\] would become 4, outside 0..3, in put\(p=1\)"):
        model.take(full, Step("put", (1,)))


def test_an_index_outside_of_the_array_is_an_error() -> None:
    """A negative index that silently means the last element, as in Python."""
    model = Model(Box())
    with pytest.raises(
        RangeError, match=r"row\[-1\] is outside the array, in point\(\) at test_notation.py:[0-9]+"
    ):
        model.take(state(model, low=-1), Step("point", ()))
    with pytest.raises(RangeError, match=r"row\[2\] is outside"):
        model.take(state(model, low=2), Step("point", ()))


def test_a_step_that_is_not_possible_leaves_the_state_untouched() -> None:
    """An assignment that stays although a later requirement fails."""
    model = Model(Box())
    before = state(model)
    assert model.take(before, Step("put", (0,))) is None
    assert before == next(model.initial_states())


def test_parameters_are_parsed_and_refused() -> None:
    """A parameter that is ignored, or a wrong value that is accepted."""
    assert Box(top="5").parameters == {"places": 2, "top": 5, "mode": "up"}
    for given_, message in (
        ({"top": "ten"}, "top is a whole number from 0 to 9, not 'ten'"),
        ({"top": 10}, "not '10'"),
        ({"mode": "left"}, "mode is up or down, not 'left'"),
        ({"places": 0}, "places is a whole number from 1 to 3"),
        ({"tpo": 1}, "box has no parameter 'tpo'"),
    ):
        with pytest.raises(SpecError, match=message):
            Box(**given_)


def test_a_variable_that_is_not_declared_cannot_be_assigned() -> None:
    """A misspelt variable that becomes a new attribute and is lost."""

    class Typo(Spec):
        a = Integer(0, 1)

        @action
        def go(s):
            s.b = 1

    with pytest.raises(SpecError, match="typo has no variable 'b' to assign to"):
        trace(Model(Typo()))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("s.a = 0.5", "which is no integer"),
        ("s.a = [s.a][s.a]", "plain integer"),
        ("s.a = float(s.a)", "cannot become a float"),
        ("s.a = {0: 1}[s.a]", "cannot be looked up in a dict"),
        ("s.row = 1", "row is an array"),
        ("s.a = s.row[0, 0]", "row has 1 indices, not 2"),
        ("s.a = s.a // s.row[0]", "positive constant"),
        ("s.a = s.a == None", "None is neither an integer"),
        ("while s.a < 1: pass", None),
        ("while s.row[0] != s.row[1]: s.row[0] = (s.row[0] + 1) % 2", None),
    ],
)
def test_what_cannot_be_traced_is_an_error_with_its_line(body: str, message: str | None) -> None:
    """A symbolic value that silently takes one branch, becomes a number, or loops forever."""
    source = (
        "from counterpoint.spec.notation import *\n"
        "class Odd(Spec):\n"
        "    items = Index(2, names='i')\n"
        "    a = Integer(0, 1, initially=ANY)\n"
        "    row = Array(items, Integer(0, 1))\n"
        "    @action\n"
        f"    def go(s):\n        {body}\n"
    )
    space: dict[str, type[Spec]] = {}
    exec(compile(source, "<odd>", "exec"), space)
    model = Model(space["Odd"]())
    if message is None and "row" in body:
        assert trace(model).commands  # a loop that the ranges bound is unrolled
        return
    with pytest.raises(SpecError, match=message or "does not end") as caught:
        trace(model)
    assert "<odd>:8: in go:" in str(caught.value)


def test_names_of_the_notation_cannot_be_taken() -> None:
    """A variable that hides a name that the engines use."""
    with pytest.raises(SpecError, match="the name 'label' is already used"):

        class Taken(Spec):
            label = Integer(0, 1)


def test_initial_states_are_all_that_any_leaves_open() -> None:
    """An initial state that is lost, or one that ``@initially`` forbids."""

    class Start(Spec):
        places = Index(2, names="p")
        row = Array(places, Integer(1, 3), initially=ANY)
        fixed = Integer(5, 9)

        @initially
        def sorted_(s):
            return s.row[0] <= s.row[1]

        @action
        def stay(s):
            pass

    model = Model(Start())
    expected = [(1, 1, 5), (1, 2, 5), (1, 3, 5), (2, 2, 5), (2, 3, 5), (3, 3, 5)]
    assert list(model.initial_states()) == expected


truths = st.lists(st.booleans(), max_size=5)


@given(values=truths)
def test_choices_that_do_not_fork_mean_what_python_means(values: list[bool]) -> None:
    """A combinator that differs from all, any, sum, min, max or if on plain values."""
    assert every(values) == every(*values, True) == all(values)
    assert some(values) == some(*values, False) == any(values)
    assert no(values) == (not any(values))
    assert count(values) == sum(values)
    one, other = [*values, False, False][:2]
    assert implies(one, other) == (not one or other)
    numbers = [3 * v - i for i, v in enumerate(values)] or [0]
    assert minimum(numbers) == minimum(*numbers, 99) == min(numbers)
    assert maximum(numbers) == maximum(*numbers, -99) == max(numbers)
    assert ite(bool(values), 5, -5) == (5 if values else -5)


def test_a_table_is_its_function() -> None:
    """A table entry in the wrong place, or one that a negative or fixed argument shifts."""
    a = nodes.cell(Cell("a", (), "a", -2, 3, False))
    f = nodes.cell(Cell("f", (), "f", 0, 1, True))

    def function(x: int, y: int, z: int) -> int:
        return (x * x + 5 * y) % 7 + z

    table = node_of(tabulated(function, Symbolic(a), Symbolic(f), 2))
    for x, y in product(range(-2, 4), (False, True)):
        chosen = {a: nodes.constant(x), f: nodes.constant(y)}
        assert nodes.rebuild(table, chosen, {}) is nodes.constant(function(x, y, 2))
        assert tabulated(function, x, y, 2) == function(x, y, 2)
    values = [function(x, y, 2) for x, y in product(range(-2, 4), (False, True))]
    assert (table.low, table.high) == (min(values), max(values))
    odd = node_of(tabulated(lambda x: x % 2 == 1, Symbolic(a)))
    assert odd.boolean
    assert tabulated(lambda x, y: 4, Symbolic(a), Symbolic(f)) == 4


def test_a_table_that_cannot_be_written_out_is_refused() -> None:
    """Tracing that hangs on a table of millions of entries, or on an endless one."""
    wide = Symbolic(nodes.cell(Cell("a", (), "a", 0, 400, False)))
    with pytest.raises(SpecError, match="401 x 401 entries is too large; at most 65536"):
        tabulated(max, wide, wide)
    grows = Symbolic(nodes.cell(Cell("a", (), "a", 0, nodes.UNBOUNDED, False)))
    with pytest.raises(SpecError, match="this range has no upper end"):
        tabulated(abs, grows)


def test_equal_expressions_are_one_node() -> None:
    """Lost sharing: expressions grow with every use, and paths are not merged."""
    a = nodes.cell(Cell("a", (), "a", 0, 5, False))
    b = nodes.cell(Cell("b", (), "b", 0, 5, False))
    one, two = nodes.constant(1), nodes.constant(2)
    assert nodes.add(nodes.add(a, one), one) is nodes.add(a, two)
    assert nodes.add(a, b) is nodes.add(b, a)
    assert nodes.less(nodes.add(a, one), two) is nodes.less(a, one)
    assert nodes.negation(nodes.negation(nodes.less(a, b))) is nodes.less(a, b)
    assert nodes.conjunction([nodes.less(a, b), nodes.negation(nodes.less(a, b))]) is nodes.FALSE
    assert nodes.less(a, nodes.constant(6)) is nodes.TRUE
    assert nodes.equal(a, nodes.constant(7)) is nodes.FALSE


def test_a_symbolic_value_outside_of_a_trace_has_no_truth() -> None:
    """An ``if`` on a symbolic value that is true because all objects are."""
    value = Symbolic(nodes.cell(Cell("a", (), "a", 0, 5, False)))
    with pytest.raises(SpecError, match="in a symbolic run only"):
        bool(value > 2)
    with pytest.raises(SpecError, match="in a symbolic run only"):
        require(value > 2)
