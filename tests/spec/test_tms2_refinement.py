"""TMS2: the abstract memory, and the window protocol that refines it."""

from __future__ import annotations

import pytest

from counterpoint.models.checking import engines
from counterpoint.models.checking.engines import Options
from counterpoint.models.explore import exhaustive
from counterpoint.models.loading import find, load
from counterpoint.models.verdict import Verdict
from counterpoint.spec.catalogue import PROOFS
from counterpoint.spec.notation import Choice, Model, action, require
from counterpoint.spec.stm.history import CRITERIA
from counterpoint.spec.stm.memory import Status
from counterpoint.spec.stm.tms2 import TMS2


@pytest.mark.parametrize(
    ("settings", "states"),
    [
        ([], 7_795),
        (["programs=r x, w y; r y, w x"], 276),
        pytest.param(["transactions=3"], 4_507_056, marks=pytest.mark.slow),
    ],
)
def test_the_abstract_memory_is_opaque(settings: list[str], states: int) -> None:
    """An abstract memory that allows a history that is not opaque, or loses states."""
    model = load("tms2", settings)
    verdicts = exhaustive.check(model)
    assert {v.claim.name: v.answer for v in verdicts if v.answer != "holds"} == {}
    assert set(CRITERIA) <= {v.claim.name for v in verdicts}
    assert verdicts[0].states == states


class ReadsAnything(TMS2):
    """Reads need not be of one state."""

    @action
    def read(s, t: int, x: int, n: int) -> None:
        """Read what x has after n commits."""
        require(s.may_operate("r", t, x), s.since[t] <= n, s.commits() >= n)
        s.record_read_of(t, x, s.version(n, x))


class ReadsThePast(TMS2):
    """A transaction may read what was overwritten before it began."""

    @action
    def begin(s, t: int) -> None:
        """Begin without a look at what has committed."""
        s.record_begin(t)


class CommitsOnThePast(TMS2):
    """An update may commit though what it has read was overwritten."""

    @action
    def take_effect(s, t: int) -> None:
        """Make a new state of the memory."""
        require(s.status[t] == Status.COMMITTING, s.order[t] == 0)
        s.order[t] = s.commits() + 1
        for x in s.objects:
            if s.wrote[t, x]:
                s.record_publish(t, x)


@pytest.mark.parametrize(
    ("memory", "violated"),
    [
        (ReadsAnything, {"serializability", "opacity", "one-moment-explains-all"}),
        (ReadsThePast, {"opacity"}),
        (CommitsOnThePast, {"serializability", "opacity"}),
    ],
)
def test_each_requirement_of_the_abstract_memory_is_needed(
    memory: type[TMS2], violated: set[str]
) -> None:
    """A check of the abstract memory that cannot fail, or a requirement that does nothing."""
    model = Model(memory())
    asked = ("serializability", "opacity", "one-moment-explains-all")
    verdicts = exhaustive.check(model, wanted=[model.property_named(one) for one in asked])
    assert {v.claim.name for v in verdicts if v.answer == "violated"} == violated


@pytest.mark.parametrize(
    ("settings", "depth"),
    [
        ([], None),
        (["programs=r x, w y; r y, w x"], None),
        (["unlock=object-by-object"], None),
        (["fetch-and-increment=old"], 13),
        (["recheck=never"], 13),
        (["locks=writes"], 11),
        (["readers-wait=no"], 7),
    ],
)
def test_the_window_protocol_refines_it(settings: list[str], depth: int | None) -> None:
    """A refinement that holds for a protocol that is not opaque, or fails for the right one."""
    found = judged("window-tms2", settings, "is-tms2", "exhaustive")
    assert found.answer == ("holds" if depth is None else "violated")
    if depth is not None:
        assert found.depth == depth
        assert "which is none of its steps" in found.reason


@pytest.mark.long
def test_the_refinement_and_the_criterion_agree() -> None:
    """A refinement that differs from the criterion TMS2: one of them is wrong."""
    readings = [
        f"{name}={value}"
        for name, parameter in load("window-tms2").spec.declared_parameters.items()
        if isinstance(parameter, Choice)
        for value in parameter.values
    ]
    for one in ("recheck-locked=abort", *readings):
        model = load("window-tms2", [one])
        asked = [model.property_named(name) for name in ("is-tms2", "tms2")]
        refines, criterion = (v.answer for v in exhaustive.check(model, wanted=asked))
        assert refines == criterion, one


@pytest.mark.parametrize(
    ("engine", "settings", "answer", "extent"),
    [
        ("induction", [], "holds", "every step"),
        ("induction", ["transactions=3"], "holds", "every step"),
        ("induction", ["fetch-and-increment=old"], "unknown", "every step"),
        ("bounded", ["fetch-and-increment=old"], "violated", "13 steps"),
        ("stateful", ["fetch-and-increment=old"], "violated", "13 steps"),
    ],
)
def test_all_engines_judge_the_refinement(
    engine: str, settings: list[str], answer: str, extent: str
) -> None:
    """An engine that does not know refinements, or lemmas from which it does not follow."""
    found = judged("window-tms2", settings, "is-tms2", engine, 13 if engine == "bounded" else 0)
    assert (found.answer, found.extent) == (answer, extent)


def test_proofs_are_about_the_spec_that_they_are_named_for() -> None:
    """A proof that is no class of its spec: overridden steps would be taken twice."""
    for spec, proofs in PROOFS.items():
        for proof in proofs:
            assert issubclass(find(proof), find(spec)), (spec, proof)


def judged(reference: str, settings: list[str], name: str, engine: str, steps: int = 0) -> Verdict:
    """Return the verdict on one property."""
    model = load(reference, settings)
    wanted = [model.property_named(name)]
    return engines.check(model, engine, wanted=wanted, options=Options(steps=steps or None))[0]
