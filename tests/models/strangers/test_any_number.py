"""Specs for any number of members for which a false claim was, or could have been, proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from .check import check

HEAD = """\
class Theirs(Spec):
    processes = Index(2, names="p", labels="P")
    any_number = ("processes",)
    f = Array(processes, Boolean())
    met = Array((processes, processes), Boolean())
    turn = Reference(processes, Nobody)
    n = Integer(0, 9)

    @action
    def raise_it(s, p):
        s.f[p] = True

"""

FALSE = {
    "at most one is inside": (
        "    @invariant\n"
        "    def claim(s): return count(s.f[p] for p in s.processes) <= 1\n", 2),
    "a guard that counts": (
        "    @action\n"
        "    def win(s):\n"
        "        require(count(s.f[p] for p in s.processes) >= 2)\n"
        "        s.n = 1\n"
        "    @invariant\n"
        "    def claim(s): return s.n == 0\n", 3),
    "exactly none, within every": (
        "    @action\n"
        "    def meet(s, p):\n"
        "        s.met[p, p] = True\n"
        "    @invariant\n"
        "    def claim(s):\n"
        "        return every(count(s.met[p, q] for q in s.processes) == 0\n"
        "                     for p in s.processes)\n", 1),
    "whoever is busy has somebody idle behind it": (
        "    @invariant\n"
        "    def claim(s):\n"
        "        return every(\n"
        "            implies(s.f[p], some(every(p < q, no(s.f[q])) for q in s.processes))\n"
        "            for p in s.processes\n"
        "        )\n", 1),
    "there are two": (
        "    @invariant\n"
        "    def claim(s): return some(p != q for p in s.processes for q in s.processes)\n", 0),
    "an action that is there at some sizes only": (
        "    @action(when=lambda s: len(s.processes) > 2)\n"
        "    def jump(s): s.n = 5\n"
        "    @invariant\n"
        "    def claim(s): return s.n < 5\n", 1),
    "the member that a loop left": (
        "    @action\n"
        "    def all_but_one(s):\n"
        "        for q in s.processes:\n"
        "            s.f[q] = True\n"
        "        s.f[q] = False\n"
        "    @invariant\n"
        "    def claim(s): return implies(s.f[0], every(s.f[q] for q in s.processes))\n", 1),
    "an enumeration": (
        "    @action\n"
        "    def last(s):\n"
        "        for i, q in enumerate(s.processes):\n"
        "            s.n = i\n"
        "    @invariant\n"
        "    def claim(s): return s.n == 0\n", 1),
    "a loop that counts": (
        "    @action\n"
        "    def number(s):\n"
        "        k = 0\n"
        "        for q in s.processes:\n"
        "            k = k + 1\n"
        "        s.n = k\n"
        "    @invariant\n"
        "    def claim(s): return s.n <= 1\n", 1),
    "a loop that counts in a list": (
        "    @action\n"
        "    def number(s):\n"
        "        met = []\n"
        "        for q in s.processes:\n"
        "            met.append(q)\n"
        "        s.n = len(met)\n"
        "    @invariant\n"
        "    def claim(s): return s.n <= 1\n", 1),
    "a sum of ones": (
        "    @invariant\n"
        "    def claim(s): return sum(1 for q in s.processes) <= 1\n", 0),
    "a list in brackets": (
        "    @action\n"
        "    def meet(s, p):\n"
        "        s.met[p, 0] = True\n"
        "    @invariant\n"
        "    def claim(s):\n"
        "        return no(some([s.met[p, q] for q in s.processes]) for p in s.processes)\n", 1),
    "pairs": (
        "    @invariant\n"
        "    def claim(s):\n"
        "        import itertools\n"
        "        return no(every(s.f[p], s.f[q])\n"
        "                  for p, q in itertools.combinations(s.processes, 2))\n", 2),
    "the greatest": (
        "    @invariant\n"
        "    def claim(s): return maximum(ite(s.f[p], p, 0) for p in s.processes) == 0\n", 1),
    "a member that is asked for": (
        "    @invariant\n"
        "    def claim(s): return 1 not in s.processes\n", 0),
}  # fmt: skip
"""Texts whose claim is false at one, two or three processes, with the steps that it takes."""


@pytest.mark.parametrize("name", FALSE)
def test_nothing_false_is_proved(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A proof of a violated claim, or a dropped claim: exit code 0 in a user's CI."""
    text, steps = FALSE[name]
    found = check(tmp_path, HEAD + text, "any-number", capsys)
    row = found.rows["any-number", "claim"]
    assert (row["verdict"], row["depth"]) == ("violated", steps)
    assert found.code == 1


RANGES = {
    "a reference beyond the last": "s.turn = p + 1",
    "an element beyond the last": "s.f[p + 1] = True",
    "an element before the first": "s.f[p - 1] = True",
    "an element of nobody": "s.f[s.turn] = True",
    "an element that is read": "s.n = ite(s.f[s.turn], 1, 0)",
    "a range left before a requirement fails": "s.n = s.n + 1; require(s.n < 3, s.n > 20)",
    "all elements beyond the last": "\n".join(
        ["", "        for q in s.processes:", "            s.met[q, p + 1] = True"]
    ),
    "a sum without a bound": "s.n = s.n + 1",
}


