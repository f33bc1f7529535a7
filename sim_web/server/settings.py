"""How long the server waits and how much it takes: limits of the server, not of the web."""

from __future__ import annotations

import contextlib
import resource
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Settings:
    """Real seconds and bytes; tests make them small.

    Attributes
    ----------
    header_seconds : float
        From the first byte of a request to the end of its headers; then 408.
    idle_seconds : float
        How long a connection may be open with nothing asked.
    stalled_seconds : float
        How long a client may take none of an answer.
    linger_seconds : float
        How long a client that still sends may take to read a refusal.
    head_bytes : int
        Of a request with its headers; more is answered with 431.
    connections : int
        Open at a time; more are closed at once.
    slow_seconds : float
        How long slow headers take.
    endless_seconds : float
    endless_bytes : int
        When a body that never ends is broken off after all.
    robots_seconds : float
        How long a robots.txt that does not answer is waited for.
    """

    header_seconds: float = 10.0
    idle_seconds: float = 75.0
    stalled_seconds: float = 60.0
    linger_seconds: float = 2.0
    head_bytes: int = 32_768
    connections: int = 10_000
    slow_seconds: float = 10.0
    endless_seconds: float = 60.0
    endless_bytes: int = 1 << 26
    robots_seconds: float = 30.0

    def bearable(self) -> Settings:
        """Return these with no more connections than the process may open, a file for each."""
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if files == resource.RLIM_INFINITY:
            return self
        return replace(self, connections=min(self.connections, max(1, (files - 64) // 2)))

    def period(self) -> float:
        """Return how often connections are looked through for one that waits too long."""
        least = min(
            self.header_seconds, self.idle_seconds, self.stalled_seconds, self.linger_seconds
        )
        return min(1.0, least / 4)


def allow_many_files() -> None:
    """Let this process open as many files as the system lets it."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
