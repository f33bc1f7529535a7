"""Mutants: each is killed as declared and can be named like a spec; wrong ones are refused."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from counterpoint.console import run
from counterpoint.main import counterpoint as commands
from counterpoint.models.checking import engines
from counterpoint.models.checking.engines import Options
from counterpoint.models.checking.replaying import read_records, replay_record
from counterpoint.models.limits import Limits
from counterpoint.models.loading import load, mutants
from counterpoint.models.sweeps.mutants import (
    Trial,
    exit_code,
    kills_of,
    only_by,
    to_json,
    trial,
    trials,
)  # fmt: skip
from counterpoint.models.verdict import replay
from counterpoint.spec.catalogue import MUTANTS
from counterpoint.spec.notation import SpecError, mutant
from counterpoint.spec.stm.window import Window
from tests.spec.kills import KILLS, SURVIVE_ELSEWHERE

SHORTEST = {
    "equal-quanta": {
        "waits-for-the-exhausted": (3, "exhausted-sites-leave"),
        "turn-never-passes": (3, "nobody-is-a-quantum-behind"),
        "quantum-is-one-longer": (3, "nobody-is-a-quantum-behind"),
        "stops-one-early": (6, "spends-all-it-can"),
        "counts-only-pages-with-links": (1, "one-page-a-step"),
        "expects-one-page-more": (2, "nothing-unknown-is-scanned"),
        "passes-on-each-page": (2, "one-by-one"),
    },
    "r1": {
        "fewest-links-win": (3, "the-best-is-chosen"),
        "ties-go-to-the-last": (3, "ties-go-to-the-first"),
        "share-is-one-too-large": (2, "samples-are-right"),
        "stops-where-the-best-ends": (4, "spends-all-it-can"),
        "list-of-sites-is-cut": (2, "one-choice"),
        "mean-decides-on-the-rest": (4, "the-best-is-chosen"),
    },
    "r2": {
        "lowest-index-wins": (4, "the-best-is-chosen"),
        "ties-go-to-the-last": (4, "ties-go-to-the-first"),
        "divides-by-the-step": (6, "the-best-is-chosen"),
        "step-is-one-short": (4, "steps-are-whole"),
        "step-never-ends": (5, "steps-are-whole"),
        "exhausted-keeps-its-step": (5, "exhausted-sites-leave"),
        "empty-sites-go-first": (4, "the-best-is-chosen"),
    },
    "r3": {
        "lowest-index-wins": (2, "the-best-is-chosen"),
        "ties-go-to-the-last": (2, "ties-go-to-the-first"),
        "never-explores": (3, "the-best-is-chosen"),
        "only-explores": (2, "the-best-is-chosen"),
        "index-has-pages-for-links": (2, "the-best-is-chosen"),
        "logarithm-of-the-budget": (3, "the-best-is-chosen"),
        "means-are-not-scaled": (2, "the-best-is-chosen"),
        "largest-is-the-last": (2, "largest-is-the-most-seen"),
        "largest-is-of-the-sample": (3, "largest-is-the-most-seen"),
        "exhausted-stay-in-the-contest": (2, "exhausted-sites-leave"),
        "more-than-half-is-too-much": (3, "one-choice"),
    },
    "gittins": {
        "lowest-index-wins": (1, "the-best-is-chosen"),
        "ties-go-to-the-last": (0, "ties-go-to-the-first"),
        "never-explores": (1, "the-best-is-chosen"),
        "forgets-pages": (2, "the-best-is-chosen"),
        "unknown-sites-come-last": (1, "the-best-is-chosen"),
        "winners-are-left": (1, "the-best-is-chosen"),
        "counts-links-for-pages": (1, "rewards-are-counted"),
        "exhausted-stay-in-the-contest": (1, "exhausted-sites-leave"),
    },
    "window-stm": {
        "fetch-and-increment-returns-old": (13, "virtual-world-consistency"),
        "window-begins-after-the-clock": (13, "virtual-world-consistency"),
        "draws-before-locking": (13, "virtual-world-consistency"),
        "reads-the-clock-then-sets-it": (17, "time-runs-forward"),
        "advances-the-clock-after-unlocking": (20, "virtual-world-consistency"),
        "reader-does-not-wait": (10, "nothing-half-published"),
        "never-rechecks": (13, "virtual-world-consistency"),
        "recheck-ignores-locks": (20, "opacity"),
        "empty-window-passes": (13, "virtual-world-consistency"),
        "top-not-considered": (13, "virtual-world-consistency"),
        "copies-the-date-before-the-value": (15, "virtual-world-consistency"),
        "locks-writes-only": (16, "serializability"),
        "locks-in-no-order": (8, "no-deadlock"),
        "takes-held-locks": (6, "one-owner"),
        "unlocks-object-by-object": (11, "nothing-half-published"),
        "unlocks-before-publishing": (10, "nothing-half-published"),
        "abort-keeps-locks": (12, "idle-holds-nothing"),
        "no-validation": (15, "tms2"),
        "validates-only-what-it-writes": (16, "tms2"),
        "validates-before-locking": (16, "serializability"),
        "validates-after-publishing": (17, "virtual-world-consistency"),
        "picks-inside-the-window": (20, "tms2"),
        "old-version-never-ends": (13, "virtual-world-consistency"),
        "old-version-ends-for-live-readers-only": (19, "opacity"),
        "versions-keep-old-dates": (13, "virtual-world-consistency"),
    },
    "tl2": {
        "fetch-and-increment-returns-old": (15, "virtual-world-consistency"),
        "spares-validation-at-shared-versions": (20, "serializability"),
        "does-not-look-again": (14, "virtual-world-consistency"),
        "looks-at-the-version-only": (14, "virtual-world-consistency"),
        "accepts-later-versions": (15, "virtual-world-consistency"),
        "no-validation": (15, "tms2"),
        "validation-ignores-locks": (19, "serializability"),
        "takes-held-locks": (10, "no-deadlock"),
        "release-keeps-the-version": (15, "virtual-world-consistency"),
        "abort-keeps-locks": (8, "idle-holds-nothing"),
        "looks-only-after-loading": (15, "tms2"),
        "publishes-before-validating": (15, "tms2"),
    },
    "jvstm": {
        "versions-carry-the-present-number": (9, "virtual-world-consistency"),
        "number-is-public-before-the-versions": (10, "virtual-world-consistency"),
        "validates-only-what-it-writes": (15, "tms2"),
        "takes-the-held-lock": (16, "serializability"),
        "reads-the-newest": (9, "virtual-world-consistency"),
        "begins-in-the-past": (9, "opacity"),
        "abort-keeps-the-lock": (12, "idle-holds-nothing"),
        "keeps-two-versions": (12, "time-runs-forward"),
    },
    "norec": {
        "snapshot-is-too-late": (21, "virtual-world-consistency"),
        "compares-nothing": (14, "tms2"),
        "compares-only-what-it-writes": (14, "tms2"),
        "acquires-at-any-clock": (12, "tms2"),
        "ignores-the-sequence-lock": (3, "one-publisher"),
        "returns-without-looking": (10, "virtual-world-consistency"),
        "releases-before-publishing": (3, "one-publisher"),
        "release-leaves-the-clock-odd": (5, "one-publisher"),
    },
    "link-store": {
        "writes-without-the-lock": (6, "visits-need-the-lock"),
        "keeps-the-lock": (4, "locks-end-with-transactions"),
        "shares-locked-row": (8, "nobody-waits-in-a-circle"),
    },
    **KILLS,
}
"""The first violated property (of several, the weakest criterion) and its number of steps."""

SURVIVE = {
    "reads-the-clock-then-sets-it",
    "advances-the-clock-after-unlocking",
    "recheck-ignores-locks",
    "validates-after-publishing",
    "picks-inside-the-window",
    "old-version-ends-for-live-readers-only",
    "snapshot-is-too-late",
    *SURVIVE_ELSEWHERE,
}
"""Mutants of all specs, with the default bounds."""

USER = '''
from counterpoint.spec.notation import *


class Counter(Spec):
    """Processes add one."""

    processes = Index(2, names="p")
    most = Number(3, at_most=9)
    n = Integer(0, 4)

    @action
    def add(s, p):
        """Add."""
        require(s.n < s.most)
        s.n = s.n + 1

    @invariant
    def small(s):
        """At most three."""
        return s.n <= 3


@mutant(readings={"most": 4}, killed={"small": 4})
class AddsTooMuch(Counter):
    """Counts up to four."""


@mutant(killed={"small": 3})
class Elsewhere(Counter):
    """It adds as it should."""

    @action
    def add(s, p):
        """Add."""
        super().add(p)
'''


LARGE = ("breadth-first", "focused-hits", "frontier", "r2", "r3", "scent")
"""Specs whose mutants take most of the time; the gate checks them as well."""


@cache
def table_of(reference: str) -> list[Trial]:
    """Return the mutants of a spec, checked."""
    return trials(reference)


@pytest.fixture(scope="module")
def window() -> list[Trial]:
    """The mutants of the window protocol, checked."""
    return table_of("window-stm")


def steps(kill: tuple[str, int | None]) -> int:
    """Return the number of steps to a violation, or 99 for a witness that is missed."""
    return 99 if kill[1] is None else kill[1]


@pytest.mark.long
@pytest.mark.parametrize(
    "reference",
    [pytest.param(r, marks=pytest.mark.slow) if r in LARGE else r for r in MUTANTS],
)
def test_the_kill_table(reference: str) -> None:
    """A mutant that survives wrongly, is killed by another property, or after more steps."""
    table = table_of(reference)
    assert [(t.name, t.surprises, t.unknown) for t in table if t.surprises or t.unknown] == []
    first = {t.name: min(t.violated.items(), key=steps)[::-1] for t in table}
    assert first == SHORTEST[reference]
    alive = {t.name for t in table if not any(v.answer == "violated" for v in t.default)}
    assert alive == SURVIVE & {t.name for t in table} == {t.name for t in table if t.at}
    assert {t.answer for t in table} == {"killed"}
    assert exit_code(table) == 0


@pytest.mark.long
def test_each_property_of_the_window_kills_something(window: list[Trial]) -> None:
    """A property that kills no mutant, so that no test shows that it can fail."""
    mine = set(vars(Window)) & {n for n in Window.declared_methods if n != "a_window_shrinks"}
    invariants = {
        n.replace("_", "-")
        for n in mine
        if Window.declared_methods[n].kind in ("invariant", "transition")
    }
    assert invariants | set(Window.criteria) | {"no-deadlock"} <= set(kills_of(window))
    assert only_by(window) == {
        "reads-the-clock-then-sets-it": "time-runs-forward",
        "locks-in-no-order": "no-deadlock",
        "unlocks-object-by-object": "nothing-half-published",
        "abort-keeps-locks": "idle-holds-nothing",
    }


@pytest.mark.long
def test_what_the_table_says_replays(window: list[Trial]) -> None:
    """A table in JSON that ``counterpoint replay`` cannot replay."""
    records = list(read_records(json.dumps(to_json(window[:6])), "table"))
    assert len({r["mutant"] for r in records}) == 6
    for record in records:
        assert replay_record(record).agrees, record["reference"]


@pytest.mark.long
@pytest.mark.parametrize("reference", MUTANTS)
def test_every_mutant_can_be_named(reference: str) -> None:
    """A mutant's name that the command line does not find, or that names the right spec."""
    right = load(reference)
    for name, declared in mutants(reference).items():
        model = load(f"{reference}/{name}")
        assert type(model.spec) is declared
        assert model.name == model.reference == f"{reference}/{name}"
        assert model.changed_parameters() == {}
        mutation = declared.mutation
        assert mutation is not None
        assert isinstance(right.spec, mutation.of)
        assert mutation.readings or mutation.replaces
        assert (declared.__doc__ or "").endswith(".")


