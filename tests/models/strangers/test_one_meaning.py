"""Texts that could be read in two ways: each has one meaning, or is refused with its line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from .check import check, in_a_process, write

ENGINES = ("exhaustive", "bounded", "induction", "stateful")

HEAD = """\
class Theirs(Spec):
    slots = Index(2, names="k", labels="S")
    q = Array(slots, Integer(0, 1))
    f = Boolean()
    n = Integer(0, 3)

    def small(s): return s.n < 2

    @action
    def turn(s): s.f = True

"""

REFUSED = {
    "identity": ("    @invariant\n    def claim(s): return s.f is not True\n", "write !="),
    "identity of a copy": (
        "    @action\n    def theirs(s):\n        a = s.n\n        require(a is s.n)\n",
        "write =="),
    "match": (
        "    @invariant\n"
        "    def claim(s):\n"
        "        match s.f:\n"
        "            case True: return False\n"
        "        return True\n", "compares by identity"),
    "match by class": (
        "    @invariant\n"
        "    def claim(s):\n"
        "        match s.f:\n"
        "            case bool(): return False\n"
        "        return True\n", "compare the value"),
    "isinstance": (
        "    @invariant\n    def claim(s): return isinstance(s.n, int)\n", "tells an integer"),
    **{
        name: (f"    @invariant\n    def claim(s): return {text}\n", "an integer from a symbol")
        for name, text in (
            ("hasattr", "not hasattr(s.n, 'real')"), ("getattr", "getattr(s.n, 'real', 5) == s.n"),
            ("another name of isinstance", "KIND(s.n, int)"), ("dir", "'real' in dir(s.n)"),
            ("identity by a function", "not operator.is_(s.f, True)"), ("type", "type(s.n) == int"),
        )
    },
    "a class": ("    @invariant\n    def claim(s): return s.n.__class__ != int\n", "no type"),
    "an attribute of an integer": (
        "    @invariant\n    def claim(s): return s.n.real == 0\n", "has no real"),
    "isinstance as a default": (
        "    @invariant\n"
        "    def claim(s):\n"
        "        plain = lambda x, f=isinstance: f(x, int)\n"
        "        return not plain(s.n)\n", "an integer from a symbol"),
    "isinstance in another module": (
        "    @invariant\n    def claim(s): return not helper.plain(s.n)\n", "from a symbol"),
    "identity in another module": (
        "    @invariant\n    def claim(s): return no(helper.is_open(s.f))\n", "by identity"),
    "eval": ("    @invariant\n    def claim(s): return eval('s.n < 2')\n", "hides what is done"),
    "chance that is imported late": (
        "    @action\n"
        "    def theirs(s):\n"
        "        from random import choice\n"
        "        s.n = choice([1, 2])\n", "answers differently"),
    "a forgotten call in some": (
        "    @invariant\n    def claim(s): return some(s.small, s.f)\n", "as in small()"),
    "a forgotten call in require": (
        "    @action\n    def theirs(s):\n        require(s.small)\n        s.n = 1\n",
        "as in small()"),
    "a forgotten call after if": (
        "    @action\n    def theirs(s):\n        if s.small:\n            s.n = 1\n",
        "call it: s.small()"),
    "a forgotten call after not": (
        "    @invariant\n    def claim(s): return not s.small\n", "call it: s.small()"),
    "a forgotten call that is returned": (
        "    @invariant\n    def claim(s): return s.small\n", "as in small()"),
    "a list in a list": (
        "    @invariant\n    def claim(s): return every([[no(s.f)]])\n", "a list is no value"),
    "a generator in require": (
        "    @action\n    def theirs(s):\n        require(s.f for _ in s.slots)\n        s.n = 1\n",
        "a generator is no value"),
    "a generator after if": (
        "    @action\n    def theirs(s):\n        if (s.f for k in s.slots):\n            s.n = 1",
        "a generator is always true"),
    "a text": (
        "    @action\n    def theirs(s):\n        require('s.f')\n        s.n = 1\n", "is a text"),
    "an array in every": ("    @invariant\n    def claim(s): return every(s.q)\n", "is an array"),
    "an array after if": (
        "    @action\n    def theirs(s):\n        if s.q:\n            s.n = 1\n", "is an array"),
    "arrays compared": ("    @invariant\n    def claim(s): return s.q == s.q\n", "is an array"),
    "states compared": (
        "    @transition\n    def claim(s, after): return s == after\n", "compare its variables"),
    "nothing returned": ("    @invariant\n    def claim(s): s.n < 2\n", "lack its return"),
    "an action that returns": (
        "    @action\n    def theirs(s): return s.n < 2\n", "an action returns nothing"),
    "require in a property": (
        "    @invariant\n"
        "    def claim(s):\n"
        "        require(s.f)\n"
        "        return True\n", "require belongs in actions"),
    "an invariant that assigns": (
        "    @invariant\n"
        "    def claim(s):\n"
        "        s.n = 0\n"
        "        return s.n < 1\n", "only an action may change the state"),
    "a witness that assigns": (
        "    @sometimes\n"
        "    def claim(s):\n"
        "        s.q[0] = 1\n"
        "        return s.q[0] == 1\n", "only an action may change the state"),
    "a transition that assigns": (
        "    @transition\n"
        "    def claim(s, after):\n"
        "        after.n = s.n\n"
        "        return after.n == s.n\n", "only an action may change the state"),
    "an end that assigns": (
        "    @finished\n"
        "    def claim(s):\n"
        "        s.f = True\n"
        "        return s.f\n", "only an action may change the state"),
    "chance": (
        "    @action\n    def theirs(s): s.n = random.choice([1, 2, 3])\n", "answers differently"),
    "chance by another name": (
        "    @action\n    def theirs(s): s.n = choice([1, 2, 3])\n", "answers differently"),
    "chance in a function of the file": (
        "    @action\n    def theirs(s): s.n = drawn()\n", "answers differently"),
    "a clock": ("    @action\n    def theirs(s): s.n = int(time.time()) % 4\n", "answers diff"),
    "a list of the file": (
        "    @action\n    def theirs(s):\n        MET.append(1)\n        s.n = len(MET) % 4\n",
        "kept from run to run"),
    "an entry of the file": (
        "    @action\n    def theirs(s):\n        KEPT['n'] = 1\n        s.n = KEPT['n']\n",
        "kept from run to run"),
    "an iterator of the file": (
        "    @action\n    def theirs(s): s.n = next(NUMBERS) % 4\n", "something else each time"),
    "a name of the file": (
        "    @action\n"
        "    def theirs(s):\n"
        "        global TIMES\n"
        "        TIMES = 3\n"
        "        s.n = TIMES\n", "kept from run to run"),
    "a set of the class": (
        "    met = set()\n"
        "    @action\n"
        "    def theirs(s):\n"
        "        s.met.add(len(s.met))\n"
        "        s.n = len(s.met) % 4\n", "declare a variable, or write a frozenset"),
    "a requirement that is caught": (
        "    @action\n"
        "    def theirs(s):\n"
        "        try:\n"
        "            require(s.n > 5)\n"
        "        except Exception:\n"
        "            s.n = 3\n", "must not be caught"),
    "Python's own equality": (
        "    @invariant\n    def claim(s): return any(map((1).__ne__, [s.n]))\n",
        "write the operator"),
    "Python's own equality by its name": (
        "    @invariant\n"
        "    def claim(s): return operator.methodcaller('__eq__', s.n)(1)\n", "write the operator"),
    "Python's own equality, kept": (
        "    @invariant\n    def claim(s): return any(map(DIFFERS, [s.n]))\n",
        "write the operator"),
    "a look at an object": (
        "    @invariant\n    def claim(s): return gc.is_tracked(s.n)\n", "no part of the state"),
    "a look that is imported late": (
        "    @invariant\n"
        "    def claim(s):\n"
        "        from inspect import getattr_static\n"
        "        return not getattr_static(s.n, 'real', False)\n", "no part of the state"),
    "an error that another thread keeps": (
        "    @invariant\n"
        "    def claim(s):\n"
        "        return bool(futures.ThreadPoolExecutor(1).submit(hex, s.n).exception())\n",
        "no part of the state"),
    "an action that yields": (
        "    @action\n    def theirs(s):\n        s.n = 3\n        yield\n", "yield and async"),
}  # fmt: skip

FILE = """\
import concurrent.futures as futures
import gc
import itertools
import operator
import random
import time
from random import choice

