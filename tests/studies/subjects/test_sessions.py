"""What has been started is ended, also what is being started at that moment."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import os, sys, time
from pathlib import Path
from threading import Event, Thread
from counterpoint.studies.subjects import processes

processes.adopt_orphans()
sessions, started = processes.Sessions(), Event()
start = processes.start

def slow(*given):
    found.append(start(*given))
    started.set()
    time.sleep(0.5)
    return found[-1]

def run():
    sessions.start(["sleep", "1000"], Path(), dict(os.environ), 2)

def lives(pid):
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"

found = []
processes.start = slow
Thread(target=run, daemon=True).start()
started.wait()
print(lives(found[0]))
sessions.close(grace=1.0)
second = Thread(target=run, daemon=True)
second.start()
second.join(0.5)
print(lives(found[0]), len(found), flush=True)
for one in found[1:]:
    processes.end_all(one)
os._exit(0)
"""


def test_a_command_that_is_being_started_is_ended() -> None:
    """A crawler that stays because Ctrl-C came between its start and the note of its session."""
    made = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=True
    )
    assert made.stdout.split() == ["True", "False", "1"], made.stderr
