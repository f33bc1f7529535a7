"""Errors that a specification can cause."""

from __future__ import annotations


class SpecError(Exception):
    """A specification, or a value given to it, is not well formed.

    The message is one line that a user can act on.
    """


class Stopped(Exception):  # no error of the spec
    """Somebody else ends a run of the spec's own code, which does not end by itself."""


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
