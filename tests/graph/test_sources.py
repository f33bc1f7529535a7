"""Sources: the store has the links of a text or a crawl; errors name their line."""

from __future__ import annotations

import gzip
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import create_engine

from counterpoint.commands.graph.sources import source_of
from counterpoint.crawler.errors import CrawlError
from counterpoint.graph.errors import GraphError
from counterpoint.graph.sources import numbered
from counterpoint.graph.storage.build import BuildSettings, build
from counterpoint.graph.storage.store import GraphStore
from tests.examples import few_and_many

SMALL = BuildSettings(links=40, pages=7)


def stored(path: Path, kind: str = "auto", least: int | None = None) -> GraphStore:
    """Return the store that is built of a file."""
    goal = path.with_name("built.graph")
    build(source_of(str(path), kind, least), goal, SMALL)
    return GraphStore(goal)


def links_of(store: GraphStore) -> list[tuple[int, int]]:
    """Return all links."""
    return [(p, t) for p in range(store.nodes) for t in store.out_links(p).tolist()]


def named_links_of(store: GraphStore) -> set[tuple[str, str]]:
    """Return all links between addresses."""
    return {(store.name(p), store.name(t)) for p, t in links_of(store)}


edge_lists = given(
    st.lists(st.tuples(st.integers(0, 90), st.integers(0, 90)), max_size=300),
    st.sampled_from(["\t", " ", ",", " ; "]), st.booleans(), st.integers(20, 400),
)  # fmt: skip


@pytest.mark.long
@few_and_many(edge_lists, 20, 100)
def test_an_edge_list_in_any_order(
    tmp_path_factory: pytest.TempPathFactory, links: list[tuple[int, int]], between: str,
    zipped: bool, read: int,
) -> None:  # fmt: skip
    """A line lost between two pieces, a repeated link, or runs that overlap."""
    folder = tmp_path_factory.mktemp("edges")
    lines = ["# from to", *(f"{a}{between}{b}" for a, b in links), "", "% over"]
    path = folder / ("links.txt.gz" if zipped else "links.txt")
    data = "\n".join(lines).encode()
    path.write_bytes(gzip.compress(data) if zipped else data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numbered, "READ", read)
        store = stored(path)
    assert store.nodes == max((page + 1 for link in links for page in link), default=0)
    assert links_of(store) == sorted(set(links))


