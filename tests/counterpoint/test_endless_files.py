"""Files without a line feed or without an end: they are refused before they take much memory."""

from __future__ import annotations

import gzip
import io
import os
from pathlib import Path

import pytest

from counterpoint.console import run as run_command
from counterpoint.crawler.documents.exchange import Exchange
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.worlds import capture
from counterpoint.files.inputs import PIECE, TooLargeError, lines_of, whole
from counterpoint.main import counterpoint

ZEROS = Path("/dev/zero")
LARGE = 2 << 30
"""Bytes of a sparse file: more than any reader takes."""

sparse = pytest.mark.skipif(os.name == "nt", reason="Windows writes the zeros of such a file")


class Endless(io.RawIOBase):
    """A file of so many lines, and then of spaces that do not end."""

    def __init__(self, lines: int = 0) -> None:
        super().__init__()
        self._begin, self.given = io.BytesIO(b"x\n" * lines), 0

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, buffer: object) -> int:
        """Fill a buffer."""
        view = memoryview(buffer)  # type: ignore[arg-type]
        data = self._begin.read(len(view)) or b" " * len(view)
        view[: len(data)] = data
        self.given += len(data)
        return len(data)


@pytest.mark.parametrize("begun", [0, 1])
def test_line_without_an_end(begun: int) -> None:
    """A line that is read without a limit, or a message with another number."""
    file = Endless(3)
    with pytest.raises(TooLargeError, match=f"^line {4 + begun} is longer than 2 MB$"):
        for line in lines_of(io.BufferedReader(file), 2 << 20, begun):
            assert line == b"x\n"
    assert file.given < 3 << 20


def test_lines_that_just_fit() -> None:
    """A line that is cut, or lost; the last one may lack its line feed."""
    fits = b"x" * (1 << 20)
    given = [fits[:-1] + b"\n", b"\n", fits]
    assert list(lines_of(io.BytesIO(b"".join(given)))) == given
    with pytest.raises(TooLargeError):
        list(lines_of(io.BytesIO(fits + b"\n")))


def test_text_without_an_end() -> None:
    """A text that is read without a limit, or one that fits and is refused."""
    file = Endless()
    with pytest.raises(TooLargeError, match=r"^is larger than 2 MB$"):
        whole(io.BufferedReader(file), 2 << 20)
    assert file.given <= (2 << 20) + 2 * PIECE
    assert whole(io.BytesIO(b"x" * (2 << 20)), 2 << 20) == b"x" * (2 << 20)


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_line_of_a_capture(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that the recorder writes and the replay refuses, or a packed one without a limit."""
    monkeypatch.setattr(capture, "TEXT", 3 << 20)
    path, long = tmp_path / name, "http://a.test/" + "x" * (3 << 20)

    class Source:
        def get(self, address: str) -> Exchange:
            return Exchange(address, 200, links=(long,) if address.endswith("y") else ())

    with capture.Recorder(Source(), path) as recorder:
        recorder.get("http://a.test/x")
        with pytest.raises(CrawlError, match=r"what http://a.test/y has is larger than 3 MB, and"):
            recorder.get("http://a.test/y")
    assert capture.Capture(path).exchanges == 1
    line = f'{{"address":"http://a.test/y","status":200,"links":["{long}"]}}\n'.encode()
    with path.open("ab") as file:
        file.write(gzip.compress(line) if name.endswith(".gz") else line)
    with pytest.raises(CrawlError, match=f"{name}: line 3 is longer than 3 MB"):
        capture.Capture(path)


COMMANDS = [
    ("evaluate FILE ok", "line 1 is longer than 1 MB"),
    ("evaluate ok FILE", "line 1 is longer than 1 MB"),
    ("replay FILE", "is larger than 256 MB"),
    ("sites --db new.db import FILE", "is larger than 256 MB"),
    ("crawl R3 --db new.db --seeds FILE", "is larger than 256 MB"),
    ("try R3 --replay FILE", "line 1 is longer than 256 MB"),
    ("coverage estimate --sample FILE --crawled ok", "is larger than 256 MB"),
    ("coverage sample addresses --blocks FILE --draw 1", "is larger than 256 MB"),
    ("web judge FILE", "is not a log of a synthetic web"),
    ("graph build --as edges FILE w.graph", "a line is longer than 32 MB"),
]


@sparse
@pytest.mark.parametrize(("command", "message"), COMMANDS)
def test_devices_and_sparse_files_are_refused(
    command: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """A command that takes memory until the system ends it."""
    monkeypatch.chdir(tmp_path)
    Path("ok").write_text("1 Q0 a 1 3 us\n")
    with Path("sparse").open("wb") as file:
        file.truncate(LARGE)
    for name in ("sparse", str(ZEROS)):
        words = command.replace("FILE", name).split()
        assert run_command(counterpoint, words) == 2
        error = capsys.readouterr().err
        assert name in error and message in error and error.count("\n") == 1, error
    assert not Path("new.db").exists() and not Path("w.graph").exists()
