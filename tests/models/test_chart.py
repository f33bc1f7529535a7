"""The text chart: complete, narrow enough for a terminal, and unchanged."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from counterpoint.models.explore.exhaustive import check
from counterpoint.models.present.chart import NARROWEST, chart, outcome
from counterpoint.models.present.lanes import arrange
from counterpoint.models.verdict import Trace, Verdict
from counterpoint.spec.notation import (
    ANY,
    Array,
    Boolean,
    Index,
    Integer,
    Model,
    Spec,
    SpecError,
    Value,
    action,
    invariant,
    require,
    sometimes,
)
from counterpoint.spec.stm.window import Window

WIDTHS = (NARROWEST, 60, 80, 120)

OLD = """\
    T0      T1
 1  begin   │                    status[T0] NOT_BEGUN→LIVE
 2  │       begin                status[T1] NOT_BEGUN→LIVE
 3  read(x) │                    source[T0, x] NOT_READ→FIRST
 4  │       write(y)             wrote[T1, y]→True
 5  │       write(x)             wrote[T1, x]→True
 6  │       lock(x)              status[T1] LIVE→COMMITTING, +2
 7  │       lock(y)              holds[T1, y]→True
 8  │       validate             stage[T1] LOCKING→VALIDATED
 9  │       fetch_and_increment  clock 0→1, stage[T1] VALIDATED→PUBLISHING
10  │       publish(x)           writer[x] FIRST→T1, published[T1, x]→True, +1
11  │       publish(y)           writer[y] FIRST→T1, published[T1, y]→True
12  │       unlock_all           status[T1] COMMITTING→COMMITTED, +5
13  read(y) │                    source[T0, y] NOT_READ→T1

opacity is violated after step 13.
  T0 must precede T1: T0 reads the first x, which T1 overwrites.
  T1 must precede T0: T0 reads y from T1.
  No order of T0, T1 allows both.
"""


class Market(Spec):
    """Goods that sellers hand to each other, and weather that belongs to no seller."""

    lane = "sellers"

    goods = Index(2, names="good", labels="a_very_long_good_indeed b")
    sellers = Index(2, names="giver taker", labels="S", at_most=16)
    rain = Boolean(initially=ANY)
    stock = Array((sellers, goods), Integer(0, 2), initially=1)

    @action
    def hand_over_to_somebody(s, good: int, giver: int, taker: int) -> None:
        """Hand over one piece."""
        require(giver != taker, s.stock[giver, good] > 0)
        s.stock[giver, good] = s.stock[giver, good] - 1
        s.stock[taker, good] = s.stock[taker, good] + 1

    @action
    def clear_up(s) -> None:
        """Let the rain stop."""
        require(s.rain)
        s.rain = False

    @invariant
    def fair(s) -> Value:
        """Nobody has everything of the first good."""
        return s.stock[0, 0] < 2

    @sometimes
    def dry_and_unfair(s) -> Value:
        """After rain, somebody can have everything of the last good."""
        return s.stock[1, 1] == 2


class Overflow(Spec):
    """A counter that leaves its range at the third step."""

    counter = Integer(0, 2)

    @action
    def add(s) -> None:
        """Add one."""
        s.counter = s.counter + 1


@cache
def verdict(spec: type[Spec], name: str, **settings: object) -> Verdict:
    """Return the exhaustive engine's verdict on one property."""
    model = Model(spec(**settings))
    return check(model, wanted=[model.property_named(name)])[0]


def old() -> Verdict:
    """Return the violation of opacity by the protocol that fetches the old value."""
    return verdict(Window, "opacity", fetch_and_increment="old")


CASES = [
    pytest.param(old, id="two lanes"),
    pytest.param(
        lambda: verdict(Window, "all-commit", programs="r x, w y; w x; r y"), id="three lanes"
    ),
    pytest.param(
        lambda: verdict(Window, "a-window-shrinks", transactions=6, operations=1), id="six lanes"
    ),
    pytest.param(lambda: verdict(Market, "fair"), id="long names"),
    pytest.param(lambda: verdict(Market, "fair", sellers=12), id="twelve lanes"),
    pytest.param(lambda: verdict(Overflow, "ranges"), id="one lane"),
]


