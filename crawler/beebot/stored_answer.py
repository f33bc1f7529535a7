"""The summary of an answer that was stored."""

from __future__ import annotations

from typing import NamedTuple


class StoredAnswer(NamedTuple):
    """The summary of an answer that was stored, for logs and displays.

    Attributes
    ----------
    address : str
    seed : int or None
        The number of the page's site in the store.
    status : int
    internal, external, bad : int
        How many references of each kind the page has.
    size : int
        Bytes.
    time : float
        When the answer came, in seconds.
    problem : str
        Why there is no document, or what is wrong with it; "": nothing.
    """

    address: str
    seed: int | None
    status: int
    internal: int = 0
    external: int = 0
    bad: int = 0
    size: int = 0
    time: float = 0.0
    problem: str = ""
