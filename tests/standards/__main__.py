"""Prints the table of docs/reference/standards.md."""

from .table import table

print(table())
