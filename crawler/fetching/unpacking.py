"""Unpacks the bodies of answers piece by piece, within limits.

This is the one place where content codings and transfer codings are undone, for pages and for
robots.txt. A byte of gzip can decompress to a thousand bytes, and a byte of Brotli to a million. So
the size of the decompressed body is limited, and not only that of the compressed one; of a body
with several codings, each layer is.
"""

from __future__ import annotations

from .codings import Codec, UnpackingError, codecs_for, listed

HARMLESS = 1_000_000
"""Bytes to which every body may be decompressed, whatever its compressed size: a page of blanks is
not a decompression bomb."""
OVERHEAD = 65_536
"""Bytes by which a compressed body may exceed the limit of the decompressed one."""
_STEP = 65_536
"""Bytes that a layer unpacks at a time."""


class Unpacking:
    """Unpacks one body.

    Parameters
    ----------
    content : str
        The header Content-Encoding: any number of codings, up to `codings.MOST`.
    most : int
        The wanted number of bytes; a few more may be returned.
    ratio : int
        The largest allowed ratio of decompressed to compressed size, of each layer.
    transfer : str
        The header Transfer-Encoding; ``chunked`` must have been removed from the body.

    Attributes
    ----------
    out : bytearray
        What was unpacked.
    unknown : str
        Why the body cannot be unpacked; "" if it can. It is then left unchanged, as browsers do.
    """

    def __init__(self, content: str, most: int, ratio: int, transfer: str = "") -> None:
        codecs, self.unknown = codecs_for(listed(content, transfer))
        self._layers = [_Layer(codec) for codec in codecs]
        self._most, self._ratio = most, ratio
        self.out = bytearray()

    @property
    def full(self) -> bool:
        """Whether the body exceeds the limit, decompressed or compressed.

        A compressed body counts too, since it may decompress to nothing.
        """
        if len(self.out) > self._most:
            return True
        # any() with a generator takes longer, and this is asked for each piece.
        for layer in self._layers:  # noqa: SIM110
            if layer.taken > self._most + OVERHEAD:
                return True
        return False

    @property
    def whole(self) -> bool:
        """Whether the compressed data is complete."""
        return all(layer.codec.ended or not layer.taken for layer in self._layers)

    def feed(self, data: bytes) -> None:
        """Unpack more of the body, up to the limit, and append it to ``out``.

        Raises
        ------
        UnpackingError
            If the body is not compressed as its Content-Encoding says, or grows too much. ``out``
            then contains the part before the error.
        """
        if self._layers:
            self._unpack(0, data)
        else:
            self.out += data

    def finish(self) -> None:
        """Unpack what was held back until the end of the body; raise as `feed` does."""
        for number, layer in enumerate(self._layers):
            layer.codec.close()
            self._unpack(number, b"")

    def _unpack(self, number: int, data: bytes) -> None:
        """Unpack data that came to a layer, and let the next layer do the same."""
        layer, last = self._layers[number], number == len(self._layers) - 1
        layer.taken += len(data)
        while not self.full:
            most = min(_STEP, self._most + 1 - len(self.out)) if last else _STEP
            piece = layer.codec.unpack(data, most)
            data = b""
            if not piece:
                return
            layer.made += len(piece)
            if last:
                self.out += piece
            else:
                self._unpack(number + 1, piece)
            if layer.made > max(HARMLESS, self._ratio * self._layers[0].taken):
                raise UnpackingError(f"unpacks to more than {self._ratio} times its size")


class _Layer:
    """A codec, the number of bytes that it has taken, and of those that it has made."""

    def __init__(self, codec: Codec) -> None:
        self.codec, self.taken, self.made = codec, 0, 0
