"""Large documents are read in a process of their own, which can be ended.

A parser of HTML looks through the elements that are open at every tag, and through a tag's
attributes at every attribute; so a megabyte of ``<div>``, or of attributes, takes minutes, and
nothing stops a parser from outside. What few tags and attributes cost is bounded; documents that
may have more are read by a process that ends itself when it has worked too long.
"""

from __future__ import annotations

import atexit
import contextlib
import pickle
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

LARGE = 65_536
"""Characters; longer documents are read apart."""
MANY = 5_000
"""Tags; so are documents with more."""
SECONDS = 10.0
"""Of the processor, that reading a document may take."""

_ROOT = Path(__file__).absolute().parents[3]
_SCRIPT = (
    "import sys; sys.path.insert(0, {!r}); "
    "from counterpoint.crawler.documents.serving import serve; serve()"
)
_GONE = object()
POSSIBLE = hasattr(signal, "setitimer")
"""Not on Windows: there all documents are read at once."""


def wanted(document: str) -> bool:
    """Tell whether a document is one to be read apart."""
    return POSSIBLE and (len(document) > LARGE or document.count("<") > MANY)


class Apart:
    """A process that does what it is told, as long as that does not take too long.

    Parameters
    ----------
    seconds : float
        Of the processor, for each call.
    """

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def read(self, *told: Any) -> Any:
        """Return what `links.read_here` returns; None if it takes too long."""
        with self._lock:
            found = self._answer(told)
            if found is _GONE:
                found = self._answer(told)  # it was killed by somebody else
        if isinstance(found, BaseException):
            raise found
        return None if found is _GONE else found

    def _answer(self, told: tuple[Any, ...]) -> Any:
        """Return what the process answers; None: it took too long; `_GONE`: it is gone."""
        process = self._running()
        assert process.stdin is not None and process.stdout is not None
        try:
            pickle.dump((self.seconds, told), process.stdin)
            process.stdin.flush()
            return pickle.load(process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            process.wait()
            self._close()
            return None if process.returncode == -signal.SIGPROF else _GONE
        except BaseException:
            self._close()  # what it answers would be taken for the answer to another call
            raise

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is not None:
            self._close()
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _SCRIPT.format(str(_ROOT))], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, start_new_session=True,
            )  # fmt: skip
        return self._process

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]  # both are pipes
        process.wait()


READER = Apart()
"""The process for all documents of this one; started when it is needed."""
atexit.register(READER.close)
