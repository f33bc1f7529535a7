"""The reference of the measures of crawlers has all of them, with what the code says of them."""

from __future__ import annotations

import re

from counterpoint.studies.subjects import MEASURES, PLACEHOLDERS

from .running import ROOT

WORDS = {"most": "more", "least": "less", "": ""}


def test_the_reference_has_every_measure() -> None:
    """A measure that was renamed or changed, and not in the reference."""
    text = (ROOT / "docs/reference/crawler-measures.md").read_text()
    rows = [row for row in text.splitlines() if row.startswith("| `")]
    assert rows == [
        f"| `{one.name}` | {one.about} | {'yes' if one.share else ''} | {WORDS[one.best]} | "
        f"{'yes' if one.standard else ''} |"
        for one in MEASURES.values()
    ]


def test_the_guide_has_every_placeholder() -> None:
    """A placeholder that readers do not learn of."""
    text = (ROOT / "docs/how-to/gate-your-crawler.md").read_text()
    assert set(re.findall(r"^\| `\{(\w+)\}`", text, re.MULTILINE)) == set(PLACEHOLDERS)
