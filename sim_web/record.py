"""One line of the access log: what the server writes and the referee reads."""

from __future__ import annotations

import json
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any

from .errors import WebError

FORMAT = 2
"""Of the log; the header names it, and a reader refuses another."""


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a log: which web it is about, so that the log alone can be judged.

    Attributes
    ----------
    profile : dict
        As `profile.to_mapping` gives it.
    pages, seed : int
        Of the web; neither is negative.
    mounts : dict of str to str
        Hosts that are real folders.
    real_time : bool
        Whether virtual time is the wall clock's.
    """

    profile: dict[str, Any]
    pages: int
    seed: int
    mounts: dict[str, str]
    real_time: bool

    def line(self) -> str:
        """Return the line, with its newline."""
        return json.dumps({"counterpoint-web-log": FORMAT, **asdict(self)}) + "\n"


@dataclass(frozen=True, slots=True)
class Record:
    """One request.

    Attributes
    ----------
    started, ended : float
        Virtual time, seconds since the web's beginning: when the request had come in and when the
        last byte of the answer had gone out, or the client had gone.
    client, agent : str
        The client's address and its User-Agent.
    method, url : str
        The absolute address, as asked for.
    host : str
        In lower case, without a port.
    status : int
        As sent; 0 if the connection ended before.
    bytes : int
        Of the body, as sent.
    kind, fault : str
        `answer.Kind` and `answer.Fault`.
    page : int or None
        Of the planted graph.
    version : int
        Of the page's content.
    retry_after : int
        Seconds of Retry-After in the answer; 0, or left out in the line: none.
    """

    started: float
    ended: float
    client: str
    agent: str
    method: str
    url: str
    host: str
    status: int
    bytes: int
    kind: str
    fault: str
    page: int | None
    version: int
    retry_after: int = 0


_KINDS: dict[str, type | tuple[type, ...]] = {
    "float": (int, float),
    "str": str,
    "int": int,
    "int | None": (int, type(None)),
    "bool": bool,
    "dict[str, Any]": dict,
    "dict[str, str]": dict,
}


def header(line: str) -> Header:
    """Return the header of a log; raise WebError if the line is none."""
    told = _loaded(line)
    if not isinstance(told, dict) or "counterpoint-web-log" not in told:
        raise WebError("is no log of a synthetic web: the first line is no header")
    if told.pop("counterpoint-web-log") != FORMAT:
        raise WebError(f"is a log of another format than {FORMAT}")
    made: Header = _made(Header, told)
    for name, number in (("pages", made.pages), ("seed", made.seed)):
        if number < 0:
            raise WebError(f"has {number} as '{name}'")
    return made


def record(line: str) -> Record:
    """Return the request that a line tells of; raise WebError if it tells of none."""
    told = _loaded(line)
    if isinstance(told, dict) and "counterpoint-web-log" in told:
        raise WebError("is the header of another log: each web's log is judged for itself")
    # `_made` returns whatever class it is given.
    return _made(Record, told)  # type: ignore[no-any-return]


def _loaded(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        raise WebError("is no JSON") from None


def _made(kind: type, told: Any) -> Any:
    if not isinstance(told, dict):
        raise WebError("is no object")
    for one in fields(kind):
        if one.name not in told:
            if one.default is not MISSING:
                continue
            raise WebError(f"lacks '{one.name}'")
        wanted = _KINDS[str(one.type)]
        if not isinstance(told[one.name], wanted) or (
            wanted is not bool and isinstance(told[one.name], bool)  # which is an int in Python
        ):
            raise WebError(f"has {told[one.name]!r} as '{one.name}'")
    if unknown := sorted(set(told) - {one.name for one in fields(kind)}):
        raise WebError(f"has unknown keys: {', '.join(unknown)}")
    return kind(**told)
