"""The error that graphs raise for wrong input."""

from __future__ import annotations


class GraphError(ValueError):
    """A graph, its file or a query on it is invalid; the message is one line."""
