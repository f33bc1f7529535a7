"""A process that runs policies ends together with its parent."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

_PARENT = """
import sys, time
sys.path[:] = {path!r}
from counterpoint.studies.comparison.worker import Worker
from counterpoint.studies.comparison.plan import ComparisonPlan
from counterpoint.sim_web import profile

broder = profile.load("broder-1999")
worker = Worker(ComparisonPlan(("tests.studies.comparison.policies:HangsInC",), broder, 30, 600))
worker.send(0, (0,))
until = time.monotonic() + 120
while worker.at()[1] != 13:  # the seventh step is begun
    assert time.monotonic() < until
print(worker._process.pid, flush=True)
time.sleep(120)
"""


@pytest.mark.long
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells a child in C")
def test_a_hanging_process_ends_with_its_killed_parent() -> None:
    """A process that runs or hangs for ever after the command was killed."""
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
    """Return whether a process runs; a zombie does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"
