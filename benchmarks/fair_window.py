"""The window protocol in which a commit that has begun goes on: for `liveness_against_spin.py`."""

from __future__ import annotations

from counterpoint.spec.notation import Value, action, leads_to
from counterpoint.spec.stm.memory import Status
from counterpoint.spec.stm.window import Window


class FairWindow(Window):
    """The window protocol with weakly fair steps of the commit, for each transaction."""

    name = "fair-window"

    @action(fair="weak", fair_for=("t",))
    def lock(s, t: int, x: int) -> None:
        """Lock what was read or written."""
        Window.lock(s, t, x)

    @action(fair="weak")
    def validate(s, t: int) -> None:
        """Validate, or abort."""
        Window.validate(s, t)

    @action(fair="weak")
    def fetch_and_increment(s, t: int) -> None:
        """Take a number from the clock."""
        Window.fetch_and_increment(s, t)

    @action(fair="weak", fair_for=("t",))
    def publish(s, t: int, x: int) -> None:
        """Publish."""
        Window.publish(s, t, x)

    @action(fair="weak")
    def unlock_all(s, t: int) -> None:
        """Unlock everything."""
        Window.unlock_all(s, t)

    @leads_to
    def a_commit_ends(s) -> tuple[Value, Value]:
        """The first transaction commits or aborts, once it has asked to commit."""
        return s.status[0] == Status.COMMITTING, s.status[0] >= Status.COMMITTED

    @leads_to
    def a_commit_succeeds(s) -> tuple[Value, Value]:
        """The first transaction commits, once it has asked to commit."""
        return s.status[0] == Status.COMMITTING, s.status[0] == Status.COMMITTED
