"""Which page or host has which fault, and when: functions of the seed and of virtual time.

The rules:

- A page has at most one fault: a single draw decides between all shares of pages in the profile, in
  the order of `OF_PAGES`. A profile whose shares sum to more than 1 is refused. A start page has
  only temporary faults (500, 503, reset).
- Temporary faults recur with a period of three times Retry-After, and last for the first third of
  it. So a crawler that waits as long as a 503 demands gets the page.
- Links to a page with redirects name the first redirect; the page's own address answers 200.
- Some faults (`OWN_FOLDERS`) have addresses of their own, to which the page has one extra link.
- A host that vanishes does so at a random time between ``vanish_after`` and twice that.
"""

from __future__ import annotations

import math

from counterpoint.sim_web.answer import Fault
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.sections import Faults

OF_PAGES = (
    ("redirect", Fault.NONE),
    ("redirect_chain", Fault.REDIRECT_CHAIN),
    ("redirect_loop", Fault.REDIRECT_LOOP),
    ("not_found", Fault.NOT_FOUND),
    ("gone", Fault.GONE),
    ("endless_body", Fault.ENDLESS_BODY),
    ("bomb", Fault.BOMB),
    ("server_error", Fault.SERVER_ERROR),
    ("unavailable", Fault.UNAVAILABLE),
    ("reset", Fault.RESET),
    ("slow_headers", Fault.SLOW_HEADERS),
    ("truncated_chunks", Fault.TRUNCATED_CHUNKS),
    ("wrong_length", Fault.WRONG_LENGTH),
    ("wrong_type", Fault.WRONG_TYPE),
    ("huge_page", Fault.HUGE_PAGE),
)
"""The keys of the profile and their faults, in the order of the draw."""

NUMBER = {key: number for number, (key, _) in enumerate(OF_PAGES)}

OWN_FOLDERS = {
    NUMBER["redirect_loop"]: "loop",
    NUMBER["not_found"]: "missing",
    NUMBER["gone"]: "gone",
    NUMBER["endless_body"]: "stream",
    NUMBER["bomb"]: "bomb",
}
"""The faults that have addresses of their own, and the folders of these addresses."""

PASSING = frozenset(NUMBER[key] for key in ("server_error", "unavailable", "reset"))
STEADY = frozenset(range(NUMBER["slow_headers"], len(OF_PAGES)))
"""Faults of a page's own answer, temporary ones and permanent ones."""

CYCLE = 3


def cumulative(faults: Faults) -> list[float]:
    """Return the cumulative shares of the faults of pages."""
    total, found = 0.0, []
    for key, _ in OF_PAGES:
        total += getattr(faults, key)
        found.append(min(total, 1.0))
    return found


def wait(faults: Faults) -> float:
    """Return how long a temporary fault lasts at most, in seconds."""
    return max(1.0, math.ceil(faults.retry_after))


def is_ill(web: Web, page: int, time: float) -> bool:
    """Return whether a page with a temporary fault has it at a time."""
    length = wait(web.profile.faults)
    phase = web.chance("fault passes", page) * CYCLE * length
    return (time + phase) % (CYCLE * length) < length


def vanishes_at(web: Web, host: int) -> float:
    """Return the virtual time at which a host vanishes; infinite: never."""
    faults = web.profile.faults
    if web.chance("vanish", host) >= faults.vanish:
        return math.inf
    return faults.vanish_after * (1.0 + web.chance("when vanished", host))
