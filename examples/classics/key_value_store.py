"""A store of keys with transactions that work on snapshots.

A transaction that closes is rejected if another one, closed since it opened, has written one of
its keys. By Andrew Helwer and Murat Demirbas; module KeyValueStore of tlaplus/Examples.

    counterpoint check key_value_store.py --set transactions=3
"""

from counterpoint import (
    Array,
    Index,
    Integer,
    Set,
    Spec,
    action,
    every,
    implies,
    invariant,
    ite,
    no,
    require,
    sometimes,
)


class KeyValueStore(Spec):
    """-1 is no value."""

    transactions = Index(2, names="t", labels="T")
    keys = Index(2, names="k", labels="K")
    values = Index(2, names="v", labels="V")
    store = Array(keys, Integer(-1, lambda s: len(s.values) - 1, initially=-1))
    open = Set(transactions)
    snapshot = Array((transactions, keys), Integer(-1, lambda s: len(s.values) - 1, initially=-1))
    written = Array(transactions, Set(keys))
    missed = Array(transactions, Set(keys))

    @action
    def begin(s, t):
        """Take a snapshot of the store."""
        require(no(s.open.has(t)))
        s.open.add(t)
        for k in s.keys:
            s.snapshot[t, k] = s.store[k]

    @action
    def write(s, t, k, v):
        """Give a key another value."""
        require(s.open.has(t), s.snapshot[t, k] != v)
        s.snapshot[t, k] = v
        s.written[t].add(k)

    @action
    def remove(s, t, k):
        """Remove a key."""
        require(s.open.has(t), s.snapshot[t, k] >= 0)
        s.snapshot[t, k] = -1
        s.written[t].add(k)

    def end(s, t):
        """Forget all of a transaction."""
        s.open.remove(t)
        s.written[t].clear()
        s.missed[t].clear()
        for k in s.keys:
            s.snapshot[t, k] = -1

    @action
    def roll_back(s, t):
        """End without any effect."""
        require(s.open.has(t))
        s.end(t)

    @action
    def close(s, t):
        """Write to the store, if no other one has written the same keys since the snapshot."""
        require(s.open.has(t))
        require(no(s.missed[t].has(k) & s.written[t].has(k) for k in s.keys))
        for k in s.keys:
            s.store[k] = ite(s.written[t].has(k), s.snapshot[t, k], s.store[k])
        for u in s.transactions:
            if u != t and s.open.has(u):
                s.missed[u] = s.missed[u] | s.written[t]
        s.end(t)

    @invariant
    def changes_are_noticed(s):
        """A key that differs from the snapshot was written here, or by somebody else."""
        return every(
            implies(
                s.open.has(t) & (s.store[k] != s.snapshot[t, k]) & no(s.written[t].has(k)),
                s.missed[t].has(k),
            )
            for t in s.transactions
            for k in s.keys
        )

    @invariant
    def nothing_is_left(s):
        """A transaction that is not open has nothing."""
        return every(
            s.open.has(t)
            | (
                s.written[t].empty
                & s.missed[t].empty
                & every(s.snapshot[t, k] == -1 for k in s.keys)
            )
            for t in s.transactions
        )

    @sometimes
    def a_conflict(s):
        """A transaction can have written what it missed."""
        return every(s.written[0].has(k) & s.missed[0].has(k) for k in s.keys)
