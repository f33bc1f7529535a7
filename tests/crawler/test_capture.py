"""Captures: complete after a kill, replayed exactly, and errors that say what is wrong."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counterpoint.crawler.documents.exchange import Exchange
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Content
from counterpoint.crawler.worlds.capture import Capture, Recorder

ADDRESSES = [f"http://{host}.test/{path}" for host in "ab" for path in ("", "x", "y/", "?q=ä")]
ADDRESSES = [address.replace("ä", "%C3%A4") for address in ADDRESSES]
addresses = st.sampled_from(ADDRESSES)
contents = st.none() | st.builds(Content, st.text(), st.text(), st.just(()), st.text())


def with_anchors(exchange: Exchange) -> Exchange:
    """Return an exchange with an anchor for each link, if its page has a text."""
    if exchange.content is None:
        return exchange
    anchors = tuple(address[-2:] for address in exchange.links)
    return exchange._replace(content=exchange.content._replace(anchors=anchors))


exchanges = st.builds(
    Exchange, addresses, st.sampled_from([0, 200, 404]), st.sampled_from(["", *ADDRESSES]),
    st.lists(addresses, unique=True).map(tuple), st.integers(0, 99), st.integers(0, 10**9),
    st.floats(0, 1e6), st.text(), contents,
    nofollow=st.lists(addresses, unique=True).map(tuple),
    canonical=st.sampled_from(["", *ADDRESSES]),
).map(with_anchors)  # fmt: skip
names = st.sampled_from(["crawl.jsonl", "crawl.jsonl.gz"])


class Given:
    """A source that returns the exchanges of the test, one after the other."""

    def __init__(self, exchanges: list[Exchange]) -> None:
        self._left = list(exchanges)

    def get(self, address: str) -> Exchange:
        """Return the next exchange."""
        exchange = self._left.pop(0)
        assert exchange.address == address
        return exchange


def write(path: Path, recorded: list[Exchange]) -> None:
    """Record some exchanges."""
    path.unlink(missing_ok=True)
    with Recorder(Given(recorded), path, {"policy": "p"}) as recorder:
        for one in recorded:
            assert recorder.get(one.address) == one


def replayed(capture: Capture, recorded: list[Exchange]) -> list[Exchange]:
    """Request the same addresses from a capture."""
    return [capture.get(one.address) for one in recorded]


@given(st.lists(exchanges, min_size=1, max_size=8), names)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
def test_what_is_written_is_replayed(tmp_path: Path, recorded: list[Exchange], name: str) -> None:
    """A status, a link or a second visit that differs in the replay."""
    write(tmp_path / name, recorded)
    capture = Capture(tmp_path / name)
    assert capture.header == {"format": "counterpoint capture", "version": 1, "policy": "p"}
    assert (capture.exchanges, capture.torn) == (len(recorded), False)
    assert replayed(capture, recorded) == recorded


@given(st.lists(exchanges, min_size=1, max_size=5), names, st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
def test_a_kill_loses_no_whole_line(
    tmp_path: Path, recorded: list[Exchange], name: str, data: st.DataObject
) -> None:
    """A capture that cannot be read, or lacks fetched pages, because the crawl was killed."""
    path = tmp_path / name
    path.unlink(missing_ok=True)
    recorder = Recorder(Given(recorded), path)
    sizes = [path.stat().st_size]
    for one in recorded:
        recorder.get(one.address)
        sizes.append(path.stat().st_size)
    written = path.read_bytes()
    recorder.close()
    cut = data.draw(st.integers(sizes[0], len(written)))
    path.write_bytes(written[:cut])
    capture = Capture(path)
    whole = sum(size <= cut for size in sizes) - 1
    assert whole <= capture.exchanges <= whole + 1  # the end of a compressed line may be missing
    assert replayed(capture, recorded[: capture.exchanges]) == recorded[: capture.exchanges]
    if not name.endswith(".gz"):
        assert (capture.exchanges, capture.torn) == (whole, cut not in sizes)


def test_what_the_capture_lacks(tmp_path: Path) -> None:
    """A replay that returns another page for a missing one."""
    path = tmp_path / "c"
    write(path, [Exchange("http://a.test/x", 200), Exchange("http://a.test/x", 404)])
    capture = Capture(path)
    with pytest.raises(CrawlError, match=r"does not have http://a\.test/y: the recorded"):
        capture.get("http://a.test/y")
    assert [capture.get("http://a.test/x").status for _ in range(2)] == [200, 404]
    with pytest.raises(CrawlError, match=r"does not have http://a\.test/x more than 2 times: "):
        capture.get("http://a.test/x")


HEADER = '{"format":"counterpoint capture","version":1}\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1 must be its header"),
        ("{}\n", "line 1 must be its header"),
        ("nonsense\n", "line 1 must be its header"),
        (HEADER.replace(":1", ":" + "[" * 50 + "]" * 50), "is a capture of version [[[[[[[[[[[["),
        (HEADER.replace(":1", ":2"), "is a capture of version 2, not 1"),
        (HEADER + "x\n", "line 2 is not JSON"),
        (HEADER + "9" * 5000 + "\n", "line 2 is not JSON: a number has more than 4,300 digits"),
        ("[" * 100_000 + "\n", "line 1 must be its header"),
        (HEADER + "[" * 100_000 + "\n", "line 2 is nested too deeply"),
        (HEADER + '{"a":' * 5000 + "1" + "}" * 5000 + "\n", "line 2 is nested too deeply"),
        (HEADER + '{"address":"http://a/","status":0,"time":1e999}\n', "line 2: time cannot be i"),
        (HEADER + "[]\n", "line 2 is not an exchange"),
        (HEADER + '{"address":"http://a/"}\n', "line 2 is not an exchange"),
        (HEADER + '{"address":"http://a/","status":0,"x":1}\n', "line 2: x cannot be 1"),
        (HEADER + '{"address":"http://A/","status":0}\n', "line 2: address cannot be 'http://A/'"),
        (HEADER + '{"address":"http://a/","status":"0"}\n', "line 2: status cannot be '0'"),
        (HEADER + '{"address":"http://a/","status":true}\n', "line 2: status cannot be True"),
        (HEADER + '{"address":"http://a/","status":-1}\n', "line 2: status cannot be -1"),
        (HEADER + '{"address":"http://a/","status":0,"links":["b"]}\n', "line 2: links cannot be"),
        (
            HEADER + '{"address":"http://a/","status":0,"content":["",""]}\n',
            "line 2: content cannot be ['', '']",
        ),
        (
            HEADER + '{"address":"http://a/","status":0,"content":["","",[1],""]}\n',
            "line 2: content cannot be ['', '', [1], '']",
        ),
        (
            HEADER + '{"address":"http://a/","status":0,"content":["","",["x"],""]}\n',
            "line 2: has 0 links, and 1 anchors",
        ),
        (HEADER + '{"address":"http://a/","status":0,"time":NaN}\n', "line 2: time cannot be nan"),
        (HEADER + '{"address":"http://a/","status":0}\n\n', "line 3 is not JSON"),
    ],
)
def test_files_that_are_no_captures(tmp_path: Path, text: str, message: str) -> None:
    """A traceback, or an invalid file that is replayed."""
    path = tmp_path / "c"
    path.write_text(text)
    with pytest.raises(CrawlError, match=message.replace("[", r"\[")) as found:
        Capture(path)
    assert str(found.value).startswith(f"{path}: ") and "\n" not in str(found.value)


def test_files_that_cannot_be_had(tmp_path: Path) -> None:
    """A capture that is overwritten, or an error without the file's name."""
    path = tmp_path / "c.gz"
    path.write_text("mine")
    for wrong in (path, tmp_path / "no" / "c", tmp_path):
        with pytest.raises(CrawlError, match=str(wrong)):
            Recorder(Given([]), wrong)
    assert path.read_text() == "mine"
    for wrong in (tmp_path / "no", tmp_path):
        with pytest.raises(CrawlError, match=str(wrong)):
            Capture(wrong)
    packed = bytearray(gzip.compress(HEADER.encode() * 9))
    packed[12:20] = b"\xff" * 8
    path.write_bytes(packed)
    with pytest.raises(CrawlError, match=str(path)):
        Capture(path)


def test_a_capture_of_nothing_is_none(tmp_path: Path) -> None:
    """An empty file that is left after a command failed at once."""
    for name in ("c", "c.gz"):
        write(tmp_path / name, [])
    assert list(tmp_path.iterdir()) == []


def test_what_a_line_looks_like(tmp_path: Path) -> None:
    """An unnoticed change of a format that other tools read."""
    exchange = Exchange("http://a.test/", 200, "", ("http://a.test/x",), 3, 50, 1.5)
    write(tmp_path / "c", [exchange, Exchange("http://a.test/x", 0, problem="ж")])
    lines = (tmp_path / "c").read_text().splitlines()
    assert lines[1] == (
        '{"address":"http://a.test/","status":200,"links":["http://a.test/x"],"external":3,'
        '"size":50,"time":1.5}'
    )
    assert json.loads(lines[2]) == {"address": "http://a.test/x", "status": 0, "problem": "ж"}
