"""The store returns the links that it was built from, and reports damage."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.graph.csr import pairs
from counterpoint.graph.errors import GraphError
from counterpoint.graph.storage import exports
from counterpoint.graph.storage.arrays import Arrays, ListedAddresses
from counterpoint.graph.storage.build import BuildSettings, build
from counterpoint.graph.storage.container import HEAD
from counterpoint.graph.storage.pages import divided, joined
from counterpoint.graph.storage.store import GraphStore

from .graphs import Lists, some_lists

SMALL = BuildSettings(links=40, pages=7, threads=2, numbers=True)
"""Parts so small that a graph of a hundred pages has several."""

HOST = st.from_regex(r"[a-z]{1,6}\.(org|test)(:80)?", fullmatch=True).map(str.encode)
TEXT = st.one_of(
    st.just(b"/"),
    st.from_regex(r"/[a-z0-9%?=]{0,40}", fullmatch=True).map(str.encode),
    st.from_regex(r"https:/[a-z]{0,4}", fullmatch=True).map(str.encode),
)


@st.composite
def addressed(draw: st.DrawFn) -> tuple[Lists, list[bytes], list[bytes]]:
    """Draw a graph with addresses."""
    graph = draw(some_lists())
    hosts = draw(st.lists(HOST, min_size=len(graph.hosts) - 1, max_size=len(graph.hosts) - 1,
                          unique=True))  # fmt: skip
    sizes = np.diff(graph.hosts.astype(int)).tolist()
    texts = [
        text for size in sizes
        for text in draw(st.lists(TEXT, min_size=size, max_size=size, unique=True))
    ]  # fmt: skip
    return graph, hosts, texts


def built(graph: Lists, path: Path, settings: BuildSettings = SMALL) -> GraphStore:
    """Return the store of a graph without addresses."""
    build(Arrays(*graph), path, settings)
    return GraphStore(path)


@given(addressed())
@settings(max_examples=60, deadline=None)
def test_queries_are_those_of_the_lists(
    tmp_path_factory: pytest.TempPathFactory, made: tuple[Lists, list[bytes], list[bytes]]
) -> None:
    """Ids that do not fit the links, parts that do not fit together, or wrong hosts."""
    graph, hosts, texts = made
    path = tmp_path_factory.mktemp("store") / "a.graph"
    build(Arrays(*graph, ListedAddresses(hosts, texts)), path, SMALL)
    store = GraphStore(path)
    store.verify()
    ids = store.numbers
    assert ids is not None
    assert sorted(ids.tolist()) == list(range(graph.nodes))
    host_of = [k for k, n in enumerate(np.diff(graph.hosts.astype(int))) for _ in range(n)]
    out = {int(ids[p]): sorted(int(ids[t]) for t in graph.of(p)) for p in range(graph.nodes)}
    into = {p: sorted(q for q in out if p in out[q]) for p in out}
    assert store.hosts.tolist() == host_of
    for page in out:
        assert store.out_links(page).tolist() == out[page]
        assert store.in_links(page).tolist() == into[page]
        remote = [q for q in into[page] if host_of[q] != host_of[page]]
        assert store.in_links(page, remote=True).tolist() == remote
        assert store.out.degree_of(page) == len(out[page])
    _batches(store, out, into, host_of)
    _between(store, out, host_of)
    for page in range(graph.nodes):
        address = joined(hosts[host_of[page]], texts[page]).decode()
        assert store.name(int(ids[page])) == address
        assert store.id_of(address) == ids[page]
    assert store.ids(["http://no.where/", "", "x"]) == [None] * 3


def _batches(store: GraphStore, out: dict, into: dict, host_of: list[int]) -> None:  # type: ignore[type-arg]
    some = [*range(store.nodes), 0, store.nodes - 1, 0]
    for links, truth in ((store.out_lists(some), out), (store.in_lists(some), into)):
        assert [r.tolist() for r in _split(links)] == [truth[p] for p in some]
    remote = [[q for q in into[p] if host_of[q] != host_of[p]] for p in some]
    assert [r.tolist() for r in _split(store.in_lists(some, remote=True))] == remote
    whole = store.out.expanded()
    assert [r.tolist() for r in _split(whole)] == [out[p] for p in range(store.nodes)]
    assert whole.reversed().targets.tolist() == store.into.expanded().targets.tolist()
    parts = [row.tolist() for _, rows in store.into.chunks() for row in _split(rows)]
    assert parts == [into[p] for p in range(store.nodes)]


def _split(rows):  # type: ignore[no-untyped-def]
    return np.split(rows.targets, rows.offsets[1:-1].astype(int))


def _between(store: GraphStore, out: dict, host_of: list[int]) -> None:  # type: ignore[type-arg]
    counts: dict[tuple[int, int], int] = {}
    for page, row in out.items():
        for target in row:
            ends = host_of[page], host_of[target]
            counts[ends] = counts.get(ends, 0) + 1
    for host in range(store.hosts_count):
        for other in range(store.hosts_count):
            sources, targets = store.between(host, other)
            found = list(zip(sources.tolist(), targets.tolist(), strict=True))
            assert found == [
                (page, target) for page in sorted(out) for target in out[page]
                if (host_of[page], host_of[target]) == (host, other)
            ]  # fmt: skip
    graph, many = store.host_graph()
    rows = [row.tolist() for row in _split(graph)]
    ends = [(host, other) for host, row in enumerate(rows) for other in row]
    assert dict(zip(ends, many.tolist(), strict=True)) == counts


@given(HOST, TEXT)
def test_an_address_is_put_together_again(host: bytes, text: bytes) -> None:
    """A scheme that is lost, or taken for a path."""
    assert divided(joined(host, text)) == (host, text)


@pytest.mark.parametrize("address", [
    "http://a.org", "http://a.org/", "https://a.org:8/x?y", "a.org/x", "ftp://a/b", "http://a?q=//",
    "x", "http://", "https://a.org/http://b.org/", "a.org:80/x?u=http://b.org/", "/x://y/z", "://x",
    "view-source:http://x.org/", "http://[::1]:8080/", "http://b\u00fccher.example/\u4e16?\u00e9",
])  # fmt: skip
def test_any_address_comes_back(address: str) -> None:
    """An address that is split at the wrong slash."""
    assert joined(*divided(address.encode())).decode() == address


@given(st.text(alphabet="ah:/?#.+", max_size=14).map(str.encode), st.sampled_from([b"", b"http"]))
@settings(max_examples=2000)
def test_any_text_comes_back(rest: bytes, begin: bytes) -> None:
    """Two texts that become one address."""
    assert joined(*divided(begin + rest)) == begin + rest


def test_an_address_in_a_query_is_no_host() -> None:
    """A page without a scheme that is put with the pages of the host in its query."""
    assert divided(b"a.org/?u=http://b.org/x")[0] == b"a.org"
    assert divided(b"a.org:8?u=https://b.org/x")[0] == b"a.org:8"


@pytest.mark.parametrize(("addresses", "message"), [
    (["http://a.org/", "http://b.org/", "http://a.org/2"], "are not consecutive"),
    (["http://a.org/", "http://a.org/"], "two pages have the same address"),
    (["http://a.org/", "http://b.org/\ud800"], "a lone surrogate"),
])  # fmt: skip
def test_addresses_that_no_graph_has(addresses: list[str], message: str) -> None:
    """A page that cannot be found by its address, or a traceback of an encoder."""
    with pytest.raises(GraphError, match=message):
        Arrays.of_addresses([0] * (len(addresses) + 1), [], addresses)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    """An address that is lost, or a query with a lone surrogate."""
    addresses = ["http://a.org/\udcff", "http://a.org/\uffff", "http://a.org/" + "long/" * 100_000]
    build(Arrays.of_addresses([0, 1, 2, 3], [1, 2, 0], addresses), tmp_path / "a.graph")
    store = GraphStore(tmp_path / "a.graph")
    assert sorted(store.names(range(3))) == sorted(addresses)
    assert None not in store.ids(addresses)
    with pytest.raises(GraphError, match="a lone surrogate"):
        store.id_of("http://a.org/\ud800")
    with pytest.raises(GraphError, match="a lone surrogate"):
        store.host_named("a.org\ud800")


def test_an_empty_graph(tmp_path: Path) -> None:
    """A part without pages that breaks the build or a reader."""
    build(Arrays([0], []), tmp_path / "a.graph")
    store = GraphStore(tmp_path / "a.graph")
    assert (store.nodes, store.links, store.hosts_count) == (0, 0, 0)
    assert store.out.expanded().targets.tolist() == []
    with pytest.raises(GraphError, match="there is no page 0"):
        store.out_links(0)
    build(Arrays.of_addresses([0], [], []), tmp_path / "b.graph")
    store = GraphStore(tmp_path / "b.graph")
    assert store.has_addresses
    assert store.id_of("http://a.org/") is None


def _graph(pages: int = 300) -> Lists:
    chance = np.random.default_rng(5)
    degrees = chance.integers(0, 9, pages)
    offsets = np.concatenate([[0], np.cumsum(degrees)])
    targets = chance.integers(0, pages, offsets[-1])
    return Lists(offsets, targets, np.array([0, 20, 100, pages]))


def test_what_is_out_of_range_is_said(tmp_path: Path) -> None:
    """An id that reads beyond the arrays."""
    store = built(_graph(), tmp_path / "a.graph")
    for page in (-1, 300, 2**40):
        with pytest.raises(GraphError, match=re.escape(f"there is no page {page:,} (it has 300)")):
            store.in_links(page)
        with pytest.raises(GraphError, match="there is no page"):
            store.out_lists([0, page])
    with pytest.raises(GraphError, match="there is no host 3"):
        store.between(0, 3)
    with pytest.raises(GraphError, match="has links only, no addresses"):
        store.name(1)


@pytest.mark.parametrize("links", [
    ([0, 2], [0, 1]), ([0, 1], [-1]), ([1, 1], []), ([0, 2, 1], [0, 0]), ([], []), ([0, 1], [0.5]),
])  # fmt: skip
def test_arrays_that_are_no_graph(links: tuple[list[int], list[int]]) -> None:
    """A link to a page that does not exist, found only while the store is built."""
    with pytest.raises(GraphError):
        Arrays(*links)


def test_any_truncation_and_any_changed_byte_is_said(tmp_path: Path) -> None:
    """A truncated file that is read, or bytes that no checksum covers."""
    path = tmp_path / "a.graph"
    built(_graph(), path)
    whole = path.read_bytes()
    chance = np.random.default_rng(1)
    for size in [0, 1, 16, HEAD - 1, HEAD, len(whole) - 1, *chance.integers(0, len(whole), 40)]:
        path.write_bytes(whole[:size])
        message = "is not a store of links" if size == 0 else "is incomplete"
        with pytest.raises(GraphError, match=message) as caught:
            GraphStore(path)
        assert str(path) in str(caught.value)
    for at in [*range(HEAD), *chance.integers(HEAD, len(whole), 200).tolist(), len(whole) - 1]:
        changed = bytearray(whole)
        changed[at] ^= 1 << int(chance.integers(8))
        path.write_bytes(changed)
        with pytest.raises(GraphError, match=r"damaged|not a store|version|incomplete"):
            GraphStore(path).verify()
    path.write_bytes(whole + b"x")
    with pytest.raises(GraphError, match="damaged"):
        GraphStore(path)


def test_a_query_checks_what_it_reads(tmp_path: Path) -> None:
    """Damaged links that are returned, or that compiled code follows."""
    path = tmp_path / "a.graph"
    store = built(_graph(), path)
    at = store._container._arrays["out.words"].at + 40
    changed = bytearray(path.read_bytes())
    changed[at] ^= 255
    path.write_bytes(changed)
    for ask in (lambda s: s.out_links(3), lambda s: s.out_lists([1, 2]), lambda s: s.out.packed):
        with pytest.raises(GraphError, match=r"damaged between bytes .*out\.words"):
            ask(GraphStore(path))


@pytest.mark.parametrize("content", [b"hello", b"\x89PNG\r\n\x1a\n" + bytes(100), bytes(4000)])
def test_a_foreign_file_is_said(tmp_path: Path, content: bytes) -> None:
    """A file of another kind that is taken for a store."""
    path = tmp_path / "a.graph"
    path.write_bytes(content)
    with pytest.raises(GraphError, match=re.escape(f"{path}: is not a store of links")):
        GraphStore(path)
    with pytest.raises(GraphError, match="No such file"):
        GraphStore(tmp_path / "none")


def test_exports_have_all_pages_and_links(tmp_path: Path) -> None:
    """A link or an address that is lost in an export."""
    import networkx
    from pyarrow import parquet

    graph = _graph(100)
    names = [b"a.org", b"b.org", b"c&d.org"]
    texts = [b"/%03d" % k for k in range(100)]
    texts[99] = "/\uffff\ufffe\U0001f600".encode() + b"\xff"
    bounds = np.array([0, 20, 60, 100])
    build(
        Arrays(graph.offsets, graph.targets, bounds, ListedAddresses(names, texts)),
        tmp_path / "a.graph",
    )
    store = GraphStore(tmp_path / "a.graph")
    rows = store.out.expanded()
    links = sorted(zip(*(a.tolist() for a in pairs(0, rows)), strict=True))
    assert sorted(exports.to_networkx(store).edges) == links
    assert exports.to_networkx(store).nodes[70]["address"] == "http://c&d.org/070"
    assert (
        sorted(zip(*(a.tolist() for a in exports.to_scipy(rows).nonzero()), strict=True)) == links
    )
    exports.write_graphml(store, tmp_path / "a.graphml")
    read = networkx.read_graphml(tmp_path / "a.graphml", node_type=int)
    assert sorted(read.edges) == links
    assert read.nodes[70]["address"] == "http://c&d.org/070"
    assert read.nodes[99]["address"] == "http://c&d.org/??\U0001f600?"
    exports.write_parquet(store, tmp_path / "a")
    table = parquet.read_table(tmp_path / "a" / "links.parquet").to_pydict()
    assert sorted(zip(table["source"], table["target"], strict=True)) == links
    pages = parquet.read_table(tmp_path / "a" / "pages.parquet").to_pydict()
    assert pages["address"][:99] == store.names(range(99))
    assert pages["address"][99] == "http://c&d.org/\uffff\ufffe\U0001f600?"
    assert pages["host"] == store.hosts.tolist()
