"""A spec as a Hypothesis test: it fails with a chart, and without the stack of Hypothesis."""

from __future__ import annotations

import unittest
from pathlib import Path

import pytest
from hypothesis import settings

from counterpoint.testing import machine

from .buffer import Buffer, Hasty

TEXT = (Path(__file__).parent / "buffer.py").read_text()

TestBuffer = machine(Buffer(producers=3)).TestCase
TestBuffer.settings = settings(TestBuffer.settings, max_examples=50)


@pytest.mark.long
def test_a_violation_is_a_chart(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fifty lines of Hypothesis' stack, or an example that nobody can read."""
    monkeypatch.setenv("COLUMNS", "100")
    pytester.makepyfile(buffer=TEXT)
    pytester.makepyfile("""
        from counterpoint.testing import machine
        from buffer import Hasty

        TestHasty = machine(Hasty(producers=3)).TestCase
    """)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(failed=1)
    found = result.outlines
    lines = found[next(k for k, line in enumerate(found) if "= FAILURES =" in line) :]
    end = next(k for k, line in enumerate(lines) if "short test summary" in line)
    assert end < 22, "\n".join(lines)
    result.stdout.fnmatch_lines([
        "*never-overfull is violated after 6 steps", "*buffer/hasty producers=3: stateful*",
        "*P0 *P1 *P2*", "*To reproduce: counterpoint check buffer.py:Hasty --set producers=3 "
        "--property never-overfull --engine stateful",
    ])  # fmt: skip
    assert "Falsifying" not in result.stdout.str()
    assert "stateful.py" not in result.stdout.str()


def test_unittest_runs_it_too() -> None:
    """A test that only pytest finds, or whose failure is an error for unittest."""
    results = [unittest.TestResult(), unittest.TestResult()]
    for spec, result in zip((Buffer(), Hasty()), results, strict=True):
        case = machine(spec).TestCase
        case.settings = settings(case.settings, max_examples=100)
        case("runTest").run(result)
    assert (results[0].failures, results[0].errors, results[1].errors) == ([], [], [])
    ((_, text),) = results[1].failures
    assert "never-overfull is violated after 6 steps" in text


@pytest.mark.long
def test_an_error_of_the_spec_is_one_line(pytester: pytest.Pytester) -> None:
    """An invariant that raises, shown as an error within Hypothesis."""
    pytester.makepyfile(buffer=TEXT.replace("return s.items <= s.capacity", "return 1 // s.items"))
    pytester.makepyfile("""
        from counterpoint.testing import machine
        from buffer import Buffer

        TestBuffer = machine(Buffer()).TestCase
    """)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*buffer.py:*: in never_overfull: ZeroDivisionError*"])
    assert "hypothesis" not in "\n".join(result.outlines[result.outlines.index("") :])
