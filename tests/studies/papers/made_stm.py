"""Figures of the study of the window protocol, as they are if all claims hold."""

from __future__ import annotations

from typing import Any

from counterpoint.histories.recording.survey import Surveyed
from counterpoint.studies.papers.stm import (
    FINDERS,
    NOTIONS,
    PROVERS,
    Answer,
    Kept,
    Lemma,
    Stm,
)
from counterpoint.studies.papers.stm_code import TIMES, Driven

COUNTS = {"programs": 2, "schedules": 9, "histories": 4, "faults": 0}


def made(**other: Any) -> Stm:
    """Return figures, some of them replaced."""
    figures: dict[str, Any] = {
        "broken": tuple(Answer(one, "violated", 13, "13 steps", 0.1) for one in FINDERS),
        "clean": tuple(Answer(one, "holds", None, f"reach of {one}", 0.1) for one in PROVERS),
        "unproved": Answer("induction", "unknown", None, "lemmas", 0.1,
                           (Lemma("a-lemma", 5, "publish", 1, 1),)),
        "spin": "spin: missing",
        "chart": ("T0",),
        "moves": (("begin", 0), ("read", 1)),
        "readings": {"kept": 2},
        "kept": (Kept("", "", 4, 1, 3), Kept("recheck", "never", 2, 0, 0)),
        "driven": (driven(),),
        "criteria": {"tl2": {"opacity": "holds"}},
        "progress": {"tl2": dict.fromkeys(NOTIONS, "violated")},
        "real": (Surveyed("window", "1", ("tms2",), 3),),
        "absent": {},
    }  # fmt: skip
    return Stm(**figures | other)


def driven(**other: Any) -> Driven:
    """Return what code does with the counterexample, some of it replaced."""
    figures: dict[str, Any] = {
        "code": "window", "agrees": TIMES, "seen": {"T0": "committed"}, "taken": 1,
        "why": "it aborts", "explored": COUNTS, "control": 1,
    }  # fmt: skip
    return Driven(**figures | other)
