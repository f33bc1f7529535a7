"""The summary in Markdown, and the summary of a job on GitHub."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from counterpoint.ci import reports
from counterpoint.ci.outcome import Finding
from counterpoint.ci.reports.github import LARGEST_SUMMARY
from counterpoint.ci.reports.summary import code, escaped, summary

from .made import ALL, FELL, GOOD, UNKNOWN, checked, many


def test_what_fell_comes_first() -> None:
    """A summary in which one looks for the failure below a table of all that holds."""
    text = summary(ALL, 47.2)
    order = ["47 s", "### Fell", FELL.findings[0].text, "### Unknown", UNKNOWN.findings[0].text,
             "### Warnings", "narrower", "nothing uses it", "<details", GOOD.name]  # fmt: skip
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert text.startswith("## ✗ Counterpoint gate\n")
    assert f"To reproduce: `{FELL.again}`" in text
    assert "(`specs/buffer.py:31`)" in text


def test_tables_are_folded_if_all_is_as_expected() -> None:
    """A table of hundreds of checks that hold, open."""
    text = summary(ALL, 1.0)
    assert "<details><summary>✓ 1 check as expected</summary>" in text
    assert "<details open><summary>✗ 1 check fell</summary>" in text
    assert "<details open><summary>? 1 policy unknown</summary>" in text
    assert text.count("<details") == text.count("</details>") == 5


def test_a_gate_of_policies_alone_says_nothing_of_specs() -> None:
    """A summary that says that no spec was checked, above an empty table."""
    text = summary([UNKNOWN], 1.0)
    assert "check" not in text.replace("checks", "").replace("counterpoint check", "")
    assert "spec" not in text
    assert text.count("|---") == 2


def test_an_empty_gate_has_a_summary() -> None:
    """A summary of nothing that fails, or that has a table without rows."""
    text = summary([], 0.0)
    assert "nothing was checked" in text
    assert "|" not in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a|b", "a\\|b"),
        ("<img src=x>", "&lt;img src=x&gt;"),
        ("*bold* _x_ a_b `c` [d](e)", "\\*bold\\* \\_x\\_ a_b \\`c\\` \\[d\\](e)"),
        ("one\n\n# two", "one # two"),
        ("a\\|b", "a\\\\\\|b"),
    ],
)
def test_no_name_changes_the_markdown(text: str, expected: str) -> None:
    """A name with a pipe that shifts the columns of its table, or that is read as HTML."""
    assert escaped(text) == expected


def test_a_counterexample_is_drawn() -> None:
    """A summary of a violation without its run; one that also draws expected violations."""
    text = summary([checked({"first": "turn"}, {})], 1.0)
    chart = text.partition("```\n")[2].partition("\n```")[0]
    assert chart.endswith("mutual-exclusion is violated after step 6.")
    assert "```" not in summary([checked({"first": "turn"}, {"mutual-exclusion": 6})], 1.0)


def test_the_output_of_a_crawler_keeps_its_lines() -> None:
    """The end of a crawler's output folded into one line, or read as Markdown."""
    text = "the end of its output:\n  # one\n  ```\n  <b>two"
    shown = summary([replace(FELL, findings=(Finding(text),))], 1.0)
    lines = ["", "  ````", "    # one", "    ```", "    <b>two", "  ````", ""]
    assert "- the end of its output: (`counterpoint.toml:7`)\n" + "\n".join(lines) in shown


@pytest.mark.parametrize(
    ("text", "expected"), [("a", "`a`"), ("a`b``c", "```a`b``c```"), ("`a", "`` `a ``")]
)
def test_code_may_contain_backticks(text: str, expected: str) -> None:
    """A command of a user with a backtick, of which the summary shows half."""
    assert code(text) == expected


def test_the_summary_is_appended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A summary of an earlier command of the step that is overwritten."""
    path = tmp_path / "summary.md"
    path.write_text("# Mine\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    reports.append_step_summary(ALL, 47.0)
    assert path.read_text(encoding="utf-8") == "# Mine\n" + summary(ALL, 47.0)


def test_without_the_variable_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file in the present folder on a machine that is no runner of GitHub."""
    monkeypatch.chdir(tmp_path)
    for name in (None, ""):
        if name is None:
            monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
        else:
            monkeypatch.setenv("GITHUB_STEP_SUMMARY", name)
        reports.append_step_summary(ALL, 1.0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("before", [0, 500_000, 1024 * 1024])
def test_a_long_summary_keeps_to_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: int
) -> None:
    """A summary of more than 1 MiB, which GitHub refuses as a whole."""
    long = [replace(one, findings=(Finding("é" * 900),)) for one in many(1500)]
    path = tmp_path / "summary.md"
    path.write_bytes(b"-" * before)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    reports.append_step_summary(long, 1.0)
    added = path.read_bytes()[before:].decode()
    assert before + len(added.encode()) <= max(1024 * 1024, before + 400)
    assert "The rest is left out" in added
    assert added.count("<details") == added.count("</details>")
    if before < LARGEST_SUMMARY:
        assert f"#### {long[0].name}" in added


def test_a_summary_that_cannot_be_written_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A verdict that is lost since the runner's file is not there."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "none" / "summary.md"))
    reports.append_step_summary(ALL, 1.0)
    assert "No such file" in capsys.readouterr().err