def test_a_mutant_in_another_engine() -> None:
    """Another engine that misses a mutant, or finds a violation shorter than the shortest."""
    model = load("window-stm/locks-in-no-order")
    claim = model.property_named("no-deadlock")
    for engine, exact in (("bounded", True), ("stateful", False)):
        verdict = engines.check(model, engine, wanted=[claim], options=Options(steps=8))[0]
        assert verdict.trace is not None
        assert replay(model, verdict.trace.steps) == verdict.trace
        assert verdict.depth == 8 if exact else (verdict.depth or 0) >= 8


def test_a_mutant_keeps_its_reading() -> None:
    """A mutant that ``--set`` turns back into the right spec."""
    with pytest.raises(SpecError, match="readers-wait is always no, not 'yes'"):
        load("window-stm/reader-does-not-wait", ["readers-wait=yes"])
    assert load("window-stm/reader-does-not-wait", ["readers-wait=no"]).changed_parameters() == {}


@pytest.mark.parametrize(
    ("given", "body", "message"),
    [
        ({"killed": {"opacity": 3}}, {}, "it does not differ from window-stm"),
        ({"killed": {}, "readings": {"unlock": "object-by-object"}}, {}, "at least one property"),
        ({"killed": {"opacity": 3}, "readings": {"colour": "red"}}, {}, "no parameter 'colour'"),
        ({"killed": {"opacity": 3}, "readings": {"unlock": "never"}}, {}, "unlock is at-the-end"),
    ],
)
def test_a_mutant_that_is_none(
    given: dict[str, object], body: dict[str, object], message: str
) -> None:
    """A declaration of a mutant that makes no sense and is accepted."""
    with pytest.raises(SpecError, match=message):
        mutant(**given)(type("Slip", (Window,), body))  # type: ignore[arg-type]


