"""The reference of the configuration."""

from __future__ import annotations

from .configuration_tables import MARK, PAGE, tables


def test_the_page_has_every_key() -> None:
    """A key of the configuration that the reference lacks, or describes as it was."""
    assert PAGE.read_text(encoding="utf-8").partition(MARK)[2] == tables() + "\n"
