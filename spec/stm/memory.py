"""The base of transactional memories: transactions, objects, a recorded history, criteria.

A protocol is a subclass that defines when a transaction may begin, read, write and commit. It calls
the ``record_`` methods, which record what `history.History` needs. No step of a protocol depends on
the record, except that a transaction knows what it has read and written.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from functools import cached_property
from typing import Any, Self

from counterpoint.spec.notation import (
    Array,
    Boolean,
    Explanation,
    Index,
    Integer,
    Member,
    Number,
    Reference,
    Spec,
    SpecError,
    Value,
    count,
    every,
    finished,
    invariant,
    ite,
    no,
    require,
    some,
    sometimes,
)

from . import history
from .explanation import explain
from .history import History
from .programs import Programs, parse


class Status(IntEnum):
    """The progress of a transaction."""

    NOT_BEGUN = 0
    LIVE = 1
    COMMITTING = 2
    COMMITTED = 3
    ABORTED = 4


class Source(IntEnum):
    """The source of a read, if it is not another transaction."""

    NOT_READ = -2
    FIRST = -1


class Earlier(IntEnum):
    """The progress of another transaction when a transaction began."""

    NO = 0
    EFFECTIVE = 1
    ENDED = 2


class Writer(IntEnum):
    """The writer of an object's current version, if it is not a transaction."""

    FIRST = -1


