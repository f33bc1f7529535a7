"""Assertions about specs; each runs an engine, and a failure shows a run and a command."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any, ParamSpec, TypeAlias, TypeVar

from counterpoint.models.checking.engines import Options, check, engines_named
from counterpoint.models.limits import Limits
from counterpoint.models.present.formats import command_line
from counterpoint.models.references import named, reference_of
from counterpoint.models.sweeps.mutants import Trial, trials
from counterpoint.models.verdict import Verdict, by_length, in_steps, reachable_states
from counterpoint.spec.notation import Model, Property, Spec, SpecError

from .isolation import isolated, load
from .messages import message, this_test

AnySpec: TypeAlias = Spec | type[Spec] | Model | str
"""A spec with its parameters, its class, a model, or a reference as for `load`."""

MEMORY = 4 * 2**30
"""The bytes that the process may use."""

P = ParamSpec("P")
R = TypeVar("R")


class UserFailed(AssertionError):
    """A function of the user raised an exception, its cause, which pytest shows as well."""


def plain(function: Callable[P, R]) -> Callable[P, R]:
    """Raise assertions and errors of specs without the frames of Counterpoint.

    A message about a spec names the line of the spec itself.
    """

    @wraps(function)
    def called(*arguments: P.args, **named: P.kwargs) -> R:
        __tracebackhide__ = True
        try:
            return function(*arguments, **named)
        except (AssertionError, SpecError) as error:
            raised = error.with_traceback(None)
        raised.__context__ = None
        if not isinstance(raised, UserFailed):
            raised.__cause__ = None
        raise raised

    return called


def model_of(spec: AnySpec, parameters: Mapping[str, Any] | None = None) -> Model:
    """Return a spec under its parameters, with a reference for the command line.

    Parameters
    ----------
    spec : Spec or type or Model or str
    parameters : mapping of str to value, optional
        Values of parameters, for a class or a reference.

    Raises
    ------
    SpecError
        If there is no such spec or parameter, or a spec has its parameters already.
    """
    given = dict(parameters or {})
    if isinstance(spec, str):
        return load(spec, [f"{name}={value}" for name, value in given.items()])
    if isinstance(spec, type) and issubclass(spec, Spec):
        return named(Model(spec(**given)))
    if not isinstance(spec, Spec | Model):
        raise SpecError(f"a spec, its class, or its name is expected, not {spec!r}")
    if given:
        raise SpecError("parameters: this spec has its parameters already")
    return named(spec if isinstance(spec, Model) else Model(spec))


@plain
def assert_holds(
    spec: AnySpec,
    *properties: str,
    engine: str = "exhaustive",
    states: int | None = None,
    steps: int | None = None,
    parameters: Mapping[str, Any] | None = None,
    options: Options | None = None,
    time_limit: float | None = None,
) -> list[Verdict]:
    """Check that properties hold, and that witnesses are reached.

    Parameters
    ----------
    spec : Spec or type or Model or str
        ``Buffer(producers=3)``, a class, a model, or a reference such as ``buffer.py:Buffer``.
    *properties : str
        The properties; all by default, also those that every spec has.
    engine : str
        The engine: ``exhaustive``, ``bounded``, ``induction``, ``any-number`` or ``stateful``.
    states : int, optional
        The exact number of reachable states, which the engine ``exhaustive`` counts.
    steps : int, optional
        For the engine ``bounded``: the length of the longest runs.
    parameters : mapping of str to value, optional
        Parameters of the spec, for a class or a reference.
    options : Options, optional
        Further options of the engine.
    time_limit : float, optional
        Seconds. What is not decided then is unknown.

    Returns
    -------
    list of Verdict
        A verdict for each property.

    Raises
    ------
    AssertionError
        If a property is violated or unknown, or the number of states is another one.
    SpecError
        If there is no such spec, property, engine or parameter.
    """
    model = model_of(spec, parameters)
    verdicts = _verdicts(model, properties, engine, steps, options, time_limit)
    failed = [v for v in verdicts if v.answer != "holds"]
    wrong = [_of_engine(v) if engine == "all" else difference(v) for v in failed]
    wrong += _states(verdicts, states)
    if wrong:
        failed.sort(key=lambda v: (v.answer != "violated", v.trace is None, *by_length(v)))
        raise AssertionError(message(verdicts, wrong, failed[0] if failed else None))
    return verdicts


@plain
def assert_violated(
    spec: AnySpec,
    name: str,
    *,
    steps: int | None = None,
    engine: str = "exhaustive",
    parameters: Mapping[str, Any] | None = None,
    options: Options | None = None,
    time_limit: float | None = None,
) -> Verdict:
    """Check that a property is violated, for example by a known error.

    Parameters
    ----------
    spec : Spec or type or Model or str
        As for `assert_holds`.
    name : str
        The property.
    steps : int, optional
        The length of the counterexample. The engines ``exhaustive`` and ``bounded`` find a shortest
        one.
    engine, parameters, options, time_limit
        As for `assert_holds`.

    Returns
    -------
    Verdict
        The verdict, with the run as ``trace``.

    Raises
    ------
    AssertionError
        If the property holds or is unknown, or the counterexample has another length.
    SpecError
        If there is no such spec, property, engine or parameter.
    """
    model = model_of(spec, parameters)
    verdict = _verdict(model, name, engine, steps, options, time_limit)
    if verdict.answer != "violated":
        raise AssertionError(message([verdict], [f"{difference(verdict)}; it should be violated"
                                     f"{_after(steps)}"], None))  # fmt: skip
    _must_be_as_long(verdict, steps)
    return verdict


@plain
def assert_reaches(
    spec: AnySpec,
    witness: str,
    *,
    steps: int | None = None,
    engine: str = "exhaustive",
    parameters: Mapping[str, Any] | None = None,
    options: Options | None = None,
    time_limit: float | None = None,
) -> Verdict:
    """Check that a run reaches a witness, a property that is marked ``sometimes``.

    Parameters
    ----------
    spec : Spec or type or Model or str
        As for `assert_holds`.
    witness : str
        The witness.
    steps : int, optional
        The length of the run, a shortest one with the engines ``exhaustive`` and ``bounded``.
    engine, parameters, options, time_limit
        As for `assert_holds`.

    Returns
    -------
    Verdict
        The verdict, with the run as ``trace``.

    Raises
    ------
    AssertionError
        If no run reaches the witness, it is unknown whether one does, or the run has another
        length.
    SpecError
        If there is no such spec, engine or parameter, or the property is no witness.
    """
    model = model_of(spec, parameters)
    claim = model.property_named(witness)
    if claim.kind != "sometimes":
        raise SpecError(f"{model.name}: {claim.name} is no witness: it is not marked sometimes")
    verdict = _verdict(model, witness, engine, steps, options, time_limit)
    if verdict.answer != "holds":
        raise AssertionError(message([verdict], [difference(verdict)], None))
    _must_be_as_long(verdict, steps)
    return verdict


@plain
def assert_mutants_killed(
    spec: AnySpec,
    *,
    engine: str = "exhaustive",
    options: Options | None = None,
    time_limit: float | None = None,
    processes: int = 1,
) -> list[Trial]:
    """Check that each mutant of a spec violates the properties that it declares.

    Parameters
    ----------
    spec : Spec or type or Model or str
        The correct spec. Its mutants are those that its file defines or imports; they have their
        own parameters.
    engine : str
        The engine. With ``exhaustive``, all violated properties and the lengths of their
        counterexamples must be as declared; with others, each mutant must violate some property.
    options : Options, optional
        Options of the engine.
    time_limit : float, optional
        Seconds for each mutant.
    processes : int
        How many mutants are checked at a time.

    Returns
    -------
    list of Trial
        The result for each mutant.

    Raises
    ------
    AssertionError
        If a mutant survives, is undecided, or is not killed as it declares.
    SpecError
        If the spec has no mutants, or its class cannot be named.
    """
    reference = _reference(spec)
    engines_named(engine)
    options = options or Options()
    with isolated():
        found = trials(
            reference, engine, limits=Limits(time_limit, MEMORY), options=options,
            processes=processes,
        )  # fmt: skip
    wrong = [one for one in found if one.unknown or one.surprises]
    if wrong:
        raise AssertionError(_surviving(reference, engine, options, found, wrong))
    return found


def _reference(spec: AnySpec) -> str:
    """Return the reference of a spec whose mutants are checked."""
    if isinstance(spec, str):
        return spec
    model = model_of(spec)
    if model.changed_parameters():
        raise SpecError(f"mutants of {model.name} are checked with their own parameters; "
                        "name the class, or the spec without parameters")  # fmt: skip
    found = reference_of(type(model.spec))
    if not found:
        raise SpecError(f"{model.name} has no name that a command could use: "
                        "define it at the top of a module")  # fmt: skip
    return found


def _verdicts(
    model: Model,
    names: Sequence[str],
    engine: str,
    steps: int | None,
    options: Options | None,
    time_limit: float | None,
) -> list[Verdict]:
    """Return the verdicts on the named properties, or on all; arguments are as above."""
    wanted: Sequence[Property] = [model.property_named(name) for name in dict.fromkeys(names)]
    options = options or Options()
    if engine == "bounded" and steps is not None and options.steps is None:
        options = replace(options, steps=steps)
    with isolated():
        return check(
            model,
            engine,
            Limits(time_limit, MEMORY),
            wanted or model.all_properties,
            options,
        )


def _verdict(
    model: Model,
    name: str,
    engine: str,
    steps: int | None,
    options: Options | None,
    time_limit: float | None,
) -> Verdict:
    """Return the verdict of one engine on one property; arguments are as above."""
    if engine == "all":
        raise SpecError("engine: name one of the engines, not all")
    return _verdicts(model, [name], engine, steps, options, time_limit)[0]


def _of_engine(verdict: Verdict) -> str:
    return f"{verdict.engine}: {difference(verdict)}"


def difference(verdict: Verdict) -> str:
    """Return in words what a verdict says of its property."""
    name, witness = verdict.claim.name, verdict.claim.kind == "sometimes"
    if verdict.answer == "unknown":
        return f"{name} is unknown: {verdict.reason}"
    if verdict.answer == "holds":
        return f"{name} is reached" if witness else f"{name} holds ({verdict.extent})"
    if witness:
        return f"no run reaches {name}"
    return f"{name} is violated{_after(verdict.depth)}"


def _after(steps: int | None) -> str:
    return "" if steps is None else f" after {in_steps(steps)}"


def _states(verdicts: Sequence[Verdict], wanted: int | None) -> list[str]:
    if wanted is None:
        return []
    counted = reachable_states(verdicts)
    if counted == {wanted}:
        return []
    if any(v.answer != "holds" for v in verdicts):
        return []  # the search ended early, as the other differences say
    if not counted:
        raise SpecError("states: only the engine exhaustive counts states")
    return [f"{max(counted):,} reachable states; there should be {wanted:,}"]


def _must_be_as_long(verdict: Verdict, steps: int | None) -> None:
    if steps is not None and verdict.depth != steps:
        name = verdict.claim.name
        what = f"{name} is reached" if verdict.answer == "holds" else f"{name} is violated"
        text = f"{what}{_after(verdict.depth)}; it should be{_after(steps)}"
        raise AssertionError(message([verdict], [text], verdict))


def _surviving(
    reference: str, engine: str, options: Options, found: Sequence[Trial], wrong: Sequence[Trial]
) -> str:
    """Return what the failed check of mutants shows; ``wrong`` are the trials not as declared."""
    lines = [f"{reference} ({engine}): {len(wrong)} of {len(found)} mutants are not killed as "
             "they declare"]  # fmt: skip
    for one in wrong:
        lines += ["", f"{one.name}: {one.why}" if one.why else one.name]
        lines += [f"  {text}" for text in one.surprises]
        lines += [f"  unknown: {one.unknown}"] if one.unknown else []
    again = command_line(reference, {}, engine, options=options) + " --mutants"
    return "\n".join([*lines, "", f"To reproduce: {again if reference else this_test()}"])
