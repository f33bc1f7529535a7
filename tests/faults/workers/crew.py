"""Processes that crawl one store, and are killed, stopped, interrupted and joined at random."""

from __future__ import annotations

import random
import re
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.command import IDLE, LEASE, Command

END = 90.0
"""Seconds after which a run must be complete."""
OK, INTERRUPTED, CANNOT_GO_ON = 0, 130, 2

IGNORED = re.compile(
    r"^Exception ignored .*\nTraceback .*\n( .*\n|\n)*KeyboardInterrupt: *\n", re.M
)
"""What Python prints if SIGINT comes where Python must ignore exceptions, and that it has lost."""


@dataclass
class Member:
    """A process of the crew.

    Attributes
    ----------
    process : Command
    errors : Path
        The file with its standard error.
    wakes : float or None
        When it continues, by the monotonic clock; None: it is not stopped.
    harmed : set of str
        What was done to it.
    """

    process: Command
    errors: Path
    wakes: float | None = None
    harmed: set[str] = field(default_factory=set)

    def runs(self) -> bool:
        """Return whether the process has not ended."""
        return self.process.code is None

    def wake(self) -> None:
        """Let the process continue if it is stopped."""
        if self.wakes is not None:
            self.process.send(signal.SIGCONT)
            self.wakes = None


class Crew:
    """Processes that crawl one store.

    Parameters
    ----------
    first : sequence of str
        The arguments of the command that begins the crawl; it can also join.
    where : str
        The address of the store.
    folder : Path
        Where the processes write.
    chance : Random
    has_begun : callable
        Whether there is a plan that can be resumed.
    """

    def __init__(
        self, first: Sequence[str], where: str, folder: Path, chance: random.Random,
        has_begun: Callable[[], bool],
    ) -> None:  # fmt: skip
        self._has_begun = has_begun
        self._first, self._where, self._folder = list(first), where, folder
        self._chance = chance
        self.members: list[Member] = []
        self.counts: Counter[str] = Counter()

    def join(self, *, resume: bool = False) -> Member:
        """Start a process, by the first command or by one that only resumes."""
        arguments = ["crawl", "--db", self._where, "--resume"] if resume else self._first
        errors = self._folder / f"errors-{len(self.members)}"
        process = Command(arguments, self._folder / "output", errors)
        self.members.append(Member(process, errors))
        return self.members[-1]

    def harm(self) -> None:
        """Do something at random to a random member, or let another one join."""
        awake = [one for one in self.members if one.runs() and one.wakes is None]
        what = self._chance.choice(("kill", "kill", "stop", "stop", "stop", "interrupt", "join"))
        if what == "join" or not awake:
            self._one_more()
            return
        one = self._chance.choice(awake)
        if what == "interrupt" and not one.process.has_begun():
            what = "kill"
        one.harmed.add(what)
        if what == "stop":
            # Some stops end before the lease does, and some after the lease and the transaction.
            seconds = self._chance.choice((0.2, 0.7, 1.5, max(IDLE, LEASE) + 0.7))
            one.process.send(signal.SIGSTOP)
            one.wakes = time.monotonic() + seconds
            self.counts["stops"] += 1
            return
        one.process.send(signal.SIGKILL if what == "kill" else signal.SIGINT)
        self.counts[f"{what}s"] += 1
        self._one_more()

    def _one_more(self) -> None:
        """Let another one join, by either command; there must be a plan to resume."""
        resume = self._chance.random() < 0.5
        self.join(resume=resume and self._has_begun())
        self.counts["joins"] += 1

    def wake(self) -> None:
        """Let members continue whose time has come."""
        for one in self.members:
            if one.wakes is not None and time.monotonic() >= one.wakes:
                one.wake()

    def run_to_the_end(self) -> None:
        """Wait until all have ended; if none has ended the crawl, let another one do it.

        Raises
        ------
        AssertionError
            If the crawl does not come to its end.
        """
        end = time.monotonic() + END
        while True:
            while any(one.runs() for one in self.members):
                assert time.monotonic() < end, "the crawl does not end"
                self.wake()
                time.sleep(0.02)
            if any(one.process.code == OK for one in self.members):
                return
            assert time.monotonic() < end, "no process ends the crawl"
            self.join()
            self.counts["last"] += 1

    def problems(self) -> Iterator[str]:
        """Yield what is wrong with how the members have ended, and with what they printed."""
        for number, one in enumerate(self.members):
            text = one.errors.read_text(errors="replace") if one.process.has_begun() else ""
            text = IGNORED.sub("", text)
            last = text.strip().rpartition("\n")[2]
            code, harmed = one.process.code, one.harmed
            if "Traceback" in text:
                self.counts["tracebacks"] += 1
                yield f"process {number} ({', '.join(sorted(harmed))}) prints a traceback:\n{text}"
            elif (
                code == OK
                or (code == -signal.SIGKILL and "kill" in harmed)
                or (code in (INTERRUPTED, -signal.SIGINT) and "interrupt" in harmed)
            ):
                continue
            else:
                yield f"process {number} ({', '.join(sorted(harmed))}) ends with {code}: {last}"

    def end(self) -> None:
        """Kill all that run."""
        for one in self.members:
            one.process.end()


@contextmanager
def crew(
    first: Sequence[str], where: str, folder: Path, chance: random.Random,
    has_begun: Callable[[], bool],
) -> Iterator[Crew]:  # fmt: skip
    """Yield a crew without members; none of its processes is left behind."""
    made = Crew(first, where, folder, chance, has_begun)
    try:
        yield made
    finally:
        made.end()
