"""Logs against a spec: what a run explains, and what none does."""

from __future__ import annotations

import random
from enum import IntEnum
from functools import cache
from typing import Any

import pytest

from counterpoint.models.limits import Limits
from counterpoint.models.loading import load
from counterpoint.models.logs import explaining
from counterpoint.models.logs.explaining import Explanation, explained
from counterpoint.models.logs.reading import Line, LogError, differences, read_log
from counterpoint.models.logs.stepping import Steps
from counterpoint.spec.notation import (
    Index,
    Model,
    RangeError,
    Reference,
    Spec,
    SpecError,
    Step,
    Values,
    action,
)

from .lock import Lock, Queueless, as_lines, from_server

MODEL = Model(Lock())


class Nothing(IntEnum):
    """No page."""

    NONE = -1


class Pages(Spec):
    """One of very many pages is the last."""

    pages = Index(5000, names="p", labels="P", at_most=6000)
    last = Reference(pages, Nothing)

    @action
    def go(s) -> None:
        """Go to the last page."""
        s.last = 4999


def _answer(*records: Any, silent: tuple[str, ...] | None = None) -> Explanation:
    return explained(MODEL, read_log(MODEL, as_lines(*records)), silent)


def test_steps_that_the_log_does_not_name_can_happen_between_its_lines() -> None:
    """Catches that a log without some steps is refused, or explained by an impossible run."""
    found = _answer({"step": "grant W1"}, {"step": "free W1"}, {"action": "grant"})
    assert found.answer == "holds"
    steps, states = found.trace.steps, found.trace.states
    assert [found.trace.steps[k - 1].action for k in found.places] == ["grant", "free", "grant"]
    for k, step in enumerate(steps):
        assert MODEL.take(states[k], step) == states[k + 1]


def test_named_steps_are_all_in_the_log() -> None:
    """Catches that a step is added of an action that the log notes."""
    found = _answer({"step": "ask W0"}, {"step": "grant W0"}, {"step": "free W0"},
                    {"step": "grant W1"})  # fmt: skip
    assert (found.answer, found.explained) == ("violated", 3)
    assert found.obstacle is not None
    assert found.obstacle.line.number == 4 and "require(" in found.obstacle.reason
    assert [MODEL.show_step(s) for s in found.obstacle.allowed] == [
        "ask(w=W0)", "ask(w=W1)", "ask(w=W2)"
    ]  # fmt: skip
    assert _answer({"step": "ask W0"}, {"step": "grant W1"}, silent=("ask",)).answer == "holds"


def test_values_are_compared_in_the_state_after_and_before() -> None:
    """Catches that a value is compared in the wrong state, or that the difference is not shown."""
    assert _answer({"step": "grant W0", "state": {"grants": 1}}).answer == "holds"
    assert _answer({"step": "grant W0", "before": {"grants": 0}}).answer == "holds"
    found = _answer({"step": "grant W0", "before": {"grants": 1}})
    assert found.obstacle is not None and found.obstacle.facts == [("grants", "1", "0")]
    found = _answer({"step": "grant W0", "state": {"has[W0]": False, "waits[W1]": True}})
    assert found.obstacle is not None and found.obstacle.facts == [("has[W0]", "False", "True")]


def test_a_line_can_say_the_state_alone() -> None:
    """Catches that a line without a step takes one, or is not checked."""
    assert _answer({"state": {"has[W2]": True}}, {"state": {"has[W2]": True}}).answer == "holds"
    found = _answer({"state": {"has[W2]": True, "has[W1]": True}})
    assert (found.answer, found.explained) == ("violated", 0)


def test_a_step_that_leaves_a_range_is_not_possible() -> None:
    """Catches a traceback, or a run beyond a range."""
    rows = [{"step": f"{name} W0"} for _ in range(5) for name in ("ask", "grant", "free")]
    found = _answer(*rows)
    assert (found.answer, found.explained) == ("violated", 13)


def test_limits_end_in_unknown() -> None:
    """Catches that a search that is cut short says holds or violated."""
    lines = read_log(MODEL, as_lines(*({"state": {"has[W0]": k % 2 == 1}} for k in range(8))))
    found = explained(MODEL, lines, limits=Limits(seconds=0.0))
    assert found.answer == "unknown" and found.reason


def test_another_systems_lines_are_mapped() -> None:
    """Catches a line that is lost, doubled or numbered wrongly by a mapping."""
    rows = as_lines({"event": "GOT", "worker": 1}, {"event": "TICK"},
                    {"event": "SWAP", "old": 1, "worker": 2},
                    {"event": "GOT", "worker": 0})  # fmt: skip
    lines = read_log(MODEL, rows, from_server)
    assert [(one.number, one.text) for one in lines] == [
        (1, "grant W1"), (3, "free W1"), (3, "grant W2"), (4, "grant W0")
    ]  # fmt: skip
    found = explained(MODEL, lines)
    assert found.obstacle is not None and found.obstacle.line.number == 4


