"""The records of decisions, as a set."""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "decisions"


def test_each_record_has_a_number_of_its_own_and_an_entry() -> None:
    """Two records with one number, a title with another number, or a record without an entry."""
    records = sorted(FOLDER.glob("0*.md"))
    numbers = [record.name[:4] for record in records]
    assert numbers == [f"{number:04}" for number in range(1, len(records) + 1)]
    titles = [record.read_text(encoding="utf-8").partition("\n")[0] for record in records]
    assert [title[:8] for title in titles] == [f"# {number}. " for number in numbers]
    index = (FOLDER / "index.md").read_text(encoding="utf-8")
    found = re.findall(r"^- \[(0.*)\]\((0.*\.md)\)", index, re.MULTILINE)
    assert sorted(found) == [
        (title.removeprefix("# "), record.name)
        for title, record in zip(titles, records, strict=True)
    ]
