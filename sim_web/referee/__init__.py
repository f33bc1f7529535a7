"""The referee judges any crawler, from the server's log and the truth about the web alone."""

from .judgment import Judgment, judge
from .reading import RequestLog, Requests, read, read_header
from .truth import PlantedWeb, WebTruth

__all__ = [
    "Judgment",
    "PlantedWeb",
    "RequestLog",
    "Requests",
    "WebTruth",
    "judge",
    "read",
    "read_header",
]
