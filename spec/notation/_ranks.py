"""Ranks of temporal properties, and what marked methods return."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ._records import Property
from ._sources import place_of
from ._spec import Spec
from .errors import SpecError
from .formulas import Formula, Shape
from .symbolic import as_value


def ranks_of(spec: Spec, ranks: Sequence[Property], claims: Collection[str]) -> dict[str, Property]:
    """Return ranks by the methods of the temporal properties that they prove.

    Parameters
    ----------
    spec : Spec
    ranks : sequence of Property
        Its methods that are marked as ranks.
    claims : collection of str
        The methods of its temporal properties; ranks of others are left out.

    Raises
    ------
    SpecError
        If two of them are for one property; the message names the line of the second.
    """
    found: dict[str, Property] = {}
    for rank in ranks:
        of = spec.declared_methods[rank.method].of
        if of not in claims:
            continue
        first = found.setdefault(of, rank)
        if first is not rank:
            place = place_of(getattr(type(spec), rank.method))
            raise SpecError(f"{place}: {of} has two ranks, {first.method} and {rank.method}: "
                            "leave one out")  # fmt: skip
    return found


def result_of(kind: str, found: Any) -> Any:
    """Return what a property returned: a value, two conditions, a formula, or a rank's numbers.

    Parameters
    ----------
    kind : str
        The kind of the method's mark.
    found : object
        What the method returned.

    Raises
    ------
    SpecError
        If it is something else.
    """
    if kind == "decreases":
        numbers = found if type(found) is tuple else (found,)
        if not numbers:
            raise SpecError("it returns a whole number, or a tuple of whole numbers")
        return tuple(map(as_value, numbers))
    if kind == "temporal":
        return _formula(found)
    if kind not in ("leads-to", "until"):
        if type(found) is tuple:
            raise SpecError("it returns one condition; two belong to @leads_to and @until")
        return as_value(found)
    if type(found) is not tuple or len(found) != 2:
        raise SpecError("it returns two conditions: return first, second")
    return tuple(map(as_value, found))


def _formula(found: Any) -> Formula:
    """Return a formula; one over nothing is a truth value, as in ``every(... for p in ())``."""
    if type(found) is bool:
        return Formula(Shape("and" if found else "or"), ())
    if type(found) is not Formula:
        raise SpecError("it returns a formula, as in return always(sometime(s.free)); a condition "
                        "that is always true is an @invariant")  # fmt: skip
    for condition in found.conditions:
        as_value(condition)
    return found
