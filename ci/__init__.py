"""The gate: what a configuration asks to be checked, the expected results, and the reports."""

from .job import Job

__all__ = ["Job"]
