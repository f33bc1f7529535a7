"""A proof that the window protocol is livelock-free in runs of any length: a rank.

While nobody commits, each step makes something smaller that is never below zero:

- Once an update has drawn its commit time it waits for nobody. What others do in the meantime does
  not matter: what is left to publish becomes less, and then it commits.
- Until then the clock stands still, and no copy is overwritten. A transaction that begins sees all
  versions, and is never aborted. One that began before the last draw may be aborted, but only once.

The lemmas on the order of locks say that somebody can always take a step.
"""

from __future__ import annotations

from counterpoint.spec.notation import (
    Value,
    around_actions,
    count,
    decreases,
    every,
    infinitely_often,
    ite,
    no,
    some,
)

from .memory import Status
from .window_proof import EndlessWindow


class FairWindow(EndlessWindow):
    """The window protocol, for ever; each action is weakly fair for each transaction."""

    name = "fair-window"
    endless = True

    def __init_subclass__(cls) -> None:
        """Promise that processes go on."""
        around_actions(cls, FairWindow.go_on, fair="weak", fair_for=("t",))
        super().__init_subclass__()

    def go_on(s, t: int, *objects: int) -> None:
        """Do nothing before an action."""


class LivelockFreeWindow(FairWindow):
    """Some transaction commits, again and again, in all runs of any length."""

    name = "livelock-free-window"

    @infinitely_often
    def some_transaction_commits(s) -> Value:
        """Some transaction commits, again and again."""
        return some(s.status[t] == Status.COMMITTED for t in s.transactions)

    @decreases(of=some_transaction_commits)
    def what_is_left(s) -> tuple[Value, Value]:
        """First who has drawn no time, then what is left until one is drawn, or published."""
        undrawn = count(no(s.drawn(t)) for t in s.transactions)
        to_publish = count(s.to_publish(t, x) for t in s.transactions for x in s.objects)
        work = sum(s.work(t) for t in s.transactions)
        return undrawn, ite(undrawn < len(s.transactions), to_publish, work)

    @property
    def most_work(s) -> int:
        """The most steps of a transaction after its begin: reads, writes, locks, validation."""
        return 3 * len(s.objects) + 1

    def work(s, t: int) -> Value:
        """Return the most steps that t takes until it commits, if nobody else draws a time."""
        left = 1 - ite(s.validated(t), 1, 0)
        for x in s.objects:
            reads = every(no(s.wrote[t, x]), no(s.has_read(t, x)))
            left += ite(reads, 1, 0) + ite(s.wrote[t, x], 0, 1) + ite(s.holds[t, x], 0, 1)
        anew = ite(s.may_abort(t), s.most_work + 2, 0)
        return ite(s.running(t), left + anew, s.most_work + 1)

    def may_abort(s, t: int) -> Value:
        """Return whether something was drawn or overwritten since t looked at the clock."""
        behind = s.bottom[t] < s.clock
        return every(s.running(t), some(behind, *(s.overwritten[t, x] for x in s.objects)))
