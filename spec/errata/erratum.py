"""What an erratum is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Erratum:
    """One reading that a paper printed, and the one that is right.

    Attributes
    ----------
    name : str
        How the command line calls it.
    source : str
        The paper.
    printed, corrected : str
        What it says, and what it should say.
    caveat : str
        What is not the paper's own in the spec that shows it.
    reference : str
        The spec.
    as_printed, as_corrected : mapping of str to value
        The parameters that stand for the two.
    breaks : str
        The property that the printed reading violates; the corrected one violates none.
    bounds : mapping of str to value
        Parameters of both.
    """

    name: str
    source: str
    printed: str
    corrected: str
    caveat: str
    reference: str
    as_printed: Mapping[str, Any]
    as_corrected: Mapping[str, Any]
    breaks: str
    bounds: Mapping[str, Any] = field(default_factory=dict)
