"""The view of one page: its facts, visits and links, and what WARC files have of its answer.

An answer is shown as text, never as HTML: nothing of a crawled page runs in the studio.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from aiohttp import web

from counterpoint.crawler.archives.archives import files_of
from counterpoint.crawler.archives.captured import CapturedAnswer, CapturedWeb
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store.page_details import SHOWN, PageDetails, details
from counterpoint.studio import wishing
from counterpoint.studio.pages import PILLS
from counterpoint.studio.rendering import render
from counterpoint.studio.stored import asked

TEXT = 12_000
"""The most characters of a head, and of a body, that are shown."""
PATIENCE = 3.0
"""Seconds that a view waits while WARC files are indexed; the index is made all the same."""


class Kept(NamedTuple):
    """An answer in the WARC files, as text; ``captures``: how many answers of the page there are.

    ``body`` is "" for what is no text, and ``rest`` says what is not shown of it.
    """

    head: str
    body: str
    rest: str
    time: float
    captures: int


class Records:
    """The WARC files of the crawl, indexed when they are first looked at and after each change."""

    def __init__(self) -> None:
        # Not a lock of threads: those that wait for a long index would be missing elsewhere.
        self._lock = asyncio.Lock()
        self._web: CapturedWeb | None = None
        self._state: list[tuple[Path, int, int]] = []
        self._tasks: dict[str, asyncio.Future[Kept | None]] = {}
        self._ended = False

    async def answer(self, folder: Path, address: str) -> Kept | None:
        """Return the last answer of a page in WARC files; None: they have none.

        Raises
        ------
        CrawlError
            If they cannot be read.
        TimeoutError
            If they are still being indexed, which goes on.
        """
        if address not in self._tasks:
            task = self._tasks[address] = asyncio.ensure_future(self._alone(folder, address))
            task.add_done_callback(partial(self._forget, address))
        return await asyncio.wait_for(asyncio.shield(self._tasks[address]), PATIENCE)

    def _forget(self, address: str, task: asyncio.Future[Kept | None]) -> None:
        del self._tasks[address]
        if not task.cancelled():
            task.exception()  # perhaps nobody waits for it any more

    async def _alone(self, folder: Path, address: str) -> Kept | None:
        async with self._lock:
            return await asyncio.to_thread(self._read, folder, address)

    def _read(self, folder: Path, address: str) -> Kept | None:
        state = [(file, file.stat().st_size, file.stat().st_mtime_ns)
                 for file in files_of(folder)]  # fmt: skip
        if self._web is None or state != self._state:
            self._close()
            self._web, self._state = CapturedWeb([folder], tell=self._go_on), state
        captures = self._web.index.of(address)
        found = [one for one in captures if one.capture.type != "wat"]
        answer = self._web.read(found[-1]) if found else None
        return None if answer is None else _shown(answer, len(found))

    def _go_on(self, _: str) -> None:
        if self._ended:
            raise CrawlError("the studio ends")

    def _close(self) -> None:
        if self._web is not None:
            self._web.close()
            self._web = None

    async def close(self) -> None:
        """Stop what is being indexed, and close the files."""
        self._ended = True
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        self._close()


RECORDS = web.AppKey("records", Records)


async def records_of(app: web.Application) -> AsyncIterator[None]:
    """Close the WARC files when the studio ends."""
    yield
    await app[RECORDS].close()


def _shown(answer: CapturedAnswer, captures: int) -> Kept:
    lines = [f"{name}: {value}" for name, value in answer.headers.items()]
    head = "\n".join([f"HTTP {answer.status}", *lines])[:TEXT]
    kind = answer.headers.get("content-type", "").lower()
    is_text = kind.startswith("text/") or any(one in kind for one in ("json", "xml", "javascript"))
    size = len(answer.body)
    if answer.coded or b"\0" in answer.body[:TEXT] or not (is_text or not kind):
        return Kept(head, "", f"{size:,} bytes that are no text", answer.time, captures)
    body = answer.body[: 4 * TEXT].decode("utf-8", "replace")[:TEXT]
    part = "" if answer.whole else "the files do not have all of it; "
    rest = f"{part}{size:,} bytes in all" if part or len(answer.body) > len(body.encode()) else ""
    return Kept(head, body, rest, answer.time, captures)


async def show(request: web.Request) -> web.Response:
    """Show a page of the store."""
    page = await _page(request)
    wishes = await asked(request, wishing.stored)
    return render(request, "page", "pages", page=page, pills=PILLS, most=SHOWN,
                  archived=wishes.warc is not None)  # fmt: skip


async def record(request: web.Request) -> web.Response:
    """Show the last answer of a page in the crawl's WARC files."""
    page = await _page(request)
    folder = (await asked(request, wishing.stored)).warc
    kept, waits, wrong = None, False, ""
    if folder is not None:
        try:
            kept = await request.app[RECORDS].answer(Path(folder), page.address)
        except TimeoutError:
            waits = True
        except (CrawlError, OSError) as error:
            wrong = str(error)
    return render(request, "record", "pages", page=page, folder=folder, kept=kept, waits=waits,
                  wrong=wrong)  # fmt: skip


async def _page(request: web.Request) -> PageDetails:
    page = await asked(request, details, int(request.match_info["number"]))
    if page is None:
        raise web.HTTPNotFound
    return page
