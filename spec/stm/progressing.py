"""The six memories with transactions that run again: the clocks and versions of each.

See `progress`. A number of a transaction matters only while it runs, and the date of a version only
while it is later than the moment that some running transaction sees.
"""

from __future__ import annotations

from counterpoint.spec.notation import (
    Array,
    Choice,
    Claim,
    Integer,
    Value,
    every,
    ite,
    maximum,
    some,
)

from .dstm import DSTM
from .jvstm import JVSTM
from .jvstm import Stage as JVSTMStage
from .mcrt import McRT
from .memory import Status, TransactionalMemory
from .moving import moved
from .norec import NOrec
from .progress import Progress, SteppedProgress, Version
from .tl2 import TL2
from .tl2 import Stage as TL2Stage
from .window import Stage as WindowStage
from .window import Window

Memory = TransactionalMemory


def runs(s: TransactionalMemory, t: Value) -> Value:
    """Return whether t has begun and not ended."""
    return some(s.status[t] == Status.LIVE, s.status[t] == Status.COMMITTING)


class WindowProgress(Progress, Window):
    """The window protocol, again and again."""

    name = "window-progress"
    criteria = ("progressiveness", "strong-progressiveness")
    published_claim = Claim(
        "fetch-and-increment", broken="old", clean="new", criterion="opacity",
        beside=("livelock-freedom", "obstruction-freedom", "lock-freedom", "local-progress"),
    )  # fmt: skip

    clock = Integer(0, lambda s: s.latest)
    date = Array(
        Memory.objects,
        Integer(lambda s: s.origin, lambda s: s.latest),
        initially=lambda s, x: s.origin,
    )
    bottom = Array(
        Memory.transactions,
        Integer(lambda s: s.origin, lambda s: s.latest),
        initially=lambda s, t: s.origin,
    )
    commit_time = Array(Memory.transactions, Integer(0, lambda s: s.latest))
    end = Array((Memory.transactions, Memory.objects), Integer(-1, lambda s: s.latest))

    @property
    def latest(s) -> int:
        """The greatest number: those of all others, moved together, and a draw for each."""
        size = len(s.transactions)
        if not s.goes_on:
            return size
        numbers = 1 + len(s.objects) + (size - 1) * (2 + len(s.objects))
        return s.neighbours * numbers + size

    @property
    def neighbours(s) -> int:
        """The difference from which on the protocol sees none: picked times lie between others."""
        return 2 if s.finite_window == "abort" else len(s.transactions) + 1

    def rebase(s) -> None:
        """Move all numbers together; the first versions are as early as any."""
        low = -1 if s.origin < 0 or s.version_end == "ct-1" else 0
        ts, xs = s.transactions, s.objects
        ends = [(t, x) for t in ts for x in xs]
        publishes = [s.stage[t] == WindowStage.PUBLISHING for t in ts]
        numbers: list[tuple[Value, Value]] = [
            (s.clock, True),
            *((s.date[x], some(every(runs(s, t), s.bottom[t] < s.date[x]) for t in ts))
              for x in xs),
            *((s.bottom[t], runs(s, t)) for t in ts),
            *((s.commit_time[t], publishes[t]) for t in ts),
            *((s.end[t, x], s.overwritten[t, x]) for t, x in ends),
        ]  # fmt: skip
        clock, *others = moved(numbers, low, s.latest, s.neighbours)
        s.clock = maximum(clock, 0)
        for x in xs:
            s.date[x] = maximum(others[x], s.origin)
        others = others[len(xs) :]
        for t in ts:
            s.bottom[t] = ite(runs(s, t), others[t], s.origin)
            s.commit_time[t] = maximum(others[len(ts) + t], 0)
        others = others[2 * len(ts) :]
        for place, (t, x) in enumerate(ends):
            s.end[t, x] = ite(s.overwritten[t, x], others[place], 0)


class TL2Progress(SteppedProgress, TL2):
    """TL2, again and again."""

    name = "tl2-progress"

    clock = Integer(0, lambda s: s.latest)
    version = Array(Memory.objects, Integer(0, lambda s: s.latest))
    read_version = Array(Memory.transactions, Integer(0, lambda s: s.latest))
    write_version = Array(Memory.transactions, Integer(0, lambda s: s.latest))
    sampled = Array(Memory.transactions, Integer(0, lambda s: s.latest))

    @property
    def latest(s) -> int:
        """The greatest number: those of all others, moved together, and a draw for each."""
        size = len(s.transactions)
        return 2 * (len(s.objects) + 3 * (size - 1)) + size if s.goes_on else size

    def rebase(s) -> None:
        """Move all numbers together; a version that all can see is as early as any."""
        ts, xs = s.transactions, s.objects
        reads = [s.target[t] >= 0 for t in ts]
        drawn = [s.stage[t] >= TL2Stage.CLOCK_READ for t in ts]
        numbers: list[tuple[Value, Value]] = [
            (s.clock, True),
            *((s.version[x], some(s.sees_no(t, x) for t in ts)) for x in xs),
            *((s.read_version[t], runs(s, t)) for t in ts),
            *((s.write_version[t], drawn[t]) for t in ts),
            *((s.sampled[t], reads[t]) for t in ts),
        ]
        s.clock, *others = moved(numbers, 0, s.latest)
        for x in xs:
            s.version[x] = others[x]
        for t in ts:
            of = others[len(xs) + t :: len(ts)]
            s.read_version[t], s.write_version[t], s.sampled[t] = of

    def sees_no(s, t: int, x: int) -> Value:
        """Return whether t is reading x, or may not see its version."""
        return every(runs(s, t), some(s.target[t] == x, s.read_version[t] < s.version[x]))


