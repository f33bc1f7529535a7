"""Memories that programs can use, step points in real code, and threads that follow a schedule."""

from .controller import Controlled, Deadlock, Endless, Outcome, Unreached
from .interface import Aborted, Memory, Transaction
from .opening import NAMES, open
from .points import Point, acquire, connect, step
from .recording import Recorder

__all__ = [
    "NAMES",
    "Aborted",
    "Controlled",
    "Deadlock",
    "Endless",
    "Memory",
    "Outcome",
    "Point",
    "Recorder",
    "Transaction",
    "Unreached",
    "acquire",
    "connect",
    "open",
    "step",
]
