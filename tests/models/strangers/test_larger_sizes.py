"""Claims that are false only from four members on, which sizes 1 to 3 cannot show."""

from __future__ import annotations

from pathlib import Path

import pytest

from .check import check

HEAD = """\
def bump(b):
    b[0] = b[0] + 1

class Theirs(Spec):
    any_number = ("ps",)
    ps = Index(2, names="p q a")
    big = Number(0)
    h = Array(ps, Boolean())
    g = Array((ps, ps), Boolean())
    x = Boolean()
    n = Integer(0, 9)

    @action
    def clear(s):
        s.x = False

"""

NEVER = "    @invariant\n    def claim(s): return no(s.x)\n"
ALIKE = (
    "    @invariant\n    def claim(s): return every(s.h[p] == s.h[q] for p in s.ps for q in s.ps)\n"
)


def action(*lines: str, of: str = "s") -> str:
    """Return the text of an action."""
    return f"    @action\n    def go({of}):\n" + "".join(f"        {line}\n" for line in lines)


FALSE = {
    "a column that is read": action(
        "for p in s.ps:", "    s.g[p, a] = True", "    s.h[p] = s.g[a, p]", of="s, a") + ALIKE,
    "a diagonal that is assigned": action(
        "for p in s.ps:", "    s.g[p, p] = True", "    s.h[p] = s.g[a, p]", of="s, a") + ALIKE,
    "a transposition in turn": action(
        "for p in s.ps:", "    for q in s.ps:", "        s.g[p, q] = s.g[q, p]",
        "s.x = some(s.g[p, q] != s.g[q, p] for p in s.ps for q in s.ps)") + (
        "    @action\n    def mark(s, p, q): s.g[p, q] = True\n" + NEVER),
    "a list that a function changes": action(
        "box = [0]", "for p in s.ps:", "    bump(box)", "s.x = box[0] >= 4") + NEVER,
    "a method of a list by another name": action(
        "box = []", "add = box.append", "for p in s.ps:", "    add(1)", "s.x = len(box) >= 4"
    ) + NEVER,
    "an iterator": action(
        "it = iter((False, False, False, True))",
        "for p in s.ps:", "    s.h[p] = next(it, True)") + ALIKE,
    "a generator": action(
        "it = (k >= 9 for k in range(20))",
        "for p in s.ps:", "    s.h[p] = next(it, True)") + ALIKE,
    "a walrus in a generator": action(
        "k = 0", "require(every((k := k + 1) > 0 for p in s.ps))", "s.x = k >= 4") + NEVER,
    "a list that a generator fills": action(
        "met = []", "require(every(met.append(1) is None for p in s.ps))", "s.x = len(met) >= 4"
    ) + NEVER,
    "a list of members that is gone through": action(
        "for p in [q for q in s.ps]:", "    s.n = s.n + 1", "s.x = s.n >= 4", "s.n = 0") + NEVER,
    "a function that reads what a loop leaves": action(
        "k = 0", "get = lambda: k", "for p in s.ps:", "    k = get() + 1", "s.x = get() >= 4"
    ) + NEVER,
    "a function beside that counts": action(
        "k = 0", "def up():", "    nonlocal k", "    k += 1", "def each():",
        "    for p in s.ps:", "        up()", "each()", "s.x = k >= 4") + NEVER,
    "a default that counts": action(
        "def up(box=[]):", "    box.append(1)", "    return len(box) >= 4",
        "for p in s.ps:", "    s.h[p] = up()") + ALIKE,
    "a parameter that follows from the size": (
        "    def derive(s, given): return {'big': 1 if given.get('ps', 2) >= 4 else 0}\n"
        + action("s.x = s.big == 1") + NEVER),
    "an end that counts at some sizes": (
        action("require(no(s.x))", "s.x = True").replace("go", "once") +
        "    without = ('clear',)\n"
        "    @finished\n    def one(s): return s.x\n"
        "    @finished(when=lambda s: len(s.ps) >= 4)\n    def two(s): return no(s.x)\n"
        "    @invariant\n    def claim(s): return len(s.ps) <= 3\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", FALSE)
def test_a_claim_false_from_four_members_on_is_not_proved(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A loop whose iterations read each other's writes, treated as one iteration: a false proof."""
    found = check(tmp_path, HEAD + FALSE[name], "any-number", capsys)
    if found.code != 2:
        assert found.rows["any-number", "claim"]["verdict"] != "holds"
        assert found.rows.get(("any-number", "no-deadlock"), {}).get("verdict") != "holds"
    assert found.code != 0
