"""Loops over an index: which can be read as one assignment to all members, and which cannot."""

from __future__ import annotations

import itertools
import linecache
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from counterpoint.models.prove.sizes.loops import loop_of
from counterpoint.spec.notation import Boolean, Model, Spec, SpecError, action

_number = itertools.count()


class Index:
    """An index of any size, with one member, that inspects the loop over it."""

    any_size = True

    def __iter__(self) -> Iterator[int]:
        loop_of(sys._getframe(1))
        return iter((0,))


class Thing(Spec):
    """A spec in which something may be changed."""

    f = Boolean()

    @action
    def go(s):
        s.f = True


def function(text: str, **given: Any) -> Callable[..., Any]:
    """Return the function ``f`` of a source text, with the text readable as that of a file."""
    name = f"<text {next(_number)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space: dict[str, Any] = {"every": list, "some": list, **given}
    exec(compile(text, name, "exec"), space)
    found: Callable[..., Any] = space["f"]
    return found


def body(*lines: str) -> str:
    """Return the source of a function of a spec and an index."""
    return "\n".join(["def f(s, ps, x=0):", *(f"    {line}" for line in lines), ""])


ACCEPTED = {
    "a loop": ["for p in ps:", "    x", "    y = p", "    y"],
    "a generator": ["every(p for p in ps)"],
    "two generators": ["every(p for p in ps for q in ps)"],
    "a generator that goes on": ["every(p for q in (1, 2) for p in ps)"],
    "a generator over several lines": ["every(", "    p", "    for p in ps", ")"],
    "a loop in a loop": ["for p in ps:", "    for q in ps:", "        y = q", "        y + p"],
    "a generator in a loop": ["for p in ps:", "    every(q == p for q in ps)"],
    "a loop over other things before": ["for k in (1, 2):", "    x = k", "for p in ps:", "    x"],
    "a loop over other things inside": [
        "for p in ps:", "    for k in (1, 2):", "        y = k", "        y"],
    "a name that is assigned to again": ["for p in ps:", "    y = p", "y = 1", "y"],
    "a name for each turn": ["y = 1", "for p in ps:", "    y = p", "    y", "y = 2", "y"],
    "another name after it": ["for p in ps:", "    y = p", "x"],
    "a branch": ["for p in ps:", "    if x:", "        y = 1", "        y", "    x"],
    "a loop twice": ["for p in ps:", "    p", "for p in ps:", "    p"],
    "a comprehension of its own": ["for p in ps:", "    y = p", "[y for y in (1, 2)]"],
    "a lambda of its own": ["for p in ps:", "    y = p", "(lambda y: y)(1)"],
    "a tuple beside it": ["z = (1, 'a', None)", "for p in ps:", "    z"],
    "a range beside it": ["z = range(3)", "for p in ps:", "    z"],
    "a type beside it": ["z = int", "for p in ps:", "    z"],
    "a function beside it": ["z = lambda k: k + x", "for p in ps:", "    z(1)"],
    "a function with a default": ["z = lambda k=1: k", "for p in ps:", "    z()"],
    "a frozen set": ["z = frozenset((1,))", "for p in ps:", "    z"],
    "with an end": ["for p in ps:", "    p", "else:", "    x"],
    "a while loop": ["while x < 1:", "    for p in ps:", "        p", "    x = x + 1"],
    "an annotated name": ["for p in ps:", "    y: int = p", "    y"],
    "unpacking": ["for p in ps:", "    a, b = p, x", "    a + b"],
    "augmented within": ["for p in ps:", "    y = 1", "    y += 1", "    y"],
    "an index in a tuple": ["z = (ps, ps)", "for p in ps:", "    z"],
    "a function after it": ["for p in ps:", "    y = p", "def g(k):", "    return k"],
    "a closure over what stays": [
        "def g(k):", "    return k + x", "for p in ps:", "    g(p)"],
}  # fmt: skip