@pytest.mark.parametrize("name", RANGES)
def test_leaving_a_range_is_seen(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A reference without an upper end; an index that is never outside; a skipped step."""
    text = f"    @action\n    def theirs(s, p):\n        {RANGES[name]}\n"
    found = check(tmp_path, HEAD + text, "any-number", capsys)
    assert found.rows["any-number", "ranges"]["verdict"] != "holds"
    assert found.code in (1, 3)
    explored = check(tmp_path, HEAD + text, "exhaustive", capsys)
    assert (explored.rows["exhaustive", "ranges"]["verdict"] == "violated") == (found.code == 1)


TRUE = {
    "at most one is inside": (
        "    @action\n"
        "    def take(s, p):\n"
        "        require(s.turn == Nobody.NONE)\n"
        "        s.turn = p\n"
        "    @action\n"
        "    def give(s, p):\n"
        "        require(s.turn == p)\n"
        "        s.turn = Nobody.NONE\n"
        "    @invariant\n"
        "    def claim(s): return count(s.turn == p for p in s.processes) <= 1\n"),
    "a count that a guard bounds": (
        "    @action\n"
        "    def meet(s, p):\n"
        "        require(count(s.met[q, q] for q in s.processes) < 2)\n"
        "        s.met[p, p] = True\n"
        "    @invariant\n"
        "    def claim(s): return count(s.met[q, q] for q in s.processes) != 3\n"),
    "an assignment to all": (
        "    @action\n"
        "    def clear(s):\n"
        "        for q in s.processes:\n"
        "            s.met[q, q] = False\n"
        "    @invariant\n"
        "    def claim(s):\n"
        "        return every(no(s.met[p, q]) for p in s.processes for q in s.processes)\n"),
    "an element of who is there": (
        "    @action\n"
        "    def theirs(s, p):\n"
        "        if s.turn >= 0:\n"
        "            s.met[s.turn, p] = True\n"
        "    @invariant\n"
        "    def claim(s): return s.turn == Nobody.NONE\n"),
    "what only the range of a variable shows": (
        "    k = Array(processes, Integer(0, 3, initially=ANY))\n"
        "    @initially\n"
        "    def some_are_left(s): return every(s.k[p] > 0 for p in s.processes)\n"
        "    @action\n"
        "    def lose(s, p):\n"
        "        require(s.k[p] != 0)\n"
        "        s.k[p] -= 1\n"
        "    @invariant\n"
        "    def claim(s): return every(some(s.k[p] == 0, s.k[p] > 0) for p in s.processes)\n"),
    "the same number of members, and no more": (
        "    @invariant\n"
        "    def claim(s): return every(no(every(p < q, q < p))\n"
        "                               for p in s.processes for q in s.processes)\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", TRUE)
def test_true_claims_are_still_proved(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An engine that is sound only because it proves nothing."""
    found = check(tmp_path, HEAD + TRUE[name], "any-number", capsys)
    assert found.rows["any-number", "claim"]["verdict"] == "holds"
    assert found.rows["any-number", "ranges"]["verdict"] == "holds"


DECLARED = {
    "a range that follows the size": "    k = Integer(0, lambda s: len(s.processes))\n",
    "a start that follows the size": (
        "    k = Integer(0, 9, initially=lambda s: len(s.processes))\n"),
    "a property of the size": (
        "    k = Integer(0, 9, initially=lambda s: s.half)\n"
        "    @property\n"
        "    def half(s): return s.parameters['processes'] // 2\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", DECLARED)
def test_the_declared_size_is_not_known(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A proof only for the size that the text declares."""
    text = HEAD + DECLARED[name] + "    @invariant\n    def claim(s): return s.k <= 5\n"
    row = check(tmp_path, text, "any-number", capsys).rows["any-number", "claim"]
    assert row["verdict"] == "unknown"
    assert "any size has no fixed size here" in str(row["reason"])


def test_a_branch_in_a_claim_is_named_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An unknown verdict that does not name the line to change."""
    text = HEAD + (
        "    @invariant\n"
        "    def claim(s):\n"
        "        if s.n == 1:\n"
        "            return True\n"
        "        return s.n < 1\n"
    )
    row = check(tmp_path, text, "any-number", capsys).rows["any-number", "claim"]
    assert row["verdict"] == "unknown"
    line = 1 + (tmp_path / "theirs.py").read_text().splitlines().index("        if s.n == 1:")
    assert f"theirs.py:{line}: in claim: a branch on the state" in str(row["reason"])


def test_untranslatable_restatements_prove_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A restated claim that holds because parts of it were dropped."""
    text = HEAD + (
        "    in_other_words = {'claim': ('easy', 'hard')}\n"
        "    @invariant\n"
        "    def claim(s): return len([p for p in s.processes if s.f[p]]) <= 3\n"
        "    @invariant\n"
        "    def easy(s): return s.n == 0\n"
        "    @invariant\n"
        "    def hard(s): return sum(s.f[p] for p in s.processes) <= 3\n"
    )
    found = check(tmp_path, text, "any-number", capsys)
    assert found.answers("easy") == {"any-number": "holds"}
    assert found.answers("claim") == {"any-number": "unknown"}


def test_a_weaker_restatement_is_detected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A restatement by the user that is weaker than the claim: sizes 1 to 3 must show it."""
    text = HEAD + (
        "    in_other_words = {'claim': ('easy',)}\n"
        "    @invariant\n"
        "    def claim(s): return no(s.f[p] for p in s.processes)\n"
        "    @invariant\n"
        "    def easy(s): return s.n == 0\n"
    )
    row = check(tmp_path, text, "any-number", capsys).rows["any-number", "claim"]
    assert row["verdict"] == "unknown"
    assert "a run with processes=1 violates it" in str(row["reason"])
