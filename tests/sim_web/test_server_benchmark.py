"""The benchmark of the server runs, and its figures are those that it names."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import need

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "serving.py"


@pytest.mark.slow
def test_serving(tmp_path: Path) -> None:
    """A benchmark that no longer runs, or a web of 10^9 pages that needs more than 300 MB."""
    need("wrk")
    written = tmp_path / "found.json"
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--rounds", "1", "--seconds", "2", "--pages", "1000000000",
         "--urls", "2000", "--json", str(written)],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(written.read_text())["medians"]
    assert set(found) == {"hello", "server", "web"}
    assert all(one["requests/s"] > 0 < one["us of processor"] for one in found.values())
    assert 50 < found["web"]["MB"] < 300
