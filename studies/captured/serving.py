"""Serves a captured web: an address at a virtual time answers what was captured by then.

Virtual time 0 is the time of the first capture. An answer of the capture has the header
Memento-Datetime with the time at which it was captured (RFC 7089). An address that was never
captured gets 404 without that header, with `UNKNOWN` instead, and the kind ``unknown`` in the log;
so clients and the log can tell it from a captured 404, and crawlers do not ask again and again, as
they would after a status of 5xx.

The server has no https. An answer that was captured over https is also the answer for http, unless
that was captured, too, and was no redirect to https; redirects lead to http.
"""

from __future__ import annotations

import re
from email.utils import formatdate

from counterpoint.crawler.archives.captured import CapturedAnswer, CapturedWeb
from counterpoint.crawler.documents.addresses import joined, key, normalized
from counterpoint.sim_web.answer import Answer, Kind, Question

UNKNOWN = "X-Counterpoint-Unknown"
"""The header of an answer for what was never captured."""
DAMAGED = "X-Counterpoint-Damaged"
"""The header of an answer whose body is not whole in the capture."""

_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+\Z")
_CONTROL = re.compile(r"[\0-\x08\x0a-\x1f\x7f]+")
_LEFT_OUT = frozenset((
    "alt-svc", "connection", "content-encoding", "content-length", "date", "expect-ct",
    "keep-alive", "memento-datetime", "proxy-connection", "server", "set-cookie",
    "strict-transport-security", "te", "trailer", "transfer-encoding", "upgrade",
    "x-archive-transfer-encoding", UNKNOWN.lower(), DAMAGED.lower(),
))  # fmt: skip
"""Headers of the connection and of the stored form of the body, or that demand https; and cookies,
which a capture of one visitor cannot give to another."""
_TEXT = ("Content-Type", "text/plain; charset=utf-8")


class CapturedSite:
    """Answers the requests to a captured web, for the server.

    Parameters
    ----------
    web : CapturedWeb
    """

    def __init__(self, web: CapturedWeb) -> None:
        self._web = web

    def kind(self, question: Question) -> Kind | None:
        """Return the kind of the answer without making it."""
        found = self._capture(question)
        return Kind.UNKNOWN if found is None else Kind.CAPTURED

    def answer(self, question: Question) -> Answer:
        """Return the answer to a request."""
        address = normalized(question.url)
        found = None if address is None else self._found(address, question.time)
        if found is None:
            said = b"this address is not in the captured web: what it answered is unknown\n"
            return Answer(404, (_TEXT, (UNKNOWN, "not captured")), said, Kind.UNKNOWN)
        headers = _headers(found)
        if _unchanged(found, question):
            kept = tuple(one for one in headers if one[0] in ("etag", "Memento-Datetime"))
            return Answer(304, kept, b"", Kind.CAPTURED)
        return Answer(found.status, headers, found.body, Kind.CAPTURED)

    def _capture(self, question: Question) -> object:
        address = normalized(question.url)
        if address is None:
            return None
        time = self._web.begin + question.time
        return self._web.capture(address, time) or self._web.capture(_secure(address), time)

    def _found(self, address: str, time: float) -> CapturedAnswer | None:
        at = self._web.begin + time
        found = self._web.answer(address, at)
        secure = _secure(address)
        if secure == address:
            return found
        target = None if found is None else found.leads_to
        if found is None or (target is not None and key(target) == key(secure)):
            found = self._web.answer(secure, at) or found
        return found


def _secure(address: str) -> str:
    return f"https://{address.partition('://')[2]}"


def _headers(found: CapturedAnswer) -> tuple[tuple[str, str], ...]:
    headers = [("Memento-Datetime", formatdate(found.time, usegmt=True))]
    for name, value in found.headers.items():
        if name in _LEFT_OUT or not _NAME.match(name):
            continue
        if name == "location":
            target = joined(found.address, value) or value
            value = re.sub(r"\Ahttps://", "http://", target)
        elif name == "retry-after" and not re.fullmatch(r"[0-9]{1,9}", value):
            continue  # the log has numbers only
        name = name if name != "retry-after" else "Retry-After"
        headers += [(name, _CONTROL.sub(" ", one)) for one in value.split("\n")]
    if not found.whole:
        headers.append((DAMAGED, "the body is not whole in the capture"))
        coding = found.headers.get("content-encoding", "")
        if coding and found.coded:
            headers.append(("Content-Encoding", _CONTROL.sub(" ", coding)))
    return tuple(headers)


def _unchanged(found: CapturedAnswer, question: Question) -> bool:
    """Return whether the client has this version, by the validators of the captured answer."""
    if found.status != 200:
        return False
    etag, modified = found.headers.get("etag"), found.headers.get("last-modified")
    if question.if_none_match is not None:
        asked = [one.strip().removeprefix("W/") for one in question.if_none_match.split(",")]
        return etag is not None and etag.removeprefix("W/") in asked
    return modified is not None and question.if_modified_since == modified
