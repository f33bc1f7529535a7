"""Many texts of a dictionary at once: as one by one, and never outside of the arrays."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.graph.errors import GraphError
from counterpoint.graph.sources.addressed import AddressList
from counterpoint.graph.storage import lookups, store
from counterpoint.graph.storage.arrays import Arrays
from counterpoint.graph.storage.build import build
from counterpoint.graph.storage.lookups import numbers_of, places_of, texts_of
from counterpoint.graph.storage.store import GraphStore
from counterpoint.graph.storage.texts import IN_BLOCK, Ragged, Texts, blocks_of, ragged

LETTERS = st.text(alphabet="ab/\xff", max_size=6).map(str.encode)
LONG = st.tuples(st.integers(250, 520), LETTERS).map(lambda one: b"x" * one[0] + one[1])
TEXTS = st.lists(st.one_of(LETTERS, LONG), unique=True, max_size=40)
PARTS = st.lists(st.integers(1, 300), min_size=1, max_size=4)


def packed(blocks: list[bytes], parts: list[int]) -> Texts:
    """Return a dictionary of blocks; each part has so many texts."""
    frames = [zstandard.compress(block) for block in blocks]
    starts = np.concatenate([[0], np.cumsum([len(one) for one in frames])]).astype(np.uint64)
    ends, pairs = np.concatenate([[0], np.cumsum(parts)]), [0]
    for many in parts:
        pairs.append(pairs[-1] + -(-many // IN_BLOCK))
    both = np.array(list(zip(ends, pairs, strict=True)), dtype=np.uint64).ravel()
    data = np.frombuffer(b"".join(frames), dtype=np.uint8)
    return Texts(data, starts, both, b"", int(ends[-1]), "one.graph")


def dictionary(texts: list[bytes], parts: list[int]) -> Texts:
    """Return a dictionary of some texts, in parts."""
    blocks, at = [], 0
    for many in parts:
        part = texts[at : at + many]
        blocks += blocks_of(ragged(part), np.arange(len(part)))
        at += many
    return packed(blocks, parts)


def separate(found: Ragged) -> list[bytes]:
    """Return texts one by one."""
    return [found.text(k) for k in range(found.many)]


@pytest.fixture(params=[1, 3, 2048])
def at_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Decompress so many blocks at a time."""
    monkeypatch.setattr(lookups, "AT_ONCE", request.param)
    if request.param == 3:
        monkeypatch.setattr(lookups, "ENOUGH", 100)


@pytest.mark.usefixtures("at_once")
def test_texts_of_several_parts_and_blocks() -> None:
    """A text of another block or part, or one that shares bytes with a text that was not wanted."""
    texts = [b"%s%d" % (b"folder/" * (k % 60), k) for k in range(900)]
    made = dictionary(texts, [128, 1, 300, 471])
    chance = np.random.default_rng(3)
    for many in (0, 1, 50, 2000):
        numbers = chance.integers(0, len(texts), many)
        assert separate(texts_of(made, numbers)) == [texts[k] for k in numbers.tolist()]


@given(TEXTS, PARTS, st.data())
def test_places_are_those_of_single_searches(
    texts: list[bytes], sizes: list[int], data: st.DataObject
) -> None:
    """A text that is not found at the end of a block, or found where it is not."""
    groups = [sorted(b"%s%d" % (text, k % 7) for k, text in enumerate(texts)) for _ in sizes]
    whole = [text for group in groups for text in group] or [b"a"]
    parts = [len(group) for group in groups if group] or [1]
    made = dictionary(whole, parts)
    ends = np.concatenate([[0], np.cumsum(parts)])
    wanted = data.draw(st.lists(st.one_of(st.sampled_from(whole), LETTERS), max_size=30))
    chosen = [data.draw(st.integers(0, len(parts) - 1)) for _ in wanted]
    first, last = ends[chosen].astype(np.int64), ends[np.array(chosen, dtype=int) + 1]
    found = places_of(made, ragged(wanted), first, last)
    single = [
        made.place(text, int(low), int(high))
        for text, low, high in zip(wanted, first, last, strict=True)
    ]
    assert [None if place < 0 else place for place in found.tolist()] == single


@pytest.mark.usefixtures("at_once")
def test_places_among_many_blocks() -> None:
    """A search that ends in the wrong block, or does not end."""
    texts = sorted({b"page/%d" % (k * k) for k in range(1500)} | {b"", b"z" * 700})
    made = dictionary(texts, [len(texts)])
    ranges = [(0, len(texts)), (130, 131), (127, 129), (5, 5), (1, 1000), (1400, len(texts))]
    for low, high in ranges:
        wanted = [*texts, b"page/2", b"page", b"zz", b"{", b"z" * 701]
        found = places_of(
            made, ragged(wanted), np.full(len(wanted), low), np.full(len(wanted), high)
        )
        place = {text: k for k, text in enumerate(texts) if low <= k < high}
        assert found.tolist() == [place.get(text, -1) for text in wanted]


@given(st.lists(LETTERS, unique=True, max_size=20), st.lists(LETTERS, max_size=20))
def test_numbers_in_an_order(names: list[bytes], wanted: list[bytes]) -> None:
    """A name that is not found among names that begin with it."""
    order = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.uint32)
    found = numbers_of(ragged(names), order, ragged(wanted)).tolist()
    assert found == [names.index(one) if one in names else -1 for one in wanted]


