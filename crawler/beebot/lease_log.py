"""The log of the leases of workers, which ``counterpoint trace leases`` holds against their spec.

Each worker appends lines of JSON: what it did in a transaction, after the commit; what its
dispatcher then knows; and each request that begins. Times are those of the database's clock.
A request is noted with the time of the worker's own clock, which is at most that; so in the order
of their times, no line stands after what happened later.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from counterpoint.crawler.errors import CrawlError


class LeaseLog:
    """The lines of one worker; several may append to one file on one machine.

    Parameters
    ----------
    path : Path
    worker : str
        The worker's name.
    here : callable
        The worker's clock.

    Raises
    ------
    CrawlError
        If the file cannot be opened, or later if it cannot be written.
    """

    def __init__(self, path: Path, worker: str, here: Callable[[], float]) -> None:
        self._path, self._worker, self._here = path, worker, here
        self._last = 0.0
        self._lock = Lock()
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise CrawlError(f"{path}: {error.strerror}") from error

    def transaction(self, now: float, until: float, changes: Sequence[tuple[str, str]]) -> None:
        """Note what was changed in a transaction, after its commit.

        Parameters
        ----------
        now : float
            When the worker has read the claims.
        until : float
            The end of its lease.
        changes : sequence of (str, str)
            ``take``, ``leave``, each with a host, or ``stop``.
        """
        stops = any(event == "stop" for event, _ in changes)
        if stops and not self._last:
            return  # it has never had a lease
        with self._lock:  # a request may have been noted since; the transaction has its own time
            self._last = max(self._last, now)
            if stops:
                self._write(now, {"event": "stop"})
            else:
                named = [{event: host} for event, host in changes if host]
                self._write(now, {"event": "plan", "until": round(until, 6), "changes": named})

    def hand(self) -> None:
        """Note that the dispatcher gets to know the end of the lease and the hosts."""
        self._note({"event": "hand"})

    def ask(self, host: str) -> None:
        """Note that a request to a host begins."""
        self._note({"event": "ask", "host": host})

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def _note(self, record: dict[str, Any]) -> None:
        with self._lock:
            self._last = max(self._last, self._here())
            self._write(self._last, record)

    def _write(self, now: float, record: dict[str, Any]) -> None:
        line = {"time": round(now, 6), "worker": self._worker, **record}
        try:
            os.write(self._file, json.dumps(line).encode() + b"\n")
        except OSError as error:
            raise CrawlError(f"{self._path}: {error.strerror}") from error


class LeaseSteps:
    """Makes steps of the spec ``leases`` of the lines of a log.

    Workers and hosts get their numbers in the order in which they are met. When leases run out is
    left open; so the spec's form with ``time=each-alone`` explains the log.
    """

    def __init__(self) -> None:
        self._workers: dict[str, str] = {}
        self._hosts: dict[str, str] = {}

    def __call__(self, record: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the steps of a line."""
        return list(self._steps(record))

    def _steps(self, record: dict[str, Any]) -> Iterator[dict[str, Any]]:
        worker = record["worker"]
        if record["event"] == "plan":
            yield self._step("begin", worker)
            yield self._step("look", worker)
            for change in record["changes"]:
                for event, host in change.items():
                    yield self._step(event, worker, host)
            yield self._step("commit", worker)
        else:
            yield self._step(record["event"], worker, record.get("host"))

    def _step(self, action: str, worker: str, host: str | None = None) -> dict[str, Any]:
        parameters = {"w": self._workers.setdefault(worker, f"W{len(self._workers)}")}
        note = worker
        if host is not None:
            parameters["h"] = self._hosts.setdefault(host, f"H{len(self._hosts)}")
            note = f"{worker}, {host}"
        return {"action": action, "parameters": parameters, "note": note}


class TimedLeaseSteps(LeaseSteps):
    """The same, with a step for each lease that runs out before the time of a line.

    The lines must be in the order of their times, and none may be missing: a worker that is killed
    after a commit does not write what it has left.
    """

    def __init__(self) -> None:
        super().__init__()
        self._ends: dict[str, float] = {}

    def _steps(self, record: dict[str, Any]) -> Iterator[dict[str, Any]]:
        now = record["time"]
        for worker, end in sorted(self._ends.items(), key=lambda one: one[1]):
            if end <= now:
                del self._ends[worker]
                yield self._step("tick_alone", worker)
        yield from super()._steps(record)
        if "until" in record:
            self._ends[record["worker"]] = record["until"]
        elif record["event"] == "stop":
            self._ends.pop(record["worker"], None)
