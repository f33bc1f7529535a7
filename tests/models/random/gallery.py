"""Many small specs, right and wrong ones, with their names: what random runs are measured on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from counterpoint.models.loading import load, mutants
from counterpoint.spec.catalogue import MUTANTS, SPECS
from counterpoint.spec.notation import Choice, Model, Spec
from tests.models.random import machines, services
from tests.oracle.comparing import Judged
from tests.oracle.random_specs import random_spec

EXAMPLES = ("bounded_buffer", "leader_election", "ticket_lock", "two_phase_commit")

MANY = 3000
"""The most states of a random spec."""


def strangers() -> Iterator[tuple[str, Model]]:
    """Yield the specs of strangers with each of their readings."""
    for module in (services, machines):
        for kind in vars(module).values():
            if isinstance(kind, type) and issubclass(kind, Spec) and kind is not Spec:
                yield from _readings(kind.name, Model(kind()))


def examples() -> Iterator[tuple[str, Model]]:
    """Yield the examples of the documents with each of their readings."""
    folder = Path(__file__).parents[3] / "examples"
    for name in EXAMPLES:
        yield from _readings(name, load(str(folder / f"{name}.py")))


def _readings(name: str, model: Model) -> Iterator[tuple[str, Model]]:
    yield name, model
    kind = type(model.spec)
    for parameter, declared in kind.declared_parameters.items():
        if isinstance(declared, Choice):
            for value in declared.values[1:]:
                yield f"{name} {parameter}={value}", Model(kind(**{parameter: value}))


def random_ones(number: int) -> Iterator[tuple[str, Model]]:
    """Yield so many random specs without errors that are not large."""
    seed = 0
    while number:
        judged = Judged(random_spec(seed), MANY)
        if not judged.large and not judged.error and next(judged.model.initial_states(), None):
            yield f"random {seed}", judged.model
            number -= 1
        seed += 1


def catalogue(most_mutants: int) -> Iterator[tuple[str, Model]]:
    """Yield the specs of the project, each with some of its mutants."""
    yield "window-stm old", load("window-stm", ["fetch-and-increment=old"])
    for name in SPECS:
        yield name, load(name)
    for name in MUTANTS:
        kinds = [(k, m.mutation) for k, m in mutants(name).items()]
        small = [k for k, mutation in kinds if mutation is not None and not mutation.at]
        for kind in small[:most_mutants]:
            yield f"{name}/{kind}", load(f"{name}/{kind}")
