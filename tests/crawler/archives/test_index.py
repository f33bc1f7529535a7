"""The index of WARC files, against a dictionary and against independent readers."""

from __future__ import annotations

import errno
import gzip
import io
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fastwarc import ArchiveIterator as FastIterator
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from counterpoint.crawler.archives import indexing, sorting
from counterpoint.crawler.archives.cdxj import Capture, capture_of, key_of, line_of, stamp_of
from counterpoint.crawler.archives.index import CaptureIndex
from counterpoint.crawler.archives.indexing import about, indexed, place_of_index
from counterpoint.crawler.archives.warc_bytes import Place
from counterpoint.crawler.documents.addresses import key
from counterpoint.crawler.errors import CrawlError

from .standard import PAGE, every_type, record, written

ADDRESSES = ("http://a.test/", "http://a.test/x", "http://a.test/x/", "http://a.test/X",
             "https://a.test/x", "http://b.a.test/", "http://a.test:81/x", "http://[::1]/",
             "http://10.0.0.1/", "http://a.test/x?y=/")  # fmt: skip


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("http://www.a.test/Path/?Q=1", "test,a,www)/Path/?Q=1"),
        ("https://a.test/", "test,a)/"),
        ("http://a.test/x/", "test,a)/x"),
        ("http://a.test:8080/x", "test,a:8080)/x"),
        ("http://10.0.0.1/x", "10.0.0.1)/x"),
        ("http://[::1]:81/x", "[::1]:81)/x"),
    ],
)
def test_keys(address: str, expected: str) -> None:
    """Two pages with one key that differ by more than scheme and slash; a host that is reversed."""
    assert key_of(address) == expected


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("2020-01-02T03:04:05Z", "20200102030405"),
        ("2020-01-02T03:04:05.999999Z", "20200102030405"),
        ("2020-01-02T03:04:05+02:00", "20200102010405"),
        ("2020", "20200101000000"), ("2020-07", "20200701000000"),
        ("2020-07-05", "20200705000000"), ("20200102030405", ""), ("", ""),
        ("0001-01-01T00:00:00+09:00", ""), ("2020-13-01T00:00:00Z", ""), ("2020-01-01T", ""),
        ("2016-12-31T23:59:60Z", ""),
    ],
)  # fmt: skip
def test_dates(date: str, expected: str) -> None:
    """A date of the profile of W3C that is not read, or another text that is."""
    assert stamp_of(date) == expected


def answers(times: dict[str, list[int]]) -> list[bytes]:
    """Return records of answers whose body has the address and the second."""
    found = []
    for address, seconds in times.items():
        for second in seconds:
            date = f"2020-01-01T00:00:{second:02}Z"
            body = b"HTTP/1.1 200 OK\r\n\r\n" + f"{address} {second}".encode()
            found.append(record("response", body, address, date))
    return found


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_index_is_as_a_dictionary(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject):
    """A capture that is not found, or another one than the latest before a time.

    The index is sorted in runs of a few lines. Captures lie in several files.
    """
    seconds = st.lists(st.integers(0, 30), unique=True, max_size=4)
    files = data.draw(st.lists(
        st.dictionaries(st.sampled_from(ADDRESSES), seconds), min_size=1, max_size=3
    ))  # fmt: skip
    folder = tmp_path_factory.mktemp("x")
    for number, times in enumerate(files):
        lines = answers(times)
        random.Random(1).shuffle(lines)
        path = folder / f"{number}.warc.gz"
        written(path, [record("warcinfo", b"", uri=""), *lines], "gzip")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorting, "RUN", 700)
        patch.setattr(sorting, "WAYS", 2)
        index = CaptureIndex([folder])
    model: dict[str, set[str]] = {}
    for times in files:
        for address, some in times.items():
            model.setdefault(key(address), set()).update(f"202001010000{s:02}" for s in some)
    assert len(index) == sum(len(some) for times in files for some in times.values())
    everything = [(key_of(one.capture.url), one.capture.stamp) for one in index.captures()]
    assert everything == sorted(everything) and len(everything) == len(index)
    for address in (*ADDRESSES, "http://c.test/", "http://a.test/x2"):
        stamps = model.get(key(address), set())
        assert {one.capture.stamp for one in index.of(address)} == stamps
        for second in range(0, 32, 3):
            wanted = f"202001010000{second:02}"
            before = max((one for one in stamps if one <= wanted), default=None)
            found = index.at(address, wanted)
            assert (found.capture.stamp if found else None) == (before or min(stamps, default=None))
    index.close()


