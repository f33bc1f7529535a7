"""The results that [HITS] prints, by space and topic."""

from __future__ import annotations

from typing import NamedTuple

from counterpoint.studies.topical.experiment import FOCUSED, STANDARD

__all__ = ["COLLECTED", "FOCUSED", "PRINTED", "STANDARD", "Printed"]


class Printed(NamedTuple):
    """The results for a query in a space.

    Attributes
    ----------
    query : str
    focused, standard : (int, float)
        The number of pages of the crawler's answer, and its precision.
    """

    query: str
    focused: tuple[int, float]
    standard: tuple[int, float]

    def of(self, crawler: str) -> tuple[int, float]:
        """Return the pages and the precision of a crawler."""
        return {FOCUSED: self.focused, STANDARD: self.standard}[crawler]

    def rounded(self, crawler: str) -> float:
        """Return by how much the precision may be rounded; 0.9 and 0.0 have one digit."""
        return 0.05 if self.of(crawler)[1] in (0.9, 0.0) else 0.005


PRINTED = {
    ("regional", 0): Printed("Nobel prize", (117, 0.93), (117, 0.93)),
    ("local", 0): Printed("Nobel prize", (95, 0.90), (100, 0.02)),
    ("regional", 1): Printed("Quantum computer", (45, 0.73), (48, 0.71)),
    ("local", 1): Printed("Quantum computer", (41, 0.71), (73, 0.0)),
}

COLLECTED = 150_000
"""The least number of pages that the paper's standard crawler had collected by iteration 4."""
