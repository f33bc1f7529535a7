"""Runs the planned transactions of one process in a session, and writes their events."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal, cast

from .events import Events
from .interface import Aborted, Lost, Memory, RecordingError, Session
from .load import Load, Plan

PAUSE = 1e-6
"""Seconds of a pause; the system makes some more of it."""


def run_process(
    memory: Memory, load: Load, process: int, path: Path, over: Callable[[], bool]
) -> None:
    """Run the transactions of a process, each one once.

    Parameters
    ----------
    memory : Memory
        It is open.
    load : Load
    process : int
        From 0 on. After a transaction whose fate is unknown, its transactions go on as those of
        another process, ``process + threads``.
    path : Path
        Where the events go.
    over : callable
        Whether no further transaction shall begin.
    """
    events = Events(path, process)
    try:
        session = _connected(memory, process)
        try:
            for number in range(load.count(process)):
                if over():
                    break
                end = _ran(session, load.plan(process, number), events)
                if end != "known":
                    session.close()
                    session = _connected(memory, process)
                if end == "unknown":
                    events.process += load.threads
        finally:
            session.close()
    finally:
        events.close()


def _connected(memory: Memory, process: int) -> Session:
    session: object = memory.connect(process)
    for method in ("begin", "commit", "abort", "close"):
        if not callable(getattr(session, method, None)):
            kind = "None" if session is None else f"an object of {type(session)}"
            raise RecordingError(f"connect({process}) of {type(memory).__name__} returned {kind}, "
                                 f"which has no method {method}(), and must return a "
                                 "Session")  # fmt: skip
    return cast(Session, session)


def _ran(session: Session, plan: Plan, events: Events) -> Literal["known", "lost", "unknown"]:
    """Run a transaction; return whether the session was lost, and whether the fate is unknown."""
    asked = False
    events.begin(plan.label)
    try:
        session.begin()
        _operate(session, plan, events)
        if plan.aborts:
            session.abort()
            events.abort()
        else:
            events.try_commit()
            asked = True
            events.commit(session.commit())
    except Aborted:
        events.abort()
    except Lost:
        if asked:
            events.indeterminate()
            return "unknown"
        events.abort()
        return "lost"
    return "known"


def _operate(session: Session, plan: Plan, events: Events) -> None:
    for kind, what, value in plan.steps:
        if kind == "pause":
            time.sleep(PAUSE)
        elif kind == "read":
            events.read(what, session.read(what))
        else:
            (session.write if kind == "write" else session.append)(what, value)
            events.write(kind, what, value)
