"""The random specs that a test uses, and its message when one shows a difference."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable, Iterable

from tests.oracle.comparing import Outcome

Comparison = Callable[[str, int], dict[str, Outcome]]
"""A function from the text and seed of a spec to the outcome of each engine."""


def this_week(first: int, number: int) -> range:
    """Return seeds that change every week and stay the same within a week.

    Parameters
    ----------
    first, number : int
        The first of the week's seeds to return, and how many.
    """
    year, week, _ = datetime.date.today().isocalendar()
    start = (year * 100 + week) * 1_000_000 + first
    return range(start, start + number)


def differences(
    write: Callable[[int], str], seeds: Iterable[int], compare: Comparison
) -> tuple[dict[str, list[Outcome]], str]:
    """Compare specs; return the outcomes of each engine, and a message on the differences.

    Returns
    -------
    outcomes : dict
        The outcome of each engine that was compared.
    message : str
        Empty if there is no difference; else every difference with its seed, and the text of the
        shortest spec that shows one.
    """
    outcomes: dict[str, list[Outcome]] = {}
    lines: list[str] = []
    sources: dict[int, str] = {}
    for seed in seeds:
        source = write(seed)
        for engine, outcome in compare(source, seed).items():
            outcomes.setdefault(engine, []).append(outcome)
            if outcome.wrong:
                sources[seed] = source
                lines.append(f"seed {seed}, {engine}: {outcome.wrong[0]}")
    if not lines:
        return outcomes, ""
    seed = min(sources, key=lambda s: len(sources[s]))
    text = f"{write.__name__}({seed}) is:\n\n{sources[seed]}"
    return outcomes, "\n".join(["the engines and the oracle differ:", *lines, "", text])


def answers(outcomes: Iterable[Outcome]) -> Counter[str]:
    """Return how often each answer was given."""
    return sum((o.answers for o in outcomes), Counter())
