"""The cells of collections: one for each value that may be in them."""

from __future__ import annotations

from counterpoint.spec.notation._domains import ValueDomain
from counterpoint.spec.notation._parameters import Index
from counterpoint.spec.notation.errors import RangeError, SpecError
from counterpoint.spec.notation.symbolic import Value, every, ite
from counterpoint.spec.notation.variables import Boolean, Scalar

from .composite import Where

PRESENT = Boolean(False)


def domain_of(of: Index | Scalar, by: str) -> Index:
    """Return an index with a member for each value.

    Raises
    ------
    SpecError
        If it is neither an index nor a scalar.
    """
    if isinstance(of, Index):
        return of
    if isinstance(of, Scalar):
        return ValueDomain(of, by if by.startswith("the ") else f"the domain of the {by}")
    raise SpecError(f"{by} takes an index, or a scalar such as Integer(0, 3), not {of!r}")


def key_of(domain: Index, where: Where, value: Value) -> Value:
    """Return the member of a domain that a value stands for; it may be symbolic.

    Raises
    ------
    RangeError
        If a scalar does not have the value; members of an index are checked by the cell's array.
    """
    if not isinstance(domain, ValueDomain):
        return _inside(domain, where, value) if type(value) is int else value
    low = domain.low(where.spec)
    key = (ite(value, 1, 0) if domain.of.boolean else value) - low
    return _inside(domain, where, key)


def inner_key_of(domain: Index, where: Where, value: Value) -> Value:
    """Return the member that a value stands for, where no cell is read or written.

    Raises
    ------
    RangeError
        If there is no such member.
    """
    return _inside(domain, where, key_of(domain, where, value))


def is_nothing(value: object) -> bool:
    """Return whether a value that is assigned is empty, as in ``s.waiting[p] = []``."""
    return isinstance(value, list | tuple | dict) and not value


def absent(name: str) -> RangeError:
    """Return the error of a step that removes what is not there."""
    return RangeError(name, f"{name} does not have the value to remove: require that it has, or "
                            f"write discard")  # fmt: skip


def _inside(domain: Index, where: Where, key: Value) -> Value:
    size = domain.size(where.spec)
    if not every(key >= 0, key < size):
        low = domain.low(where.spec) if isinstance(domain, ValueDomain) else 0
        value = f" ({int(key) + low})" if isinstance(key, int) else ""
        raise RangeError(
            where.shown, f"a value{value} outside {low}..{low + size - 1} is used for {where.shown}"
        )
    return key


def members(domain: Index, where: Where) -> range:
    """Return all members of a domain."""
    return range(domain.size(where.spec))


def span(domain: Index, where: Where) -> range:
    """Return the values that the members of a domain stand for."""
    low = domain.low(where.spec) if isinstance(domain, ValueDomain) else 0
    return range(low, low + domain.size(where.spec))
