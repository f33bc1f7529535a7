"""Every property of a crawl spec can fail, and no witness is demanded that is unreachable."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.ci.registered import jobs
from counterpoint.models.explore import exhaustive
from counterpoint.models.loading import load, mutants
from counterpoint.spec.catalogue import MUTANTS, SPECS
from counterpoint.spec.crawl.equal_quanta import EqualQuanta
from counterpoint.spec.crawl.gittins import Gittins
from counterpoint.spec.crawl.r1 import R1
from counterpoint.spec.crawl.r2 import R2
from counterpoint.spec.crawl.r3 import R3
from counterpoint.spec.notation import Model, Spec

CRAWLERS = sorted(
    r for r, path in SPECS.items() if path.startswith("counterpoint.spec.crawl") and r in MUTANTS
)


@pytest.mark.long
def test_each_property_kills_something() -> None:
    """A property that no mutant or printed rule violates, so that it may be always true."""
    claimed = {
        p.name
        for j in jobs()
        if j.reference in CRAWLERS
        for p in load(j.reference, [f"{n}={v}" for n, v in j.parameters.items()]).properties
        if p.kind in ("invariant", "transition")
    }
    fallen = {n for j in jobs() if j.reference in CRAWLERS for n in j.violated}
    for reference in CRAWLERS:
        for declared in mutants(reference).values():
            assert declared.mutation is not None
            fallen |= set(declared.mutation.killed)
    # Shown by specs that claim a cycle where there is none.
    assert claimed - fallen == {"visited-in-turn"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("rule", "own"),
    [
        (EqualQuanta, "quantum"),
        (R1, None),
        (R2, "step"),
        (R3, "initial"),
        (Gittins, "horizon"),
        (Gittins, "shape"),
    ],
)
@given(
    sites=st.integers(1, 3),
    budget=st.integers(1, 5),
    pages=st.integers(1, 4),
    links=st.integers(0, 2),
    size=st.integers(1, 5),
)
@settings(deadline=None, max_examples=25)
def test_witnesses_are_asked_where_they_can_be_reached(
    rule: type[Spec], own: str | None, sites: int, budget: int, pages: int, links: int, size: int
) -> None:
    """A right rule called wrong because a witness is unreachable within some bounds."""
    parameters = {"sites": sites, "budget": budget, "pages": pages, "links": links}
    spec = rule(**parameters, **({own: size} if own else {}))
    found = exhaustive.check(Model(spec))
    assert {v.claim.name: v.answer for v in found if v.answer != "holds"} == {}
