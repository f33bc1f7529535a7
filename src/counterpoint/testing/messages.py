"""What a failed test shows: what differs, the run as a chart, and the command that repeats it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence

from counterpoint.models.loading import find
from counterpoint.models.present.chart import chart
from counterpoint.models.present.formats import command
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import Model, SpecError

MARGIN = 8
"""The columns that pytest writes before a line of a message."""


def width() -> int:
    """Return how many columns of the terminal a message may use."""
    return max(40, min(shutil.get_terminal_size((80, 24)).columns, 120) - MARGIN)


def heading(model: Model, engine: str, states: int | None = None) -> str:
    """Return the spec with the parameters that differ from their defaults, and the engine."""
    given = "".join(f" {name}={value}" for name, value in model.changed_parameters().items())
    counted = "" if states is None else f", {states:,} states"
    return f"{model.name}{given}: {engine}{counted}"


def message(
    verdicts: Sequence[Verdict], wrong: Sequence[str], shown: Verdict | None, again: str = ""
) -> str:
    """Return what a failed test shows.

    Parameters
    ----------
    verdicts : sequence of Verdict
        All verdicts of the test.
    wrong : sequence of str
        A sentence for each difference.
    shown : Verdict or None
        The verdict whose run is shown, and whose property the command names.
    again : str
        The command that repeats it; by default, that of ``shown``, or of the first verdict.
    """
    first = shown or verdicts[0]
    text = "\n".join([*wrong, heading(first.model, first.engine, first.states)])
    if shown is not None and shown.trace is not None:
        text += f"\n\n{chart(shown, width()).rstrip()}"
    return f"{text}\n\nTo reproduce: {again or reproduce(first)}"


def reproduce(verdict: Verdict) -> str:
    """Return the command that repeats a verdict; the test itself if its spec has no name."""
    return command(verdict) if can_be_named(verdict.model) else this_test()


def this_test() -> str:
    """Return the command that repeats the present test of pytest."""
    name = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
    return f"pytest '{name}'" if name else "run this test again"


def can_be_named(model: Model) -> bool:
    """Return whether a command finds a model's spec."""
    if ":" in model.reference:
        return True
    try:
        find(model.reference)
    except SpecError:
        return False
    return True
