"""The crawler: policies, worlds, documents, fetching, the link store, and crawls kept in a store.

A module that defines its own policy imports the types it needs from here::

    from counterpoint.crawler import Outcome, Request, Scope, Setting
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .adapters.queue import PolicyQueue
    from .policy.protocol import (
        NONE,
        Content,
        Frontier,
        Outcome,
        Pages,
        Policy,
        Request,
        Scheduler,
        Scope,
        Setting,
        Truth,
    )

__all__ = [
    "NONE",
    "Content",
    "Frontier",
    "Outcome",
    "Pages",
    "Policy",
    "PolicyQueue",
    "Request",
    "Scheduler",
    "Scope",
    "Setting",
    "Truth",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "PolicyQueue":
        from .adapters.queue import PolicyQueue

        return PolicyQueue
    from .policy import protocol  # NumPy is loaded only then

    return getattr(protocol, name)