def test_differences_are_told() -> None:
    """A table that reports success although the results differ from the declarations."""
    limits, options = Limits(), Options()
    (good,) = trial("window-stm", "exhaustive", limits, options, "locks-in-no-order")
    assert good.surprises == ()
    wrong = replace(good, declared={"no-deadlock": 9, "opacity": 3, "beauty": 1})
    assert wrong.surprises == (
        "no-deadlock is violated after 8 steps; it is declared to be after 9 steps",
        "opacity holds; it is declared to be violated",
        "the spec has no property beauty",
    )
    early = replace(good, at={"transactions": 2})
    assert early.surprises == (
        "no-deadlock is violated at the default bounds; it should survive them",
    )
    alive = replace(good, default=good.default[:2], verdicts=good.verdicts[:2], engine="bounded")
    assert (alive.answer, alive.surprises) == ("survives", ("no property detected it",))
    assert exit_code([good, wrong]) == 1
    late = trial("window-stm", "exhaustive", Limits(1e-6), options, "locks-in-no-order")
    assert [t.answer for t in late] == ["unknown"]
    assert exit_code(late) == 3


def test_mutants_of_a_users_spec(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Mutants that work only for the specs of the repository."""
    path = tmp_path / "mine.py"
    path.write_text(USER)
    assert run(commands, ["check", str(path)]) == 0
    assert run(commands, ["check", f"{path}:Counter/adds-too-much"]) == 1
    assert "counter/adds-too-much: processes=2, most=4" in capsys.readouterr().out
    assert run(commands, ["check", str(path), "--mutants", "--processes", "1"]) == 1
    out = capsys.readouterr().out
    assert "1 of 2 mutants are killed as declared" in out
    assert "! small holds; it is declared to be violated" in out
    assert f"To reproduce: counterpoint check {path}/elsewhere" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["window-stm/reader-does-not-wai"], "did you mean reader-does-not-wait?"),
        (
            [
                "window-stm/",
            ],
            "window-stm has no mutant ''; there are: fetch-and-increment-",
        ),
        (["peterson/x"], "peterson has no mutant 'x'; it has none"),
        (["peterson", "--mutants"], "peterson has no mutants"),
        (["window-stm", "--mutants", "--set", "objects=3"], "--mutants checks every property"),
        (["window-stm", "--mutants", "--engine", "spin"], "there is no engine 'spin'"),
        (["window-stm", "--mutants", "--processes", "0"], "--processes"),
    ],
)
def test_wrong_commands(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    """A wrong command answered by a traceback or by several lines."""
    assert run(commands, ["check", *arguments]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert (captured.out, captured.err.count("\n")) == ("", 1)


def test_formats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A format that --mutants does not support, or that contradicts the text output."""
    path = tmp_path / "mine.py"
    path.write_text(USER)
    base = ["check", str(path), "--mutants", "--processes", "1", "--format"]
    assert run(commands, [*base, "json"]) == 1
    records = json.loads(capsys.readouterr().out)
    assert {(r["mutant"], r["as_declared"]) for r in records} == {
        ("adds-too-much", True), ("elsewhere", False),
    }  # fmt: skip
    assert run(commands, [*base, "junit"]) == 1
    assert 'tests="2" failures="1" errors="0"' in capsys.readouterr().out
    assert run(commands, [*base, "github"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::notice", "::error"]


HARMLESS = """
from counterpoint import Integer, Spec, action, invariant, mutant, require

class Climb(Spec):
    \"\"\"It violates its own property.\"\"\"
    at = Integer(0, 3)

    @action
    def up(s):
        require(s.at < 3)
        s.at = s.at + 1

    @invariant
    def low(s):
        return s.at < 2

@mutant(killed={"low": 2})
class Same(Climb):
    \"\"\"It changes nothing.\"\"\"

    @action
    def up(s):
        require(s.at < 3)
        s.at = s.at + 1
"""


@pytest.mark.parametrize("engine", ["exhaustive", "bounded"])
def test_what_the_spec_violates_itself_kills_nothing(engine: str, tmp_path: Path) -> None:
    """A mutant that counts as killed, although the spec without the fault fails the same way."""
    path = tmp_path / "climb.py"
    path.write_text(HARMLESS)
    (found,) = trials(f"{path}:Climb", engine)
    assert (found.answer, found.shared, found.kills) == ("survives", ("low",), [])
    assert found.surprises[0] == "low is violated by the spec without the fault as well"
