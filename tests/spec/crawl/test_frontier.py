"""The frontier: exact counts, and reachable states compared with a ten-line search."""

from __future__ import annotations

import pytest

from counterpoint.models.explore import exhaustive
from counterpoint.spec.crawl.frontier import Frontier
from counterpoint.spec.notation import Model, SpecError, Step
from tests import reference


@pytest.mark.parametrize(
    ("given", "states"),
    [
        ({"pages": 1}, 14),
        ({"pages": 3}, 334),
        ({"pages": 4}, 2894),
        ({"pages": 3, "concurrency": 3, "retries": 2, "interruptions": 2}, 1317),
    ],
)
def test_nothing_is_fetched_twice_or_lost(given: dict[str, int], states: int) -> None:
    """A lost step, or a page that changes its state without a command."""
    found = exhaustive.check(Model(Frontier(**given)))
    assert {v.claim.name: v.answer for v in found if v.answer != "holds"} == {}
    assert {v.states for v in found} == {states}


@pytest.mark.parametrize("given", [{"pages": 1}, {"pages": 2}, {"pages": 3, "concurrency": 1}])
def test_states_are_those_of_a_naive_search(given: dict[str, int]) -> None:
    """Commands that leave out a set of links."""
    model = Model(Frontier(**given))
    naive = reference.explore(model, limit=5000)
    assert naive is not None
    (verdict, *_) = exhaustive.check(model)
    assert verdict.states == len(naive.states)
    assert verdict.transitions == naive.transitions


def test_an_interruption_loses_nothing_and_repeats_only_what_was_in_flight() -> None:
    """A restart that forgets queued pages, or that begins from the start pages."""
    model = Model(Frontier(pages=3))
    run = [("request", 0), ("fetched", 0, 0b110), ("enqueue", 1), ("request", 1)]
    values = next(model.initial_states())
    for action, *binding in [*run, ("restart",)]:
        after = model.take(values, Step(action, tuple(binding)))
        assert after is not None
        before, values = values, after
    changed = model.changes(before, values)
    assert changed == {
        "place[P1]": ("IN_FLIGHT", "QUEUED"), "open": (1, 0), "restarts": (0, 1)
    }  # fmt: skip


def test_sets_of_links_follow_from_pages() -> None:
    """Links to pages that do not exist."""
    with pytest.raises(SpecError, match="3 pages have 8 sets, not 4"):
        Frontier(pages=3, link_sets=4)
    model = Model(Frontier(pages=2))
    assert [model.show_step(s) for s in model.steps if s.action == "fetched"][:4] == [
        "fetched(p=P0, links=to nothing)",
        "fetched(p=P0, links=to P0)",
        "fetched(p=P0, links=to P1)",
        "fetched(p=P0, links=to P0 P1)",
    ]
