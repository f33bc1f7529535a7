"""Limits the requests of a client to a host with a token bucket for each pair."""

from __future__ import annotations

import math

from counterpoint.sim_web.sections import Limits

REMEMBERED = 65_536
"""How many pairs of client and host are kept. If there are more, the pair with the oldest request
is forgotten; its next request finds a full bucket, which is mostly correct."""

_TOKEN = 1 - 1e-9
"""What counts as a whole token: ten times 0.1 s at one token a second must be enough."""


class Buckets:
    """The token buckets of all pairs of client and host.

    Parameters
    ----------
    limits : Limits
        The limits of the profile; a rate of 0 means no limit.
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
        tokens, since = self._buckets.get(key, (self._burst, time))
        return min(self._burst, tokens + max(0.0, time - since) * self.rate)

    def is_empty(self, client: str, host: str, time: float) -> bool:
        """Return whether the bucket has no token at a time; take none."""
        return self.rate > 0 and self._tokens((client, host), time) < _TOKEN

    def wait(self, client: str, host: str, time: float) -> int:
        """Take a token and return 0; if there is none, return the seconds until there is one.

        Parameters
        ----------
        client, host : str
            The pair.
        time : float
            Virtual time.
        """
        if not self.rate:
            return 0
        key = (client, host)
        tokens = self._tokens(key, time)
        taken = tokens >= _TOKEN
        self._buckets.pop(key, None)  # so that the pair moves to the end
        self._buckets[key] = (max(0.0, tokens - taken), time)
        if len(self._buckets) > self._remembered:
            del self._buckets[next(iter(self._buckets))]
        return 0 if taken else max(1, math.ceil((1 - tokens) / self.rate - 1e-9))
