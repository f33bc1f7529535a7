"""A synthetic web whose truth is known: a generator, a server, a referee of crawlers.

Tests of crawlers import from here::

    from counterpoint.sim_web import RunningWeb, application
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .serving import RunningWeb, application

__all__ = ["RunningWeb", "application"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import serving  # NumPy, Numba and aiohttp are loaded only then

    return getattr(serving, name)
