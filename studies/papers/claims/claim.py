"""A claim of a paper that no finding of a study answers."""

from __future__ import annotations

from dataclasses import dataclass

from counterpoint.studies.papers.report import (
    ANSWERED,
    IN_PART,
    NOT_REPRODUCED,
    PLANTED,
    REPRODUCED,
)

UNKNOWABLE = "cannot be known"
"""What it takes to answer is in no copy, or nowhere any more."""

OPEN = "not built"
"""Nothing here answers it."""

ANSWERS = (REPRODUCED, IN_PART, NOT_REPRODUCED, ANSWERED, PLANTED, UNKNOWABLE, OPEN)
"""All answers; `ANSWERED` is for what a paper only announces."""


@dataclass(frozen=True)
class Elsewhere:
    """A system, formula, table, figure or claim of a paper, and what Counterpoint says of it.

    Attributes
    ----------
    paper : str
        The paper's name in the bibliography.
    claim, printed, here : str
        The claim, what the paper prints, and what is found or built here.
    answer : str
        One of `ANSWERS`. A part of a system or a formula is reproduced if it is there as described.
    shown_by : str
        The commands and pages that show it, with "; " in between. For `UNKNOWABLE` the reason, and
        for `OPEN` what is missing.
    """

    paper: str
    claim: str
    printed: str
    here: str
    answer: str
    shown_by: str
