"""Searches over sets of programs: each set occurs once, in a fixed order, and errors are found."""

from __future__ import annotations

import json
from itertools import permutations, product
from pathlib import Path

import pytest

from counterpoint.console import run
from counterpoint.main import counterpoint as commands
from counterpoint.models.checking.replaying import read_records, replay_record
from counterpoint.models.limits import Limits
from counterpoint.models.sweeps.programs import (
    canonical,
    program_sets,
    programs,
    smaller,
    text,
    worth_trying,
)
from counterpoint.models.sweeps.search import ProgramSpace, search
from counterpoint.spec.notation import SpecError
from counterpoint.spec.stm.programs import parse

FIRST_FINDS = "r x, r y; r y, w x; w y, w x"


def test_every_set_is_there_once() -> None:
    """Sets that are left out, or tried twice under other names (by brute force)."""
    single = programs(2, 2)
    assert len(single) == len(set(single)) == 14
    every = {
        frozenset(
            tuple(tuple((k, names[x]) for k, x in p) for p in ordered)
            for ordered in permutations(chosen)
            for names in permutations(range(2))
        )
        for chosen in product(single, repeat=3)
        if worth_trying(chosen)
    }
    found = program_sets(3, 2, 2)
    assert len(found) == len(every)
    assert {canonical(s, 2) for s in found} == set(found)


def test_how_many_sets_there_are() -> None:
    """A search space that has become smaller or larger."""
    sizes = {space: len(program_sets(*space)) for space in ((4, 2, 2), (3, 3, 2))}
    assert sizes == {(4, 2, 2): 788, (3, 3, 2): 347}


def test_the_late_publisher_is_in_the_space() -> None:
    """A search space without the set that breaks a re-check which ignores locks."""
    late = [(("w", 0),), (("w", 1),), (("r", 0), ("r", 1)), (("r", 1), ("r", 0))]
    past = [(("w", 0),), (("w", 1),), (("r", 1), ("w", 2)), (("r", 1), ("r", 2))]
    assert canonical(late, 2) in program_sets(4, 2, 2)
    found = program_sets(4, 3, 2)
    assert len(found) == 4029
    assert canonical(past, 3) in found


def test_sets_are_written_as_the_parameter_reads_them() -> None:
    """A set whose written form is read as another set."""
    for one in program_sets(3, 2, 2)[::17]:
        names = "xyz"
        assert parse(text(one)) == tuple(tuple((k, names[x]) for k, x in p) for p in one)
        assert all(sum(map(len, s)) < sum(map(len, one)) for s in smaller(one))


def test_the_order_is_the_seeds() -> None:
    """A search that cannot be repeated, or that has the same order for each seed."""
    space = ProgramSpace(3, 3, 2)
    assert space.sets(1) == space.sets(1) != space.sets(2)
    assert sorted(space.sets(1)) == program_sets(3, 3, 2)
    used = [len({x for p in s for _, x in p}) for s in space.sets(1)]
    assert used == sorted(used)


@pytest.mark.long
def test_it_finds_a_mutant_by_itself() -> None:
    """A search that stops too early, or that reports programs the violation does not need."""
    reference = "window-stm/advances-the-clock-after-unlocking"
    found = search(reference, space=ProgramSpace(3, 2, 2), seed=0)
    assert found.total == 144
    assert found.tried <= 144
    assert found.verdict is not None
    assert found.verdict.answer == "violated"
    assert found.verdict.depth == 20
    assert found.verdict.model.spec.parameters["programs"] == FIRST_FINDS


@pytest.mark.long
def test_the_outcome_does_not_depend_on_the_cores() -> None:
    """A search whose result depends on which worker finishes first."""
    reference, space = "window-stm/reader-does-not-wait", ProgramSpace(2, 2, 2)
    one, two = (search(reference, space=space, seed=1, processes=n) for n in (1, 2))
    assert (one.broken, one.tried, one.states) == (two.broken, two.tried, two.states)
    assert len(one.broken) == 1


@pytest.mark.long
def test_the_right_protocol_stays_clean() -> None:
    """A violation reported for the correct protocol."""
    found = search("window-stm", space=ProgramSpace(2, 2, 2), seed=3)
    assert (found.total, found.tried, found.broken, found.verdict) == (18, 18, (), None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mutant", "objects", "steps", "least"),
    [
        ("recheck-ignores-locks", 2, 20, "r x, r y; r y, r x; w x; w y"),
    ],
)
def test_what_needs_four_transactions(mutant: str, objects: int, steps: int, least: str) -> None:
    """A search that misses the slip that only runs of four transactions show."""
    found = search(f"window-stm/{mutant}", space=ProgramSpace(4, objects, 2), seed=0, go_on=True)
    assert (found.total, found.tried) == (788, 788)
    assert [(text(b.programs), b.depth) for b in found.broken] == [(least, steps)]


def test_a_time_limit_is_unknown() -> None:
    """A search stopped by its time limit that reports "no violation"."""
    found = search("window-stm", limits=Limits(1e-6))
    assert (found.tried, found.broken) == (0, ())
    assert "the time limit of" in found.unknown[0]


@pytest.mark.long
def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Output that is too wide or cannot be replayed, or a wrong exit code."""
    base = ["search", "window-stm/reader-does-not-wait", "--transactions", "2",
            "--objects", "2", "--processes", "1"]  # fmt: skip
    assert run(commands, base) == 1
    out = capsys.readouterr().out
    assert "18 sets of 2 programs of at most 2 operations on at most 2 objects" in out
    assert "--set 'programs=r x, r y; w x, w y' --property opacity" in out
    assert all(len(line) <= 80 for line in out.splitlines() if "To reproduce" not in line)
    assert run(commands, [*base, "--format", "json"]) == 1
    (record,) = read_records(capsys.readouterr().out, "search")
    assert replay_record(record).agrees
    assert record["search"]["sets"] == 18
    few = ["search", "window-stm", "--transactions", "2", "--sets", "3", "--processes", "1"]
    assert run(commands, few) == 0
    assert "3 checked" in " ".join(capsys.readouterr().out.split())
    assert run(commands, [*few, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(read_records(json.dumps(found), "search")) == []
    assert run(commands, [*few, "--time-limit", "0.000001"]) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["peterson"], "peterson has no parameter 'programs'"),
        (["window-stm", "--set", "programs=w x; r x"], "the search sets programs itself"),
        (["window-stm", "--set", "transactions=3"], "give --transactions instead"),
        (["window-stm", "--property", "beauty"], "has no property 'beauty'"),
        (["window-stm", "--operations", "4"], "too many to search"),
        (["window-stm", "--objects", "0"], "--objects"),
    ],
)
def test_wrong_commands(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    """A wrong command answered by a traceback or by several lines."""
    assert run(commands, ["search", *arguments]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert (captured.out, captured.err.count("\n")) == ("", 1)


def test_too_many_sets_are_refused() -> None:
    """A list of sets so long that it fills the memory."""
    with pytest.raises(SpecError, match="are too many to search"):
        program_sets(6, 4, 4)
