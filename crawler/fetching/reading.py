"""Reads the body of an answer from its connection, unpacked and within the limits."""

from __future__ import annotations

import asyncio
import re

import aiohttp
from multidict import CIMultiDictProxy

from .codings import UnpackingError
from .room import GrowingBody
from .unpacking import Unpacking


class Reading:
    """Reads one body within the limits, and records why it is incomplete.

    Parameters
    ----------
    headers : CIMultiDictProxy
        The headers of the answer.
    most : int
        The wanted number of bytes, unpacked.
    ratio : int
        The largest allowed ratio of unpacked to packed size.

    Attributes
    ----------
    body : Unpacking
    problem : str
        What is wrong with the body, in one line; "": nothing.
    cut : str
        Why the body is incomplete, as `Message.cut` says it; "" if it is complete.
    """

    def __init__(self, headers: CIMultiDictProxy[str], most: int, ratio: int) -> None:
        content = ",".join(headers.getall("Content-Encoding", ()))
        transfer = ",".join(headers.getall("Transfer-Encoding", ()))
        self.body = Unpacking(content, most, ratio, transfer)
        self._most = most
        self.problem = self.cut = ""
        if self.body.unknown:
            self.problem = f"{self.body.unknown}: read as it came"

    @property
    def broken(self) -> bool:
        """Whether the body broke off before its end."""
        return self.cut in ("disconnect", "time")

    async def read(
        self, response: aiohttp.ClientResponse, wire: bytearray | None, growing: GrowingBody,
        end: float,
    ) -> None:  # fmt: skip
        """Read the body.

        Parameters
        ----------
        response : ClientResponse
        wire : bytearray or None
            Gets the bytes as they were received, if it is given.
        growing : GrowingBody
            The body's part of the memory for bodies; waiting for it takes no time of the answer.
        end : float
            When the answer must be complete, by the clock of the event loop.
        """
        fault = ""
        try:
            fault = await self._receive(response, wire, growing, end)
            self.body.finish()
        except UnpackingError as error:
            if not self.cut:
                self.problem, self.cut = f"{error}: cut", "unspecified"
        size = len(self.body.out)
        if fault:
            self.problem = _shortened(f"breaks off after {size:,} bytes: {fault}")
        elif not self.cut and not self.body.whole:
            self.problem = f"breaks off after {size:,} bytes, in its compressed data"

    async def _receive(
        self, response: aiohttp.ClientResponse, wire: bytearray | None, growing: GrowingBody,
        end: float,
    ) -> str:  # fmt: skip
        """Receive the body up to its limit; return why it broke off, or ""."""
        content = response.content
        try:
            # A small body came with its head, and needs no timer, which takes a while to set.
            piece = content.read_nowait()
            has_room = not piece or self._takes(piece, wire, growing)
            if self.cut or (has_room and content.at_eof()):
                return ""
            async with asyncio.timeout_at(end) as clock:
                while not self.cut:
                    if not has_room:
                        clock.reschedule(None)
                        end += await growing.room()
                        clock.reschedule(end)
                    if not (piece := await content.readany()):
                        break
                    has_room = self._takes(piece, wire, growing)
        except (aiohttp.ClientError, OSError) as error:
            self.cut = "time" if isinstance(error, TimeoutError) else "disconnect"
            return describe(error)
        return ""

    def _takes(self, piece: bytes, wire: bytearray | None, growing: GrowingBody) -> bool:
        """Unpack a piece of the body; return whether there is room for another one."""
        if wire is not None:
            wire += piece
        self.body.feed(piece)
        if self.body.full:
            self.problem, self.cut = f"longer than {self._most:,} bytes: cut", "length"
            return False
        return growing.grow(len(self.body.out) + len(wire or b""))


LONGEST = 500
"""Characters of a problem that are kept: an error may quote an answer of any length, and a store
has a problem for each visit."""

_CUT = "... (cut)"


def _shortened(problem: str) -> str:
    """Return a problem; one that is longer than `LONGEST` is cut, and says so."""
    if len(problem) <= LONGEST:
        return problem
    return problem[: LONGEST - len(_CUT)] + _CUT


_SSL = re.compile(r" ssl:\S+")
"""How aiohttp names the context of a connection, which says nothing to a user."""


def describe(error: BaseException) -> str:
    """Return the message of an error in one line of at most `LONGEST` printable characters."""
    if isinstance(error, TimeoutError):
        return "not in time"
    text = _SSL.sub("", " ".join(str(error).split())) or type(error).__name__
    if isinstance(error, aiohttp.ClientResponseError):  # its status is that of the parser
        text = f"the answer is no valid HTTP: {' '.join(error.message.split())}"
    # The message may quote the server, which may send control characters to a terminal.
    return _shortened("".join(sign if sign.isprintable() else "?" for sign in text))
