"""Readings and mutants of a spec whose claim is about whole runs."""

from __future__ import annotations

import pytest

from counterpoint import (
    Array,
    Boolean,
    Choice,
    Claim,
    Index,
    Integer,
    Spec,
    action,
    always,
    infinitely_often,
    invariant,
    leads_to,
    mutant,
    require,
    sometime,
    temporal,
)
from counterpoint.console import run
from counterpoint.main import counterpoint
from counterpoint.models.loading import load
from counterpoint.models.sweeps.fingerprint import fingerprint
from counterpoint.models.sweeps.mutants import trials
from counterpoint.models.sweeps.readings import criteria_of, study
from counterpoint.spec.notation import Model, SpecError


class Queue(Spec):
    """Two processes share a lock; taking it is weakly or strongly fair."""

    published_claim = Claim("fairness", "weak", "strong", "who-asks-is-served")
    criteria = ("it-is-free",)
    processes = Index(2, names="p", labels="P")
    fairness = Choice("strong", "weak")
    leaving = Choice("fair", "never")
    counting = Choice("never", "once", "always")
    holder = Integer(0, 2)
    wants = Array(processes, Boolean())
    counted = Integer(0, 1)

    @action
    def ask(s, p):
        require(not s.wants[p], s.holder != p + 1)
        s.wants[p] = True

    @action(fair=lambda s: s.fairness)
    def take(s, p):
        require(s.wants[p], s.holder == 0)
        s.holder, s.wants[p] = p + 1, False

    @action(fair=lambda s: "weak" if s.leaving == "fair" else "none")
    def leave(s, p):
        require(s.holder == p + 1)
        s.holder = 0

    @action(when=lambda s: s.counting != "never", fair="weak")
    def count(s):
        s.counted = 1 if s.counting == "once" else 1 - s.counted

    @infinitely_often
    def it_is_free(s):
        return s.holder == 0

    @leads_to
    def who_asks_is_served(s):
        return s.wants[0], s.holder == 1


class Served(Queue):
    """What is judged depends on a bound: one property of single states, two of whole runs."""

    published_claim = Claim(
        "leaving", "never", "fair", "one-holder", beside=("it-is-free", "who-asks-is-served")
    )
    criteria = ()
    runs = Choice("no", "yes", reading=False)

    @invariant(when=lambda s: s.runs == "no")
    def one_holder(s):
        return s.holder < 3

    @infinitely_often(when=lambda s: s.runs == "yes")
    def it_is_free(s):
        return s.holder == 0

    @leads_to(when=lambda s: s.runs == "yes")
    def who_asks_is_served(s):
        return s.wants[0], s.holder == 1


class Turns(Spec):
    """A bit that turns; a parameter decides which formula of the same condition is claimed."""

    published_claim = Claim("turning", "never", "fair", "claimed")
    turning = Choice("fair", "never")
    claims = Choice("again", "stays")
    at = Integer(0, 1)

    @action(fair=lambda s: "weak" if s.turning == "fair" else "none")
    def turn(s):
        require(s.turning == "fair")
        s.at = 1 - s.at

    @temporal
    def claimed(s):
        if s.claims == "again":
            return always(sometime(s.at == 0))
        return sometime(always(s.at == 0))


class Sometimes(Turns):
    """What is claimed exists with one of two readings only."""

    published_claim = Claim("turning", "fair", "never", "at-is-zero")
    without = ("claimed",)

    @invariant(when=lambda s: s.claims == "again")
    def at_is_zero(s):
        return s.at == 0


@mutant(killed={"who-asks-is-served": 4}, readings={"fairness": "weak"})
class TakesWeakly(Queue):
    """Taking is only weakly fair."""


@mutant(killed={"it-is-free": 2, "who-asks-is-served": 4})
class Keeps(Queue):
    """Who has the lock may keep it: the overriding action is not fair. One number is wrong."""

    @action
    def leave(s, p):
        require(s.holder == p + 1)
        s.holder = 0


REFERENCE = f"{__file__}:Queue"


