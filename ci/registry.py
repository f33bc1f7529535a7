"""What the gate checks: specs under parameters, the engine, and what must come out.

Everything that is not named under ``violated`` must hold. A violation is expected with the length
of its shortest counterexample, and the number of reachable states is pinned where it is known: both
are exact, so any change of them is a change of the spec or of an engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from counterpoint.models.checking.engines import FEW_COMPARED, Options
from counterpoint.models.loading import mutants
from counterpoint.spec.catalogue import MUTANTS

from .job import Job
from .jobs_bandit import JOBS as BANDIT
from .jobs_crawl import JOBS as CRAWL

__all__ = ["JOBS", "LATE_PUBLISHER", "PAST_UPDATE", "TORN_SNAPSHOT", "Job"]

TORN_SNAPSHOT = {
    "serializability": 14,
    "strict-serializability": 14,
    "virtual-world-consistency": 13,
    "opacity": 13,
    "tms2": 13,
}
"""A reader that holds one old and one new value: the reader's commit is the 14th step."""

LATE_PUBLISHER = "w x; w z; r x, r z; r z, r x"
"""T1 may draw a later time than T0 and publish first; T2 and T3 then see them in opposite order."""

PAST_UPDATE = "w a; w y; r y, w x; r y, r x"
"""T0 only advances the clock, so that T2's finite window has a time inside."""


SAID_FOR_ANY_NUMBER = (
    "serializability", "strict-serializability", "virtual-world-consistency", "opacity",
    "alone-commits", "one-owner", "idle-holds-nothing", "nothing-half-published",
    "time-runs-forward", "ranges",
)  # fmt: skip
"""Properties of the window protocol that are proved for any number: all but TMS2 and deadlock."""


def _window(engine: str, why: str, more: Mapping[str, Any] | None = None, **given: str) -> Job:
    """Return a job on the window protocol; ``more`` are further attributes of the job."""
    parameters = {name.replace("_", "-"): value for name, value in given.items()}
    return Job("window-stm", parameters, engine, why, **(more or {}))


def _broken(*lengths: int) -> dict[str, int]:
    """Return the shortest counterexample of every criterion, from the weakest criterion on."""
    return dict(zip(TORN_SNAPSHOT, lengths, strict=True))


def _mutant(reference: str, name: str) -> Iterator[Job]:
    """Yield a job at the bounds at which a mutant is killed, and one at those it survives."""
    declared = mutants(reference)[name]
    mutation = declared.mutation
    assert mutation is not None
    first = min(mutation.killed, key=lambda p: (mutation.killed[p] is None, mutation.killed[p]))
    why = " ".join((declared.__doc__ or "").split())
    public = f"{reference}/{name}"
    yield Job(
        public, mutation.at, "exhaustive", why, violated=mutation.killed, shown=(first,),
        options=FEW_COMPARED,
    )  # fmt: skip
    if mutation.at:
        unnoticed = f"At the default bounds it is not noticed. {why}"
        yield Job(public, {}, "exhaustive", unnoticed, options=FEW_COMPARED)


def _mutants() -> tuple[Job, ...]:
    return tuple(job for of in MUTANTS for name in mutants(of) for job in _mutant(of, name))


OLD: dict[str, Any] = {"fetch_and_increment": "old"}

