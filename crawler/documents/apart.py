"""Reads large documents in a separate process, which can be killed.

An HTML parser searches the open elements at every tag, and a tag's attributes at every attribute.
So a megabyte of ``<div>`` tags, or of attributes, takes minutes, and a running parser cannot be
interrupted. It also repeats formatting elements that are not ended in each paragraph that follows:
24 KB with 2,000 of both become four million elements, 1.6 GB. The time and memory for few tags and
attributes are bounded; documents that may have more are read by a process that ends itself when it
has worked too long, and that gets no more memory than `MEMORY`.
"""

from __future__ import annotations

import atexit
import contextlib
import pickle
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Any

LARGE = 65_536
"""Documents with more characters are read in the separate process."""
MANY = 5_000
"""Documents with more tags are read in the separate process."""
REPEATED = 100_000
"""Documents in which formatting elements may be repeated more often are read in the separate
process: the number of tags, times that of the formatting elements that each of them may repeat."""
SECONDS = 10.0
"""Processor time in seconds that reading a document may take."""
MEMORY = 2 << 30
"""Bytes of address space of the separate process. A page of 10 MB, the most that is fetched, takes
0.4 to 1.1 GB, whether it is full of links, of attributes, of letters or of table cells."""

_FORMATTING = re.compile(
    r"<(?:b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)([\t\n\f\r />])", re.I | re.A
)
"""Elements that the parser repeats, but not ``a``, of which there is only one at a time."""
_ALIKE = 36
"""The most elements without attributes that it repeats: three of each name."""

_ROOT = Path(__file__).absolute().parents[3]
_SCRIPT = (
    "import sys; sys.path.insert(0, {!r}); "
    "from counterpoint.crawler.documents.serving import serve; serve()"
)
_GONE = object()
TOO_LONG = "takes too long to be read"
TOO_MUCH = "takes too much memory to be read"
POSSIBLE = hasattr(signal, "setitimer")
"""Whether a process can limit its time; on Windows, all documents are read in this process."""


def wanted(document: str) -> bool:
    """Return whether a document must be read in the separate process."""
    if not POSSIBLE:
        return False
    tags = document.count("<")
    if len(document) > LARGE or tags > MANY:
        return True
    if tags * tags <= REPEATED:
        return False
    ends = _FORMATTING.findall(document)
    alike = ends.count(">")
    # A parser that repeats formatting elements repeats all of them, in each tag at the most.
    return tags * (len(ends) - alike + min(alike, _ALIKE)) > REPEATED


class ReadingProcess:
    """A process that reads documents within a time limit.

    Parameters
    ----------
    seconds : float
        The limit of processor time for each call.
    """

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def call(self, name: str, *arguments: Any) -> Any:
        """Return the result of a function of `serving`; a str if it takes too long or too much.

        Parameters
        ----------
        name : str
            ``links``, ``blocks``, ``embedded`` or ``sitemap``.
        *arguments
            Those of the function; the first one is the document.
        """
        with self._lock:
            found = self._answer((name, arguments))
            if found is _GONE:
                found = self._answer((name, arguments))  # the process was killed from outside
        if isinstance(found, BaseException):
            raise found
        return TOO_LONG if found is _GONE else found

    def _answer(self, call: tuple[str, tuple[Any, ...]]) -> Any:
        """Return the process's answer; `TOO_LONG`, or `_GONE` if it was killed."""
        process = self._running()
        assert process.stdin is not None and process.stdout is not None
        try:
            pickle.dump((self.seconds, *call), process.stdin)
            process.stdin.flush()
            return _received(process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            process.wait()
            self._close()
            return TOO_LONG if process.returncode == -signal.SIGPROF else _GONE
        except BaseException:
            self._close()  # else the next call would get this call's answer
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

    def kill(self) -> None:
        """End the process without waiting for it, even if another thread uses it."""
        process = self._process
        if process is not None:
            process.kill()

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


def _received(stream: IO[bytes]) -> Any:
    """Return an answer of the process, which comes in parts (`serving`)."""
    found, references = pickle.load(stream), list[Any]()
    while part := pickle.load(stream):
        references += part
    return found._replace(references=tuple(references)) if references else found


READER = ReadingProcess()
"""The process that reads the documents of this process; started when it is first needed."""
atexit.register(READER.close)
