"""A lock with a queue: the spec of the tests of logs, and code that can be wrong."""

from __future__ import annotations

import json
from typing import Any

from counterpoint import Array, Boolean, Index, Integer, Spec, Value, action, no, require


class Lock(Spec):
    """Workers ask for a lock, get it and free it; a counter counts the grants."""

    name = "lock"
    workers = Index(3, names="w", labels="W")
    waits = Array(workers, Boolean())
    has = Array(workers, Boolean())
    grants = Integer(0, 4)

    @action
    def ask(s, w: int) -> None:
        """Ask for the lock."""
        require(no(s.waits[w]), no(s.has[w]))
        s.waits[w] = True

    @action
    def grant(s, w: int) -> None:
        """Give the lock to one that asked."""
        require(s.waits[w], s.is_free())
        s.waits[w], s.has[w] = False, True
        s.grants = s.grants + 1

    @action
    def free(s, w: int) -> None:
        """Free the lock."""
        require(s.has[w])
        s.has[w] = False

    def is_free(s) -> Value:
        """Return whether nobody has the lock."""
        return no(s.has[u] for u in s.workers)


class Queueless(Lock):
    """The lock without a counter, so that a log can go on for ever."""

    name = "lock-for-ever"

    @action
    def grant(s, w: int) -> None:
        """Give the lock to one that asked."""
        require(s.waits[w], s.is_free())
        s.waits[w], s.has[w] = False, True


def as_lines(*records: Any) -> list[tuple[int, bytes]]:
    """Return records as the lines of a log."""
    return [(k, json.dumps(one).encode() + b"\n") for k, one in enumerate(records, start=1)]


def from_server(record: dict[str, Any]) -> Any:
    """Return what a line of another system's log says: ``{"event": "GOT", "worker": 1}``."""
    if record["event"] == "TICK":
        return None
    if record["event"] == "SWAP":
        return [{"step": f"free W{record['old']}"}, {"step": f"grant W{record['worker']}"}]
    return {"step": f"{'grant' if record['event'] == 'GOT' else 'free'} W{record['worker']}"}
