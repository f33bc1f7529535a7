"""A build that is killed anywhere leaves the old store, and goes on to the same bytes."""

from __future__ import annotations

import hashlib
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from crawler.errors import CrawlError
from crawler.graph.arrays import Arrays, Listed
from crawler.graph.build import Settings, build
from crawler.graph.building import folder_of
from crawler.graph.store import GraphStore

ROOT = Path(__file__).resolve().parents[3]

BUILDER = """
import os, signal, sys
from pathlib import Path
path, last = Path(sys.argv[1]), int(sys.argv[2])
count = 0

def event(name, arguments):
    # Every opening, renaming and removal of a file below the store's folder is a point to die at.
    global count
    if name in ("open", "os.rename", "os.remove", "os.rmdir", "shutil.rmtree"):
        if str(arguments[0]).startswith(str(path.parent)):
            count += 1
            if count == last:
                os.kill(os.getpid(), signal.SIGKILL)

from tests.crawler.graph.test_interrupted import made, SETTINGS
from crawler.graph.build import build
sys.addaudithook(event)
build(made(int(sys.argv[3])), path, SETTINGS)
print(count)
"""

SETTINGS = Settings(links=700, pages=100, threads=1, numbers=True)


def made(seed: int) -> Arrays:
    """Return a graph of 400 pages with addresses."""
    chance = np.random.default_rng(seed)
    degrees = chance.integers(0, 12, 400)
    offsets = np.concatenate([[0], np.cumsum(degrees)])
    targets = chance.integers(0, 400, offsets[-1])
    bounds = [0, 50, 51, 180, 300, 400]
    texts = [b"/%x" % (k * 7919 % 400) for k in range(400)]
    listed = Listed([b"%c.org" % (97 + k) for k in range(5)], texts)
    return Arrays(offsets, targets, bounds, listed)


def run(path: Path, last: int, seed: int) -> subprocess.CompletedProcess[str]:
    """Build in another process, which kills itself at an event."""
    return subprocess.run(
        [sys.executable, "-c", BUILDER, str(path), str(last), str(seed)],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip


def digest(path: Path) -> str:
    """Return what tells a file's bytes."""
    return hashlib.blake2b(path.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, int]:
    """Return the digest of a store that was built without interruption, and how many events."""
    path = tmp_path_factory.mktemp("whole") / "a.graph"
    done = run(path, 0, 2)
    assert done.returncode == 0, done.stderr
    return digest(path), int(done.stdout)


@pytest.mark.parametrize("tenths", range(10))
def test_killed_in_the_middle(tmp_path: Path, whole: tuple[str, int], tenths: int) -> None:
    """Would catch an old store that is harmed, and a half-written part that is taken for whole."""
    wanted, events = whole
    path = tmp_path / "a.graph"
    build(made(1), path, SETTINGS)
    old = digest(path)
    last = 2 + (events - 3) * tenths // 9
    done = run(path, last, 2)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert digest(path) in (old, wanted)
    GraphStore(path).verify()
    again = run(path, last // 2 + 1, 2)
    assert again.returncode in (0, -signal.SIGKILL), again.stderr
    build(made(2), path, SETTINGS)
    assert digest(path) == wanted
    assert [one.name for one in tmp_path.iterdir()] == ["a.graph"]


@pytest.mark.slow
def test_killed_at_every_event(tmp_path: Path, whole: tuple[str, int]) -> None:
    """Would catch the one point at which a kill does harm; a new kill at every event there is."""
    wanted, events = whole
    path = tmp_path / "a.graph"
    build(made(1), path, SETTINGS)
    old = digest(path)
    for last in range(1, events + 1):
        done = run(path, last, 2)
        assert done.returncode == -signal.SIGKILL, (last, done.stderr)
        if digest(path) != old:
            break
        GraphStore(path).verify()
    build(made(2), path, SETTINGS)
    assert digest(path) == wanted


def test_what_another_source_left_is_removed(tmp_path: Path, whole: tuple[str, int]) -> None:
    """Would catch parts of one graph in the store of another."""
    path = tmp_path / "a.graph"
    assert run(path, whole[1] // 2, 1).returncode == -signal.SIGKILL
    build(made(2), path, SETTINGS)
    assert digest(path) == whole[0]


def test_a_failing_source_leaves_the_old_store(tmp_path: Path) -> None:
    """Would catch a store that is opened for writing before all is read."""
    path = tmp_path / "a.graph"
    build(made(1), path, SETTINGS)
    old = digest(path)
    source = made(2)
    source._targets = source._targets + 400
    with pytest.raises(CrawlError, match="a link leads to page"):
        build(source, path, SETTINGS)
    assert digest(path) == old


def test_one_build_at_a_time(tmp_path: Path) -> None:
    """Would catch two builds that write into each other's parts, and a folder that is not ours."""
    path = tmp_path / "a.graph"
    with (
        folder_of(path, {"source": "x"}),
        pytest.raises(CrawlError, match="is being built by another process"),
    ):
        build(made(1), path, SETTINGS)
    foreign = tmp_path / "b.graph.building"
    foreign.mkdir()
    (foreign / "thesis.txt").write_text("mine")
    with pytest.raises(CrawlError, match="is no unfinished build"):
        build(made(1), tmp_path / "b.graph", SETTINGS)
    assert (foreign / "thesis.txt").read_text() == "mine"
    with pytest.raises(CrawlError, match="there is no folder"):
        build(made(1), tmp_path / "none" / "b.graph", SETTINGS)


def test_an_address_with_a_line_feed(tmp_path: Path) -> None:
    """Would catch a dictionary that is divided at the wrong place."""
    listed = Listed([b"a.org"], [b"/", b"/x\ny"])
    source = Arrays([0, 0, 0], [], [0, 2], listed)
    with pytest.raises(CrawlError, match=r"page 1: '/x\\ny' is no address"):
        build(source, tmp_path / "a.graph")
