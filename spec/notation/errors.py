"""Errors that a specification can cause."""

from __future__ import annotations


class SpecError(Exception):
    """A specification, or a value given to it, is not well formed.

    The message is one line that a user can act on.
    """


class RunInterrupted(Exception):  # not an error of the spec
    """The caller interrupts the spec's own code, because it ran longer than the time limit."""


class RangeError(SpecError):
    """A variable left its declared range.

    Attributes
    ----------
    variable : str
        The variable with its index, for example ``date[x]``.
    """

    def __init__(self, variable: str, message: str) -> None:
        super().__init__(message)
        self.variable = variable

    def __reduce__(self) -> tuple[type[RangeError], tuple[str, str]]:
        return RangeError, (self.variable, str(self))
