"""A crawl of real sites and of a hostile web stores what is computed without the crawler."""

from __future__ import annotations

import gzip
import os
import re
import sqlite3
import subprocess
import sys
import urllib.request
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import pytest
from warcio.archiveiterator import ArchiveIterator

from counterpoint.crawler.documents.decoding import loaded
from tests.crawler.independent import Computed, computed
from tests.documentation import site_of
from tests.needs import DOCUMENTATION

FEW = ("libxml2-doc", "aptitude-doc-ru")
PAGE = ("text/html", "application/xhtml+xml")


class Stored(NamedTuple):
    """A page of a store: where it was read, and its links in their order."""

    address: str
    internal: list[str]
    external: list[tuple[str, str]]
    bad: list[str]
    reasons: list[str]


@contextmanager
def served(folder: Path, *arguments: str) -> Iterator[str]:
    """Run ``counterpoint web serve``; yield the proxy's address. The file ``seeds`` has seeds."""
    command = [
        sys.executable, "-m", "counterpoint", "web", "serve", "--seed", "3", "--profile",
        "hostile", "--seeds-file", str(folder / "seeds"), *arguments,
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = next(filter(None, (re.search(r"http://127\.0\.0\.1:\d+", line)
                                       for line in process.stdout)))  # fmt: skip
            yield found[0]
        finally:
            process.terminate()


def crawl(folder: Path, *arguments: str) -> None:
    """Crawl into the store ``crawl.db`` with every answer as WARC."""
    command = [sys.executable, "-m", "counterpoint", "crawl", "--db", str(folder / "crawl.db"),
               "--scheduler", "one-by-one", "--warc", str(folder / "warc"), "--delay", "0",
               *arguments]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=450, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


def same(address: str) -> str:
    """Return what spellings of one page have in common: a slash at the end makes no difference."""
    return address[:-1] if address.endswith("/") and address.count("/") > 3 else address


def stored(store: Path) -> list[Stored]:
    """Return the pages of a store that are documents."""
    links: dict[str, dict[int, list[tuple[str, ...]]]] = {}
    with sqlite3.connect(store) as connection:
        for table, what in (
            ("internal", "(SELECT address FROM pages WHERE id = target)"),
            ("external", "address, anchor"), ("bad", "text, reason"),
        ):  # fmt: skip
            rows = connection.execute(
                f"SELECT page, {what} FROM {table}_links ORDER BY page, position"
            )
            links[table] = defaultdict(list)
            for page, *link in rows:
                links[table][page].append(tuple(link))
        pages = connection.execute(
            "SELECT id, CASE final WHEN '' THEN address ELSE final END FROM pages "
            "WHERE status = 200 AND problem NOT LIKE 'is no HTML%'"
        ).fetchall()
    return [
        Stored(address, [one[0] for one in links["internal"][page]],
               [(one[0], one[1]) for one in links["external"][page]],
               [one[0] for one in links["bad"][page]], [one[1] for one in links["bad"][page]])
        for page, address in pages
    ]  # fmt: skip


def once(found: list[tuple[str, str]], unended: set[str]) -> list[tuple[str, str]]:
    """Return links without those that the tree repeats because their element is not ended."""
    kept: list[tuple[str, str]] = []
    for one in found:
        if not (kept and one[0] == kept[-1][0] and one[0] in unended):
            kept.append(one)
    return kept


def must_agree(page: Stored, truth: Computed) -> None:
    """Hold the links of a stored page against those computed from its text."""
    internal = [[(same(one), "") for one in links] for links in (page.internal, truth.internal)]
    ended = {same(one) for one in truth.unended}
    assert once(internal[0], ended) == once(internal[1], ended), page.address
    assert once(page.external, truth.unended) == once(truth.external, truth.unended), page.address
    assert page.bad == truth.bad, page.address
    assert all(page.reasons), page.address


class Sites:
    """Folders as sites, by what a server of files does: without the crawler and without the server.

    Parameters
    ----------
    folders : mapping of str to Path
        By host.
    proxy : str
        Asked for listings of folders, which are no files.
    """

    def __init__(self, folders: Mapping[str, Path], proxy: str) -> None:
        self._folders = {host: folder.resolve() for host, folder in folders.items()}
        self._ask = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy}))

    def document(self, address: str) -> tuple[str, bytes] | None:
        """Return where a document is read, and its bytes; None if there is none."""
        _, _, host, path = address.split("/", 3)
        root = self._folders[host]
        place = Path(os.path.realpath(root / unquote(path.partition("?")[0])))
        if not place.is_relative_to(root):
            return None
        if place.is_dir():
            if path and not path.partition("?")[0].endswith("/"):
                address = re.sub(r"(\?|$)", r"/\1", address, count=1)
            index = next((place / name for name in ("index.html", "index.htm")
                          if (place / name).is_file()), None)  # fmt: skip
            if index is None:
                return address, self._ask.open(address).read()
            place = index
        kinds = (".html", ".htm", ".xhtml", ".xht")
        packed = place.with_name(f"{place.name}.gz")
        if place.suffix not in kinds or not (place.is_file() or packed.is_file()):
            return None
        # Debian packs large documents, and a server sends them under their name.
        body = place.read_bytes() if place.is_file() else gzip.decompress(packed.read_bytes())
        return address, body

    def reachable(self) -> dict[str, Computed]:
        """Return the documents to which links lead from the roots, with what they refer to."""
        found: dict[str, Computed] = {}
        met, left = set[str](), [f"http://{host}/" for host in self._folders]
        while left:
            address = left.pop()
            if same(address) in met:
                continue
            met.add(same(address))
            document = self.document(address)
            if document is not None:
                at, body = document
                found[at] = computed(loaded(body, self._kind(at)).text, at)
                left += found[at].internal
        return found

    def _kind(self, address: str) -> str:
        with self._ask.open(urllib.request.Request(address, method="HEAD")) as answer:
            return str(answer.headers["Content-Type"])


