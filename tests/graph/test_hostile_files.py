"""A hostile file of a graph is refused in one line, and never read beyond its arrays."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from counterpoint.console import run
from counterpoint.graph.errors import GraphError
from counterpoint.graph.storage import texts
from counterpoint.graph.storage.packed import pack
from counterpoint.graph.storage.store import MANY, GraphStore
from counterpoint.main import counterpoint

from .fuzzing.drafts import Draft
from .fuzzing.numbers_of_lists import LARGEST, Numbers, with_count, with_first, with_gaps
from .fuzzing.originals import Original, originals
from .fuzzing.readers import must_be_links
from .fuzzing.supervision import fuzzed

PAGES = 130
"""The pages of the store that is changed here: three blocks, five hosts, page 1 with many links."""


@cache
def _originals() -> list[Original]:
    return originals()


def _store() -> Original:
    (found,) = [one for one in _originals() if one.draft.facts["hosts"] == 5]
    return found


def _with_lists(path: Path, direction: str, change: Callable[[list[Numbers]], None]) -> GraphStore:
    """Return a store whose lists of a direction are changed; its counts are those of the lists."""
    original = _store()
    lists = list(original.lists[direction])
    change(lists)
    words, starts = original.encoders[direction].written(lists)
    draft = original.draft.copy()
    draft.arrays[f"{direction}.words"] = "<u8", words
    draft.arrays[f"{direction}.starts"] = "<u8", starts
    counts = [sum(one.counts) for one in lists]
    widest = max(sum(counts[at : at + 64]) for at in (0, 64, 128))
    draft.facts[direction] = {"links": sum(counts), "longest": max(counts), "widest": widest}
    draft.facts["out"]["links"] = draft.facts["into"]["links"] = sum(counts)
    path.write_bytes(draft.written())
    return GraphStore(path)


@pytest.mark.parametrize("direction", ["out", "into"])
def test_lists_that_are_written_anew_are_the_same(tmp_path: Path, direction: str) -> None:
    """An encoder of the fuzzer that writes files which are refused for another reason."""
    store = _with_lists(tmp_path / "a.graph", direction, lambda lists: None)
    (tmp_path / "b.graph").write_bytes(_store().draft.written())
    truth = GraphStore(tmp_path / "b.graph")
    for one, other in ((store.out, truth.out), (store.into, truth.into)):
        assert one.expanded().targets.tolist() == other.expanded().targets.tolist()
        assert one.list_of(1).tolist() == other.list_of(1).tolist()


def _last(gaps: int) -> Numbers:
    """Return a list from page 129 on, whose first link is page 128, with gaps of 0."""
    return Numbers((0, gaps + 1), (0, 0), ((), (0,) * gaps))


WRONG_LISTS: dict[str, Callable[[Numbers], Numbers]] = {
    "a link after the last page": lambda one: _last(2),
    "a first link before page 0": lambda one: with_first(_last(0), 1, 2 * PAGES + 1),
    "a first link far away": lambda one: with_first(_last(0), 1, LARGEST),
    "a gap out of the graph": lambda one: with_gaps(_last(0), 1, (LARGEST,), True),
    "more links than gaps, to the end of the words": lambda one: with_count(_last(0), 1, PAGES),
    "more links than pages": lambda one: _last(5000),
    "a body that is too long": lambda one: replace(_wide(), body=5000),
    "a body that is too short": lambda one: replace(_wide(), body=3),
    "a body of nothing": lambda one: replace(_wide(), body=0),
}


def _wide() -> Numbers:
    return Numbers((0, 60), (0, 0), ((), (0,) * 59))


@pytest.mark.parametrize("direction", ["out", "into"])
@pytest.mark.parametrize("name", WRONG_LISTS)
def test_a_wrong_list_is_refused_by_every_reader(tmp_path: Path, direction: str, name: str) -> None:
    """Compiled code that writes behind its arrays, or follows a link to no page."""
    path = tmp_path / "a.graph"

    def change(lists: list[Numbers]) -> None:
        page = 70 if name.startswith("a body") else PAGES - 1
        lists[PAGES - 2] = Numbers()  # so that the first link of the last page is where it says
        lists[page] = WRONG_LISTS[name](lists[page])

    try:
        store = _with_lists(path, direction, change)
    except GraphError as error:  # already the counts are too large
        assert str(path) in str(error)
        return
    links = store.out if direction == "out" else store.into
    for ask in (
        links.expanded,
        lambda: list(links.chunks()),
        lambda: links.lists(np.arange(64, PAGES)),
    ):
        with pytest.raises(
            GraphError, match=rf"a\.graph: is damaged \({direction}.words\): a list"
        ):
            ask()
    if not name.startswith("a body"):
        with pytest.raises(GraphError, match="a list of pages 128 to 129 is invalid"):
            links.list_of(PAGES - 1)
    for page in range(PAGES):  # the other lists can be read, or are refused
        try:
            must_be_links(store, links.list_of(page))
        except GraphError:
            continue


@pytest.mark.parametrize("counts", [{"widest": 200}, {"longest": 20, "widest": 400}])
def test_lists_are_compared_with_what_was_allocated(tmp_path: Path, counts: dict[str, int]) -> None:
    """A buffer of the size that the directory says, in which more links are written."""
    draft = _store().draft.copy()
    assert draft.facts["out"]["longest"] > 40
    assert draft.facts["out"]["widest"] > 200
    draft.facts["out"] |= counts
    (tmp_path / "a.graph").write_bytes(draft.written())
    store = GraphStore(tmp_path / "a.graph")
    for ask in (store.out.expanded, lambda: store.out.lists(np.arange(PAGES))):
        with pytest.raises(GraphError, match="a list of pages 0 to 63 is invalid"):
            ask()


@pytest.mark.parametrize("links", [-1, 1])
def test_the_number_of_links_is_compared_with_the_lists(tmp_path: Path, links: int) -> None:
    """Arrays of a size that the directory says, and lists that are longer or shorter together."""
    draft = _store().draft.copy()
    for direction in ("out", "into"):
        draft.facts[direction]["links"] += links
    (tmp_path / "a.graph").write_bytes(draft.written())
    store = GraphStore(tmp_path / "a.graph")
    for ask in (store.out.expanded, lambda: list(store.into.chunks())):
        with pytest.raises(GraphError, match=r"there are (more|fewer) links than"):
            ask()


def _facts(**changes: object) -> Callable[[Draft], None]:
    return lambda draft: draft.facts.update(changes)


def _element(name: str, at: int, number: int) -> Callable[[Draft], None]:
    def change(draft: Draft) -> None:
        kind, data = draft.arrays[name]
        elements = np.frombuffer(data, kind).copy()
        elements[at] = number
        draft.arrays[name] = kind, elements.tobytes()

    return change


def _entry(array: str, **changes: object) -> Callable[[Draft], None]:
    def change(document: dict) -> dict:  # type: ignore[type-arg]
        next(one for one in document["arrays"] if one["name"] == array).update(changes)
        return document

    return lambda draft: draft.document.append(change)


CRAFTED: dict[str, tuple[Callable[[Draft], None], str]] = {
    "pages": (_facts(pages=2**62), "pages is not a number from 0 to 4,294,967,295"),
    "no number of pages": (_facts(pages="7"), "pages is not a number"),
    "more pages": (_facts(pages=PAGES + 64), "out.starts has 4 elements, not 5"),
    "hosts": (_facts(hosts=6), "hosts has 6 elements, not 7"),
    "no links": (_facts(out=None), "out: links is not a number"),
    "many links": (_facts(out={"links": 10**9}), "out: links is not a number from 0 to"),
    "a longest list": (
        _facts(out={"links": 300, "longest": 200, "widest": 200}),
        f"out: longest is not a number from 0 to {PAGES}",
    ),
    "no array": (lambda draft: draft.arrays.pop("into.words"), "has no array into.words"),
    "an array of another type": (_entry("out.words", kind="<u4"), "out.words of the type <u8"),
    "an array of objects": (_entry("out.words", kind="O"), "out.words has the type 'O'"),
    "an array behind the end": (_entry("numbers", at=1 << 40), "numbers is not between bytes"),
    "an array in the head": (_entry("hosts", at=0), "hosts is not between bytes 64 and"),
    "a long array": (_entry("numbers", length=1 << 50), "numbers is not between bytes"),
    "an array with a wrong name": (_entry("numbers", name="\x1b[2J"), "names no array"),
    "no JSON": (lambda draft: draft.text.append(lambda text: b"[" * 9000), "it is not JSON"),
    "a list": (lambda draft: draft.text.append(lambda text: b"[]"), "it is not JSON with facts"),
    "a long number": (
        lambda draft: draft.text.append(lambda text: text.replace(b"64", b"9" * 5000, 1)),
        "it is not JSON",
    ),
    "a huge directory": (
        lambda draft: draft.text.append(lambda text: text + b" " * 70_000),
        "its size is wrong",
    ),
    "no checksums": (lambda draft: draft.sums.append(lambda sums: b""), "it has 0 checksums"),
    "hosts that fall": (_element("hosts", 1, 2**32 - 1), "hosts do not rise from 0"),
    "a page that does not exist": (_element("numbers", 3, PAGES), "a page that does not exist"),
    "parts of texts": (_element("pages.parts", 2, 5), "its parts do not fit together"),
    "a text of other bytes": (_element("pages.starts", 1, 2**63), "is invalid or too large"),
    "an order of hosts": (_element("names.order", 2, 77), "a host that does not exist"),
    "a block behind the words": (_element("out.starts", 1, 2**64 - 1), "is invalid"),
    "a block before another": (_element("out.starts", 2, 0), "is damaged (out.words)"),
}


@pytest.mark.parametrize("name", CRAFTED)
def test_a_crafted_directory_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """A traceback, or a place or a count out of a directory that is used unseen."""
    change, message = CRAFTED[name]
    draft = _store().draft.copy()
    change(draft)
    path, said = tmp_path / "a.graph", []
    path.write_bytes(draft.written())
    asked = (["bowtie", path], ["links", path, "--hosts"], ["links", path, "http://h0.test/000"])
    for command in asked:
        code = run(counterpoint, ["graph", *map(str, command)])
        error = capsys.readouterr().err
        assert (code, error.count("\n")) in ((0, 0), (2, 1)), error
        said += [error] if code else []
    if name == "a page that does not exist":
        with pytest.raises(GraphError, match=message):
            _ = GraphStore(path).numbers
    else:
        assert any(message in one and str(path) in one for one in said), said


def test_many_hosts_in_an_order_that_leads_out_of_them(tmp_path: Path) -> None:
    """Memory outside of the names of hosts, which a search of many addresses would read."""
    draft = _store().draft.copy()
    _element("names.order", 2, 77)(draft)
    path = tmp_path / "a.graph"
    path.write_bytes(draft.written())
    with pytest.raises(GraphError, match="a host that does not exist"):
        GraphStore(path).ids([f"http://h{k}.test/" for k in range(MANY)])


def test_a_text_that_moves_the_cursor(tmp_path: Path) -> None:
    """A control character in an address, which no build would store, on a terminal."""
    import zstandard

    draft = _store().draft.copy()
    blocks = zstandard.ZstdCompressor().compress(b"".join(b"\0\x1b[%d\n" % k for k in range(128)))
    data = draft.arrays["pages.data"][1]
    starts = np.frombuffer(draft.arrays["pages.starts"][1], "<i8").copy()
    first = int(starts[1])
    starts[1:] += len(blocks) - first
    draft.arrays["pages.data"] = "u1", blocks + data[first:]
    draft.arrays["pages.starts"] = "<u8", starts.tobytes()
    (tmp_path / "a.graph").write_bytes(draft.written())
    with pytest.raises(GraphError, match="text 3 has a control character"):
        GraphStore(tmp_path / "a.graph").name(3)


@pytest.mark.parametrize("block", [
    b"\xff\n" * 100_000, b"no line feed", b"\0a\n", b"\0" * (1 << 25),
])  # fmt: skip
def test_a_block_of_texts_that_is_no_block(tmp_path: Path, block: bytes) -> None:
    """A kilobyte that becomes gigabytes of texts, or an error of Python's."""
    import zstandard

    draft = _store().draft.copy()
    frame = zstandard.ZstdCompressor().compress(block)
    starts = np.frombuffer(draft.arrays["names.starts"][1], "<u8").copy()
    starts[-1] = len(frame)
    draft.arrays["names.data"] = "u1", frame
    draft.arrays["names.starts"] = "<u8", starts.tobytes()
    (tmp_path / "a.graph").write_bytes(draft.written())
    with pytest.raises(GraphError, match=r"names\): (block 0 is invalid|there is no text 4)"):
        GraphStore(tmp_path / "a.graph").host_name(4)


