"""Expressions over indices of any size, compared with their values for one to four members."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from counterpoint.models.prove.sizes.quantified import (
    MOST_WITNESSES,
    Count,
    applied,
    for_all,
    for_some,
    parts,
    size,
    substituted,
    symbol,
    symbols_of,
    within,
)
from counterpoint.models.symbolic.evaluating import SizedEvaluation
from counterpoint.spec.notation import SpecError, nodes
from counterpoint.spec.notation.nodes import UNBOUNDED, Node
from counterpoint.spec.notation.symbolic import node_of, value_of

P, Q, R = (symbol("ps") for _ in range(3))
X = symbol("xs")
SIZES = [{"ps": p, "xs": x} for p, x in product((1, 2, 3, 4), (1, 2))]

Tables = dict[str, dict[tuple[int, ...], int]]


def flag(name: str, *key: Node) -> Node:
    """Return a truth value that depends on some members."""
    return applied(name, key, 0, 1, True)


def number(name: str, *key: Node) -> Node:
    """Return a number that depends on some members."""
    return applied(name, key, -2, 5, False)


def tables(chance: random.Random, sizes: dict[str, int]) -> Tables:
    """Return random values for all variables."""
    p = range(sizes["ps"])
    return {
        "f": {(i,): chance.randint(0, 1) for i in p},
        "g": {key: chance.randint(0, 1) for key in product(p, p)},
        "n": {(i,): chance.randint(-2, 5) for i in p},
        "m": {(): chance.randint(-2, 5)},
        "h": {key: chance.randint(0, 1) for key in product(p, range(sizes["xs"]))},
    }


def at(node: Node, values: Tables, sizes: dict[str, int], **given: int) -> int:
    """Return the value of an expression at given sizes."""
    members = {{"p": P, "q": Q, "r": R, "x": X}[name]: at for name, at in given.items()}
    return SizedEvaluation(sizes, lambda name, key: values[name][key], members).value(node)


def everywhere(seed: int, times: int = 6) -> list[tuple[dict[str, int], Tables]]:
    """Return combinations of sizes and random values."""
    chance = random.Random(seed)
    return [(sizes, tables(chance, sizes)) for sizes in SIZES for _ in range(times)]


def test_quantifiers_say_all_and_some() -> None:
    """A member that is left out, or an existential quantifier in place of a universal one."""
    for sizes, values in everywhere(1):
        f, g = values["f"], values["g"]
        ps = range(sizes["ps"])
        assert at(for_all([P], flag("f", P)), values, sizes) == all(f.values())
        assert at(for_some([P], flag("f", P)), values, sizes) == any(f.values())
        assert at(for_all([P, Q], flag("g", P, Q)), values, sizes) == all(g.values())
        inner = for_some([Q], flag("g", P, Q))
        assert at(for_all([P], inner), values, sizes) == all(any(g[p, q] for q in ps) for p in ps)
        assert at(inner, values, sizes, p=0) == any(g[0, q] for q in ps)


def test_a_symbol_that_is_not_spoken_of_is_left_out() -> None:
    """Quantifiers over unused symbols, which z3 has to remove."""
    assert for_all([P, Q], flag("f", Q)).args[0] == (Q,)
    assert for_all([P], flag("f", Q)) is flag("f", Q)
    assert for_all([], flag("f", Q)) is flag("f", Q)
    assert for_some([P], nodes.TRUE) is nodes.TRUE
    whole = for_all([P], flag("f", P))
    assert (whole.op, whole.boolean, whole.low, whole.high) == ("all", True, 0, 1)


def test_symbols_that_are_free() -> None:
    """A bound symbol taken for a free one, or the other way round."""
    assert symbols_of(P) == {P}
    assert symbols_of(nodes.TRUE) == frozenset()
    assert symbols_of(flag("g", P, Q)) == {P, Q}
    assert symbols_of(for_all([P], flag("g", P, Q))) == {Q}
    both = nodes.conjunction([for_all([P], flag("g", P, Q)), flag("f", P)])
    assert symbols_of(both) == {P, Q}
    assert symbols_of(nodes.ite(flag("f", P), number("n", Q), nodes.constant(1))) == {P, Q}
    assert symbols_of(size("ps", 1)) == frozenset()


def test_each_symbol_is_new() -> None:
    """Two members that share one symbol."""
    assert symbol("ps") is not symbol("ps")
    assert P.args[0] == "ps"
    assert (P.low, P.high, P.op, P.boolean) == (0, UNBOUNDED, "symbol", False)
    two = size("ps", 2)
    assert (two.low, two.high, two.op, two.boolean) == (2, UNBOUNDED, "size", False)
    assert size("ps", 2) is two
    there = number("n", P)
    assert (there.low, there.high, there.boolean) == (-2, 5, False)
    assert flag("f", P).boolean


def test_members_are_put_in_for_symbols() -> None:
    """A symbol that is not replaced, a bound one that is, or a range that is lost."""
    chance = random.Random(2)
    forms = [
        nodes.equal(number("n", P), nodes.constant(2)),
        nodes.less(number("n", P), number("n", Q)),
        nodes.conjunction([flag("f", P), flag("f", Q), flag("g", P, Q)]),
        nodes.disjunction([flag("f", P), nodes.negation(flag("f", Q))]),
        for_all([R], nodes.disjunction([flag("g", P, R), flag("g", R, Q)])),
        nodes.equal(nodes.add(number("n", P), number("m")), number("n", Q)),
        nodes.equal(nodes.ite(flag("f", P), number("n", Q), nodes.constant(0)), nodes.constant(1)),
        nodes.equal(P, Q),
    ]
    for form in forms:
        for sizes, values in everywhere(3, 2):
            p, q = (chance.randrange(sizes["ps"]) for _ in range(2))
            made = substituted(form, {P: nodes.constant(p), Q: nodes.constant(q)})
            assert not symbols_of(made)
            assert at(made, values, sizes) == at(form, values, sizes, p=p, q=q)
            turned = substituted(form, {P: Q, Q: P})
            assert at(turned, values, sizes, p=q, q=p) == at(form, values, sizes, p=p, q=q)
            one = substituted(form, {P: Q})
            assert at(one, values, sizes, q=q) == at(form, values, sizes, p=q, q=q)
    there = substituted(number("n", P), {P: Q})
    assert (there.low, there.high, there.boolean) == (-2, 5, False)
    assert substituted(flag("f", P), {P: Q}).boolean
    whole = for_all([P], flag("f", P))
    assert substituted(whole, {P: Q, Q: P}) is whole


@pytest.mark.parametrize("low", [-1, 0, 2])
@pytest.mark.parametrize("high", [2, 3, 5])
def test_a_range(low: int, high: int) -> None:
    """A bound of a range that is off by one or ignored."""
    node = number("m")
    open_end = within(node, low, UNBOUNDED)
    one = applied("k", (), 0, 9, False)
    for value in range(-2, 6):
        values: Tables = {"m": {(): value}, "k": {(): high}}
        assert at(within(node, low, high), values, {}) == (low <= value <= high)
        assert at(within(node, low, one), values, {}) == (low <= value <= high)
        assert at(open_end, values, {}) == (low <= value)
    assert within(flag("f", P), 0, 1) is nodes.TRUE
    assert within(node, -2, 5) is nodes.TRUE


def test_parts_together_say_the_same() -> None:
    """A part that is lost, or one that is not split."""
    whole = for_all([P], nodes.conjunction([
        flag("f", P),
        for_all([Q], nodes.conjunction([flag("g", P, Q), flag("g", Q, P)])),
        nodes.less(number("m"), number("n", P)),
    ]))  # fmt: skip
    two = nodes.conjunction([whole, flag("f", R)])
    found = parts(two)
    assert len(found) == 5
    assert all(part.op != "and" for part in found)
    for sizes, values in everywhere(4):
        values["f"] = dict.fromkeys(values["f"], 1)
        together = all(at(part, values, sizes, r=0) for part in found)
        assert together == bool(at(two, values, sizes, r=0))
    assert parts(flag("f", R)) == [flag("f", R)]


COMPARED: list[Callable[[Any, Any], Any]] = [
    operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne
]  # fmt: skip


@pytest.mark.parametrize("compare", COMPARED)
def test_a_count_is_compared_with_a_number(compare: Callable[[Any, Any], Any]) -> None:
    """A count that is off by one, or that counts a member twice."""
    for k in range(-1, 4):
        one = node_of(compare(Count([P], flag("f", P)), k))
        two = node_of(compare(Count([P, X], flag("h", P, X)), k))
        for sizes, values in everywhere(5, 3):
            if sizes["ps"] ** max(0, k + 1) > 300:
                continue
            assert at(one, values, sizes) == compare(sum(values["f"].values()), k)
            if k < 2 and sizes["ps"] < 4:
                assert at(two, values, sizes) == compare(sum(values["h"].values()), k)


def test_a_count_of_what_another_member_has() -> None:
    """A symbol outside of the count that is replaced too."""
    found = Count([P], flag("g", P, Q)).at_least(2)
    assert symbols_of(found) == {Q}
    for sizes, values in everywhere(6):
        for q in range(sizes["ps"]):
            right = sum(values["g"][p, q] for p in range(sizes["ps"])) >= 2
            assert at(found, values, sizes, q=q) == right
    assert Count([P], flag("f", P)).at_least(0) is nodes.TRUE
    assert Count([P], flag("f", P)).at_least(-1) is nodes.TRUE


def test_what_a_count_is_not() -> None:
    """A count used as a plain number, or compared with an unsuitable expression."""
    count = Count([P], flag("f", P))
    refused: list[Callable[[], Any]] = [
        lambda: bool(count), lambda: count + 1, lambda: 1 + count, lambda: count - 1,
        lambda: 1 - count, lambda: count * 2, lambda: 2 * count, lambda: count % 2,
        lambda: count // 2, lambda: -count, lambda: abs(count), lambda: int(count),
        lambda: range(count), lambda: count <= count, lambda: count == "1",
        lambda: count == value_of(number("m")), lambda: count < None,
    ]  # fmt: skip
    for one in refused:
        with pytest.raises(SpecError, match="with a constant"):
            one()
    with pytest.raises(TypeError):
        hash(count)
    assert MOST_WITNESSES == 8
    count.at_least(8)
    with pytest.raises(SpecError, match="at most 8"):
        count.at_least(9)
    assert node_of(count >= True) is not nodes.TRUE