PROTOCOLS: tuple[Job, ...] = (
    Job("tl2", {}, "exhaustive", "TL2 is right at 2 x 2 x 2.", states=6815),
    Job(
        "tl2",
        {"fetch-and-increment": "old"},
        "exhaustive",
        "With the old clock value TL2 has the window protocol's disease.",
        violated=_broken(16, 16, 15, 15, 15),
        states=7767,
    ),
    Job(
        "tl2",
        {"clock": "pass", "shortcut": "if-incremented"},
        "exhaustive",
        "rv + 1 = wv may spare the validation to those who moved the clock themselves.",
        states=8383,
    ),
    Job("norec", {}, "exhaustive", "NOrec is right at 2 x 2 x 2.", states=3359),
    Job(
        "norec",
        {"programs": "r x, r y; w y; w x, w y", "comparison": "late"},
        "exhaustive",
        "A comparison that ends at a later clock value than it began with tears a snapshot.",
        violated=_broken(22, 22, 21, 21, 21),
        states=1374,
    ),
    Job(
        "norec",
        {"programs": "r x, r y; w y; w x, w y", "comparison": "once"},
        "exhaustive",
        "It need not be repeated if it counts for the clock value with which it began.",
    ),
    Job(
        "norec",
        {"values": "two"},
        "exhaustive",
        "Comparing values lets others' equal values pass; that is opaque as values go.",
        violated=_broken(17, 17, 16, 16, 15),
        states=3449,
    ),
    Job("jvstm", {}, "exhaustive", "JVSTM is right, and its readers never abort.", states=3735),
    Job(
        "dstm",
        {},
        "exhaustive",
        "DSTM as published allows write skew (Lesani and Palsberg).",
        violated=_broken(12, 12, 12, 12, 12),
        states=2744,
    ),
    Job(
        "dstm",
        {"programs": "r x, w y; r y, r x; w x", "validation": "owners-at-commit"},
        "exhaustive",
        "To abort owners before a commit alone is serializable, and from three on not opaque.",
        violated={"opacity": 14, "tms2": 14},
        states=1744,
    ),
    Job(
        "dstm",
        {"validation": "owners"},
        "exhaustive",
        "If every look at what was read aborts its owners, DSTM is right.",
        states=2790,
    ),
    Job(
        "mcrt",
        {},
        "exhaustive",
        "McRT as published exposes writes that are not committed (Lesani and Palsberg).",
        violated={"virtual-world-consistency": 5, "opacity": 5, "tms2": 5},
        states=3770,
    ),
    Job(
        "mcrt",
        {"read-check": "record"},
        "exhaustive",
        "A second look at its own record alone leaves a read a torn snapshot.",
        violated={"virtual-world-consistency": 11, "opacity": 11, "tms2": 11},
        states=3870,
    ),
    Job(
        "mcrt",
        {"read-check": "all-records"},
        "exhaustive",
        "A look at the records of everything read makes it right.",
        states=3858,
    ),
)
"""Transactional memories from the literature, other than the window protocol."""

