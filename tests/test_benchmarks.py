"""The benchmarks run, and count what they say."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import need
from tests.spin import require_spin

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.slow
def test_against_spin(tmp_path: Path) -> None:
    """A benchmark that no longer runs, or compares different numbers of states."""
    need("gcc")
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


@pytest.mark.slow
def test_liveness_against_spin(tmp_path: Path) -> None:
    """A benchmark that no longer runs; it ends by itself if the verdicts differ."""
    require_spin()
    written = tmp_path / "found.json"
    script = [sys.executable, str(ROOT / "benchmarks" / "liveness_against_spin.py")]
    done = subprocess.run(
        [*script, "--repeats", "1", "--case", "a-commit-succeeds", "--json", str(written)],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    ((name, found),) = json.loads(written.read_text())["cases"].items()
    assert name == "window-stm 3 x 2: a commit succeeds"
    assert found["counterpoint"]["states"] == 804_480 > found["spin"]["states"] > 0
    assert all(found[subject]["verdict"] > 0 for subject in ("counterpoint", "spin"))


def test_an_unknown_case_is_refused() -> None:
    """A traceback for a misspelt case."""
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


@pytest.mark.slow
def test_graph_store(tmp_path: Path) -> None:
    """A benchmark of the store that no longer runs, or measures less than it says."""
    written = tmp_path / "found.json"
    script = [sys.executable, str(ROOT / "benchmarks" / "graph_store.py")]
    done = subprocess.run(
        [*script, "--pages", "2000", "--folder", str(tmp_path), "--json", str(written)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(written.read_text())["webs"]
    assert 0 < found["in the order of addresses"]["bytes a link"] < 3.4
    assert all(times["best"] > 0 for times in found["queries, µs"].values())


@pytest.mark.slow
def test_a_web_of_the_size_of_cs2_in_small(tmp_path: Path) -> None:
    """A planted web whose bow-tie is not found, or steps that run twice."""
    script = [sys.executable, str(ROOT / "benchmarks" / "cs2.py")]
    arguments = ["--pages", "30000", "--folder", str(tmp_path), "--addresses"]
    done = subprocess.run([*script, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    notes = next(tmp_path.glob("done-*.json"))
    found = json.loads(notes.read_text())
    assert list(found) == ["build", "open", "bfs", "wcc", "scc", "bowtie"]
    assert found["bowtie"]["scc"] == found["scc"]["largest"]
    del found["bowtie"]
    notes.write_text(json.dumps(found))
    again = subprocess.run([*script, *arguments], capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert again.stderr.splitlines() == ["bowtie"]


@pytest.mark.slow
def test_graph_algorithms(tmp_path: Path) -> None:
    """A benchmark that no longer runs, or whose subjects decompose different graphs."""
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


@pytest.mark.long
def test_memories_against_libitm(tmp_path: Path) -> None:
    """A benchmark that no longer compiles, or whose memories lose an addition."""
    need("gcc")
    written = tmp_path / "found.json"
    script = [sys.executable, str(ROOT / "benchmarks" / "memories_against_libitm.py")]
    done = subprocess.run(
        [*script, "--seconds", "0.02", "--repeats", "1", "--load", "write-heavy", "--json",
         str(written)],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = json.loads(written.read_text())["rows"]
    assert len({(row["threads"], row["memory"]) for row in rows}) == 10
    assert all(row["transactions/s"] > 0 for row in rows)


@pytest.mark.slow
def test_histories_against_reading(tmp_path: Path) -> None:
    """A benchmark that no longer runs, or whose histories are not what they are meant to be."""
    need("gcc")
    pytest.importorskip("orjson")
    written = tmp_path / "found.json"
    script = [sys.executable, str(ROOT / "benchmarks" / "histories_against_reading.py")]
    done = subprocess.run(
        [*script, "--repeats", "1", "--sizes", "2000", "--registers", "1500",
         "--json", str(written)],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = json.loads(written.read_text())["rows"]
    answers = {(one["history"], one["subject"]): one["answer"] for one in rows}
    assert len(answers) == 12
    for (history, subject), answer in answers.items():
        expected = "violated" if "violated" in history else "holds"
        assert answer == ("" if subject == "reading" else expected)


@pytest.mark.long
def test_archives(tmp_path: Path) -> None:
    """A benchmark of the index that no longer runs, or measures fewer captures than it says."""
    script = [sys.executable, str(ROOT / "benchmarks" / "archives.py")]
    done = subprocess.run(
        [*script, "--records", "300", "--json", str(tmp_path / "found.json")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = json.loads((tmp_path / "found.json").read_text())
    assert json.loads(done.stdout) == found
    assert found["records"] == 300
    assert found["make"]["peak_mb"] > 1 and found["lookups"]["lookups_per_second"] > 1


@pytest.mark.long
def test_searching(tmp_path: Path) -> None:
    """A benchmark of searches that no longer runs, or whose searches find other pages."""
    script = [sys.executable, str(ROOT / "benchmarks" / "searching.py")]
    subprocess.run(
        [*script, "--pages", "900", "--inserted", "500", "--rounds", "1", "--database", "sqlite",
         "--json", str(tmp_path / "found.json")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = json.loads((tmp_path / "found.json").read_text())
    totals = {one["search"]: one["total"] for one in found["sqlite"]["searches"]}
    assert len(totals) > 400
    assert (totals[""], totals["in all"], totals["rare"], totals["none"]) == (
        "900",
        "900",
        "1",
        "0",
    )
    assert totals["not ASCII"] == totals["escaped"] == totals["a whole address"] == "1"
    assert totals["300 letters of none"] == totals["one letter of none"] == "0"
    assert all(one["whole"] for one in found["sqlite"]["searches"])
    assert set(found["inserted pages/s"]) == {"alone", "searches", "FTS5"}
