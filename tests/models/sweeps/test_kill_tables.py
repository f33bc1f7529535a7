"""The mutants of the repository's specs: each is killed as its table says, and can be named."""

from __future__ import annotations

import json
from functools import cache

import pytest

from counterpoint.models.checking.replaying import read_records, replay_record
from counterpoint.models.loading import load, mutants
from counterpoint.models.sweeps.mutants import (
    Trial,
    exit_code,
    kills_of,
    only_by,
    to_json,
    trials,
)  # fmt: skip
from counterpoint.spec.catalogue import MUTANTS
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
    "breadth-first-visits": {
        "depth-first": (5, "levels-never-fall"),
        "visits-unknown-pages": (1, "a-visited-page-was-found"),
        "does-not-count": (1, "places-differ"),
    },
    "leases": {
        "does-not-look-at-the-lease": (8, "only-the-holder-asks"),
        "renews-without-comparing": (16, "only-the-holder-asks"),
        "steals-running-leases": (7, "a-running-lease-protects"),
        "reads-its-clock-late": (5, "the-worker-stops-first"),
        "takes-over-without-pause": (14, "hosts-are-left-alone"),
        "leaves-without-pause": (13, "hosts-are-left-alone"),
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
