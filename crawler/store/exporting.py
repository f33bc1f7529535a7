"""Exports links as CSV, JSON Lines, GraphML and Parquet, in a bounded amount of memory.

An export reads the links in batches, each in a transaction of its own. So it does not block a
running crawl, and links that the crawl adds meanwhile may be exported too. Only GraphML needs more
memory for more links: a node must precede its first edge, so the names of the nodes are kept.

A cell of CSV that a spreadsheet would take for a formula (it begins with ``=``, ``+``, ``-``,
``@``, a tab or a line break) is written with an apostrophe before it, so that the anchor of a
crawled page is shown and not executed. Programs that read the file see the apostrophe; JSON Lines
and Parquet have the text unchanged.
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
from .schema import State
from .views import VIEWS, Filter, InternalLink, Kind, Link

BATCH = 2_000
"""Number of links that are read at a time."""

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
    """Yield the links that match a filter, in batches.

    Parameters
    ----------
    store : Store
    kind : Kind
        The kind of links.
    wanted : Filter
    sort : str
        One of the sorts of the view.
    descending : bool
        Whether to reverse the order.
    most : int or None
        The most links to yield; None: all.
    """
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
    """Return an iterator over the pieces of an exported file.

    Parameters
    ----------
    store : Store
    kind : Kind
        The kind of links.
    wanted : Filter
        Only links that match it are exported.
    form : str
        The format, one of `FORMATS`.
    sort : str
        One of the sorts of the view.
    descending : bool
        Whether to reverse the order.
    most : int or None
        The most links to export; None: all.

    Raises
    ------
    CrawlError
        If these links cannot be exported in this format, pyarrow is not installed, or the filter
        or the sort is invalid. It is raised by the call, before the first piece is requested.
    """
    if form not in FORMATS:
        raise CrawlError(f"{form}: links are exported as {', '.join(FORMATS)}")
    VIEWS[kind].check(wanted.wanted(), sort)
    if form == "graphml" and kind is Kind.BAD:
        raise CrawlError("graphml: bad links lead nowhere, so there is no graph of them")
    if form == "parquet":
        _arrow()
    batches = links(store, kind, wanted, sort, descending=descending, most=most)
    return FORMATS[form](VIEWS[kind].row, map(_with_names, batches))


def _with_names(batch: list[Link]) -> list[Any]:
    """Return links with the names of states, by which filters select, instead of their numbers."""
    return [_with_name(link) if isinstance(link, InternalLink) else link for link in batch]


def _with_name(link: InternalLink) -> Any:
    values = link._asdict() | {"state": State(link.state).name.lower()}
    return InternalLink(**values)


def as_csv(row: type[Link], batches: Iterable[list[Link]]) -> Iterator[bytes]:
    """Yield a CSV file with a header; cells that look like formulas begin with an apostrophe."""
    yield _lines([row._fields])
    for batch in batches:
        yield _lines([[harmless(value) for value in link] for link in batch])


def as_jsonl(row: type[Link], batches: Iterable[list[Link]]) -> Iterator[bytes]:
    """Yield a file of JSON Lines: one object per link."""
    for batch in batches:
        text = "".join(json.dumps(link._asdict(), ensure_ascii=False) + "\n" for link in batch)
        yield text.encode("utf-8", "replace")


def as_graphml(row: type[Link], batches: Iterable[list[Link]]) -> Iterator[bytes]:
    """Yield a GraphML file with an edge for each link.

    For internal links the nodes are pages, named by their addresses; for external links they are
    the linking sites and the linked hosts.
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
    """Yield a Parquet file, one row group per batch."""
    arrow, parquet = _arrow()
    schema = arrow.schema([
        (name, arrow.string() if kind is str or name == "state" else arrow.int64())
        for name, kind in get_type_hints(row).items()
    ])  # fmt: skip
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
"""The exporting functions by the names of the formats."""


def _lines(rows: Any) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue().encode("utf-8", "replace")


def harmless(value: Any) -> Any:
    """Return a cell of CSV that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _ends(link: Any) -> tuple[str, str, str]:
    """Return the source, the target and the label of a link's edge."""
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
    """Return a text in which characters that XML forbids are replaced."""
    return _NO_XML.sub("\ufffd", text)


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise CrawlError("parquet: needs pyarrow: install counterpoint[parquet]") from error
    return pyarrow, pyarrow.parquet


class _Sink(io.RawIOBase):
    """A file whose written bytes are taken out piece by piece."""

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
        """Return the bytes that were written since the last call."""
        piece = bytes(self._written)
        self._written.clear()
        return piece
