"""Temporal properties and fair actions that are written wrongly: one line says what to change."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint import Integer, Spec, SpecError, action, eventually
from counterpoint.console import run
from counterpoint.main import counterpoint
from counterpoint.spec.notation import Model

WRONG = {
    "@eventually\n    def w(s):\n        s.at = 1\n        return s.at == 1": "assign",
    "@leads_to\n    def w(s):\n        return s.at == 1": "returns two conditions",
    "@until\n    def w(s):\n        return s.at == 1, s.at == 2, s.at == 0": "two conditions",
    "@stays\n    def w(s, after):\n        return s.at == 1": "is written def w(s)",
    "@action(fair='often')\n    def w(s):\n        s.at = 1": "fair is one of none, weak, strong",
    "@action(fair=lambda s: 'often')\n    def w(s):\n        s.at = 1": "fair is one of none, weak",
    "@action(fair='weak', fair_for=('q',))\n    def w(s, p):\n        s.at = p": "'q', which is no",
    "@action(fair='weak', fair_for='p')\n    def w(s, p):\n        s.at = p": "fair_for=('p',)",
    "@action(fair='weak', fair_for=1)\n    def w(s, p):\n        s.at = p": "tuple of names",
    "@action(fair='weak', fair_for=(1,))\n    def w(s, p):\n        s.at = p": "tuple of names",
    "@action(fair_for=('p',))\n    def w(s, p):\n        s.at = p": "it needs fair=",
    "@action('weak')\n    def w(s):\n        s.at = 1": "write @action(fair='weak')",
    "@action(fair=True)\n    def w(s):\n        s.at = 1": "fair is one of none, weak",
    "@action(fair=['weak'])\n    def w(s):\n        s.at = 1": "fair is one of none, weak",
    "@action(fair=lambda s: ['weak'])\n    def w(s):\n        s.at = 1": "fair is one of none",
    "@action(fair=lambda: 'weak')\n    def w(s):\n        s.at = 1": ":11: fair= of w cannot",
    "@action(fair=lambda s: s.at)\n    def w(s):\n        s.at = 1": "value in a state only",
    "@action(when=lambda s: s.at)\n    def w(s):\n        s.at = 1": ":11: when= of w cannot",
    "@eventually(fair='weak')\n    def w(s):\n        return s.at == 1": "when=, and not fair=",
    "@eventually\n    @lemma\n    def w(s):\n        return s.at == 1": "two marks, lemma and even",
    "@stays\n    @action\n    def w(s):\n        s.at = 1": "two marks, action and stays",
    "@stays\n    @property\n    def w(s):\n        return s.at == 1": "stays marks a method",
    "@eventually\n    def w(s):\n        require(s.at == 1)\n        return s.at": "actions only",
    "@stays\n    def w(s):\n        return s.at == 1, s.at == 2": "it returns one condition",
    "@until\n    def w(s):\n        return [s.at == 1, s.at == 2]": "returns two conditions",
    "@leads_to\n    def w(s):\n        return None, s.at == 1": "does a method lack its return",
    "@temporal\n    def w(s):\n        return s.at == 1": "it returns a formula",
    "@temporal\n    def w(s):\n        s.at = 1\n        return always(s.at)": "assign",
    "@temporal\n    def w(s):\n        return always('x')": "is a text",
    "@temporal\n    def w(s):\n        return always(eventually(s.at))": "sometime(condition)",
    "@temporal\n    def w(s):\n        return until(s.at, s.at == 1)": "write strong_until(first",
    "@temporal\n    def w(s):\n        return always(s.at) and sometime(s.at)": "no truth value",
    "@temporal\n    def w(s):\n        return always(s.at) == sometime(s.at)": "no truth value",
    "@temporal\n    def w(s):\n        found = s.at == 1\n        for _ in range(60):\n"
    "            found = always(sometime(found))\n        return found": "more than 50 operators",
    "@temporal\n    def w(s):\n        return every(always(s.at == k) for k in range(201))": (
        "more than 200 conditions"
    ),
    "@temporal\n    def w(s):\n        return ~True | always(s.at == 1)": "write no(...)",
    "@temporal\n    def w(s):\n        return always(s.at == 1) & s.at": "take truth values",
    "@temporal\n    def w(s):\n        return always(s.at) ^ sometime(s.at)": "join formulas by",
    "@temporal\n    def w(s):\n        return always(~s.at)": "of a condition is no(...) or not",
    "@temporal\n    def w(s):\n        return s.at == 1 and always(s.at)": "not by and, or, if",
    "@invariant\n    def w(s):\n        return always(s.at)": "a formula stands for a whole run",
    "@temporal\n    def w(s):\n        return (sometime if s.at else always)(s.at)": "not the",
    "@temporal\n    def w(s):\n        return no(every(sometime(s.at * k % 7 == 1) "
    "for k in range(8, 40)))": "too large",
    "@temporal\n    def w(s):\n        return always(s.at)\n    @decreases(of=w)\n"
    "    def r(s):\n        return s.at": "proves no formula",
}


@pytest.mark.parametrize("body", WRONG, ids=range(len(WRONG)))
def test_wrong_specs_are_refused_in_one_line(
    body: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A traceback, or a verdict on a property that means nothing."""
    path = tmp_path / "wrong.py"
    path.write_text(
        "from counterpoint import *\n\nclass Wrong(Spec):\n"
        "    members = Index(2, names='p')\n    at = Integer(0, 2)\n\n"
        f"    @action\n    def go(s):\n        s.at = 1\n\n    {body}\n"
    )
    assert run(counterpoint, ["check", str(path)]) == 2
    said = capsys.readouterr().err
    assert WRONG[body] in said and said.count("\n") == 1 and "wrong.py" in said


@pytest.mark.parametrize("name", ["ranges", "no_deadlock"])
def test_reserved_names_are_refused(name: str) -> None:
    """Two properties with one name, of which a command or a gate can name only the first."""
    body = {"at": Integer(0, 1), name: eventually(lambda s: s.at == 1), "go": action(_go)}
    model = Model(type("Named", (Spec,), body)())
    with pytest.raises(SpecError, match="is reserved"):
        _ = model.properties


def _go(s):
    s.at = 1
