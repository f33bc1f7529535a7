"""Mutants of TL2."""

from __future__ import annotations

from counterpoint.spec.notation import Value, action, every, ite, mutant, require, some
from counterpoint.spec.stm.stepped import Owner
from counterpoint.spec.stm.tl2 import TL2, Stage

CHAIN = TL2.criteria


@mutant(
    readings={"fetch-and-increment": "old"},
    killed={**dict.fromkeys(CHAIN, 15), "serializability": 16, "strict-serializability": 16},
)
class FetchAndIncrementReturnsOld(TL2):
    """Fetch&Increment returns the value that the clock had before."""


@mutant(readings={"clock": "pass"}, killed=dict.fromkeys(CHAIN, 20))
class SparesValidationAtSharedVersions(TL2):
    """Updates may share a write version, and validation is still skipped if rv + 1 = wv."""


@mutant(killed={**dict.fromkeys(CHAIN, 14), "serializability": 15, "strict-serializability": 15})
class DoesNotLookAgain(TL2):
    """A read checks the lock before the load only, not again after it."""

    def read_is_consistent(s, t: int, x: int) -> Value:
        """Judge by the version that was sampled."""
        return s.sampled[t] <= s.read_version[t]


@mutant(killed={**dict.fromkeys(CHAIN, 14), "serializability": 15, "strict-serializability": 15})
class LooksAtTheVersionOnly(TL2):
    """A read's second check compares the version but ignores that the lock is taken."""

    def read_is_consistent(s, t: int, x: int) -> Value:
        """Judge by the version, which a publisher sets at the end."""
        return every(s.version[x] == s.sampled[t], s.version[x] <= s.read_version[t])


@mutant(killed={**dict.fromkeys(CHAIN, 15), "serializability": 16, "strict-serializability": 16})
class AcceptsLaterVersions(TL2):
    """A read checks that nothing changed while it loaded, not that it is as old as its rv."""

    def read_is_consistent(s, t: int, x: int) -> Value:
        """Accept any version that stands still."""
        return every(s.owner[x] == Owner.NOBODY, s.version[x] == s.sampled[t])


@mutant(killed={**dict.fromkeys(CHAIN, 18), "tms2": 15})
class NoValidation(TL2):
    """A commit does not validate its reads."""

    def needs_no_validation(s, t: int) -> Value:
        """Return true always."""
        return True


@mutant(killed=dict.fromkeys(CHAIN, 19))
class ValidationIgnoresLocks(TL2):
    """A validation compares versions but ignores locks of updates about to publish."""

    def is_valid(s, t: int, x: int) -> Value:
        """Judge by the version."""
        return s.version[x] <= s.read_version[t]


@mutant(killed={"no-deadlock": 10})
class TakesHeldLocks(TL2):
    """A lock is taken even if another transaction holds it, as if test and set were not atomic."""

    def locked_by_other(s, t: int, x: int) -> Value:
        """Overlook it while t locks."""
        locking = some(s.stage[t] == Stage.LOCKING, every(s.may_commit(t), s.writes_something(t)))
        return every(super().locked_by_other(t, x), ite(locking, False, True))


@mutant(killed={**dict.fromkeys(CHAIN, 15), "serializability": 16, "strict-serializability": 16})
class ReleaseKeepsTheVersion(TL2):
    """A release frees the lock and leaves the version as it was."""

    @action
    def release(s, t: int, x: int) -> None:
        """Free x's lock only."""
        version = s.version[x]
        super().release(t, x)
        s.version[x] = version


@mutant(killed={"idle-holds-nothing": 8})
class AbortKeepsLocks(TL2):
    """An update that aborts does not free its locks."""

    def abort(s, t: int) -> None:
        """Abort with all locks held."""
        owner = [s.owner[x] for x in s.objects]
        super().abort(t)
        for x in s.objects:
            s.owner[x] = owner[x]


@mutant(
    killed={
        **dict.fromkeys(CHAIN, 17),
        "serializability": 18,
        "strict-serializability": 18,
        "tms2": 15,
    }
)
class LooksOnlyAfterLoading(TL2):
    """A read checks the lock only after the load, not before it."""

    @action
    def read(s, t: int, x: int) -> None:
        """Continue with the load, even if another transaction holds the lock."""
        require(s.may_operate("r", t, x))
        if not s.returns_own_copy(t, x):
            s.target[t] = x

    def read_is_consistent(s, t: int, x: int) -> Value:
        """Return whether the object is valid, by its lock after the load."""
        return s.is_valid(t, x)


@mutant(killed={**dict.fromkeys(CHAIN, 18), "tms2": 15})
class PublishesBeforeValidating(TL2):
    """An update does not wait for its validation before it publishes and releases."""

    @action
    def publish(s, t: int, x: int) -> None:
        """Store the value as soon as there is a write version."""
        require(s.stage[t] == Stage.STAMPED, s.owner[x] == t, s.writer[x] != t)
        require(s.has_released_before(t, x))
        s.record_publish(t, x)