class TransactionalMemory(Spec):
    """Transactions over shared objects, with the history that the criteria judge."""

    lane = "transactions"
    criteria = tuple(history.CRITERIA)

    transactions = Index(2, names="t", labels="T", at_most=6, help="how many transactions run")
    objects = Index(
        2, names="x", labels="x y z a b c", at_most=6, help="how many objects they share"
    )
    operations = Number(
        2, at_least=1, at_most=6, help="the most reads and writes of a transaction, chosen freely"
    )
    programs = Programs(
        "", help='given operations instead, as "r x, w y; w x": one program for each transaction'
    )
    processes = Number(
        0, at_most=6, help="processes that run the transactions in turn; 0: each has its own"
    )

    status = Array(transactions, Member(Status))
    source = Array((transactions, objects), Reference(transactions, Source))
    wrote = Array((transactions, objects), Boolean())
    before = Array((transactions, transactions), Member(Earlier))
    before_commit = Array((transactions, transactions), Boolean())
    writer = Array(objects, Reference(transactions, Writer))
    position = Array(transactions, Integer(0, lambda s: s.longest_program))

    # Programs

    def derive(self, given: dict[str, Any]) -> dict[str, Any]:
        """Derive the numbers of transactions and objects from the programs, if given."""
        if not given.get("programs"):
            return {}
        sizes = {"transactions": len(self.plans), "objects": len(self.object_names)}
        for name, size in sizes.items():
            if given.get(name, size) != size:
                raise SpecError(f"the programs have {size} {name}, not {given[name]}")
            self.declared_parameters[name].parse(size)
        return sizes

    @cached_property
    def object_names(self) -> list[str]:
        """The objects that the programs use, in order of their names."""
        return sorted({name for plan in self.plans for _, name in plan})

    @cached_property
    def plans(self) -> tuple[tuple[tuple[str, str], ...], ...]:
        """The programs; empty if operations are chosen freely."""
        return parse(self.parameters["programs"]) if self.parameters["programs"] else ()

    @cached_property
    def longest_program(self) -> int:
        """The number of operations of the longest program."""
        return max(map(len, self.plans), default=0)

    def label(self, index: str, member: int) -> str | None:
        """Name the objects as the programs do."""
        return self.object_names[member] if index == "objects" and self.plans else None

    def may_operate(s, kind: str, t: Value, x: Value) -> Value:
        """Return whether t may read (``"r"``) or write (``"w"``) x as its next operation."""
        if s.plans:
            wanted = (kind, s.object_names[x])
            places = [i for i, operation in enumerate(s.plans[t]) if operation == wanted]
            return every(s.status[t] == Status.LIVE, some(s.position[t] == i for i in places))
        fresh = no(s.wrote[t, x]) if kind == "w" else no(s.wrote[t, x], s.has_read(t, x))
        done = count(s.has_read(t, y) for y in s.objects) + count(s.wrote[t, y] for y in s.objects)
        return every(s.status[t] == Status.LIVE, fresh, done < s.operations)

    def may_commit(s, t: Value) -> Value:
        """Return whether t is at the end of its program, or has chosen at least one operation."""
        if s.plans:
            return every(s.status[t] == Status.LIVE, s.position[t] == len(s.plans[t]))
        return every(
            s.status[t] == Status.LIVE,
            some(some(s.has_read(t, x), s.wrote[t, x]) for x in s.objects),
        )

    def advance(s, t: Value) -> None:
        """Go to t's next operation."""
        if s.plans:
            s.position[t] = s.position[t] + 1

    def returns_own_copy(s, t: Value, x: Value) -> bool:
        """Let a program's read return t's own copy, if t has read or written the object before."""
        if s.plans and some(s.has_read(t, x), s.wrote[t, x]):
            s.advance(t)
            return True
        return False

    @property
    def may_overlap(s) -> bool:
        """Whether at least two processes choose their operations freely."""
        return not s.plans and len(s.transactions) > 1 and s.processes != 1

    # What a transaction knows

    def has_read(s, t: Value, x: Value) -> Value:
        """Return whether t has a copy of x that it has read."""
        return s.source[t, x] != Source.NOT_READ

    def writes_something(s, t: Value) -> Value:
        """Return whether t has written an object."""
        return some(s.wrote[t, x] for x in s.objects)

    def alone(s, t: Value) -> Value:
        """Return whether no other transaction has run while t did."""
        return every(
            some(u == t, s.status[u] == Status.NOT_BEGUN, s.precedes(u, t), s.precedes(t, u))
            for u in s.transactions
        )

    def precedes(s, t: Value, u: Value) -> Value:
        """Return whether t had ended when u began."""
        return s.before[t, u] == Earlier.ENDED

    def ended(s, t: Value) -> Value:
        """Return whether t has committed or aborted."""
        return s.status[t] >= Status.COMMITTED

    def idle(s, t: Value) -> Value:
        """Return whether t is outside its commit operation."""
        return s.status[t] != Status.COMMITTING

    def has_been_read(s, t: Value) -> Value:
        """Return whether another transaction has read what t wrote."""
        return some(every(u != t, s.source[u, x] == t) for u in s.transactions for x in s.objects)

    # Recording

    def record_begin(s, t: Value) -> None:
        """Begin t: after its predecessor in the same process, and after all ended transactions."""
        require(s.status[t] == Status.NOT_BEGUN)
        earlier = s.predecessor(t)
        if earlier is not None:
            require(s.ended(earlier))
        s.status[t] = Status.LIVE
        for u in s.transactions:
            effective = ite(s.has_been_read(u), Earlier.EFFECTIVE, Earlier.NO)
            known = ite(s.ended(u), Earlier.ENDED, effective)
            s.before[u, t] = ite(u == t, Earlier.NO, known)

    def record_read(s, t: Value, x: Value) -> None:
        """Let t take a copy of the current version of x."""
        s.record_read_of(t, x, s.writer[x])

    def record_read_of(s, t: Value, x: Value, version: Value) -> None:
        """Let t take a copy of the version of x that ``version`` wrote, or of the first version."""
        s.source[t, x] = version
        s.advance(t)

    def record_write(s, t: Value, x: Value) -> None:
        """Let t buffer a write of x."""
        s.wrote[t, x] = True
        s.advance(t)

    def record_commit_call(s, t: Value) -> None:
        """Let t ask to commit."""
        s.status[t] = Status.COMMITTING
        for u in s.transactions:
            s.before_commit[u, t] = every(u != t, some(s.ended(u), s.has_been_read(u)))

    def record_publish(s, t: Value, x: Value) -> None:
        """Make t's version of x the current one."""
        s.writer[x] = t

    def record_commit(s, t: Value) -> None:
        """Record that t has committed."""
        s.status[t] = Status.COMMITTED

    def record_abort(s, t: Value) -> None:
        """Record that t has aborted."""
        s.status[t] = Status.ABORTED

    def predecessor(s, t: int) -> int | None:
        """Return the transaction that t's process runs just before t."""
        return t - s.processes if 0 < s.processes <= t else None

    def history(s) -> History:
        """Return the history so far."""
        ts, xs = s.transactions, s.objects
        return History(
            transactions=ts,
            objects=xs,
            begun=[s.status[t] != Status.NOT_BEGUN for t in ts],
            committing=[s.status[t] == Status.COMMITTING for t in ts],
            committed=[s.status[t] == Status.COMMITTED for t in ts],
            reads_initial=[[s.source[t, x] == Source.FIRST for x in xs] for t in ts],
            reads_from=[[[s.source[t, x] == w for w in ts] for x in xs] for t in ts],
            wrote=[[s.wrote[t, x] for x in xs] for t in ts],
            before=[[s.before[t, u] == Earlier.ENDED for u in ts] for t in ts],
            effective_before=[[s.before[t, u] != Earlier.NO for u in ts] for t in ts],
            effective_before_commit=[[s.before_commit[t, u] for u in ts] for t in ts],
            predecessor=[s.predecessor(t) for t in ts],
        )

    # What must hold

    @invariant
    def serializability(s) -> Value:
        """Committed transactions fit one order that explains all their reads."""
        return history.satisfied(s.history(), "serializability")

    @invariant
    def strict_serializability(s) -> Value:
        """Committed transactions fit one order that also respects real time."""
        return history.satisfied(s.history(), "strict-serializability")

    @invariant
    def virtual_world_consistency(s) -> Value:
        """Strictly serializable, and every transaction fits its own causal past."""
        return history.satisfied(s.history(), "virtual-world-consistency")

    @invariant
    def opacity(s) -> Value:
        """All transactions, live and aborted too, fit one order that respects real time."""
        return history.satisfied(s.history(), "opacity")

    @invariant
    def tms2(s) -> Value:
        """Opaque, with updates in the order of their commits."""
        return history.satisfied(s.history(), "tms2")

    @invariant
    def alone_commits(s) -> Value:
        """A transaction that runs alone is never aborted."""
        return no(every(s.status[t] == Status.ABORTED, s.alone(t)) for t in s.transactions)

    @sometimes
    def all_commit(s) -> Value:
        """Every transaction can commit in one run."""
        return every(s.status[t] == Status.COMMITTED for t in s.transactions)

    @sometimes(when=lambda s: not s.plans and len(s.transactions) > 1)
    def a_new_version_is_read(s) -> Value:
        """A committed transaction can have read what another wrote."""
        return some(
            every(s.status[t] == Status.COMMITTED, s.source[t, x] >= 0)
            for t in s.transactions
            for x in s.objects
        )

    @sometimes(when=lambda s: s.may_overlap)
    def readers_overlap_updates(s) -> Value:
        """An update can commit while a transaction that read the old version is live."""
        return some(
            every(
                s.status[t] == Status.LIVE,
                s.source[t, x] == Source.FIRST,
                s.writer[x] == w,
                s.status[w] == Status.COMMITTED,
            )
            for t in s.transactions
            for w in s.transactions
            if t != w
            for x in s.objects
        )

    @finished
    def all_ended(s) -> Value:
        """A run ends when every transaction has committed or aborted."""
        return every(s.ended(t) for t in s.transactions)

    def writer_label(self, x: int) -> str:
        """Return the writer of the current version of x, in words."""
        writer = self.writer[x]
        return type(self).transactions.label(self, writer) if writer >= 0 else "first"

    def explain(self, violated: str, states: Sequence[Self]) -> Explanation:
        """Return the transactions that contradict each other, with reasons."""
        if violated not in history.CRITERIA:
            return Explanation(())
        versions: list[list[Any]] = [[] for _ in self.objects]
        for state in states:
            for x in self.objects:
                if state.writer[x] >= 0 and versions[x][-1:] != [state.writer[x]]:
                    versions[x].append(state.writer[x])
        names = [type(self).transactions.label(self, t) for t in self.transactions]
        objects = [type(self).objects.label(self, x) for x in self.objects]
        return explain(states[-1].history(), violated, versions, names, objects)
