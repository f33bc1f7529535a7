"""From the name of a log to its judgment."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from counterpoint.sim_web import profile as profiles
from counterpoint.sim_web.errors import WebError
from counterpoint.sim_web.profile import Profile
from counterpoint.sim_web.record import Header

from .judgment import Judgment, judge
from .reading import read, read_header
from .truth import Truth

_TEXTS = ("about", "source")
"""Of a profile: say nothing about the web."""


@dataclass(frozen=True)
class Wanted:
    """What a user asks for.

    Attributes
    ----------
    profile : str
        Name or file of the profile that the log's web must have; empty: any.
    pages, seed : int or None
        That it must have; None: any.
    until : float or None
        Judge the requests that began within so many seconds after the first.
    agent, client : str
        Judge only requests with this in their User-Agent, from this address; empty: all.
    """

    profile: str = ""
    pages: int | None = None
    seed: int | None = None
    until: float | None = None
    agent: str = ""
    client: str = ""


def judged(
    path: Path,
    wanted: Wanted,
    truth: Callable[[Profile, int, int], Truth],
    tell: Callable[[str], None] | None = None,
) -> Judgment:
    """Judge the log of a file, ``-`` for standard input.

    Parameters
    ----------
    path : Path
        The log.
    wanted : Wanted
        Which web it must be about, and which requests are judged.
    truth : callable
        ``(profile, pages, seed)``: the truth of a web.
    tell : callable, optional
        Takes a line about how far it is.

    Raises
    ------
    WebError
        If the log cannot be read, is of another web, or tells of no request that is asked for.
    """
    with _opened(path) as file:
        header = read_header(file, str(path))
        profile = profiles.from_mapping(header.profile, str(path), "")
        _must_be(header, profile, wanted, str(path))
        known = truth(profile, header.pages, header.seed)
        log = read(file, str(path), header, known,
                   agent=wanted.agent, client=wanted.client, tell=tell)  # fmt: skip
    if not log.lines:
        raise WebError(f"{path} tells of no request")
    if not len(log.requests):
        by = f" by {wanted.agent!r}" if wanted.agent else ""
        where = f" from {wanted.client}" if wanted.client else ""
        raise WebError(f"{path} tells of no request{by}{where}")
    return judge(log if wanted.until is None else log.until(wanted.until), known)


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    if str(path) == "-":
        yield sys.stdin.buffer
        return
    try:
        file = path.open("rb")
    except OSError as error:
        raise WebError(f"{path}: {error.strerror}") from None
    with file:
        yield file


def _must_be(header: Header, profile: Profile, wanted: Wanted, place: str) -> None:
    """Refuse a log of another web than the wanted one."""
    differs = []
    if wanted.profile and _figures(profile) != _figures(profiles.load(wanted.profile)):
        differs.append(f"its profile is {profile.name}, and not {wanted.profile} as it is here")
    for name, told, asked in (
        ("pages", header.pages, wanted.pages),
        ("seed", header.seed, wanted.seed),
    ):
        if asked is not None and asked != told:
            differs.append(f"its {name} {'are' if name == 'pages' else 'is'} {told}, not {asked}")
    if differs:
        raise WebError(f"{place}: the log is from another web: {'; '.join(differs)}")


def _figures(of: Profile) -> dict[str, object]:
    told = profiles.to_mapping(of)
    return {key: value for key, value in told.items() if key not in _TEXTS}
