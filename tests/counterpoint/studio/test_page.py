"""The view of one page: facts, visits, links, and its answer in WARC files, shown as text."""

from __future__ import annotations

import asyncio
import re
import threading
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select, update

from counterpoint.crawler.archives import indexing
from counterpoint.crawler.store import page_details, schema
from counterpoint.crawler.store.opening import open_store
from counterpoint.crawler.store.page_details import Linked, details
from counterpoint.crawler.store.page_kinds import PageKind
from counterpoint.studio import page
from tests.crawler.archives.standard import written
from tests.studies.captured.webs import answer

from .client import Client, use_studio
from .filled import HOSTILE, fill

EVIL = f"<!DOCTYPE html><script>alert(1)</script>{HOSTILE}</pre><iframe src=//evil>"


def plain(text: str) -> str:
    """Return the text of a part of a page."""
    return unescape(re.sub(r"<[^>]*>", "", text))


def shown(text: str, label: str) -> str:
    """Return the text in the element of this label."""
    found = re.search(rf'<pre[^>]*aria-label="{label}">(.*?)</pre>', text, re.S)
    return "" if found is None else unescape(found[1])


def test_details_are_those_of_the_store(place: str) -> None:
    """Links of another page, deleted ones, visits out of order, or validators of another page."""
    with open_store(place, create=True) as store:
        fill(store)
        with store.transaction() as connection:
            source = connection.execute(
                select(schema.internal_links.c.page).where(schema.internal_links.c.target == 20)
            ).scalars().all()  # fmt: skip
            connection.execute(insert(schema.copies).values(page=20, etag='"x"', modified="Mon"))
            outer = schema.external_links
            connection.execute(update(outer).where(outer.c.page == 5).values(target=20))
            first = connection.execute(
                select(outer.c.position).where(outer.c.page == 5).order_by(outer.c.position)
            ).scalars().first()  # fmt: skip
            connection.execute(
                update(outer).where(outer.c.page == 5, outer.c.position == first)
                .values(deleted=True)
            )  # fmt: skip
            rows = connection.execute(
                select(outer)
                .where(outer.c.page == 5, outer.c.deleted.is_(False))
                .order_by(outer.c.position)
            ).all()
        found = details(store, 20)
        assert found is not None
        assert (found.etag, found.modified) == ('"x"', "Mon")
        inside = [link for link in found.inward if link.text == ""]
        assert sorted(link.id for link in inside if link.id is not None) == sorted(source)
        assert [link.text for link in found.inward if link.id == 5] == [row.anchor for row in rows]
        other = details(store, 5)
        assert other is not None
        assert other.outward == [Linked(20, row.address, row.anchor) for row in rows]
        assert len(other.outward) > 1
        with store.reading() as connection:
            ids = connection.execute(select(schema.pages.c.id)).scalars().all()
            visited = connection.execute(select(schema.visits.c.page)).scalars().all()
        for number in ids[:: len(ids) // 40]:
            one = details(store, number)
            assert one is not None
            assert len(one.visits) == visited.count(number)
            assert (one.kind is PageKind.QUEUED) == (number not in visited)
        assert details(store, max(ids) + 1) is None


def test_at_most_so_many_links_and_visits(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page with very many links that is read without a limit."""
    monkeypatch.setattr(page_details, "SHOWN", 3)
    with open_store(place, create=True) as store:
        fill(store)
        with store.transaction() as connection:
            connection.execute(insert(schema.visits), [
                {"plan": 0, "number": 10**6 + n, "page": 0, "host": "x", "issued": 10**7 + n,
                 "status": 200 + n} for n in range(5)
            ])  # fmt: skip
            links = schema.internal_links
            connection.execute(update(links).where(links.c.page.between(1, 7)).values(target=0))
        found = details(store, 0)
        assert found is not None
        assert [visit.status for visit in found.visits] == [204, 203, 202]
        assert len(found.internal) == len(found.inward) == 3


def test_a_page_is_shown(tmp_path: Path) -> None:
    """A page without its visits or links, or one whose texts are HTML in the studio."""

    async def act(client: Client) -> None:
        fill(client.store)
        listed = (await client.get("/pages?site=1")).text
        assert 'href="/pages/0">http:' in listed
        with client.store.transaction() as connection:
            connection.execute(update(schema.pages).where(schema.pages.c.id == 0)
                               .values(problem=HOSTILE, final="javascript:alert(1)"))  # fmt: skip
        text = (await client.get("/pages/0")).text
        assert HOSTILE in plain(text) and "<img" not in text and 'href="javascript' not in text
        assert "2026-02-02 02:40:00 UTC" in text
        assert text.count("<script") == text.count('<script type="module" src="/static/')
        assert 'href="/links/internal?page=http%3A//binran.test/"' in text
        link = re.search(r'aria-labelledby="internal">.*?href="/pages/(\d+)"', text, re.S)
        assert link is not None
        target = (await client.get(f"/pages/{link[1]}")).text
        inward = re.search(r'aria-labelledby="inward">.*?</section>', target, re.S)
        assert inward is not None and 'href="/pages/0"' in inward[0]
        assert "Show the stored answer" not in text  # no WARC files are written
        queued = (await client.get("/pages?state=queued")).text
        number = re.findall(r'data-page="(\d+)"', queued)[-1]
        fresh = (await client.get(f"/pages/{number}")).text
        assert "No visits yet." in fresh and "not asked for yet" in fresh
        for missing in ("999999", "9" * 18, "9" * 19, "x", "-1"):
            assert (await client.get(f"/pages/{missing}")).status == 404

    use_studio(tmp_path, act)


async def keeping(client: Client, folder: Path) -> None:
    """Fill the store, and let its crawl keep WARC files in a folder."""
    fill(client.store, visited=60)
    form = {"normalize": "safe", "warc": str(folder)}
    assert (await client.post("/settings", form)).status == 303


def test_a_stored_answer_is_text(tmp_path: Path) -> None:
    """An answer that runs in the studio, or another one than the last; files read only once."""
    folder = tmp_path / "kept"
    folder.mkdir()
    records = [
        answer(1, "http://binran.test/", "old"), answer(3, "http://binran.test/", EVIL),
        answer(2, "http://zin.test/", "\0\1binary", "200 OK", "Content-Type: image/png"),
        answer(2, "http://spbu.test/", "<" * 100_000),
        answer(2, "http://rshu.test/", "é" * 5, "404 Not Found"),
    ]  # fmt: skip

    async def act(client: Client) -> None:
        await keeping(client, folder)
        wrong = (await client.get("/pages/0/record")).text
        assert "The files cannot be read" in wrong and "has no WARC files" in wrong
        written(folder / "a.warc.gz", records, "gzip")
        assert 'href="/pages/0/record"' in (await client.get("/pages/0")).text
        found = await client.get("/pages/0/record")
        assert shown(found.text, "Body of the answer") == EVIL
        assert shown(found.text, "Head of the answer").startswith("HTTP 200\ncontent-type: text/")
        assert "answered 2020-01-03" in found.text and "2 answers in the files" in found.text
        assert found.text.count("<script") == found.text.count('<script type="module" src="/st')
        assert "<iframe" not in found.text and "<img" not in found.text
        policy = found.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "script-src 'self'" in policy
        binary = (await client.get("/pages/1/record")).text
        assert "8 bytes that are no text" in binary and "Nothing is shown of it." in binary
        long = (await client.get("/pages/5/record")).text
        assert len(long.encode()) < 100_000 and "100,000 bytes in all" in long
        assert shown((await client.get("/pages/7/record")).text, "Body of the answer") == "ééééé"
        none = (await client.get("/pages/3/record")).text
        assert "No stored answer" in none and str(folder) in plain(none)
        written(folder / "b.warc.gz", [answer(4, "http://binran.test/", "new")], "gzip")
        again = (await client.get("/pages/0/record")).text
        assert shown(again, "Body of the answer") == "new" and "3 answers" in again
        (folder / "b.warc.gz").write_bytes(b"nothing")
        assert "The files cannot be read" in (await client.get("/pages/0/record")).text

    use_studio(tmp_path, act)


def test_without_files_the_view_says_what_to_do(tmp_path: Path) -> None:
    """An error page where the crawl keeps no answers."""

    async def act(client: Client) -> str:
        fill(client.store, visited=9)
        return (await client.get("/pages/0/record")).text

    text = use_studio(tmp_path, act)
    assert "Answers are not stored" in text and 'href="/settings">Go to the settings' in text


def test_a_long_index_is_waited_for_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A view that answers only after minutes, or that begins the index anew at each look."""
    goes_on, begun = threading.Event(), []
    read = page.Records._read

    def slow(self: Any, folder: Path, address: str) -> Any:
        begun.append(address)
        goes_on.wait(60)
        return read(self, folder, address)

    monkeypatch.setattr(page.Records, "_read", slow)
    monkeypatch.setattr(page, "PATIENCE", 0.01)
    folder = tmp_path / "kept"
    folder.mkdir()
    written(folder / "a.warc.gz", [answer(1, "http://binran.test/", "here")], "gzip")

    async def act(client: Client) -> None:
        await keeping(client, folder)
        for _ in range(2):
            waiting = (await client.get("/pages/0/record")).text
            assert "The WARC files are being indexed" in waiting and "Look again" in waiting
        assert len(begun) == 1
        others = [client.get(f"/pages/{number}/record") for number in range(1, 40)]
        assert all("being indexed" in one.text for one in await asyncio.gather(*others))
        assert len(begun) == 1  # the others take no threads, which all views need
        monkeypatch.setattr(page, "PATIENCE", 60)
        goes_on.set()
        while "being indexed" in (found := (await client.get("/pages/0/record")).text):
            await asyncio.sleep(0)
        assert shown(found, "Body of the answer") == "here"

    use_studio(tmp_path, act)


def test_the_studio_ends_while_files_are_indexed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C that waits until a million answers are indexed, or an index that is half made."""
    never = threading.Event()
    go_on = page.Records._go_on
    said: list[str] = []

    def slow(self: Any, text: str) -> None:
        said.append(text)
        for _ in range(6_000):
            if self._ended or never.wait(0.01):
                break
        go_on(self, text)

    monkeypatch.setattr(indexing, "_REPORTED", 1)
    monkeypatch.setattr(page.Records, "_go_on", slow)
    monkeypatch.setattr(page, "PATIENCE", 0.01)
    folder = tmp_path / "kept"
    folder.mkdir()
    records = [answer(1, f"http://a{n}.test/", "x") for n in range(50)]
    written(folder / "a.warc.gz", records, "gzip")

    async def act(client: Client) -> None:
        await keeping(client, folder)
        assert "being indexed" in (await client.get("/pages/0/record")).text

    use_studio(tmp_path, act)
    assert len(said) == 1
    assert [file.name for file in folder.iterdir()] == ["a.warc.gz"]
