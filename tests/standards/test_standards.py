"""Our readers answer the cases of the standards as the standards say, or for a reason as we say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.needs import need

from . import encoding_tables
from .suite import OURS, Case, Suite, measured
from .table import SUITES, table

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "standards.md"
LEAST = {
    "HTML: links of the trees": 23, "HTML: trees": 1_500, "Encodings: indices": 130_000,
    "Encodings: labels": 200, "Encodings: declarations": 11, "URLs": 590, "Public suffixes": 70,
    "robots.txt: Google's cases": 140, "robots.txt: examples of RFC 9309": 34,
}  # fmt: skip
"""The fewest cases of each suite: a package that moves its files must not empty a suite."""


def _parameters() -> list[object]:
    return [
        pytest.param(one, id=one.name, marks=[pytest.mark.long] * (one is encoding_tables.TABLES))
        for one in SUITES
    ]


@pytest.mark.parametrize("suite", _parameters())
def test_suite(suite: Suite) -> None:
    """A link, letter, address, domain or rule that we read otherwise than the standard says."""
    if suite.need:
        need(suite.need)
    found = measured(suite, peers=False)
    assert found.unexplained == []
    assert found.cases >= LEAST[suite.name]
    assert all(found.reasons[reason] for reason in suite.reasons), "a reason without a case"
    assert sum(found.reasons.values()) + found.passed[OURS] == found.cases


def test_a_wrong_answer_is_noticed() -> None:
    """A suite that passes whatever our reader answers."""
    cases = [Case("one", 1, 1), Case("two", 2, 2), Case("three", 3, 3)]
    suite = Suite("numbers", "", lambda: cases, {OURS: lambda number: 1, "other": lambda n: 1 // 0},
                  {"two is one": lambda case: case.given == 2})  # fmt: skip
    found = measured(suite)
    assert found.unexplained == [(cases[2], 1)]
    assert found.reasons == {"two is one": 1}
    assert found.passed == {OURS: 1, "other": 0}


@pytest.mark.long
def test_the_page_has_the_numbers() -> None:
    """A table in the documents that a change of ours has made wrong.

    Where other versions are installed than those of the page, numbers may be others.
    """
    for suite in SUITES:
        if suite.need:
            need(suite.need)
    now, page = table(), PAGE.read_text(encoding="utf-8")
    versions, _, tables = now.partition("\n\n")
    if versions in page:
        assert now in page
    else:
        assert without_numbers(tables) in without_numbers(page)


def without_numbers(text: str) -> str:
    """Return a text with N for each number."""
    return re.sub(r"\d[\d,]*", "N", text)
