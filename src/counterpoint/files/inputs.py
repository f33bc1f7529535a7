"""The limits of all files that commands read.

A file that is no file of its kind, such as a device or a sparse file, may have no line feed and no
end. So lines are read up to a limit, and so are texts that are read as a whole.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import IO

LINE = 1 << 20
"""The most bytes of a line with a few fields, such as one of a run of TREC."""
PIECE = 1 << 20
"""Bytes of a file that are read at a time."""
TEXT = 1 << 28
"""The most bytes of a text that is read as a whole, and of a line that has a whole page."""


class TooLargeError(ValueError):
    """A file has more than its reader takes; the message says what, without the file's name."""


def lines_of(file: IO[bytes], most: int = LINE, begun: int = 0) -> Iterator[bytes]:
    """Yield the lines of a file with their line feeds; the last line may lack it.

    Parameters
    ----------
    file : binary file
    most : int
        The most bytes of a line.
    begun : int
        How many lines have been read before, for the message.

    Raises
    ------
    TooLargeError
        If a line is longer; no more of it has been read. The message has its number.
    """
    number = begun
    while line := file.readline(most + 1):
        number += 1
        if len(line) > most:
            raise TooLargeError(f"line {number:,} is longer than {most >> 20:,} MB")
        yield line


def whole(file: IO[bytes], most: int = TEXT) -> bytearray:
    """Return all that a file has.

    Raises
    ------
    TooLargeError
        If it has more than so many bytes; little more of it has been read.
    """
    data = bytearray()
    while piece := file.read(PIECE):  # to read so many bytes at once would allocate them all
        data += piece
        if len(data) > most:
            raise TooLargeError(f"is larger than {most >> 20:,} MB")
    return data


def without_advice(error: ValueError) -> str:
    """Return the message of a reader of JSON or TOML, for a user.

    Where a number has thousands of digits, Python's own advises a programmer to allow them.
    """
    if "sys.set_int_max_str_digits" not in str(error):
        return str(error)
    return f"a number has more than {sys.get_int_max_str_digits():,} digits"