@pytest.mark.long
@pytest.mark.parametrize(
    "packages", [FEW, pytest.param(tuple(DOCUMENTATION), marks=pytest.mark.slow)],
    ids=["few", "all"],
)  # fmt: skip
def test_documentation_as_it_is(tmp_path: Path, packages: tuple[str, ...]) -> None:
    """A page that is missed, a link that is lost, invented or leads elsewhere."""
    folders = {f"d{k}.test": site_of(name) for k, name in enumerate(packages)}
    sites = [word for host, path in folders.items() for word in ("--site", f"{host}={path}")]
    starts = [word for host in folders for word in ("--start", f"http://{host}/")]
    with served(tmp_path, "--pages", "200", *sites) as proxy:
        crawl(tmp_path, *starts, "--budget", "100000", "--proxy", proxy)
        truth = Sites(folders, proxy).reachable()
    pages = stored(tmp_path / "crawl.db")
    assert {page.address for page in pages} == set(truth)
    for page in pages:
        must_agree(page, truth[page.address])
    assert len(pages) > (5_000 if len(packages) > len(FEW) else 150)


@pytest.mark.slow
def test_a_hostile_web_as_it_came(tmp_path: Path) -> None:
    """The same of broken pages, wrong encodings, traps, frames, redirects and endless answers."""
    with served(tmp_path, "--pages", "400", "--seeds", "20") as proxy:
        crawl(tmp_path, "--seeds", str(tmp_path / "seeds"), "--budget", "600", "--proxy", proxy)
    answers = received(tmp_path / "warc")
    pages = stored(tmp_path / "crawl.db")
    for page in pages:
        kind, body = answers[page.address]
        must_agree(page, computed(loaded(body, kind).text, page.address))
    assert len(pages) > 100
    assert sum(map(len, (page.bad for page in pages))) > 0


def received(folder: Path) -> dict[str, tuple[str, bytes]]:
    """Return Content-Type and body of the last answer 200 for each address."""
    found = {}
    for path in sorted(folder.glob("*.warc*")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                if record.rec_type == "response" and record.http_headers.get_statuscode() == "200":
                    kind = record.http_headers.get_header("Content-Type") or ""
                    address = record.rec_headers.get_header("WARC-Target-URI")
                    found[address] = kind, record.content_stream().read()
    return found
