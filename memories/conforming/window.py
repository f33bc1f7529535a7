"""The mapping of the window memories: what they have inside, as variables of ``window-stm``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from counterpoint.memories.interface import Transaction
from counterpoint.memories.window.look import KEPT, Look, TransactionLook

Writer = Callable[[int], str]
"""Returns who wrote a value, as the spec shows it: ``FIRST`` or a transaction."""


def window_state(
    look: Look, transactions: Mapping[int, Transaction], objects: list[str], writer: Writer,
    most: int,
) -> dict[str, Any]:  # fmt: skip
    """Return the variables of the spec that a memory shows.

    Not shown are the stage of a commit, the history, and what a transaction that has ended has read
    and written: a memory forgets it.

    Parameters
    ----------
    look : Look
        What the memory has inside.
    transactions : mapping of int to Transaction
        Those that have begun, by label.
    objects : list of str
        The spec's labels of the objects; "" for those that the spec does not have.
    writer : callable
    most : int
        The number of the spec's transactions.
    """
    known = [(x, name) for x, name in enumerate(objects) if name]
    state: dict[str, Any] = {"clock": look.clock, "date": {}, "writer": {}, "holds": {}}
    for x, name in known:
        one = look.objects[x]
        state["date"][name] = one.date
        state["writer"][name] = writer(one.value)
        for t in range(most):
            state["holds"][t, name] = KEPT if one.holder == KEPT else one.holder == t
    state["status"] = {
        t: _status(transactions.get(t), any(one.holder == t for one in look.objects))
        for t in range(most)
    }
    for running in look.transactions:
        _add(state, running, known, writer)
    return state


def _status(tx: Transaction | None, holds: bool) -> str:
    if tx is None:
        return "NOT_BEGUN"
    if tx.committed is None:
        return "COMMITTING" if holds else "LIVE"
    return "COMMITTED" if tx.committed else "ABORTED"


def _add(
    state: dict[str, Any], running: TransactionLook, known: list[tuple[int, str]], writer: Writer
) -> None:
    """Add what a transaction knows that has not ended."""
    t = running.label
    state.setdefault("bottom", {})[t] = running.bottom
    state.setdefault("commit_time", {})[t] = running.commit_time
    for x, name in known:
        read = writer(running.reads[x]) if x in running.reads else "NOT_READ"
        state.setdefault("source", {})[t, name] = read
        for variable in ("published", "overwritten"):
            state.setdefault(variable, {})[t, name] = x in getattr(running, variable)
        state.setdefault("wrote", {})[t, name] = x in running.writes
        if x in running.ends:
            end = running.ends[x]
            state.setdefault("end", {})[t, name] = "none" if end is None else end
