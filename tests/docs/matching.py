"""Compares the output that a page shows with the output that a command has."""

from __future__ import annotations

import re

_SECONDS = re.compile(r"\d[\d,]*(?:\.\d+)? ?m?s\b")


def matches(expected: str, actual: str) -> bool:
    """Return whether an output is the expected one.

    A line of the expected output that is ``...`` matches any number of lines, and a number of
    seconds matches any other. Where the page shows seconds, lines may be folded elsewhere, since a
    longer number moves the words behind it.
    """
    wanted = [line.rstrip() for line in expected.strip("\n").splitlines()]
    found = [line.rstrip() for line in actual.strip("\n").splitlines()]
    if re.fullmatch(_pattern("\n".join(wanted)), "\n".join(found) + "\n"):
        return True
    if not _SECONDS.search(expected):
        return False
    flat = _pattern("\n".join(wanted), folded=True)
    return bool(re.fullmatch(flat, " ".join(" ".join(found).split()) + " "))


def _pattern(expected: str, folded: bool = False) -> re.Pattern[str]:
    """Return the pattern of the whole output; it ends with a newline (folded: a space)."""
    end = " " if folded else "\n"
    parts = []
    for lines in re.split(r"(?m)^[ ]*\.\.\.$\n?", expected):
        text = " ".join(lines.split()) if folded else lines.removesuffix("\n")
        literal = [re.escape(part) for part in _SECONDS.split(text)]
        parts.append(_SECONDS.pattern.join(literal) + re.escape(end) if text else "")
    return re.compile((r"(?:\S+ )*?" if folded else r"(?:.*\n)*?").join(parts))
