"""Specs that keep data outside of the state: no verdict on them can be trusted."""

from __future__ import annotations

from pathlib import Path

import pytest

from .check import check

FILE = """\
import collections
import functools
import heapq
import itertools
import math
import operator
from dataclasses import dataclass

LOG = []
KEEP = LOG.append
PART = functools.partial(LOG.append, 1)

class Meter:
    def __init__(self): self.reads = 0
    def read(self):
        self.reads += 1
        return self.reads

METER = Meter()

class Slots:
    __slots__ = ("reads",)

SLOTS = Slots()
SLOTS.reads = 0

class Shared:
    reads = 0

def asked():
    asked.times += 1
    return asked.times

asked.times = 0

def counter():
    n = 0
    def up():
        nonlocal n
        n += 1
        return n
    return up

COUNTER = counter()
TICKS = itertools.count()

def tick(ticks=TICKS):
    return next(ticks)

def through(name):
    q = LOG
    q.append(1)
    return len(q)

def shared(of):
    of.reads += 1
    return of.reads

"""

SPEC = """\
class Theirs(Spec):
    n = Integer(0, 3)
    m = Integer(0, 3)

    @action
    def up(s):
        require(s.n < 3)
        s.n += 1

    @action
    def on(s):
        require(s.m < 3)
        s.m += 1

    @invariant
    def claim(s):
        return {} <= 100000
"""

REMEMBERS = {
    "an object": ("METER.read()", "METER"),
    "an object with slots": ("shared(SLOTS)", "SLOTS"),
    "a class": ("shared(Shared)", "Shared"),
    "a function": ("asked()", "asked"),
    "a closure": ("COUNTER()", "COUNTER"),
    "an iterator": ("tick()", "a default of tick"),
    "another name of a list": ("through(s)", "LOG"),
    "a method of a list": ("KEEP(1) or len(LOG)", "KEEP"),
    "a part of a call": ("PART() or len(LOG)", "PART"),
    "a call of a method": ("len(list(map(LOG.append, [1])))", "LOG"),
    "a heap": ("heapq.heappush(LOG, 1) or len(LOG)", "LOG"),
    "a function of the operator": ("operator.iadd(LOG, [1]) and len(LOG)", "LOG"),
}


ENGINES = ("exhaustive", "bounded", "induction", "stateful")


@pytest.mark.parametrize(
    ("name", "engine"),
    [*((name, "exhaustive") for name in REMEMBERS), *(("an object", e) for e in ENGINES[1:])],
)
def test_hidden_memory_is_detected(
    name: str, engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A claim that is true for the first reads only, and holds for the engine that reads once."""
    text, what = REMEMBERS[name]
    found = check(tmp_path, FILE + SPEC.replace("{}", text), engine, capsys)
    assert found.code == 3
    assert {row["verdict"] for row in found.rows.values()} == {"unknown"}
    (reason,) = {str(row["reason"]) for row in found.rows.values()}
    assert what in reason.partition(" changed while the spec was run")[0].split(", ")


STEADY = """\
NEXT = [1, 2, 3, 0]
NAMES = {"a": 1}
Pair = collections.namedtuple("Pair", "low high")
PAIR = Pair(0, 20)

@dataclass
class Bounds:
    most: int = 20
    @functools.cached_property
    def twice(self): return 2 * self.most

BOUNDS = Bounds()

@functools.cache
def double(k): return 2 * k

def most(): return max(NEXT) + NAMES["a"] + PAIR.high + BOUNDS.twice + double(3) + math.gcd(4, 6)

"""


@pytest.mark.long
@pytest.mark.parametrize("engine", ENGINES)
def test_constants_and_caches_are_no_memory(
    engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A correct spec without a verdict, because a cache was filled."""
    text = FILE + STEADY + SPEC.replace("{} <= 100000", "s.n <= most()")
    found = check(tmp_path, text, engine, capsys)
    assert found.code == 0
    assert found.answers("claim") == {engine: "holds"}


def test_equal_names_in_two_modules_are_distinct(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A changing list that is missed because another module has a constant of its name."""
    helper = "LOG = []\nadd = LOG.append\n\ndef grown():\n    return add(1) or len(LOG)\n"
    (tmp_path / "two_logs.py").write_text(helper)
    monkeypatch.syspath_prepend(tmp_path)
    text = "from two_logs import grown\n\nadd = (1, 2)\nLOG = (0,)\n\n" + SPEC
    claim = text.replace("{} <= 100000", "grown() + len(add) + len(LOG) <= 100000")
    found = check(tmp_path, claim, "exhaustive", capsys)
    assert found.code == 3
    assert "add, LOG changed" in str(found.rows["exhaustive", "claim"]["reason"])
