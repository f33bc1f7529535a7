"""Lengths of the shortest counterexamples of mutants of the window protocol."""

from __future__ import annotations

from counterpoint.spec.stm.window import Window

CHAIN = Window.criteria

TORN = {**dict.fromkeys(CHAIN, 13), "serializability": 14, "strict-serializability": 14}
"""A reader holds one old and one new value; it commits in the 14th step."""

UNLOCKED = {
    **dict.fromkeys(CHAIN, 11),
    "serializability": 12,
    "strict-serializability": 12,
    "nothing-half-published": 10,
}
"""A reader copies a published object while another one is still to be published."""

STALE = dict.fromkeys(CHAIN, 16)
"""An update commits on what was overwritten while it took its locks."""
