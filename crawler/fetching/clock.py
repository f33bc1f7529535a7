"""The clock of fetching."""

from __future__ import annotations

import time
from collections.abc import Callable


def steady() -> Callable[[], float]:
    """Return a clock that shows seconds since 1970 and never goes back."""
    ahead = time.time() - time.monotonic()
    return lambda: ahead + time.monotonic()
