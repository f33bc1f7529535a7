"""What a client asks for: addresses from request lines, and what is refused."""

from __future__ import annotations

import math
import re
from urllib.parse import quote

from counterpoint.sim_web.answer import Answer, Kind

TIME_HEADER = "X-Counterpoint-Time"
"""A request's header that sets a later virtual time."""

_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9_.-]*[a-z0-9.])?|\[[0-9a-f:.]+\])\Z")
_PORT = re.compile(r"[0-9]{0,5}\Z")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_PRINTABLE = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_REMEMBERED = 4096
_LONGEST = 262
"""Of a host name with a port; longer ones are not even remembered as bad."""


class Refused(Exception):
    """A request that gets an answer of the server's own.

    Attributes
    ----------
    answer : Answer
        What it gets.
    """

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.status)
        self.answer = answer


def refusal(status: int, text: str, *headers: tuple[str, str]) -> Answer:
    """Return an answer of the server's own: a line of text."""
    kind = ("Content-Type", "text/plain; charset=utf-8")
    return Answer(status, (kind, *headers), f"{text}\n".encode(), Kind.BAD)


NOT_FORWARDED = "this proxy serves one synthetic web and forwards nothing"
BAD_HOST = refusal(400, "the host of this request is no host name")
NO_HOST = refusal(400, "this request names no host: give it in Host, or as http://HOST/")
BAD_TIME = refusal(400, f"{TIME_HEADER} is no number of seconds")
NO_TUNNEL = refusal(501, f"CONNECT is refused: {NOT_FORWARDED}, and has no https")
NO_METHOD = refusal(405, "only GET and HEAD are answered", ("Allow", "GET, HEAD"))
UNKNOWN_METHOD = refusal(501, "no such method", ("Allow", "GET, HEAD"))
TOO_LARGE = refusal(431, "the headers of this request are too large")
TOO_SLOW = refusal(408, "the headers of this request did not come in time")


class Addresses:
    """Makes absolute addresses of request lines and Host headers.

    Parameters
    ----------
    port : int
        The server's own: a Host header that names it names a host of the web.
    """

    def __init__(self, port: int = 0) -> None:
        self.port = port
        self._names: dict[str, tuple[str, str] | None] = {}

    def absolute(self, target: str, host: str | None) -> tuple[str, str]:
        """Return the address and the host in lower case without a port.

        The absolute form of a request target says everything; else the Host header does.

        Raises
        ------
        Refused
            If there is no host or a bad one, or the address is not http.
        """
        if "#" in target:
            target = target[: target.index("#")]
        if not target.startswith("/"):
            return self._proxied(target)
        if not host:
            raise Refused(NO_HOST)
        site, name = self._host(host, self.port)
        return f"http://{site}{target}", name

    def _proxied(self, target: str) -> tuple[str, str]:
        found = _SCHEME.match(target)
        if found is None:
            raise Refused(NO_HOST)
        if found[1].lower() != "http":
            raise Refused(refusal(501, f"{found[1].lower()} is not served: {NOT_FORWARDED}"))
        rest = target[found.end() :]
        end = min((k for k in (rest.find("/"), rest.find("?")) if k >= 0), default=len(rest))
        site, name = self._host(rest[:end], 80)
        slash = "" if rest[end : end + 1] == "/" else "/"
        return f"http://{site}{slash}{rest[end:]}", name

    def _host(self, text: str, own: int) -> tuple[str, str]:
        """Return a host in lower case with its port, if that is not ``own``, and without it."""
        if len(text) > _LONGEST:
            raise Refused(BAD_HOST)
        key = f"{text} {own}"
        if key not in self._names:
            if len(self._names) >= _REMEMBERED:
                self._names.clear()
            self._names[key] = _host(text, own)
        found = self._names[key]
        if found is None:
            raise Refused(BAD_HOST)
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
    """Return the virtual time a header asks for; a negative one if it is no time."""
    try:
        time = float(text)
    except ValueError:
        return -1.0
    return time if 0 <= time < math.inf else -1.0


def quoted_line(head: bytes) -> bytes:
    """Return a head whose first line has %XX for bytes beyond ASCII, as careless clients send."""
    line, end, rest = head.partition(b"\r\n")
    return quote(line, safe=_PRINTABLE + " ").encode() + end + rest


def first_line(head: bytes) -> tuple[str, str]:
    """Return method and target of a request that is not whole, as far as they can be told."""
    words = head.lstrip(b"\r\n").split(b"\r\n", 1)[0][:2000].decode("latin-1").split(" ")
    return words[0][:32], words[1] if len(words) > 1 else ""
