"""A proof that the corrected window protocol refines TMS2 in runs of any length: its lemmas.

They say what `recorded_window` does not need: the place of an update in the order is the number of
its commit, and no window reaches back behind the begin of its transaction.
"""

from __future__ import annotations

from counterpoint.spec.notation import (
    Value,
    count,
    every,
    implies,
    ite,
    lemma,
    refines,
)

from .memory import Status
from .recorded_window import RecordedWindow
from .tms2 import TMS2, RefiningWindow


class RefiningRecordedWindow(RefiningWindow, RecordedWindow):
    """The window protocol with its recorded history, from whose lemmas the refinement follows."""

    name = "recorded-window-tms2"

    @refines(TMS2, operations=lambda s: 2 * len(s.objects))
    def is_tms2(s, abstract: TMS2) -> None:
        """Each step is one of TMS2's, whose transactions may read and write all objects."""
        super().is_tms2(abstract)

    @lemma
    def updates_take_effect_at_their_place(s) -> Value:
        """The number of a commit is its time; the clock is the number of the last one."""
        return every(
            s.effects() == s.clock,
            every(s.effect[t] == ite(s.update(t), s.placed(t), 0) for t in s.transactions),
        )

    @lemma
    def the_clock_counts_updates(s) -> Value:
        """The clock is the number of updates that have taken effect."""
        return s.clock == count(s.update(t) for t in s.transactions)

    @lemma
    def only_updates_ask(s) -> Value:
        """A transaction that is committing has written something."""
        return every(
            implies(s.status[t] == Status.COMMITTING, s.writes_something(t)) for t in s.transactions
        )

    @lemma
    def windows_begin_later(s) -> Value:
        """No window reaches back behind the begin of its transaction."""
        return every(
            every(s.since[t] <= s.clock, implies(s.undrawn(t), s.since[t] <= s.bottom[t]))
            for t in s.transactions
        )
