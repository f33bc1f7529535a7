"""Symbolic readings for any number, compared with runs at small sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from counterpoint.models.limits import Limits
from counterpoint.models.prove.sizes import small_sizes
from counterpoint.models.prove.sizes.quantified import applied, for_all, symbol
from counterpoint.models.prove.sizes.quantifiers import QuantifiedProver
from counterpoint.models.prove.sizes.small_sizes import (
    SmallSizesResult,
    compare_at_small_sizes,
    model_of_size,
    visit,
)
from counterpoint.models.prove.sizes.ways import Formula
from counterpoint.spec.notation import (
    Index,
    Integer,
    Model,
    SpecError,
    action,
    count,
    invariant,
    nodes,
)
from tests.models.locks import Lock, Proved, prover


def test_what_was_read_is_compared() -> None:
    """States that are not compared, or a difference where there is none."""
    model = Model(Proved())
    found = compare_at_small_sizes(prover(model), model.properties)
    assert found.difference == ""
    assert found.states > 100


def corrupted(change: Callable[[QuantifiedProver], None], *claims: str) -> str:
    """Return the difference that is reported after a part of the reading was corrupted."""
    model = Model(Proved())
    made = prover(model)
    change(made)
    wanted = [p for p in model.properties if p.name in claims]
    return compare_at_small_sizes(made, wanted).difference


def wrong_guard(made: QuantifiedProver) -> None:
    """Remove a requirement."""
    next(p for p in made.paths if p.action.name == "leave").run.literals.clear()


def wrong_update(made: QuantifiedProver) -> None:
    """Remove an assignment."""
    next(p for p in made.paths if p.action.name == "enter").after.writes.pop("key")


def wrong_range(made: QuantifiedProver) -> None:
    """Read that a step leaves a range."""
    path = next(p for p in made.paths if p.action.name == "leave")
    path.run.obligations.append(((), nodes.FALSE))


def wrong_way(made: QuantifiedProver) -> None:
    """Remove a path."""
    made.paths[:] = [p for p in made.paths if p.action.name != "look"]


def wrong_lemma(made: QuantifiedProver) -> None:
    """Negate a lemma."""
    made.lemmas["within"] = Formula(nodes.FALSE, nodes.TRUE)


def wrong_place(made: QuantifiedProver) -> None:
    """Read that a lemma reads beyond the end of an array."""
    made.lemmas["within"] = Formula(nodes.TRUE, nodes.FALSE)


SLIPS: dict[str, tuple[Callable[[QuantifiedProver], None], str, str]] = {
    "a guard": (wrong_guard, "leave(p=P0) means two things, with people=1", "Python: None"),
    "an update": (wrong_update, "enter(p=P0) means two things, with people=1", "in the proof"),
    "a range": (wrong_range, "leave(p=P0) means two things", "any number: leaves its range"),
    "a way": (wrong_way, "look() means two things, with people=1", "any number: None"),
    "a lemma": (wrong_lemma, "within means two things", "Python: True; in the proof for any "
                "number: False"),
    "a place": (wrong_place, "within means two things", "number: None"),
}  # fmt: skip


@pytest.mark.parametrize("name", SLIPS)
def test_a_slip_of_a_reading_is_seen(name: str) -> None:
    """A proof of a reading that differs from the text."""
    change, message, also = SLIPS[name]
    found = corrupted(change)
    assert found.startswith(message)
    assert also in found
    assert " at " in found


def test_specs_of_given_sizes() -> None:
    """A spec of another size, or of a size that it cannot have."""

    class Pairs(Lock):
        any_number = ("people", "rooms")
        rooms = Index(3, names="r", at_least=2, at_most=3)

    model = Model(Pairs())
    sizes = []
    for number in (1, 2, 3, 5):
        found = model_of_size(model, number, ("people", "rooms"))
        assert found is not None
        sizes.append((len(found.spec.people), len(found.spec.rooms)))
    assert sizes == [(1, 2), (2, 2), (3, 3), (5, 3)]
    only = model_of_size(model, 5, ("people",))
    assert only is not None
    assert (len(only.spec.people), len(only.spec.rooms)) == (5, 3)
    one = model_of_size(model, 1, ("people",))
    assert one is not None
    assert (len(one.spec.people), len(one.spec.rooms)) == (1, 3)
    seen = next(i for i, c in enumerate(only.cells) if c.variable == "seen")
    assert only.cells[seen].high == 9
    endless = model_of_size(model, 2, ("people",), unbounded=True)
    assert endless is not None
    assert next(c for c in endless.cells if c.variable == "seen").high == nodes.UNBOUNDED

    class Follows(Lock):
        def derive(s, given):
            if given.get("people", 2) != 2:
                raise SpecError("two, and no other number")
            return {}

    assert model_of_size(Model(Follows()), 3, ("people",)) is None
    assert model_of_size(Model(Follows()), 2, ("people",)) is not None


def test_states_of_small_sizes_are_visited() -> None:
    """A size left out, or a violation reported at a larger size or of a claim not selected."""

    class Two(Lock):
        @action
        def enter(s, p):
            s.inside[p] = True

        @invariant
        def not_three(s):
            return count(s.inside[p] for p in s.people) <= 2

    model = Model(Two())
    asked = [p for p in model.properties if p.kind == "invariant"]
    found = visit(model, ("people",), asked, Limits())
    assert [line.split(" states of ")[1] for line in found.reached] == [
        "size 1",
        "size 2",
        "size 3",
    ]
    assert {n: (v.depth, len(v.model.spec.people)) for n, v in found.violated.items()} == {
        "one-inside": (2, 2), "not-three": (3, 3)
    }  # fmt: skip
    assert found.note == f"explored: {', '.join(found.reached)}"
    assert found.reached[0].startswith("all ")
    assert SmallSizesResult().note == "explored: nothing"
    one = visit(model, ("people",), asked[:1], Limits())
    assert set(one.violated) == {"one-inside"}
    witness = [model.property_named("somebody")]
    assert visit(model, ("people",), witness, Limits()).reached == []
    ranges = [model.property_named("ranges")]
    assert visit(model, ("people",), ranges, Limits()).reached == []  # one range grows

    steps = [model.property_named("never-back")]
    assert len(visit(model, ("people",), steps, Limits()).reached) == 3

    class Narrow(Lock):
        seen = Integer(0, 1)

    narrow = Model(Narrow())
    bad = visit(narrow, ("people",), [narrow.property_named("ranges")], Limits())
    assert {n: v.depth for n, v in bad.violated.items()} == {"ranges": 2}


def test_small_sizes_are_visited_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Minutes spent on small sizes, or the first states of a size reported as all."""
    model = Model(Lock())
    asked = [p for p in model.properties if p.kind == "invariant"]
    monkeypatch.setattr(small_sizes, "SECONDS", 0.0)
    assert visit(model, ("people",), asked, Limits()).reached == []
    given: list[float | None] = []

    def explored(small: Model, limits: Limits, claims: Sequence[Any], explorer: str) -> Any:
        given.append(limits.seconds)
        limits.started -= 1.0
        return SimpleNamespace(complete=len(given) == 1, states=[0] * 1234, failures={})

    monkeypatch.setattr(small_sizes, "SECONDS", 1.5)
    monkeypatch.setattr(small_sizes, "explore", explored)
    monkeypatch.setattr(small_sizes, "verdicts", lambda *_: [])
    found = visit(model, ("people",), asked, Limits())
    assert found.reached == ["all 1,234 states of size 1", "the first 1,234 states of size 2"]
    assert given[0] == 1.5
    assert 0.4 < cast(float, given[1]) < 0.5


