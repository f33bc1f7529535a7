"""The codes: packed lists are read back by every reader, and no code word begins another."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.graph.storage import codebook, codes
from counterpoint.graph.storage.arrays import parts_of
from counterpoint.graph.storage.packed import pack, packed_part
from counterpoint.graph.storage.sorting import MergedRuns, write_whole

from .graphs import Lists, lists_of, some_lists

FREQUENCIES = st.lists(
    st.integers(0, 10**12), min_size=codebook.CLASSES, max_size=codebook.CLASSES
).map(np.array)


@given(FREQUENCIES)
def test_a_code_is_complete_and_no_word_begins_another(frequencies: np.ndarray) -> None:
    """A code that cannot be decoded, or one with unused words."""
    lengths = codebook.lengths(frequencies)
    assert codebook.is_code(lengths)
    words = [f"{int(w):0{n}b}"[::-1] for w, n in zip(codebook.words(lengths), lengths, strict=True)]
    assert not any(b.startswith(a) for a, b in itertools.permutations(words, 2))


@given(FREQUENCIES)
def test_a_code_is_as_short_as_hufmans_where_that_has_no_long_words(freq: np.ndarray) -> None:
    """A code longer than that of Huffman's plain algorithm."""
    frequencies = np.maximum(freq % 50, 1) + 10
    rows = sorted((int(f), k, [k]) for k, f in enumerate(frequencies))
    depth = [0] * len(rows)
    tie = len(rows)
    while len(rows) > 1:
        (f, _, a), (g, _, b) = rows[0], rows[1]
        for k in a + b:
            depth[k] += 1
        rows = sorted([*rows[2:], (f + g, tie, a + b)], key=lambda row: row[:2])
        tie += 1
    assert max(depth) <= codebook.LONGEST
    found = codebook.lengths(frequencies)
    assert int((found * frequencies).sum()) == int((np.array(depth) * frequencies).sum())


@pytest.mark.long
@given(some_lists())
@settings(max_examples=150, deadline=None)
def test_every_reader_gives_back_what_was_packed(graph: Lists) -> None:
    """Bits lost at the end of a word, wrong first targets, or lists skipped by a wrong length."""
    packed = pack(graph.offsets, graph.targets, graph.hosts)
    offsets, targets = packed.expanded()
    assert (offsets == graph.offsets).all()
    assert (targets == graph.targets).all()
    for node in range(graph.nodes):
        assert packed.list_of(node).tolist() == graph.of(node)
    in_order = [link for node in range(graph.nodes) for link in _locals_first(graph, node)]
    assert _by_blocks(packed) == in_order


def _locals_first(graph: Lists, node: int) -> list[int]:
    host = int(np.searchsorted(graph.hosts, node, side="right")) - 1
    local = range(int(graph.hosts[host]), int(graph.hosts[host + 1]))
    row = graph.of(node)
    return [t for t in row if t in local] + [t for t in row if t not in local]


def _by_blocks(packed: codes.Array) -> list[int]:
    found: list[int] = []
    ends = np.empty(2 * codes.BLOCK + 1, dtype=np.int64)
    held = np.empty(max(packed.widest, 1), dtype=np.uint32)
    for block in range(packed.blocks):
        arrays = packed.words, packed.starts, packed.tables, packed.nodes, packed.longest
        count = codes.unpack_block(*arrays, block, ends, held)
        found += held[: ends[2 * count]].tolist()
    return found


def test_the_greatest_pages_can_be_written() -> None:
    """A difference of 32 bits with a sign, which does not fit the classes."""
    top = 2**32 - 2
    hosts = np.array([0, 32, 64, 2**32 - 1], dtype=np.uint32)
    rows = [[0, top], [31, top - 1, top], [0, 1, top]] + [[] for _ in range(29)]
    offsets = np.cumsum([0, *map(len, rows)])
    targets = np.array([t for row in rows for t in row], dtype=np.uint32)
    packed = pack(offsets, targets, hosts)._replace(nodes=top + 1)
    assert [packed.list_of(node).tolist() for node in range(3)] == rows[:3]


