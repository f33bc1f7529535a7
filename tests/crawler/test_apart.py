"""A separate process reads large documents: the results are equal, and it ends in time."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from counterpoint.crawler.documents import apart, links, serving
from counterpoint.crawler.documents.blocks import blocks, blocks_here, size
from counterpoint.crawler.documents.links import read, read_here

ADDRESS = "http://a.test/"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[apart.ReadingProcess]:
    """Set a short time limit for each document."""
    reader = apart.ReadingProcess(0.05)
    monkeypatch.setattr(apart, "READER", reader)
    yield reader
    reader.close()


def test_it_reads_alike() -> None:
    """Links of large documents that are lost, or have other anchors."""
    document = "".join(
        f"<li><a href=/{i}>n {i}</a> <a href=//b.test/ü?ü>é</a>" for i in range(9_000)
    )
    assert apart.wanted(document)
    found = read(document, ADDRESS, "windows-1252")
    assert found == read_here(document, ADDRESS, "windows-1252")
    assert len(found.references) == 18_000


@pytest.mark.parametrize(
    "part", ["<div>", "<div></x>", "<span><div></span></div>", "<svg><a href=b>"]
)
def test_what_takes_too_long_is_given_up(impatient: apart.ReadingProcess, part: str) -> None:
    """A page of a megabyte that occupies a crawl for minutes, or ends it."""
    found = read(part * (1_000_000 // len(part)), ADDRESS)
    assert (found.references, found.problem) == ((), "takes too long to be read")
    usual = "<a href=b>c</a>" * 6_000
    impatient.seconds = apart.SECONDS
    assert read(usual, ADDRESS) == read_here(usual, ADDRESS)


LITTLE = " import counterpoint.crawler.documents.serving as s; s.MEMORY = 256 << 20;"
"""Gives the reading process less memory; it takes 150 MB of address space when it starts."""


def repeating(marks: int, paragraphs: int, tag: str = "b") -> str:
    """Return a page whose formatting elements are repeated in each paragraph."""
    return "<p>" + "".join(f"<{tag} a{i}>" for i in range(marks)) + "<p>x" * paragraphs


@pytest.mark.parametrize("tag", ["b", "FONT", "nobr"])
@pytest.mark.parametrize(("marks", "paragraphs"), [(2_000, 2_000), (300, 400), (30, 4_500)])
def test_repeated_elements_are_read_apart(marks: int, paragraphs: int, tag: str) -> None:
    """A page of 24 KB that takes a minute and 1.6 GB of the crawl's own process."""
    assert apart.wanted(repeating(marks, paragraphs, tag))


def test_usual_pages_are_read_here() -> None:
    """A crawl that becomes slower because each page with bold text is sent to another process."""
    row = "<tr><td><a href=x>link</a><td><b>bold</b> <i>text</i><td>more</tr>"
    assert not apart.wanted("<table>" + row * 100)
    assert not apart.wanted("<p>a</p>" * 2_000 + "<b>b</b>" * 20)
    assert not apart.wanted("<a href=x>link</a>" * 2_400)


