"""The lines of an access log: the server writes them and the referee reads them."""

from __future__ import annotations

import json
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any

from .errors import WebError

FORMAT = 2
"""The version of the log's format; the header names it, and readers refuse other versions."""


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a log. It describes the web, so that the log alone can be judged.

    Attributes
    ----------
    profile : dict
        The web's profile, as `profile.to_mapping` gives it.
    pages, seed : int
        The web's number of pages and its seed; neither is negative.
    mounts : dict of str to str
        Host name to folder, for each folder of files that was served as a host.
    real_time : bool
        Whether virtual time followed the wall clock.
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
    """One request and its answer.

    Attributes
    ----------
    started, ended : float
        Seconds of virtual time since the web's beginning: when the whole request had arrived, and
        when the last byte of the answer was sent or the client closed the connection.
    client, agent : str
        The client's IP address and its User-Agent.
    method, url : str
        The method of HTTP, and the absolute address that the client requested.
    host : str
        The host of the address, in lower case, without a port.
    status : int
        The status that was sent; 0 if the connection ended before one was sent.
    bytes : int
        How many bytes of the body were sent.
    kind, fault : str
        Values of `answer.Kind` and `answer.Fault`.
    page : int or None
        The page of the planted graph whose content was sent, if any.
    version : int
        How often the page had changed by then.
    retry_after : int
        Seconds of Retry-After in the answer; 0 (left out in the line) if it had none.
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
    """Return the header that the first line of a log holds; raise WebError if it is invalid."""
    values = _load(line)
    if not isinstance(values, dict) or "counterpoint-web-log" not in values:
        raise WebError("is not a log of a synthetic web: the first line is not a header")
    if values.pop("counterpoint-web-log") != FORMAT:
        raise WebError(f"is a log in a format other than {FORMAT}")
    made: Header = _make(Header, values)
    for name, number in (("pages", made.pages), ("seed", made.seed)):
        if number < 0:
            raise WebError(f"has {number} as '{name}'")
    return made


def record(line: str) -> Record:
    """Return the request that a line of a log holds; raise WebError if the line is invalid."""
    values = _load(line)
    if isinstance(values, dict) and "counterpoint-web-log" in values:
        raise WebError("is the header of another log: judge the log of each web separately")
    # `_make` returns an instance of the class that it gets.
    return _make(Record, values)  # type: ignore[no-any-return]


def _load(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        raise WebError("is not JSON") from None


def _make(kind: type, values: Any) -> Any:
    """Return an instance of a dataclass; raise WebError if keys or types do not fit its fields."""
    if not isinstance(values, dict):
        raise WebError("is not a JSON object")
    for one in fields(kind):
        if one.name not in values:
            if one.default is not MISSING:
                continue
            raise WebError(f"lacks '{one.name}'")
        expected = _KINDS[str(one.type)]
        if not isinstance(values[one.name], expected) or (
            # A bool is an int in Python, and not in a log.
            expected is not bool and isinstance(values[one.name], bool)
        ):
            raise WebError(f"has {values[one.name]!r} as '{one.name}'")
    if unknown := sorted(set(values) - {one.name for one in fields(kind)}):
        raise WebError(f"has unknown keys: {', '.join(unknown)}")
    return kind(**values)