@pytest.mark.long
@pytest.mark.parametrize("make", CASES)
@pytest.mark.parametrize("width", WIDTHS)
def test_no_line_is_too_wide(make, width):
    """A line that is too wide, which a terminal would fold across the lanes."""
    for line in chart(make(), width).splitlines():
        assert len(line) <= width, line
        assert line == line.rstrip()


@pytest.mark.parametrize("make", CASES)
@pytest.mark.parametrize("width", WIDTHS)
def test_every_step_and_every_parameter_is_there(make, width):
    """A chart that shortens a step, so that the run cannot be replayed."""
    shown = make()
    labels, moves = arrange(shown)
    blocks = _blocks(chart(shown, width))
    for number, (step, move) in enumerate(zip(shown.trace.steps, moves, strict=True), start=1):
        letters = iter(blocks[number])
        assert all(c in letters for c in move.text if c != " "), blocks[number]
        for label in shown.model.show_binding(step).values():
            assert label in move.text or label == labels[move.lane]


def _blocks(text: str) -> dict[int, str]:
    """Return the rows of each step, without the separators."""
    blocks: dict[int, str] = {}
    number = 0
    for line in text.partition("\n\n")[0].splitlines():
        head, _, rest = line.strip().partition("  ")
        if head.isdecimal():
            number, line = int(head), rest
        blocks[number] = blocks.get(number, "") + "".join(line.replace("│", "").split())
    return blocks


def test_the_old_counterexample_looks_as_it_did():
    """An accidental change of the layout, of the trace, or of the explanation."""
    assert chart(old()) == OLD


def test_a_step_without_the_lane_index_stands_in_a_lane_of_its_own():
    """A step of the environment shown in a process's lane, or not at all."""
    model = Model(Market())
    start = next(v for v in model.initial_states() if v[0] == 1)
    step = model.read_step("clear_up", {})
    trace = Trace((start, model.take(start, step)), (step,))
    labels, moves = arrange(replace(verdict(Market, "fair"), trace=trace))
    assert labels == ("S0", "S1", "environment")
    assert [(m.lane, m.text) for m in moves] == [(2, "clear_up")]


def test_parameters_beside_the_lane_are_named_where_there_are_several():
    """Parameters shown as "(S1, b)", without names, or a second seller who is left out."""
    (move,) = arrange(verdict(Market, "dry-and-unfair"))[1]
    assert (move.lane, move.text) == (0, "hand_over_to_somebody(good=b, taker=S1)")


def test_an_initial_value_that_was_a_choice_is_shown():
    """A chart that does not say which of several initial states its run starts from."""
    assert "rain=False" in chart(verdict(Market, "fair"))
    assert chart(old()).splitlines()[1].startswith(" 1 ")


def test_a_step_out_of_range_ends_the_chart():
    """A failure, or another step's changes, at the last step, which has no state after it."""
    shown = verdict(Overflow, "ranges")
    assert len(shown.trace.states) == len(shown.trace.steps) == 3
    lines = chart(shown).splitlines()
    assert lines[3].split() == ["3", "add"]
    assert lines[5].startswith("ranges is violated by step 3: counter")


def test_a_witness_is_reached_and_not_violated():
    """A witness that the chart presents as a fault."""
    assert outcome(verdict(Market, "dry-and-unfair")) == "dry-and-unfair is reached after step 1."


def test_an_initial_state_can_violate():
    """A trace without steps whose chart names step 0."""
    start = next(Model(Market()).initial_states())
    shown = replace(verdict(Market, "fair"), trace=Trace((start,), ()))
    assert "fair is violated in an initial state." in chart(shown)


def test_changes_that_do_not_fit_are_counted():
    """A chart that omits changes of a step without giving their number."""
    row = next(r for r in chart(old(), 60).splitlines() if "unlock_all" in r)
    hidden = int(row.rpartition("+")[2])
    assert row.count("→") + hidden == len(arrange(old())[1][11].changes)


def test_nothing_to_show_is_said():
    """An AttributeError for a verdict without a trace."""
    with pytest.raises(SpecError, match="opacity has no trace"):
        chart(replace(old(), trace=None))


def test_a_lane_must_be_an_index():
    """A mistyped lane that silently becomes another one."""
    with pytest.raises(SpecError, match="lane is 'seller', which is no index"):

        class Mistyped(Market):
            lane = "seller"
