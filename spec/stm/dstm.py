"""DSTM: Herlihy, Luchangco, Moir and Scherer, PODC 2003 (pp. 92-101).

An object's locator names the transaction that last opened it for writing, and contains the version
before and the new one; that transaction's status decides which of them counts. So one
compare-and-swap of the status commits all writes at once. Reads are invisible: a transaction keeps
a table of the versions it has read, and checks the whole table whenever it opens an object, and
before it changes its status.

Lesani and Palsberg (Proving Non-opacity, DISC 2013) found it not opaque: between that last check
and the change of the status another transaction can do the same. Two transactions that each write
what the other has read then both commit (write skew).

There are two corrections. With ``validation=owners-at-commit``, the last check, which is made when
all objects to be written are owned, aborts the owners of objects that were read. Then committed
transactions are serializable; but with three transactions the protocol is not opaque. After the
last check of T0 another transaction may overwrite what T0 has read, and a reader T1 sees that and,
in another object, the version that T0 is about to replace. With ``validation=owners`` every check
aborts owners, so the reader T1 would have aborted T0.

Opening an object for reading takes two steps: finding the version, and checking the table. The last
check takes one step for each object. A transaction that another aborts ends at once, although it
learns of that only at its next operation: until then it gets no answer.
"""

from __future__ import annotations

from counterpoint.spec.notation import (
    Array,
    Boolean,
    Choice,
    Claim,
    Reference,
    Value,
    action,
    every,
    invariant,
    ite,
    no,
    require,
    some,
    sometimes,
)

from .memory import Status, TransactionalMemory
from .stepped import Owner, SteppedReads


class DSTM(SteppedReads):
    """DSTM: as published it allows write skew; ``validation=owners`` is the corrected one."""

    name = "dstm"

    published_claim = Claim("validation", broken="versions", clean="owners", criterion="opacity")

    validation = Choice(
        "versions", "owners-at-commit", "owners",
        help="a check of what was read: of its version; also, before a commit or always, abort "
             "its " "current owner",
    )  # fmt: skip
    read_conflict = Choice(
        "abort-owner", "old-version",
        help="an object to be read that a running transaction owns: abort it, or read around it",
    )  # fmt: skip
    write_conflict = Choice(
        "abort-owner", "abort-self",
        help="an object to be written that a running transaction owns: abort it, or oneself",
    )  # fmt: skip

    owner = Array(TransactionalMemory.objects, Reference(TransactionalMemory.transactions, Owner))
    checked = Array((TransactionalMemory.transactions, TransactionalMemory.objects), Boolean())

    # The transaction's operations

    @action
    def begin(s, t: int) -> None:
        """Become active."""
        s.record_begin(t)

    @action
    def read(s, t: int, x: int) -> None:
        """Open for reading: find the last committed version, and note it in the table."""
        require(s.may_operate("r", t, x))
        if s.returns_own_copy(t, x):
            return
        if s.read_conflict == "abort-owner":
            s.abort_owners(t, x, looks=False)
        s.load_present(t, x)

    @action
    def look_again(s, t: int, x: int) -> None:
        """Check the whole table: return the version if all entries are current; else abort."""
        require(s.has_loaded(t, x))
        if s.validation == "owners":
            s.abort_owners(t, x, looks=True)
        if every(s.loaded[t] == s.writer[x], s.table_is_valid(t)):
            s.answer(t, x)
        else:
            s.abort(t)

    @action
    def write(s, t: int, x: int) -> None:
        """Open for writing: own the object, and check the table; if an entry is old: abort."""
        require(s.may_operate("w", t, x))
        if s.write_conflict == "abort-self" and s.owned_by_other(t, x):
            s.abort(t)
            return
        s.abort_owners(t, x, looks=s.validation == "owners")
        if no(s.table_is_valid(t)):
            s.abort(t)
            return
        s.owner[x] = t
        s.record_write(t, x)

    # The commit operation

    @action
    def validate(s, t: int, x: int) -> None:
        """Check what was read, in a fixed order; if it is old: abort."""
        asks = s.may_commit(t)
        require(some(asks, s.status[t] == Status.COMMITTING), s.must_check(t, x))
        require(no(s.must_check(t, y) for y in s.objects if y < x))
        if asks:
            s.record_commit_call(t)
        if s.validation != "versions":
            s.abort_owners(t, x, looks=False)
        if s.is_valid(t, x):
            s.checked[t, x] = True
        else:
            s.abort(t)

    @action
    def commit(s, t: int) -> None:
        """Change the status from active to committed: all new versions become current."""
        require(some(s.may_commit(t), s.status[t] == Status.COMMITTING))
        require(no(s.must_check(t, x) for x in s.objects))
        for x in s.objects:
            s.writer[x] = ite(s.owner[x] == t, t, s.writer[x])
        s.record_commit(t)
        s.forget(t)

    # Locators and the table

    def owned_by_other(s, t: int, x: int) -> Value:
        """Return whether another transaction, still running, has opened x for writing."""
        return every(s.owner[x] != Owner.NOBODY, s.owner[x] != t)

    def abort_owners(s, t: int, opened: int, *, looks: bool) -> None:
        """Abort other owners of the opened object and, if ``looks``, of the objects t has read."""
        guilty = {
            u: some(
                every(s.owner[x] == u, some(x == opened, every(looks, s.has_read(t, x))))
                for x in s.objects
            )
            for u in s.transactions
            if u != t
        }
        for u, is_guilty in guilty.items():
            if is_guilty:
                s.abort(u)

    def is_valid(s, t: int, x: int) -> Value:
        """Return whether what t read of x is the last committed version."""
        return s.source[t, x] == s.writer[x]

    def table_is_valid(s, t: int) -> Value:
        """Return whether all versions that t has read are the last committed ones."""
        return every(some(no(s.has_read(t, x)), s.is_valid(t, x)) for x in s.objects)

    def must_check(s, t: int, x: int) -> Value:
        """Return whether t's last check has still to check x."""
        return every(s.has_read(t, x), no(s.checked[t, x]))

    def abort(s, t: int) -> None:
        """Change the status from active to aborted: none of its new versions counts."""
        s.record_abort(t)
        s.forget(t)

    def forget(s, t: int) -> None:
        """Leave the locators, and clear data that t no longer needs."""
        s.drop_read(t)
        for x in s.objects:
            s.checked[t, x] = False
            s.owner[x] = ite(s.owner[x] == t, Owner.NOBODY, s.owner[x])

    # What must hold in addition to the criteria

    @invariant
    def owners_are_running_writers(s) -> Value:
        """The owner of an object is running and writes it; a running writer owns its objects."""
        return every(
            (s.owner[x] == t) == every(s.wrote[t, x], no(s.ended(t)))
            for t in s.transactions
            for x in s.objects
        )

    @sometimes(when=lambda s: s.may_overlap)
    def what_was_read_is_owned(s) -> Value:
        """Another transaction can open for writing what a live one has read."""
        return some(
            every(s.status[t] == Status.LIVE, s.has_read(t, x), s.owned_by_other(t, x))
            for t in s.transactions
            for x in s.objects
        )
