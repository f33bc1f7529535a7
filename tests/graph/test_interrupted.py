"""A build killed at any point leaves the old store, and resumes to the same bytes."""

from __future__ import annotations

import hashlib
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from counterpoint.graph.errors import GraphError
from counterpoint.graph.storage.arrays import Arrays, ListedAddresses
from counterpoint.graph.storage.build import BuildSettings, build
from counterpoint.graph.storage.building import folder_of
from counterpoint.graph.storage.pages import Tell
from counterpoint.graph.storage.sorting import Rows

ROOT = Path(__file__).resolve().parents[2]

KILLER = """
import os, signal, sys
from pathlib import Path
from tests.graph.test_interrupted import SETTINGS, digest, made
from counterpoint.graph.storage.build import build
from counterpoint.graph.storage.store import GraphStore

path = Path(sys.argv[1]) / "a.graph"
count = last = 0

def event(name, arguments):
    # Every opening, renaming and removal of a file below the folder is a point to die at.
    global count
    if last and name in ("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir"):
        if str(arguments[0]).startswith(str(path.parent)):
            count += 1
            if count == last:
                os.kill(os.getpid(), signal.SIGKILL)

def killed(at):
    global last
    child = os.fork()
    if not child:
        last = at
        build(made(2), path, SETTINGS)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

sys.addaudithook(event)
build(made(2), path, SETTINGS)
wanted = digest(path)
build(made(1), path, SETTINGS)
old = digest(path)
step = int(sys.argv[2])
at = died = 0
while True:
    at += step
    first = killed(at)
    if first == 0:
        break
    assert first == -signal.SIGKILL, (at, first)
    died += 1
    assert digest(path) in (old, wanted), at
    GraphStore(path).verify()
    assert killed(at * 7 % 40 + 1) in (0, -signal.SIGKILL), at
    assert digest(path) in (old, wanted), at
    build(made(2), path, SETTINGS)
    assert digest(path) == wanted, at
    assert os.listdir(path.parent) == ["a.graph"], at
    build(made(1), path, SETTINGS)
    assert digest(path) == old, at
print(died)
"""

SETTINGS = BuildSettings(links=700, pages=100, threads=1, numbers=True)


def made(seed: int) -> Arrays:
    """Return a graph of 400 pages with addresses."""
    chance = np.random.default_rng(seed)
    degrees = chance.integers(0, 12, 400)
    offsets = np.concatenate([[0], np.cumsum(degrees)])
    targets = chance.integers(0, 400, offsets[-1])
    bounds = [0, 50, 51, 180, 300, 400]
    texts = [b"/%x" % (k * 7919 % 400) for k in range(400)]
    listed = ListedAddresses([b"%c.org" % (97 + k) for k in range(5)], texts)
    return Arrays(offsets, targets, bounds, listed)


class Failing:
    """A source that fails after some links because the disk is full."""

    def __init__(self, arrays: Arrays) -> None:
        self._arrays, self._times = arrays, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._arrays, name)

    def read(self, folder: Path, tell: Tell) -> Failing:
        return self

    def rows(self, first: int, last: int) -> Rows:
        self._times += 1
        if self._times > 3:
            raise OSError("no room")
        return self._arrays.rows(first, last)


def digest(path: Path) -> str:
    """Return a digest of a file's bytes."""
    return hashlib.blake2b(path.read_bytes()).hexdigest()


