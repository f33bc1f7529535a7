"""``counterpoint`` as a process with short leases, forked from one that has imported it.

Each process is one that a command would start; but importing takes as long as a crawl of the
laboratory, so a server imports everything once, and the processes are copies of it.
"""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import resource
import signal
import sys
from functools import partial
from pathlib import Path

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload([
    "counterpoint.main", "counterpoint.commands.crawls.crawl", "counterpoint.crawler.store.opening",
    "counterpoint.crawler.beebot.crawling", "counterpoint.crawler.schedulers.finding",
    "counterpoint.crawler.schedulers.rules", "counterpoint.crawler.schedulers.web",
    "counterpoint.crawler.schedulers.opic", "alembic.config",
    "alembic.runtime.environment", "alembic.script", "psycopg", "uvloop",
    "scipy.linalg.cython_blas",  # OpenBLAS waits for ever where it is loaded without memory
])  # fmt: skip

LEASE = 2.0
"""Seconds that a worker's lease lasts; without the laboratory 20."""
HUNG = 240.0
"""Seconds after which a process counts as one that never ends."""
IDLE = 2.0
"""Seconds after which PostgreSQL ends an idle transaction; without the laboratory 15."""


class Command:
    """A process that runs ``counterpoint``.

    Parameters
    ----------
    arguments : list of str
    output, errors : Path
        The files to which it writes.
    room : int or None
        How many bytes a file may have, as if the disk were full then; None: as many as it needs.
    memory : int or None
        How many bytes of address space it may take beyond those of the imported modules; None: as
        many as it needs.
    """

    def __init__(
        self, arguments: list[str], output: Path, errors: Path, room: int | None = None,
        memory: int | None = None,
    ) -> None:  # fmt: skip
        self._errors = errors
        self._process = CONTEXT.Process(
            target=_run, args=(arguments, str(output), str(errors), room, memory)
        )
        self._process.start()
        self.pid: int = self._process.pid or 0

    @property
    def code(self) -> int | None:
        """The exit code, -N for a signal; None: it runs."""
        return self._process.exitcode

    def has_begun(self) -> bool:
        """Return whether the process has come to the command, and SIGINT ends it without a word."""
        return self._errors.exists()

    def send(self, number: signal.Signals) -> None:
        """Send a signal, if the process has not ended."""
        if self.code is None:
            os.kill(self.pid, number)

    def wait(self) -> int:
        """Wait for its end, and return the exit code; a process that hangs is killed."""
        self._process.join(HUNG)
        hangs = self.code is None
        self.end()
        assert not hangs, f"counterpoint did not end in {HUNG} seconds"
        assert self.code is not None
        return self.code

    def end(self) -> None:
        """Kill the process, even if it is stopped, and wait for its end."""
        self.send(signal.SIGKILL)
        self._process.join()


def _run(
    arguments: list[str], output: str, errors: str, room: int | None, memory: int | None
) -> None:  # fmt: skip
    # What the command line does not do yet is interrupted without a word.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    for path, number in ((output, 1), (errors, 2)):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(file, number)
        os.close(file)
    if room is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
    import counterpoint.main as main_module
    from counterpoint.crawler.beebot import crawling
    from counterpoint.crawler.store import postgresql

    crawling.crawl = partial(crawling.crawl, lease=LEASE)
    postgresql.HUNG = IDLE
    sys.argv = ["counterpoint", *arguments]
    if memory is not None:
        _load_compiled_code()
        faulthandler.enable()
        main_module.must_be_enough = tuple  # less than a user may give it
        most = (
            int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + memory
        )
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main_module.main()


def _load_compiled_code() -> None:
    """Load what `counterpoint.memory.LEAST` is enough for, in any case.

    Numba and LLVM end the process by a signal where they are loaded without memory.
    """
    from counterpoint.crawler.policy.tables import FoundPages

    FoundPages([0])
