"""Annotations, JUnit, SARIF and JSON of outcomes."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from junitparser import JUnitXml

from counterpoint.ci import reports
from counterpoint.ci.outcome import Case, Finding, Place
from counterpoint.ci.reports.junit import WHOLE

from .made import ALL, FELL, GOOD, MISPLACED, UNKNOWN, WARNED, many

COMMAND = re.compile(r"::(error|warning|notice) ([^\n]*?)::([^\n]*)")
"""A workflow command, as GitHub's runner reads one."""


@pytest.fixture(autouse=True)
def without_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away the variables of the machine on which the tests themselves run."""
    for name in ("GITHUB_WORKSPACE", "GITHUB_STEP_SUMMARY", "CI_PROJECT_DIR", "WORKSPACE"):
        monkeypatch.delenv(name, raising=False)


def read(text: str) -> list[tuple[str, dict[str, str], str]]:
    """Return annotations as GitHub shows them: level, properties, message."""

    def plain(part: str) -> str:
        for code, sign in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
            part = part.replace(code, sign)
        return part

    found = []
    for line in text.splitlines():
        if match := COMMAND.fullmatch(line):
            pairs = [part.split("=", 1) for part in match[2].split(",")]
            found.append((match[1], {n: plain(v) for n, v in pairs}, plain(match[3])))
    return found


def test_totals_count_each_kind() -> None:
    """A line that counts policies among the checks, or that says "0 of 0"."""
    assert reports.totals([]) == "nothing was checked"
    assert reports.totals([GOOD]) == "1 of 1 check as expected"
    assert reports.totals(ALL) == (
        "1 of 2 checks as expected, 1 fell; 0 of 1 policy as expected, 1 unknown; "
        "1 of 1 crawler as expected; 1 unused baseline"
    )


def test_annotations_are_at_their_places() -> None:
    """An annotation without a file, or at the configuration though the property is known."""
    found = read(reports.github(ALL))
    places = [(level, p.get("file"), p.get("line"), p["title"]) for level, p, _ in found]
    assert places == [
        ("error", "specs/buffer.py", "31", FELL.name),
        ("error", "counterpoint.toml", "7", FELL.name),
        ("warning", "counterpoint.toml", "12", UNKNOWN.name),
        ("warning", "counterpoint.toml", "20", WARNED.name),
        ("warning", "baselines/old.json", "1", MISPLACED.name),
    ]
    assert found[0][2] == f"{FELL.findings[0].text}\nTo reproduce: {FELL.again}"


def test_nothing_is_annotated_if_all_is_as_expected() -> None:
    """A notice for each check that holds, which hides the annotations of other tools."""
    assert reports.github([GOOD]) == "counterpoint gate: 1 of 1 check as expected"


def test_annotations_escape_what_the_runner_would_read() -> None:
    """A text with a newline, per cent, colon or comma that ends an annotation or changes it."""
    text = "100% of a,b::c\n::error::no\r"
    bad = replace(GOOD, name="a: b, c=50%\nd", findings=(Finding(text),), again="x",
                  place=Place("a,b:c%.py", 3))  # fmt: skip
    lines = reports.github([bad]).splitlines()
    assert len(lines) == 2
    ((level, properties, message),) = read(lines[0])
    assert level == "error"
    assert properties == {"file": "a,b:c%.py", "line": "3", "title": "a: b, c=50%\nd"}
    assert message == f"{text}\nTo reproduce: x"


@pytest.mark.parametrize(("number", "shown"), [(10, 10), (11, 10), (200, 10)])
def test_what_github_would_drop_is_counted(number: int, shown: int) -> None:
    """A twelfth error that GitHub drops, so that nobody knows of it."""
    found = read(reports.github([*many(number), *many(3, "unknown")]))
    assert [level for level, _, _ in found] == ["error"] * shown + ["warning"] * 3
    if number > shown:
        assert found[9][1] == {"title": f"counterpoint gate: {number - 9} more"}
        assert "stairs height=10" in found[9][2]
    assert all(len(message) < 4096 for _, _, message in found)


def test_one_outcome_does_not_hide_the_others() -> None:
    """A spec with twenty violated properties, and a policy that fell and has no annotation."""
    places = [Place("specs/buffer.py", line) for line in range(1, 21)]
    crowd = replace(FELL, findings=tuple(Finding("wrong", place=p) for p in places))
    names = [properties["title"] for _, properties, _ in read(reports.github([crowd, *many(1)]))]
    assert "stairs height=1" in names[:2]
    assert len(names) == 10


def test_a_long_text_keeps_its_command() -> None:
    """A text that GitHub cuts, with the command to reproduce behind the cut."""
    long = replace(FELL, findings=(Finding("x" * 10_000),))
    ((_, _, message),) = read(reports.github([long]))
    assert len(message) < 4096
    assert message.endswith(f"To reproduce: {FELL.again}")


@pytest.mark.parametrize("name", ["GITHUB_WORKSPACE", "CI_PROJECT_DIR", "WORKSPACE"])
def test_places_are_relative_to_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A configuration in a folder of the repository, whose files CI does not find."""
    folder = tmp_path / "services" / "crawler"
    folder.mkdir(parents=True)
    monkeypatch.setenv(name, str(tmp_path))
    ((_, properties, _), *_) = read(reports.github([FELL], folder))
    assert properties["file"] == "services/crawler/specs/buffer.py"
    assert 'file="services/crawler/specs/buffer.py"' in reports.junit([FELL], folder)
    assert '"services/crawler/specs/buffer.py"' in reports.sarif([FELL], folder)
    monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    assert read(reports.github([FELL], folder))[0][1]["file"] == "specs/buffer.py"


