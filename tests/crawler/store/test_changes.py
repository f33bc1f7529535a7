"""What has changed between two crawls: pages, and broken links against the planted truth."""

from __future__ import annotations

import json
import random
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.crawler.store import changes as module
from counterpoint.crawler.store.changes import Change, Changes, changes
from counterpoint.crawler.store.opening import open_store
from tests.counterpoint.test_command_line import call
from tests.crawler.archives.standard import written
from tests.crawler.scripted import Page, scripted
from tests.examples import few_and_many
from tests.studies.captured.webs import answer, links

A = "http://a.test/"


def crawl(folder: Path, name: str, records: list[bytes], capsys: Any, *more: str) -> str:
    """Crawl the records of a web into a store, and return the store."""
    path = written(folder / f"{name}.warc.gz", records, "gzip")
    store = str(folder / f"{name}.db")
    code, _, error = call(capsys, "crawl", "breadth-first", "--db", store, "--start", A, "--replay",
                          str(path), "--budget", "500", *more)  # fmt: skip
    assert code == 0, error
    return store


def web(day: int, pages: dict[int, tuple[int, list[int], int]]) -> list[bytes]:
    """Return records of pages: status, targets, and how much text."""
    found = []
    for page, (status, targets, size) in pages.items():
        body = links(*(f"/{one}" if one else "/" for one in targets)) + "x" * size
        said = {200: "200 OK", 404: "404 Not Found", 410: "410 Gone", 500: "500 No"}[status]
        found.append(answer(day, f"{A}{page or ''}", body, said))
    return found


def drawn(chance: random.Random, before: dict[int, tuple[int, list[int], int]]) -> Any:
    """Return a web of ten pages that is like another one."""
    found = {}
    for page in range(10):
        status, targets, size = before.get(page, (200, [], 0))
        if chance.random() < 0.4:
            status = chance.choice([200, 200, 404, 410, 500])
        if chance.random() < 0.4:
            targets = chance.choices(range(12), k=chance.randint(0, 4))
        found[page] = (200 if page == 0 else status, targets, size + (chance.random() < 0.2))
    found[0] = (200, [*found[0][1], chance.randrange(1, 10)], found[0][2])
    return found


def reached(pages: dict[int, tuple[int, list[int], int]]) -> list[int]:
    """Return the pages that a crawl asks for, with those that nobody knows."""
    order = [0]
    for page in order:
        status, targets, _ = pages.get(page, (0, [], 0))
        order += [t for t in dict.fromkeys(targets) if status == 200 and t not in order]
    return order


