"""Exports read back by other programs: nothing is lost, and nothing is executed."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from random import Random
from typing import Any

import networkx
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store import exporting
from counterpoint.crawler.store.exporting import (
    FORMATS,
    as_csv,
    as_graphml,
    as_jsonl,
    as_parquet,
    export,
)
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.crawler.store.views import ExternalLink, Filter, Kind

from .filled import Held, fill


@pytest.fixture
def filled(place: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Yield a randomly filled store and its links; batches are small."""
    monkeypatch.setattr(exporting, "BATCH", 7)
    with open_store(place, create=True) as store:
        yield store, fill(store, Random(7), size=20, links=9)


def whole(store: Store, kind: Kind, form: str, wanted: Filter = Filter(), **how: Any) -> bytes:  # noqa: B008
    """Return a whole export."""
    return b"".join(export(store, kind, wanted, form, **how))


STATES = ("queued", "issued", "done", "dropped", "beyond")
"""The names by which filters select."""


@pytest.mark.parametrize("kind", Kind)
def test_every_format(kind: Kind, filled: tuple[Store, Held]) -> None:
    """A link that is lost between two batches, or a value that changes."""
    store, held = filled
    right = [link._asdict() for link in held[kind]]
    for link in right if kind is Kind.INTERNAL else ():
        link["state"] = STATES[link["state"]]
    assert len(right) > 7  # more than a batch
    assert list(map(json.loads, whole(store, kind, "jsonl").decode().splitlines())) == right
    rows = csv.DictReader(io.StringIO(whole(store, kind, "csv").decode(), newline=""))
    texts = [{name: "" if value is None else str(value).removeprefix("'")
              for name, value in row.items()} for row in rows]  # fmt: skip
    assert texts == [{name: "" if value is None else str(value) for name, value in link.items()}
                     for link in right]  # fmt: skip
    read = pyarrow.parquet.read_table(pyarrow.BufferReader(whole(store, kind, "parquet")))
    assert read.to_pylist() == right
    some = whole(store, kind, "jsonl", Filter(site=2), descending=True, most=3).splitlines()
    assert list(map(json.loads, some)) == [link for link in right[::-1] if link["seed"] == 2][:3]


def test_graphs(filled: tuple[Store, Held]) -> None:
    """An edge that is lost, a node after its edge, or invalid XML."""
    store, held = filled
    for kind in (Kind.INTERNAL, Kind.EXTERNAL):
        text = whole(store, kind, "graphml").decode()
        graph = networkx.parse_graphml(text, force_multigraph=True)
        internal = kind is Kind.INTERNAL
        edges = sorted((link.found_on, link.address) if internal
                       else (f"s{link.seed}.test", link.host) for link in held[kind])  # fmt: skip
        assert sorted(graph.edges()) == edges
        assert set(graph) == {end for edge in edges for end in edge}
        for node in graph:
            used = re.search(rf'(source|target)="{re.escape(node)}"', text)
            assert used and text.index(f'<node id="{node}"/>') < used.start()
    with pytest.raises(CrawlError, match="no graph"):
        export(store, Kind.BAD, Filter(), "graphml")


ANY = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=9)


def one(anchor: str, address: str = "http://b.test/") -> list[list[ExternalLink]]:
    """Return a batch with a link."""
    return [[ExternalLink(0, 0, address, "b.test", "b.test", anchor, 1, "http://a.test/",
                          "http://a.test/", 0)]]  # fmt: skip


@given(st.sampled_from(["", "=", "+", "-", "@", "\t", "\r", "\n"]) | ANY, ANY)
def test_what_a_page_says_is_no_formula(first: str, rest: str) -> None:
    """A cell that a spreadsheet would execute, or one that was changed needlessly."""
    anchor = first + rest
    text = as_csv(ExternalLink, one(anchor))
    *_, line = csv.reader(io.StringIO(b"".join(text).decode(), newline=""))
    cell = line[ExternalLink._fields.index("anchor")]
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    assert cell in (anchor, f"'{anchor}")
    if anchor[:1].isalnum():
        assert cell == anchor


@given(ANY)
def test_any_text_can_be_exported(text: str) -> None:
    """A character that makes a file unreadable."""
    (line,) = b"".join(as_jsonl(ExternalLink, one(text))).decode().split("\n")[:-1]
    assert json.loads(line)["anchor"] == text
    graph = networkx.parse_graphml(b"".join(as_graphml(ExternalLink, one(text))).decode())
    assert list(graph) == ["a.test", "b.test"]
    read = pyarrow.BufferReader(b"".join(as_parquet(ExternalLink, one(text))))
    assert pyarrow.parquet.read_table(read)["anchor"].to_pylist() == [text]


def test_what_cannot_be_exported(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error in the middle of a file instead of before it."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with open_store(place, create=True) as store:
        for form, wanted, sort, message in (
            ("parquet", Filter(), "found", "install counterpoint.parquet."),
            ("xls", Filter(), "found", "xls: links are exported as csv, jsonl, graphml, parquet"),
            ("csv", Filter(reason="x"), "found", "reason: external links have none"),
            ("csv", Filter(), "target", "external links are sorted by"),
        ):
            with pytest.raises(CrawlError, match=message):
                export(store, Kind.EXTERNAL, wanted, form, sort)
        for form in FORMATS:
            if form != "parquet":  # of nothing
                assert len(whole(store, Kind.EXTERNAL, form).splitlines()) < 7
