"""Domains that follow from others: derived indices, and what parameters of an action range over."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ._parameters import Index
from ._sources import place_of_declaration
from .errors import SpecError

if TYPE_CHECKING:
    from ._spec import Spec

MOST_MEMBERS = 4096
"""The most members of a derived domain."""


class Domain(Index):
    """An index that no user sets: its members follow from the spec's parameters.

    A subclass defines the number of members and their labels, and `argument` where an action gets
    something else than the member's number.
    """

    acts = False
    unit = "members"

    def __init__(self, *, names: str = "", labels: str = "") -> None:
        super().__init__(1, names=names, labels=labels)
        self.place = place_of_declaration()

    def size(self, spec: Spec) -> int:
        """Return the number of members.

        Raises
        ------
        SpecError
            If there are none, or more than `MOST_MEMBERS`.
        """
        if fault := self.fault(spec):
            raise SpecError(f"{self.place}: {fault}")
        return self.count(spec)

    def fault(self, spec: Spec) -> str:
        """Return why the number of members is not allowed; "" if it is."""
        number = self.count(spec)
        if not isinstance(number, int) or isinstance(number, bool):
            return f"the size of {self.called} is {number!r}, not a whole number"
        if not 1 <= number <= MOST_MEMBERS:
            return f"{self.called} has {number:,} {self.unit}; 1 to {MOST_MEMBERS:,} are allowed"
        return ""

    value = size

    def count(self, spec: Spec) -> int:
        """Return the number of members, whatever it is."""
        raise NotImplementedError

    @property
    def called(self) -> str:
        """Return what this is called in an error."""
        return self.attribute or "a domain"


class DerivedIndex(Domain):
    """An index whose size follows from the parameters, as in ``DerivedIndex(lambda s: s.n + 1)``.

    Parameters
    ----------
    size : callable
        A function of the spec.
    names, labels : str
        As for `Index`.
    """

    acts = True

    def __init__(self, size: Callable[[Any], int], *, names: str = "", labels: str = "") -> None:
        if not callable(size):
            raise SpecError(f"DerivedIndex takes a function of the spec, not {size!r}")
        super().__init__(names=names, labels=labels)
        self._size = size

    def count(self, spec: Spec) -> int:
        """Return what the function says."""
        return self._size(spec)


class Positions(Domain):
    """The places of a sequence, from 0 on."""

    unit = "places"

    def __init__(self, capacity: int | Callable[[Any], int], kind: str = "sequence") -> None:
        super().__init__()
        self._capacity, self._kind = capacity, kind

    def count(self, spec: Spec) -> int:
        """Return the capacity."""
        return self._capacity(spec) if callable(self._capacity) else self._capacity

    @property
    def called(self) -> str:
        """Return what this is called in an error."""
        return f"a {self._kind}"


class ValueDomain(Domain):
    """The values of a scalar, the least first.

    Parameters
    ----------
    of : Scalar
    role : str
        What it is called in an error.
    """

    def __init__(self, of: Any, role: str = "") -> None:
        super().__init__()
        self.of, self.role = of, role

    @property
    def called(self) -> str:
        """What it is called in an error."""
        return self.role or f"choose among the values of {type(self.of).__name__}"

    def count(self, spec: Spec) -> int:
        """Return the number of values."""
        low, high = self.of.bounds(spec)
        return int(high - low + 1)

    def low(self, spec: Spec) -> int:
        """Return the least value."""
        return int(self.of.bounds(spec)[0])

    def label(self, spec: Spec, member: int) -> str:
        """Return the value as people see it."""
        return str(self.of.show(spec, self.low(spec) + member))

    def argument(self, spec: Spec, member: int) -> int:
        """Return the value."""
        return self.low(spec) + member


class Texts(Domain):
    """A few texts, one of which an action gets."""

    def __init__(self, texts: tuple[str, ...]) -> None:
        super().__init__()
        self.texts = texts

    def count(self, spec: Spec) -> int:
        """Return the number of texts."""
        return len(self.texts)

    def label(self, spec: Spec, member: int) -> str:
        """Return the text."""
        return self.texts[member]

    argument = label


class Subsets(Domain):
    """All subsets of an index, as frozen sets of members."""

    def __init__(self, of: Index) -> None:
        super().__init__()
        self.of = of

    def count(self, spec: Spec) -> int:
        """Return the number of subsets."""
        return int(2 ** self.of.size(spec))

    def argument(self, spec: Spec, member: int) -> frozenset[int]:
        """Return the subset."""
        return frozenset(k for k in range(self.of.size(spec)) if member >> k & 1)

    def label(self, spec: Spec, member: int) -> str:
        """Return the subset as text."""
        inside = sorted(self.argument(spec, member))
        return "{" + ", ".join(self.of.label(spec, k) for k in inside) + "}"

    @property
    def called(self) -> str:
        """Return what this is called in an error."""
        return f"some_subset of {self.of.name}"


def choose(*among: Any) -> Any:
    """Return the domain of an action's parameter: ``def act(s, v=choose(values))``.

    The action is possible with each value for which its requirements hold; a step shows the value.

    Parameters
    ----------
    *among
        An index, a scalar such as ``Integer(0, 3)``, ``Messages`` or one of its kinds, or texts.

    Raises
    ------
    SpecError
        If it is none of these.
    """
    if among and all(isinstance(one, str) for one in among):
        if len(set(among)) < len(among):
            raise SpecError(f"choose{among}: two texts are equal")
        return Texts(among)
    if len(among) == 1:
        (one,) = among
        if isinstance(one, Index):
            return one
        domain = getattr(one, "domain", None)
        if callable(domain):
            return domain()
    shown = ", ".join(map(repr, among))
    raise SpecError(
        f"choose takes an index, a scalar such as Integer(0, 3), messages, or texts, not {shown}"
    )


def some_subset(of: Index) -> Subsets:
    """Return the domain of an action's parameter that is any subset of an index.

    ``def elect(s, quorum=some_subset(nodes))``: the action gets a frozen set of members.

    Raises
    ------
    SpecError
        If ``of`` is no index.
    """
    if not isinstance(of, Index):
        shown = repr(of) if type(of).__repr__ is not object.__repr__ else f"{type(of).__name__}()"
        raise SpecError(f"some_subset takes an index, not {shown}")
    return Subsets(of)
