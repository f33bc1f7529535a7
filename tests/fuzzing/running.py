"""Reads many inputs; Hypothesis chooses them, and makes those that are findings smaller."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings, target

from .reader import Reader, TooSlowError, read

ROUND = 1000
"""Inputs of one run of Hypothesis; after a finding the next run begins."""


@dataclass
class Found:
    """What reading has shown.

    Attributes
    ----------
    inputs : int
    seen : Counter
        How many inputs were ``read`` and ``refused``; those of shrinking are counted, too.
    share : float
        The most bytes of memory for a byte of an input, beyond those that any input may take.
    wrong : list of (int, bytes, str)
        Findings: the seed of the run, the smallest input, and the error.
    """

    inputs: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    share: float = 0.0
    wrong: list[tuple[int, bytes, str]] = field(default_factory=list)


def fuzzed(
    reader: Reader, inputs: int, start: int, tell: Callable[[Found], None] | None = None,
    seek_memory: bool = False,
) -> Found:  # fmt: skip
    """Read inputs in runs of `ROUND`; the first run has the seed ``start``, the next one more.

    Parameters
    ----------
    reader : Reader
    inputs : int
        How many, apart from those with which a finding is made smaller.
    start : int
        The seed.
    tell : callable, optional
        Called after each run.
    seek_memory : bool
        Whether Hypothesis seeks inputs that take much memory for their size. The inputs then depend
        on measurements, so another run with the seed may read others.
    """
    found = Found()
    reader.read_example()
    while found.inputs < inputs:
        number = start + found.inputs // ROUND
        count = min(ROUND, inputs - found.inputs)
        _run(reader, count, number, found, seek_memory)
        found.inputs += count
        if tell is not None:
            tell(found)
    return found


def _run(reader: Reader, count: int, number: int, found: Found, seek_memory: bool) -> None:
    last = [b""]

    @seed(number)
    @settings(max_examples=count, database=None, deadline=None, verbosity=Verbosity.quiet,
              report_multiple_bugs=False, suppress_health_check=list(HealthCheck),
              phases=(Phase.generate, Phase.target, Phase.shrink))  # fmt: skip
    @given(reader.inputs)
    def reads(data: bytes) -> None:
        last[0] = data
        reading = read(reader, data)
        if seek_memory:
            target(reading.memory / (1000 + len(data)), label="bytes of memory for a byte")
        found.seen["refused" if reading.refused else "read"] += 1
        beyond = (reading.memory - reader.smallest) / max(len(data), 1)
        found.share = max(found.share, beyond)

    try:
        reads()
    except (Exception, TooSlowError) as error:  # each is a finding; the last input is the smallest
        found.wrong.append((number, last[0], f"{type(error).__name__}: {str(error)[:300]}"))
