"""The random load: a function of its seed, with the shares that were asked for."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from pathlib import Path

import pytest

from counterpoint.histories.recording.load import Load, Plan
from counterpoint.histories.recording.plans import write_plan


def _plans(load: Load) -> list[Plan]:
    return [load.plan(p, n) for p in range(load.threads) for n in range(load.count(p))]


def test_a_plan_depends_on_seed_process_and_number_alone() -> None:
    """Catches a generator that is shared by processes, or that is drawn from in another order."""
    load = Load(seed=3)
    late = load.plan(2, 40)
    assert Load(seed=3).plan(2, 40) == late
    assert Load(seed=4).plan(2, 40).steps != late.steps
    assert load.plan(1, 40).steps != late.steps


def test_plans_stay_the_same() -> None:
    """Catches a change after which an old seed means another load."""
    assert [tuple(step) for step in Load(seed=7).plan(1, 3).steps] == PINNED


PINNED = [("read", 3, 0), ("write", 3, 53), ("read", 0, 0), ("write", 0, 54)]


@pytest.mark.parametrize("lists", [False, True])
def test_all_values_are_different(lists: bool) -> None:
    """Catches a value that two transactions write, so that nobody knows whom a reader read from."""
    load = Load(seed=1, transactions=999, threads=7, operations=6, lists=lists)
    steps = chain.from_iterable(plan.steps for plan in _plans(load))
    values = [step.value for step in steps if step.kind in ("write", "append")]
    assert len(values) > 500
    assert len(set(values)) == len(values) and min(values) > 0


def test_the_transactions_are_shared_out() -> None:
    """Catches transactions that no process runs, or that two do."""
    load = Load(transactions=10, threads=4)
    assert [load.count(process) for process in range(4)] == [3, 3, 2, 2]
    assert len({plan.label for plan in _plans(load)}) == 10


def test_shares_are_those_of_the_load() -> None:
    """Catches a share that is not looked at."""
    load = Load(transactions=4000, read_only=0.6, aborts=0.2, blind=0.5, pauses=0.25)
    plans = _plans(load)
    reading = [p for p in plans if not any(s.kind == "write" for s in p.steps)]
    assert 0.6 < len(reading) / 4000 < 0.75  # some of the others draw reads only
    assert 0.17 < sum(p.aborts for p in plans) / 4000 < 0.23
    kinds = Counter(step.kind for plan in plans for step in plan.steps)
    steps = sum(len(p.steps) for p in plans) - kinds["pause"]
    assert 0.2 < kinds["pause"] / steps < 0.3
    blind = [before.kind != "read" or before.object != step.object
             for plan in plans
             for before, step in zip((plan.steps[0], *plan.steps), plan.steps, strict=False)
             if step.kind == "write"]  # fmt: skip
    assert 0.3 < sum(blind) / len(blind) < 0.6  # a pause or a read may stand before by chance


def test_skewed_loads_prefer_the_first_objects() -> None:
    """Catches a skew without effect, or an object that is never chosen."""

    def chosen(skew: float) -> Counter[int]:
        plans = _plans(Load(transactions=3000, skew=skew, pauses=0))
        return Counter(step.object for plan in plans for step in plan.steps)

    flat, steep = chosen(0.0), chosen(1.5)
    assert set(flat) == set(steep) == set(range(10))
    assert max(flat.values()) < 1.25 * min(flat.values())
    assert steep[0] > 10 * steep[9]


def test_without_blind_writes_each_write_has_a_read_before() -> None:
    """Catches a load of registers whose versions cannot be ordered."""
    for plan in _plans(Load(pauses=0)):
        for before, step in zip(plan.steps, plan.steps[1:], strict=False):
            if step.kind == "write":
                assert before == ("read", step.object, 0)


def test_lists_stay_short() -> None:
    """Catches lists that grow with the history, so that it grows with the square."""
    load = Load(transactions=4000, lists=True, objects=3)
    lengths = Counter(step.object for plan in _plans(load) for step in plan.steps
                      if step.kind == "append")  # fmt: skip
    assert max(lengths.values()) <= load.longest_list()
    assert max(lengths) < len(load.all_objects())


def test_the_text_of_a_plan_has_all_of_it(tmp_path: Path) -> None:
    """Catches a program that gets other transactions than a memory in Python."""
    load = Load(transactions=30, aborts=0.5, lists=True)
    write_plan(load, tmp_path / "plan")
    head, *lines = (tmp_path / "plan").read_text().splitlines()
    assert head == f"threads 4 objects {len(load.all_objects())} lists 1 longest 256"
    assert len(lines) == 30
    for line in lines:
        process, number, aborts, count, *words = line.split()
        plan = load.plan(int(process), int(number))
        assert (aborts, count) == (str(int(plan.aborts)), str(len(plan.steps)))
        steps = zip(words[::3], words[1::3], words[2::3], strict=True)
        assert [(k, int(x), int(v)) for k, x, v in steps] == [
            (s.kind[0], *s[1:]) for s in plan.steps
        ]
