"""The benchmark runs, and what it counts is what it says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.compilers import require_compiler
from tests.spin import require_spin

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.slow
def test_against_spin(tmp_path: Path) -> None:
    """A benchmark that no longer runs, or compares different numbers of states."""
    require_compiler()
    require_spin()
    written = tmp_path / "found.json"
    script = [sys.executable, str(ROOT / "benchmarks" / "against_spin.py")]
    done = subprocess.run(
        [*script, "--repeats", "1", "--case", "filter-lock", "--json", str(written)],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    ((name, found),) = json.loads(written.read_text())["cases"].items()
    assert name == "filter-lock processes=5"
    states = {subject: values["states"] for subject, values in found.items()}
    assert states["counterpoint"] == states["spin -DNOREDUCE"] == states["spin -DBFS"] == 179_408
    assert states["counterpoint --reduce symmetry"] == 2_267
    for subject in ("counterpoint", "spin"):
        assert found[subject]["states/s"] > 0 < found[subject]["bytes/state"]
        assert found[subject]["verdict"] > 0


def test_what_is_not_there_is_said() -> None:
    """A traceback for a case that is misspelt."""
    script = [sys.executable, str(ROOT / "benchmarks" / "against_spin.py"), "--case", "none"]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "invalid choice: 'none'" in done.stderr
    assert "Traceback" not in done.stderr


def test_schedulers(tmp_path: Path) -> None:
    """A benchmark that no longer runs, or a policy that does not fetch the whole web."""
    written = tmp_path / "found.json"
    script = [sys.executable, str(ROOT / "benchmarks" / "schedulers.py"), "R3", "scent"]
    done = subprocess.run(
        [*script, "--pages", "1000", "--steps", "1000", "--json", str(written)],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(written.read_text())["steps/s"]
    assert list(found) == ["R3", "scent"]
    assert all(rates["1000"]["best"] > 0 for rates in found.values())


def test_graph_algorithms(tmp_path: Path) -> None:
    """A benchmark that no longer runs, or subjects that take another graph apart."""
    written = tmp_path / "found.json"
    script = [sys.executable, str(ROOT / "benchmarks" / "graph_algorithms.py")]
    done = subprocess.run(
        [*script, "--pages", "2000", "--rounds", "2", "--json", str(written)],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(written.read_text())
    assert list(found["subjects"]) == ["counterpoint", "counterpoint-packed", "scipy"]
    for one in found["subjects"].values():
        assert one["found"]["bow-tie"] == found["bow-tie"]
        assert one["found"]["scc"] == found["subjects"]["scipy"]["found"]["scc"]
        assert {len(seconds) for seconds in one["seconds"].values()} == {2}
        assert one["peak"] >= one["held"] > 0
