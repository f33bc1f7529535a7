"""A process that runs policies, and can be ended whatever it does.

It is a new interpreter, not a fork; it ends when its standard input does, that is with its parent,
in whatever way that ends. What it prints goes to standard error. The step that it is at stands in a
file which both processes have mapped, so that it can be read even while compiled code holds the
interpreter.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from threading import Thread
from typing import Any

from counterpoint.models.checking.processes import interrupts_held

from .plan import Plan

POLICY, MARK = 0, 1
"""Places in the shared file."""

_SIZE = mmap.PAGESIZE
_PARENT_DEATH_SIGNAL = 1

_BEGIN = """
import sys
sys.path[:] = {path!r}
from counterpoint.studies.comparison.hand import serve
serve({connection}, {marks})
"""

LATE = 2.5
"""A process is ended if a step takes so many limits, and a second; the crawl loop does it first
where it can."""


class Hand:
    """The parent's end of a process.

    Parameters
    ----------
    plan : Plan
        What the process runs policies of.

    Attributes
    ----------
    connection : Connection
        Brings what the process has to say; see `serve`.
    """

    def __init__(self, plan: Plan) -> None:
        self._limit = LATE * plan.step_limit + 1
        self.connection, theirs = Pipe()
        with tempfile.TemporaryFile() as file:
            file.truncate(_SIZE)
            self._map = mmap.mmap(file.fileno(), _SIZE)
            self._marks = memoryview(self._map).cast("q")
            descriptors = (theirs.fileno(), file.fileno())
            path = [os.path.abspath(part) for part in sys.path]
            program = _BEGIN.format(path=path, connection=descriptors[0], marks=descriptors[1])
            with interrupts_held():
                self._process = subprocess.Popen(
                    [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=2,
                    pass_fds=descriptors,
                )  # fmt: skip
        theirs.close()
        self._seen, self._since = (0, 0), time.monotonic()
        self.connection.send(plan)

    def send(self, seed: int, policies: tuple[int, ...]) -> None:
        """Let the process run some policies of the plan on the web of a seed."""
        self._marks[MARK] = -1
        self.connection.send((seed, policies))

    def at(self) -> tuple[int, int]:
        """Return the policy whose turn it is and its mark, as `run` defines marks."""
        return self._marks[POLICY], self._marks[MARK]

    def stands_still(self) -> bool:
        """Tell whether a policy has been at one step for too long."""
        at, now = self.at(), time.monotonic()
        if at != self._seen or at[1] < 0:
            self._seen, self._since = at, now
        return now - self._since > self._limit

    def end(self) -> None:
        """End the process at once, with what it is doing."""
        self._process.kill()
        self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
        self.connection.close()
        self._marks.release()
        self._map.close()


def serve(connection: int, marks: int) -> None:
    """Be the process: take a plan, then seeds with policies.

    For each of them the runs are sent, one by one as they end, and then None; an exception is sent
    instead if our own code raises one.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for the parent to end this process
    _end_with_parent()
    told = memoryview(mmap.mmap(marks, _SIZE)).cast("q")
    with Connection(connection) as parent:
        try:
            _serve(parent, told)
        except (EOFError, BrokenPipeError, ConnectionResetError, KeyboardInterrupt):
            return  # the last is a policy's own: this process takes no notice of Ctrl-C


def _serve(parent: Connection, told: Any) -> None:
    from counterpoint.crawler.schedulers.finding import find

    from .run import Runs

    plan: Plan = parent.recv()
    try:
        policies = [find(name) for name in plan.policies]
        while True:
            seed, wanted = parent.recv()
            runs = Runs(plan, seed, told[MARK : MARK + 1])
            for policy in wanted:
                told[POLICY] = policy
                parent.send(runs.of(policy, policies[policy]))
            parent.send(None)
    except OSError:  # the parent has ended
        raise
    except Exception as error:
        if not isinstance(error, EOFError):
            parent.send(_sendable(error))


def _sendable(error: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _end_with_parent() -> None:
    """End when the parent does; Linux sees to it even if compiled code holds the interpreter."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)

    def wait() -> None:
        os.read(0, 1)
        os._exit(1)

    Thread(target=wait, daemon=True).start()