@few_and_many(given(seed=st.integers(0, 10**6)), 6, 100)
def test_against_the_planted_truth(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Catches a broken link that is missed or invented, or a new one that is called an old one."""
    chance = random.Random(seed)
    first = drawn(chance, {})
    second = drawn(chance, first)
    folder = tmp_path_factory.mktemp("webs")
    stores = [crawl(folder, "old", web(1, first), _Quiet()),
              crawl(folder, "new", web(2, second), _Quiet())]  # fmt: skip
    with open_store(stores[0], reads=True) as old, open_store(stores[1], reads=True) as new:
        found = changes(old, new)
    broken, now = broken_links(first), broken_links(second)
    listed = {(link.page, link.target): link.new for link in found.links}
    expected = {(f"{A}{p or ''}", f"{A}{t}"): (p, t) not in broken for p, t in now}
    assert listed == expected
    assert (found.broken, found.new) == (len(now), sum(expected.values()))
    came, comes = ({p for p in reached(pages) if pages.get(p, (0,))[0] == 200}
                   for pages in (first, second))  # fmt: skip
    resized = {p for p in came & comes if body(first, p) != body(second, p)}
    asked = {p for p in reached(second) if p in second}
    assert found.pages == {
        Change.GAINED: len(comes - came), Change.LOST: len((came - comes) & asked),
        Change.UNLINKED: len(came - comes - asked), Change.MOVED: 0,
        Change.RESIZED: len(resized),
    }  # fmt: skip
    assert found.same == len(came & comes) - len(resized)


def body(pages: dict[int, tuple[int, list[int], int]], page: int) -> int:
    """Return the size of a page."""
    _, targets, size = pages[page]
    return len(links(*(f"/{one}" if one else "/" for one in targets))) + size


def broken_links(pages: dict[int, tuple[int, list[int], int]]) -> set[tuple[int, int]]:
    """Return the links of pages that come to pages that do not, of those that are known."""
    return {(p, t) for p in reached(pages) if pages.get(p, (0,))[0] == 200
            for t in pages[p][1] if t in pages and pages[t][0] != 200}  # fmt: skip


class _Quiet:
    """What `call` reads of the output, outside of a test with ``capsys``."""

    def readouterr(self) -> Any:
        """Return nothing."""
        return type("Read", (), {"out": "", "err": ""})()


def test_pages_that_were_left_out_are_not_broken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Catches a page that robots.txt, a rule or the budget kept away and that counts as broken."""
    monkeypatch.setattr(module, "BATCH", 2)
    robots = answer(1, f"{A}robots.txt", "User-agent: *\nDisallow: /private\n", "200 OK",
                    "Content-Type: text/plain")  # fmt: skip
    pages = [robots, answer(1, A, links("/private", "/left", "/x", "/y"))]
    pages += [answer(1, f"{A}{name}", "") for name in ("private", "left", "x", "y")]
    old = crawl(tmp_path, "old", pages, capsys)
    new = crawl(tmp_path, "new", pages, capsys, "--exclude", "path:/left", "--budget", "2")
    with open_store(old, reads=True) as before, open_store(new, reads=True) as after:
        found = changes(before, after, most=1)
    assert (found.broken, found.new, found.links) == (0, 0, [])
    assert found.pages[Change.UNLINKED] == 2 and found.unasked >= 1
    assert [one.change for one in found.listed] == [Change.UNLINKED]


def test_as_a_user_types_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Catches a wrong exit code, cells that a spreadsheet runs, or a page without its links."""
    first = web(1, {0: (200, [1, 2], 0), 1: (200, [], 0), 2: (404, [], 0)})
    second = web(2, {0: (200, [1, 2], 0), 1: (410, [], 0), 2: (404, [], 0)})
    old, new = crawl(tmp_path, "old", first, capsys), crawl(tmp_path, "new", second, capsys)
    code, out, _ = call(capsys, "links", "changes", old, new)
    assert code == 1
    assert out.splitlines()[1:3] == [
        "          1  new broken links",
        "          1  broken links that were broken before",
    ]
    assert f"  410  {A}1 (the target broke)\n       on {A}\n" in out
    assert call(capsys, "links", "changes", new, new)[0] == 0
    code, out, _ = call(capsys, "links", "changes", old, new, "--format", "json")
    found = json.loads(out)
    assert (code, found["new_broken"], found["pages"]["lost"]) == (1, 1, 1)
    assert found["links"][0] == {"page": A, "target": f"{A}1", "status": 410, "problem": "",
                                 "new": True, "why": "the target broke"}  # fmt: skip
    page = tmp_path / "changes.html"
    assert (
        call(capsys, "links", "changes", old, new, "--format", "html", "--out", str(page))[0] == 1
    )
    assert f"<td>410</td><td>{A}1</td><td>{A}</td>" in page.read_text()
    code, out, _ = call(capsys, "links", "changes", old, new, "--format", "csv", "--all")
    assert out.splitlines()[1] == f"new broken link,{A},{A}1,,410,the target broke,,,"
    code, _, error = call(capsys, "links", "changes", old, str(tmp_path / "none.db"))
    assert (code, "there is no such file" in error) == (2, True)


def compared(old: str, new: str) -> Changes:
    """Return what has changed between two stores."""
    with open_store(old, reads=True) as before, open_store(new, reads=True) as after:
        return changes(before, after)


def why_of(found: Changes) -> dict[str, tuple[int, str]]:
    """Return the status of each broken link and why it is new, by its target."""
    return {link.target: (link.status, link.why) for link in found.links}


def redirect(day: int, page: str, to: str) -> bytes:
    """Return the record of a page that redirects."""
    return answer(day, page, "", "302 Found", f"Location: {to}")


def test_redirects(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Catches redirects in a circle that are not broken, or one to another site that is."""
    names = ("circle", "moved", "kept")
    home = answer(1, A, links(*(f"/{name}" for name in names)))
    first = [home, *(answer(1, f"{A}{name}", "text") for name in names)]
    second = [
        home,
        redirect(2, f"{A}circle", "/other"),
        redirect(2, f"{A}other", "/circle"),
        redirect(2, f"{A}moved", "http://b.test/"),
        answer(2, f"{A}kept", "text"),
    ]
    found = compared(crawl(tmp_path, "old", first, capsys, "--stay"),
                     crawl(tmp_path, "new", second, capsys, "--stay"))  # fmt: skip
    assert why_of(found) == {f"{A}circle": (302, "the target broke")}
    pages = {one.address: one.change for one in found.listed}
    assert pages == {f"{A}circle": Change.LOST, f"{A}moved": Change.MOVED}


def test_what_the_earlier_crawl_did_not_ask(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Catches a link that is said to have broken though the earlier crawl knew nothing of it."""
    first = web(1, {0: (200, [1, 2], 0), 1: (200, [], 0), 2: (404, [], 0), 3: (404, [], 0)})
    second = web(2, {0: (200, [1, 2, 4], 0), 1: (200, [3], 0), 2: (404, [], 0), 3: (404, [], 0),
                     4: (200, [2], 0)})  # fmt: skip
    old = crawl(tmp_path, "old", first, capsys, "--exclude", "path:/2")
    found = compared(old, crawl(tmp_path, "new", second, capsys))
    reasons = {(one.page, one.target): one.why for one in found.links}
    assert reasons == {
        (A, f"{A}2"): "not known before",
        (f"{A}1", f"{A}3"): "the link is new",
        (f"{A}4", f"{A}2"): "the page is new",
    }


@pytest.mark.long
@pytest.mark.parametrize("policies", [("breadth-first", "breadth-first"), ("R3", "breadth-first")])
def test_a_site_that_is_gone(
    policies: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Catches links to a dead site that are not broken: only its robots.txt was asked for."""
    stores = [str(tmp_path / "old.db"), str(tmp_path / "new.db")]

    def fetch(policy: str, store: str, start: str) -> None:
        code, _, error = call(capsys, "crawl", policy, "--db", store, "--start", start, "--delay",
                              "0", "--allow-private", "--budget", "20")  # fmt: skip
        assert code == 0, error

    with scripted({"/": Page("<p>text</p>")}) as other, scripted({}) as site:
        target = f"{other.proxy}/"
        site.pages["/"] = Page(links(target))
        fetch(policies[0], stores[0], f"{site.proxy}/")
        other.pages.clear()
        fetch(policies[1], stores[1], f"{site.proxy}/")
        gone = compared(*stores)
        (tmp_path / "new.db").rename(tmp_path / "gone.db")
        with socket.create_server(("127.0.0.1", 0)) as bound:
            dead = f"http://127.0.0.1:{bound.getsockname()[1]}/"
        site.pages["/"] = Page(links(dead))
        fetch(policies[1], stores[1], f"{site.proxy}/")
    why = "the target broke" if policies[0] == "breadth-first" else "not known before"
    assert why_of(gone) == {target: (404, why)}
    assert why_of(compared(*stores)) == {dead: (0, "the link is new")}
