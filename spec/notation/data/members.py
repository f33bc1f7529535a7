"""The cells of collections: one for each value that may be in them."""

from __future__ import annotations

from counterpoint.spec.notation._domains import ValueDomain
from counterpoint.spec.notation._parameters import Index
from counterpoint.spec.notation.errors import SpecError
from counterpoint.spec.notation.symbolic import Value, ite
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
        return ValueDomain(of)
    raise SpecError(f"{by} takes an index, or a scalar such as Integer(0, 3), not {of!r}")


def key_of(domain: Index, where: Where, value: Value) -> Value:
    """Return the member of a domain that a value stands for; it may be symbolic."""
    if not isinstance(domain, ValueDomain):
        return value
    low = domain.low(where.spec)
    return (ite(value, 1, 0) if domain.of.boolean else value) - low


def members(domain: Index, where: Where) -> range:
    """Return all members of a domain."""
    return range(domain.size(where.spec))
