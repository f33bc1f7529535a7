"""Requests and their answers as they were on the wire, for WARC files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

import aiohttp

CREDENTIALS = "Proxy-Authorization"
"""A header that is not kept."""


class Message(NamedTuple):
    """A request and its answer as they were on the wire, without transfer codings.

    Attributes
    ----------
    address : str
    begun : float
        The time of the request, in seconds since 1970.
    asked : sequence of (str, str)
        The headers of the request.
    version, reason : str
        ``HTTP/1.1``, and the text that follows the status.
    status : int
    answered : sequence of (str, str)
        The headers of the answer.
    body : bytes
        The body as received, perhaps compressed.
    cut : str
        Why the body is incomplete: ``length``, ``disconnect``, ``time``, or ``unspecified`` if it
        cannot be decompressed or a rule leaves it out; "" if it is complete.
    ip : str
        The IP address that answered; "" if a proxy did.
    """

    address: str
    begun: float
    asked: tuple[tuple[str, str], ...]
    version: str
    status: int
    reason: str
    answered: tuple[tuple[str, str], ...]
    body: bytes
    cut: str
    ip: str = ""


Keeper = Callable[[Message], Awaitable[None]]
"""Stores a message; the answer is returned after that."""


def message_of(
    address: str, response: aiohttp.ClientResponse, begun: float, body: bytes, cut: str
) -> Message:
    """Return the message of a response.

    Parameters
    ----------
    address : str
    response : ClientResponse
    begun : float
        The time of the request, in seconds since 1970.
    body : bytes
        What was received of its body.
    cut : str
        Why the body is incomplete; "" if it is complete.
    """
    version = response.version
    answered = tuple(
        (name.decode("latin-1"), value.decode("latin-1")) for name, value in response.raw_headers
    )
    asked = [(name, value) for name, value in response.request_info.headers.items()
             if name.lower() != CREDENTIALS.lower()]  # fmt: skip
    return Message(
        address, begun, tuple(asked),
        f"HTTP/{version.major}.{version.minor}" if version else "HTTP/1.1",
        response.status, response.reason or "", answered, body, cut, getattr(response, "peer", ""),
    )  # fmt: skip
