"""WARC files, read back by warcio."""

from __future__ import annotations

import asyncio
import gzip
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import brotli
import pytest
from fastwarc import ArchiveIterator as FastIterator
from warcio.archiveiterator import ArchiveIterator

from counterpoint.crawler.archives.archives import answers
from counterpoint.crawler.archives.captured import CapturedWeb
from counterpoint.crawler.archives.warc_records import Damage
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.fetching.dispatcher import PoliteDispatcher
from counterpoint.crawler.fetching.guard import Guard
from counterpoint.crawler.fetching.job import Job
from counterpoint.crawler.fetching.manners import Limits, Manners
from counterpoint.crawler.fetching.messages import Message
from counterpoint.crawler.fetching.network import Network, PageRequest
from counterpoint.crawler.fetching.warc import Warc
from tests.crawler.scripted import Page, scripted

from .loopback import serving

ROOT = Path(__file__).resolve().parents[3]


def message(number: int, body: bytes = b"<a>", cut: str = "", **more: Any) -> Message:
    """Return a message."""
    fields = {
        "address": f"http://a.test/{number}?q=%C3%BC", "begun": 1e9 + number,
        "asked": (("Host", "a.test"), ("User-Agent", "counterpoint")), "version": "HTTP/1.1",
        "status": 200, "reason": "OK", "answered": (("Content-Type", "text/html"),),
        "body": body, "cut": cut,
    }  # fmt: skip
    return Message(**(fields | more))  # type: ignore[arg-type]


def records(folder: Path) -> Iterator[tuple[Any, bytes]]:
    """Yield all records of a folder with their contents."""
    for path in sorted(folder.iterdir()):
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, check_digests="raise"):
                yield record, record.raw_stream.read()


def test_brotli_is_kept_as_it_came(tmp_path: Path) -> None:
    """A record in Brotli with a wrong digest, which `warcio check` cannot find with Brotli 1.2."""
    packed = brotli.compress(b"<b>" * 99)
    warc = Warc(tmp_path / "warc", "counterpoint")
    warc.write(message(0, packed, answered=(("Content-Encoding", "br"),)))
    warc.close()
    (body,) = [body for record, body in records(tmp_path / "warc")
               if record.rec_type == "response"]  # fmt: skip
    assert body == packed
    assert brotli.decompress(body) == b"<b>" * 99


def test_records(tmp_path: Path) -> None:
    """A record without its header or its body, or one that does not mention that it was cut."""
    warc = Warc(tmp_path / "warc", "counterpoint/1 (who@example.org)")
    chunked = (("Transfer-Encoding", "chunked"), ("Content-Encoding", "gzip"))
    warc.write(message(0, gzip.compress(b"<b>"), answered=chunked))
    warc.write(message(1, b"", "time", status=404, reason="N\udce3o \xe3"))
    warc.close()
    found = list(records(tmp_path / "warc"))
    kinds = ["response", "request", "metadata"]
    assert [record.rec_type for record, _ in found] == ["warcinfo", *kinds, *kinds]
    assert b"software: counterpoint/1 (who@example.org)" in found[0][1]
    response, body = found[1]
    assert gzip.decompress(body) == b"<b>"
    assert response.http_headers.statusline == "200 OK"
    assert response.http_headers.get_header("X-Archive-Transfer-Encoding") == "chunked"
    assert response.rec_headers.get_header("WARC-Date") == "2001-09-09T01:46:40Z"
    assert response.rec_headers.get_header("WARC-Truncated") is None
    request, _ = found[2]
    assert request.http_headers.get_header("User-Agent") == "counterpoint"
    same = response.rec_headers.get_header("WARC-Record-ID")
    assert request.rec_headers.get_header("WARC-Concurrent-To") == same
    assert found[4][0].rec_headers.get_header("WARC-Truncated") == "time"
    assert b"truncated: time" in found[6][1]


def test_heads_are_kept_as_they_came(tmp_path: Path) -> None:
    """A header that differs from the server's, which is not ASCII."""
    warc = Warc(tmp_path, "counterpoint")
    answered = (("Content-Disposition", 'x; filename="d\xe9j\xe0; vu"'), ("Location", "/\xc3\xbc"))
    warc.write(message(0, answered=answered))
    warc.close()
    (path,) = tmp_path.iterdir()
    whole = gzip.decompress(path.read_bytes())
    assert b'x; filename="d\xe9j\xe0; vu"\r\nLocation: /\xc3\xbc\r\n\r\n<a>' in whole
    assert len(list(records(tmp_path))) == 4  # the digests are right


