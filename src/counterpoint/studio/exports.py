"""The view of exports: links as files, made while they are sent."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Iterator
from typing import NamedTuple

from aiohttp import web

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store.exporting import export
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.views import Filter, Kind
from counterpoint.studio.guard import dress
from counterpoint.studio.rendering import render
from counterpoint.studio.stored import STORE

_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl",
          "graphml": "application/graphml+xml", "parquet": "application/vnd.apache.parquet",
          }  # fmt: skip


class Form(NamedTuple):
    """A format of files: its ending, which is its name, and what people call it."""

    ending: str
    label: str


_FORMS = (Form("csv", "CSV"), Form("jsonl", "JSON Lines"), Form("graphml", "GraphML"),
          Form("parquet", "Parquet"))  # fmt: skip
_WHATS = {
    Kind.INTERNAL: ("Internal links", "GraphML: pages and the links between them"),
    Kind.EXTERNAL: ("External links", "with their anchors; GraphML: sites and hosts"),
    Kind.BAD: ("Bad links", "with the reasons"),
}


def _forms(kind: Kind) -> list[Form]:
    """Return the formats there are for a kind of links, here."""
    lacking = set() if importlib.util.find_spec("pyarrow") else {"parquet"}
    if kind is Kind.BAD:
        lacking.add("graphml")
    return [form for form in _FORMS if form.ending not in lacking]


async def show(request: web.Request) -> web.Response:
    """Show what can be exported."""
    whats = [{"name": str(kind), "label": label, "about": about, "forms": _forms(kind)}
             for kind, (label, about) in _WHATS.items()]  # fmt: skip
    missing = "" if importlib.util.find_spec("pyarrow") else "Parquet needs pyarrow."
    return render(request, "export", "export", whats=whats, missing=missing)


async def send(request: web.Request) -> web.StreamResponse:
    """Send links as a file, piece by piece."""
    name, _, ending = request.match_info["name"].partition(".")
    if name not in list(Kind) or ending not in {form.ending for form in _forms(Kind(name))}:
        raise web.HTTPNotFound
    pieces = await asyncio.to_thread(_begun, request.app[STORE], Kind(name), ending)
    answer = web.StreamResponse(
        headers={"Content-Type": _TYPES[ending],
                 "Content-Disposition": f'attachment; filename="{name}-links.{ending}"'}
    )  # fmt: skip
    dress(answer)
    await answer.prepare(request)
    try:
        while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
            await answer.write(piece)
    except (CrawlError, ConnectionError):
        # Whoever reads it must see that it is not whole.
        answer.force_close()
        if request.transport is not None:
            request.transport.abort()
    return answer


def _begun(store: Store, kind: Kind, ending: str) -> Iterator[bytes]:
    return export(store, kind, Filter(), ending)