def cases_of(text: str) -> dict[str, Any]:
    """Return the cases of JUnit by name, as a parser reads them."""
    return {case.name: case for suite in JUnitXml.fromstring(text.encode()) for case in suite}


def test_junit_has_a_case_for_each_property() -> None:
    """A case without its own time or place; a property that fell and passes."""
    text = reports.junit(ALL)
    cases = cases_of(text)
    wrong = cases[f"{FELL.name}: all-wait"]
    attributes = {n: wrong._elem.get(n) for n in ("time", "file", "line", "classname")}
    assert attributes == {
        "time": "1.500", "file": "specs/buffer.py", "line": "31", "classname": "check.buffer",
    }  # fmt: skip
    (failure,) = wrong.result
    assert (type(failure).__name__, failure.message) == ("Failure", FELL.findings[0].text)
    assert failure.text.endswith(FELL.again)
    assert cases[f"{FELL.name}: ranges"].is_passed
    whole = cases[f"{FELL.name}: {WHOLE}"]
    assert (whole.time, whole.result[0].message) == (3.25, FELL.findings[1].text)
    assert type(cases[f"{UNKNOWN.name}: {WHOLE}"].result[0]).__name__ == "Error"
    warned = cases[f"{WARNED.name}: quality"]
    assert warned.is_passed
    assert warned.system_out == f"Warning: {WARNED.findings[0].text}"
    root = JUnitXml.fromstring(text.encode())
    assert (root.tests, root.failures, root.errors, root.time) == (8, 2, 1, 47.0)
    assert [suite.time for suite in root] == [2.0, 9.0, 31.0, 5.0, 0.0]


def test_a_finding_without_its_case_is_a_failure_of_the_whole() -> None:
    """A finding about a property that no case has, and that JUnit therefore leaves out."""
    stray = replace(FELL, findings=(Finding("gone", "fell", "no-such-property"),))
    case = cases_of(reports.junit([stray]))[f"{FELL.name}: {WHOLE}"]
    assert case.result[0].message == "gone"


@pytest.mark.parametrize(
    ("group", "name"),
    [("specs/a.py:Buffer", "check.specs.a.Buffer"), ("my.python:X", "check.my.python.X"),
     ("", "check")],
)  # fmt: skip
def test_classes_are_divided_by_dots(group: str, name: str) -> None:
    """A class that Jenkins calls "py", in a package with a slash."""
    (case,) = cases_of(reports.junit([replace(GOOD, group=group)])).values()
    assert case.classname == name


def test_an_outcome_of_one_part_is_one_case() -> None:
    """A policy that JUnit counts twice, of which one passes though the policy fell."""
    policy = replace(UNKNOWN, cases=(Case(UNKNOWN.name, 30.0),))
    (case,) = cases_of(reports.junit([policy])).values()
    assert (case.name, case.time) == (UNKNOWN.name, 30.0)
    assert type(case.result[0]).__name__ == "Error"


def test_junit_can_be_read_whatever_a_message_contains() -> None:
    """A control character in a message, which makes the whole file unreadable."""
    bad = replace(FELL, name="\x00 <a> & ]]>", findings=(Finding("\x1b[31mred\x1b[0m <&>"),))
    (suite,) = JUnitXml.fromstring(reports.junit([bad]).encode())
    assert suite.failures == 1
    assert suite.name == "\ufffd <a> & ]]>"


def test_sarif_has_what_code_scanning_asks_for(tmp_path: Path) -> None:
    """A log that GitHub refuses: a result without a place, a rule that is not declared."""
    lost = replace(WARNED, place=None)
    spaced = replace(FELL, place=Place("my specs/a#b.toml", 0))
    log = json.loads(reports.sarif([spaced, UNKNOWN, lost], tmp_path))
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "Counterpoint"
    results = run["results"]
    assert [r["level"] for r in results] == ["error", "error", "warning"]
    for result in results:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert set(result["message"]) == {"text"}
        (location,) = result["locations"]
        physical = location["physicalLocation"]
        assert re.fullmatch(r"[\w./%-]+", physical["artifactLocation"]["uri"])
        assert physical["region"]["startLine"] >= 1
    first = results[0]["locations"][0]["physicalLocation"]
    assert first == {"artifactLocation": {"uri": "specs/buffer.py"}, "region": {"startLine": 31}}
    assert FELL.again in results[0]["message"]["text"]
    (invocation,) = run["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (True, 1)
    (note,) = invocation["toolExecutionNotifications"]
    assert (note["level"], "noise" in note["message"]["text"]) == ("note", True)


def test_json_has_each_outcome() -> None:
    """An outcome, a finding or a place that JSON leaves out."""
    found = json.loads(reports.as_json(ALL))
    assert found["exit_code"] == 1
    assert found["total"] == reports.totals(ALL)
    assert [(o["name"], o["answer"]) for o in found["outcomes"]] == [
        (o.name, o.answer) for o in ALL
    ]
    fell = found["outcomes"][3]
    assert fell["findings"][0] == {
        "text": FELL.findings[0].text, "level": "fell", "of": "all-wait",
        "place": {"path": "specs/buffer.py", "line": 31},
    }  # fmt: skip
    assert (fell["again"], fell["seconds"]) == (FELL.again, 5.0)
    assert fell["place"] == {"path": "counterpoint.toml", "line": 7}