def test_another_file(tmp_path: Path) -> None:
    """A file that grows without limit, or two crawls of one second in one file."""
    warcs = [Warc(tmp_path, "counterpoint", largest=2000) for _ in range(2)]
    for number in range(20):
        warcs[number % 2].write(message(number, os.urandom(500)))
    for warc in warcs:
        warc.close()
    assert len(list(tmp_path.iterdir())) > 6
    assert max(path.stat().st_size for path in tmp_path.iterdir()) < 6000
    assert sum(record.rec_type == "response" for record, _ in records(tmp_path)) == 20


def test_what_cannot_be_written(tmp_path: Path) -> None:
    """A traceback where the folder is a file."""
    (tmp_path / "file").write_text("")
    with pytest.raises(CrawlError, match=r"--warc .*file: "):
        Warc(tmp_path / "file", "counterpoint")


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a record that makes the rest of a file unreadable."""
    warc = Warc(tmp_path, "counterpoint")
    warc.write(message(0))

    class Full:
        def __init__(self, file: Any) -> None:
            self.file = file

        def __getattr__(self, name: str) -> Any:
            return getattr(self.file, name)

        def write(self, data: bytes) -> int:
            if len(data) < 100:
                raise OSError(28, "No space left on device")
            return int(self.file.write(data[: len(data) // 2]))

    file = warc._file
    monkeypatch.setattr(warc, "_file", Full(file))
    with pytest.raises(CrawlError, match="No space left"):
        asyncio.run(warc.keep(message(1)))
    monkeypatch.setattr(warc, "_file", file)
    warc.write(message(2))
    warc.close()
    found = [record.rec_headers.get_header("WARC-Target-URI") for record, _ in records(tmp_path)]
    assert len(found) == 7 and not any(uri and "/1?" in uri for uri in found)


def test_a_kill(tmp_path: Path) -> None:
    """A file that cannot be read up to the kill, or lacks an exchange that was reported."""
    code = (
        "import sys, os; from pathlib import Path\n"
        "from counterpoint.crawler.fetching.warc import Warc\n"
        "from tests.crawler.fetching.test_warc import *\n"
        f"warc = Warc(Path({str(tmp_path)!r}), 'counterpoint')\n"
        "for number in range(10**6):\n"
        "    warc.write(message(number, os.urandom(3000))); print(number, flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) == 30:
                process.send_signal(signal.SIGKILL)
                break
        reported = max([30, *map(int, process.stdout.read().split()[:-1])])
    found = []
    try:
        for record, body in records(tmp_path):
            if record.rec_type == "response":
                assert len(body) == 3000
                found.append(record)
    except EOFError:
        pass  # the record that was being written
    assert len(found) >= reported


def test_a_crawl_is_kept(tmp_path: Path) -> None:
    """A request that is missing in the files; robots.txt and redirects count too."""
    pages = {
        "http://a.test/robots.txt": Page("User-agent: *\nDisallow: /no\n"),
        "http://a.test/": Page("", 302, {"Location": "/long"}),
        "http://a.test/long": Page(b"x" * 99_999),
    }

    async def crawl(proxy: str) -> None:
        warc = Warc(tmp_path, "counterpoint")
        network = Network(proxy, keep=warc.keep, limits=Limits(body=50_000))
        there = PoliteDispatcher(network, manners=Manners(delay=0.0))
        for number, path in enumerate(("", "no", "gone")):
            there.submit(Job(number, f"http://a.test/{path}"))
            await there.completed()
        await there.close(grace=0)
        warc.close()

    with scripted(pages) as web:
        asyncio.run(crawl(web.proxy))
    kept = [
        record.rec_headers.get_header("WARC-Target-URI")
        for record, _ in records(tmp_path)
        if record.rec_type == "response"
    ]
    assert kept == web.asked == [f"http://a.test/{p}" for p in ("robots.txt", "", "long", "gone")]


def test_equal_payloads_and_304_are_revisits(tmp_path: Path) -> None:
    """A payload that is stored again, or a revisit from which nobody finds the payload.

    warcio and fastwarc read the records and check their digests.
    """
    warc = Warc(tmp_path, "counterpoint")
    etag = (("ETag", '"1"'), ("Content-Type", "text/html"))
    warc.write(message(0, b"<p>same", answered=etag, ip="192.0.2.7"))
    warc.write(message(1, b"<p>same"))
    warc.write(message(0, b"", status=304, reason="Not Modified", answered=etag, begun=2e9))
    warc.write(message(2, b""))
    warc.write(message(3, b""))
    warc.write(message(4, b"<p>same", "length"))
    warc.write(message(5, b"", status=304, reason="Not Modified"))
    warc.close()
    found = [one for one, _ in records(tmp_path)
             if one.rec_type in ("response", "revisit")]  # fmt: skip
    assert [one.rec_type for one in found] == ["response", "revisit", "revisit", "response",
                                               "response", "response", "revisit"]  # fmt: skip
    get = [one.rec_headers.get_header for one in found]
    assert get[0]("WARC-IP-Address") == "192.0.2.7" and get[1]("WARC-IP-Address") is None
    for again, profile in ((1, "identical-payload-digest"), (2, "server-not-modified")):
        assert get[again]("WARC-Profile").endswith(f"/revisit/{profile}")
        assert get[again]("WARC-Refers-To") == get[0]("WARC-Record-ID")
        assert get[again]("WARC-Refers-To-Target-URI") == get[0]("WARC-Target-URI")
        assert get[again]("WARC-Refers-To-Date") == get[0]("WARC-Date")
    assert get[1]("WARC-Payload-Digest") == get[0]("WARC-Payload-Digest")
    assert get[6]("WARC-Refers-To") is None
    assert found[2].http_headers.statusline == "304 Not Modified"
    (path,) = tmp_path.iterdir()
    with path.open("rb") as file:
        fast = list(FastIterator(file, verify_digests=True))
    assert [str(one.record_type) for one in fast] == [one.rec_type for one, _ in records(tmp_path)]
    assert not path.with_name(f"{path.name}.cdxj").exists()
    with CapturedWeb([path], tmp_path / "index") as web:
        for number, time in ((0, 1e9), (1, 1e9 + 1), (0, 2e9)):
            answer = web.answer(f"http://a.test/{number}?q=%C3%BC", time)
            assert answer is not None
            assert (answer.status, answer.body, answer.whole) == (200, b"<p>same", True)
    damages: list[Damage] = []
    bodies = [(one.address[14], one.body) for one in answers(path, damages)]
    assert bodies == [("0", b"<p>same"), ("1", b"<p>same"), ("2", b""), ("3", b""),
                      ("4", b"<p>same")]  # fmt: skip
    assert damages == []


def test_revisits_stay_in_their_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A revisit that refers to a record of another file, or a memory that grows for ever."""
    monkeypatch.setattr("counterpoint.crawler.fetching.warc.REMEMBERED", 2)
    warc = Warc(tmp_path, "counterpoint", largest=1)
    for number in range(3):
        warc.write(message(number, b"<p>same"))
    warc.close()
    kinds = [one.rec_type for one, _ in records(tmp_path)]
    assert kinds.count("response") == 3 and "revisit" not in kinds
    warc = Warc(tmp_path / "one", "counterpoint")
    for number, body in enumerate((b"0", b"1", b"2", b"0", b"2")):
        warc.write(message(number, body))
    warc.close()
    kinds = [one.rec_type for one, _ in records(tmp_path / "one")]
    assert (kinds.count("response"), kinds.count("revisit")) == (4, 1)


def test_the_address_that_answered(tmp_path: Path) -> None:
    """A record without the IP address of its server, or with that of a proxy."""

    async def crawl() -> None:
        warc = Warc(tmp_path, "counterpoint")
        async with serving(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx") as port:
            for proxy in (None, f"http://127.0.0.1:{port}"):
                network = Network(proxy, keep=warc.keep, guard=Guard(private=True))
                host = f"127.0.0.1:{port}" if proxy is None else "a.test"
                assert (await network.fetch(PageRequest(f"http://{host}/"))).status == 200
                await network.close()
        warc.close()

    asyncio.run(crawl())
    found = [one.rec_headers.get_header("WARC-IP-Address") for one, _ in records(tmp_path)
             if one.rec_type in ("response", "revisit")]  # fmt: skip
    assert found == ["127.0.0.1", None]
