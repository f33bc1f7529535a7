"""The configuration of the gate: ``counterpoint.toml``, or a section of ``pyproject.toml``."""

from .reading import NONE_FOUND, Configuration, ConfigurationError, find, load
from .schema import Document, json_schema

__all__ = [
    "NONE_FOUND",
    "Configuration",
    "ConfigurationError",
    "Document",
    "find",
    "json_schema",
    "load",
]
