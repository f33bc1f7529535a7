"""Words with any bits: each reader of lists agrees with a plain decoder, and stays in its arrays.

The compiled functions run as Python here, so that NumPy checks each access to an array.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import pytest

from counterpoint.graph.storage import codebook, codes, unpacking
from counterpoint.graph.storage.codes import BLOCK, CURSOR, NOWHERE

from .fuzzing.numbers_of_lists import LARGEST, Encoder, Numbers

UNWRITTEN = 2**32 - 1
"""What arrays for links have before links are written; it is no page."""

FUNCTIONS = (
    "_hold", "_read_gap", "_limit", "_many", "_read", "_signed", "_head", "_skip", "_run",
    "open_list", "read_list", "unpack_block", "degrees_of_block",
)  # fmt: skip


@pytest.fixture(autouse=True)
def _as_python(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Replace the compiled functions by those from which they are compiled."""
    for module, names in ((codes, FUNCTIONS), (unpacking, (*FUNCTIONS[-4:], "_merged"))):
        for name in names:
            monkeypatch.setattr(module, name, getattr(module, name).py_func)
    with np.errstate(over="ignore"):  # numbers of 64 bits, as in compiled code
        yield


@cache
def _code(lengths: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return the length and the word of each class."""
    return list(zip(lengths, codebook.words(np.array(lengths)).tolist(), strict=True))


class Wrong(Exception):
    """A list is invalid."""


@dataclass
class Plain:
    """A decoder that follows the description of the format, with numbers of Python.

    Parameters
    ----------
    words : uint64
    lengths : int, shape (KINDS, CLASSES)
    at : int
        The bit at which a list begins.
    base : int
        The first page of the block.
    """

    words: np.ndarray
    lengths: np.ndarray
    at: int
    base: int
    counts: list[int] = field(default_factory=list)
    body: int = 0

    def __post_init__(self) -> None:
        self._bits = int.from_bytes(self.words.astype("<u8").tobytes(), "little")
        self._firsts = [self.base, self.base]

    def _number(self, kind: int) -> int:
        if self.at >= 64 * (len(self.words) - 1):
            raise Wrong
        rest = self._bits >> self.at
        for size, (length, word) in enumerate(_code(tuple(self.lengths[kind].tolist()))):
            if rest & ((1 << length) - 1) == word:
                self.at += length + size
                return ((rest >> length) & ((1 << size) - 1)) + (1 << size) - 1
        raise AssertionError("a code without a word for these bits")

    def head(self, longest: int) -> None:
        """Read the head of a list."""
        self.counts = [self._number(0), self._number(1)]
        self.body = self._number(2) if sum(self.counts) >= codes.LONG else -1
        for part in (0, 1):
            if self.counts[part]:
                number = self._number(3 + part)
                self._firsts[part] += -((number + 1) >> 1) if number & 1 else number >> 1
        if sum(self.counts) > longest or self.body == 0:
            raise Wrong

    def links(self) -> list[int]:
        """Read the gaps of a list, and return its links."""
        found = []
        for part, count in enumerate(self.counts):
            context, gaps = 0, [self._firsts[part]]
            for _ in range(count - 1):
                gap = self._number(5 + part * codebook.CONTEXTS + context)
                context = 1 + (((gap + 1).bit_length() - 1) >> 1)
                gaps.append(gap + 1)
            found += list(accumulate(gaps))[:count]
        return found

    def skip(self) -> None:
        """Read beyond the gaps of a list."""
        if self.body > 0:
            self.at += self.body
        else:
            self.links()


class Case(NamedTuple):
    """Words of one block, and what is said of them."""

    words: np.ndarray
    lengths: np.ndarray
    start: int
    end: int
    nodes: int
    longest: int
    room: int

    @property
    def lists(self) -> int:
        """The number of lists of the block."""
        return min(self.nodes, BLOCK)

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The words, the starts of blocks, and the tables."""
        starts = np.array([self.start, self.end], dtype=np.uint64)
        return self.words, starts, codebook.reading_tables(self.lengths)

    def plain(self) -> Plain:
        """Return a plain decoder at the first list."""
        return Plain(self.words, self.lengths, self.start, 0)

    def must_be_pages(self, links: list[int]) -> list[int]:
        """Return links; raise if one is no page."""
        if not all(0 <= one < self.nodes for one in links):
            raise Wrong
        return links


def _block(case: Case) -> list[list[int]] | None:
    """Return the lists that `unpack_block` should give; None: it should refuse them."""
    plain, found, held = case.plain(), [], 0
    try:
        for _ in range(case.lists):
            plain.head(case.longest)
            goal = plain.at + plain.body
            held += sum(plain.counts)
            if held > case.room:
                raise Wrong
            found.append(case.must_be_pages(plain.links()))
            if plain.body > 0 and plain.at != goal:
                raise Wrong
    except Wrong:
        return None
    return found if plain.at <= case.end else None


def _degrees(case: Case) -> list[int] | None:
    plain, found = case.plain(), []
    try:
        for _ in range(case.lists):
            plain.head(case.longest)
            found.append(sum(plain.counts))
            plain.skip()
    except Wrong:
        return None
    return found


def _one(case: Case, node: int) -> tuple[int, list[int] | None, int]:
    """Return the number of links of a node or -1, the links or None, and the bit after them."""
    plain = case.plain()
    try:
        for _ in range(node):
            plain.head(case.longest)
            plain.skip()
        plain.head(case.longest)
    except Wrong:
        return -1, None, int(NOWHERE)
    count = sum(plain.counts)
    try:
        return count, case.must_be_pages(plain.links()), plain.at
    except Wrong:
        return count, None, int(NOWHERE)


def agrees(case: Case) -> str:
    """Compare each reader with the plain decoder; return what they say of the block."""
    nodes, longest, zero = np.uint64(case.nodes), np.uint64(case.longest), np.uint64(0)
    words, starts, tables = case.arrays
    ends, degrees = np.zeros(2 * BLOCK + 1, np.int64), np.zeros(BLOCK, np.int64)
    cursor = np.zeros(CURSOR, np.uint64)
    targets = np.full(case.room, UNWRITTEN, np.uint32)
    count = codes.unpack_block(words, starts, tables, nodes, longest, zero, ends, targets)
    right = _block(case)
    assert count == (-1 if right is None else case.lists)
    for node, row in enumerate(right or []):
        assert targets[ends[2 * node] : ends[2 * node + 2]].tolist() == row
    count = codes.degrees_of_block(words, starts, tables, nodes, longest, zero, cursor, degrees)
    numbers = _degrees(case)
    assert (None if count < 0 else degrees[:count].tolist()) == numbers
    for node in {0, case.lists // 2, case.lists - 1}:
        links, row, after = _one(case, node)
        page = np.uint64(node)
        assert codes.open_list(words, starts, tables, longest, page, cursor) == links
        if links >= 0:
            held = np.full(links, UNWRITTEN, np.uint32)
            assert codes.read_list(words, tables, nodes, cursor, held, zero) == after
            assert row is None or held.tolist() == row
    return "refused" if right is None else "read"


@cache
def _lengths(seed: int) -> np.ndarray:
    """Return the lengths of codes, in most of which small numbers are short."""
    chance = np.random.default_rng(seed)
    often = (chance.random((codebook.KINDS, codebook.CLASSES)) ** 8 * 1000).astype(int)
    often[:, :3] += chance.integers(0, 5000)
    return np.array([codebook.lengths(row) for row in often])


def _list(chance: np.random.Generator, count: int, largest: int) -> Numbers:
    local = int(chance.integers(0, count + 1))
    counts = local, count - local
    gaps = [tuple(chance.integers(0, largest, max(one - 1, 0)).tolist()) for one in counts]
    return Numbers(counts, (2 * int(chance.integers(0, 2)), 0), (gaps[0], gaps[1]))


def _of(lists: list[Numbers], lengths: np.ndarray, nodes: int) -> Case:
    data, ends = Encoder(lengths.ravel()).written(lists)
    counts = [sum(one.counts) for one in lists]
    return Case(np.frombuffer(data, "<u8").astype(np.uint64), lengths, 0,
                int(np.frombuffer(ends, "<u8")[-1]), nodes, max(counts), sum(counts))  # fmt: skip


def written(seed: int) -> Case:
    """Return a block of lists whose numbers agree; some lists have links to no page."""
    chance = np.random.default_rng(seed)
    nodes = int(chance.choice([1, 3, 200, 2**32 - 1]))
    largest = int(chance.choice([1, 3, 1000, LARGEST])) if nodes > BLOCK else 1
    lists = [Numbers()] * min(nodes, BLOCK)
    for _ in range(3):
        count = int(chance.choice([0, 1, 2, 5, 40]))
        lists[chance.integers(len(lists))] = _list(chance, count, largest)
    if seed % 2:
        lists[-1] = _list(chance, 5, largest)  # its gaps end the words
    lengths = _lengths(seed % 5)
    return _of(lists, lengths, nodes)


def test_lists_as_they_are_written() -> None:
    """A plain decoder that refuses everything, or a reader that refuses a valid list."""
    found = [agrees(written(seed)) for seed in range(60)]
    assert min(found.count("read"), found.count("refused")) > 10


def test_one_less_than_is_needed() -> None:
    """Room for one link more than there is; a list that ends after the next block begins."""
    for seed in range(60):
        case = written(seed)
        if agrees(case) == "read":
            for change in ("room", "end", "longest"):
                less = getattr(case, change) - 1
                if less >= 0:
                    assert agrees(case._replace(**{change: less})) == "refused", change


def test_a_list_with_another_length_than_it_says() -> None:
    """A list that is read with one end and skipped with another."""
    for body in (None, 0, 3, 5000):
        lists = [Numbers((0, 39), (0, 0), ((), (0,) * 38), body), *[Numbers((1, 0))] * 63]
        assert agrees(_of(lists, _lengths(1), 64)) == ("refused" if body is not None else "read")


def test_words_that_end_too_early() -> None:
    """Numbers from beyond the words, or links that were never written."""
    for seed in range(40):
        case = written(seed)
        for count in range(1, len(case.words)):
            agrees(case._replace(words=case.words[:count]))


def test_words_that_end_within_a_head() -> None:
    """A length that is added to the place of a list which is nowhere: the first bits follow."""
    for before in range(1, 40):
        lists = [Numbers()] * before + [Numbers((0, 39), gaps=((), (0,) * 38))] + [Numbers()] * 5
        case = _of(lists, _lengths(2), len(lists))
        for count in range(1, len(case.words)):
            agrees(case._replace(words=case.words[:count]))


def test_words_with_other_bits() -> None:
    """A number of which anything is presumed."""
    for seed in range(100):
        chance, case = np.random.default_rng(seed), written(seed)
        words = case.words.copy()
        words[chance.integers(len(words))] ^= np.uint64(1 << int(chance.integers(64)))
        agrees(case._replace(words=words))
        words = chance.integers(0, 2**64, len(words), dtype=np.uint64)
        start = int(chance.integers(64 * len(words) + 2))
        agrees(case._replace(words=words, start=start, end=2**64 - 1, room=100, longest=100))


@pytest.mark.parametrize("pages", [[0], [0, 1]])
def test_a_list_that_is_longer_than_the_buffer(pages: list[int]) -> None:
    """A list of ``longest`` links in a buffer for the fewer ones that its block is said to have."""
    lists = [Numbers((5, 0), gaps=((0,) * 4, ())), *[Numbers()] * 4]
    lengths = _lengths(1)
    data, ends = Encoder(lengths.ravel()).written(lists)
    words, starts = np.frombuffer(data, "<u8"), np.frombuffer(ends, "<u8")
    asked = np.array(pages, np.uint32)
    for widest, wrong in ((5, -1), (4, 0)):
        found = unpacking.lists_of.py_func(
            words, starts, codebook.reading_tables(lengths), np.uint64(5), np.uint64(5), widest,
            asked,
        )  # fmt: skip
        assert found[0] == wrong


def test_how_many_numbers_begin_within_the_words() -> None:
    """One too many, for numbers of the greatest length; or none where one surely begins."""
    most = codebook.LONGEST + codebook.CLASSES - 1
    for at in range(256):
        many = codes._many(np.uint64(at), np.uint64(256), np.uint64(9))
        assert many >= 1
        assert at + (many - 1) * most < 256
    assert codes._many(np.uint64(0), np.uint64(256), np.uint64(2)) == 2
