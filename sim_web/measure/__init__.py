"""Measures any directed graph: its bow-tie, the tails of its degrees, its distances, its levels.

These measures do not depend on the generator: a graph is given as two arrays.
"""

from .bowtie import NAMES, BowtieComponents, bowtie, decompose
from .distances import Distances, Sample, distances, sampled
from .graph import MeasuredGraph
from .levels import levels
from .tails import Tail, tail

__all__ = [
    "NAMES",
    "BowtieComponents",
    "Distances",
    "MeasuredGraph",
    "Sample",
    "Tail",
    "bowtie",
    "decompose",
    "distances",
    "levels",
    "sampled",
    "tail",
]