BLOCK = st.lists(st.tuples(st.integers(0, 255), st.binary(max_size=5)), max_size=IN_BLOCK + 3).map(
    lambda lines: b"".join(bytes([shared]) + rest + b"\n" for shared, rest in lines)
)
CRAFTED = st.one_of(BLOCK, st.binary(max_size=60), st.just(b"\0\n" * IN_BLOCK))


@given(st.lists(CRAFTED, min_size=1, max_size=4), st.integers(1, IN_BLOCK), st.data())
@settings(max_examples=400)
def test_crafted_blocks(blocks: list[bytes], last: int, data: st.DataObject) -> None:
    """Memory outside of a block that is read, or a text where a single search has an error."""
    many = IN_BLOCK * (len(blocks) - 1) + last
    made = packed(blocks, [many])
    numbers = data.draw(st.lists(st.integers(0, many - 1), min_size=1, max_size=9))
    try:
        expected = [made[number] for number in numbers]
    except GraphError:
        expected = []
    try:
        found = separate(texts_of(made, np.array(numbers)))
    except GraphError as error:
        assert not expected
        assert re.match(r"one\.graph: (block|text) \d+ (is invalid|has a control)", str(error))
    else:  # a single search reads the whole block, and may find that a later text is invalid
        assert found == expected or not expected
    try:
        places_of(made, ragged([b"a", b"\x01"]), np.array([0, 0]), np.array([many, many]))
    except GraphError as error:
        assert "is invalid" in str(error)


@pytest.mark.parametrize("sign", [b"\n", b"\x1f", b" ", b"\x7f"])
def test_control_characters_among_many_texts(sign: bytes) -> None:
    """A control character that only a single search refuses, or a blank that is refused."""
    made = packed([b"\0a\n\0b" + sign + b"\n\0c\n"], [3])
    numbers = np.array([2, 0, 1])
    try:
        expected = [made[number] for number in numbers.tolist()]
    except GraphError as error:
        with pytest.raises(GraphError, match=str(error)):
            texts_of(made, numbers)
    else:
        assert separate(texts_of(made, numbers)) == expected == [b"c", b"a", b"b" + sign]


def test_a_store_looks_up_many_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address of another host, or an unknown one that is found, in a batch."""
    hosts = [f"http://h{k * 7 % 60}.org" for k in range(60)]
    addresses = [f"{host}/{name}" for host in hosts for name in ("", "a", "b/c", "ä", "z" * 300)]
    build(Arrays.of_addresses([0] * (len(addresses) + 1), [], addresses), tmp_path / "a.graph")
    made = GraphStore(tmp_path / "a.graph")
    pages = np.random.default_rng(1).permutation(np.repeat(np.arange(300), 2))
    names = made.names(pages)
    assert names == [made.name(page) for page in pages.tolist()]
    unknown = [f"{one}x" for one in addresses[:40]] + ["http://no.org/", "", "x", "http://h1.org"]
    assert made.ids([*names, *unknown]) == [*pages.tolist(), *[None] * 44]
    monkeypatch.setattr(store, "MANY", 10**9)
    again = GraphStore(tmp_path / "a.graph")
    assert again.names(pages) == names
    assert again.ids([*names, *unknown]) == [*pages.tolist(), *[None] * 44]
    with pytest.raises(GraphError, match="there is no page 300"):
        made.names([*range(301)])


@pytest.mark.parametrize(
    "wrong",
    ["0", b"0", None, 1.5, True, ["0"], [1.5], [True], [None], [[0, 1]], np.array([0.0]), {0: 1}],
)
def test_what_is_no_page(tmp_path: Path, wrong: object) -> None:
    """A fraction or a truth value that counts as a page, or an error of NumPy."""
    opened = linked(tmp_path)
    with pytest.raises(GraphError, match=r"is not a list of the numbers of pages|not the number"):
        opened.names(wrong if hasattr(wrong, "__len__") else [wrong])
    for ask in (opened.name, opened.out_links):
        with pytest.raises(GraphError, match="is not the number of a page"):
            ask(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", ["http://a.test/", b"http://a.test/", None, 5, iter(["a"])])
def test_what_is_no_list_of_addresses(tmp_path: Path, wrong: object) -> None:
    """One address whose letters are looked up as addresses."""
    with pytest.raises(GraphError, match="is not a list of addresses"):
        linked(tmp_path).ids(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [None, 5, b"http://a.test/", ["http://a.test/"]])
def test_what_is_no_address(tmp_path: Path, wrong: object) -> None:
    """An error of Python's strings."""
    with pytest.raises(GraphError, match="it is no text"):
        linked(tmp_path).ids(["http://a.test/", wrong])  # type: ignore[list-item]
    with pytest.raises(GraphError, match="it is no text"):
        linked(tmp_path).id_of(wrong)  # type: ignore[arg-type]


def linked(folder: Path) -> GraphStore:
    """Return a store of two pages with a link."""
    (folder / "links.txt").write_text("http://a.test/ http://b.test/\n")
    build(AddressList(folder / "links.txt"), folder / "two.graph")
    return GraphStore(folder / "two.graph")
