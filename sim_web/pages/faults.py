"""Which page or host has which fault, and when: functions of the seed and of virtual time.

The rules:

- A page has one fault at most: one draw decides among all of the profile's shares of pages, in the
  order of `OF_PAGES`; a profile whose shares sum to more than 1 is refused. A start page has none
  but those that pass (500, 503, reset).
- Faults that pass come in cycles of three times Retry-After, and last the first third of each. So
  whoever waits as long as a 503 asks finds the page well.
- A page with redirects is linked by the address of the first one; its own address answers 200.
- Faults "beside it" are addresses of their own, to which the page has one link more.
- A host that vanishes does so at a time drawn from once to twice ``vanish_after``.
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
"""Keys of the profile and what they do, in the order in which the draw runs through them."""

NUMBER = {key: number for number, (key, _) in enumerate(OF_PAGES)}

BESIDE = {
    NUMBER["redirect_loop"]: "loop",
    NUMBER["not_found"]: "missing",
    NUMBER["gone"]: "gone",
    NUMBER["endless_body"]: "stream",
    NUMBER["bomb"]: "bomb",
}
"""Faults beside a page, and the folder in which their addresses are."""

PASSING = frozenset(NUMBER[key] for key in ("server_error", "unavailable", "reset"))
STEADY = frozenset(range(NUMBER["slow_headers"], len(OF_PAGES)))
"""Faults of a page's own answer: at some times, and always."""

CYCLE = 3


def cumulative(faults: Faults) -> list[float]:
    """Return the shares of the faults of pages, summed up."""
    total, found = 0.0, []
    for key, _ in OF_PAGES:
        total += getattr(faults, key)
        found.append(min(total, 1.0))
    return found


def wait(faults: Faults) -> float:
    """Return the seconds that a fault which passes lasts at most."""
    return max(1.0, math.ceil(faults.retry_after))


def is_ill(web: Web, page: int, time: float) -> bool:
    """Tell whether a fault that passes is there at a time."""
    length = wait(web.profile.faults)
    phase = web.chance("fault passes", page) * CYCLE * length
    return (time + phase) % (CYCLE * length) < length


def vanishes_at(web: Web, host: int) -> float:
    """Return when a host vanishes; infinite if it stays."""
    faults = web.profile.faults
    if web.chance("vanish", host) >= faults.vanish:
        return math.inf
    return faults.vanish_after * (1.0 + web.chance("when vanished", host))
