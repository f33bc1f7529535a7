"""Prints C code that replaces a state by the representative of its class under symmetry.

With one index, members are sorted by their own cells. All orders of members with equal cells are
tried, and the least of those states represents the class. With several indices, all permutations
are tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial, prod

from counterpoint.models.symbolic.symmetry import InterchangeableIndices, MemberExchange
from counterpoint.spec.notation import Array, Model, Reference
from counterpoint.spec.notation.nodes import Cell

from .layout import WORD, BitPacking

ALL_BITS = (1 << WORD) - 1


def printed(symmetry: InterchangeableIndices, layout: BitPacking) -> list[str]:
    """Return lines that define ``SYMMETRY``, the size of the group, and ``canonical(state)``.

    ``canonical`` replaces a state by the representative of its class; it returns the number of
    permutations of the members that lead to it.
    """
    exchanges = [(i, k, by) for i, (_, swaps) in enumerate(symmetry.indices)
                 for k, by in enumerate(swaps)]  # fmt: skip
    lines = [f"#define SYMMETRY {prod(factorial(len(s) + 1) for _, s in symmetry.indices)}"]
    numbers = {}
    for number, (i, k, by) in enumerate(exchanges):
        numbers[i, k] = number
        lines += [f"static inline void exchange{number}(word *restrict s) {{", "word x, y;"]
        lines += [*_moves(by, layout), *_renames(by, layout), "}"]
    lines += [
        "static inline void exchange(int number, word *s) {",
        "switch (number) {",
        *(f"case {n}: exchange{n}(s); break;" for n in range(len(exchanges))),
        "}",
        "}",
    ]
    if len(symmetry.indices) == 1:
        return [*lines, *_sorting(symmetry, layout)]
    walk = [numbers[step] for step in _walk([len(s) + 1 for _, s in symmetry.indices])]
    return [*lines, f"static const uint8_t walk[] = {{{', '.join(map(str, walk))}}};", CANONICAL]


def _sorting(symmetry: InterchangeableIndices, layout: BitPacking) -> list[str]:
    """Return lines that sort the members by their own cells, and try orders of equal members."""
    ((name, swaps),) = symmetry.indices
    size = len(swaps) + 1
    runs = [plain_changes(n) for n in range(size + 1)]
    own = own_cells(symmetry.model, name, layout)
    return [
        f"#define MEMBERS {size}",
        "static inline void signatures(const word *s, word *g) {",
        *(f"g[{m}] = {_gathered(own[m], layout)};" for m in range(size)),
        "}",
        *(f"static const uint8_t changes{n}[] = {{{', '.join(map(str, [*runs[n], 0]))}}};"
          for n in range(size + 1)),
        f"static const uint8_t *const changes[] = {{"
        f"{', '.join(f'changes{n}' for n in range(size + 1))}}};",
        f"static const uint32_t changes_of[] = {{{', '.join(str(len(r)) for r in runs)}}};",
        SORTING,
    ]  # fmt: skip


def own_cells(model: Model, name: str, layout: BitPacking) -> list[list[Cell]]:
    """Return, for each member of an index, its own cells, which references do not affect.

    Parameters
    ----------
    model : Model
        The spec.
    name : str
        The public name of the index.
    layout : BitPacking
        The widths of cells.

    Returns
    -------
    list of list of Cell
        Equally many for each member, in the same order, and at most a machine word of bits.
    """
    index = next(p for p in model.spec.declared_parameters.values() if p.name == name)
    found: list[list[Cell]] = [[] for _ in range(index.value(model.spec))]
    width = [0] * len(found)
    for cell in layout.cells:
        variable = model.spec.declared_variables[cell.variable]
        element = variable.of if isinstance(variable, Array) else variable
        place = layout.places.get(cell)
        if place is None or isinstance(element, Reference) or variable.indices.count(index) != 1:
            continue
        member = cell.index[variable.indices.index(index)]
        width[member] += place.width
        found[member].append(cell)
    while max(width) > WORD:  # a missing cell only means more orders to try
        width = [w - layout.places[own.pop()].width for w, own in zip(width, found, strict=True)]
    return found


def _gathered(own: Sequence[Cell], layout: BitPacking) -> str:
    """Return an expression for the bits of some cells, packed; neighbouring cells move together."""
    parts: list[tuple[int, int, int, int]] = []  # word, shift, width, where to
    at = 0
    for cell in own:
        place = layout.places[cell]
        if parts and parts[-1][:2] == (place.word, place.shift - parts[-1][2]):
            word, shift, width, to = parts.pop()
            parts.append((word, shift, width + place.width, to))
        else:
            parts.append((place.word, place.shift, place.width, at))
        at += place.width
    shown = [f"(s[{w}] >> {shift} & {(1 << n) - 1:#x}u) << {to}" for w, shift, n, to in parts]
    return " | ".join(shown) or "0"


SORTING = """\
typedef struct {
  word *best, s[W], g[MEMBERS];
  uint32_t ways;
} orders;

static void try_orders(orders *o, int from) {
  int end;
  while (from + 1 < MEMBERS && o->g[from] != o->g[from + 1]) from++;
  if (from + 1 >= MEMBERS) {
    int w = 0;
    while (w < W && o->s[w] == o->best[w]) w++;
    if (w == W) o->ways++;
    else if (o->s[w] < o->best[w]) {
      for (w = 0; w < W; w++) o->best[w] = o->s[w];
      o->ways = 1;
    }
    return;
  }
  for (end = from + 1; end < MEMBERS && o->g[end] == o->g[from]; end++) {}
  try_orders(o, end);
  for (uint32_t i = 0; i < changes_of[end - from]; i++) {
    exchange(from + changes[end - from][i], o->s);
    try_orders(o, end);
  }
}

static uint32_t canonical(word *restrict best) {
  orders o;
  int tied = 0;
  signatures(best, o.g);
  for (int i = 1; i < MEMBERS; i++)
    for (int k = i; k > 0 && o.g[k - 1] > o.g[k]; k--) {
      word g = o.g[k];
      exchange(k - 1, best);
      o.g[k] = o.g[k - 1], o.g[k - 1] = g;
    }
  for (int i = 1; i < MEMBERS; i++) tied |= o.g[i - 1] == o.g[i];
  if (!tied) return 1;
  for (int w = 0; w < W; w++) o.s[w] = best[w];
  o.best = best, o.ways = 0;
  try_orders(&o, 0);
  return o.ways;
}"""

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
    """Return exchanges of neighbours (index, place) that visit every permutation once."""
    found: list[tuple[int, int]] = []
    for i, size in enumerate(sizes):
        round_ = [(i, k) for k in plain_changes(size)]
        longer = list(round_)
        for step in found:
            longer += [step, *round_]
        found = longer
    return found


def plain_changes(size: int) -> list[int]:
    """Return the neighbours to exchange, one after the other, to visit every order once."""
    if size < 2:
        return []
    inner, down = plain_changes(size - 1), True
    found: list[int] = []
    for step in [*inner, None]:
        run = range(size - 2, -1, -1) if down else range(size - 1)
        found += run
        if step is not None:  # the largest is first after a run down, last after a run up
            found.append(step + 1 if down else step)
        down = not down
    return found


def _moves(by: MemberExchange, layout: BitPacking) -> list[str]:
    """Return statements that swap the bits of cells; swaps over one distance are combined."""
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


def _renames(by: MemberExchange, layout: BitPacking) -> list[str]:
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
