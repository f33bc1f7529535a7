"""The main loop of the process that runs policies, see `worker`.

A policy can do to this process what it likes. What goes wrong from the moment at which a policy is
made until its run was sent is the failure of that policy. If it leaves the process changed, the
process ends, and its parent starts another.
"""

from __future__ import annotations

import ctypes
import gc
import mmap
import os
import resource
import signal
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from threading import Thread
from typing import TYPE_CHECKING, Any

from counterpoint.compiling import Compilations, listen
from counterpoint.crawler.errors import CrawlError, one_line_error
from counterpoint.crawler.policy.judging import failure_text
from counterpoint.crawler.policy.watch import StepTimeout
from counterpoint.memory import is_exhausted

from .channel import ChannelError, Sender
from .leftovers import forbid_forks, left, state
from .memory import limited_memory
from .plan import ComparisonPlan
from .worker import (
    CLOSED,
    COMPILED,
    COMPILING,
    IDLE,
    LEAVING,
    MARK,
    MEASURING,
    PARENT_DEATH_SIGNAL,
    POLICY,
    SIZE,
    WORN,
    step_of,
)

if TYPE_CHECKING:
    from counterpoint.crawler.schedulers.finding import ChosenPolicy

    from .run import PolicyRun, PolicyRunner


def serve(commands: int, results: int, marks: int, alive: int, word: bytes) -> None:
    """Receive a plan, then seeds with policies, and run the policies.

    For each seed, each run is sent as it ends, and then None; or `WORN` before this process ends,
    because a policy has left it changed. If our own code raises an exception, the exception is sent
    instead.

    Parameters
    ----------
    commands, results, marks, alive : int
        File descriptors: of what the parent sends, of what it receives, of the shared file, and of
        a pipe that ends with the parent.
    word : bytes
        The word of the channel of the results.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when this process ends
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _end_with_parent(alive)
    shared = memoryview(mmap.mmap(marks, SIZE)).cast("q")
    os.close(marks)
    listen(_SharedCompilations(shared))
    sender = Sender(results, word)
    try:
        _serve(Connection(commands, writable=False), sender, shared)
    except ChannelError:
        os._exit(CLOSED)
    except (OSError, EOFError):
        os._exit(CLOSED if not sender.is_intact() else 1)


class _SharedCompilations(Compilations):
    """Compilations that the parent can see in the shared file."""

    def __init__(self, shared: Any) -> None:
        super().__init__()
        self._shared = shared

    def on_start(self, of: object) -> None:
        """Note that a compilation begins."""
        super().on_start(of)
        self._shared[COMPILING], self._shared[COMPILED] = self.running, self.events

    def on_end(self, of: object) -> None:
        """Note that a compilation ends."""
        super().on_end(of)
        self._shared[COMPILING], self._shared[COMPILED] = self.running, self.events


def _serve(commands: Connection, sender: Sender, shared: Any) -> None:
    plan: ComparisonPlan = commands.recv()
    try:
        serving = _Serving(plan, shared)
        forbid_forks()
        while True:
            seed, wanted = commands.recv()
            for message in serving.runs(seed, wanted):
                sender.send(message)
            if serving.worn:
                sender.send(WORN)
                os._exit(0)  # so that nothing of a policy runs at the end
            shared[MARK] = IDLE
            sender.send(None)
    except OSError:  # the parent has ended, or a policy closed the channel
        raise
    except Exception as error:
        if not isinstance(error, EOFError | ChannelError):
            sender.send(_sendable(error))
        raise EOFError from error


class _Serving:
    """The policies of a plan, as this process runs them.

    Attributes
    ----------
    worn : bool
        Whether a policy has left this process changed, so that it must not run another.
    """

    def __init__(self, plan: ComparisonPlan, shared: Any) -> None:
        from counterpoint.crawler.schedulers.finding import find

        self._plan, self._shared = plan, shared
        self._policies: Sequence[ChosenPolicy] = [find(name) for name in plan.policies]
        self._process = os.getpid()
        self.worn = False

    def runs(self, seed: int, wanted: Sequence[int]) -> Any:
        """Yield the runs of policies on the web of a seed, until one leaves the process changed."""
        from .run import PolicyRunner

        scopes = {chosen.policy.scope for chosen in self._policies}
        runner = PolicyRunner(self._plan, seed, self._shared[MARK : MARK + 1], scopes)
        for policy in wanted:
            self._shared[POLICY] = policy
            yield self._run(runner, seed, policy)
            if self.worn:
                return

    def _run(self, runner: PolicyRunner, seed: int, policy: int) -> PolicyRun:
        chosen = self._policies[policy]
        if not chosen.is_of_user:
            return runner.run(policy, chosen)
        before = state()
        try:
            with limited_memory():
                run = runner.run(policy, chosen)
        except BaseException as error:
            run = self._failed(error, seed, policy)
            self.worn = True
        if os.getpid() != self._process:  # it forked in spite of all
            os._exit(0)
        self._shared[MARK] = LEAVING
        gc.collect()  # what it does when it is deleted happens now, and not in the time of another
        self._shared[MARK] = MEASURING
        self.worn = self.worn or runner.spoiled or bool(left(before))
        return run

    def _failed(self, error: BaseException, seed: int, policy: int) -> PolicyRun:
        """Return the run of a policy after which our own code failed, or that raised an exit."""
        from .run import PolicyRun

        if isinstance(error, CrawlError):
            raise error
        why = failure_text(error, self._plan.step_limit)
        why = f"{self._plan.policies[policy]}: {step_of(self._shared[MARK])}: {why}"
        timed_out = isinstance(error, StepTimeout)
        return PolicyRun(seed, policy, why, failed=True, timed_out=timed_out)


def _sendable(error: Exception) -> Exception:
    """Return an error of a class that the parent knows."""
    if is_exhausted(error):
        return MemoryError(one_line_error(error))
    if type(error).__module__.partition(".")[0] in ("builtins", "counterpoint"):
        return error
    return RuntimeError(one_line_error(error))


def _end_with_parent(alive: int) -> None:
    """End this process when its parent ends; on Linux even if compiled code is running."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL)

    def wait() -> None:
        with suppress(OSError):  # a policy closed the pipe: the channel is closed, too
            os.read(alive, 1)
            os._exit(1)

    Thread(target=wait, daemon=True).start()
