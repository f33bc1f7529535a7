"""A process that runs policies ends with whoever began it."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

_PARENT = """
import sys, time
sys.path[:] = {path!r}
from counterpoint.studies.comparison.hand import Hand
from counterpoint.studies.comparison.plan import Plan
from counterpoint.sim_web import profile

told = profile.load("broder-1999")
hand = Hand(Plan(("tests.studies.comparison.policies:HangsInC",), told, 30, 600))
hand.send(0, (0,))
until = time.monotonic() + 120
while hand.at()[1] != 13:  # the seventh step is begun
    assert time.monotonic() < until
print(hand._process.pid, flush=True)
hand.connection.recv()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells a child in C")
def test_a_process_that_hangs_in_c_ends_with_a_parent_that_is_killed() -> None:
    """A process that burns or hangs for ever after the command was killed."""
    program = _PARENT.format(path=[str(Path(__file__).parents[3] / "src"), *sys.path])
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        try:
            child = int(parent.stdout.readline())
            assert is_running(child)
        finally:
            parent.kill()
    until = time.monotonic() + 20
    while is_running(child):
        assert time.monotonic() < until, "it goes on"


def is_running(process: int) -> bool:
    """Tell whether a process runs; one that has ended and nobody has asked for does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"
