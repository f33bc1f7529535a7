"""Exports of a spec, its state graph or a counterexample in the languages of other tools."""

from .counterexample import UndecidedExport
from .formats import FORMATS, ExportRequest, Format, format_named

__all__ = ["FORMATS", "ExportRequest", "Format", "UndecidedExport", "format_named"]
