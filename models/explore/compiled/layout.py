"""The positions of cells in a state that is packed into bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from counterpoint.spec.notation import Values
from counterpoint.spec.notation.nodes import Cell

WORD = 64
"""Bits of a machine word."""


@dataclass(frozen=True)
class BitPosition:
    """The position of a cell.

    Attributes
    ----------
    word, shift, width : int
        The machine word, the cell's lowest bit in it, and its number of bits.
    """

    word: int
    shift: int
    width: int

    @property
    def mask(self) -> int:
        """The bit mask of the cell in its word."""
        return ((1 << self.width) - 1) << self.shift


@dataclass(frozen=True)
class BitPacking:
    """States as machine words: a cell's value minus its least value, within one word.

    Attributes
    ----------
    cells : tuple of Cell
        All cells of a state.
    places : dict of Cell to BitPosition
        The positions of the cells that have more than one value.
    words : int
        The number of words of a state, at least 1.
    """

    cells: tuple[Cell, ...]
    places: dict[Cell, BitPosition]
    words: int

    @property
    def size(self) -> int:
        """The number of bytes of a state."""
        return self.words * WORD // 8

    def pack(self, values: Values) -> bytes:
        """Return a state as bytes."""
        number = 0
        for cell, value in zip(self.cells, values, strict=True):
            place = self.places.get(cell)
            if place is not None:
                number |= (value - cell.low) << place.word * WORD + place.shift
        return number.to_bytes(self.size, "little")

    def unpack(self, state: bytes) -> Values:
        """Return a packed state's values."""
        number = int.from_bytes(state, "little")
        return tuple([low + (number >> shift & mask) for low, shift, mask in self._bits])

    @cached_property
    def _bits(self) -> list[tuple[int, int, int]]:
        """The least value of each cell, its lowest bit in a state, and a mask of its width."""
        found = []
        for cell in self.cells:
            place = self.places.get(cell, BitPosition(0, 0, 0))
            found.append((cell.low, place.word * WORD + place.shift, (1 << place.width) - 1))
        return found


def bit_packing(cells: Sequence[Cell]) -> BitPacking:
    """Assign each cell to the first word that has room for it, the widest cells first."""
    room: list[int] = []
    places: dict[Cell, BitPosition] = {}
    for cell in sorted(cells, key=lambda c: -(c.high - c.low).bit_length()):
        width = (cell.high - cell.low).bit_length()
        if not width:
            continue
        word = next((i for i, left in enumerate(room) if left >= width), len(room))
        if word == len(room):
            room.append(WORD)
        places[cell] = BitPosition(word, WORD - room[word], width)
        room[word] -= width
    return BitPacking(tuple(cells), places, max(1, len(room)))
