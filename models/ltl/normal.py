"""Formulas in negation normal form, simplified as they are made.

A formula is *eventual* if it is true as soon as it is true at any later time, and *universal* if it
stays true from then on (K. Etessami and G. Holzmann, *Optimizing Büchi automata*, CONCUR 2000).
Both classes allow to leave out operators, as in ``a until (b until c)`` where ``b`` is true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from counterpoint.spec.notation import Shape

Reading = Sequence[int]
"""For each condition of a formula what it is: ``k + 1`` for the k-th of the different conditions,
``-(k + 1)`` for its negation, or one of `ALWAYS_TRUE` and `ALWAYS_FALSE`."""

ALWAYS_TRUE, ALWAYS_FALSE = 1 << 30, -(1 << 30)


class Term:
    """A formula; equal ones are one object.

    Attributes
    ----------
    op : str
        ``true``, ``false``, ``literal``, ``and``, ``or``, ``until`` or ``release``.
    parts : tuple of Term
    literal : int
        Of a literal: see `Reading`.
    serial : int
        The order in which terms are sorted.
    eventual, universal : bool
    """

    __slots__ = ("eventual", "literal", "op", "parts", "serial", "universal")

    op: str
    parts: tuple[Term, ...]
    literal: int
    serial: int
    eventual: bool
    universal: bool

    def __repr__(self) -> str:
        return f"{self.op}{self.literal or ''}({', '.join(map(repr, self.parts))})"


_made: dict[tuple[Any, ...], Term] = {}


def _term(op: str, parts: tuple[Term, ...] = (), literal: int = 0) -> Term:
    key = (op, parts, literal)
    found = _made.get(key)
    if found is None:
        found = Term()
        found.op, found.parts, found.literal, found.serial = op, parts, literal, len(_made)
        plain = op not in ("literal",)
        found.eventual = plain and all(p.eventual for p in parts)
        found.universal = plain and all(p.universal for p in parts)
        if op == "until":
            found.eventual = parts[0] is TRUE or parts[1].eventual
        if op == "release":
            found.universal = parts[0] is FALSE or parts[1].universal
        _made[key] = found
    return found


TRUE = _term("true")
FALSE = _term("false")


def literal(what: int) -> Term:
    """Return a condition or its negation; see `Reading`."""
    if what in (ALWAYS_TRUE, ALWAYS_FALSE):
        return TRUE if what == ALWAYS_TRUE else FALSE
    return _term("literal", (), what)


def conjunction(terms: Iterable[Term]) -> Term:
    """Return the conjunction of formulas."""
    return _junction("and", terms)


def disjunction(terms: Iterable[Term]) -> Term:
    """Return the disjunction of formulas."""
    return _junction("or", terms)


def _junction(op: str, terms: Iterable[Term]) -> Term:
    neutral, ends = (TRUE, FALSE) if op == "and" else (FALSE, TRUE)
    parts: set[Term] = set()
    for term in terms:
        parts.update(term.parts if term.op == op else (term,))
    parts = _combined(op, parts - {neutral})
    if any(p.op == op for p in parts):
        return _junction(op, parts)
    literals = {p.literal for p in parts if p.op == "literal"}
    if ends in parts or any(-one in literals for one in literals):
        return ends
    parts = _absorbed(op, parts)
    if not parts:
        return neutral
    if len(parts) == 1:
        return parts.pop()
    return _term(op, tuple(sorted(parts, key=lambda p: p.serial)))


def _absorbed(op: str, parts: set[Term]) -> set[Term]:
    """Return the parts of a junction without those that another one makes superfluous.

    Of a conjunction, ``a release b`` makes ``b`` superfluous, and ``b`` makes ``a until b`` and
    ``a or b`` superfluous. Of a disjunction the dual is true.
    """
    strong, weak = ("release", "until") if op == "and" else ("until", "release")
    parts = parts - {p.parts[1] for p in parts if p.op == strong}
    return {p for p in parts
            if not (p.op == weak and p.parts[1] in parts)
            and not (p.op == _dual(op) and parts & set(p.parts))}  # fmt: skip


def _dual(op: str) -> str:
    return {"and": "or", "or": "and", "until": "release", "release": "until"}[op]


def _combined(op: str, parts: set[Term]) -> set[Term]:
    """Return the parts of a junction with those that one operator can express taken together.

    Of a conjunction: ``(a until c) and (b until c)`` is ``(a and b) until c``, and ``(a release b)
    and (a release c)`` is ``a release (b and c)``; eventually always ``a``, and eventually always
    ``b``, is eventually always ``a and b``. Of a disjunction the dual is true.
    """
    same_second = "until" if op == "and" else "release"
    join: Callable[[Iterable[Term]], Term] = conjunction if op == "and" else disjunction
    parts = _joined(parts, same_second, lambda p: p.parts[1],
                    lambda group: _pair(same_second, join(p.parts[0] for p in group),
                                        group[0].parts[1]))  # fmt: skip
    parts = _joined(parts, _dual(same_second), lambda p: p.parts[0],
                    lambda group: _pair(_dual(same_second), group[0].parts[0],
                                        join(p.parts[1] for p in group)))  # fmt: skip
    whole, again = (TRUE, FALSE) if op == "and" else (FALSE, TRUE)

    def for_ever(p: Term) -> object:
        inner = p.parts[1]
        nested = inner.op == _dual(same_second) and inner.parts[0] is again
        return same_second if p.parts[0] is whole and nested else p

    def for_ever_joined(group: list[Term]) -> Term:
        inner = join(p.parts[1].parts[1] for p in group)
        return _pair(same_second, whole, _pair(_dual(same_second), again, inner))

    return _joined(parts, same_second, for_ever, for_ever_joined)


def _pair(op: str, first: Term, second: Term) -> Term:
    return until(first, second) if op == "until" else release(first, second)


def _joined(
    parts: set[Term], op: str, key: Callable[[Term], object], join: Callable[[list[Term]], Term]
) -> set[Term]:
    """Return parts, of which those with an operator and a common key are replaced by one."""
    groups: dict[object, list[Term]] = {}
    for part in sorted(parts, key=lambda p: p.serial):
        if part.op == op:
            groups.setdefault(key(part), []).append(part)
    for group in groups.values():
        if len(group) > 1:
            parts = (parts - set(group)) | {join(group)}
    return parts


def until(first: Term, second: Term) -> Term:
    """Return that the second is true now or later, and the first until then."""
    if second.eventual or first in (FALSE, second):
        return second
    if second.op == "until" and (first is second.parts[0] or first is TRUE):
        return second if first is second.parts[0] else until(TRUE, second.parts[1])
    if first.op == "until" and first.parts[1] is second:
        return first
    return _term("until", (first, second))


def release(first: Term, second: Term) -> Term:
    """Return that the second is true until the first is, inclusive, or for ever."""
    if second.universal or first in (TRUE, second):
        return second
    if second.op == "release" and (first is second.parts[0] or first is FALSE):
        return second if first is second.parts[0] else release(FALSE, second.parts[1])
    if first.op == "release" and first.parts[1] is second:
        return first
    return _term("release", (first, second))


def normal(shape: Shape, reading: Reading, positive: bool = True) -> Term:
    """Return a formula, or its negation, in normal form.

    Parameters
    ----------
    shape : Shape
    reading : sequence of int
        What the conditions of the formula are; see `Reading`.
    positive : bool
        Whether the formula is meant, and not its negation.
    """
    op, parts = shape.op, shape.parts
    if op == "condition":
        what = reading[shape.number]
        return literal(what if positive else -what)
    if op == "not":
        return normal(parts[0], reading, not positive)
    if op in ("and", "or"):
        joint = conjunction if (op == "and") == positive else disjunction
        return joint(normal(part, reading, positive) for part in parts)
    first = normal(parts[0], reading, positive != (op == "implies"))
    if op == "implies":
        second = normal(parts[1], reading, positive)
        return disjunction((first, second)) if positive else conjunction((first, second))
    if op == "always":
        return release(FALSE, first) if positive else until(TRUE, first)
    if op == "sometime":
        return until(TRUE, first) if positive else release(FALSE, first)
    return _of_two(op, first, normal(parts[1], reading, positive), positive)


def _of_two(op: str, first: Term, second: Term, positive: bool) -> Term:
    """Return an until or release; both parts are negated already if it is negative."""
    if op == "strong until":
        return until(first, second) if positive else release(first, second)
    if op == "release":
        return release(first, second) if positive else until(first, second)
    if positive:
        return release(second, disjunction((first, second)))
    return until(second, conjunction((first, second)))