def test_readings_find_that_only_strong_fairness_serves() -> None:
    """Readings that refuse claims about whole runs, or take two promises for the same model."""
    found = study(REFERENCE, ["counting=never"])
    kinds = {row.choices["leaving"]: row.kind("who-asks-is-served") for row in found.rows}
    assert kinds == {"fair": "kept", "never": "both broken"}
    assert dict(found.default.broken.violated) == {"who-asks-is-served": 4}
    assert not found.default.clean.violated and found.different == 4
    assert list(found.criteria) == ["it-is-free", "who-asks-is-served"]


def test_fingerprints_have_the_promises() -> None:
    """One outcome for two models that differ in fairness, or in a step that keeps a promise."""

    def of(*settings: str, name: str = "who-asks-is-served") -> str:
        return fingerprint(load(REFERENCE, settings), [name])

    assert of() == of("fairness=strong")
    assert len({of(), of("fairness=weak"), of("leaving=never"), of("counting=once")}) == 4
    assert of("counting=once") != of("counting=always")
    assert of() != of(name="it-is-free")


def test_readings_tell_formulas_of_the_same_conditions_apart() -> None:
    """The verdict of one formula is taken for that of another with the same conditions."""
    found = study(f"{__file__}:Turns", [])
    broken = {row.choices["claims"]: dict(row.clean.violated) for row in found.rows}
    assert broken == {"again": {}, "stays": {"claimed": 2}}


def test_readings_in_text(capsys: pytest.CaptureFixture[str]) -> None:
    """A table that does not say with which promise the property holds."""
    assert run(counterpoint, ["readings", REFERENCE, "--set", "counting=never"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "fairness=weak breaks who-asks-is-served, strong does not" in said
    assert "The claim is kept exactly with leaving=fair" in said


def test_a_criterion_that_a_bound_has(capsys: pytest.CaptureFixture[str]) -> None:
    """Readings that keep safety and lose progress, and a table that shows safety alone."""
    reference, fixed = f"{__file__}:Served", ["counting=never"]
    assert study(reference, fixed).criteria == ("one-holder",)
    found = study(reference, fixed, also=["runs=yes"])
    assert found.criteria == ("one-holder", "it-is-free", "who-asks-is-served")
    lost = {tuple(row.choices.values()): (set(row.broken.violated), set(row.clean.violated))
            for row in found.rows}  # fmt: skip
    both = {"it-is-free", "who-asks-is-served"}
    assert lost == {("strong",): (both, set()), ("weak",): (both, {"who-asks-is-served"})}
    run(counterpoint, ["readings", reference, "--set", "counting=never", "--also", "runs=yes"])
    said = " ".join(capsys.readouterr().out.split())
    assert "2 models keep one-holder and lose it-is-free, the first with leaving=never." in said
    assert "3 models keep one-holder and lose who-asks-is-served, the first with" in said


def test_a_criterion_that_no_bound_has() -> None:
    """A misspelled property beside the claim that is left out in silence."""

    class Wrong(Served):
        published_claim = Claim("leaving", "never", "fair", "one-holder", beside=("it-is-gone",))

    model = Model(Wrong())
    with pytest.raises(SpecError, match="has no property 'it-is-gone'"):
        criteria_of([model], Wrong.published_claim)


def test_a_criterion_that_a_reading_lacks() -> None:
    """A row in which nothing was judged, and that looks as if the criterion held there."""
    found = study(f"{__file__}:Sometimes", [])
    kinds = {row.choices["claims"]: row.kind("at-is-zero") for row in found.rows}
    assert kinds == {"again": "kept", "stays": "unknown"}
    assert found.rows[1].clean.unknown == "there is no at-is-zero to judge"


def test_mutants_are_killed_by_lassos() -> None:
    """A mutant that only a lasso detects and that survives; a length that is not compared."""
    weak, keeps = trials(REFERENCE)
    assert weak.violated == {"who-asks-is-served": 4} and not weak.surprises
    assert keeps.violated == {"it-is-free": 2, "who-asks-is-served": 3}
    assert keeps.surprises == (
        "who-asks-is-served is violated after 3 steps; it is declared to be after 4 steps",
    )
