"""Reads the addresses of requests, and refuses malformed requests."""

from __future__ import annotations

import math
import re
from urllib.parse import quote

from counterpoint.sim_web.answer import Answer, Kind

TIME_HEADER = "X-Counterpoint-Time"
"""The header by which a request sets a later virtual time."""

_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9_.-]*[a-z0-9.])?|\[[0-9a-f:.]+\])\Z")
_PORT = re.compile(r"[0-9]{0,5}\Z")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_PRINTABLE = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_REMEMBERED = 4096
_LONGEST = 262
"""The greatest length of a host name with a port; longer ones are refused without being cached."""


class RefusedRequest(Exception):
    """The server refuses a request with an answer of its own.

    Attributes
    ----------
    answer : Answer
        The answer.
    """

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.status)
        self.answer = answer


def refusal(status: int, text: str, *headers: tuple[str, str]) -> Answer:
    """Return an answer of the server itself, a line of text.

    Parameters
    ----------
    status : int
        The status of HTTP.
    text : str
        The line.
    *headers : (str, str)
        Further headers.
    """
    kind = ("Content-Type", "text/plain; charset=utf-8")
    return Answer(status, (kind, *headers), f"{text}\n".encode(), Kind.BAD)


NOT_FORWARDED = "this proxy serves one synthetic web and forwards nothing"
BAD_HOST = refusal(400, "the host of this request is not a host name")
NO_HOST = refusal(400, "this request names no host: give it in Host, or as http://HOST/")
BAD_TIME = refusal(400, f"{TIME_HEADER} is not a number of seconds")
NO_TUNNEL = refusal(501, f"CONNECT is refused: {NOT_FORWARDED}, and has no https")
NO_METHOD = refusal(405, "only GET and HEAD are answered", ("Allow", "GET, HEAD"))
UNKNOWN_METHOD = refusal(501, "no such method", ("Allow", "GET, HEAD"))
TOO_LARGE = refusal(431, "the headers of this request are too large")
TOO_SLOW = refusal(408, "the headers of this request did not come in time")


class RequestAddresses:
    """Builds absolute addresses from request lines and Host headers.

    Parameters
    ----------
    port : int
        The port of the server. A Host header with this port names the host of the web without a
        port.
    """

    def __init__(self, port: int = 0) -> None:
        self.port = port
        self._names: dict[str, tuple[str, str] | None] = {}

    def absolute(self, target: str, host: str | None) -> tuple[str, str]:
        """Return the absolute address, and its host in lower case without a port.

        Parameters
        ----------
        target : str
            The target of the request. If it is absolute (a request to a proxy), the Host header is
            ignored.
        host : str or None
            The Host header.

        Raises
        ------
        Refused
            If there is no host, or the host or the scheme is invalid.
        """
        if "#" in target:
            target = target[: target.index("#")]
        if not target.startswith("/"):
            return self._proxied(target)
        if not host:
            raise RefusedRequest(NO_HOST)
        site, name = self._host(host, self.port)
        return f"http://{site}{target}", name

    def _proxied(self, target: str) -> tuple[str, str]:
        found = _SCHEME.match(target)
        if found is None:
            raise RefusedRequest(NO_HOST)
        if found[1].lower() != "http":
            raise RefusedRequest(refusal(501, f"{found[1].lower()} is not served: {NOT_FORWARDED}"))
        rest = target[found.end() :]
        end = min((k for k in (rest.find("/"), rest.find("?")) if k >= 0), default=len(rest))
        site, name = self._host(rest[:end], 80)
        slash = "" if rest[end : end + 1] == "/" else "/"
        return f"http://{site}{slash}{rest[end:]}", name

    def _host(self, text: str, own: int) -> tuple[str, str]:
        """Return a host in lower case, with its port unless that is ``own``, and without it."""
        if len(text) > _LONGEST:
            raise RefusedRequest(BAD_HOST)
        key = f"{text} {own}"
        if key not in self._names:
            if len(self._names) >= _REMEMBERED:
                self._names.clear()
            self._names[key] = _host(text, own)
        found = self._names[key]
        if found is None:
            raise RefusedRequest(BAD_HOST)
        return found


def _host(text: str, own: int) -> tuple[str, str] | None:
    text = text.lower()
    name, colon, port = text, "", ""
    if not text.endswith("]"):
        name, colon, port = text.rpartition(":") if ":" in text else (text, "", "")
    if not _HOST.match(name) or not _PORT.match(port):
        return None
    default = not colon or not port or int(port) in (80, own)
    return (name if default else f"{name}:{int(port)}"), name


def time_of(text: str) -> float:
    """Return the virtual time in a header; -1 if the header is invalid."""
    try:
        time = float(text)
    except ValueError:
        return -1.0
    return time if 0 <= time < math.inf else -1.0


def quoted_line(head: bytes) -> bytes:
    """Return a request's head with the bytes beyond ASCII in its first line quoted as %XX."""
    line, end, rest = head.partition(b"\r\n")
    return quote(line, safe=_PRINTABLE + " ").encode() + end + rest


def first_line(head: bytes) -> tuple[str, str]:
    """Return the method and the target of an incomplete request, as far as they are there."""
    words = head.lstrip(b"\r\n").split(b"\r\n", 1)[0][:2000].decode("latin-1").split(" ")
    return words[0][:32], words[1] if len(words) > 1 else ""
