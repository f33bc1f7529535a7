"""Parameters of a specification: what ``--set name=value`` can change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, overload

from .errors import SpecError

if TYPE_CHECKING:
    from ._spec import Spec


class Parameter:
    """A named setting of a spec, fixed while the spec runs.

    Parameters
    ----------
    default
        The value that is used if the user sets none.
    help : str
        One line for ``counterpoint list``.
    name : str
        The public name; by default the attribute's, with dashes for underscores.
    """

    def __init__(self, default: Any, *, help: str = "", name: str = "") -> None:
        self.default = default
        self.help = help
        self.name = name
        self.attribute = ""

    def __set_name__(self, owner: type, attribute: str) -> None:
        self.attribute = attribute
        self.name = self.name or attribute.replace("_", "-")

    def value(self, spec: Spec) -> Any:
        """Return the value of this parameter in a spec."""
        return spec.parameters[self.name]

    def parse(self, given: Any) -> Any:
        """Return the value that a text or a Python value stands for.

        Raises
        ------
        SpecError
            If the value is not allowed; the message lists the allowed values.
        """
        raise NotImplementedError

    def allowed(self) -> str:
        """Describe the allowed values in a few words."""
        raise NotImplementedError

    def fixed(self, given: Any) -> Self:
        """Return a copy of the parameter that allows one value only."""
        found = object.__new__(type(self))
        found.__dict__.update(self.__dict__)
        found.default = self.parse(given)
        return found

    def refuse(self, given: Any) -> SpecError:
        """Return the error for a value that is not allowed."""
        return SpecError(f"{self.name} is {self.allowed()}, not {str(given)!r}")


class _Whole(Parameter):
    """A whole number within bounds, both included."""

    def __init__(
        self, default: int, *, at_least: int = 0, at_most: int = 64, help: str = "", name: str = ""
    ) -> None:
        super().__init__(default, help=help, name=name)
        self.at_least, self.at_most = at_least, at_most
        kind = type(self).__name__
        for number in (default, at_least, at_most):
            if callable(number):
                raise SpecError(
                    f"{kind} takes whole numbers, not a function: give the default value, which "
                    f"--set can change"
                )
            if not isinstance(number, int) or isinstance(number, bool):
                raise SpecError(f"{kind}({default!r}): {number!r} is not a whole number")
        if not at_least <= default <= at_most:
            raise SpecError(f"{kind}({default}) is outside its bounds {at_least}..{at_most}")

    def parse(self, given: Any) -> int:
        """Return the number that a text or an int stands for."""
        try:
            number = int(given)
        except (TypeError, ValueError):
            raise self.refuse(given) from None
        if not self.at_least <= number <= self.at_most:
            raise self.refuse(given)
        return number

    def fixed(self, given: Any) -> Self:
        """Return a copy of the parameter that allows one number only."""
        found = super().fixed(given)
        found.at_least = found.at_most = found.default
        return found

    def allowed(self) -> str:
        """Describe the allowed numbers."""
        if self.at_least == self.at_most:
            return f"always {self.at_least}"
        return f"a whole number from {self.at_least} to {self.at_most}"


class Number(_Whole):
    """A whole number within bounds, both included."""

    @overload
    def __get__(self, spec: None, owner: type) -> Number: ...
    @overload
    def __get__(self, spec: Spec, owner: type) -> int: ...
    def __get__(self, spec: Spec | None, owner: type) -> Any:
        return self if spec is None else self.value(spec)


class Index(_Whole):
    """A finite domain ``0 .. size - 1`` whose size is a parameter.

    Arrays are indexed by it, and parameters of actions range over it. In a method, ``s.processes``
    is the range of its members.

    Parameters
    ----------
    default : int
        The size that is used if the user sets none.
    names : str
        Names of action parameters that range over this index, separated by spaces.
    labels : str
        How members are shown: one prefix (``"T"`` gives T0, T1, ...), or one name for each member,
        separated by spaces.
    at_least, at_most : int
        The smallest and the largest size that a user may set.

    Attributes
    ----------
    acts : bool
        Whether a member may have a column of its own in a chart.
    """

    acts = True

    def __init__(
        self,
        default: int,
        *,
        names: str = "",
        labels: str = "",
        at_least: int = 1,
        at_most: int = 16,
        help: str = "",
        name: str = "",
    ) -> None:
        super().__init__(default, at_least=at_least, at_most=at_most, help=help, name=name)
        if at_least < 1:
            raise SpecError("an Index has at least one member: at_least must be 1 or more")
        self.names = tuple(names.split())
        self.labels = labels.split()
        for wrong in [n for n in self.names if not n.isidentifier()]:
            raise SpecError(f"Index names={names!r}: {wrong!r} is not a valid parameter name")

    @overload
    def __get__(self, spec: None, owner: type) -> Index: ...
    @overload
    def __get__(self, spec: Spec, owner: type) -> range: ...
    def __get__(self, spec: Spec | None, owner: type) -> Any:
        return self if spec is None else range(self.value(spec))

    @property
    def called(self) -> str:
        """What it is called in an error."""
        return self.name

    def fault(self, spec: Spec) -> str:
        """Return why the number of members is not allowed; "" if it is."""
        return ""

    def size(self, spec: Spec) -> int:
        """Return the number of members."""
        number: int = self.value(spec)
        return number

    def argument(self, spec: Spec, member: int) -> Any:
        """Return what an action gets for a member."""
        return member

    def label(self, spec: Spec, member: int) -> str:
        """Return the name under which a member is shown."""
        own = spec.label(self.name, member)
        if own is not None:
            return own
        if len(self.labels) > member and len(self.labels) > 1:
            return self.labels[member]
        return f"{self.labels[0] if len(self.labels) == 1 else ''}{member}"

    def member(self, spec: Spec, label: str) -> int:
        """Return the member with a label; a number is accepted too, unless a label equals it.

        Raises
        ------
        SpecError
            If no member has that label.
        """
        labels = [self.label(spec, member) for member in range(self.size(spec))]
        for names in (labels, [str(member) for member in range(len(labels))]):
            if label in names:
                return names.index(label)
        raise SpecError(f"{self.name} has no member {label!r}")


class Choice(Parameter):
    """One of several named readings; the first is the default.

    Parameters
    ----------
    *values : str
        The readings.
    help, name : str
        See `Parameter`.
    reading : bool
        Whether it is a reading of what is specified, which ``counterpoint readings`` varies; not if
        it says what is asked.
    """

    def __init__(self, *values: str, help: str = "", name: str = "", reading: bool = True) -> None:
        if not values:
            raise SpecError('Choice() has no reading: name one or more, as in Choice("new", "old")')
        for value in values:
            if not (isinstance(value, str) and value):
                raise SpecError(f"Choice takes a text for each reading, not {value!r}")
        if len(set(values)) < len(values):
            raise SpecError(f"Choice{values}: two readings are equal")
        super().__init__(values[0], help=help, name=name)
        self.values = values
        self.reading = reading

    @overload
    def __get__(self, spec: None, owner: type) -> Choice: ...
    @overload
    def __get__(self, spec: Spec, owner: type) -> str: ...
    def __get__(self, spec: Spec | None, owner: type) -> Any:
        return self if spec is None else self.value(spec)

    def parse(self, given: Any) -> str:
        """Return the reading with the given name."""
        if given not in self.values:
            raise self.refuse(given)
        return str(given)

    def fixed(self, given: Any) -> Self:
        """Return a copy of the parameter that allows one reading only."""
        found = super().fixed(given)
        found.values = (found.default,)
        return found

    def allowed(self) -> str:
        """List the allowed readings."""
        if len(self.values) == 1:
            return f"always {self.values[0]}"
        return " or ".join(self.values)
