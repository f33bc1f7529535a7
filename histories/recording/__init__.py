"""The recording of histories: real memories and databases under a seeded random load.

These names are for subjects of your own; `recording` and `survey` are what the command line uses.
"""

from .interface import (
    Aborted,
    Lost,
    Memory,
    RecordingError,
    Session,
    Subject,
    Versioned,
)
from .load import Load
from .programs import Program

__all__ = [
    "Aborted",
    "Load",
    "Lost",
    "Memory",
    "Program",
    "RecordingError",
    "Session",
    "Subject",
    "Versioned",
]
