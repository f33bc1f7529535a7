"""A spec as a Hypothesis test, whose failure is a chart and not the stack of Hypothesis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import hypothesis

from counterpoint.models.random import stateful
from counterpoint.models.verdict import Verdict, explained, in_steps, what_failed
from counterpoint.spec.notation import Model, Property, Spec, SpecError

from .asserting import difference, model_of
from .messages import message


def machine(
    spec: Spec | Model, wanted: Sequence[Property] | None = None
) -> type[stateful.SpecMachine]:
    """Return a Hypothesis state machine that takes a spec's steps and checks its properties.

    Its ``TestCase`` is a test for pytest or unittest.

    Parameters
    ----------
    spec : Spec or Model
        The spec under its parameters.
    wanted : sequence of Property, optional
        The properties to check; all by default. Witnesses never fail a run; they are only recorded.
    """
    made: Any = stateful.machine(model_of(spec), wanted)
    made.TestCase = _with_chart(made)
    return made  # type: ignore[no-any-return]


def _with_chart(made: type[stateful.SpecMachine]) -> Any:
    """Return the test of a machine, with a failure that has the form of the other assertions."""
    base: Any = made.TestCase

    class SpecTestCase(base):  # type: ignore[misc]
        settings = hypothesis.settings(base.settings, verbosity=hypothesis.Verbosity.quiet)

        def runTest(self) -> None:
            __tracebackhide__ = True
            failure = _failure(super().runTest, made.walker.model)
            if failure is not None:
                raise failure

        runTest.is_hypothesis_test = True  # type: ignore[attr-defined]

    for name in ("__name__", "__qualname__", "__module__"):
        setattr(SpecTestCase, name, getattr(base, name))
    return SpecTestCase


def _failure(run: Callable[[], None], model: Model) -> Exception | None:
    """Run a test, and return its failure without the frames of Hypothesis."""
    try:
        run()
    except stateful.Violation as violation:
        return AssertionError(_message(model, violation))
    except SpecError as error:
        error.__cause__ = error.__context__ = None
        return error.with_traceback(None)
    return None


def _message(model: Model, violation: stateful.Violation) -> str:
    trace, length = violation.trace, len(violation.trace.steps)
    found = [
        replace(
            explained(Verdict(model, claim, "stateful", "violated", in_steps(length), trace=trace)),
            depth=length, reason=what_failed(model, claim, trace),
        )
        for claim in violation.claims
    ]  # fmt: skip
    return message(found, [difference(one) for one in found], found[0])