def test_lines_are_cdxj_that_others_can_use(tmp_path: Path) -> None:
    """Lines with an offset or a length at which warcio and fastwarc find no record, or another."""
    path = written(tmp_path / "x.warc.gz", [*every_type(), *answers({"http://b.test/": [1, 2]})],
                   "gzip")  # fmt: skip
    lines = indexed(path).read_bytes().splitlines()
    assert lines == sorted(lines, key=lambda line: line.partition(b" {")[0])
    captures = [line.split(b" ", 2) for line in lines if not line.startswith(b"!")]
    assert [(name, stamp) for name, stamp, _ in captures] == [
        (b"test,a)/", b"20200102030405"), (b"test,a)/", b"20200202030405"),
        (b"test,a)/file", b"20200102030405"), (b"test,a)/long", b"20200102030405"),
        (b"test,b)/", b"20200101000001"), (b"test,b)/", b"20200101000002"),
    ]  # fmt: skip
    for _, _, text in captures:
        fields = json.loads(text)
        with path.open("rb") as file:
            file.seek(int(fields["offset"]))
            part = file.read(int(fields["length"]))
        (tmp_path / "part").write_bytes(part)
        with (tmp_path / "part").open("rb") as file:
            (one,) = ArchiveIterator(file)
            assert one.rec_headers.get_header("WARC-Target-URI") == fields["url"]
            assert one.rec_type == fields["type"]
        (fast,) = FastIterator(io.BytesIO(part), parse_http=False)
        assert fast.headers["WARC-Target-URI"] == fields["url"]
    fields = [json.loads(text) for _, _, text in captures]
    assert [one["status"] for one in fields] == ["200", "304", "200", "200", "200", "200"]
    assert fields[1]["refers-to"] == ["", "", "<urn:x:page>"]
    assert fields[0] == {
        "url": "http://a.test/", "mime": "text/html", "status": "200", "digest": "sha1:AAAA",
        "length": fields[0]["length"], "offset": fields[0]["offset"], "filename": "x.warc.gz",
        "type": "response",
    }  # fmt: skip


@given(st.builds(
    Capture, st.sampled_from(ADDRESSES), st.just("20200101000000"), st.sampled_from(["response"]),
    st.integers(100, 999), st.text(max_size=9), st.text(max_size=9).filter(lambda one: one != "-"),
    st.text(max_size=9), st.builds(Place, st.integers(0, 9**20), st.integers(0, 99)),
    st.integers(0, 9**9), st.sampled_from([(), ("", "1", "é")]), st.booleans(),
))  # fmt: skip
def test_lines_are_read_as_they_were_written(capture: Capture) -> None:
    """Texts of a stranger that break a line, or come back as others."""
    line = line_of(capture)
    assert line.count(b"\n") == 1
    assert capture_of(line) == capture


def test_index_is_made_again_when_the_file_changes(tmp_path: Path) -> None:
    """An index that leads to where records were; one that is made each time it is opened."""
    path = written(tmp_path / "x.warc", answers({"http://a.test/": [1]}), "plain")
    place = indexed(path)
    first = place.stat().st_mtime_ns
    assert indexed(path) == place and place.stat().st_mtime_ns == first
    written(path, answers({"http://b.test/long": [1], "http://a.test/": [1]}), "plain")
    found = CaptureIndex([path])
    assert found.at("http://a.test/", "2020") is not None and len(found) == 2
    same = path.stat()
    path.write_bytes(path.read_bytes().replace(b"b.test", b"c.test"))
    os.utime(path, ns=(same.st_atime_ns, same.st_mtime_ns + 1))
    assert CaptureIndex([path]).at("http://c.test/long", "2020") is not None
    place.write_bytes(b"!cdxj 0 {}\n")
    assert len(CaptureIndex([path])) == 2
    assert [p.name for p in sorted(tmp_path.iterdir())] == ["x.warc", "x.warc.cdxj"]


