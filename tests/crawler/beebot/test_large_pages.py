"""A crawl of large pages as a process: its memory, how fast it stops, and what is resumed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.postgres import Server

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "benchmarks" / "large_pages.py"
MOST = 1000
"""Megabytes that a crawl may have with all its processes (docs/how-to/crawl-and-resume.md)."""


def measured(folder: Path, *options: str) -> dict[str, Any]:
    """Run the benchmark; return its figures. It fails if a page or a link is lost."""
    written = folder / "found.json"
    command = [sys.executable, str(SCRIPT), "--folder", str(folder), "--json", str(written)]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(written.read_text())
    assert max(found["PSS, MB"], found["RSS, MB"], found["VmHWM, MB"][0]) < MOST
    assert found["PSS, MB"] > 100 and len(found["VmHWM, MB"]) > 1
    for stop in found["stops"]:
        assert stop["one signal, s"] < 5 and stop["two signals, s"] < 1
    return found


@pytest.mark.slow
def test_interrupted_crawls_of_pages_with_many_links(tmp_path: Path) -> None:
    """A link that is lost by a signal, a traceback, or a page that is visited twice.

    At a concurrency of 1 a crawl has stored few pages when the signal comes, so it has not ended.
    """
    found = measured(tmp_path, "--pages", "6", "--interrupted", "12", "--links", "10000",
                     "--sites", "3", "--rounds", "1", "--concurrency", "1")  # fmt: skip
    assert found["pages"] == 6 and len(found["stops"]) == 1


@pytest.mark.slow
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_pages_of_five_megabytes(
    database: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """A crawl that needs gigabytes for large pages, or that does not stop for a minute."""
    where = []
    if database == "postgresql":
        postgres: Server = request.getfixturevalue("postgres")
        where = ["--postgresql", *(postgres.database() for _ in range(3))]
    found = measured(tmp_path, "--pages", "16", "--interrupted", "4", "--rounds", "1", *where)
    assert found["pages"] == 16
