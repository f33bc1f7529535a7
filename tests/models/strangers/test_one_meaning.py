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
        "    @invariant\n    def claim(s): return isinstance(s.n, int)\n", "distinguishes"),
    **{
        name: (f"    @invariant\n    def claim(s): return {text}\n", "integers from symbols")
        for name, text in (
            ("hasattr", "not hasattr(s.n, 'real')"), ("getattr", "getattr(s.n, 'real', 5) == s.n"),
            ("another name of isinstance", "KIND(s.n, int)"), ("dir", "'real' in dir(s.n)"),
            ("identity by a function", "not operator.is_(s.f, True)"), ("type", "type(s.n) == int"),
        )
    },
    "a class": ("    @invariant\n    def claim(s): return s.n.__class__ != int\n", "no type"),
    "an attribute of an integer": (
        "    @invariant\n    def claim(s): return s.n.real == 0\n", "has no attribute real"),
    "isinstance as a default": (
        "    @invariant\n"
        "    def claim(s):\n"
        "        plain = lambda x, f=isinstance: f(x, int)\n"
        "        return not plain(s.n)\n", "integers from symbols"),
    "isinstance in another module": (
        "    @invariant\n    def claim(s): return not helper.plain(s.n)\n", "from symbols"),
    "identity in another module": (
        "    @invariant\n    def claim(s): return no(helper.is_open(s.f))\n", "by identity"),
    "eval": ("    @invariant\n    def claim(s): return eval('s.n < 2')\n", "hides code"),
    "chance that is imported late": (
        "    @action\n"
        "    def theirs(s):\n"
        "        from random import choice\n"
        "        s.n = choice([1, 2])\n", "something else at each call"),
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
        "    @invariant\n    def claim(s): return every([[no(s.f)]])\n", "a list is not a value"),
    "a generator in require": (
        "    @action\n    def theirs(s):\n        require(s.f for _ in s.slots)\n        s.n = 1\n",
        "a generator is not a value"),
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
        "        return True\n", "require may be used in actions only"),
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
        "    @action\n    def theirs(s): s.n = random.choice([1, 2, 3])\n", "else at each call"),
    "chance by another name": (
        "    @action\n    def theirs(s): s.n = choice([1, 2, 3])\n", "something else at each call"),
    "chance in a function of the file": (
        "    @action\n    def theirs(s): s.n = drawn()\n", "something else at each call"),
    "a clock": ("    @action\n    def theirs(s): s.n = int(time.time()) % 4\n", "else at each"),
    "a list of the file": (
        "    @action\n    def theirs(s):\n        MET.append(1)\n        s.n = len(MET) % 4\n",
        "kept from run to run"),
    "an entry of the file": (
        "    @action\n    def theirs(s):\n        KEPT['n'] = 1\n        s.n = KEPT['n']\n",
        "kept from run to run"),
    "an iterator of the file": (
        "    @action\n    def theirs(s): s.n = next(NUMBERS) % 4\n", "something else at each call"),
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
        "    @invariant\n    def claim(s): return gc.is_tracked(s.n)\n", "outside the state"),
    "a look that is imported late": (
        "    @invariant\n"
        "    def claim(s):\n"
        "        from inspect import getattr_static\n"
        "        return not getattr_static(s.n, 'real', False)\n", "effects outside the state"),
    "an error that another thread keeps": (
        "    @invariant\n"
        "    def claim(s):\n"
        "        return bool(futures.ThreadPoolExecutor(1).submit(hex, s.n).exception())\n",
        "effects outside the state"),
    "an action that yields": (
        "    @action\n    def theirs(s):\n        s.n = 3\n        yield\n", "yield or async"),
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


@pytest.mark.parametrize(
    "engines",
    [("exhaustive",), pytest.param(tuple(ENGINES), marks=pytest.mark.long)],
    ids=["one engine", "all engines"],
)
@pytest.mark.parametrize("name", REFUSED)
def test_an_ambiguous_text_is_refused(
    name: str,
    engines: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An engine that reports "holds" where a run violates; a condition that is always true."""
    text, message = REFUSED[name]
    (tmp_path / "helper.py").write_text(HELPER)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "helper", raising=False)
    for engine in engines:
        found = check(tmp_path, FILE + HEAD + text, engine, capsys)
        assert found.code == 2, engine
        assert message in found.said
        assert f"{tmp_path}/" in found.said
        assert found.said.count("\n") == 1


UNREAD = {
    "a power": ("    @action\n    def theirs(s): s.n = s.n ** 2\n", "no other operators"),
    "a fraction": ("    @action\n    def theirs(s): s.n = s.n / 2\n", "no other operators"),
    "a divisor of the state": ("    @action\n    def theirs(s): s.n = 3 // s.n\n", "tabulated"),
    "a dictionary": ("    @action\n    def theirs(s): s.n = {0: 1}[s.n]\n", "use tabulated"),
    "a set": (
        "    @action\n    def theirs(s): require(s.n in frozenset([1]))\n", "use tabulated"),
    "an assertion": (
        "    @action\n    def theirs(s):\n        assert s.n > 0\n", "use require for conditions"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNREAD)
def test_an_unsupported_operation_of_a_symbol_is_explained(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A Python error about an internal class, which does not say what to write instead."""
    text, message = UNREAD[name]
    for engine in ("exhaustive", "bounded", "induction"):
        found = check(tmp_path, HEAD + text, engine, capsys)
        assert found.code == 2, engine
        assert message in found.said
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


@pytest.mark.long
def test_all_parts_are_evaluated_in_every_mode(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A plain run that stops at the first deciding part, while the symbolic run reads all parts."""
    for engine in ENGINES:
        found = check(tmp_path, HEAD + SHORT, engine, capsys)
        assert found.rows[engine, "ranges"]["verdict"] in ("violated", "unknown")
        assert found.rows[engine, "claim"]["verdict"] == "holds"
        assert found.code in (1, 3)
        assert found.said == ""


def test_a_step_that_leaves_a_range_is_always_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A claim that holds only because the violating action leaves a range, without a note."""
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


@pytest.mark.long
@pytest.mark.parametrize("name", IMPURE)
def test_impure_functions_are_found_by_comparison(name: str, tmp_path: Path) -> None:
    """Engines that disagree, a traceback, or exit code 1, which CI reads as a violation."""
    before, text = IMPURE[name]
    path = write(tmp_path, before + HEAD + text)
    engines = ("exhaustive", "bounded", "induction", "stateful")
    if name == "the kind of a value":
        engines = ("exhaustive", "bounded", "induction")
    for engine in engines:
        found = in_a_process(tmp_path, "check", str(path), "--engine", engine)
        assert "Traceback" not in found.stderr
        assert found.returncode in (2, 3), (engine, found.stdout)


def test_a_difference_is_reported_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An unknown verdict that does not say what must be changed."""
    before, text = IMPURE["a memory that is hidden"]
    found = check(tmp_path, before + HEAD + text, "exhaustive", capsys)
    assert {row["verdict"] for row in found.rows.values()} == {"unknown"}
    (reason,) = {str(row["reason"]) for row in found.rows.values()}
    assert reason.startswith("theirs() means two things, at ")
    assert "in plain Python: n 0→" in reason
