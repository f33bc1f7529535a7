"""What wget captured of a package of documentation, read by us and by independent readers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastwarc import ArchiveIterator as FastIterator
from warcio.archiveiterator import ArchiveIterator

from counterpoint.crawler.archives.captured import CapturedWeb
from counterpoint.crawler.archives.warc_records import Damage, everything, records
from tests.needs import TOP, need

from .by_wget import captured


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """Let wget capture the documentation of libxml2."""
    need("wget")
    need("libxml2-doc")
    yield captured(TOP / "libxml2", tmp_path_factory.mktemp("wget"), "html/")


def test_records_are_as_others_read_them(files: tuple[Path, str]) -> None:
    """A record of wget that we lose, read otherwise than warcio, or place elsewhere than it."""
    path, _ = files
    damages: list[Damage] = []
    ours = list(records(path, damages, everything))
    assert damages == [] and len(ours) > 50
    with path.open("rb") as file:
        iterator = ArchiveIterator(file, no_record_parse=True)
        theirs = [
            (one.rec_type, one.rec_headers.get_header("WARC-Record-ID"), one.raw_stream.read(),
             iterator.get_record_offset(), iterator.get_record_length())
            for one in iterator
        ]  # fmt: skip
    assert theirs == [
        (one.type, one.headers["warc-record-id"], one.data, one.place.at, one.length)
        for one in ours
    ]  # fmt: skip
    with path.open("rb") as file:
        fast = [(str(one.record_type), one.reader.read()) for one in
                FastIterator(file, parse_http=False)]  # fmt: skip
    assert fast == [(one.type, one.data) for one in ours]


def test_pages_are_as_they_were_served(files: tuple[Path, str]) -> None:
    """A page whose body is not the file that was served, or that is not found by its address."""
    path, start = files
    root = start.removesuffix("html/")
    with CapturedWeb([path]) as web:
        assert web.starts(1) == [start]
        whole = 0
        for found in web.index.captures():
            answer = web.answer(found.capture.url, web.begin)
            assert answer is not None
            if answer.status != 200 or answer.address.endswith("/"):
                continue
            file = TOP / "libxml2" / answer.address.removeprefix(root).partition("?")[0]
            assert answer.body == file.read_bytes()
            whole += 1
        assert whole > 20
        assert web.answer(f"{root}never", web.begin) is None
