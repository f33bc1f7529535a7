"""All schedules of small threads: none is missing, and few are run twice."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from itertools import pairwise, permutations
from typing import Any

import pytest

from counterpoint.memories import Controlled, Deadlock, step
from counterpoint.memories.exploring import Schedules
from counterpoint.memories.exploring.random_schedules import RandomSchedules
from counterpoint.memories.exploring.schedules import Touches, touches_everything
from counterpoint.memories.exploring.window import Program, WindowCase
from counterpoint.memories.points import acquire

Signature = tuple[Any, ...]


def _counter(threads: int, steps: int) -> list[Callable[[], None]]:
    """Return threads with points and nothing else."""

    def run(t: int) -> None:
        for k in range(steps):
            step("count", t=t, k=k)

    return [lambda t=t: run(t) for t in range(threads)]  # type: ignore[misc]


def _all(make: Callable[[], Sequence[Callable[[], Any]]], search: Schedules) -> set[Signature]:
    found = set()
    while search.more():
        controlled = Controlled(make())
        if search.run(controlled):
            found.add(tuple((p.thread, p.name) for p in controlled.passed))
    return found


@pytest.mark.parametrize(
    ("threads", "steps", "number"), [(2, 1, 2), (2, 2, 6), (2, 4, 70), (3, 2, 90)]
)
def test_all_orders_of_steps_that_do_not_commute(threads: int, steps: int, number: int) -> None:
    """Catches a schedule that is left out or run twice: their numbers are binomials."""
    search = Schedules(touches_everything)
    assert len(_all(lambda: _counter(threads, steps), search)) == number
    assert search.tried == number


def test_steps_that_commute_are_run_in_one_order() -> None:
    """Catches that nothing is reduced."""
    search = Schedules(lambda point: [(point.thread, True)])
    assert len(_all(lambda: _counter(3, 3), search)) == 1
    assert search.tried == 1


@pytest.mark.parametrize("preemptions", [0, 1, 2, 3, 9])
def test_preemptions_are_limited(preemptions: int) -> None:
    """Catches a schedule beyond the limit, or one within that is left out."""

    def left(order: Sequence[int]) -> int:
        return sum(a != b and a in order[k + 1 :] for k, (a, b) in enumerate(pairwise(order)))

    orders = set(permutations([0] * 3 + [1] * 3))
    found = _all(lambda: _counter(2, 3), Schedules(touches_everything, preemptions))
    threads = {tuple(thread for thread, _ in run) for run in found}
    assert threads == {order for order in orders if left(order) <= preemptions}


def test_a_deadlock_is_met() -> None:
    """Catches that two locks in opposite orders are never taken so that both threads wait."""

    def make() -> list[Callable[[], None]]:
        one, two = threading.Lock(), threading.Lock()

        def run(first: threading.Lock, second: threading.Lock, names: str) -> None:
            acquire(first, "lock", x=names[0])
            acquire(second, "lock", x=names[1])
            step("unlock", x=names)
            second.release()
            first.release()

        return [lambda: run(one, two, "ab"), lambda: run(two, one, "ba")]

    search, met, ended = Schedules(touches_everything), 0, 0
    while search.more():
        try:
            ended += search.run(Controlled(make()))
        except Deadlock:
            met += 1
    assert met > 0 < ended


def test_random_schedules_repeat_and_meet_faults() -> None:
    """Catches that a seed does not decide the schedules, or that they are all alike."""

    def run(seed: int) -> list[tuple[int, ...]]:
        search, found = RandomSchedules(40, seed), []
        while search.more():
            controlled = Controlled(_counter(2, 4))
            assert search.run(controlled)
            found.append(tuple(point.thread for point in controlled.passed))
        return found

    assert run(1) == run(1) != run(2)
    assert len(set(run(1))) > 5


# The window memory


def _signature(record: Any) -> Signature:
    """Return what a history says, whatever the order of events that commute."""
    reads: list[Any] = []
    begins: dict[int, int] = {}
    asks: dict[int, int] = {}
    ends: dict[int, tuple[int, str]] = {}
    for k, event in enumerate(record.events):
        t = event["process"]
        if event["type"] == "begin":
            begins[t] = k
        elif event["type"] == "read":
            reads.append((t, event["object"], event["value"]))
        elif event["type"] == "try-commit":
            asks[t] = k
        elif event["type"] in ("commit", "abort"):
            ends[t] = (k, event["type"])
    later = ((what, b, k) for what, times in (("begin", begins), ("ask", asks))
             for b, k in times.items())  # fmt: skip
    before = {(what, a, b) for what, b, k in later for a in ends if ends[a][0] < k}
    fates = sorted((t, fate) for t, (_, fate) in ends.items())
    return tuple(sorted(reads)), tuple(fates), frozenset(before)


def _signatures(case: WindowCase, touches: Touches) -> tuple[int, set[Signature]]:
    search, found = Schedules(touches), set()
    while search.more():
        run = case.threads()
        if search.run(Controlled(run.programs)):
            found.add(_signature(run.record()))
    return search.tried, found


PROGRAMS: list[tuple[Sequence[Program], int]] = [
    ([(("r", 0),), (("w", 0),)], 13),
    ([(("w", 0),), (("w", 0),)], 12),
    ([(("r", 0), ("r", 1)), (("w", 0),)], 26),
    ([(("r", 0), ("w", 1)), (("r", 1),)], 30),
]


@pytest.mark.parametrize("returns", ["new", "old"])
@pytest.mark.parametrize(("programs", "number"), PROGRAMS)
def test_commuting_steps_hide_no_history(
    programs: Sequence[Program], number: int, returns: str
) -> None:
    """Catches steps that are taken to commute and do not: all schedules give the same histories."""
    case = WindowCase(programs, "window", fetch_and_increment=returns)
    tried, found = _signatures(case, case.touches)
    assert tried == number
    everything, expected = _signatures(case, touches_everything)
    assert found == expected and everything > 5 * tried


def test_a_point_that_waits_is_the_same_step() -> None:
    """Catches a step that is two because its thread has tried it in vain."""
    case = WindowCase([(("w", 0),), (("w", 0),)], "window")
    search = Schedules(case.touches)
    while search.more():
        run = case.threads()
        controlled = Controlled(run.programs)
        search.run(controlled)
        for node in search._path:
            assert all(not point.waiting for point in node.points.values())
            assert node.chosen is None or node.chosen == node.points[node.chosen.thread]
    assert search.tried == 12