def test_what_takes_too_much_memory_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page of 800 KB that takes gigabytes of the machine before its time is over."""
    little = apart._SCRIPT.replace("import serve;", "import serve;" + LITTLE)
    monkeypatch.setattr(apart, "_SCRIPT", little)
    reader = apart.ReadingProcess()
    monkeypatch.setattr(apart, "READER", reader)
    page = repeating(100, 200_000)
    found = read(page, ADDRESS)
    assert (found.references, found.problem) == ((), "takes too much memory to be read")
    assert size(blocks(page)) == len(page)
    usual = "<p>a <b>b</b>" * 6_000
    assert blocks(usual) == blocks_here(usual)
    reader.close()


def test_blocks_that_take_too_long_are_one(impatient: apart.ReadingProcess) -> None:
    """A page that is visited again, and then occupies the crawl for minutes: it is read twice."""
    page = "<div>" * 200_000
    assert size(blocks(page)) == len(page)


def test_endless_tags_are_given_up(impatient: apart.ReadingProcess) -> None:
    """A tag with a hundred thousand attributes that occupies a crawl for minutes."""
    found = read("<b " + " ".join(f"x{i}=1" for i in range(100_000)) + ">", ADDRESS)
    assert found.problem == "takes too long to be read"


@pytest.mark.parametrize("soft", [0, 1 << 30])
def test_the_limit_of_the_system_is_respected(soft: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Large pages that are all given up where a limit is refused, or a lower limit that is raised.

    The script is that of the process; 0: the system refuses each limit.
    """
    change = "lambda *_: int('')" if not soft else (
        f"lambda _, pair: None if pair[0] == {soft} else exit(1)")  # fmt: skip
    now = f"lambda _: ({soft or -1}, -1)"
    fake = f"import resource as r; r.getrlimit = {now}; r.setrlimit = {change}; "
    monkeypatch.setattr(apart, "_SCRIPT", apart._SCRIPT.replace("serve()", f"{fake}serve()"))
    reader = apart.ReadingProcess()
    assert reader.call("links", "<a href=b>", ADDRESS).all == ["http://a.test/b"]
    reader.close()


def test_a_reader_that_is_gone_is_started_again() -> None:
    """A crawl that ends because the reading process was killed."""
    reader = apart.ReadingProcess()
    assert reader.call("links", "<a href=b>", ADDRESS).all == ["http://a.test/b"]
    process = reader._process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert reader.call("links", "<a href=c>", ADDRESS).all == ["http://a.test/c"]
    reader.close()


CALL = pickle.dumps((10.0, "links", ("<a href=b>" * 9_000, ADDRESS)))


def started(**pipes: int) -> subprocess.Popen[bytes]:
    """Start the process that reads, as `apart` does."""
    script = apart._SCRIPT.format(str(apart._ROOT))
    return subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, **pipes)


@pytest.mark.parametrize("come", [0, 1, 2, 3, 11, 100, len(CALL) // 2, len(CALL) - 1])
def test_reader_ends_quietly_in_the_middle_of_a_call(come: int) -> None:
    """A traceback on the terminal after a crawl was killed while it sent a document."""
    process = started(stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    _, told = process.communicate(CALL[:come], timeout=60)
    assert (process.returncode, told) == (0, b"")


def test_reader_ends_quietly_if_nobody_takes_the_answer() -> None:
    """A traceback on the terminal after a crawl was killed while a document was read."""
    nobody, end = os.pipe()
    process = started(stdin=subprocess.PIPE, stdout=end)
    os.close(nobody)
    os.close(end)
    _, told = process.communicate(CALL, timeout=60)
    assert (process.returncode, told) == (0, b"")


def test_a_document_with_too_many_links_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """A document of a million links, which takes gigabytes in the crawl and in its store."""
    document = "<a href=b>c</a>" * 11
    monkeypatch.setattr(links, "LINKS", 11)
    assert (len(read_here(document, ADDRESS).references), read_here(document, ADDRESS).problem) == (
        11, ""
    )  # fmt: skip
    monkeypatch.setattr(links, "LINKS", 10)
    found = read_here(document, ADDRESS, contents=True)
    assert len(found.references) == 10
    assert found.problem == "has more than 10 links: the others are left out"
    assert found.content is not None and len(found.content.anchors) == 10


def test_parts_of_an_answer_are_put_together() -> None:
    """References that are lost or repeated where an answer is sent in parts."""
    for count in (0, 1, serving.PART - 1, serving.PART, serving.PART + 1):
        document = "<a href=b>c</a>" * count
        assert apart.READER.call("links", document, ADDRESS, "utf-8", True) == read_here(
            document, ADDRESS, "utf-8", True
        )
