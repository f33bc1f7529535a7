"""A separate process that runs policies, and can be killed whatever they do.

The process is a new interpreter, not a fork. It ends when a pipe ends, whose other end its parent
holds until it ends for any reason. Its output goes to standard error. The present step of a policy
is in a file that both processes have mapped into memory, so that the parent can read it even while
compiled code blocks the interpreter.
"""

from __future__ import annotations

import mmap
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from multiprocessing.connection import Pipe

from counterpoint.crawler.policy.watch import PATIENCE, timeout_text
from counterpoint.models.checking.processes import interrupts_held

from .channel import Receiver, new_word
from .plan import ComparisonPlan
from .processor import processor_seconds

POLICY, MARK, COMPILED, COMPILING = 0, 1, 2, 3
"""Indices in the shared file: the running policy, its mark of progress, how many compilations have
begun and ended, and how many run."""

IDLE, MAKING, FIRST = -1, 0, 1
"""Marks of progress: no policy was run on this web; a policy is being created; its first step. The
mark is 2 s - 1 when step s begins, and 2 s when its page was fetched. So at any mark the policy is
at step (mark + 1) // 2."""

MEASURING, LEAVING = -2, -3
"""Marks of progress after the last step: our code measures the crawl; the policy is deleted."""

CLOSED = 71
"""The exit code of a process whose policy has closed the files of the process."""

CLOSED_FILES = "closed files of its process that it had not opened"

WORN = "worn"
"""A process sends this before it ends because a policy has left it changed."""

SIZE = mmap.PAGESIZE
PARENT_DEATH_SIGNAL = 1
_ENDS = 1.0
"""Seconds within which a process whose files are closed has ended, if it is ending."""

_BEGIN = """
import sys
sys.path[:] = {path!r}
from counterpoint.studies.comparison.serving import serve
serve({commands}, {results}, {marks}, {alive}, {word!r})
"""

LATE = 2.5
"""A process is killed if a step takes this many times the limit of processor time, plus one second.
The crawl loop ends a slow policy earlier where it can."""

LATER = 1.25
"""A process is killed if a step lasts this many times the limit of the crawl loop by the clock on
the wall, plus one second."""


def step_of(mark: int) -> str:
    """Return in words where a policy is, by its mark of progress."""
    if mark < 0:
        return "after its last step"
    return f"step {(mark + 1) // 2}" if mark else "while it was made"


class Worker:
    """The parent's side of a process that runs policies.

    Parameters
    ----------
    plan : ComparisonPlan
        The plan whose policies the process runs.

    Attributes
    ----------
    results : Receiver
        The process sends its results here; see `serving.serve`.
    """

    def __init__(self, plan: ComparisonPlan) -> None:
        self._limit, word = plan.step_limit, new_word()
        commands, self._commands = Pipe(duplex=False)
        reading, writing = os.pipe()
        alive, self._alive = os.pipe()
        os.set_blocking(reading, False)
        self.results = Receiver(reading, word)
        with tempfile.TemporaryFile() as file:
            file.truncate(SIZE)
            self._map = mmap.mmap(file.fileno(), SIZE)
            self._marks = memoryview(self._map).cast("q")
            self._marks[MARK] = IDLE
            given = {"commands": commands.fileno(), "results": writing, "marks": file.fileno(),
                     "alive": alive}  # fmt: skip
            path = [os.path.abspath(part) for part in sys.path]
            with interrupts_held():
                self._process = subprocess.Popen(
                    [sys.executable, "-c", _BEGIN.format(path=path, word=word, **given)],
                    stdin=subprocess.DEVNULL, stdout=2, pass_fds=tuple(given.values()),
                    start_new_session=True,
                )  # fmt: skip
        commands.close()
        os.close(writing)
        os.close(alive)
        self._seen, self._since = (0, 0, 0), time.monotonic()
        self._spent = -1.0
        self._commands.send(plan)

    def send(self, seed: int, policies: tuple[int, ...]) -> None:
        """Have the process run some policies of the plan on the web of a seed."""
        self._marks[MARK] = IDLE
        with suppress(BrokenPipeError, ConnectionResetError):
            self._commands.send((seed, policies))

    def at(self) -> tuple[int, int]:
        """Return the running policy and its mark of progress."""
        return self._marks[POLICY], self._marks[MARK]

    def overdue(self) -> str:
        """Return in words how the present step of a policy exceeds its limits; "" if it does not.

        It must be called again and again, at shorter intervals than the limits.
        """
        at, now = (*self.at(), self._marks[COMPILED]), time.monotonic()
        if at != self._seen or at[1] in (IDLE, MEASURING):
            self._seen, self._since = at, now
            self._spent = -1.0
            return ""
        if self._spent < 0 or self._marks[COMPILING]:
            self._spent = processor_seconds(self._process.pid)
        lasts = now - self._since
        if lasts > LATER * PATIENCE * self._limit + 1:
            return timeout_text(True, self._limit)
        if lasts > self._limit and self._used() > LATE * self._limit + 1:
            return timeout_text(False, self._limit)
        return ""

    def _used(self) -> float:
        """Return the processor time since the present step began."""
        return processor_seconds(self._process.pid) - self._spent

    def has_ended(self) -> bool:
        """Return whether the process has ended, or can send nothing any more."""
        return self.results.ended or self._process.poll() is not None

    def ending(self) -> str:
        """Return in words how the process ended, if `has_ended`."""
        try:
            code = self._process.wait(_ENDS)
        except subprocess.TimeoutExpired:
            code = CLOSED
        if code == CLOSED:
            return CLOSED_FILES
        if code >= 0:
            return f"its process was ended with exit code {code}"
        try:
            return f"its process was ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"its process was ended by signal {-code}"

    def end(self) -> None:
        """Kill the process, and all processes that it has started."""
        with suppress(OSError):  # it has ended before
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        for descriptor in (self.results.fileno(), self._alive):
            os.close(descriptor)
        self._commands.close()
        self._marks.release()
        self._map.close()