@pytest.mark.parametrize(
    "line", ["1 x", "1", "1 2 3", "-1 2", "1.5 2", "1 4294967295", "é 1", "1 2e3"]
)
@pytest.mark.parametrize("read", [16, 1 << 20])
def test_nonsense_in_an_edge_list_names_its_line(
    tmp_path: Path, line: str, read: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong line number, also after the first piece that is read."""
    monkeypatch.setattr(numbered, "READ", read)
    path = tmp_path / "links.txt"
    path.write_text("\n".join(["# links", *(f"{k} {k + 1}" for k in range(20)), line, "3 4"]))
    with pytest.raises(GraphError, match=r"links\.txt: line 22: [^\n]+$"):
        stored(path)
    assert not (tmp_path / "built.graph").exists()


@pytest.mark.long
@given(st.lists(st.lists(st.integers(0, 39), max_size=9), min_size=40, max_size=40),
       st.integers(20, 300))  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_webgraph_text(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[int]], read: int
) -> None:
    """A page without links that is skipped."""
    path = tmp_path_factory.mktemp("adjacency") / "web.txt"
    path.write_text("40\n" + "".join(" ".join(map(str, row)) + "\n" for row in rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numbered, "READ", read)
        store = stored(path)
    assert links_of(store) == [(p, t) for p, row in enumerate(rows) for t in sorted(set(row))]


@pytest.mark.parametrize(("text", "message"), [
    ("3\n1\n2\n", "line 4 is missing: the file has 2 of 3 pages"),
    ("2\n1\n0\n\n", "line 4: is one line too many: 2 pages"),
    ("2\n1\n5\n", "line 3: there is no page 5: the first line says 2"),
    ("2\n1\n,\n", "line 3: ',' is not a row of page numbers"),
    ("2 2\n1\n1\n", "line 1: must be the number of pages and nothing else"),
    ("", "is empty"),
])  # fmt: skip
def test_nonsense_in_webgraph_text(tmp_path: Path, text: str, message: str) -> None:
    """A text of the wrong length that is accepted as a graph."""
    path = tmp_path / "web.txt"
    path.write_text(text)
    with pytest.raises(GraphError, match=re.escape(message)):
        stored(path, "adjacency")


class _BvGraph:
    """A stand-in for webgraph's reader, with its documented results.

    Its files cannot be written here: the pointers to lists (``.ef``) are a serialization of Rust's
    that only WebGraph's own tools write.
    """

    rows = ([1, 2], [], [0, 1, 2])

    def __init__(self, base: str) -> None:
        assert base.endswith("/web")

    def num_nodes(self) -> int:
        return 3

    def outdegrees(self) -> np.ndarray:
        return np.array([2, 0, 3], dtype=np.uint32)

    def successors(self, node: int) -> Iterator[int]:
        return iter(self.rows[node])


@pytest.mark.parametrize("name", ["web", "web.graph", "web.properties"])
def test_bvgraph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Exchanged rows, or a name that differs from the files'."""
    monkeypatch.setitem(sys.modules, "webgraph", SimpleNamespace(BvGraph=_BvGraph))
    for ending in ("graph", "properties"):
        (tmp_path / f"web.{ending}").write_bytes(b"")
    store = stored(tmp_path / name)
    assert links_of(store) == [(0, 1), (0, 2), (2, 0), (2, 1), (2, 2)]


class _Panic(BaseException):
    """The exception that webgraph raises when its Rust code panics; it is no ``Exception``."""


@pytest.mark.parametrize("wrong", ["outdegrees", "successors"])
def test_a_bvgraph_whose_reader_panics(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    """A traceback for a damaged file that opens and whose rows are too short."""

    def panics(*arguments: object) -> None:
        raise _Panic("Cannot create reader: unexpected end of data")

    monkeypatch.setitem(sys.modules, "webgraph", SimpleNamespace(BvGraph=_BvGraph))
    monkeypatch.setattr(_BvGraph, wrong, panics)
    for ending in ("graph", "properties"):
        (tmp_path / f"web.{ending}").write_bytes(b"")
    with pytest.raises(GraphError, match=r"webgraph cannot read it \(Cannot create reader"):
        stored(tmp_path / "web")
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "webgraph", SimpleNamespace(BvGraph=_BvGraph))
    monkeypatch.setattr(_BvGraph, "rows", ([1], [], [0, 1, 2]))
    with pytest.raises(GraphError, match="webgraph cannot read it"):
        stored(tmp_path / "web")


@pytest.mark.parametrize(("degree", "refused"), [(3, False), (4, True), (2**50, True), (-1, True)])
def test_a_bvgraph_with_more_links_than_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, degree: int, refused: bool
) -> None:
    """A lack of memory instead of the name of the damaged file; a page with all links refused."""
    monkeypatch.setitem(sys.modules, "webgraph", SimpleNamespace(BvGraph=_BvGraph))
    monkeypatch.setattr(_BvGraph, "rows", ([1, 2], [], range(max(degree, 0))))
    monkeypatch.setattr(_BvGraph, "outdegrees", lambda _: np.array([2, 0, degree]))
    for ending in ("graph", "properties"):
        (tmp_path / f"web.{ending}").write_bytes(b"")
    if refused:
        with pytest.raises(GraphError, match=r"web: webgraph cannot read it \(a page has more"):
            stored(tmp_path / "web")
    else:
        assert links_of(stored(tmp_path / "web"))[2:] == [(2, 0), (2, 1), (2, 2)]


def test_a_list_beside_another_graph(tmp_path: Path) -> None:
    """A list that is not read because a BVGraph has files of a similar name."""
    path = tmp_path / "web"
    path.write_text("0 1\n")
    for ending in ("graph", "properties"):
        (tmp_path / f"web.{ending}").write_bytes(b"")
    assert links_of(stored(path)) == [(0, 1)]
    path = tmp_path / "web.graph-txt"
    path.write_text("2\n1\n0\n")
    assert links_of(stored(path)) == [(0, 1), (1, 0)]


def test_a_bvgraph_that_cannot_be_read(tmp_path: Path) -> None:
    """A traceback of webgraph."""
    pytest.importorskip("webgraph")
    path = tmp_path / "none.graph"
    path.write_bytes(b"")
    with pytest.raises(GraphError, match="webgraph cannot read it"):
        stored(path, "bvgraph")


ADDRESSES = """# a list
http://www.b.org/ http://a.com/x
http://www.b.org/ https://www.b.org/2
http://c.b.org/ http://a.com/x
http://c.b.org/ http://www.b.org/
http://d.net/alone
"""


def test_a_list_of_addresses(tmp_path: Path) -> None:
    """Pages of a host that are not adjacent, or hosts that are not ordered by domain."""
    path = tmp_path / "links.txt"
    path.write_text(ADDRESSES)
    store = stored(path)
    lines = [line.split() for line in ADDRESSES.splitlines()[1:-1]]
    assert named_links_of(store) == {(a, b) for a, b in lines}
    hosts = [store.host_name(host) for host in range(store.hosts_count)]
    assert hosts == ["a.com", "d.net", "c.b.org", "www.b.org"]
    assert store.names(store.pages_of(3)) == ["http://www.b.org/", "https://www.b.org/2"]
    assert store.id_of("http://d.net/alone") is not None


@pytest.mark.parametrize(("least", "kept"), [(0, 5), (1, 5), (2, 4), (3, 3)])
def test_pages_that_were_not_crawled(tmp_path: Path, least: int, kept: int) -> None:
    """A wrong threshold: two crawled pages link to x, one links to /2."""
    path = tmp_path / "links.txt"
    path.write_text(ADDRESSES)
    store = stored(path, least=least)
    assert store.nodes == kept
    assert (store.id_of("http://a.com/x") is not None) == (least <= 2)
    assert (store.id_of("https://www.b.org/2") is not None) == (least <= 1)


