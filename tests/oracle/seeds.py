"""Which random specs a test takes, and what it says when one of them shows a difference."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable, Iterable

from tests.oracle.comparing import Outcome

Comparison = Callable[[str, int], dict[str, Outcome]]
"""Compares a spec with engines: its text and seed to the outcome of each engine."""


def this_week(first: int, number: int) -> range:
    """Return seeds that are others in every week, and the same all week long.

    Parameters
    ----------
    first, number : int
        Which of the week's seeds.
    """
    year, week, _ = datetime.date.today().isocalendar()
    start = (year * 100 + week) * 1_000_000 + first
    return range(start, start + number)


def differences(
    write: Callable[[int], str], seeds: Iterable[int], compare: Comparison
) -> tuple[dict[str, list[Outcome]], str]:
    """Compare specs; return the outcomes of each engine, and what to say of the differences.

    Returns
    -------
    outcomes : dict
        Of each engine that was asked.
    said : str
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
