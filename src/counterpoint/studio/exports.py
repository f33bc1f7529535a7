"""The view of exports: links as files, which are written while they are sent."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Iterator
from typing import NamedTuple

from aiohttp import web

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store.broken import as_csv, broken
from counterpoint.crawler.store.exporting import export
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.views import Filter, Kind
from counterpoint.studio.guard import RequestRefused
from counterpoint.studio.rendering import render
from counterpoint.studio.stored import STORE

AT_A_TIME = 8
"""Largest number of files that are sent at the same time. A client that reads slowly keeps its
connection, so without a limit such clients could take all of them."""
SENDING = web.AppKey("sending", asyncio.Semaphore)

_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl",
          "graphml": "application/graphml+xml", "parquet": "application/vnd.apache.parquet",
          }  # fmt: skip


class FileFormat(NamedTuple):
    """A format of files: the ending, which is also its name, and the label."""

    ending: str
    label: str


_FORMS = tuple(
    FileFormat(*one)
    for one in (
        ("csv", "CSV"), ("jsonl", "JSON Lines"), ("graphml", "GraphML"), ("parquet", "Parquet"),
    )
)  # fmt: skip
_WHATS = {
    Kind.INTERNAL: ("Internal links", "GraphML: pages and the links between them"),
    Kind.EXTERNAL: ("External links", "with their anchors; GraphML: sites and hosts"),
    Kind.BAD: ("Bad links", "with the reasons"),
}
BROKEN = "broken"
"""The name of the list of broken links, which is written as CSV alone."""


def _forms(kind: Kind) -> list[FileFormat]:
    """Return the formats that are available for a kind of links."""
    lacking = set() if importlib.util.find_spec("pyarrow") else {"parquet"}
    if kind is Kind.BAD:
        lacking.add("graphml")
    return [form for form in _FORMS if form.ending not in lacking]


async def show(request: web.Request) -> web.Response:
    """Show the available exports."""
    whats = [{"name": str(kind), "label": label, "about": about, "forms": _forms(kind),
              "file": str(kind)}
             for kind, (label, about) in _WHATS.items()]  # fmt: skip
    whats.append({"name": "", "label": "Broken links", "about": "with the pages that have them",
                  "forms": [FileFormat("csv", "CSV")], "file": BROKEN})  # fmt: skip
    missing = "" if importlib.util.find_spec("pyarrow") else "Parquet needs pyarrow."
    return render(request, "export", "export", whats=whats, missing=missing)


async def send(request: web.Request) -> web.StreamResponse:
    """Send links as a file, piece by piece.

    Raises
    ------
    RequestRefused
        If too many files are being sent.
    """
    name, _, ending = request.match_info["name"].partition(".")
    if ending not in _endings(name):
        raise web.HTTPNotFound
    sending = request.app[SENDING]
    if sending.locked():
        raise RequestRefused(503, "Too many files are being sent: wait until one has arrived.")
    async with sending:
        return await _sent(request, name, ending)


def _endings(name: str) -> set[str]:
    """Return the endings of files of a name; none: there is no such file."""
    if name == BROKEN:
        return {"csv"}
    return {form.ending for form in _forms(Kind(name))} if name in list(Kind) else set()


async def _sent(request: web.Request, name: str, ending: str) -> web.StreamResponse:
    pieces = await asyncio.to_thread(_begun, request.app[STORE], name, ending)
    answer = web.StreamResponse(
        headers={"Content-Type": _TYPES[ending],
                 "Content-Disposition": f'attachment; filename="{name}-links.{ending}"'}
    )  # fmt: skip
    await answer.prepare(request)
    try:
        while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
            await answer.write(piece)
    except (CrawlError, ConnectionError):
        # The connection is aborted, so that the client notices that the file is incomplete.
        answer.force_close()
        if request.transport is not None:
            request.transport.abort()
    return answer


def _begun(store: Store, name: str, ending: str) -> Iterator[bytes]:
    if name == BROKEN:
        return (line.encode() for line in as_csv(broken(store)))
    return export(store, Kind(name), Filter(), ending)
