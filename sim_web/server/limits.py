"""How many requests a host bears from one client: a token bucket for each pair."""

from __future__ import annotations

import math

from counterpoint.sim_web.sections import Limits

REMEMBERED = 65_536
"""Pairs of client and host. Beyond, the pair that was quiet for longest is forgotten: its bucket
is taken for full, which it mostly is."""

_TOKEN = 1 - 1e-9
"""What counts as a token: 0.1 s ten times at one a second is one."""


class Buckets:
    """Token buckets of all pairs of client and host.

    Parameters
    ----------
    limits : Limits
        The profile's; a rate of 0 is no limit.
    remembered : int
        How many pairs are kept.
    """

    def __init__(self, limits: Limits, remembered: int = REMEMBERED) -> None:
        self.rate = float(limits.requests_per_second)
        self._burst = float(limits.burst)
        self._remembered = remembered
        self._buckets: dict[tuple[str, str], tuple[float, float]] = {}

    def __len__(self) -> int:
        return len(self._buckets)

    def _tokens(self, key: tuple[str, str], time: float) -> float:
        held, since = self._buckets.get(key, (self._burst, time))
        return min(self._burst, held + max(0.0, time - since) * self.rate)

    def is_empty(self, client: str, host: str, time: float) -> bool:
        """Tell whether there is no token to take; takes none."""
        return self.rate > 0 and self._tokens((client, host), time) < _TOKEN

    def wait(self, client: str, host: str, time: float) -> int:
        """Take a token; return 0, or if there is none the whole seconds until there is one."""
        if not self.rate:
            return 0
        key = (client, host)
        tokens = self._tokens(key, time)
        taken = tokens >= _TOKEN
        self._buckets.pop(key, None)  # so that it is the last one again
        self._buckets[key] = (max(0.0, tokens - taken), time)
        if len(self._buckets) > self._remembered:
            del self._buckets[next(iter(self._buckets))]
        return 0 if taken else max(1, math.ceil((1 - tokens) / self.rate - 1e-9))
