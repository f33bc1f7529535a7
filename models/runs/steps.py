"""A step as people write it: ``read t=T0 x=y``, ``read(t=T0, x=y)`` or ``read T0 y``."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from counterpoint.spec.notation import Index, Model, SpecError, Step

_OPEN, _CLOSE = "([{", ")]}"
_ACTION = re.compile(r"\s*([^\W\d]\w*)\s*")
_NAMED = re.compile(r"([^\W\d]\w*)=(.*)", re.DOTALL)


@dataclass(frozen=True)
class Wanted:
    """A step as it was written; parameters may be left out.

    Attributes
    ----------
    text : str
        What was written.
    action : str
    named : tuple of (str, str)
        The parameters that are named, and their values.
    others : tuple of str
        The values without a name, in order: those of the first parameters that are not named.
    """

    text: str
    action: str
    named: tuple[tuple[str, str], ...]
    others: tuple[str, ...]


def written(model: Model, step: Step) -> str:
    """Return a step as `read` reads it, as in ``hear m=vote(by=A, on=4) by={A, C}``."""
    given = (f"{name}={quoted(label)}" for name, label in model.show_binding(step).items())
    return " ".join([step.action, *given])


def quoted(label: str) -> str:
    """Return a label with quotation marks if it could be read as something else without them."""
    plain = label and '"' not in label and ";" not in label and balanced(label)
    return label if plain and pieces(label) == [label] else json.dumps(label, ensure_ascii=False)


def balanced(text: str) -> bool:
    """Return whether each bracket of a text is closed."""
    open_ones: list[str] = []
    for sign in text:
        if sign in _OPEN:
            open_ones.append(_CLOSE[_OPEN.index(sign)])
        elif sign in _CLOSE and (not open_ones or open_ones.pop() != sign):
            return False
    return not open_ones


def read(text: str) -> Wanted:
    """Return what a text says of a step.

    Parameters
    ----------
    text : str
        The action, then values of its parameters, with or without their names, between spaces or
        commas. They may stand in brackets. A value with spaces of its own stands in quotation
        marks, unless the spaces are within brackets.

    Raises
    ------
    SpecError
        If it names no action, or brackets or quotation marks are not closed.
    """
    found = _ACTION.match(text)
    if found is None:
        raise SpecError(f"{text.strip()!r} is no step: a step begins with the name of an action")
    rest = text[found.end() :].strip()
    if not balanced(re.sub(r'"(\\.|[^"\\])*"', "", rest)):
        raise SpecError(f"{text.strip()}: a bracket is not closed, or was not opened")
    if rest.startswith("(") and _closes_at_end(rest):
        rest = rest[1:-1]
    named, others = [], []
    for piece in pieces(rest):
        match = _NAMED.fullmatch(piece)
        if match is None:
            others.append(_plain(piece, text))
        else:
            named.append((match[1], _plain(match[2], text)))
    return Wanted(text.strip(), found[1], tuple(named), tuple(others))


def _closes_at_end(text: str) -> bool:
    """Return whether the first bracket of a text is closed by its last sign."""
    inside = re.sub(r'"(\\.|[^"\\])*"', lambda m: "_" * len(m[0]), text)
    depth = 0
    for place, sign in enumerate(inside):
        depth += (sign in _OPEN) - (sign in _CLOSE)
        if depth == 0:
            return place == len(inside) - 1
    return False


def _plain(piece: str, text: str) -> str:
    """Return a value without its quotation marks."""
    if not piece.startswith('"'):
        return piece
    try:
        return str(json.loads(piece))
    except ValueError:
        raise SpecError(f"{text.strip()}: {piece} is no text in quotation marks") from None


def pieces(text: str, between: str = ", \t") -> list[str]:
    """Return the parts of a text between separators that stand outside of brackets and quotes.

    Spaces around an equals sign do not separate.
    """
    if " " in between:
        text = re.sub(r"[ \t]*=[ \t]*", "=", text) if '"' not in text else text
    found, depth, start = [], 0, 0
    for place, sign, is_quoted in _signs(text):
        if is_quoted:
            continue
        depth += (sign in _OPEN) - (sign in _CLOSE)
        if depth <= 0 and sign in between:
            found.append(text[start:place])
            start = place + 1
    return [piece.strip() for piece in (*found, text[start:]) if piece.strip()]


def _signs(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield each sign with its place, and whether it stands within quotation marks."""
    inside = escaped = False
    for place, sign in enumerate(text):
        begins = sign == '"' and not escaped
        yield place, sign, inside or begins
        inside = inside != begins
        escaped = inside and sign == "\\" and not escaped


