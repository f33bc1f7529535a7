"""Runs that are made step by step: the text of a step, where a run stands, and how it is shown."""

from .showing import possible_lines, property_lines, state_lines
from .steps import fitting, read, written
from .walk import Option, Walk

__all__ = [
    "Option",
    "Walk",
    "fitting",
    "possible_lines",
    "property_lines",
    "read",
    "state_lines",
    "written",
]
