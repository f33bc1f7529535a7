"""Logs that are judged while they are written."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.files import inputs
from counterpoint.models.limits import Limits
from counterpoint.models.logs.explaining import explained
from counterpoint.models.logs.following import followed, lines_as_they_come
from counterpoint.models.logs.reading import Line, LogError, read_lines, read_log
from counterpoint.spec.notation import Model, SpecError

from .lock import Lock, Queueless, as_lines

ENDLESS = Model(Queueless())
TURN = ("ask W0", "grant W0", "ask W1", "free W0", "grant W1", "free W1")


def lines(*steps: str, model: Model = ENDLESS) -> list[Line]:
    """Return the lines of a log with some steps."""
    return read_log(model, as_lines(*({"step": step} for step in steps)))


steps = st.builds("{} W{}".format, st.sampled_from(["ask", "grant", "free"]), st.integers(0, 2))


@given(st.lists(steps, max_size=12), st.sampled_from([(), ("ask",), ("ask", "free")]),
       st.integers(1, 20))  # fmt: skip
def test_the_answer_is_that_for_the_whole_log(
    said: list[str], silent: tuple[str, ...], keep: int
) -> None:
    """Catches a line that is judged otherwise because later ones are missing, or old ones gone."""
    log = lines(*said)
    whole, found = explained(ENDLESS, log, silent), followed(ENDLESS, iter(log), silent, keep=keep)
    one = found.explanation
    assert (one.answer, one.explained) == (whole.answer, whole.explained)
    if whole.obstacle is not None:
        assert one.obstacle is not None and one.obstacle.line == whole.obstacle.line
        assert one.obstacle.allowed == whole.obstacle.allowed
    judged = log[: one.explained + (one.obstacle is not None)]
    assert found.lines == judged[-len(found.lines) :]
    assert len(one.places) == min(keep, one.explained)
    for values, step, after in zip(one.trace.states, one.trace.steps, one.trace.states[1:],
                                   strict=False):  # fmt: skip
        assert ENDLESS.take(values, step) == after
    if keep >= len(log):
        assert one.trace == whole.trace and one.places == whole.places


def test_a_line_is_judged_before_the_next_one_comes() -> None:
    """Catches a fault that is found only when the log has ended."""

    def coming() -> Iterator[Line]:
        yield from lines("ask W0", "grant W1")
        raise AssertionError("the log was read on after its fault")

    found = followed(ENDLESS, coming())
    assert found.explanation.answer == "violated" and found.explanation.explained == 1


def test_memory_of_a_log_without_end() -> None:
    """Catches a monitor whose memory grows with the log, also if each state is new."""
    log = (line for _ in range(2_000) for line in lines(*TURN))
    found = followed(ENDLESS, log, keep=50)
    assert found.explanation.explained == 2_000 * len(TURN)
    assert len(found.lines) == len(found.explanation.places) == 50
    assert len(found.explanation.trace.steps) <= 51


def test_ctrl_c_and_limits_end_it_with_an_answer() -> None:
    """Catches what was found being lost, or a limit that becomes a fault."""

    def interrupted() -> Iterator[Line]:
        yield from lines("ask W0", "grant W0")
        raise KeyboardInterrupt

    found = followed(ENDLESS, interrupted()).explanation
    assert (found.answer, found.explained) == ("holds", 2)
    late = followed(ENDLESS, lines(*TURN * 400), limits=Limits(0.0)).explanation
    assert late.answer == "unknown" and 0 < late.explained < 2400
    with pytest.raises(SpecError, match="has no action 'task'"):
        followed(ENDLESS, [], ("task",))


def test_a_file_that_grows(tmp_path: Path) -> None:
    """Catches half a line that is read as a whole one, a lost line, or a wrong number."""
    path = tmp_path / "grows.log"
    parts = [b'{"step": "ask', b' W0"}\n\n{"step"', b': "grant W0"}\n', b'{"step": "free W0"}\n']
    path.write_bytes(b"")
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        if not parts:
            raise KeyboardInterrupt
        with path.open("ab") as file:
            file.write(parts.pop(0))

    with path.open("rb") as file:
        found = followed(ENDLESS, read_lines(ENDLESS, lines_as_they_come(file, wait)))
    assert found.explanation.explained == 3 and len(waits) == 5
    assert [line.number for line in found.lines] == [1, 3, 4]


def test_files_that_cannot_be_followed(tmp_path: Path) -> None:
    """Catches a monitor that reads on in another text, or waits for ever in an old file."""
    path = tmp_path / "cut.log"
    first = b'{"step": "ask W0"}\n{"step": "grant W0"}\n'

    def moved() -> None:
        path.rename(tmp_path / "old.log")
        path.write_bytes(first + first)

    for change, message in (
        (lambda: path.write_bytes(b"\n"), "became shorter"),
        (lambda: path.write_bytes(first.replace(b"W0", b"W1") + first), "was written anew"),
        (moved, "was replaced by another file"),
        (path.unlink, "was removed"),
    ):
        path.write_bytes(first)
        with path.open("rb") as file, pytest.raises(LogError, match=f"{message} after line 2"):
            list(lines_as_they_come(file, lambda _, change=change: change()))
    path.write_bytes(b"x" * (inputs.LINE + 1))
    with path.open("rb") as file, pytest.raises(LogError, match="line 1 is longer than 1 MB"):
        list(lines_as_they_come(file))


def test_a_pipe_ends_with_its_writer() -> None:
    """Catches a pipe that is waited for after its end, or a last line that is lost."""
    for end in (b"\n", b""):
        reader, writer = os.pipe()
        os.write(writer, b'{"a": 1}\n\n{"b": 2}' + end)
        os.close(writer)
        with os.fdopen(reader, "rb") as file:
            found = [(number, json.loads(data)) for number, data in lines_as_they_come(file)]
        assert found == [(1, {"a": 1}), (3, {"b": 2})]
    broken = read_lines(ENDLESS, iter([(1, b'{"step": "ask')]))
    with pytest.raises(LogError, match="breaks off within this line"):
        followed(ENDLESS, broken)


def test_a_spec_with_a_counter_ends_at_its_range() -> None:
    """Catches a monitor that goes on after the counter of the spec has overflowed."""
    model = Model(Lock())
    said = [step for _ in range(3) for step in TURN]
    found = followed(model, lines(*said, model=model)).explanation
    assert found.answer == "violated" and found.explained == 2 * len(TURN) + 1
