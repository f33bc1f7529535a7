"""The timeouts and size limits of the server, which do not belong to the web."""

from __future__ import annotations

import contextlib
import resource
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class ServerSettings:
    """Limits of the server, in real seconds and bytes.

    Attributes
    ----------
    header_seconds : float
        The greatest time from the first byte of a request to the end of its headers; after it the
        server answers 408.
    idle_seconds : float
        How long a connection may be open without a request.
    stalled_seconds : float
        How long a client may read nothing of an answer.
    linger_seconds : float
        How long the server lets a client that still sends read a refusal.
    head_bytes : int
        The greatest size of a request with its headers; the server answers 431 to larger ones.
    connections : int
        How many connections may be open at a time; the server closes further ones at once.
    slow_seconds : float
        How long slow headers take.
    endless_seconds, endless_bytes : float, int
        After so much time, or so many bytes, the server breaks off an endless body.
    robots_seconds : float
        After so much time the server closes the connection of a robots.txt that gets no answer.
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

    def bearable(self) -> ServerSettings:
        """Return the settings with no more connections than the process may have open files."""
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if files == resource.RLIM_INFINITY:
            return self
        return replace(self, connections=min(self.connections, max(1, (files - 64) // 2)))

    def period(self) -> float:
        """Return the time between two searches for connections past their deadline, in seconds."""
        least = min(
            self.header_seconds, self.idle_seconds, self.stalled_seconds, self.linger_seconds
        )
        return min(1.0, least / 4)


def allow_many_files() -> None:
    """Raise this process's limit of open files to the greatest allowed value."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
