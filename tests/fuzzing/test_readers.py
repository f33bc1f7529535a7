"""Every reader on a few inputs; ``python -m tests.fuzzing`` reads more of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import strategies as st

from .reader import Reader, TooSlowError, read
from .readers import readers
from .running import fuzzed

ROOT = Path(__file__).resolve().parents[2]
READERS = readers()

SECONDS = 300.0
"""After so long a reader hangs in a way that its limit of processor time does not end."""


@pytest.mark.parametrize("name", READERS)
def test_reader_ends_with_a_result_or_a_message(name: str) -> None:
    """An input of a stranger that ends in a traceback, takes seconds, or much memory.

    Each reader has a process of its own. Loaded modules of other tests change what Hypothesis
    draws, and take time and memory that a user's process does not take.
    """
    command = [sys.executable, "-m", "tests.fuzzing", "--reader", name, "--seed", "1"]
    inputs = str(READERS[name].examples)
    done = subprocess.run([*command, "--inputs", inputs], cwd=ROOT, capture_output=True, text=True,
                          timeout=SECONDS, check=False)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{name}: {inputs} inputs" in done.stdout


def _fails(data: bytes) -> None:
    if 7 in data:
        raise KeyError("seven")


def _grows(data: bytes) -> None:
    bytearray(len(data) * 1000 + (1 << 20))


def _hangs(data: bytes) -> None:
    while True:
        pass


def test_driver_finds_each_kind_of_error() -> None:
    """A driver under which nothing can fail: errors, memory and time are each noticed."""
    inputs = st.binary(max_size=5)
    found = fuzzed(Reader("fails", _fails, inputs), 300, 1)
    assert [one[1:] for one in found.wrong] == [(b"\7", "KeyError: 'seven'")]
    with pytest.raises(AssertionError, match="bytes of memory for 4 bytes"):
        read(Reader("grows", _grows, inputs), b"many")
    with pytest.raises(TooSlowError, match="more than 1 s of processor time"):
        read(Reader("hangs", _hangs, inputs), b"long")
    with pytest.raises(AssertionError, match="several lines"):
        read(Reader("speaks", _speaks, inputs, (ValueError,)), b"")


def _speaks(data: bytes) -> None:
    raise ValueError("one\ntwo")


def test_same_seed_reads_the_same_inputs() -> None:
    """Findings that nobody can reproduce by the seed."""
    seen: list[list[bytes]] = []
    for _ in range(2):
        seen.append([])
        fuzzed(Reader("sees", seen[-1].append, READERS["run"].inputs), 50, 3)
    assert seen[0] == seen[1]
