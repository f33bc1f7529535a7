"""Functions that read and check a policy's own parameters."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Setting


def whole(setting: Setting, name: str, default: int, least: int = 1) -> int:
    """Return a parameter that is a whole number from ``least`` on.

    Parameters
    ----------
    setting : Setting
    name : str
        The parameter's name.
    default : int
        The value if the user gives none.
    least : int
        The smallest value that is allowed.

    Raises
    ------
    CrawlError
        If it is anything else.
    """
    value = setting.parameters.get(name)
    if value is None:
        return default
    if type(value) is not int or value < least:
        raise CrawlError(f"{name} is a whole number from {least} on, not {value!r}")
    return value


def number(setting: Setting, name: str, default: float, least: float, most: float) -> float:
    """Return a parameter that is a number from ``least`` to ``most``.

    Parameters
    ----------
    setting : Setting
    name : str
        The parameter's name.
    default : float
        The value if the user gives none.
    least, most : float
        The smallest and the largest value that are allowed.

    Raises
    ------
    CrawlError
        If it is anything else.
    """
    value = setting.parameters.get(name)
    if value is None:
        return default
    if type(value) not in (int, float) or not least <= value <= most:
        raise CrawlError(f"{name} is a number from {least:g} to {most:g}, not {value!r}")
    return float(value)


def switch(setting: Setting, name: str) -> bool:
    """Return a parameter that is true or false, false if it is not given.

    Raises
    ------
    CrawlError
        If it is anything else.
    """
    value = setting.parameters.get(name)
    if value is None:
        return False
    if type(value) is not bool:
        raise CrawlError(f"{name} is true or false, not {value!r}")
    return value


def choice(setting: Setting, name: str, known: Sequence[str]) -> str:
    """Return a parameter that is one of some words.

    Parameters
    ----------
    setting : Setting
    name : str
        The parameter's name.
    known : sequence of str
        The words that are allowed; the first is the default.

    Raises
    ------
    CrawlError
        If it is anything else.
    """
    value = setting.parameters.get(name)
    if value is None:
        return known[0]
    if value not in known:
        raise CrawlError(f"{name} is {' or '.join(known)}, not {value!r}")
    return str(value)
