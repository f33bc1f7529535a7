"""TMS2: the criterion on recorded runs agrees with the automaton that defines TMS2."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.spec.notation import Model
from counterpoint.spec.stm.history import satisfied
from counterpoint.spec.stm.memory import Source, Status
from counterpoint.spec.stm.window import Window

N, OBJECTS, FIRST = 3, 2, -1

Event: TypeAlias = tuple[str, int, int, int]
"""An event and its transaction; for a read, also the object and the writer."""

Memory: TypeAlias = tuple[int, ...]
Reads: TypeAlias = tuple[tuple[tuple[int, int], ...], ...]


def is_tms2(events: Sequence[Event], wrote: Sequence[frozenset[int]]) -> bool:
    """Run the automaton of Doherty, Groves, Luchangco and Moir along a run, trying every choice.

    Its state is the sequence of memories, the values that each transaction has read, the number of
    memories when it began, and the transactions that have taken effect. Taking effect is a step
    that the run does not show.
    """

    @cache
    def accepts(
        k: int, memories: tuple[Memory, ...], reads: Reads, first: Memory, calling: frozenset[int],
        done: frozenset[int],
    ) -> bool:  # fmt: skip
        for t in calling - done:  # some update takes effect now
            if wrote[t] and all(memories[-1][x] == w for x, w in reads[t]):
                new = tuple(t if x in wrote[t] else memories[-1][x] for x in range(OBJECTS))
                if accepts(k, (*memories, new), reads, first, calling, done | {t}):
                    return True
        if k == len(events):
            return True
        what, t, x, w = events[k]
        if what == "begin":
            first = (*first[:t], len(memories) - 1, *first[t + 1 :])
        elif what == "read":
            reads = (*reads[:t], (*reads[t], (x, w)), *reads[t + 1 :])
            seen = memories[first[t] :]
            if not any(all(m[y] == v for y, v in reads[t]) for m in seen):
                return False
        elif what == "call":
            calling = calling | {t}
        elif (what == "commit" and wrote[t] and t not in done) or (what == "abort" and t in done):
            return False
        calling = calling - {t} if what in ("commit", "abort") else calling
        return accepts(k + 1, memories, reads, first, calling, done)

    start = (FIRST,) * OBJECTS
    return accepts(0, (start,), ((),) * N, (0,) * N, frozenset(), frozenset())


@st.composite
def runs(draw: st.DrawFn) -> tuple[list[Event], list[frozenset[int]]]:
    """Return a run of an arbitrary memory, and the writes of each transaction."""
    wrote = [frozenset(draw(st.sets(st.integers(0, OBJECTS - 1)))) for _ in range(N)]
    stage = [0] * N
    read: set[tuple[int, int]] = set()
    events: list[Event] = []
    for _ in range(draw(st.integers(4, 14))):
        able = [t for t in range(N) if stage[t] < 3]
        if not able:
            break
        t = draw(st.sampled_from(able))
        objects = [x for x in range(OBJECTS) if (t, x) not in read]
        if stage[t] == 0:
            events.append(("begin", t, 0, 0))
        elif stage[t] == 1 and objects and draw(st.booleans()):
            x = draw(st.sampled_from(objects))
            writers = [FIRST, *(w for w in range(N) if w != t and x in wrote[w] and stage[w] > 1)]
            events.append(("read", t, x, draw(st.sampled_from(writers))))
            read.add((t, x))
            continue
        elif stage[t] == 1:
            events.append(("call", t, 0, 0))
        else:
            events.append((draw(st.sampled_from(["commit", "commit", "abort"])), t, 0, 0))
        stage[t] += 1
    return events, wrote


def judged(events: Sequence[Event], wrote: Sequence[frozenset[int]]) -> bool:
    """Return whether every state of the run, as a memory records it, satisfies the criterion."""
    model = Model(Window(transactions=N, objects=OBJECTS))
    state = model.at(next(model.initial_states()))
    assert isinstance(state, Window)
    for t in range(N):
        for x in wrote[t]:
            state.wrote[t, x] = True
    for what, t, x, w in events:
        if what == "begin":
            state.record_begin(t)
        elif what == "read":
            state.record_read_of(t, x, Source.FIRST if w == FIRST else w)
        elif what == "call":
            state.record_commit_call(t)
        elif what == "commit":
            state.record_commit(t)
        else:
            state.record_abort(t)
            assert state.status[t] == Status.ABORTED
        if not satisfied(state.history(), "tms2"):
            return False
    return True


@pytest.mark.long
@given(found=runs())
@settings(max_examples=500, deadline=None)
def test_the_criterion_is_the_automaton(found: tuple[list[Event], list[frozenset[int]]]) -> None:
    """A run that TMS2 allows and the criterion refuses, or the other way round."""
    events, wrote = found
    assert judged(events, wrote) == is_tms2(events, wrote)


def test_what_was_read_has_taken_effect() -> None:
    """An update that was read while committing, placed after a transaction that began later.

    T1 reads x from T0, whose commit has no answer yet; T2 begins after that and reads the old y.
    The order with T2 before T0 is opaque; in TMS2, T0 has its place before T2 begins.
    """
    wrote = [frozenset({0, 1}), frozenset[int](), frozenset[int]()]
    events: list[Event] = [
        ("begin", 0, 0, 0),
        ("call", 0, 0, 0),
        ("begin", 1, 0, 0),
        ("read", 1, 0, 0),
        ("begin", 2, 0, 0),
        ("read", 2, 1, FIRST),
    ]
    assert judged(events[:-1], wrote)
    assert is_tms2(events[:-1], wrote)
    assert not judged(events, wrote)
    assert not is_tms2(events, wrote)
