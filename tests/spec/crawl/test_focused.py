"""The focused crawler's control: exact counts, and runs compared with sorted lists."""

from __future__ import annotations

import random

import pytest

from counterpoint.models.explore import exhaustive
from counterpoint.spec.crawl.focused import FocusedHits, Phase
from counterpoint.spec.notation import Model


@pytest.mark.long
@pytest.mark.parametrize(
    ("given", "states"),
    [
        ({"pages": 1}, 24),
        ({"pages": 2}, 176),
        ({}, 2486),
        ({"hubs": 1, "authorities": 1}, 68),
        ({"hubs": 4, "failures": 0}, 4146),
        ({"c": 2}, 2222),
        ({"steps": 1, "pages": 4}, 606),
        ({"c": 4, "concurrency": 3, "pages": 4}, 30_698),
        ({"c": 2, "failures": 2, "pages": 4}, 34_064),
        ({"crawler": "standard", "concurrency": 3}, 279),
    ],
)
def test_what_is_expanded_and_indexed(given: dict[str, object], states: int) -> None:
    """A lost step, a page expanded or indexed out of turn, or an unreachable witness."""
    found = exhaustive.check(Model(FocusedHits(**given)))
    assert {v.claim.name: v.answer for v in found if v.answer != "holds"} == {}
    assert {v.states for v in found} == {states}


@pytest.mark.parametrize("seed", range(30))
def test_random_runs_choose_the_heads_of_sorted_lists(seed: int) -> None:
    """An order that differs from that of a sorted list, or a frontier that is ignored."""
    chance = random.Random(seed)
    c, steps = chance.randint(1, 3), chance.choice([0, 0, 3])
    model = Model(FocusedHits(pages=5, c=c, steps=steps, hubs=3, authorities=3, failures=2))
    values = next(model.initial_states())
    links: dict[int, set[int]] = {}
    asked, index, expanded = {0}, set[int](), set[int]()
    while not model.may_end(values):
        before = model.at(values)
        assert isinstance(before, FocusedHits)
        moves = [(s, v) for s in model.steps if (v := model.take(values, s)) is not None]
        step, values = chance.choice(moves)
        state = model.at(values)
        assert isinstance(state, FocusedHits)
        if step.action == "fetched":
            page, chosen = step.binding
            links[page] = {q for q in range(5) if chosen >> q & 1}
        elif step.action == "choose":
            waiting = sorted(set(links) - expanded, key=lambda p: (-before.hub[p], p))
            best = waiting[:c] if not steps or state.step < steps else []
            good = [p for p in set(links) - index if before.authority[p]]
            index |= set(sorted(good, key=lambda p: (-before.authority[p], p))[:c])
            expanded |= set(best)
            asked |= {q for p in best for q in links[p]}
            assert state.phase == Phase.FETCHING
        elif step.action == "request":
            assert step.binding[0] in asked
        assert {p for p in range(5) if state.entries[p]} == index
        assert {p for p in range(5) if state.expanded[p]} == expanded
