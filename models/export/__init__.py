"""A spec, its graph of states or a counterexample in the languages of other tools."""

from .counterexample import Undecided
from .formats import FORMATS, Format, Request, format_named

__all__ = ["FORMATS", "Format", "Request", "Undecided", "format_named"]
