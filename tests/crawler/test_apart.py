"""Large documents are read in a process of their own: alike, and never for ever."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from counterpoint.crawler.documents import apart
from counterpoint.crawler.documents.links import read, read_here

ADDRESS = "http://a.test/"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[apart.Apart]:
    """Let a document take a moment."""
    reader = apart.Apart(0.05)
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
def test_what_takes_too_long_is_given_up(impatient: apart.Apart, part: str) -> None:
    """A page of a megabyte that keeps a crawl busy for minutes, or ends it."""
    found = read(part * (1_000_000 // len(part)), ADDRESS)
    assert (found.references, found.problem) == ((), "takes too long to be read")
    usual = "<a href=b>c</a>" * 6_000
    impatient.seconds = apart.SECONDS
    assert read(usual, ADDRESS) == read_here(usual, ADDRESS)


def test_endless_tags_are_given_up(impatient: apart.Apart) -> None:
    """The same of a tag with a hundred thousand attributes."""
    found = read("<b " + " ".join(f"x{i}=1" for i in range(100_000)) + ">", ADDRESS)
    assert found.problem == "takes too long to be read"


def test_a_reader_that_is_gone_is_started_again() -> None:
    """A crawl that ends because a process of its own was killed."""
    reader = apart.Apart()
    assert reader.read("<a href=b>", ADDRESS).all == ["http://a.test/b"]
    process = reader._process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert reader.read("<a href=c>", ADDRESS).all == ["http://a.test/c"]
    reader.close()
