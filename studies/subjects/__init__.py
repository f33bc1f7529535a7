"""Foreign crawlers as subjects: run against the synthetic web, and judged by its log."""

from .commands import PLACEHOLDERS, CrawlerCommand, command_of
from .measures import MEASURES, LogMeasure, measure_named
from .runs import Finding, RunFacts, Subject, SubjectRun

__all__ = [
    "MEASURES",
    "PLACEHOLDERS",
    "CrawlerCommand",
    "Finding",
    "LogMeasure",
    "RunFacts",
    "Subject",
    "SubjectRun",
    "command_of",
    "measure_named",
]
