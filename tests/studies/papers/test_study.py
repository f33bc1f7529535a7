"""The parts of a study run in several processes."""

from __future__ import annotations

import operator
import os

from counterpoint.studies.papers.study import run_all


def test_other_processes_do_the_work() -> None:
    """Hours of a study on one core, although more were asked for."""
    lines: list[str] = []
    found = run_all(operator.call, [os.getpid] * 3, 2, lines.append, "part")
    assert len(found) == 3 and os.getpid() not in found
    assert lines == ["part 1 of 3", "part 2 of 3", "part 3 of 3"]


def test_one_process_is_this_one() -> None:
    """A start of processes where none was asked for."""
    assert run_all(operator.call, [os.getpid] * 3, 1) == [os.getpid()] * 3
