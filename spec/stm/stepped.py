"""Reads in several steps: a value is loaded first, and returned or discarded later."""

from __future__ import annotations

from enum import IntEnum

from counterpoint.spec.notation import Array, Reference, Value, every

from .memory import Source, TransactionalMemory


class Target(IntEnum):
    """The target of a transaction's read, if there is none."""

    NOTHING = -1


class Owner(IntEnum):
    """The owner of a lock, if no transaction owns it."""

    NOBODY = -1


class SteppedReads(TransactionalMemory):
    """A memory in which other transactions may step between a read's load and its answer.

    A read is recorded when it answers: a value that is loaded and discarded is never seen.
    """

    target = Array(TransactionalMemory.transactions, Reference(TransactionalMemory.objects, Target))
    loaded = Array(
        TransactionalMemory.transactions, Reference(TransactionalMemory.transactions, Source)
    )

    def may_operate(s, kind: str, t: Value, x: Value) -> Value:
        """Return whether t may read or write x as its next operation: not while it is reading."""
        return every(super().may_operate(kind, t, x), s.target[t] == Target.NOTHING)

    def may_commit(s, t: Value) -> Value:
        """Return whether t is at the end of its operations, the last read answered."""
        return every(super().may_commit(t), s.target[t] == Target.NOTHING)

    def has_loaded(s, t: Value, x: Value) -> Value:
        """Return whether t has loaded x and has not answered yet."""
        return every(s.target[t] == x, s.loaded[t] != Source.NOT_READ)

    def load_present(s, t: Value, x: Value) -> None:
        """Let t load the current version of x, to check it later."""
        s.target[t] = x
        s.loaded[t] = s.writer[x]

    def answer(s, t: Value, x: Value) -> None:
        """Let t's read of x return the loaded value."""
        s.record_read_of(t, x, s.loaded[t])
        s.drop_read(t)

    def drop_read(s, t: Value) -> None:
        """End t's read without an answer."""
        s.target[t] = Target.NOTHING
        s.loaded[t] = Source.NOT_READ