class NOrecProgress(SteppedProgress, NOrec):
    """NOrec, again and again."""

    name = "norec-progress"
    compares_versions = True

    clock = Integer(0, lambda s: 2 * len(s.transactions) + 3)
    snapshot = Array(Memory.transactions, Integer(0, lambda s: 2 * len(s.transactions) + 3))
    compared_at = Array(Memory.transactions, Integer(0, lambda s: 2 * len(s.transactions) + 3))

    def rebase(s) -> None:
        """Let the clock be 2 or 3; a snapshot that is not the clock never is again."""
        clock = 2 + s.clock % 2
        for t in s.transactions:
            s.snapshot[t] = ite(every(runs(s, t), s.snapshot[t] == s.clock), clock, 0)
            compares = every(s.comparing[t], s.compared_at[t] == s.clock)
            s.compared_at[t] = ite(compares, clock, 0)
        s.clock = clock


class JVSTMProgress(Progress, JVSTM):
    """JVSTM, again and again."""

    name = "jvstm-progress"
    compares_versions = True

    most_recent = Integer(0, lambda s: s.latest)
    number = Array(Memory.transactions, Integer(0, lambda s: s.latest))
    start = Array(Memory.transactions, Integer(0, lambda s: s.latest))
    outdated = Array(
        (Memory.transactions, Memory.objects), Integer(0, lambda s: 1 if s.goes_on else 0)
    )
    """Whether a transaction sees an older version of an object than the first."""

    @property
    def latest(s) -> int:
        """The greatest number: those of all others, moved together, and a draw for each."""
        size = len(s.transactions)
        return 4 * (size - 1) + size if s.goes_on else size

    def visible(s, t: int, x: int) -> Value:
        """Return the version that t sees; one before the first is old."""
        found = super().visible(t, x)
        return ite(s.outdated[t, x] == 1, Version.OLD, found) if s.goes_on else found

    def make_first(s, t: Value, x: int) -> None:
        """Let the version be the first; a transaction that began before does not see it."""
        current = s.writer[x] == t
        for u in s.transactions:
            late = every(current, runs(s, u), s.start[u] < s.number[t])
            s.outdated[u, x] = ite(late, 1, s.outdated[u, x])
        s.outdated[t, x] = 0
        s.kept[t, x] = False
        super().make_first(t, x)

    def rebase(s) -> None:
        """Move all numbers together."""
        ts = s.transactions
        drawn = [s.stage[t] == JVSTMStage.VALIDATED for t in ts]
        numbers: list[tuple[Value, Value]] = [
            (s.most_recent, True),
            *((s.number[t], drawn[t]) for t in ts),
            *((s.start[t], runs(s, t)) for t in ts),
        ]
        s.most_recent, *others = moved(numbers, 0, s.latest)
        for t in ts:
            s.number[t], s.start[t] = others[t], others[len(ts) + t]


class DSTMProgress(SteppedProgress, DSTM):
    """DSTM, again and again; it has no clock."""

    name = "dstm-progress"
    compares_versions = True

    validation = Choice(
        "owners", "owners-at-commit", "versions", help="see dstm; the last one is as published"
    )


class McRTProgress(SteppedProgress, McRT):
    """McRT, again and again."""

    name = "mcrt-progress"

    read_check = Choice(
        "all-records", "record", "nothing", help="see mcrt; the last one is as published"
    )

    version = Array(Memory.objects, Integer(0, lambda s: len(s.transactions) + s.goes_on))
    noted = Array(
        (Memory.transactions, Memory.objects),
        Integer(0, lambda s: len(s.transactions) + s.goes_on),
    )

    def make_first(s, t: Value, x: int) -> None:
        """Let the version be the first, also where another is to restore it."""
        if s.goes_on:
            for u in s.transactions:
                s.undo[u, x] = ite(s.undo[u, x] == t, Version.FIRST, s.undo[u, x])
        super().make_first(t, x)

    def rebase(s) -> None:
        """Let each version be 1; a version that was noted and is not the present one is 0."""
        for x in s.objects:
            for t in s.transactions:
                s.noted[t, x] = ite(s.noted[t, x] == s.version[x], 1, 0)
            s.version[x] = 1
