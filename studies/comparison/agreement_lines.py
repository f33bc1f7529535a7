"""Prints how well two webs agree on the ranks of policies, for a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from .agreement import Agreement, ranks
from .table import named


def lines(found: list[Agreement], names: tuple[str, str]) -> Iterator[str]:
    """Yield the lines of agreements for a terminal of 80 columns.

    Parameters
    ----------
    found : list of Agreement
    names : tuple of str and str
        The names of the webs.
    """
    yield f"Do policies rank on {names[1]} as on {names[0]}?"
    if not found:
        yield "  Unknown: no measure has two policies that can be compared."
    for one in found:
        yield ""
        title = one.measure.title
        if len(title) > 54:
            yield title
            title = ""
        yield f"{title:54}{names[0][:12]:>13}{names[1][:12]:>13}"
        for policy, first, second in ranks(one) if one.tau is not None else ():
            yield from named(policy, 54, f"{first:13}{second:13}")
        texts = [summary(one)]
        if one.reverse:
            texts.append(f"in reverse order, here as on {names[0]}: {reversed_pairs(one)}")
        for text in texts:
            yield from wrap(text, 80, initial_indent="  ", subsequent_indent="    ",
                            break_on_hyphens=False)  # fmt: skip


def summary(one: Agreement) -> str:
    """Return how well two webs agree by one measure, in a sentence."""
    if one.tau is None:
        return "Kendall's tau-b is not defined: on one of the webs all policies are equal"
    pairs = len(one.same) + len(one.reverse) + len(one.undecided)
    text = f"Kendall's tau-b {one.tau:.2f}"
    if one.interval is not None:
        text += f", 95% from {one.interval[0]:.2f} to {one.interval[1]:.2f}"
    every = len(one.policies) * (len(one.policies) - 1) // 2
    apart = "" if pairs == every else "; ranks are among policies that reach the same pages"
    return (
        f"{text}; of {pairs} pairs {len(one.same)} have the same order, {len(one.reverse)} the "
        f"reverse, and {len(one.undecided)} are not decided on both webs{apart}"
    )


def reversed_pairs(one: Agreement) -> str:
    """Return the pairs whose order is reverse, as the first web orders them; "" if none is."""
    return "; ".join(f"{better} before {worse}" for better, worse in one.reverse)
