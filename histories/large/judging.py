"""Judges recordings by the kernel where it can, and else in Python.

The kernel says what holds and what is violated by a cycle. Where something is wrong in the file,
where a read is wrong by itself, and where open orders of versions need a solver, it hands over to
Python, which reads the whole file. So the answers and the messages are those of Python.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from typing import IO

from counterpoint.histories.checking import check, results_of
from counterpoint.histories.deciding.edges import Edge
from counterpoint.histories.deciding.judging import Judgement
from counterpoint.histories.history import History
from counterpoint.histories.ladder import Criterion
from counterpoint.histories.reading.files import form_of, read_history
from counterpoint.histories.report import Report, Result
from counterpoint.histories.sources import Sources
from counterpoint.models.explore.compiled.compiler import NoCompiler
from counterpoint.models.limits import Limits

from .excerpt import Excerpt
from .recording import HandedOver, Recording

CHOICES = ("auto", "c", "python")

LEAST = 1 << 19
"""Below this size, in bytes, Python takes about as long as loading the kernel."""


def check_file(
    file: IO[bytes],
    form: str = "auto",
    criteria: Sequence[str] = (),
    *,
    sessions: bool = False,
    limits: Limits | None = None,
    kernel: str = "auto",
) -> Report:
    """Judge the history in a file.

    Parameters
    ----------
    file : binary file
        At its beginning.
    form : str
        The format, as for `read_history`.
    criteria, sessions, limits
        As for `check`.
    kernel : str
        ``c`` or ``python``; ``auto`` takes C for files of at least `LEAST` bytes.

    Raises
    ------
    HistoryError
        If the file is wrong.
    NoCompiler
        If ``c`` is asked for, and cannot be compiled.
    """
    if kernel != "python" and _is_seekable(file) and (kernel == "c" or _size(file) >= LEAST):
        try:
            return by_kernel(file, form, criteria, sessions)
        except HandedOver:
            pass
        except NoCompiler:
            if kernel == "c":
                raise
        file.seek(0)
    return check(read_history(file, form), criteria, sessions=sessions, limits=limits)


def _is_seekable(file: IO[bytes]) -> bool:
    """Return whether a file is a regular one that stands at its beginning."""
    try:
        return stat.S_ISREG(os.fstat(file.fileno()).st_mode) and file.tell() == 0
    except (OSError, AttributeError):
        return False


def _size(file: IO[bytes]) -> int:
    return os.fstat(file.fileno()).st_size


def by_kernel(file: IO[bytes], form: str, criteria: Sequence[str], sessions: bool) -> Report:
    """Judge the history in a file by the kernel.

    Raises
    ------
    HandedOver
        If there is something that the kernel does not know.
    HistoryError
        If the file has none of the formats.
    NoCompiler
        If the kernel cannot be compiled.
    """
    form = form_of(file) if form == "auto" else form
    file.seek(0)
    with Recording(file, form) as recording:
        recording.read()
        cycles: dict[str, list[Edge]] = {}

        def judge(criterion: Criterion) -> Judgement:
            fits = recording.fits(criterion.name, sessions)
            if not fits:
                cycles[criterion.name] = recording.cycle()
            return Judgement(fits)

        results = results_of(judge, criteria)
        if not cycles:
            return Report(Sources(History([], counts=recording.counts())), results)
        excerpt = Excerpt(recording, file, cycles.values())
        explained = [_explained(one, excerpt, cycles) for one in results]
        return Report(excerpt.sources, explained)


def _explained(result: Result, excerpt: Excerpt, cycles: dict[str, list[Edge]]) -> Result:
    name = result.criterion.name
    if name not in cycles:
        return result
    return Result(result.criterion, Judgement(False, excerpt.cycle(cycles[name])))
