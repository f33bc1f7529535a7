"""Threads along a schedule: one at a time, deterministic, and with every end reported."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from counterpoint.memories import (
    Controlled,
    Deadlock,
    Endless,
    Point,
    Unreached,
    acquire,
    connect,
    step,
)
from counterpoint.memories.points import HEADER
from counterpoint.models.explore.compiled.compiler import Compilation
from tests.needs import need


def controlled_threads() -> list[str]:
    """Return the names of the controlled threads that have not ended."""
    return [one.name for one in threading.enumerate() if one.name.startswith("controlled-")]


def first(able: list[Point]) -> int:
    """Choose the first."""
    return 0


def counting(log: list[str], name: str, steps: int = 3) -> Callable[[], str]:
    """Return a program that writes down each of its steps."""

    def program() -> str:
        for i in range(steps):
            step("count", t=name, i=i)
            log.append(f"{name}{i}")
        return name

    return program


def locking(mutex: threading.Lock, log: list[int], i: int) -> Callable[[], None]:
    """Return a program that locks, writes down its number, and unlocks."""

    def program() -> None:
        acquire(mutex, "lock", t=i)
        log.append(i)
        step("unlock", t=i)
        mutex.release()

    return program


@pytest.mark.parametrize("schedule", ["ababab", "bbbaaa", "abbbaa"])
def test_the_schedule_decides(schedule: str) -> None:
    """Two threads that run at the same time, or in an order that nobody chose."""
    log: list[str] = []
    order = iter(schedule)

    def choose(able: list[Point]) -> int:
        wanted = "ab".index(next(order))
        return [point.thread for point in able].index(wanted)

    controlled = Controlled([counting(log, "a"), counting(log, "b")])
    passed = controlled.run(choose)
    assert "".join(entry[0] for entry in log) == schedule
    assert ["ab"[point.thread] for point in passed] == list(schedule)
    assert [outcome.result for outcome in controlled.outcomes] == ["a", "b"]
    assert str(passed[0]) == f"count(t={schedule[0]}, i=0)"


def test_equal_choices_give_equal_runs() -> None:
    """A run that depends on how the machine changes threads."""

    def once() -> tuple[list[Point], list[int]]:
        log: list[int] = []
        mutex, turn = threading.Lock(), iter(range(10_000))
        controlled = Controlled([locking(mutex, log, i) for i in range(4)])
        return controlled.run(lambda able: next(turn) * 7 % len(able)), log

    runs = [once() for _ in range(20)]
    assert all(run == runs[0] for run in runs)
    assert sorted(runs[0][1]) == [0, 1, 2, 3]


def test_a_thread_that_waits_is_not_chosen_until_another_has_moved() -> None:
    """A schedule of tries that cannot succeed, for ever."""
    log: list[int] = []
    mutex = threading.Lock()
    seen: list[list[int]] = []

    def both_lock(able: list[Point]) -> int:
        seen.append([point.thread for point in able])
        return next((i for i, point in enumerate(able) if point.name == "lock"), 0)

    Controlled([locking(mutex, log, 0), locking(mutex, log, 1)]).run(both_lock)
    assert seen == [[0, 1], [0, 1], [0], [1], [1]]
    assert log == [0, 1]


def test_a_deadlock_is_found() -> None:
    """Threads that wait for each other, and a test that hangs."""
    one, two = threading.Lock(), threading.Lock()

    def program(mine: threading.Lock, other: threading.Lock) -> Callable[[], None]:
        def run() -> None:
            for mutex in (mine, other):
                step("lock", mutex=mutex is one)
                while not mutex.acquire(blocking=False):
                    step("lock", waiting=True, mutex=mutex is one)

        return run

    turns = iter([0, 1, 0, 1, 0, 1])
    controlled = Controlled([program(one, two), program(two, one)])
    with pytest.raises(Deadlock, match=r"thread 0: lock.*waiting; thread 1: lock.*waiting"):
        controlled.run(lambda able: min(next(turns), len(able) - 1))
    assert controlled_threads() == []


def test_an_exception_is_kept_and_the_others_go_on() -> None:
    """An error in a thread that is printed and lost, or that stops the others."""
    log: list[str] = []

    def broken() -> None:
        step("break")
        raise KeyError("x")

    controlled = Controlled([broken, counting(log, "b")])
    controlled.run(first)
    assert isinstance(controlled.outcomes[0].error, KeyError)
    assert controlled.outcomes[1].result == "b"


def test_a_lost_thread_is_named() -> None:
    """A thread that waits at no point: the run would hang without a word."""
    never = threading.Event()

    def lost() -> None:
        step("enter", t=0)
        never.wait()

    controlled = Controlled([lost], limit=0.1)
    with pytest.raises(
        Unreached, match=r"thread 0 .* for 0.1 s after enter\(t=0\); it is at .*:\d+"
    ):
        controlled.run(first)
    never.set()


def test_the_end_of_a_run_ends_its_threads() -> None:
    """Threads that stay when the choice is to stop, with what they hold."""
    log: list[str] = []
    controlled = Controlled([counting(log, "a"), counting(log, "b")])
    assert len(controlled.run(lambda able: 0 if len(log) < 2 else None)) == 2
    assert [outcome.ended for outcome in controlled.outcomes] == [False, False]
    assert {n: p.arguments[1] for n, p in controlled.waiting.items()} == {0: ("i", 2), 1: ("i", 0)}
    assert controlled_threads() == []


def test_a_run_has_a_length() -> None:
    """A livelock that fills the memory."""

    def for_ever() -> None:
        while True:
            step("again")

    with pytest.raises(Endless, match="50 steps"):
        Controlled([for_ever], most=50).run(first)


def test_a_run_is_refused_twice_and_a_wrong_choice_at_once() -> None:
    """Threads that would begin again in memory that is used up; an index from the end."""
    controlled = Controlled([])
    assert controlled.run(first) == []
    with pytest.raises(ValueError, match="have run"):
        controlled.run(first)
    for wrong in (-1, 1):
        with pytest.raises(ValueError, match="there are 1 points"):
            Controlled([counting([], "a")]).run(lambda able, wrong=wrong: wrong)  # type: ignore[misc]


def test_an_error_of_the_choice_ends_the_threads() -> None:
    """Threads that wait for ever after an exception in the code of an explorer."""

    def choose(able: list[Point]) -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Controlled([counting([], "a")]).run(choose)
    assert controlled_threads() == []


def test_a_point_without_a_controller_does_nothing() -> None:
    """Code with points that cannot run by itself."""
    assert step("lock", t=1) is False
    mutex = threading.Lock()
    acquire(mutex, "lock", t=1)
    threading.Timer(0.01, mutex.release).start()
    acquire(mutex, "lock", t=2)
    assert mutex.locked()


STRANGERS = """
#include "HEADER"
#include <pthread.h>
static int taken, count;
int twice(int64_t t) {
    for (int i = 0; i < 2; i++) {
        COUNTERPOINT_STEP("take", t, COUNTERPOINT_NOTHING);
        while (__atomic_exchange_n(&taken, 1, __ATOMIC_ACQUIRE))
            if (COUNTERPOINT_WAIT("take", t, COUNTERPOINT_NOTHING)) return -1;
        count++;
        COUNTERPOINT_STEP("give", t, i);
        __atomic_store_n(&taken, 0, __ATOMIC_RELEASE);
    }
    return count;
}
"""


@pytest.fixture(scope="module")
def library() -> ctypes.CDLL:
    """Return a stranger's code in C, connected."""
    need("gcc")
    made = Compilation(STRANGERS.replace("HEADER", str(HEADER))).load()
    made.twice.argtypes = [ctypes.c_int64]
    connect(made, names=("t", "i"))
    return made


