"""Records of every type, version and packing, and each of them read alone."""

from __future__ import annotations

import json
import random
import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.crawler.archives.warc_bytes import Place
from counterpoint.crawler.archives.warc_records import (
    Damage,
    Record,
    WarcFile,
    everything,
    records,
)
from counterpoint.crawler.archives.wat import page_of
from counterpoint.crawler.errors import CrawlError

from .standard import dictionary, every_type, record, skippable, written, zstd

PACKINGS = ("plain", "gzip", "zstd", "one")


def read(path: Path) -> tuple[list[Record], list[Damage]]:
    """Return all records of a file with their contents, and its damages."""
    damages: list[Damage] = []
    return list(records(path, damages, everything)), damages


@pytest.mark.parametrize("packing", PACKINGS)
def test_every_type_of_the_standard(tmp_path: Path, packing: str) -> None:
    """A type, a version or a packing of which a record is lost or has another content."""
    given = every_type()
    found, damages = read(written(tmp_path / "x", given, packing))
    assert damages == []
    assert [one.type for one in found] == [
        "warcinfo", "request", "response", "revisit", "metadata", "resource", "conversion",
        "response", "continuation",
    ]  # fmt: skip
    assert [one.version for one in found] == ["1.1"] * 5 + ["1.0"] + ["1.1"] * 3
    assert [raw.partition(b"\r\n\r\n")[2][:-4] for raw in given] == [one.data for one in found]
    assert found[2].headers["warc-ip-address"] == "192.0.2.1"


@pytest.mark.parametrize("packing", PACKINGS)
def test_records_lie_side_by_side_and_can_be_read_alone(tmp_path: Path, packing: str) -> None:
    """An offset or a length by which a reader of one record gets another one, or half of it."""
    path = written(tmp_path / "x", every_type(), packing)
    found, _ = read(path)
    size = path.stat().st_size
    if packing != "one":
        ends = [one.place.at + one.length for one in found]
        assert [one.place for one in found] == [Place(at) for at in (0, *ends[:-1])]
        assert ends[-1] == size
    with WarcFile(path) as file:
        for one in random.Random(1).sample(found, len(found)):
            assert file.record_at(one.place) == one
    for one in found:
        part = tmp_path / "part"
        part.write_bytes(path.read_bytes()[one.place.at : one.place.at + one.length])
        with WarcFile(part) as file:
            alone = file.record_at(Place(0, one.place.skip))
        assert (alone.headers, alone.data) == (one.headers, one.data)


def frames(*, packed: bool) -> tuple[bytes, bytes]:
    """Return a dictionary frame, plain or packed, and a file of frames that need it."""
    within = dictionary()
    data = within.dict_content
    frame = skippable(0x184D2A5D, zstd.compress(data) if packed else data)
    parts = [zstd.compress(one, zstd_dict=within) for one in every_type()]
    return frame, skippable(0x184D2A50, b"WARC/ of somebody").join(parts)


@pytest.mark.parametrize("packed", [True, False])
def test_a_dictionary_of_zstandard(tmp_path: Path, packed: bool) -> None:
    """A dictionary that is not used, or not when a record is read alone; extension frames."""
    path = tmp_path / "x.warc.zst"
    head, body = frames(packed=packed)
    path.write_bytes(head + body)
    found, damages = read(path)
    assert (len(found), damages) == (9, [])
    with WarcFile(path) as file:
        assert [file.record_at(one.place) for one in found[::-1]] == found[::-1]


@pytest.mark.parametrize(
    ("begin", "said"),
    [
        (skippable(0x184D2A5D, b"no dictionary"), "its dictionary cannot be read"),
        (struct.pack("<II", 0x184D2A5D, 1 << 31), "its dictionary has more than 8 MB"),
        (skippable(0x184D2A5D, zstd.compress(bytes(1 << 24))), "dictionary has more than 8 MB"),
        (b"", "is no WARC file that can be read: a record cannot be unpacked"),
    ],
)
def test_a_dictionary_that_cannot_be_used(tmp_path: Path, begin: bytes, said: str) -> None:
    """A traceback, or a dictionary of gigabytes that is read into memory."""
    path = tmp_path / "x.warc.zst"
    path.write_bytes(begin + zstd.compress(every_type()[0], zstd_dict=dictionary()))
    with pytest.raises(CrawlError, match=said) as error:
        read(path)
    assert str(path) in str(error.value)


@settings(max_examples=40)
@given(st.data())
def test_any_contents_come_back(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject):
    """Contents that look like records or like members, which end a record too early."""
    pieces = st.sampled_from([b"\r\n\r\n", b"WARC/1.0\r\n", b"\n", b"\x1f\x8b\x08\0", b"a", b"\0",
                              b"\x28\xb5\x2f\xfd", bytes(700)])  # fmt: skip
    contents = data.draw(st.lists(st.lists(pieces, max_size=6).map(b"".join), max_size=5))
    packing = data.draw(st.sampled_from(PACKINGS))
    path = tmp_path_factory.mktemp("x") / "x.warc"
    given_ = [record("response", one, version="1.0") for one in [b"first", *contents]]
    found, damages = read(written(path, given_, packing))
    assert damages == []
    assert [one.data for one in found] == [b"first", *contents]
    with WarcFile(path) as file:
        assert [file.record_at(one.place) for one in found] == found