def test_index_elsewhere(tmp_path: Path) -> None:
    """Files of one name in two folders that get one index; an index beside them nevertheless."""
    paths = []
    for name in "ab":
        (tmp_path / name).mkdir()
        lines = answers({f"http://{name}.test/": [1]})
        paths.append(written(tmp_path / name / "x.warc", lines, "plain"))
    found = CaptureIndex(paths, tmp_path / "new" / "folder")
    assert len(found) == 2
    assert found.at("http://b.test/", "2020") is not None
    assert len(list((tmp_path / "new" / "folder").iterdir())) == 2
    assert not place_of_index(paths[0]).exists()


def test_where_no_index_can_be_written(tmp_path: Path) -> None:
    """A traceback for a folder that is read-only, or is none; parts of an index that stay."""
    path = written(tmp_path / "x.warc", answers({"http://a.test/": [1]}), "plain")
    for folder in (Path("/proc/none"), path / "below"):
        with pytest.raises(CrawlError, match="cannot be written there") as error:
            indexed(path, folder)
        assert "\n" not in str(error.value) and "--index" in str(error.value)
    (tmp_path / "y.warc").write_bytes(b"<html>")
    with pytest.raises(CrawlError, match="is no WARC file"):
        indexed(tmp_path / "y.warc")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.warc", "y.warc"]


def test_damages_stay_named(tmp_path: Path) -> None:
    """A damaged place that is forgotten when the index is opened again; a record without a date."""
    lines = answers({"http://a.test/": [1, 2]})
    long = PAGE + random.Random(1).randbytes(3000)
    lines.append(record("response", long, date="2020-01-01T00:00:03Z"))
    lines[1] = lines[1].replace(b"2020-01-01T00:00:02Z", b"yesterday")
    path = written(tmp_path / "x.warc.gz", lines, "gzip")
    path.write_bytes(path.read_bytes()[:-500])
    for _ in range(2):
        index = CaptureIndex([path])
        assert [one.reason for one in index.damages] == [
            "a record has no date that can be read", "a record breaks off",
        ]  # fmt: skip
        cut = [(one.capture.stamp[-2:], one.capture.cut) for one in index.captures()]
        assert cut == [("01", False), ("03", True)]


def test_a_damaged_index(tmp_path: Path) -> None:
    """A traceback for an index that somebody has changed."""
    path = written(tmp_path / "x.warc", answers({"http://a.test/": [1]}), "plain")
    place = indexed(path)
    place.write_bytes(place.read_bytes().replace(b'"offset"', b'"onset"'))
    assert about(place) is not None
    with pytest.raises(CrawlError, match="is damaged; delete it"):
        CaptureIndex([path]).at("http://a.test/", "2020")


def test_types_are_counted(tmp_path: Path) -> None:
    """A type of record that is not counted, or a capture of one that has none."""
    path = written(tmp_path / "x.warc.zst", every_type(), "zstd")
    found = about(indexed(path))
    assert found is not None
    assert found.types == {"warcinfo": 1, "request": 1, "response": 2, "revisit": 1, "metadata": 1,
                           "resource": 1, "conversion": 1, "continuation": 1}  # fmt: skip
    assert (found.captures, found.first, found.last) == (4, "20200102030405", "20200202030405")
    dns = [record("response", b"a.test. 1 IN A 10.0.0.1", "dns:a.test"), record("response", PAGE)]
    found = about(indexed(written(tmp_path / "y.warc", dns, "plain")))
    assert found is not None and found.captures == 1


HOSTILE = """
import sys
from pathlib import Path
from typing import Any
from counterpoint.crawler.archives.index import CaptureIndex
index = CaptureIndex([Path(name) for name in sys.argv[1:]])
for one in index.damages:
    print(one.path.name, one.reason)
print(len(index))
status = Path("/proc/self/status").read_text()
print(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))
"""