@pytest.mark.parametrize("block", [0, 1, 2])
def test_parts_put_together_are_the_whole(block: int) -> None:
    """Parts that depend on the parts before them."""
    pages, first = 3 * codes.BLOCK, block * codes.BLOCK
    rows = [[k, (7 * k) % pages, 3] for k in range(pages)]
    graph = lists_of(rows, [40, 70])
    whole = pack(graph.offsets, graph.targets, graph.hosts)
    begin = graph.offsets[first]
    words, bits, starts = packed_part(
        graph.offsets[first:] - begin, graph.targets[begin:], graph.hosts, first, _codes(graph)
    )
    before = int(whole.starts[block])
    assert (starts + before == whole.starts[block:-1]).all()
    assert int(whole.starts[-1]) == before + bits
    shown = _bits(whole.words)[before : before + bits]
    assert (_bits(words)[:bits] == shown).all()


@pytest.mark.parametrize("pages", [0, 1, 64, 65, 100_000, 2**32 - 2])
@pytest.mark.parametrize("most", [40, 1 << 24])
def test_parts_have_few_pages_where_these_have_no_links(pages: int, most: int) -> None:
    """One link, 0 to 4,000,000,000, that takes all memory."""
    link = np.array([(max(pages - 1, 0) << 32) | 1][: min(pages, 1)], dtype=np.uint64)
    found = MergedRuns([link], pages, in_order=False).parts(most)
    assert (found[0][0], found[-1][1]) == (0, pages)
    assert all(one[1] == other[0] for one, other in itertools.pairwise(found))
    assert all(first % codes.BLOCK == 0 for first, _ in found)
    assert max(last - first for first, last in found) <= max(most, 1 << 20)
    some = min(pages, 200_000)
    offsets = np.zeros(some + 1, dtype=np.int64)
    found = parts_of(offsets, most)
    assert (found[0][0], found[-1][1]) == (0, some)
    assert max(last - first for first, last in found) <= max(most, codes.BLOCK)


def test_a_part_for_which_there_is_no_room(tmp_path: Path) -> None:
    """An error that names bytes requested and written, and not the full disk."""
    (tmp_path / "a.part").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left on device"):
        write_whole(tmp_path / "a", [np.zeros(1 << 20)])
    assert not (tmp_path / "a").exists()


def _codes(graph: Lists):  # type: ignore[no-untyped-def]
    from counterpoint.graph.storage.packed import Codes, counted

    return Codes.of(counted(graph.offsets, graph.targets, graph.hosts))


def _bits(words: np.ndarray) -> np.ndarray:
    return np.unpackbits(words.view(np.uint8), bitorder="little")


@pytest.mark.parametrize("name", ["_head", "_skip", "read_list"])
def test_what_runs_for_each_list_does_not_count_references(name: str) -> None:
    """A second way out of a function, for which Numba counts the references to its arrays."""
    packed = pack(np.array([0, 1]), np.array([0], dtype=np.uint32), np.array([0, 1]))
    number, cursor = np.uint64(0), np.zeros(codes.CURSOR, dtype=np.uint64)
    arguments: dict[str, tuple[Any, ...]] = {
        "_head": (packed.words, packed.tables, packed.longest, cursor, number, number),
        "_skip": (packed.words, packed.tables, cursor, number),
        "read_list": (packed.words, packed.tables, 1, cursor, np.zeros(1, np.uint32), number),
    }
    function: Any = getattr(codes, name)
    again: Any = numba.njit(nogil=True, error_model="numpy")(function.py_func)
    again.compile(tuple(map(numba.typeof, arguments[name])))
    (text,) = again.inspect_llvm().values()
    bodies = re.findall(r"^define [^\n]*@([^(]*)\((.*?)^}", text, re.MULTILINE | re.DOTALL)
    (own,) = (
        body for label, body in bodies
        if name in label and not any(other in label for other in ("cpython", "cfunc"))
    )  # fmt: skip
    assert "NRT_incref" not in own
