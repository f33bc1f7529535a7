"""The small protocols: exact counts, shortest lengths, and the effect of their readings."""

from __future__ import annotations

import pytest

from counterpoint.models.explore import exhaustive
from counterpoint.models.prove.sizes import any_number
from counterpoint.models.verdict import Verdict
from counterpoint.spec.locks.filter import Filter
from counterpoint.spec.locks.link_store import LinkStore
from counterpoint.spec.locks.philosophers import Philosophers
from counterpoint.spec.notation import Model, Spec, SpecError


def by_name(spec: Spec, **more: object) -> dict[str, Verdict]:
    """Return the verdicts of the exhaustive engine by property."""
    return {v.claim.name: v for v in exhaustive.check(Model(spec), **more)}  # type: ignore[arg-type]


def lucas(n: int) -> int:
    """Return a Lucas number: 2, 1, 3, 4, 7, 11, ..."""
    a, b = 2, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_philosophers_starve_if_all_are_left_handed(size: int) -> None:
    """A wrong number of states: each further philosopher multiplies it by phi cubed."""
    found = by_name(Philosophers(philosophers=size))
    assert found["no-deadlock"].answer == "violated"
    assert found["no-deadlock"].depth == 2 * size  # all hungry, all with one fork
    assert found["neighbours-do-not-eat-together"].states == lucas(3 * size) - 1
    assert {v.answer for n, v in found.items() if n != "no-deadlock"} == {"holds"}
    mended = by_name(Philosophers(philosophers=size, left_handed="all-but-one"))
    assert {v.answer for v in mended.values()} == {"holds"}
    assert mended["no-deadlock"].states == lucas(3 * size)


def test_ten_philosophers() -> None:
    """A wrong number of states in a large table."""
    found = by_name(Philosophers(philosophers=10))
    assert found["ranges"].states == 1_860_497 == lucas(30) - 1
    assert found["ranges"].transitions == 15_426_860


@pytest.mark.parametrize(("size", "states"), [(2, 43), (3, 642), (4, 10_165), (5, 179_408)])
def test_the_filter_lock_lets_one_in(size: int, states: int) -> None:
    """A lost step, or a level that a process leaves too early."""
    found = by_name(Filter(processes=size))
    assert {v.answer for v in found.values()} == {"holds"}
    assert {v.states for v in found.values()} == {states}


def test_waiting_for_those_who_are_higher_is_not_enough() -> None:
    """A reading that breaks mutual exclusion, reported as correct."""
    found = by_name(Filter(processes=3, waits="for-higher"))
    assert found["mutual-exclusion"].answer == "violated"
    assert found["mutual-exclusion"].depth == 12


def test_levels_follow_from_processes() -> None:
    """Fewer levels than needed, accepted silently."""
    with pytest.raises(SpecError, match="4 processes need 3 levels, not 2"):
        Filter(processes=4, levels=2)
    assert len(Filter(processes=4).levels) == 3


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_a_store_that_is_locked_before_its_rows_never_deadlocks(size: int) -> None:
    """A lost step: a worker is in one of 4 places, and one with the lock in one of 4 others."""
    found = by_name(LinkStore(workers=size))
    assert {v.answer for v in found.values()} == {"holds"}
    assert found["ranges"].states == 4**size + size * 4 * 4 ** (size - 1)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_a_store_whose_rows_are_locked_first_deadlocks(size: int) -> None:
    """The deadlock of joining workers, not found; the last worker waits for its lock as well."""
    found = by_name(LinkStore(workers=size, joins="rows-first"))
    violated = {n: v.depth for n, v in found.items() if v.answer == "violated"}
    assert violated == {"nobody-waits-in-a-circle": 8, "the-holder-never-waits": 8,
                        "no-deadlock": 6 + size}  # fmt: skip
    trace = found["nobody-waits-in-a-circle"].trace
    assert trace is not None
    assert [step.action for step in trace.steps[-2:]] == ["lock_store", "lock_row"]
    broken = by_name(LinkStore(workers=size, joins="rows-first", circles="are-broken"))
    assert {n for n, v in broken.items() if v.answer == "violated"} == violated.keys() - {
        "no-deadlock"}  # fmt: skip


@pytest.mark.long
def test_who_has_the_store_never_waits_for_any_number_of_workers() -> None:
    """A lemma that is too weak, or a proof that also proves the order that deadlocks."""
    found = {v.claim.name: v for v in any_number.check(Model(LinkStore()))}
    assert found.pop("no-deadlock").answer == "unknown"
    assert {v.answer for v in found.values()} == {"holds"}
    wrong = {v.claim.name: v for v in any_number.check(Model(LinkStore(joins="rows-first")))}
    assert wrong["the-holder-never-waits"].answer == "violated"
