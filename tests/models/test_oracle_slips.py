"""The shortest specs on which an engine and the oracle once disagreed."""

from __future__ import annotations

import pytest

from tests.oracle import comparing
from tests.oracle.comparing import Judged
from tests.oracle.comparing_any_number import for_any_number

ANY_NUMBER = """
from enum import IntEnum
from counterpoint.spec.notation import *

class Nobody(IntEnum):
    NOBODY = -1

class Random(Spec):
    any_number = ("processes",)
    processes = Index(2, names="p q")
    f = Array(processes, Boolean())
    g = Boolean()
    who = Reference(processes, Nobody)

    @action
    def act(s{parameters}):
        {action}

    @{kind}
    def claim(s):
        return {claim}
"""

MARK = "s.f[p] = True"
NOTHING = "True"

SLIPS = {
    "a count in a claim": (MARK, "count(s.f[p] for p in s.processes) <= 1"),
    "a count of the start": (MARK, "count(no(s.f[p]) for p in s.processes) < 3"),
    "a sum in a claim": (MARK, "sum(s.f[p] for p in s.processes) <= 1"),
    "a count in a guard": (
        "require(count(no(s.g) for q in s.processes) != 1); s.g = True",
        "no(s.g)",
    ),
    "the place before": ("s.f[p - 1] = True", NOTHING),
    "the place behind": ("s.f[p + 1] = True", NOTHING),
    "a place that is read": ("require(no(s.f[p + 1])); s.f[p] = True", NOTHING),
    "a place that a reference need not name": ("s.f[s.who] = True", NOTHING),
    "a place that need not be there": ("s.f[1] = True", NOTHING),
    "a reference to nobody": ("s.who = p + 1", NOTHING),
    "a place in a claim": (MARK, "every(s.f[p + 1] == s.f[p + 1] for p in s.processes)"),
    "another member": (MARK, "every(some(p != q for q in s.processes) for p in s.processes)"),
    "another member in a guard": (
        "require(no(p != q for q in s.processes)); s.f[p] = True",
        "no(s.f[p] for p in s.processes)",
    ),
    "all but one of one": (
        "for q in s.processes: s.f[q] = q == p",
        "some(no(s.f[p]) for p in s.processes)",
    ),
}
"""An action and a claim, which must not be proved for any number of members unless it is true."""


@pytest.mark.parametrize("kind", ["invariant", "lemma"])
@pytest.mark.parametrize("name", SLIPS)
def test_what_is_not_true_of_every_number(name: str, kind: str) -> None:
    """A claim or ranges proved for any number, though one, two or three members violate them."""
    action, claim = SLIPS[name]
    parameters = ", p" if "[p" in action or "= p" in action else ""
    text = ANY_NUMBER.format(parameters=parameters, action=action, claim=claim, kind=kind)
    assert for_any_number(text).wrong == []


LEMMAS = """
from counterpoint.spec.notation import *

class Random(Spec):
    any_number = ("processes",)
    processes = Index(2, names="p q")
    a = Boolean()
    b = Boolean()
    n = Integer(0, 1)

    @action
    def first(s):
        s.a = True

    @action
    def second(s):
        s.b = s.a

    @lemma
    def wrong(s):
        return no(s.a)

    @lemma
    def kept(s):
        return no(s.b)
"""


def test_a_lemma_beside_one_that_is_not_kept() -> None:
    """A lemma reported to hold that is kept only under another lemma, which is not kept."""
    assert comparing.proved(Judged(LEMMAS)).wrong == []
    assert for_any_number(LEMMAS).wrong == []


def test_an_obstacle_where_all_cells_are_truth_values() -> None:
    """A failure of the engine where there is no integer to minimise."""
    text = LEMMAS.replace("    n = Integer(0, 1)\n", "")
    assert [w for w in comparing.proved(Judged(text)).wrong if "the engine fails" in w] == []


ERROR = """
from counterpoint.spec.notation import *

class Random(Spec):
    processes = Index(2, names="p")
    f = Array(processes, Boolean())
    n = Integer(0, 3)
    low = Integer({low})

    def h(s):
        return True

    @action
    def go(s, p):
        require(s.n < 3)
        s.f[p], s.n = True, s.n + 1

    @action
    def late(s, p):
        require(s.n == 3)
        {late}

    @invariant
    def claim(s):
        return {claim}
"""

ERRORS = {
    "a method that is not called": "every(s.h, s.n < 9)",
    "a part that is not needed": "some(p == 0 or s.f[p + 1] for p in s.processes)",
    "a text": "some('a')",
    "texts": "count(['a', 'b']) == 2",
    "nothing": "ite(True, True, None)",
    "lists": "every([True], [True])",
    "a requirement": "require(True) is None",
    "no value": "None",
}
"""Claims whose evaluation fails, though the value of one part would decide them."""


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_of_a_claim_is_one(name: str) -> None:
    """A claim whose evaluation fails, reported as one that holds."""
    judged = Judged(ERROR.format(claim=ERRORS[name], late="s.n = 0", low="0, 3"))
    assert judged.error
    assert comparing.steps(judged).wrong == []
    assert comparing.full(judged).wrong == []
    assert comparing.in_steps(judged).wrong == []
    assert comparing.proved(judged).wrong == []


@pytest.mark.parametrize("late", ["s.n = None", "s.n = s.unknown", "require(s.h)", "s.f[p, p] = 1"])
def test_an_error_of_an_action_is_one(late: str) -> None:
    """An error on a reachable path reported as another error, or not reported."""
    judged = Judged(ERROR.format(claim="True", late=late, low="0, 3"))
    assert judged.error
    for compare in (comparing.steps, comparing.full, comparing.in_steps, comparing.proved):
        assert compare(judged).wrong == []
    assert comparing.at_random(judged).wrong == []


def test_a_variable_below_zero_starts_next_to_zero() -> None:
    """An initial value that `Integer` does not promise, or that the documentation contradicts."""
    text = ERROR.format(claim="True", late="s.low = -3", low="-3, -2")
    judged = Judged(text)
    assert judged.runner.starts()[0][-1] == -2
    assert comparing.full(judged).wrong == []
