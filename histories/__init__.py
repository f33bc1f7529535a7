"""Recorded histories of transactions, and which criteria they satisfy."""

from .checking import check
from .history import Fate, History, HistoryError, Operation, Transaction
from .ladder import LADDER, Criterion
from .reading.building import Builder
from .reading.files import read_history
from .report import Report, Result
from .showing.anomalies import anomaly, steps

__all__ = [
    "LADDER",
    "Builder",
    "Criterion",
    "Fate",
    "History",
    "HistoryError",
    "Operation",
    "Report",
    "Result",
    "Transaction",
    "anomaly",
    "check",
    "read_history",
    "steps",
]
