"""Each command runs with only its own extras, and names a missing one in one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from counterpoint.extras import EXTRAS, OPTIONAL
from counterpoint.main import COMMANDS, SECTIONS

ROOT = Path(__file__).resolve().parents[2]


def run(extras: str, *arguments: str) -> tuple[int, str, str]:
    """Run a command with only some extras installed; return exit code, output and errors."""
    command = [sys.executable, "-m", "tests.counterpoint.without", extras, *arguments]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    return found.returncode, found.stdout, found.stderr


@pytest.mark.long
@pytest.mark.parametrize(
    "line",
    [
        "check peterson --engine all", "errata r3-no-links", "export peterson --to promela",
        "readings peterson --help", "evaluate --help", "search --help", "replay --help",
        "gate --only checks --budget 0.01 --report {folder}/report",
    ],
)  # fmt: skip
def test_the_base_checks_specs(line: str, tmp_path: Path) -> None:
    """A check of a spec that imports a package of the crawler."""
    code, out, errors = run("", *line.format(folder=tmp_path).split())
    assert code in (0, 3), errors
    assert out
    assert "Traceback" not in errors


@pytest.mark.long
@pytest.mark.parametrize(
    "line",
    [
        "web describe --profile broder-1999 --pages 500",
        "compare breadth-first hits --web broder-1999 --pages 200 --seeds 2",
        "graph --help", "crawl --help", "links --help", "sites --help", "index --help",
        "studio --help", "papers --help", "list",
        "coverage report --profile broder-1999 --pages 400 --draws 50 --seeds 2",
    ],
)  # fmt: skip
def test_a_command_needs_its_extras_alone(line: str) -> None:
    """A package that a command needs and that none of its extras contains."""
    code, out, errors = run(EXTRAS[line.split()[0]], *line.split())
    assert code == 0, errors
    assert out


@pytest.mark.parametrize("name", sorted(set(EXTRAS) - {"list"}))
def test_a_missing_extra_is_named(name: str, tmp_path: Path) -> None:
    """A traceback, or a line that does not name the package to install."""
    (tmp_path / "a.run").write_text("1 Q0 a 1 1.0 x\n")
    (tmp_path / "a.qrels").write_text("1 0 a 1\n")
    more = {
        "evaluate": [str(tmp_path / "a.run"), str(tmp_path / "a.qrels")],
        "web": ["describe", "--profile", "sample"], "gate": ["--report", str(tmp_path / "report")],
        "compare": ["R1", "--web", "sample", "--pages", "20"], "papers": ["beebot"],
        "coverage": ["report", "--profile", "sample"],
        "crawl": ["r1", "--start", "http://a.test/", "--db", str(tmp_path / "a.db")],
        "try": ["r1", "--start", "http://a.test/"],
        "links": ["--db", str(tmp_path / "a.db")], "sites": ["--db", "a.db", "list"],
        "index": ["--db", "a.db"], "studio": ["--db", "a.db"], "graph": ["bowtie", "a.graph"],
    }  # fmt: skip
    code, _, errors = run("", name, *more[name])
    assert code == 2
    assert len(errors.splitlines()) == 1
    assert "which is not installed: pip install 'counterpoint[" in errors
    assert EXTRAS[name] in errors


def test_help_works_without_extras() -> None:
    """A help that fails, or omits a command or a description, if a package is missing."""
    code, out, errors = run("", "--help")
    assert (code, errors) == (0, "")
    assert all(f"\n  {name} " in out for name in COMMANDS)
    assert "(pip install 'counterpoint[crawl]')" in out
    descriptions = [about for section in SECTIONS.values() for _, about in section.values()]
    assert all(f"  {about}." in out for about in descriptions)
    code, out, _ = run("", "list")
    assert code == 0
    assert "window-stm" in out
    assert "pip install 'counterpoint[crawl,web]'" in out


def test_an_option_names_its_extra(tmp_path: Path) -> None:
    """A missing package for pictures that is reported as if the command could not run."""
    picture = str(tmp_path / "web.svg")
    code, _, errors = run(
        "web", "web", "describe", "--profile", "broder-1999", "--pages", "500", "--picture", picture
    )
    assert code == 2
    assert f"pip install 'counterpoint[{OPTIONAL['matplotlib']}]'" in errors


@pytest.mark.parametrize("words", [["web", "serve", "--warc"], ["graph", "build"]])
def test_a_captured_web_names_its_extras(words: list[str], tmp_path: Path) -> None:
    """A package for captured webs whose extra is not the one that the message names."""
    (tmp_path / "x.warc").write_text("")
    more = [str(tmp_path / "x.graph")] if words[0] == "graph" else []
    code, _, errors = run("web", *words, str(tmp_path / "x.warc"), *more)
    assert code == 2
    assert "pip install 'counterpoint[crawl,web]'" in errors and len(errors.splitlines()) == 1
