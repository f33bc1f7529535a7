"""Real code driven by a trace of a spec: the trace becomes the schedule of its threads."""

from .follow import Followed, follow
from .trace import Subject, Trace, TraceStep

__all__ = ["Followed", "Subject", "Trace", "TraceStep", "follow"]
