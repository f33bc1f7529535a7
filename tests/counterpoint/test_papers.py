"""``counterpoint papers`` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from counterpoint.studies.papers import freshness, papers, study

from .test_command_line import call


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the study of freshness small."""

    def made(
        self: papers.Paper, seeds: range, processes: int = 1, tell: study.Tell | None = None
    ) -> study.Study:
        return freshness.study(seeds, 1, tell, days=20, web_pages=50)

    monkeypatch.setattr(papers.Paper, "study", made)


@pytest.mark.usefixtures("quick")
def test_text_and_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A report without figures, a line that is too long, a page that is not written."""
    code, out, err = call(capsys, "papers", "freshness", "--seeds", "2", "--html",
                          str(tmp_path / "pages"))  # fmt: skip
    assert code == 0
    assert "0.3651, 0.3167, 0.3739" in out and "1.15, 1.36, 1.35, 1.14, 0.00" in out
    assert max(map(len, out.splitlines())) <= 80
    path = tmp_path / "pages" / "freshness.html"
    assert str(path) in err and path.read_text().startswith("<!DOCTYPE html>")
    assert 'href="freshness.html"' in (tmp_path / "pages" / "index.html").read_text()
    for page in ("freshness", "index"):
        assert '<th scope="col"></th>' not in (tmp_path / "pages" / f"{page}.html").read_text()


@pytest.mark.usefixtures("quick")
def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    """A renamed key; figures that are no valid JSON."""
    code, out, err = call(capsys, "papers", "freshness", "--seeds", "2", "--format", "json")
    assert (code, err) == (0, "")
    report = json.loads(out)["freshness"]
    assert list(report) == ["seeds", "optimal_frequencies", "analytic", "five_pages", "web"]
    assert report["seeds"] == [0, 1]
    assert report["analytic"]["optimal"] == pytest.approx(0.3739, abs=5e-5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bebot"], "there is no study 'bebot'; did you mean beebot?"),
        (["beebot", "--seeds", "1"], "1 is not in the range"),
        (["beebot", "--html", "no/such/pages"], "there is no folder"),
        (["beebot", "--html", __file__], "is no folder"),
        (["beebot", "--format", "xml"], "'xml' is not one of"),
    ],
)
def test_errors(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A traceback, or an error that is reported only after a minute of work."""
    code, out, err = call(capsys, "papers", *arguments)
    assert (code, out) == (2, "")
    assert message in err and err.count("\n") == 1