@pytest.mark.parametrize("line", ["http://a.org/ b", "http://a.org/ http://b.org/ 7", "hello"])
def test_nonsense_in_a_list_of_addresses(tmp_path: Path, line: str) -> None:
    """A word that is read as a page."""
    path = tmp_path / "links.txt"
    path.write_text(ADDRESSES + line + "\n")
    with pytest.raises(GraphError, match=r"links\.txt: line 7: .* is not two addresses"):
        stored(path)


def test_a_damaged_gzip(tmp_path: Path) -> None:
    """A traceback of zlib, or a truncated file that is taken for complete."""
    chance = np.random.default_rng(1)
    lines = "".join(f"{a} {b}\n" for a, b in chance.integers(0, 10**6, (5000, 2)))
    whole = gzip.compress(lines.encode())
    path = tmp_path / "links.txt.gz"
    for at in (2, 30, len(whole) // 2, len(whole) - 8):
        for data in (whole[:at], whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :]):
            path.write_bytes(data)
            with pytest.raises(GraphError, match=r"links\.txt\.gz: [^\n]+$"):
                stored(path, "edges")


@pytest.mark.parametrize("text", ["0 1\n", "2\n1\n\n", "http://a.org/ http://b.org/\n"])
@pytest.mark.parametrize("read", [1, 4, 1 << 20])
def test_a_mark_of_the_order_of_bytes(
    tmp_path: Path, text: str, read: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A byte order mark, which editors of Windows write, read as part of the first address."""
    monkeypatch.setattr(numbered, "READ", read)
    path = tmp_path / "links.txt"
    path.write_text(text, encoding="utf-8-sig")
    store = stored(path)
    assert links_of(store) == [(0, 1)]
    assert not store.has_addresses or store.name(0) == "http://a.org/"


def test_another_database_is_no_crawl(tmp_path: Path) -> None:
    """A traceback of the database."""
    path = tmp_path / "other.db"
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        connection.exec_driver_sql("create table x (y)")
    engine.dispose()
    with pytest.raises(CrawlError, match="is a database of another program"):
        stored(path)
    with pytest.raises((CrawlError, GraphError), match="No such file"):
        stored(tmp_path / "none.txt")


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    """A build that resumes with links of the file before its change."""
    path = tmp_path / "links.txt"
    path.write_text("0 1\n")
    first = source_of(str(path))
    path.write_text("0 2\n")
    os.utime(path, ns=(1, 1))
    assert source_of(str(path)).name != first.name


def test_a_synthetic_web(tmp_path: Path) -> None:
    """Pages of a web whose addresses and links do not belong together."""
    from counterpoint.sim_web.generator import Web
    from counterpoint.sim_web.pages.address import address
    from counterpoint.sim_web.profile import load
    from counterpoint.studies.connectivity.webs import WebSource

    web = Web(load("broder-1999"), 400, 3)
    build(WebSource(web), tmp_path / "a.graph", BuildSettings(links=300, pages=50, numbers=True))
    store = GraphStore(tmp_path / "a.graph")
    ids = store.numbers
    assert ids is not None
    assert store.names(ids) == [address(web, page) for page in range(400)]
    for page in range(400):
        assert store.out_links(int(ids[page])).tolist() == sorted(ids[web.out_links(page)].tolist())
    assert np.bincount(store.hosts).tolist() == [len(web.pages_of(h)) for h in range(web.hosts)]


@pytest.mark.parametrize("read", [16, 1 << 20])
@pytest.mark.parametrize("zipped", [False, True])
def test_files_of_konect(
    tmp_path: Path, read: int, zipped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Catches a weight that is read as a page, and an undirected link in one direction."""
    monkeypatch.setattr(numbered, "READ", read)
    lines = "1 2 1.5 1083108675\n2 3 -1\n  1\t3\n3 3 7 e\n"
    expected = {"asym": [(1, 2), (1, 3), (2, 3), (3, 3)],
                "sym": [(1, 2), (1, 3), (2, 1), (2, 3), (3, 1), (3, 2), (3, 3)]}  # fmt: skip
    for kind, links in expected.items():
        path = tmp_path / (f"out.{kind}.gz" if zipped else f"out.{kind}")
        data = f"% {kind} posweighted\n% 4 3 3\n{lines}".encode()
        path.write_bytes(gzip.compress(data) if zipped else data)
        assert links_of(stored(path)) == links
    path.write_bytes(gzip.compress(b"% sym\n1 2 3\n") if zipped else b"% sym\n1 2 3\n")
    with pytest.raises(GraphError, match="line 2: has 3 numbers; a link has two"):
        stored(path, "edges")
    data = f"% bip unweighted\n{lines}".encode()
    path.write_bytes(gzip.compress(data) if zipped else data)
    with pytest.raises(GraphError, match="is a bipartite graph"):
        stored(path)