@pytest.mark.parametrize("packing", ["plain", "gzip", "zstd"])
def test_a_damaged_record_loses_no_other(tmp_path: Path, packing: str) -> None:
    """A damage of which the records behind it are lost, whatever the packing."""
    chance = random.Random(1)
    bodies = [bytes(chance.randrange(256) for _ in range(3000)) for _ in range(4)]
    path = written(tmp_path / "x", [record("resource", one) for one in bodies], packing)
    whole, _ = read(path)
    data = bytearray(path.read_bytes())
    at = whole[1].place.at
    data[at + 1500 : at + 1540] = b"" if packing == "plain" else bytes(40)
    path.write_bytes(data)
    found, damages = read(path)
    assert [one.data for one in found if not one.damaged] == [bodies[0], bodies[2], bodies[3]]
    assert [one.at for one in damages] == [at]


def test_folded_headers(tmp_path: Path) -> None:
    """A long value that goes on in indented lines, and is cut at the first of them."""
    path = tmp_path / "x.warc"
    path.write_bytes(
        b"WARC/1.1\r\nwarc-type: response\r\nWARC-Target-URI:\r\n  http://a.test/\r\n\tb\r\n"
        b"Content-Length: 0\r\n\r\n\r\n\r\n"
    )
    ((found,), damages) = read(path)
    assert (found.type, found.headers["warc-target-uri"]) == ("response", "http://a.test/ b")
    assert damages == []


def test_bombs_are_named(tmp_path: Path) -> None:
    """A file of some kilobytes that unpacks to gigabytes, for minutes or in memory."""
    head = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 99999999999\r\n\r\n"
    packer = zstd.ZstdCompressor()
    packed = packer.compress(head) + b"".join(packer.compress(bytes(1 << 20)) for _ in range(100))
    path = tmp_path / "x.warc.zst"
    path.write_bytes(packed + packer.flush() + zstd.compress(record("resource", b"after")))
    assert path.stat().st_size < 20_000
    found, damages = read(path)
    assert [one.data for one in found[1:]] == [b"after"]
    assert len(found[0].data) <= 1 << 26
    assert [one.reason for one in damages] == ["a record unpacks to more than 2,000 times its size"]


def test_many_small_members_take_little_time_and_memory(tmp_path: Path) -> None:
    """A reader that copies all that it has read whenever a member begins."""
    one = zlib.compress(record("response", b"x"), wbits=31)
    path = tmp_path / "x.warc.gz"
    path.write_bytes(one * 5000)
    damages: list[Damage] = []
    with WarcFile(path) as file:
        count = 0
        for _ in file.records(damages, everything):
            count += 1
            assert len(file._source._raw) < 1 << 18  # type: ignore[attr-defined]
    assert count == 5000


WAT = {
    "Container": {"Filename": "x.warc.gz", "Offset": "77"},
    "Envelope": {
        "WARC-Header-Metadata": {
            "WARC-Type": "response", "WARC-Date": "2020-01-01T00:00:00Z",
            "WARC-Target-URI": "http://A.test/x/",
        },
        "Payload-Metadata": {"HTTP-Response-Metadata": {
            "Response-Message": {"Status": "200"}, "Headers": {"Content-Type": "text/html"},
            "HTML-Metadata": {
                "Head": {"Base": "/y/", "Link": [
                    {"path": "LINK@/href", "rel": "stylesheet", "url": "s.css"},
                    {"path": "LINK@/href", "rel": "next", "url": "2"},
                ]},
                "Links": [
                    {"path": "IMG@/src", "url": "i.png"}, {"path": "A@/href", "url": "a"},
                    {"path": "A@/href", "url": "mailto:x"}, {"path": "AREA@/href", "url": "a"},
                    {"path": "IFRAME@/src", "url": "http://b.test"}, {"url": 7}, 8,
                ],
            },
        }},
    },
}  # fmt: skip


def test_wat() -> None:
    """Links of pictures and styles that count as links, or that are relative to another base."""
    found = page_of(json.dumps(WAT).encode())
    assert found is not None
    assert found.links == ("http://a.test/y/2", "http://a.test/y/a", "http://a.test/y/a",
                           "http://b.test/")  # fmt: skip
    assert (found.address, found.status, found.offset) == ("http://a.test/x/", 200, "77")
    assert found.headers == {"content-type": "text/html"}


@pytest.mark.parametrize("data", [b"{}", b"[]", b"7", b'{"Envelope": []}', b'{"Envelope": {}}'])
def test_wat_about_nothing(data: bytes) -> None:
    """A traceback for JSON of another shape."""
    assert page_of(data) is None


@pytest.mark.parametrize("data", [b"", b"{", b"[" * 100_000, b"\xff", b"9" * 9999])
def test_no_wat(data: bytes) -> None:
    """An error that a reader of archives does not expect."""
    with pytest.raises(ValueError, match=r".") as error:
        page_of(data)
    assert str(error.value)
