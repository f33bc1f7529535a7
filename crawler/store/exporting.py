"""Exports links as they are read: CSV, JSON Lines, GraphML and Parquet; memory does not grow.

Each export goes through the list a page at a time, and each page sees the store as it is then: a
crawl that runs is not held up, and what it adds meanwhile is exported as well. Only GraphML, where
a node stands before its first edge, keeps something in memory: the names of the nodes.

A cell of CSV that a spreadsheet would take for a formula (it begins with ``=``, ``+``, ``-``,
``@``, a tab or a line break) begins with an apostrophe instead: what a crawled page says in an
anchor is shown, not executed. Read such a file by a program, and you find the apostrophe; JSON
Lines and Parquet have the text as it is.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, get_type_hints
from xml.sax.saxutils import escape, quoteattr

from counterpoint.crawler.errors import CrawlError

from .browsing import browse
from .opening import Store
from .views import VIEWS, Filter, Kind, Link

BATCH = 2_000
"""Links that are read at a time."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def links(
    store: Store,
    kind: Kind,
    wanted: Filter,
    sort: str = "found",
    *,
    descending: bool = False,
    most: int | None = None,
) -> Iterator[list[Link]]:
    """Yield the links that a filter finds, in batches; `most`: how many at most."""
    after, left = "", math.inf if most is None else most
    while left:
        with store.reading() as connection:
            found = browse(connection, kind, wanted, sort, descending=descending, after=after,
                           limit=int(min(BATCH, left)))  # fmt: skip
        if found.rows:
            yield found.rows
        left -= len(found.rows)
        after = found.after
        if not after:
            return


def export(
    store: Store,
    kind: Kind,
    wanted: Filter,
    form: str,
    sort: str = "found",
    *,
    descending: bool = False,
    most: int | None = None,
) -> Iterator[bytes]:
    """Return an export piece by piece.

    Parameters
    ----------
    store : Store
        From where.
    kind : Kind
        Which links.
    wanted : Filter
        What they must be like.
    form : str
        One of `FORMATS`.
    sort : str
        One of the view's sorts.
    descending : bool
        The last first.
    most : int or None
        How many links at most.

    Raises
    ------
    CrawlError
        There is no such format for these links, pyarrow is not installed, or the filter or the
        sort is wrong; before anything is yielded.
    """
    if form not in FORMATS:
        raise CrawlError(f"{form}: links are exported as {', '.join(FORMATS)}")
    VIEWS[kind].check(wanted.wanted(), sort)
    if form == "graphml" and kind is Kind.BAD:
        raise CrawlError("graphml: bad links lead nowhere, so there is no graph of them")
    if form == "parquet":
        _arrow()
    batches = links(store, kind, wanted, sort, descending=descending, most=most)
    return FORMATS[form](VIEWS[kind].row, batches)


def as_csv(row: type[Link], batches: Iterable[list[Link]]) -> Iterator[bytes]:
    """Yield a table with a header; formulas in it are made harmless."""
    yield _lines([row._fields])
    for batch in batches:
        yield _lines([[_harmless(value) for value in link] for link in batch])


def as_jsonl(row: type[Link], batches: Iterable[list[Link]]) -> Iterator[bytes]:
    """Yield an object a line."""
    for batch in batches:
        text = "".join(json.dumps(link._asdict(), ensure_ascii=False) + "\n" for link in batch)
        yield text.encode("utf-8", "replace")


def as_graphml(row: type[Link], batches: Iterable[list[Link]]) -> Iterator[bytes]:
    """Yield a graph: of pages for internal links; from sites to hosts for external ones.

    A node is called by its address, or host; there is an edge for each link.
    """
    yield (
        b'<?xml version="1.0" encoding="UTF-8"?>\n'
        b'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
        b'<key id="label" for="edge" attr.name="label" attr.type="string"/>\n'
        b'<graph edgedefault="directed">\n'
    )
    nodes: set[str] = set()
    for batch in batches:
        written = []
        for source, target, label in map(_ends, batch):
            for end in {source: 0, target: 0}:
                if end not in nodes:
                    nodes.add(end)
                    written.append(f"<node id={_attribute(end)}/>\n")
            written.append(_edge(source, target, label))
        yield "".join(written).encode("utf-8", "replace")
    yield b"</graph>\n</graphml>\n"


def as_parquet(row: type[Link], batches: Iterable[list[Link]]) -> Iterator[bytes]:
    """Yield a Parquet file, a group of rows at a time."""
    arrow, parquet = _arrow()
    schema = arrow.schema([(name, arrow.string() if kind is str else arrow.int64())
                           for name, kind in get_type_hints(row).items()])  # fmt: skip
    sink = _Sink()
    with parquet.ParquetWriter(sink, schema, compression="zstd") as writer:
        for batch in batches:
            columns = {name: [getattr(link, name) for link in batch] for name in row._fields}
            writer.write_table(arrow.table(columns, schema=schema))
            yield sink.taken()
    yield sink.taken()


FORMATS: dict[str, Callable[[type[Link], Iterable[list[Link]]], Iterator[bytes]]] = {
    "csv": as_csv,
    "jsonl": as_jsonl,
    "graphml": as_graphml,
    "parquet": as_parquet,
}
"""By name."""


def _lines(rows: Any) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue().encode("utf-8", "replace")


def _harmless(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _ends(link: Any) -> tuple[str, str, str]:
    """Return whence, whither and the label of an edge."""
    if hasattr(link, "host"):
        return link.found_on.split("/", 3)[2], link.host, link.anchor
    return link.found_on, link.address, ""


def _edge(source: str, target: str, label: str) -> str:
    ends = f"source={_attribute(source)} target={_attribute(target)}"
    if not label:
        return f"<edge {ends}/>\n"
    return f'<edge {ends}><data key="label">{escape(_text(label))}</data></edge>\n'


def _attribute(text: str) -> str:
    return quoteattr(_text(text))


def _text(text: str) -> str:
    """Return a text without characters that no XML may have."""
    return _NO_XML.sub("\ufffd", text)


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise CrawlError("parquet: needs pyarrow: install counterpoint[parquet]") from error
    return pyarrow, pyarrow.parquet


class _Sink(io.RawIOBase):
    """A file that hands on what is written to it."""

    def __init__(self) -> None:
        super().__init__()
        self._written = bytearray()
        self._size = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._size

    def write(self, piece: Any) -> int:
        self._written += piece
        self._size += len(piece)
        return len(piece)

    def taken(self) -> bytes:
        """Return what was written since the last call."""
        piece = bytes(self._written)
        self._written.clear()
        return piece
