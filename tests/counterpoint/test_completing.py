"""Completion by the shell offers the names that there are."""

from __future__ import annotations

import click
import pytest

from counterpoint.commands import completing
from counterpoint.crawler.schedulers.catalogue import POLICIES
from counterpoint.histories.recording.catalogue import SUBJECTS

CONTEXT = click.Context(click.Command("any"))


def test_policies() -> None:
    """Catches a catalogue that is looked for where it is not, or read wrongly."""
    assert {one.value for one in completing.policy_names(CONTEXT, "")} == set(POLICIES)


def test_subjects() -> None:
    """Catches a subject that is not offered."""
    assert [one.value for one in completing.subject_names(CONTEXT, "")] == list(SUBJECTS)
    (only,) = completing.subject_names(CONTEXT, "sql")
    assert (only.value, only.help) == ("sqlite", SUBJECTS["sqlite"]().about)


@pytest.mark.parametrize("names", [completing.profile_names, completing.spec_names])
def test_names_of_files(names: object) -> None:
    """Catches a folder that is looked for where it is not: then files alone are offered."""
    found = names(CONTEXT, "")  # type: ignore[operator]
    assert len(found) > 3 and all(one.type == "plain" for one in found)