def test_hostile_files_take_little_memory(tmp_path: Path) -> None:
    """A bomb, a wrong length or a line of megabytes that is read into memory, or is not named."""
    good = record("response", PAGE)
    files = {
        "bomb.warc.gz": gzip.compress(
            record("response", b"HTTP/1.1 200 OK\r\n\r\n" + bytes(150 << 20)), 9, mtime=0
        ) + gzip.compress(good),
        "length.warc": good.replace(b"Content-Length: ", b"Content-Length: 99999999999") + good,
        "line.warc": record("response", PAGE, X_Long="x" * (3 << 20)) + good,
        "uri.warc": record("response", PAGE, "http://a.test/" + "x" * 60_000) + good,
        "head.warc": record("response", b"HTTP/1.1 200 " + b"x" * (5 << 20)) + good,
        "json.warc": record("metadata", b'{"a": "' + b"x" * (9 << 20) + b'"}',
                            Content_Type="application/json") + good,
    }  # fmt: skip
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    done = subprocess.run(
        [sys.executable, "-c", HOSTILE, *(str(tmp_path / name) for name in files)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    *damages, count, peak = done.stdout.splitlines()
    assert damages == [
        "length.warc the length of a record is wrong",
        "line.warc a header has more than 65,536 bytes",
        "json.warc the JSON of a record has more than 8 MB",
    ]
    # The good record of each file, and what can be read of the bomb, the wrong length, the head.
    assert int(count) == len(files) + 3
    assert int(peak) < 120_000


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_captures_of_several_files(tmp_path: Path, order: tuple[int, ...]) -> None:
    """Catches a capture that is read from another file than the one that has it."""
    paths = []
    for number in range(3):
        urls = {f"http://a.test/{number}/{k}": [number] for k in range(2 + 7 * number)}
        paths.append(written(tmp_path / f"{number}.warc.gz", answers(urls), "gzip"))
    index = CaptureIndex([paths[number] for number in order])
    found = list(index.captures())
    assert [one.capture.url for one in found] == sorted(one.capture.url for one in found)
    assert len(found) == 2 + 9 + 16
    for one in found:
        assert one.capture.filename == one.file.path.name
        assert f"/{one.file.path.name[0]}/" in one.capture.url
    index.close()


def test_homes_are_the_pages_that_were_captured_first(tmp_path: Path) -> None:
    """Catches a home that is the first by alphabet, since times have whole seconds."""
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    times = [("http://a.test/z", 5), ("http://a.test/a", 5), ("http://b.test/y", 3),
             ("http://b.test/", 9), ("http://c.test/m", 7), ("http://c.test/k", 6)]  # fmt: skip
    records = [record("response", page, url, f"2020-01-01T00:00:0{second}Z")
               for url, second in times]  # fmt: skip
    index = CaptureIndex([written(tmp_path / "x.warc.gz", records, "gzip")])
    assert list(index.homes()) == ["http://a.test/z", "http://b.test/", "http://c.test/k"]
    index.close()


def test_a_folder_that_is_read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Catches a capture that cannot be used since nothing can be written beside it."""
    path = written(tmp_path / "x.warc.gz", answers({"http://a.test/": [1]}), "gzip")
    write, number = indexing._write, errno.EROFS

    def refusing(*given: Any) -> None:
        if given[1].parent == tmp_path:
            raise OSError(number, os.strerror(number))
        write(*given)

    def again(*_: Any) -> None:
        pytest.fail("it is there already")

    monkeypatch.setattr(indexing, "_write", refusing)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    place = indexed(path)
    assert place.is_relative_to(tmp_path / "cache" / "counterpoint")
    write = again
    assert indexed(path) == place
    number = errno.ENOSPC  # a full disk is reported, not worked around
    path.write_bytes(path.read_bytes() + path.read_bytes())
    with pytest.raises(CrawlError, match="cannot be written there"):
        indexed(path)


def test_a_user_without_a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Catches a home directory that is asked for in vain, and a traceback where it is needed."""
    path = written(tmp_path / "x.warc.gz", answers({"http://a.test/": [1]}), "gzip")

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert indexed(path).parent == tmp_path

    def refusing(*_: Any) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    indexed(path).unlink()
    monkeypatch.setattr(indexing, "_write", refusing)
    with pytest.raises(CrawlError, match=r"there is no home directory .* --index of web serve"):
        indexed(path)
