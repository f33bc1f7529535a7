"""Opens the log that a user names, checks that it is the right one, and judges it."""

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
from .truth import WebTruth

CAPTURED = "captured"
"""The key in the header of the log of a captured web that has the names of its files."""
_TEXTS = ("about", "source")
"""Keys of a profile that do not influence the web."""


@dataclass(frozen=True)
class Selection:
    """Which web the log must be of, and which of its requests are judged.

    Attributes
    ----------
    profile : str
        The name or file of the profile that the log's web must have; empty: any.
    pages, seed : int or None
        The number of pages and the seed that the log's web must have; None: any.
    until : float or None
        Judge only the requests that began within so many seconds after the first; None: all.
    agent, client : str
        Judge only the requests whose User-Agent contains ``agent``, and those from the IP address
        ``client``; empty: all.
    """

    profile: str = ""
    pages: int | None = None
    seed: int | None = None
    until: float | None = None
    agent: str = ""
    client: str = ""


def judge_file(
    path: Path,
    selection: Selection,
    truth: Callable[[Profile, int, int], WebTruth],
    report: Callable[[str], None] | None = None,
) -> Judgment:
    """Judge the log in a file.

    Parameters
    ----------
    path : Path
        The log's file; ``-`` is standard input.
    selection : Selection
        Which web the log must be of, and which requests are judged.
    truth : callable
        ``(profile, pages, seed)``: the truth about a web.
    report : callable, optional
        Gets a line of text on the progress from time to time.

    Raises
    ------
    WebError
        If the log cannot be read, is of another web, or contains no selected request.
    """
    with _open_log(path) as file:
        header = read_header(file, str(path))
        if CAPTURED in header.profile:
            raise WebError(
                f"{path}: is the log of a captured web, of which only what was captured is known: "
                "it cannot be judged"
            )
        profile = profiles.from_mapping(header.profile, str(path), "")
        _check_web(header, profile, selection, str(path))
        known = truth(profile, header.pages, header.seed)
        log = read(file, str(path), header, known,
                   agent=selection.agent, client=selection.client, report=report)  # fmt: skip
    if not log.lines:
        raise WebError(f"{path} contains no request")
    if not len(log.requests):
        by = f" by {selection.agent!r}" if selection.agent else ""
        where = f" from {selection.client}" if selection.client else ""
        raise WebError(f"{path} contains no request{by}{where}")
    return judge(log if selection.until is None else log.until(selection.until), known)


@contextmanager
def _open_log(path: Path) -> Iterator[BinaryIO]:
    if str(path) == "-":
        yield sys.stdin.buffer
        return
    try:
        file = path.open("rb")
    except OSError as error:
        raise WebError(f"{path}: {error.strerror}") from error
    with file:
        yield file


def _check_web(header: Header, profile: Profile, selection: Selection, place: str) -> None:
    """Raise WebError if a log is of another web than the selected one.

    Parameters
    ----------
    header : Header
        The log's header.
    profile : Profile
        The profile that the header describes.
    selection : Selection
        What the user requires of the web.
    place : str
        The log's name in error messages.
    """
    differs = []
    if selection.profile and _figures(profile) != _figures(profiles.load(selection.profile)):
        differs.append(f"its profile is {profile.name}, and not the present {selection.profile}")
    for name, actual, required in (
        ("pages", header.pages, selection.pages),
        ("seed", header.seed, selection.seed),
    ):
        if required is not None and required != actual:
            verb = "are" if name == "pages" else "is"
            differs.append(f"its {name} {verb} {actual}, not {required}")
    if differs:
        raise WebError(f"{place}: the log is from another web: {'; '.join(differs)}")


def _figures(profile: Profile) -> dict[str, object]:
    mapping = profiles.to_mapping(profile)
    return {key: value for key, value in mapping.items() if key not in _TEXTS}
