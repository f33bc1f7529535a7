"""Disks that are full: what a crawl writes beside its store, and the store itself.

`tests/crawler/beebot/test_killed.py` has a full disk at each write of a SQLite store.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from counterpoint.crawler.store.opening import open_store
from tests.oracle.seeds import this_week

from .command import Command
from .fault_webs import expected, found, served, starts, web

SEED = this_week(0, 1).start // 1_000_000


@pytest.mark.slow
def test_no_file_can_grow_beyond_a_size(tmp_path: Path) -> None:
    """A traceback, or a store that cannot be resumed, when the store, the log or WARC is full."""
    chance, of = random.Random(SEED), web(SEED)
    wanted = expected(SEED, "breadth-first")
    (tmp_path / "sites").write_text("".join(f"{start}\n" for start in starts(of)))
    with served(of, tmp_path / "access") as proxy:
        arguments = ["crawl", "breadth-first", "--db", str(tmp_path / "crawl.db"), "--seeds",
                     str(tmp_path / "sites"), "--budget", "100000", "--proxy", proxy, "--delay",
                     "0", "--stay", "--log", str(tmp_path / "log"),
                     "--warc", str(tmp_path / "warc")]  # fmt: skip
        failed = 0
        # The message itself is written to a file, too.
        sizes = (3000, *sorted(chance.sample(range(5_000, 400_000), 3)), None)
        for number, room in enumerate(sizes):
            errors = tmp_path / f"errors-{number}"
            command = Command(arguments, tmp_path / "output", errors, room)
            code, text = command.wait(), errors.read_text()
            where = f"seed {SEED}, room for {room} bytes: {text}"
            assert "Traceback" not in text, where
            assert (code == 0) or (code in (2, 3) and text.strip().count("\n") == 0), where
            failed += code != 0
        assert code == 0
        assert failed >= 2
    with open_store(tmp_path / "crawl.db") as store:
        assert found(store) == wanted