def test_a_number_outside_of_a_range_is_of_the_right_kind() -> None:
    """Catches that a value which no run has is called an error of the log."""
    found = _answer({"step": "grant W0", "state": {"grants": 9}})
    assert found.obstacle is not None and found.obstacle.facts == [("grants", "9", "1")]


def test_a_log_that_repeats_itself_needs_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Catches that a search works out again, at each line, what it has worked out before."""
    model, taken = Model(Queueless()), [0]
    after = Steps.after

    def counted(self: Steps, values: Values, step: Step) -> Values | None:
        taken[0] += 1
        return after(self, values, step)

    monkeypatch.setattr(Steps, "after", counted)
    round_ = [{"step": f"{name} W{w}"} for w in range(3) for name in ("grant", "free")]
    needed = []
    for rounds in (2, 200):
        taken[0] = 0
        lines = read_log(model, as_lines(*(round_ * rounds)))
        found = explained(model, lines)
        assert found.answer == "holds" and len(found.places) == len(lines)
        steps, states = found.trace.steps, found.trace.states
        assert all(model.take(states[k], step) == states[k + 1] for k, step in enumerate(steps))
        assert [steps[k - 1].action for k in found.places] == [line.action for line in lines]
        needed.append(taken[0])
    assert needed == [176, 176]


WRONG: dict[str, tuple[Any, str]] = {
    "no object": ([1], "line 1: it is list, and no object in braces"),
    "key": ({"stp": "ask W0"}, "line 1: it has the key 'stp'; known: step, action"),
    "nothing": ({"time": 3}, "line 1: it names no step, and nothing of the state"),
    "action": ({"step": "aks W0"}, "line 1: lock has no action 'aks'; did you mean ask?"),
    "member": ({"step": "ask W7"}, "line 1: w cannot be 'W7'"),
    "both": ({"step": "ask", "action": "ask"}, "line 1: it has 'step' as well as"),
    "parameters": ({"parameters": {"w": 1}}, "line 1: it has 'parameters' without 'action'"),
    "variable": ({"state": {"hs[W0]": True}}, "line 1: lock has no variable 'hs[W0]'"),
    "value": ({"state": {"grants": [1]}}, "line 1: 'grants': [1] is no value of a variable"),
    "number": ({"state": {"has[W0]": 1}}, "line 1: 'has[W0]' cannot be 1 (it is one of: false, t"),
    "text": ({"state": {"has[W0]": "True"}}, "line 1: 'has[W0]' cannot be \"True\" (it is one of:"),
    "truth": ({"before": {"grants": True}, "step": "free"}, "line 1: 'grants' cannot be true"),
    "null": ({"state": {"grants": None}}, "line 1: 'grants' cannot be null (it is one of: 0, 1,"),
    "parameter": ({"action": "ask", "parameters": {"w": {}}}, "line 1: 'w': {} is no value of"),
    "step": ({"step": 3}, "line 1: 'step' is a text, and not 3"),
    "state": ({"state": [1]}, "line 1: 'state' is an object: {\"lock\": true}"),
    "before": ({"before": {"grants": 1}}, "line 1: 'before' needs a step"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_lines_are_named(name: str) -> None:
    """Catches a message without its line, or a line that is taken for nothing."""
    record, message = WRONG[name]
    with pytest.raises(LogError) as caught:
        read_log(MODEL, as_lines(record))
    assert str(caught.value).startswith(message)


def test_wrong_texts_and_actions_are_named() -> None:
    """Catches a traceback for a log that breaks off, and an unknown silent action."""
    with pytest.raises(LogError, match="line 1: the log breaks off within this line"):
        read_log(MODEL, [(1, b'{"step":')])
    with pytest.raises(LogError, match="line 1: it is no JSON"):
        read_log(MODEL, [(1, b"{,}\n")])
    for text, message in (
        (b'{"step": "ask W0", "step": "ask W1"}\n', "line 2: the key 'step' stands twice"),
        (b'{"state": {"grants": 1, "grants": 2}}\n', "line 2: the key 'grants' stands twice"),
        (b'{"time": NaN, "step": "ask W0"}\n', "line 2: NaN is no value of JSON"),
        (b'{"step": "ask \xff"}\n', "line 2: it is not UTF-8"),
        (b'\xef\xbb\xbf{"step": "ask W0"}\n', "line 2: it is no JSON: Unexpected UTF-8 BOM"),
    ):
        with pytest.raises(LogError, match=message):
            read_log(MODEL, [(2, text)])
    first = [(1, b'\xef\xbb\xbf{"step": "ask W0"}\n')]
    assert read_log(MODEL, first)[0].text == "ask W0"
    with pytest.raises(LogError, match="line 1: from_server raised KeyError: 'event'"):
        read_log(MODEL, as_lines({}), from_server)
    with pytest.raises(SpecError, match="lock has no action 'aks'"):
        _answer({"step": "ask W0"}, silent=("aks",))


# Against every run


def _is_explained(model: Model, lines: list[Line], silent: set[str]) -> bool:
    """Return whether some run explains a log, by following every run from every state."""

    @cache
    def taken(values: Values, step: Step) -> Values | None:
        try:
            return model.take(values, step)
        except RangeError:
            return None

    def fits(values: Values, place: int, seen: frozenset[Values]) -> bool:
        if place == len(lines):
            return True
        line = lines[place]
        if not line.action and not differences(model, values, line.after):
            return fits(values, place + 1, frozenset())
        for step in line.steps if not differences(model, values, line.before) else ():
            after = taken(values, step)
            if (
                after is not None
                and not differences(model, after, line.after)
                and fits(after, place + 1, frozenset())
            ):
                return True
        quiet = (s for s in model.steps if s.action in silent)
        for after in (taken(values, step) for step in quiet):
            if after is not None and after not in seen and fits(after, place, seen | {after}):
                return True
        return False

    return any(fits(values, 0, frozenset((values,))) for values in model.initial_states())


@pytest.mark.parametrize("spec", ["lock", "peterson", "philosophers"])
def test_answers_as_following_every_run_says(spec: str) -> None:
    """Catches a log that is explained by no run and accepted, or the other way round.

    The logs are those of random runs of which lines, parameters and values are left out; in half of
    them something is changed.
    """
    model = MODEL if spec == "lock" else load(spec)
    chance = random.Random(spec)
    met = {True: 0, False: 0}
    for _ in range(60 if spec == "philosophers" else 150):
        records = _random_log(model, chance)
        if not records:
            continue
        lines = read_log(model, as_lines(*records))
        named = {line.action for line in lines}
        quiet = {action.name for action in model.actions} - named
        found = explained(model, lines)
        expected = _is_explained(model, lines, quiet)
        assert (found.answer == "holds") == expected, records
        met[expected] += 1
        prefix = lines[: found.explained + (found.answer == "violated")]
        assert expected or not _is_explained(model, prefix, quiet), records
        assert _is_explained(model, lines[: found.explained], quiet), records
    assert min(met.values()) > 10, met


def _random_log(model: Model, chance: random.Random) -> list[dict[str, Any]]:
    values = next(iter(model.initial_states()))
    hidden = {a.name for a in model.actions if chance.random() < 0.3}
    records: list[dict[str, Any]] = []
    for _ in range(chance.randint(2, 7)):
        options = []
        for step in model.steps:
            try:
                after = model.take(values, step)
            except RangeError:
                continue
            if after is not None:
                options.append((step, after))
        if not options:
            break
        step, after = chance.choice(options)
        if step.action not in hidden:
            records.append(_record(model, step, after, chance))
        values = after
    if records and chance.random() < 0.5:
        k = chance.randrange(len(records))
        change = chance.choice(["drop", "double", "swap"])
        if change == "drop":
            del records[k]
        elif change == "double":
            records.insert(k, records[k])
        else:
            records[k], records[0] = records[0], records[k]
    return records


def _record(model: Model, step: Step, after: Values, chance: random.Random) -> dict[str, Any]:
    record: dict[str, Any] = {"action": step.action}
    record["parameters"] = {
        name: label for name, label in model.show_binding(step).items() if chance.random() < 0.8
    }
    shown = {
        cell.label: model.show_value(cell, value)
        for cell, value in zip(model.cells, after, strict=True)
        if chance.random() < 0.2
    }
    if shown:
        record["state"] = shown
    if shown and chance.random() < 0.2:
        del record["action"], record["parameters"]
    return record


def test_a_limit_does_not_hide_an_obstacle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Catches a violation that is unknown, since the time is over while its words are sought.

    To say what was possible instead, more than 200 steps are tried. None of them is limited.
    """

    class Counting(Limits):
        """Limits that count how often they are looked at."""

        looks = 0

        def check(self, so_far: str) -> None:
            """Count."""
            type(self).looks += 1

    monkeypatch.setattr(explaining, "CHECKED", 1)
    model = load("window-stm")
    lines = read_log(model, as_lines({"step": "begin(t=T0)"}, {"step": "begin(t=T0)"}))
    found = explained(model, lines, (), Counting())
    assert found.answer == "violated" and found.obstacle is not None
    assert found.obstacle.allowed
    assert 0 < Counting.looks < 10


def test_the_last_members_of_a_large_index_are_values() -> None:
    """Catches a right log that is refused, since only the first values of a variable are listed."""
    model = Model(Pages())
    for page in ("P4000", "P4999"):
        lines = read_log(model, as_lines({"step": "go()", "state": {"last": page}}))
        found = explained(model, lines)
        assert found.answer == ("holds" if page == "P4999" else "violated")
    with pytest.raises(LogError, match="'last' cannot be 7"):
        read_log(model, as_lines({"step": "go()", "state": {"last": 7}}))
