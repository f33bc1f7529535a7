"""The table of docs/reference/standards.md, from the suites themselves."""

from __future__ import annotations

from importlib.metadata import version

from . import encoding_tables, robots, suffixes, trees, urls
from .suite import OURS, Suite, measured

SUITES: tuple[Suite, ...] = (
    trees.LINKS, trees.TREES, encoding_tables.TABLES, encoding_tables.LABELS,
    encoding_tables.DECLARED, urls.URLS, suffixes.SUFFIXES, robots.GOOGLE, robots.RFC,
)  # fmt: skip

OTHERS = (
    "html5lib", "w3lib", "tldextract", "Protego", "selectolax", "ada-url", "publicsuffixlist",
)  # fmt: skip


def table() -> str:
    """Return the results of all suites, and our failures with their reasons, in Markdown.

    Raises
    ------
    AssertionError
        If one of our failures has no reason.
    """
    versions = ", ".join(f"{name} {version(name)}" for name in OTHERS)
    rows = [f"With {versions}:", "", f"| Suite | Cases | {OURS} | Others |", "|---|--:|--:|---|"]
    why = ["| Suite | Cases | Why our answer is another one |", "|---|--:|---|"]
    for suite in SUITES:
        found = measured(suite)
        assert found.unexplained == [], found.unexplained[:3]
        others = ", ".join(f"{name} {n:,}" for name, n in found.passed.items() if name != OURS)
        rows.append(f"| {suite.name} | {found.cases:,} | {found.passed[OURS]:,} | {others} |")
        why += [f"| {suite.name} | {n:,} | {reason} |" for reason, n in found.reasons.items()]
    return "\n".join([*rows, "", *why])
