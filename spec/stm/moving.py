"""Numbers that a memory only compares, moved together so that they stay within a range."""

from __future__ import annotations

from counterpoint.spec.notation import Value, every, ite, some


def moved(
    values: list[tuple[Value, Value]], low: int, high: int, gap: int = 2
) -> tuple[Value, ...]:
    """Return numbers moved together, down to the least possible.

    Their order stays, and so does the difference of two neighbours if it is less than `gap`; a
    greater one becomes `gap`.

    Parameters
    ----------
    values : list of (number, truth value)
        The numbers, and whether each matters; one that does not becomes `low`.
    low, high : int
        The range of all numbers that matter.
    gap : int
        The differences from which on a memory sees no difference.
    """
    there = {
        k: some(every(value == k, matters) for value, matters in values)
        for k in range(low, high + 1)
    }
    kept = {k: some(there[k - j] for j in range(gap) if k - j in there) for k in range(low, high)}
    return tuple(
        ite(matters, low + sum(ite(every(value > k, kept[k]), 1, 0) for k in kept), low)
        for value, matters in values
    )
