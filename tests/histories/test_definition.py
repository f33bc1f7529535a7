"""The fast checker against the definition of the criteria, and against trying every order."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from counterpoint.histories.deciding.demands import committed_with_sources, session_edges
from counterpoint.histories.history import Transaction
from counterpoint.histories.ladder import LADDER, Question
from counterpoint.histories.resolving import sources_of
from counterpoint.histories.sources import Fault, Sources
from counterpoint.models.limits import Limits
from counterpoint.spec.notation import Model
from counterpoint.spec.stm.dstm import DSTM
from counterpoint.spec.stm.history import CRITERIA, satisfied
from counterpoint.spec.stm.jvstm import JVSTM
from counterpoint.spec.stm.mcrt import McRT
from counterpoint.spec.stm.norec import NOrec
from counterpoint.spec.stm.tl2 import TL2
from counterpoint.spec.stm.window import Window

from . import brute_force
from .drawing import as_defined, drawn
from .from_specs import reached, recorded

BLOCKS = [pytest.param(k, marks=pytest.mark.slow) for k in range(1, 51)]
"""Blocks of 2,000 histories, 100,000 in all; block 0 is smaller and always runs."""


OF_ALL = ("virtual-world-consistency", "opacity", "tms2")
"""The criteria that each beginning of a history must satisfy as well."""


def _drawn(
    seed: int, *, lists: bool = False, versions: bool = False, until: int | None = None
) -> Sources:
    chance = random.Random(seed)
    size, objects = chance.choice([3, 4, 4, 5]), chance.choice([1, 2, 3])
    return sources_of(drawn(chance, size, objects, lists=lists, versions=versions, until=until))


def _seeds(block: int, first: int) -> range:
    return range(first) if block == 0 else range(2_000 * block, 2_000 * (block + 1))


def _answers(sources: Sources, sessions: bool = False) -> dict[str, bool | None]:
    question = Question(sources, sessions, Limits())
    return {one.name: one.judge(question).fits for one in LADDER}


@pytest.mark.parametrize("block", [0, *BLOCKS])
def test_answers_as_the_definition_says(block: int) -> None:
    """Catches a criterion that is not the one of spec/stm/history.py."""
    met: Counter[tuple[str, bool]] = Counter()
    for seed in _seeds(block, 400):
        sources = _drawn(seed)
        if any(one.fault not in (Fault.ABORTED, Fault.EARLY) for one in sources.findings):
            continue  # the definition knows no wrong values
        history, ours = as_defined(sources), _answers(sources)
        early = [one for one in sources.findings if one.fault is Fault.EARLY]
        for name in CRITERIA:
            expected = bool(satisfied(history, name))
            if early and name in OF_ALL:  # the history that ended with the read violates it
                beginning = as_defined(_drawn(seed, until=early[0].place))
                assert not satisfied(beginning, name)
                expected = False
            assert ours[name] == expected, (seed, name)
            met[name, expected] += 1
    assert all(met[name, answer] > 10 for name in CRITERIA for answer in (True, False))


@pytest.mark.parametrize("block", [0, *BLOCKS])
@pytest.mark.parametrize("kind", ["registers", "lists", "versions"])
def test_answers_as_trying_every_order_says(block: int, kind: str) -> None:
    """Catches a wrong shortcut: each order of transactions or versions is tried instead."""
    met: Counter[tuple[str, bool]] = Counter()
    for seed in _seeds(block, 600):
        sources = _drawn(seed, lists=kind == "lists", versions=kind == "versions")
        members = committed_with_sources(sources)
        if any(one.transaction in members for one in sources.findings):
            continue
        for sessions in (False, True):
            ours = _answers(sources, sessions)
            for name, expected in _tried(sources, members, sessions, kind).items():
                assert ours[name] == expected, (seed, sessions, name)
                met[name, expected] += 1
    assert met["serializability", True] > 10 < met["serializability", False]


def _tried(sources: Sources, members: frozenset[int], sessions: bool, kind: str) -> dict[str, bool]:
    """Return what holds by trying every order."""
    history = sources.history
    session_pairs = brute_force.closed(
        {(e.source, e.target) for e in session_edges(history, members)}
    )
    kept = session_pairs if sessions else set()
    numbered = kind == "versions"

    def in_session(a: Transaction, b: Transaction) -> bool:
        return (a.number, b.number) in kept

    def in_time(a: Transaction, b: Transaction) -> bool:
        return a.end is not None and a.end < b.begin

    runs = brute_force.runs_in_some_order
    found = {
        "serializability": runs(history, members, in_session, numbered),
        "strict-serializability": runs(history, members, in_time, numbered),
    }
    if not sources.findings:
        found["opacity"] = runs(history, range(len(history)), in_time, numbered)
    if kind == "registers":
        found |= {
            "read-atomic": brute_force.is_seen_whole(sources, members, kept, False),
            "causal": brute_force.is_seen_whole(sources, members, session_pairs, True),
            "snapshot-isolation": brute_force.is_snapshot_isolated(sources, members, kept),
        }
        if not sessions:
            found["read-committed"] = brute_force.is_read_committed(sources, members)
    return found


@pytest.mark.parametrize("kind", ["registers", "lists", "versions"])
def test_a_stronger_criterion_implies_the_weaker_ones(kind: str) -> None:
    """Catches a ladder that skips a criterion which is violated."""
    for seed in range(400):
        ours = _answers(_drawn(seed, lists=kind == "lists", versions=kind == "versions"))
        for one in LADDER:
            for weaker in one.implies:
                assert not ours[one.name] or ours[weaker], (seed, one.name, weaker)


MEMORIES = {
    "window": Window(),
    "old window": Window(fetch_and_increment="old"),
    "window, waits for nothing": Window(readers_wait="no", recheck="never"),
    "tl2": TL2(),
    "norec": NOrec(),
    "jvstm": JVSTM(),
    "dstm": DSTM(),
    "mcrt": McRT(),
}


@pytest.mark.parametrize("name", MEMORIES)
@pytest.mark.parametrize("most", [1_500, pytest.param(30_000, marks=pytest.mark.slow)])
def test_histories_of_specs_are_judged_as_the_specs_judge_them(name: str, most: int) -> None:
    """Catches a recorded history that is judged otherwise than the run that it is a record of."""
    model = Model(MEMORIES[name])
    for values, events in reached(model, most):
        sources = sources_of(recorded(events))
        ours = _answers(sources)
        history = model.at(values).history()
        early = any(one.fault is Fault.EARLY for one in sources.findings)
        for criterion in CRITERIA:
            if early and criterion in OF_ALL:  # an earlier state violates it
                assert not ours[criterion]
                continue
            assert ours[criterion] == bool(satisfied(history, criterion)), (criterion, events)