def test_code_in_c_has_points(library: ctypes.CDLL) -> None:
    """Points in C that no controller sees, or that do not know that a thread waits."""
    controlled = Controlled([lambda: library.twice(7), lambda: library.twice(8)])
    passed = controlled.run(lambda able: next(
        (i for i, point in enumerate(able) if point.name == "take"), 0))  # fmt: skip
    assert [outcome.error for outcome in controlled.outcomes] == [None, None]
    assert max(outcome.result for outcome in controlled.outcomes) == 4
    assert [str(point) for point in passed[:4]] == [
        "take(t=7)", "take(t=8)", "give(t=7, i=0)", "take(t=7)"
    ]  # fmt: skip
    assert "take(t=8), waiting" in map(str, passed)


def test_code_in_c_gives_up_when_the_run_ends(library: ctypes.CDLL) -> None:
    """A thread in C that spins for ever after the run, and cannot be joined."""
    controlled = Controlled([lambda: library.twice(7), lambda: library.twice(8)])
    turns = iter([0, 1])
    controlled.run(lambda able: next(turns, None))
    assert controlled_threads() == []


def test_code_in_c_runs_by_itself(library: ctypes.CDLL) -> None:
    """A hook that stays when no controller runs."""
    before = library.twice(1)
    assert library.twice(1) == before + 2


def test_a_library_without_points_is_refused(tmp_path: Path) -> None:
    """A library that nobody can drive, connected without a word."""
    need("gcc")
    with pytest.raises(ValueError, match=r"include step\.h"):
        connect(Compilation("int nothing;").load())


def test_after_is_called_while_all_stand() -> None:
    """Catches a step, the start or one in vain for which `after` is called too late or never."""
    mutex, calls = threading.Lock(), []

    def program() -> None:
        acquire(mutex, "lock")
        step("free")
        mutex.release()

    def after(point: Point | None, in_vain: bool) -> None:
        calls.append((point and (point.thread, point.name), in_vain, mutex.locked()))

    turns = iter([0, 1, 0, 0, 0])
    Controlled([program, program], after=after).run(lambda able: min(next(turns), len(able) - 1))
    assert calls == [
        (None, False, False),
        ((0, "lock"), False, True),
        ((1, "lock"), True, True),
        ((0, "free"), False, False),
        ((1, "lock"), False, True),
        ((1, "free"), False, False),
    ]


def test_what_after_raises_ends_the_run() -> None:
    """Catches threads that go on after the observer has ended the run, or an error that is lost."""
    log: list[str] = []

    def after(point: Point | None, in_vain: bool) -> None:
        if point is not None:
            raise LookupError(point.name)

    with pytest.raises(LookupError, match="count"):
        Controlled([counting(log, "a"), counting(log, "b")], after=after).run(first)
    assert log == ["a0"]
    assert controlled_threads() == []