import helper

KIND = isinstance
DIFFERS = (1).__ne__
MET = []
KEPT = {}
NUMBERS = itertools.count()
TIMES = 0

def drawn():
    return random.choice([1, 2, 3])

"""


HELPER = """\
def plain(value):
    return isinstance(value, int)

def is_open(value):
    return value is True
"""


@pytest.mark.parametrize("name", REFUSED)
def test_a_text_that_reads_two_ways_is_refused(
    name: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One engine that says holds where a run violates; a condition that is silently true."""
    text, told = REFUSED[name]
    (tmp_path / "helper.py").write_text(HELPER)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "helper", raising=False)
    for engine in ENGINES:
        found = check(tmp_path, FILE + HEAD + text, engine, capsys)
        assert found.code == 2, engine
        assert told in found.said
        assert f"{tmp_path}/" in found.said
        assert found.said.count("\n") == 1


UNREAD = {
    "a power": ("    @action\n    def theirs(s): s.n = s.n ** 2\n", "no other operators"),
    "a fraction": ("    @action\n    def theirs(s): s.n = s.n / 2\n", "no other operators"),
    "a divisor of the state": ("    @action\n    def theirs(s): s.n = 3 // s.n\n", "tabulated"),
    "a dictionary": ("    @action\n    def theirs(s): s.n = {0: 1}[s.n]\n", "write tabulated"),
    "a set": (
        "    @action\n    def theirs(s): require(s.n in frozenset([1]))\n", "write tabulated"),
    "an assertion": (
        "    @action\n    def theirs(s):\n        assert s.n > 0\n", "what it needs by require"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNREAD)
def test_what_a_symbol_cannot_do_is_told(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An error of Python about a class of ours, which says nothing about what to write instead."""
    text, told = UNREAD[name]
    for engine in ("exhaustive", "bounded", "induction"):
        found = check(tmp_path, HEAD + text, engine, capsys)
        assert found.code == 2, engine
        assert told in found.said
        assert f"{tmp_path}/theirs.py:" in found.said


SHORT = """\
    done = Boolean()
    @action
    def flip(s, k): s.q[k] = 1
    @action
    def finish(s):
        require(some(every(s.q[k] == 1, s.q[k + 1] == 0) for k in s.slots))
        s.done = True
    @invariant
    def claim(s): return no(s.done)
"""


def test_all_parts_are_evaluated_in_every_mode(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A plain run that stops at the first part that decides, and a trace that reads them all."""
    for engine in ENGINES:
        found = check(tmp_path, HEAD + SHORT, engine, capsys)
        assert found.rows[engine, "ranges"]["verdict"] in ("violated", "unknown")
        assert found.rows[engine, "claim"]["verdict"] == "holds"
        assert found.code in (1, 3)
        assert found.said == ""


def test_a_step_that_leads_nowhere_is_told_where_nobody_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A claim that holds since the one action that breaks it leaves a range: without a word."""
    for engine in ("exhaustive", "bounded"):
        found = check(tmp_path, HEAD + SHORT, engine, capsys, "--property", "claim")
        (row,) = found.rows.values()
        assert row["verdict"] == "holds"
        notes = " ".join(map(str, row["notes"])) if isinstance(row["notes"], list) else ""
        assert "not judged: ranges (finish" in notes


IMPURE = {
    "chance that is hidden": (
        "def hidden():\n"
        "    import random\n"
        "    return random.choice([1, 2, 3])\n",
        "    @action\n    def theirs(s): s.n = hidden()\n"),
    "a memory that is hidden": (
        "class Box: n = 0\n"
        "def up(box):\n"
        "    box.n += 1\n"
        "    return box.n % 4\n",
        "    @action\n    def theirs(s): s.n = up(Box)\n"),
    "a claim that remembers": (
        "class Box: n = 0\n"
        "def odd(box):\n"
        "    box.n += 1\n"
        "    return box.n % 2 == 1\n",
        "    @action\n    def theirs(s, k): s.q[k] = 1 - s.q[k]\n"
        "    @invariant\n    def claim(s): return some(s.n > 3, odd(Box))\n"),
    "the kind of a value": (
        "def plain(value): return isinstance(value, int)\n",
        "    @action\n    def theirs(s): s.n = 3 if plain(s.f) else 1\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", IMPURE)
def test_what_cannot_be_seen_in_the_text_is_found_by_comparing(name: str, tmp_path: Path) -> None:
    """Engines that contradict each other, a traceback, exit code 1 that CI reads as violated."""
    before, text = IMPURE[name]
    path = write(tmp_path, before + HEAD + text)
    engines = ("exhaustive", "bounded", "induction", "stateful")
    if name == "the kind of a value":
        engines = ("exhaustive", "bounded", "induction")
    for engine in engines:
        found = in_a_process(tmp_path, "check", str(path), "--engine", engine)
        assert "Traceback" not in found.stderr
        assert found.returncode in (2, 3), (engine, found.stdout)


def test_a_difference_is_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An unknown of which nobody can say what to mend."""
    before, text = IMPURE["a memory that is hidden"]
    found = check(tmp_path, before + HEAD + text, "exhaustive", capsys)
    assert {row["verdict"] for row in found.rows.values()} == {"unknown"}
    (reason,) = {str(row["reason"]) for row in found.rows.values()}
    assert reason.startswith("theirs() means two things, at ")
    assert "in plain Python: n 0→" in reason


DECLARATIONS = {
    "    none = Index(0)\n": "outside of its bounds",
    "    none = Index(0, at_least=0)\n": "at least one member",
    "    other = Index(2, names='k')\n": "claimed by two indices, other and slots",
    "    size = Number('a')\n": "'a' is no whole number",
    "    size = Number(70)\n": "outside of its bounds 0..64",
    "    way = Choice('a', ('a', 'b'))\n": "each by itself",
    "    way = Choice('a', 'a')\n": "two readings are alike",
    "    way = Choice()\n": "each by itself",
    "    m = Integer(3, 2)\n": "has no value",
    "    m = Integer('a', 2)\n": "is no whole number",
    "    m = Member(int)\n": "takes an enum.IntEnum",
    "    m = Reference(3, Nobody)\n": "takes the index",
    "    m = Array(3, Boolean())\n": "goes over an Index",
    "    m = Array(slots, Array(slots, Boolean()))\n": "goes over two indices",
    "    any_number = ('threads',)\n": "no index (there are: slots)",
    "    lane = 'threads'\n": "which is no index",
    "    in_other_words = {'claim': ('turn',)}\n": "which is no property",
    "    m = Integer(0, 3, initially=9)\n": "outside 0..3",
    "    m = Integer(0, 3, initially='a')\n": "which is no integer",
    "    way = Choice('a', 'b', name='slots')\n": "called 'slots'",
    "    parameters = Boolean()\n": "taken by Spec itself",
    "    @invariant\n    def turn(s): return s.n < 1\n": "turn, in line 19, is marked and no part",
    "    @loud\n    @invariant\n    def claim(s): return s.n < 1\n": "another decorator stands",
    "    claim = invariant(lambda s: s.n < 1)\n    del claim\n": "is marked and no part",
}


LOUD = """\
def loud(method):
    def called(s): return method(s)
    return called

"""


@pytest.mark.parametrize("line", DECLARATIONS)
def test_declarations_are_looked_at(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An index without members, of which everything holds; a setting that is passed over."""
    found = check(tmp_path, LOUD + HEAD + line, "exhaustive", capsys)
    assert found.code == 2
    assert DECLARATIONS[line] in found.said
    assert found.said.count("\n") == 1


def test_what_a_base_declares_is_not_passed_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A claim of a base that is no spec, which nobody judges."""
    claims = "class Claims:\n    @invariant\n    def claim(s): return s.n < 1\n\n"
    text = claims + HEAD.replace("(Spec)", "(Claims, Spec)")
    found = check(tmp_path, text, "exhaustive", capsys)
    assert found.code == 2
    assert "claim would be passed over: Claims must be a Spec as well" in found.said
    path = write(tmp_path, text.replace("Claims:", "Claims(Spec):"))
    found = in_a_process(tmp_path, "check", f"{path}:Theirs", "--engine", "exhaustive")
    assert "holds     claim" in found.stdout


def test_marks_by_functions_of_their_own_are_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A claim that is refused though the class has it, under a wrapper that tells what it wraps."""
    text = (
        "import functools\n\n"
        "def told(method):\n"
        "    @functools.wraps(method)\n"
        "    def called(s): return method(s)\n"
        "    return called\n\n"
    )
    claim = "    @told\n    @invariant\n    def claim(s): return s.n < 1\n"
    found = check(tmp_path, text + HEAD + claim, "exhaustive", capsys)
    assert found.answers("claim") == {"exhaustive": "holds"}


def test_a_class_within_a_class_keeps_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Actions of another spec, made in the body of a spec, that count as lost."""
    text = (
        "def other():\n"
        "    def go(s): s.n = 0\n"
        "    has = {'n': Integer(0, 3), 'go': action(go), '__module__': __name__}\n"
        "    return type('Other', (Spec,), has)\n\n"
    )
    claim = "    other = other()\n    @invariant\n    def claim(s): return s.n < 1\n"
    path = write(tmp_path, text + HEAD + claim)
    found = in_a_process(tmp_path, "check", f"{path}:Theirs", "--engine", "exhaustive")
    assert "holds     claim" in found.stdout
