"""Prints the exchange of interchangeable members in C, and which arrangement is the least."""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial, prod

from spec.notation._nodes import Cell

from ..symmetry import Exchange, Interchangeable
from .layout import WORD, BitPacking

ALL_BITS = (1 << WORD) - 1


def printed(symmetry: Interchangeable, layout: BitPacking) -> list[str]:
    """Return lines that define ``SYMMETRY``, the size of the group, and ``canonical(state)``.

    ``canonical`` makes a state the least of its class; it returns how many arrangements of the
    members lead to that.
    """
    exchanges = [(i, k, by) for i, (_, swaps) in enumerate(symmetry.indices)
                 for k, by in enumerate(swaps)]  # fmt: skip
    lines = [f"#define SYMMETRY {prod(factorial(len(s) + 1) for _, s in symmetry.indices)}"]
    numbers = {}
    for number, (i, k, by) in enumerate(exchanges):
        numbers[i, k] = number
        lines += [f"static inline void exchange{number}(word *restrict s) {{", "word x, y;"]
        lines += [*_moves(by, layout), *_renames(by, layout), "}"]
    walk = [numbers[step] for step in _walk([len(s) + 1 for _, s in symmetry.indices])]
    lines += [
        "static inline void exchange(int number, word *s) {",
        "switch (number) {",
        *(f"case {n}: exchange{n}(s); break;" for n in range(len(exchanges))),
        "}",
        "}",
        f"static const uint8_t walk[] = {{{', '.join(map(str, walk))}}};",
        CANONICAL,
    ]
    return lines


CANONICAL = """\
static uint32_t canonical(word *restrict best) {
  word s[W];
  uint32_t ways = 1;
  for (int w = 0; w < W; w++) s[w] = best[w];
  for (unsigned i = 0; i < sizeof walk; i++) {
    exchange(walk[i], s);
    int w = 0;
    while (w < W && s[w] == best[w]) w++;
    if (w == W) ways++;
    else if (s[w] < best[w]) {
      for (w = 0; w < W; w++) best[w] = s[w];
      ways = 1;
    }
  }
  return ways;
}"""


def _walk(sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Return exchanges of neighbours (index, place) that lead through every arrangement once."""
    found: list[tuple[int, int]] = []
    for i, size in enumerate(sizes):
        round_ = [(i, k) for k in plain_changes(size)]
        longer = list(round_)
        for step in found:
            longer += [step, *round_]
        found = longer
    return found


def plain_changes(size: int) -> list[int]:
    """Return the neighbours to exchange, one after the other, to have every order once."""
    if size < 2:
        return []
    inner, down = plain_changes(size - 1), True
    found: list[int] = []
    for step in [*inner, None]:
        run = range(size - 2, -1, -1) if down else range(size - 1)
        found += run
        if step is not None:  # the largest stands in front after a run down, behind after one up
            found.append(step + 1 if down else step)
        down = not down
    return found


def _moves(by: Exchange, layout: BitPacking) -> list[str]:
    """Return statements that swap the bits of cells, those of one distance at once."""
    masks: dict[tuple[int, int, int], int] = {}
    for i, j in enumerate(by.moves):
        place, other = layout.places.get(layout.cells[i]), layout.places.get(layout.cells[j])
        if i < j and place is not None and other is not None:
            if (other.word, other.shift) < (place.word, place.shift):
                place, other = other, place
            key = (place.word, other.word, other.shift - place.shift)
            masks[key] = masks.get(key, 0) | place.mask
    lines = []
    for (word, to, distance), mask in sorted(masks.items()):
        shifted = f"s[{to}] >> {distance}" if distance >= 0 else f"s[{to}] << {-distance}"
        back = f"x << {distance}" if distance >= 0 else f"x >> {-distance}"
        lines.append(
            f"x = (s[{word}] ^ ({shifted})) & {mask:#x}u; s[{word}] ^= x; s[{to}] ^= {back};"
        )
    return lines


def _renames(by: Exchange, layout: BitPacking) -> list[str]:
    """Return statements that swap two values in all references of a word at once."""
    fields: dict[tuple[int, int, int], list[Cell]] = {}
    for i in sorted(by.renames):
        cell = layout.cells[i]
        if cell in layout.places:
            place = layout.places[cell]
            fields.setdefault((place.word, place.width, cell.low), []).append(cell)
    lines = []
    for (word, width, low), cells in fields.items():
        ones = sum(1 << layout.places[c].shift for c in cells)
        one, other = by.first - low, by.first + 1 - low
        for name, code in (("x", one), ("y", other)):
            lines.append(f"{name} = s[{word}] ^ {ones * code:#x}u;")
            lines += [f"{name} |= {' | '.join(f'{name} >> {b}' for b in range(1, width))};"]
        lines.append(f"s[{word}] ^= (~(x & y) & {ones:#x}u) * {one ^ other}u;")
    return lines
