"""The view of the gate's report and its counterexamples, which are isolated in a sandbox.

The pages of the report have inline scripts and styles, so they need a Content-Security-Policy of
their own. In the sandbox they have no access to anything, not even to the studio around them.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from aiohttp import web

from counterpoint.studio.guard import ACCESS
from counterpoint.studio.rendering import render

REPORT = web.AppKey("report", Path)

_TYPES = {".html": "text/html", ".svg": "image/svg+xml", ".json": "application/json",
          ".png": "image/png", ".txt": "text/plain", ".css": "text/css"}  # fmt: skip
_POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src 'self' data:; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'self'"
)
_MOST = 500


async def gate(request: web.Request) -> web.Response:
    """Show the report, and the list of its other pages."""
    folder = request.app[REPORT]
    there = await asyncio.to_thread(_pages, folder)
    known = [name for name in there if name != "index.html"]
    wanted = request.query.get("page", "")
    page = wanted if wanted in there else "index.html" if "index.html" in there else ""
    return render(
        request, "gate", "gate",
        folder=str(folder), pages=known[:_MOST], page=page,
        root=f"/report/{request.app[ACCESS].folder()}",
    )  # fmt: skip


def _pages(folder: Path) -> list[str]:
    """Return the pages of a report; names that are not printable are left out."""
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*.html"))
    return sorted(name for name in names if name.isprintable())


async def page(request: web.Request) -> web.StreamResponse:
    """Send a file of the report, for a frame."""
    folder = request.app[REPORT].resolve()
    if request.match_info["key"] != request.app[ACCESS].folder():
        raise web.HTTPNotFound
    try:
        path = (folder / request.match_info["path"]).resolve()
        there = path.is_relative_to(folder) and path.is_file()
    except (OSError, ValueError):  # a name that is too long, or has a NUL
        there = False
    kind = _TYPES.get(path.suffix.lower()) if there else None
    if kind is None:
        raise web.HTTPNotFound
    return web.FileResponse(
        path,
        headers={
            "Content-Type": f"{kind}; charset=utf-8" if kind.startswith("text/") else kind,
            "Content-Security-Policy": _POLICY,
            # The sandbox has another origin, so its requests for pictures are cross-origin.
            "Cross-Origin-Resource-Policy": "cross-origin",
        },
    )