def test_lists_in_memory_are_refused_as_well() -> None:
    """An error that names a file where there is none."""
    packed = pack(np.array([0, 1, 2]), np.array([1, 0], np.uint32), np.array([0, 2], np.uint32))
    with pytest.raises(GraphError, match="the links: a list of pages 0 to 0 is invalid"):
        packed._replace(nodes=1).list_of(0)


def test_crafted_files_are_read_or_refused() -> None:
    """A crash, a hang or a traceback of any reader, kernel or command."""
    found = fuzzed(1, 0, 300, one_in=100)
    assert not found.wrong
    assert found.files == 300
    assert min(found.seen["read"], found.seen["refused"]) > 300, json.dumps(found.seen)


@pytest.mark.slow
def test_crafted_files_with_bounds_checks() -> None:
    """An access beyond an array that happens to hit memory of the process."""
    found = fuzzed(2, 0, 3000, checked=True, one_in=300)
    assert not found.wrong
    assert found.seen["read"] > 5000


def test_blocks_that_were_read_do_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Megabytes of texts from each block of a few bytes, all of which are kept."""
    monkeypatch.setattr(texts, "KEPT", 600)
    path = tmp_path / "a.graph"
    (original,) = [one for one in _originals() if one.draft.facts["pages"] == 300]
    path.write_bytes(original.draft.written())
    store = GraphStore(path)
    names = [store.name(page) for page in range(300)]
    assert names == [store.name(page) for page in range(300)]
    kept = store._texts._kept
    assert 1 <= len(kept) < 3
    assert store._texts._bytes == sum(len(text) for block in kept.values() for text in block)
