"""The channel by which a process that runs policies sends its results, in checked frames.

A policy can write into any open file of its process, close it, or put another in its place. So each
frame begins with a word that only the two processes know, and has the length and a digest of its
content. The receiver never waits for the rest of a frame, and reads no content whose digest
does not match.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import secrets
import struct
from typing import Any

_HEAD = struct.Struct("<8sQ16s")
_MOST = 1 << 20
"""Bytes that are read at once."""


class ChannelError(Exception):
    """What arrived is no frame of the sender, or the file of the sender is not the channel."""


def new_word() -> bytes:
    """Return a word for a new channel."""
    return secrets.token_bytes(8)


class Sender:
    """The end of a channel at which frames are sent.

    Parameters
    ----------
    descriptor : int
        The file descriptor to write to.
    word : bytes
        The word of the channel.
    """

    def __init__(self, descriptor: int, word: bytes) -> None:
        self._descriptor, self._word = descriptor, word
        self._file = _identity(descriptor)

    def is_intact(self) -> bool:
        """Return whether the descriptor is still open, and still that of the channel."""
        try:
            return _identity(self._descriptor) == self._file
        except OSError:
            return False

    def send(self, message: Any) -> None:
        """Send an object as one frame.

        Raises
        ------
        ChannelError
            If the descriptor was closed, or is that of another file now.
        OSError
            If nobody receives.
        """
        content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        frame = memoryview(_HEAD.pack(self._word, len(content), _digest(content)) + content)
        if not self.is_intact():
            raise ChannelError("the channel was closed")
        while frame:
            frame = frame[os.write(self._descriptor, frame) :]


class Receiver:
    """The end of a channel at which frames arrive.

    Parameters
    ----------
    descriptor : int
        The file descriptor to read from; it must not block.
    word : bytes
        The word of the channel.

    Attributes
    ----------
    ended : bool
        Whether the other end was closed.
    """

    def __init__(self, descriptor: int, word: bytes) -> None:
        self._descriptor, self._word = descriptor, word
        self._bytes = bytearray()
        self.ended = False

    def fileno(self) -> int:
        """Return the file descriptor, for `multiprocessing.connection.wait`."""
        return self._descriptor

    def received(self) -> list[Any]:
        """Return the objects that have arrived as a whole since the last call.

        Raises
        ------
        ChannelError
            If something else than frames arrived; what arrived before it is lost, too.
        """
        self._read()
        found = []
        while (message := self._next()) is not None:
            found.append(message[0])
        return found

    def _read(self) -> None:
        while not self.ended:
            try:
                some = os.read(self._descriptor, _MOST)
            except BlockingIOError:
                return
            except ConnectionResetError:
                some = b""
            self.ended = not some
            self._bytes += some

    def _next(self) -> tuple[Any] | None:
        """Take the next object from what was read; None if it has not arrived as a whole."""
        head = bytes(self._bytes[: _HEAD.size])
        if not head.startswith(self._word[: len(head)]):
            raise ChannelError("no frame")
        if len(head) < _HEAD.size:
            return None
        _, length, digest = _HEAD.unpack(head)
        end = _HEAD.size + length
        if len(self._bytes) < end:
            return None
        content = bytes(self._bytes[_HEAD.size : end])
        del self._bytes[:end]
        if _digest(content) != digest:
            raise ChannelError("a damaged frame")
        return (pickle.loads(content),)


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).digest()


def _identity(descriptor: int) -> tuple[int, int]:
    found = os.fstat(descriptor)
    return found.st_dev, found.st_ino