def test_a_claim_that_was_judged_is_compared() -> None:
    """A claim that is read as its negation and not compared with plain runs."""

    def wrong_claim(made: QuantifiedProver) -> None:
        made.formula_of = lambda *_: Formula(nodes.FALSE, nodes.TRUE)  # type: ignore[method-assign]

    assert corrupted(wrong_claim, "one-inside").startswith("one-inside means two things")
    assert not corrupted(wrong_claim, "ranges")


def test_how_much_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Claims compared in all states, which takes minutes, or states from anywhere left out."""
    compared: list[tuple[int, bool, bool]] = []

    def compare(here: Any, values: Any, claims: bool, reached: bool = True) -> None:
        here.enough = 3
        compared.append((here.sizes["people"], claims, reached))

    monkeypatch.setattr(small_sizes._FormulasAtSize, "compare", compare)
    model = Model(Proved())
    found = compare_at_small_sizes(prover(model), model.properties)
    assert found.states == sum(reached for *_, reached in compared)
    for size in (1, 2, 3, 5):
        runs = [claims for at, claims, reached in compared if at == size and reached]
        anywhere = [claims for at, claims, reached in compared if at == size and not reached]
        assert runs[1:5] == [True, True, False, False]
        assert not any(runs[3:])
        assert anywhere == [True] + [False] * (min(len(runs), small_sizes.ANYWHERE) - 1)


def test_states_from_anywhere() -> None:
    """States out of range, or hardly different from the reached ones."""
    model = Model(Proved())
    small = model_of_size(model, 3, ("people",), unbounded=True)
    assert small is not None
    here = small_sizes._FormulasAtSize(prover(model), small, ())
    start = next(small.initial_states())
    changed = 0
    for values in here.anywhere([start] * 300):
        for cell, value, old in zip(small.cells, values, start, strict=True):
            high = cell.high if cell.high != nodes.UNBOUNDED else cell.low + 9
            assert cell.low <= value <= high
            changed += value != old
    assert 0.1 < changed / (300 * len(start)) < 0.25


def test_what_an_expression_costs() -> None:
    """A count over many members evaluated for minutes, or a small claim that is left out."""
    p, q = symbol("people"), symbol("people")
    one = applied("inside", (p,), 0, 1, True)
    both = nodes.conjunction([one, applied("inside", (q,), 0, 1, True)])
    assert small_sizes._cost(p, 3) == 1
    assert small_sizes._cost(one, 3) == 2
    assert small_sizes._cost(both, 3) == 5
    assert small_sizes._cost(for_all([p], one), 3) == 3 * 2
    assert small_sizes._cost(for_all([p, q], both), 3) == 9 * 5
