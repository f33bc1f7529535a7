"""The folder of the report: complete, replaced as a whole, and never somebody else's."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from counterpoint.ci import reports
from counterpoint.ci.outcome import Outcome
from counterpoint.ci.reports import writing
from counterpoint.spec.notation import SpecError

from .made import ALL, GOOD, checked

WRONG = {"first": "turn"}
FILES = {".counterpoint-report", "index.html", "junit.xml", "results.json", "results.sarif",
         "summary.md"}  # fmt: skip


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_report_is_complete_and_the_same_each_time(tmp_path: Path) -> None:
    """A format that is missing; a report that differs with each run; what is left beside it."""
    report = tmp_path / "build" / "report"
    reports.write(report, ALL, 2.0)
    first = contents(report)
    assert set(first) == FILES
    assert first["junit.xml"].decode() == reports.junit(ALL)
    reports.write(report, ALL, 2.0)
    assert contents(report) == first
    assert [path.name for path in report.parent.iterdir()] == ["report"]


@pytest.mark.parametrize("violated", [{"mutual-exclusion": 6}, {}, {"mutual-exclusion": 5}])
def test_each_counterexample_has_a_page(tmp_path: Path, violated: dict[str, int | None]) -> None:
    """A violation, expected or not, that nobody can step through."""
    reports.write(tmp_path / "report", [GOOD, checked(WRONG, violated)], 1.0)
    pages = set(contents(tmp_path / "report")) - FILES
    assert pages == {"02-peterson-exhaustive-mutual-exclusion.html"}
    index = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert index.count('href="02-peterson-exhaustive-mutual-exclusion.html"') == 1


@pytest.mark.parametrize("name", ["thesis", "work/thesis"])
def test_a_folder_without_a_report_is_not_replaced(tmp_path: Path, name: str) -> None:
    """A folder of the user that the report replaces."""
    (tmp_path / name).mkdir(parents=True)
    (tmp_path / name / "chapter.tex").write_text("years of work")
    with pytest.raises(SpecError, match="contains files that are no report"):
        reports.write(tmp_path / name, [GOOD], 1.0)
    assert list(contents(tmp_path / name)) == ["chapter.tex"]


def test_folders_that_cannot_be_written_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refusal that comes only when all checks are done; the present folder replaced."""
    (tmp_path / "file").write_text("")
    monkeypatch.chdir(tmp_path)
    for place, message in (
        (tmp_path, "cannot replace the present folder"),
        (tmp_path.parent, "cannot replace the present folder"),
        (Path("file"), "is no folder"),
        (Path("file/report"), "is no folder"),
    ):
        with pytest.raises(SpecError, match=message):
            reports.refuse_foreign(place)
    reports.refuse_foreign(Path("new/folder/report"))
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_link_to_a_report_stays_a_link(tmp_path: Path) -> None:
    """A link to a disk with more room, which the report replaces by a folder."""
    (tmp_path / "disk").mkdir()
    (tmp_path / "report").symlink_to(tmp_path / "disk")
    reports.write(tmp_path / "report", [GOOD], 1.0)
    assert (tmp_path / "report").is_symlink()
    assert (tmp_path / "disk" / "index.html").is_file()


def test_a_failure_while_writing_leaves_the_old_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A report that is half new, or temporary folders that remain."""
    report = tmp_path / "report"
    reports.write(report, [GOOD], 1.0)
    before = contents(report)

    def full(outcomes: Sequence[Outcome], *_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing, "summary", full)
    with pytest.raises(OSError, match="No space left"):
        reports.write(report, ALL, 1.0)
    assert contents(report) == before
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_a_failure_while_replacing_brings_the_old_report_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An old report that is gone when the new one cannot take its place."""
    report = tmp_path / "report"
    reports.write(report, [GOOD], 1.0)
    before, replace = contents(report), os.replace

    def fails_once(source: Path, target: Path) -> None:
        if target == report and not source.name.endswith("-old"):
            raise OSError(16, "Device or resource busy")
        replace(source, target)

    monkeypatch.setattr(os, "replace", fails_once)
    with pytest.raises(OSError, match="busy"):
        reports.write(report, ALL, 1.0)
    assert contents(report) == before


def test_logs_of_crawlers_are_kept(tmp_path: Path) -> None:
    """A crawler that fell on another machine, without a trace of what it did."""
    run = tmp_path / "logs" / "spider" / "seed-7-1"
    run.mkdir(parents=True)
    (run / "access.jsonl").write_text("{}\n")
    report = tmp_path / "report"
    reports.write(report, ALL, 2.0, logs=tmp_path / "logs")
    kept = report / reports.CRAWLERS / "spider" / "seed-7-1" / "access.jsonl"
    assert kept.read_text() == "{}\n"
    (tmp_path / "none").mkdir()
    reports.write(report, ALL, 2.0, logs=tmp_path / "none")
    assert set(contents(report)) == FILES
