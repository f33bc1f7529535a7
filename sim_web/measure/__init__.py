"""Measures any directed graph: its bow-tie, the tails of its degrees, its distances, its levels.

Nothing here knows the generator: a graph is two arrays, whoever made them.
"""

from .bowtie import NAMES, Bowtie, bowtie, decompose
from .distances import Distances, Sample, distances, sampled
from .graph import Graph
from .levels import levels
from .tails import Tail, tail

__all__ = [
    "NAMES",
    "Bowtie",
    "Distances",
    "Graph",
    "Sample",
    "Tail",
    "bowtie",
    "decompose",
    "distances",
    "levels",
    "sampled",
    "tail",
]
