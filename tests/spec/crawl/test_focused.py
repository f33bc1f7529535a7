"""The focused crawler's control: exact counts, and runs held against a sorted list."""

from __future__ import annotations

import random

import pytest

from models import exhaustive
from spec.crawl.focused import FocusedHits, Phase
from spec.crawl.pages import Place
from spec.notation import Model


@pytest.mark.parametrize(
    ("given", "states"),
    [
        ({"pages": 1}, 48),
        ({}, 12_695),
        ({"concurrency": 3}, 8696),
        ({"hubs": 2, "authorities": 3, "good": 2}, 14_473),
        ({"crawler": "standard", "concurrency": 3}, 577),
        ({"good": 2}, 3296),
    ],
)
def test_what_is_expanded_and_indexed(given: dict[str, object], states: int) -> None:
    """A step lost, or a page expanded or indexed out of turn."""
    found = exhaustive.check(Model(FocusedHits(**given)))
    assert {v.claim.name: v.answer for v in found if v.answer != "holds"} == {}
    assert {v.states for v in found} == {states}


@pytest.mark.parametrize("seed", range(30))
def test_random_runs_expand_the_head_of_a_sorted_list(seed: int) -> None:
    """An order that is right by the spec's own words only."""
    chance = random.Random(seed)
    batch = chance.randint(1, 3)
    model = Model(FocusedHits(pages=5, concurrency=batch, hubs=3, authorities=3, good=2))
    values, index = next(model.initial_states()), set()
    while not model.may_end(values):
        moves = [(s, v) for s in model.steps if (v := model.take(values, s)) is not None]
        state = model.at(values)
        assert isinstance(state, FocusedHits)
        requests = [s.binding[0] for s, _ in moves if s.action == "request"]
        if requests:
            waiting = [p for p in range(state.weighed) if state.place[p] == Place.QUEUED]
            assert requests == [min(waiting, key=lambda p: (-state.hub[p], p))]
        step, values = chance.choice(moves)
        if step.action == "rank":
            index |= {p for p in range(state.weighed) if state.authority[p] == 2}
            after = model.at(values)
            assert isinstance(after, FocusedHits)
            assert (after.phase, {p for p in range(5) if after.entries[p]}) == (
                Phase.EXPANDING, index,
            )  # fmt: skip
