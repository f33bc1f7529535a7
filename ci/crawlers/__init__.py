"""The gate for crawlers in any language: their conditions, their baselines, what they did wrong."""

from .bands import Band, Bands, bands_of
from .cases import CrawlerCase
from .must import Condition, condition_of
from .rerun import accept, baselines, path_of, run, unused
from .result import CrawlerResult

__all__ = [
    "Band",
    "Bands",
    "Condition",
    "CrawlerCase",
    "CrawlerResult",
    "accept",
    "bands_of",
    "baselines",
    "condition_of",
    "path_of",
    "run",
    "unused",
]
