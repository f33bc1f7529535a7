"""Pictures of the main views, of a crawl that is the same each time: docs/studio.

UPDATE_SCREENSHOTS=1 pytest tests/counterpoint/studio/test_screenshots.py -m slow
"""

from __future__ import annotations

import asyncio
import io
import os
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from counterpoint.crawler.beebot.beginning import begin
from counterpoint.crawler.beebot.engine import Engine
from counterpoint.crawler.beebot.planner import Planner
from counterpoint.crawler.fetching.job import Fetched, Job
from counterpoint.crawler.store import seeds
from counterpoint.crawler.store.opening import Store, open_store
from counterpoint.sim_web import profile
from counterpoint.sim_web.answer import Question
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.world.site import SyntheticSite
from counterpoint.studio.crawling import CrawlState
from tests.crawler.beebot.inprocess import InProcess

from .browser import WAIT, browser
from .client import serve_studio
from .filled import BEGUN
from .test_browser_views import open_view

PICTURES = Path(__file__).resolve().parents[3] / "docs" / "studio"
VISITS = 1400
DESK = {"width": 1280, "height": 940}
PHONE = {"width": 360, "height": 780}
SHOWN = (
    ("crawl", "/crawl", DESK, "light"),
    ("crawl-dark", "/crawl", DESK, "dark"),
    ("crawl-phone", "/crawl", PHONE, "dark"),
    ("sites", "/sites", DESK, "light"),
    ("pages", "/pages?state=fetched&sort=external&descending=1", DESK, "light"),
    ("external-links", "/links/external?site=7", DESK, "light"),
    ("external-links-phone", "/links/external", PHONE, "light"),
    ("bad-links-dark", "/links/bad", DESK, "dark"),
)


class Planted(InProcess):
    """Answers of a synthetic web, each a little later than the one before; counts them."""

    def __init__(self, site: SyntheticSite) -> None:
        super().__init__({})
        self._site, self._chance, self._now = site, random.Random(7), BEGUN
        self.engine: Engine | None = None

    def answer(self, job: Job) -> Fetched:
        self._now += 0.02 + 0.08 * random.Random(job.number).random()
        found = self._site.answer(Question(job.address, 0.0))
        kind = dict(found.headers).get("Content-Type", "text/html")
        if job.number == VISITS - 1 and self.engine is not None:
            self.engine.stop()
        return Fetched(job, found.status, "", found.body, kind, time=self._now)


def crawl(store: Store) -> None:
    """Crawl ten sites by R3, for a part of the budget."""
    web = Web(profile.load("sample"), 20_000, 7)
    for host in range(10):
        name = web.name(host)
        seeds.add(store, f"http://{name}/", short_name=name.removesuffix(".test"))
    seeds.add(store, "http://moved.test/", "An institute that moved", "moved")
    dispatcher = Planted(SyntheticSite(web))

    async def run() -> None:
        begin(store, {"kind": "universities", "budget": "2000", "concurrency": 1})
        dispatcher.engine = Engine(Planner(store, 1), dispatcher, pauses=())
        await dispatcher.engine.run()

    asyncio.run(run())


@contextmanager
def serve_store(store: Store) -> Iterator[str]:
    """Serve a store in a thread, as if its crawl ran; yield the address."""
    ready, ends = threading.Event(), []

    async def serve() -> None:
        async with serve_studio(store) as client:
            client.crawling.running = CrawlState("running", 7, "1 page is being fetched.")
            end = asyncio.Event()
            ends.extend((client.origin, asyncio.get_running_loop(), end))
            ready.set()
            await end.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert ready.wait(60)
    try:
        yield ends[0]
    finally:
        ends[1].call_soon_threadsafe(ends[2].set)
        thread.join()


@pytest.mark.slow
def test_pictures(tmp_path: Path) -> None:
    """Outdated pictures: of a view that no longer exists, or without numbers."""
    found: dict[str, bytes] = {}
    with open_store(tmp_path / "crawl.db", create=True) as store:
        crawl(store)
        with serve_store(store) as address, browser() as chrome:
            for name, view, size, theme in SHOWN:
                found[name] = picture(chrome, address, view, size, theme)
    there = {path.stem for path in PICTURES.glob("*.png")}
    if os.environ.get("UPDATE_SCREENSHOTS"):
        PICTURES.mkdir(parents=True, exist_ok=True)
        for name, content in found.items():
            (PICTURES / f"{name}.png").write_bytes(smaller(content))
    else:
        assert there == set(found)


def picture(chrome: Any, address: str, view: str, size: dict[str, int], theme: str) -> bytes:
    """Return a screenshot of a view."""
    page = open_view(chrome, address, view, viewport=size, color_scheme=theme,
                  reduced_motion="reduce")  # fmt: skip
    pill = page.locator("#pill").filter(has_text=f"{VISITS:,}")
    counter = page.locator("dd[data-live=visits]").get_by_text(f"{VISITS:,}", exact=True)
    pill.or_(counter).first.wait_for(state="attached", timeout=WAIT)
    content: bytes = page.screenshot()
    page.context.close()
    return content


def smaller(content: bytes) -> bytes:
    """Return a picture with a palette of 128 colours, which needs a third of the bytes."""
    from PIL import Image

    out = io.BytesIO()
    Image.open(io.BytesIO(content)).convert("RGB").quantize(128).save(out, "PNG", optimize=True)
    return out.getvalue()
