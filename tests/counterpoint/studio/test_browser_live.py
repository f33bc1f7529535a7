"""Live views in a real browser: deletions in the store, and more views than there may be."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from counterpoint.crawler.store import seeds
from counterpoint.crawler.store.deleting import delete_all
from counterpoint.crawler.store.opening import open_store
from counterpoint.crawler.store.views import Filter, Kind
from counterpoint.studio.live import WATCHERS

from .browser import WAIT, browser, eventually, studio
from .filled import SITES, fill


@pytest.mark.long
def test_counters_follow_deletions_and_a_view_may_be_replaced(tmp_path: Path) -> None:
    """A counter of deleted links, the row of a removed site, or a view that seems to be live."""
    with (
        open_store(tmp_path / "crawl.db", create=True) as store,
        browser() as chrome,
    ):
        fill(store)
        with studio(tmp_path, "--db", "crawl.db") as (_, address):
            page = chrome.new_page()
            page.goto(f"{address}sites", timeout=WAIT)
            external = page.locator("nav [data-live=external]")
            before = sum(site.external for site in seeds.listed(store))
            eventually(external).to_have_text(f"{before:,}", timeout=WAIT)
            *_, number = delete_all(store, Kind.EXTERNAL, Filter(site=6))
            eventually(external).to_have_text(f"{before - number:,}", timeout=WAIT)
            cell = page.locator("tr[data-site='6'] [data-column=external]")
            eventually(cell).to_have_text("0", timeout=WAIT)
            seeds.remove(store, 2)
            count = page.locator("nav [data-live=sites]")
            eventually(count).to_have_text(str(len(SITES)), timeout=WAIT)
            row = page.locator("tr[data-site='2']")
            eventually(row.locator(".pill")).to_have_text("removed", timeout=WAIT)
            eventually(row.locator("[data-column=internal]")).to_have_text("", timeout=WAIT)
            others = [stream(address) for _ in range(WATCHERS)]
            pill = page.locator("#pill")
            eventually(pill).to_have_text("Not live", timeout=WAIT)
            problem = page.locator("#problem")
            eventually(problem).to_contain_text("Too many live views are open", timeout=WAIT)
            for other in others:
                other.close()
            page.reload()
            eventually(pill).to_contain_text("Stopped", timeout=WAIT)
            eventually(problem).to_be_hidden(timeout=WAIT)


def stream(address: str) -> socket.socket:
    """Open a live view as a browser does; return its connection."""
    host, _, port = address.removeprefix("http://").rstrip("/").partition(":")
    found = socket.create_connection((host, int(port)), timeout=WAIT / 1000)
    found.sendall(f"GET /events HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
    assert found.recv(4096).startswith(b"HTTP/1.1 200 ")
    return found
