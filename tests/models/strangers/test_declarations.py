"""Declarations in the class of a spec that could be read in two ways."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .check import check, in_a_process, write
from .test_one_meaning import HEAD

DECLARATIONS = {
    "    none = Index(0)\n": "outside its bounds",
    "    none = Index(0, at_least=0)\n": "at least one member",
    "    other = Index(2, names='k')\n": "claimed by two indices, other and slots",
    "    size = Number('a')\n": "'a' is not a whole number",
    "    size = Number(70)\n": "outside its bounds 0..64",
    "    way = Choice('a', ('a', 'b'))\n": "a text for each reading, not ('a', 'b')",
    "    size = Index(lambda s: 2)\n": "Index takes whole numbers, not a function",
    "    m = Reference(slots)\n": "Reference also takes the names for no member",
    "    m = Integer(3, lambda s: 2)\n": "m has an empty range: 3 is greater than 2",
    "    m = Integer(0, lambda s: 'a')\n": "a bound of an Integer is 'a', not a whole number",
    "    @invariant\n    def claim(s, t): return s.n < 1\n": "def claim(s), not def claim(s, t)",
    "    @finished\n    def claim(s, t): return s.n < 1\n": "def claim(s), not def claim(s, t)",
    "    @lemma\n    def claim(): return True\n": "marked lemma is written def claim(s), not",
    "    @transition\n    def claim(s): return s.n < 1\n": "def claim(s, after), not def claim(s)",
    "    @invariant\n    def claim(s): s.n < 1\n": "does a method lack its return?",
    "    way = Choice('a', 'a')\n": "two readings are equal",
    "    way = Choice()\n": "Choice() has no reading",
    "    m = Integer(3, 2)\n": "is an empty range: 3 is greater than 2",
    "    m = Integer('a', 2)\n": "is not a whole number",
    "    m = Member(int)\n": "takes an enum.IntEnum",
    "    m = Reference(3, Nobody)\n": "takes the index",
    "    m = Array(3, Boolean())\n": "Array takes an Index",
    "    m = Array(slots, Array(slots, Boolean()))\n": "use two indices",
    "    any_number = ('threads',)\n": "no index (there are: slots)",
    "    lane = 'threads'\n": "which is no index",
    "    in_other_words = {'claim': ('turn',)}\n": "which is not a property",
    "    m = Integer(0, 3, initially=9)\n": "outside 0..3",
    "    m = Integer(0, 3, initially='a')\n": "which is no integer",
    "    way = Choice('a', 'b', name='slots')\n": "called 'slots'",
    "    parameters = Boolean()\n": "already used by Spec itself",
    "    @invariant\n    def turn(s): return s.n < 1\n": "turn, in line 19, is marked, but not",
    "    @loud\n    @invariant\n    def claim(s): return s.n < 1\n": "another decorator stands",
    "    claim = invariant(lambda s: s.n < 1)\n    del claim\n": "is marked, but not part",
}


LOUD = """\
def loud(method):
    def called(s): return method(s)
    return called

"""


@pytest.mark.parametrize("line", DECLARATIONS)
def test_ambiguous_declarations_are_refused(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An index without members, for which everything holds; a setting that is ignored."""
    found = check(tmp_path, LOUD + HEAD + line, "exhaustive", capsys)
    assert found.code == 2
    assert DECLARATIONS[line] in found.said
    assert re.search(r"\.py:\d+: |in line \d+", found.said)
    assert found.said.count("\n") == 1


def test_claims_of_a_base_class_are_not_ignored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A claim in a base class that is no spec, which no engine checks."""
    claims = "class Claims:\n    @invariant\n    def claim(s): return s.n < 1\n\n"
    text = claims + HEAD.replace("(Spec)", "(Claims, Spec)")
    found = check(tmp_path, text, "exhaustive", capsys)
    assert found.code == 2
    assert "claim would have no effect: Claims must be a Spec as well" in found.said
    path = write(tmp_path, text.replace("Claims:", "Claims(Spec):"))
    found = in_a_process(tmp_path, "check", f"{path}:Theirs", "--engine", "exhaustive")
    assert "holds     claim" in found.stdout


def test_wrapped_decorators_keep_their_claims(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A claim that is refused because a wrapper of the user returns the decorated function."""
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


def test_a_nested_spec_keeps_its_actions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Actions of a spec nested in another spec that count as lost."""
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
