"""Starts the process that reads crafted files, and notices when it crashes or hangs."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

COMPILING, HANGING = 600.0, 30.0
"""How many seconds it may take to compile all readers, and to read a file."""


@dataclass
class Found:
    """What became of crafted files.

    Attributes
    ----------
    files : int
        How many were read.
    seen : Counter
        How many readings there were, and how many ended with a refusal, by reader.
    wrong : list of (int, str)
        The number of each file that crashed, hung, or made a reader fail, and what happened.
    """

    files: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    wrong: list[tuple[int, str]] = field(default_factory=list)


def fuzzed(
    seed: int, first: int, last: int, *, checked: bool = False, one_in: int = 50,
    caches: Path | None = None, tell: Callable[[Found], None] | None = None,
) -> Found:  # fmt: skip
    """Read crafted files in a process of its own, which is started again after a crash.

    Parameters
    ----------
    seed, first, last : int
        The files are those of the numbers ``first`` to ``last - 1`` of a seed.
    checked : bool
        Whether compiled code checks the bounds of all arrays.
    one_in : int
        One file in so many is also exported, and read by the commands.
    caches : Path, optional
        Where compiled code with checks is kept; by default it is lost in the end.
    tell : callable, optional
        Gets what was found, now and then.
    """
    found = Found()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        environment = dict(os.environ)
        if checked:
            cache = caches or folder / "compiled"
            environment |= {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(cache)}
        while first < last:
            first = _run(folder, environment, (seed, first, last, one_in), found, tell)
    return found


def _run(
    folder: Path, environment: dict[str, str], numbers: tuple[int, ...], found: Found,
    tell: Callable[[Found], None] | None,
) -> int:  # fmt: skip
    """Run a process until it ends or hangs; return the number of the next file."""
    _, first, last, _ = numbers
    (folder / "number").unlink(missing_ok=True)
    command = [sys.executable, "-m", "tests.graph.fuzzing.child", str(folder), *map(str, numbers)]
    lines: queue.Queue[str] = queue.Queue()
    with (folder / "errors").open("w+") as errors:
        child = subprocess.Popen(command, cwd=ROOT, env=environment, text=True,
                                 stdout=subprocess.PIPE, stderr=errors)  # fmt: skip
        reader = threading.Thread(target=_listen, args=(child, lines))
        reader.start()
        try:
            hung = _watch(child, folder / "number", lines, found, tell)
        finally:
            child.kill()
            child.wait()
            reader.join()
        while not lines.empty():
            _take(lines.get(), found)
        errors.seek(0)
        said = errors.read()
    text = (folder / "number").read_text() if (folder / "number").exists() else ""
    number = int(text) if text else first
    if not hung and child.returncode == 0:
        found.files += last - first
        return last
    found.files += number + 1 - first
    found.wrong.append((number, "hangs" if hung else _end(child.returncode, said)))
    if not text:
        raise RuntimeError(f"the first file was not reached: {said[-2000:]}")
    return number + 1


def _listen(child: subprocess.Popen[str], lines: queue.Queue[str]) -> None:
    assert child.stdout is not None
    with child.stdout as told:
        for line in told:
            lines.put(line)


def _watch(
    child: subprocess.Popen[str], note: Path, lines: queue.Queue[str], found: Found,
    tell: Callable[[Found], None] | None,
) -> bool:  # fmt: skip
    """Wait for a process; return whether it hangs."""
    since, last = time.monotonic(), ""
    while child.poll() is None:
        try:
            line = lines.get(timeout=0.2)
            _take(line, found)
            if tell and "seen" in line:
                tell(found)
        except queue.Empty:
            pass
        now = time.monotonic()
        text = note.read_text() if note.exists() else ""
        if text != last:
            last, since = text, now
        elif now - since > (HANGING if text else COMPILING):
            return True
    return False


def _take(line: str, found: Found) -> None:
    told = json.loads(line)
    if "seen" in told:
        found.seen.update(told["seen"])
    else:
        found.wrong.append((told["number"], f"{told['reader']}: {told['error']} {told['where']}"))


def _end(code: int, said: str) -> str:
    name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    frames = [line.strip() for line in said.splitlines() if line.startswith("  File")]
    return f"ends with {name} {' '.join(frames[:1]) or said[-200:]!r}"
