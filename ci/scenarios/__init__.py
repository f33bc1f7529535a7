"""Scenarios of the gate: files with runs that were written by hand."""

from .playing import ScenarioFile, drawn, files, run

__all__ = ["ScenarioFile", "drawn", "files", "run"]
