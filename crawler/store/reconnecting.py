"""Repeats what failed because the connection to a database was lost."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from counterpoint.crawler.errors import ConnectionLostError

_Result = TypeVar("_Result")

PAUSES = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds between attempts when a store fails: a server that restarts is back within seconds."""


def reconnecting(work: Callable[[], _Result], pauses: tuple[float, ...] = PAUSES) -> _Result:
    """Return the result of some work with a store; repeat it if the connection is lost meanwhile.

    Parameters
    ----------
    work : callable
        It must be possible to repeat it after any of its transactions.
    pauses : tuple of float
        Seconds between attempts; there is one more attempt than pauses.

    Raises
    ------
    ConnectionLostError
        If the connection was lost in all attempts.
    """
    for pause in pauses:
        try:
            return work()
        except ConnectionLostError:
            time.sleep(pause)
    return work()
