"""The referee: judges any crawler from the server's log and the web's truth alone."""

from .judgment import Judgment, judge
from .reading import Log, Requests, read, read_header
from .truth import Planted, Truth

__all__ = ["Judgment", "Log", "Planted", "Requests", "Truth", "judge", "read", "read_header"]