JOBS: tuple[Job, ...] = (
    _window(
        "exhaustive",
        "The published protocol, which returns the old clock value, is not opaque.",
        more={"violated": TORN_SNAPSHOT, "states": 4821},
        **OLD,
    ),
    _window(
        "exhaustive",
        "With the new value nothing is wrong, at 2 transactions x 2 objects x 2 operations.",
        more={"states": 4611},
    ),
    _window(
        "bounded",
        "z3 finds the same error, after as many steps.",
        more={"violated": TORN_SNAPSHOT, "options": Options(steps=14)},
        **OLD,
    ),
    _window(
        "stateful",
        "So do random runs in plain Python.",
        more={"violated": {"opacity": None}, "only": ("opacity",)},
        **OLD,
    ),
    _window(
        "exhaustive",
        "With the new value nothing is wrong, at 3 transactions x 2 objects x 2 operations.",
        more={"states": 804480},
        transactions="3",
    ),
    _window(
        "exhaustive",
        "Nor with 3 objects.",
        more={"states": 9_665_576},
        transactions="3",
        objects="3",
    ),
    _window(
        "exhaustive",
        "Nor with 4 transactions, in one of each class of 249,553,413 symmetric states.",
        more={"states": 10_459_966, "options": Options(reduce=("symmetry",))},
        transactions="4",
    ),
    _window(
        "exhaustive",
        "A re-check that ignores locks breaks opacity, but only from four transactions on.",
        more={
            "violated": {
                "serializability": 22,
                "strict-serializability": 22,
                "virtual-world-consistency": 22,
                "opacity": 20,
                "tms2": 20,
            }
        },
        programs=LATE_PUBLISHER,
        recheck_locked="ignore",
    ),
    _window(
        "exhaustive",
        "The same programs are harmless when a re-check minds locks.",
        programs=LATE_PUBLISHER,
    ),
    _window(
        "exhaustive",
        "An update that picks a time inside its finite window breaks opacity.",
        more={
            "violated": {
                "serializability": 24,
                "strict-serializability": 24,
                "virtual-world-consistency": 24,
                "opacity": 23,
                "tms2": 20,
            }
        },
        programs=PAST_UPDATE,
        finite_window="pick",
    ),
    _window(
        "exhaustive",
        "The same programs are harmless when such an update aborts.",
        programs=PAST_UPDATE,
    ),
    _window(
        "exhaustive",
        "If every read re-checks the window, even the old value does no harm.",
        recheck="every-read",
        **OLD,
    ),
    _window(
        "exhaustive",
        "If no read re-checks it, the new value does not help.",
        more={"violated": TORN_SNAPSHOT},
        recheck="never",
    ),
    _window(
        "exhaustive",
        "A reader that does not wait for a locked object sees half of an update.",
        more={
            "violated": {
                "serializability": 12,
                "strict-serializability": 12,
                "virtual-world-consistency": 11,
                "opacity": 11,
                "tms2": 11,
                "nothing-half-published": 10,
            }
        },
        readers_wait="no",
    ),
    _window(
        "exhaustive",
        "Locks on writes alone allow write skew.",
        more={"violated": dict.fromkeys(TORN_SNAPSHOT, 16)},
        locks="writes",
    ),
    _window(
        "exhaustive",
        "Unlocking object by object lets others read from an update that is half published.",
        more={"violated": {"nothing-half-published": 11}},
        unlock="object-by-object",
    ),
    Job("peterson", {}, "exhaustive", "Peterson's algorithm is right."),
    Job(
        "peterson",
        {"first": "turn"},
        "exhaustive",
        "With the turn set before the flag it is not.",
        violated={"mutual-exclusion": 6},
    ),
    Job(
        "philosophers",
        {},
        "exhaustive",
        "Five philosophers who all take the left fork first can starve.",
        violated={"no-deadlock": 10},
        states=1363,
    ),
    Job("filter-lock", {}, "exhaustive", "Peterson's lock for three is right.", states=642),
    Job(
        "philosophers",
        {"philosophers": 10},
        "exhaustive",
        "Ten philosophers who all take the left fork first can starve.",
        violated={"no-deadlock": 20},
        states=1_860_497,
    ),
    Job(
        "philosophers",
        {"philosophers": 10, "left-handed": "all-but-one"},
        "exhaustive",
        "With one of them right-handed they cannot.",
        states=1_860_498,
    ),
    Job(
        "filter-lock",
        {"processes": 5},
        "exhaustive",
        "Peterson's lock for five processes is right.",
        states=179_408,
    ),
    Job(
        "filter-lock",
        {"waits": "for-higher"},
        "exhaustive",
        "It is not if the last to come waits only for those who are higher.",
        violated={"mutual-exclusion": 12},
    ),
    _window(
        "bounded",
        "z3 finds no run of at most 16 steps that is wrong with the new value.",
        more={"options": Options(steps=16)},
    ),
    _window(
        "induction",
        "The corrected protocol is right in every step, at 4 transactions x 3 objects.",
        transactions="4",
        objects="3",
    ),
    _window(
        "any-number",
        "It is opaque in every step, for any number of transactions and objects.",
        more={"only": SAID_FOR_ANY_NUMBER, "options": Options(second_solver="cvc5")},
    ),
    Job("peterson", {}, "induction", "Peterson's algorithm is right in every step."),
    _window(
        "stateful",
        "Random runs find nothing wrong with the new value.",
        more={"options": Options(runs=1500)},
    ),
    *PROTOCOLS,
    *BANDIT,
    *CRAWL,
    *_mutants(),
    Job(
        "window-stm/recheck-ignores-locks",
        {"transactions": "3"},
        "exhaustive",
        "No run of three transactions shows that a re-check must mind locks.",
        least_budget=300.0,
    ),
    Job(
        "window-stm/picks-inside-the-window",
        {"transactions": "3"},
        "exhaustive",
        "No run of three transactions shows that a time inside the window is too late to take.",
        least_budget=300.0,
    ),
)
"""In the order in which the gate begins them; the first ones matter most."""
