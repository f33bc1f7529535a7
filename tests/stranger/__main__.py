"""A stranger's repository, its gate, and nine changes that the gate must stop.

    python tests/stranger --bin /path/to/venv/bin
    python tests/stranger --bin /path/to/venv/bin --unchanged 10 --busy 8

Needs an environment with Counterpoint, pytest and Scrapy. Nothing of the checkout is imported.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from changes import CHANGES, Change
from repository import make

LIMIT = 900
"""Seconds that one command may take."""


class Failed(Exception):
    """Something is not as a stranger may expect it."""


class Stranger:
    """Somebody with a repository, and an environment with Counterpoint."""

    def __init__(self, bin_: Path, folder: Path) -> None:
        self.bin, self.folder = bin_, folder
        self.env = {
            k: v for k, v in os.environ.items() if not k.startswith(("CI", "GITHUB", "PYTHON"))
        }
        self.env["PATH"] = f"{bin_}{os.pathsep}{os.environ['PATH']}"

    def run(self, *words: str, code: int = 0, **env: str) -> str:
        """Run a command, and return its output.

        Raises
        ------
        Failed
            If it ends with another exit code.
        """
        begun = time.monotonic()
        done = subprocess.run(
            [str(self.bin / words[0]), *words[1:]], cwd=self.folder, env=self.env | env,
            capture_output=True, text=True, timeout=LIMIT, check=False,
        )  # fmt: skip
        taken = time.monotonic() - begun
        print(f"  {taken:5.1f} s  {' '.join(words)}: {done.returncode}", flush=True)
        if done.returncode != code:
            raise Failed(
                f"{' '.join(words)} ended with {done.returncode}, not {code}\n"
                f"{done.stdout[-6000:]}\n{done.stderr[-3000:]}"
            )
        return done.stdout

    def gate(self, code: int = 0) -> list[dict[str, Any]]:
        """Run the gate, and return what is not as expected."""
        found = json.loads(self.run("counterpoint", "gate", "--format", "json", code=code))
        return [one for one in found["outcomes"] if one["answer"] != "as expected"]


def begin(stranger: Stranger) -> None:
    """Do what the guide says, up to a green gate and green tests."""
    make(stranger.folder)
    print(stranger.run("counterpoint", "init"))
    print(stranger.run("counterpoint", "gate", "--accept"))  # what init wrote runs as it is
    print(stranger.run("counterpoint", "gate"))
    shutil.rmtree(stranger.folder / "baselines")
    path = stranger.folder / "counterpoint.toml"
    text = path.read_text(encoding="utf-8").replace('web = "sample"', 'web = "webs/guarded.toml"')
    text = text.replace("web-pages = 3000", "web-pages = 600")
    path.write_text(text, encoding="utf-8")
    print(stranger.run("counterpoint", "gate", "--accept"))
    print(stranger.run("counterpoint", "gate"))
    tests = stranger.run("pytest", "-q")
    if "4 passed" not in tests:  # their own test, and three properties
        raise Failed(f"pytest did not run the properties:\n{tests}")


def judge(stranger: Stranger, change: Change) -> None:
    """Plant a change, run the gate, and compare what falls.

    Raises
    ------
    Failed
        If something else falls, with another exit code, at another place or for another reason.
    """
    before = (stranger.folder / change.path).read_text(encoding="utf-8")
    try:
        change.plant(stranger.folder)
        found = stranger.gate(change.code)
        _compare(stranger.folder, change, found)
        if change.at.endswith("_spec.py"):
            stranger.run("pytest", "-q", code=1)
    finally:
        (stranger.folder / change.path).write_text(before, encoding="utf-8")


def _compare(folder: Path, change: Change, found: list[dict[str, Any]]) -> None:
    shown = json.dumps([{k: o[k] for k in ("name", "answer", "findings")} for o in found], indent=1)
    if {one["name"] for one in found} != set(change.falls):
        raise Failed(f"{change.what}: not {', '.join(change.falls)} fell, but\n{shown}")
    findings = [finding for one in found for finding in one["findings"]]
    if not any(change.says in finding["text"] for finding in findings):
        raise Failed(f"{change.what}: nothing says {change.says!r}\n{shown}")
    first = next(f for f in findings if change.says in f["text"])
    place = first["place"]
    line = (folder / place["path"]).read_text(encoding="utf-8").splitlines()[place["line"] - 1]
    if place["path"] != change.at or change.near not in line:
        raise Failed(f"{change.what}: {change.near!r} of {change.at} is not named\n{shown}")


@contextmanager
def load(processes: int) -> Iterator[None]:
    """Keep processors busy."""
    busy = [multiprocessing.Process(target=_turn, daemon=True) for _ in range(processes)]
    for one in busy:
        one.start()
    try:
        yield
    finally:
        for one in busy:
            one.kill()


def _turn() -> None:
    while True:
        pass


def main() -> int:
    """Run everything; return the exit code."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--bin", type=Path, required=True, help="bin of the environment")
    options.add_argument("--unchanged", type=int, default=1, help="green gates in a row")
    options.add_argument("--busy", type=int, default=0, help="busy processes meanwhile")
    options.add_argument("--only", help="only the changes whose description has this text")
    given = options.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="stranger-"))
    try:
        stranger = Stranger(given.bin.absolute(), folder)
        begin(stranger)
        with load(given.busy):
            for _ in range(given.unchanged):
                if found := stranger.gate():
                    raise Failed(json.dumps(found, indent=1))
        planted = [one for one in CHANGES if given.only is None or given.only in one.what]
        for change in planted:
            print(change.what, flush=True)
            judge(stranger, change)
        if found := stranger.gate():
            raise Failed(json.dumps(found, indent=1))
    except Failed as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{given.unchanged} green gates; {len(planted)} changes, each stopped.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