def fitting(model: Model, wanted: Wanted, among: Iterable[Step]) -> list[Step]:
    """Return the steps that a text fits.

    Parameters
    ----------
    model : Model
    wanted : Wanted
    among : iterable of Step
        The steps that are looked at.

    Raises
    ------
    SpecError
        If the spec has no such action, parameter or member.
    """
    parameters = _parameters(model, wanted)
    names = [name for name, _ in parameters]
    members: dict[int, int] = {}
    for name, value in _named(wanted, names):
        place = names.index(name)
        members[place] = member(model, name, parameters[place][1], value)
    return [
        step
        for step in among
        if step.action == wanted.action
        and all(step.binding[place] == found for place, found in members.items())
    ]


def _parameters(model: Model, wanted: Wanted) -> tuple[tuple[str, Index], ...]:
    for action in model.actions:
        if action.name == wanted.action:
            return action.parameters
    known = [action.name for action in model.actions]
    near = difflib.get_close_matches(wanted.action, known, 1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known)}"
    raise SpecError(f"{model.name} has no action {wanted.action!r}; {hint}")


def _named(wanted: Wanted, names: list[str]) -> list[tuple[str, str]]:
    """Return the values with the names of their parameters."""
    has = ", ".join(names) or "none"
    given = [name for name, _ in wanted.named]
    for name in given:
        if name not in names:
            raise SpecError(f"{wanted.action} has no parameter {name!r} (its parameters: {has})")
        if given.count(name) > 1:
            raise SpecError(f"{wanted.text}: {name} is given twice")
    left = [name for name in names if name not in given]
    if len(wanted.others) > len(left):
        raise SpecError(f"{wanted.text}: {wanted.action} has fewer parameters (they are: {has})")
    return [*wanted.named, *zip(left, wanted.others, strict=False)]


def member(model: Model, name: str, index: Index, value: str) -> int:
    """Return the member of a parameter's domain that a text stands for.

    Spaces, and the order within a subset or a message, do not matter. A number stands for the
    member with that number, unless a label equals it.

    Raises
    ------
    SpecError
        If there is none.
    """
    labels = [index.label(model.spec, one) for one in range(index.size(model.spec))]
    numbers = [str(one) for one in range(len(labels))]
    for known, given in ((labels, value), (list(map(alike, labels)), alike(value)),
                         (numbers, value)):  # fmt: skip
        if given in known:
            return known.index(given)
    shown = ", ".join(labels[:8]) + (f" and {len(labels) - 8:,} more" if len(labels) > 8 else "")
    raise SpecError(f"{name} cannot be {value!r} (it is one of: {shown})")


def alike(label: str) -> str:
    """Return a form that is the same for labels that differ in spaces or in an order within.

    The order does not matter in a set, as in ``{A, C}``, and for the fields of a message, as in
    ``vote(by=A, on=4)``.
    """
    bare = "".join(label.split())
    found = re.fullmatch(r"\{(.*)\}|(\w+)\(((?:\w+=.*)?)\)", bare)
    if found is None:
        return bare
    inside = ",".join(sorted(pieces(found[1] if found[2] is None else found[3], ",")))
    return f"{{{inside}}}" if found[2] is None else f"{found[2]}({inside})"