@pytest.mark.parametrize("name", ACCEPTED)
def test_plain_loops_stand_for_all_members(name: str) -> None:
    """A loop refused although it does the same with each member."""
    function(body(*ACCEPTED[name]))(object.__new__(Thing), Index())


NUMBER = "some, no or count: it has no fixed size"
BRACKETS = "write a generator, without brackets"
LEFT = "was assigned in an earlier iteration of the loop over an index"
KEEPS = "stores something from one iteration of the loop over an index to the next"
BESIDE = "is in scope of a loop over an index"

REFUSED = {
    "a list": (["list(ps)"], NUMBER),
    "a sum": (["sum(ps)"], NUMBER),
    "an enumeration": (["for i, p in enumerate(ps):", "    p"], NUMBER),
    "unpacking": (["a, = ps"], NUMBER),
    "membership": (["1 in ps"], NUMBER),
    "a list in brackets": (["[p for p in ps]"], BRACKETS),
    "a set in brackets": (["{p for p in ps}"], BRACKETS),
    "a dictionary": (["{p: 1 for p in ps}"], BRACKETS),
    "a loop that yields": (["for p in ps:", "    yield p"], "a loop must not yield members"),
    "the last member": (["for p in ps:", "    p", "p"], r"line 4: p " + LEFT),
    "what it left": (["for p in ps:", "    y = p", "y"], r"line 4: y " + LEFT),
    "what it left, in a branch": (["for p in ps:", "    y = p", "if x == 0:", "    y"], LEFT),
    "what it left, in a test": (["for p in ps:", "    y = p", "if y:", "    x"], LEFT),
    "what it left, in a while": (["for p in ps:", "    y = p", "while y:", "    x"], LEFT),
    "what it left, in a loop": (["for p in ps:", "    y = p", "for k in (y,):", "    k"], LEFT),
    "what it left, after a branch that sets it": (
        ["for p in ps:", "    y = p", "if x:", "    y = 1", "y"], LEFT),
    "what it left, in its end": (["for p in ps:", "    y = p", "else:", "    y"], LEFT),
    "what it left, added to": (["for p in ps:", "    y = p", "y += 1"], LEFT),
    "what it left, added": (["for p in ps:", "    y = p", "x += y"], LEFT),
    "what it left, as a value": (["for p in ps:", "    y = p", "z = y"], LEFT),
    "what it left, as a typed value": (["for p in ps:", "    y = p", "z: int = y"], LEFT),
    "what it left, as a place": (["z = (0,)", "for p in ps:", "    y = p", "z[y]"], LEFT),
    "what it left, returned": (["for p in ps:", "    y = p", "return y"], LEFT),
    "what it left, in a function": (
        ["for p in ps:", "    y = p", "def g():", "    return y"], LEFT),
    "what it left, in a lambda": (["for p in ps:", "    y = p", "lambda k: y"], LEFT),
    "what it left, in a comprehension": (
        ["for p in ps:", "    y = p", "[y for k in (1,)]"], LEFT),
    "what the turn before left": (["y = 0", "for p in ps:", "    z = y", "    y = p"], LEFT),
    "a sum in a loop": (["y = 0", "for p in ps:", "    y = y + 1"], LEFT),
    "a sum in short": (["y = 0", "for p in ps:", "    y += 1"], LEFT),
    "what an inner loop left": (
        ["y = 0", "for p in ps:", "    for k in (1, 2):", "        z = y", "        y = p"], LEFT),
    "what a branch may have left": (
        ["y = 0", "for p in ps:", "    if x:", "        y = 1", "    y"], LEFT),
    "what a loop may have left": (
        ["y = 0", "for p in ps:", "    for k in range(x):", "        y = 1", "    y"], LEFT),
    "what the turn before left, around it": (
        ["y = 0", "for k in (1, 2):", "    z = y", "    for p in ps:", "        y = p"], LEFT),
    "a name that is assigned to by an expression": (["for p in ps:", "    (y := p)"], KEEPS),
    "a list beside it": (["z = []", "for p in ps:", "    x"], "z " + BESIDE),
    "a list in a tuple": (["z = (1, [])", "for p in ps:", "    x"], "z " + BESIDE),
    "a dictionary beside it": (["z = {}", "for p in ps:", "    x"], "z " + BESIDE),
    "an iterator beside it": (["z = iter((1, 2))", "for p in ps:", "    x"], "z " + BESIDE),
    "a generator beside it": (["z = (k for k in (1, 2))", "for p in ps:", "    x"], "z " + BESIDE),
    "a list as a default": (["z = lambda k=[]: k", "for p in ps:", "    z()"], "z " + BESIDE),
    "a list as a default by name": (
        ["z = lambda *, k=[]: k", "for p in ps:", "    z()"], "z " + BESIDE),
    "a list in a closure": (
        ["def h():", "    y = []", "    return lambda: y", "z = h()", "for p in ps:", "    z()"],
        "z " + BESIDE),
    "a function of what it leaves": (
        ["y = 0", "z = lambda: y", "for p in ps:", "    y = p"], BESIDE),
    "a list that grows": (["for p in ps:", "    x.append(p)"], KEEPS),
    "a list that is assigned to": (["for p in ps:", "    x[0] = p"], KEEPS),
    "an attribute of something else": (["for p in ps:", "    x.y = p"], KEEPS),
    "a change of a part": (["for p in ps:", "    x.y[0].append(p)"], KEEPS),
    "a change of what is made": (["for p in ps:", "    str(x).y.append(p)"], KEEPS),
    "nonlocal": (
        ["y = 0", "def g():", "    nonlocal y", "    y = 1", "for p in ps:", "    g()"],
        "line 4|nonlocal in a function with a loop over an index"),
    "a change in a generator": (["every(x.append(p) for p in ps)"], KEEPS),
    "a name in a generator": (["every((y := p) for p in ps)"], KEEPS),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_depends_on_others_is_refused(name: str) -> None:
    """One member taken for all where the loop treats members differently."""
    lines, why = REFUSED[name]
    with pytest.raises(SpecError, match=why):
        found = function(body(*lines))(object.__new__(Thing), Index())
        list(found or ())


def test_a_text_that_cannot_be_read_is_refused() -> None:
    """A loop accepted although its source cannot be read."""
    space: dict[str, Any] = {}
    exec("def f(ps):\n    for p in ps:\n        p\n", space)
    with pytest.raises(SpecError, match="the source of this loop is not available"):
        space["f"](Index())


def test_the_innermost_function_around_a_loop_is_followed() -> None:
    """A name of an outer function confused with one of the innermost."""
    text = "\n".join([
        "def f(s, ps):",
        "    def g():",
        "        for p in ps:",
        "            y = p",
        "        {}",
        "    def h(y=1):",
        "        return y",
        "    y = 2",
        "    h(y)",
        "    g()",
        "",
    ])  # fmt: skip
    function(text.format("0"))(0, Index())
    with pytest.raises(SpecError, match="line 5: y " + LEFT):
        function(text.format("y"))(0, Index())


def test_a_loop_at_the_top_of_a_file_is_followed() -> None:
    """A loop outside of any function that is accepted unread."""
    name = f"<text {next(_number)}>"
    text = "for p in ps:\n    y = p\ny\n"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    with pytest.raises(SpecError, match="line 3: y " + LEFT):
        exec(compile(text, name, "exec"), {"ps": Index(), "__builtins__": None})


def test_a_spec_may_be_changed_in_a_loop() -> None:
    """An assignment to the spec refused, although it is always followed."""
    model = Model(Thing())
    spec = model.at(next(model.initial_states()))
    changed = function(body("for p in ps:", "    s.f = True", "return s"))(spec, Index())
    assert changed is spec
