"""A test of an object of the user against a spec: the states of both after each call."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from counterpoint.models.conforming.calls import Name, Naming
from counterpoint.models.conforming.columns import instead, table
from counterpoint.models.conforming.machines import Unsteady, run
from counterpoint.models.conforming.objects import Failed, ObjectDiffers, Question
from counterpoint.spec.notation import SpecError

from .asserting import AnySpec, UserFailed, model_of, plain
from .messages import this_test

RUNS, CALLS = 100, 30
"""How many runs are made, and the most calls of one, unless others are asked for."""


@plain
def conforms(
    implementation: Callable[[], Any],
    spec: AnySpec,
    mapping: Callable[[Any], Mapping[str, Any]],
    *,
    parameters: Mapping[str, Any] | None = None,
    names: Mapping[str, Name] | None = None,
    returns: Mapping[str, str] | None = None,
    decides: Mapping[str, Collection[str]] | None = None,
    silent: Collection[str] = (),
    refuses: type[BaseException] | Sequence[type[BaseException]] = (),
    forbidden: bool = False,
    finish: Callable[[Any], object] | None = None,
    runs: int = RUNS,
    calls: int = CALLS,
    seed: int = 0,
) -> Callable[[], None]:
    """Return a test that an object is always in a state that a spec allows.

    ::

        test_buffer = conforms(Buffer, BufferSpec(capacity=3), lambda b: {"items": b.content()})

    The test makes objects, and calls them as the actions of the spec say: each time one that the
    spec allows, with its arguments, chosen by Hypothesis. After each call the values that
    ``mapping`` returns must be those of a state that the spec allows then. If the spec allows
    several states, or ``mapping`` leaves out variables, all states that agree are kept.

    Parameters
    ----------
    implementation : callable
        Makes a new object, as a class or a function without arguments.
    spec : Spec or type or Model or str
        ``BufferSpec(capacity=3)``, a class, a model, or a reference such as ``spec.py:Buffer``.
    mapping : callable
        Gets the object, and returns a dict: for variables of the spec, or elements of arrays, the
        values that the object has. An array takes a list, or a dict of some members; a queue or
        sequence a list, a set a set, a map or a record a dict, a bag a list.
    parameters : mapping of str to value, optional
        Parameters of the spec, for a class or a reference.
    names : mapping, optional
        For an action, the name of the object's method; by default the same name. Or a function that
        gets the object and the arguments by name; or None, if this action does not happen.
        Arguments are as the spec's action gets them: the number of a member, or a value.
    returns : mapping of str to str, optional
        For an action, the parameter whose value the call returns: the code decides it.
    decides : mapping of str to collection of str, optional
        For an action, parameters that the code decides without saying so.
    silent : collection of str
        Actions that can happen between two calls, without one.
    refuses : type or sequence of types
        The exceptions by which the object refuses a call. It may refuse what the spec forbids, and
        nothing else, and its state must not change then. Other exceptions fail the test.
    forbidden : bool
        Whether calls are tried, too, that the spec forbids: the object must refuse them. What only
        leaves a range or a constraint of the spec is never tried.
    finish : callable, optional
        Called with each object at its end.
    runs, calls : int
        How many runs are made, and the most calls of one.
    seed : int
        The same seed makes the same runs.

    Returns
    -------
    callable
        The test, a function without arguments, for pytest or to be called. It raises an
        `AssertionError` with the shortest run that differs, and the variables in two columns; or if
        an action was never taken.

    Raises
    ------
    SpecError
        If there is no such spec, parameter, action or variable.
    """
    kinds = (refuses,) if isinstance(refuses, type) else tuple(refuses)
    if not all(isinstance(one, type) and issubclass(one, BaseException) for one in kinds):
        raise SpecError(f"refuses: an exception class or several, and not {refuses!r}")
    if forbidden and not kinds:
        raise SpecError("forbidden: say by which exceptions the code refuses: refuses=...")
    if runs < 1 or calls < 1:
        raise SpecError("runs and calls are numbers from 1 on")
    naming = Naming(names or {}, returns or {}, decides or {}, silent)
    model = model_of(spec, parameters)

    def question() -> Question:
        return Question(model, implementation, mapping, naming, kinds, forbidden, finish)

    question()

    @plain
    def test() -> None:
        asked = question()
        _run(asked, runs, calls, seed, _called(implementation))
        _must_be_taken(asked, runs, calls)

    test.__doc__ = f"{_called(implementation)} is always in a state that {model.name} allows."
    return test


def _run(question: Question, runs: int, calls: int, seed: int, name: str) -> None:
    """Make the runs; what fails is an assertion with a message for the user."""
    try:
        run(question, runs, calls, seed)
    except ObjectDiffers as differs:
        raise AssertionError(_message(question, differs)) from None
    except Failed as failed:
        raise UserFailed(f"{name}: {failed}") from failed.__cause__
    except Unsteady as unsteady:
        raise AssertionError(f"{question.model.name}: {unsteady}") from None


def _called(implementation: Any) -> str:
    return str(getattr(implementation, "__name__", type(implementation).__name__))


def _message(question: Question, differs: ObjectDiffers) -> str:
    """Return what a failed test shows: the run, what is wrong, and two columns."""
    name, found = differs.name, differs.found
    number = len(differs.calls)
    after = f" after {number} call{'s'[: number != 1]}" if number else ""
    lines = [f"{name} differs from {question.model.name}{after}: {found.reason}", ""]
    lines += [f"  {k:>2}  {text}" for k, text in enumerate(differs.said, 1)]
    lines += [""] * bool(differs.calls) + [f"  {line}".rstrip() for line in table(found)]
    if sentence := instead(found):
        lines += ["", sentence]
    if found.states > 1:
        lines += ["", f"The spec could be in {found.states:,} states; the nearest is shown."]
    if differs.unfinished:
        lines += ["", f"After this, {differs.unfinished}."]
    return "\n".join([*lines, "", f"To reproduce: {this_test()}"])


def _must_be_taken(question: Question, runs: int, calls: int) -> None:
    """Fail if an action was never taken: nothing is known of it then."""
    wanted = dict.fromkeys(call.action for call in question.calls)
    never = [name for name in wanted if not question.accepted[name]]
    if never:
        raise AssertionError(
            f"{question.model.name}: in {runs:,} run{'s'[: runs != 1]} of up to {calls:,} "
            f"call{'s'[: calls != 1]} these actions were never taken: {', '.join(never)}. Give "
            f"more runs or calls, or say that they do not happen: names={{{never[0]!r}: None}}"
        )