@pytest.mark.long
@pytest.mark.parametrize("step", [13, pytest.param(1, marks=pytest.mark.slow)])
def test_killed_at_any_point(tmp_path: Path, step: int) -> None:
    """A damaged old store, or a half-written part taken for complete.

    A build is killed at an event, when it opens, renames or removes some file: at every one, or at
    some. The interrupted build is killed once more and then resumed; it ends with the same bytes.
    """
    done = subprocess.run(
        [sys.executable, "-c", KILLER, str(tmp_path), str(step)],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 60 // step


def test_what_another_source_left_is_removed(tmp_path: Path) -> None:
    """Parts of one graph in the store of another."""
    path = tmp_path / "a.graph"
    build(made(2), path, SETTINGS)
    wanted = digest(path)
    with pytest.raises(OSError, match="no room"):
        build(Failing(made(1)), path, SETTINGS)
    assert len(list((tmp_path / "a.graph.building").iterdir())) > 5
    build(made(2), path, SETTINGS)
    assert digest(path) == wanted
    assert [one.name for one in tmp_path.iterdir()] == ["a.graph"]


def test_a_failing_source_leaves_the_old_store(tmp_path: Path) -> None:
    """A store opened for writing before the source is read completely, or parts left over."""
    path = tmp_path / "a.graph"
    build(made(1), path, SETTINGS)
    old = digest(path)
    source = made(2)
    source._targets = source._targets + 400
    with pytest.raises(GraphError, match="a link leads to page"):
        build(source, path, SETTINGS)
    assert digest(path) == old
    assert [one.name for one in tmp_path.iterdir()] == ["a.graph"]


def test_one_build_at_a_time(tmp_path: Path) -> None:
    """Two builds that write to the same parts, or a foreign folder that is used."""
    path = tmp_path / "a.graph"
    with (
        folder_of(path, {"source": "x"}),
        pytest.raises(GraphError, match="is being built by another process"),
    ):
        build(made(1), path, SETTINGS)
    foreign = tmp_path / "b.graph.building"
    foreign.mkdir()
    (foreign / "thesis.txt").write_text("mine")
    with pytest.raises(GraphError, match="is not an unfinished build"):
        build(made(1), tmp_path / "b.graph", SETTINGS)
    assert (foreign / "thesis.txt").read_text() == "mine"
    with pytest.raises(GraphError, match="there is no folder"):
        build(made(1), tmp_path / "none" / "b.graph", SETTINGS)


@pytest.mark.parametrize(("hosts", "texts", "message"), [
    ([b"a.org", b"b.org"], [b"/", b"/x\ny"], r"page 1: '/x\\ny' is not an address"),
    ([b"a.org", b"b\x00"], [b"/", b"/"], r"host 1: 'b\\x00' is not an address"),
    ([b"a\n.org", b"b.org"], [b"/", b"/"], r"host 0: 'a\\n.org' is not an address"),
])  # fmt: skip
def test_an_address_with_a_line_feed(
    tmp_path: Path, hosts: list[bytes], texts: list[bytes], message: str
) -> None:
    """A dictionary divided at the wrong place, or not sorted."""
    source = Arrays([0, 0, 0], [], [0, 1, 2], ListedAddresses(hosts, texts))
    with pytest.raises(GraphError, match=message):
        build(source, tmp_path / "a.graph")


def test_what_is_no_store_is_not_replaced(tmp_path: Path) -> None:
    """A crawl or a thesis replaced by a graph, or a refusal only after long work."""
    thesis, folder, empty = (tmp_path / name for name in ("thesis.txt", "folder", "empty"))
    thesis.write_text("mine")
    folder.mkdir()
    empty.touch()
    for path in (thesis, folder, Path("/dev/null")):
        with pytest.raises(
            GraphError, match=f"{path}: is in the way: it is not a (store|regular file)"
        ):
            build(made(1), path, SETTINGS)
    assert thesis.read_text() == "mine"
    build(made(1), empty, SETTINGS)
    built = empty.read_bytes()
    empty.write_bytes(built[:10])
    build(made(1), empty, SETTINGS)
    assert empty.read_bytes() == built


def test_nothing_is_written_through_a_map(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process killed by a bus error, without a message, where the disk is full."""
    plain = np.memmap

    def read_only(*arguments: Any, mode: str = "r+", **more: Any) -> Any:
        assert mode == "r"
        return plain(*arguments, mode=mode, **more)

    monkeypatch.setattr(np, "memmap", read_only)
    build(made(1), tmp_path / "a.graph", SETTINGS)


class Interrupting(Failing):
    """A source during whose reading somebody presses Ctrl-C."""

    def rows(self, first: int, last: int) -> Rows:
        self._times += 1
        if self._times == 3:
            signal.raise_signal(signal.SIGINT)
        return self._arrays.rows(first, last)


def test_ctrl_c_says_what_stays_and_the_build_is_resumed(tmp_path: Path) -> None:
    """A message that nothing was written, or parts that are lost."""
    path = tmp_path / "a.graph"
    build(made(2), path, SETTINGS)
    wanted = digest(path)
    path.unlink()
    with pytest.raises(KeyboardInterrupt, match=r"a\.graph\.building keeps what was done"):
        build(Interrupting(made(2)), path, SETTINGS)
    assert not path.exists()
    assert list((tmp_path / "a.graph.building").glob("out-*.links"))
    build(made(2), path, SETTINGS)
    assert digest(path) == wanted
    assert [one.name for one in tmp_path.iterdir()] == ["a.graph"]


class Many(Failing):
    """A source that says it has more pages than there are."""

    count = 3_000_000_001
    hosts = np.array([0, count], dtype=np.uint32)
    addresses = None

    def rows(self, first: int, last: int) -> Rows:
        raise GraphError("stopped")


@pytest.mark.parametrize("free", [4_000_000_000, 5_000_000_000])
def test_a_store_too_large_for_the_disk_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int
) -> None:
    """Hours of work until the disk is full, or work on a size that nobody was warned of."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    path, said = tmp_path / "a.graph", list[str]()
    few = free < 4_500_000_000
    with pytest.raises(GraphError, match="need 4.5 GB of disk" if few else "stopped"):
        build(Many(made(2)), path, SETTINGS, None, said.append)
    assert [text.partition(":")[0] for text in said] == (
        [] if few else ["3,000,000,001 pages, from 0 to 3,000,000,000"]
    )
    assert list(tmp_path.iterdir()) == []
