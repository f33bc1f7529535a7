"""Commands beside policies: their names, and the folders of their logs."""

from __future__ import annotations

import pytest

from counterpoint.crawler.errors import CrawlError
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.studies.subjects.compared import names_of, subjects_of

from .crawlers import PROFILE


def plan(*policies: str) -> ComparisonPlan:
    """Return a comparison."""
    return ComparisonPlan(policies, PROFILE, 10)


def test_each_command_has_a_folder_of_its_own() -> None:
    """A command without a name that gets the folder of one that is named crawler-1."""
    given = plan("cmd:a {start}", "R1", "crawler-1=cmd:b", "cmd:c", "é.x=cmd:d a=cmd:e")
    found = subjects_of(given)
    assert [one.name for one in found.values()] == ["crawler-2", "crawler-1", "crawler-3", "é.x"]
    assert list(found) == [name for name in names_of(given) if name != "R1"]
    assert found["é.x"].command.arguments == ("d", "a=cmd:e")


@pytest.mark.parametrize(
    "policies", [("R1=cmd:x", "R1"), ("R1", "R1=cmd:x"), ("a=cmd:x", "a=cmd:y"), ("cmd:x", "cmd:x")]
)
def test_two_of_one_name_are_refused(policies: tuple[str, str]) -> None:
    """Two rows of a table with one name, of which one shows the figures of the other."""
    with pytest.raises(CrawlError, match="is named twice"):
        subjects_of(plan(*policies))
