"""The criteria compared with brute force over all orders and all outcomes of pending commits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations, permutations

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.spec.stm.explanation import explain
from counterpoint.spec.stm.history import CRITERIA, History, satisfied

LIVE, COMMITTING, COMMITTED, ABORTED = range(4)
N, OBJECTS = 3, 2


@st.composite
def histories(draw: st.DrawFn) -> tuple[History, list[int]]:
    """Return a history of three transactions on two objects, and the status of each."""
    begins = draw(st.permutations(range(3 * N)))
    moments = [sorted(begins[3 * t : 3 * t + 3]) for t in range(N)]  # begin, commit call, end
    status = [draw(st.integers(LIVE, ABORTED)) for _ in range(N)]
    source = [
        [
            draw(st.sampled_from([None, -1, *(w for w in range(N) if w != t)]))
            for _ in range(OBJECTS)
        ]
        for t in range(N)
    ]
    wrote = [[draw(st.booleans()) for _ in range(OBJECTS)] for _ in range(N)]
    for t in range(N):  # a version exists only if its writer wrote it
        for x in range(OBJECTS):
            if source[t][x] not in (None, -1):
                wrote[source[t][x]][x] = True
    ended = [s in (COMMITTED, ABORTED) for s in status]
    before = [[ended[t] and moments[t][2] < moments[u][0] for u in range(N)] for t in range(N)]
    read = {w for t in range(N) for x in range(OBJECTS) if (w := source[t][x]) not in (None, -1)}
    effective = {(u, t) for t in sorted(read) for u in range(N) if u != t and draw(st.booleans())}
    chain = [
        draw(st.sampled_from([None, *(u for u in range(t) if before[u][t])])) for t in range(N)
    ]
    return (
        History(
            transactions=range(N),
            objects=range(OBJECTS),
            begun=[True] * N,
            committing=[s == COMMITTING for s in status],
            committed=[s == COMMITTED for s in status],
            reads_initial=[[source[t][x] == -1 for x in range(OBJECTS)] for t in range(N)],
            reads_from=[
                [[source[t][x] == w for w in range(N)] for x in range(OBJECTS)] for t in range(N)
            ],
            wrote=wrote,
            before=before,
            effective_before=[
                [before[t][u] or (u, t) in effective for u in range(N)] for t in range(N)
            ],
            effective_before_commit=[
                [
                    (ended[t] and moments[t][2] < moments[u][1]) or (u, t) in effective
                    for u in range(N)
                ]
                for t in range(N)
            ],
            predecessor=chain,
        ),
        status,
    )


def subsets(of: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield every subset."""
    return chain.from_iterable(combinations(of, k) for k in range(len(of) + 1))


def legal(h: History, order: Sequence[int], effective: set[int]) -> bool:
    """Run the transactions one after the other in an order, and compare the values they read."""
    memory: list[int] = [-1] * OBJECTS
    for t in order:
        for x in range(OBJECTS):
            if h.reads_initial[t][x] and memory[x] != -1:
                return False
            if any(h.reads_from[t][x][w] and memory[x] != w for w in range(N)):
                return False
        if t in effective:
            memory = [t if h.wrote[t][x] else memory[x] for x in range(OBJECTS)]
    return True


def some_order(h: History, members: set[int], effective: set[int], keeps: list[list[bool]]) -> bool:
    """Return whether some order of the members is legal and respects the given constraints."""
    return any(
        legal(h, order, effective)
        for order in permutations(sorted(members))
        if not any(keeps[late][early] for early, late in combinations(order, 2))
    )


def fates(h: History) -> Iterator[set[int]]:
    """Yield the committed transactions with every choice of those that are still committing."""
    committed = {t for t in range(N) if h.committed[t]}
    for chosen in subsets([t for t in range(N) if h.committing[t]]):
        yield committed | set(chosen)


NOTHING = [[False] * N for _ in range(N)]


def process_before(h: History, t: int) -> set[int]:
    """Return the earlier transactions of a transaction's process."""
    found: set[int] = set()
    while (earlier := h.predecessor[t]) is not None:
        found.add(earlier)
        t = earlier
    return found


def past(h: History, t: int) -> set[int]:
    """Return the causal past of a transaction, itself included."""
    found = {t}
    while True:
        more = {
            w
            for w in range(N)
            for u in found
            if (h.takes_from(u, w) and (h.committed[w] or h.committing[w]))
            or (w in process_before(h, u) and h.committed[w])
        }
        if more <= found:
            return found
        found |= more


def by_brute_force(h: History, criterion: str) -> bool:
    """Decide a criterion by trying all orders and outcomes."""
    if criterion == "serializability":
        return any(some_order(h, c, c, NOTHING) for c in fates(h))
    strict = any(some_order(h, c, c, list(map(list, h.before))) for c in fates(h))
    if criterion == "strict-serializability":
        return strict
    in_process = [[t in process_before(h, u) for u in range(N)] for t in range(N)]
    if criterion == "virtual-world-consistency":
        return strict and all(
            any(some_order(h, past(h, t), past(h, t) & c, in_process) for c in fates(h))
            for t in range(N)
        )
    everyone = set(range(N))
    if criterion == "opacity":
        return any(some_order(h, everyone, c, list(map(list, h.before))) for c in fates(h))
    return any(some_order(h, everyone, c, _tms2(h, c)) for c in fates(h))


def _tms2(h: History, effective: set[int]) -> list[list[bool]]:
    updates = {u for u in effective if any(h.wrote[u])}
    return [
        [
            h.effective_before[t][u] or (h.effective_before_commit[t][u] and u in updates)
            for u in range(N)
        ]
        for t in range(N)
    ]


@pytest.mark.long
@pytest.mark.parametrize("criterion", CRITERIA)
@given(found=histories())
@settings(max_examples=300, deadline=None)
def test_criterion_is_what_trying_everything_says(
    criterion: str, found: tuple[History, list[int]]
) -> None:
    """A definition that accepts a history without a legal order, or refuses one that has it."""
    h, _ = found
    assert satisfied(h, criterion) == by_brute_force(h, criterion)


@pytest.mark.long
@given(found=histories())
@settings(max_examples=500, deadline=None)
def test_each_criterion_implies_the_weaker_ones(found: tuple[History, list[int]]) -> None:
    """A criterion that does not imply a weaker one."""
    h, _ = found
    answers = [satisfied(h, c) for c in CRITERIA]
    assert answers == sorted(answers, reverse=True)


@pytest.mark.long
@given(found=histories(), chance=st.randoms(use_true_random=False))
@settings(max_examples=500, deadline=None)
def test_a_violation_is_explained_by_a_circle(found: tuple[History, list[int]], chance) -> None:  # type: ignore[no-untyped-def]
    """A violation without an explanation, or an explanation that is no cycle."""
    h, _ = found
    versions = [[t for t in range(N) if h.wrote[t][x]] for x in range(OBJECTS)]
    for order in versions:
        chance.shuffle(order)
    names, objects = ["T0", "T1", "T2"], ["x", "y"]
    for criterion in CRITERIA:
        why = explain(h, criterion, versions, names, objects)
        assert bool(why.lines) == (not satisfied(h, criterion))
        if len(why.edges) > 1:
            graph = networkx.DiGraph([(a, b) for a, b, _ in why.edges])
            assert len(networkx.find_cycle(graph)) == len(why.edges)
        elif why.edges:
            assert "did not commit" in why.lines[0]
