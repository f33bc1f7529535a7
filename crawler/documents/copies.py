"""What is said of a page that is a copy of another, and of a page of which there are copies."""

from __future__ import annotations

import re

COPY_OF = "is a copy of "
"""How the problem of a page begins, or goes on, whose canonical page stands for it."""


def noted(problem: str, original: str) -> str:
    """Return the problem of a page with the note that it is a copy, or without such a note.

    Parameters
    ----------
    problem : str
        The problem of the page, perhaps with a note of an earlier plan.
    original : str
        The address of its canonical page; "": it is no copy.
    """
    return together(_NOTE.sub("", problem), f"{COPY_OF}{original}" if original else "")


def depending(count: int) -> str:
    """Return what to say of a page without a document that has so many copies; "": none."""
    if not count:
        return ""
    if count == 1:
        return "1 page is a copy of it, and its own links were not followed"
    return f"{count:,} pages are copies of it, and their own links were not followed"


def together(*problems: str) -> str:
    """Return several problems as one; empty ones are left out."""
    return "; ".join(filter(None, problems))


_NOTE = re.compile(
    rf"(?:; |^)(?:{COPY_OF}\S+|[0-9,]+ pages? (?:is a copy|are copies) of it, "
    r"and (?:its|their) own links were not followed)$"
)
"""A note at the end of a problem."""
