"""What can be wrong with a graph."""

from __future__ import annotations


class GraphError(ValueError):
    """A graph, its file or a question about it is not as it must be; the message is one line."""
