"""The jobs that the tables of a configuration stand for."""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from counterpoint.models.checking.engines import ENGINES, Options
from counterpoint.models.checking.temporal import JUDGE
from counterpoint.models.loading import mutants
from counterpoint.models.named_specs import is_pattern, references
from counterpoint.spec.catalogue import SPECS
from counterpoint.spec.notation import Spec, SpecError

from .configuration import Configuration, ConfigurationError
from .configuration.schema import CheckTable, JobsTable, MutantsTable, Table
from .job import Job
from .outcome import Place

_FILE = re.compile(r"(?P<path>.*\.py)(:[^/]*)?(/.*)?")


def jobs(configuration: Configuration) -> list[Job]:
    """Return the jobs of a configuration, in its order; its folder must be the current one.

    A spec that cannot be imported gets a job, which then falls.

    Raises
    ------
    ConfigurationError
        If a file or a spec of the catalogue does not exist, a function makes no jobs, or no check
        would look at a key.
    """
    document = configuration.document
    found: list[tuple[int, list[Job]]] = []
    rows: dict[str, Sequence[Table]] = {
        "check": document.check, "mutants": document.mutants, "jobs": document.jobs
    }  # fmt: skip
    for table, number, row in ((t, n, row) for t in rows for n, row in enumerate(rows[t])):
        place = configuration.place(table, number)
        for key, text in _ignored(row) if isinstance(row, CheckTable) else ():
            raise ConfigurationError(f"{configuration.place(table, number, key)}: {text}")
        try:
            found.append((place.line, list(_expanded(row, place))))
        except SpecError as error:
            raise ConfigurationError(f"{place}: {error}") from error
    return [job for _, made in sorted(found, key=lambda one: one[0]) for job in made]


def _expanded(row: Table, place: Place) -> Iterator[Job]:
    if isinstance(row, CheckTable):
        yield from _checks(row, place)
    elif isinstance(row, MutantsTable):
        yield from _mutants(row, place)
    elif isinstance(row, JobsTable):
        yield from _made(row, place)


_OPTIONS = ("steps", "runs", "seed", "explorer", "reduce", "compared", "second_solver")
"""The keys of `CheckTable` that are options of engines."""


def _checks(row: CheckTable, place: Place) -> Iterator[Job]:
    options = Options(
        row.steps, row.runs, row.seed, row.explorer, tuple(row.reduce), row.compared,
        second_solver=row.second_solver,
    )  # fmt: skip
    for reference in _references(row.spec):
        for engine in row.engines:
            yield Job(
                reference, row.set, engine, row.why, _violated(row.expect, engine), row.states,
                tuple(row.only), options, tuple(row.show), row.least_budget, place,
                tuple(name for name, words in row.expect.items() if words == "holds"),
                engine == JUDGE or JUDGE not in row.engines,
            )  # fmt: skip


def _ignored(row: CheckTable) -> Iterator[tuple[str, str]]:
    """Yield the keys of a row that none of its checks would look at, each with a sentence.

    They are options that none of the engines takes, and properties that are not checked or not
    expected to be violated.
    """
    for option in _OPTIONS:
        if option in row.model_fields_set:
            yield from _for_others(option.replace("_", "-"), _engines_with(option), row.engines)
    if row.states is not None:
        yield from _for_others("states", ["exhaustive"], row.engines)
    if unchecked := [name for name in row.expect if row.only and name not in row.only]:
        yield "expect", f"expect names {', '.join(unchecked)}, which only leaves out"
    if kept := [n for n in row.show if row.expect.get(n, "holds") == "holds"]:
        yield "show", f"show names {', '.join(kept)}, which expect does not say is violated"


def _engines_with(option: str) -> list[str]:
    if option == "second_solver":
        return [name for name, engine in ENGINES.items() if engine.asks]
    return [name for name, engine in ENGINES.items() if option in engine.options]


def _for_others(
    key: str, able: Sequence[str], engines: Sequence[str]
) -> Iterator[tuple[str, str]]:  # fmt: skip
    if not set(able) & set(engines):
        others = f"is for the engine {' or '.join(able)}, and engines has {', '.join(engines)}"
        yield key, f"{key} {others}"


def _violated(expect: dict[str, str], engine: str) -> dict[str, int | None]:
    """Return the properties that must be violated, with the number of steps."""
    found = {}
    for name, words in expect.items():
        if words != "holds":
            steps = re.search(r"\d+", words)
            shortest = steps is not None and engine != "stateful"  # which does not look for it
            found[name] = int(steps[0]) if steps and shortest else None
    return found


def _mutants(row: MutantsTable, place: Place) -> Iterator[Job]:
    options = Options(compared=row.compared)
    for reference in _references(row.spec):
        try:
            known = mutants(reference)
        except SpecError:
            yield Job(reference, {}, "exhaustive", "Its mutants are killed.", place=place)
            continue
        if not known:
            raise SpecError(f"{reference} has no mutants")
        for name, declared in known.items():
            for job in _of_mutant(f"{reference}/{name}", declared):
                yield replace(job, options=options, place=place)


def _of_mutant(reference: str, declared: type[Spec]) -> Iterator[Job]:
    """Yield a job at the bounds at which a mutant is killed, and one at which it survives."""
    mutation = declared.mutation
    assert mutation is not None
    killed = mutation.killed
    first = min(killed, key=lambda p: (killed[p] is None, killed[p]))
    why = " ".join((declared.__doc__ or "").split())
    yield Job(reference, mutation.at, "exhaustive", why, killed, shown=(first,))
    if mutation.at:
        unnoticed = f"The mutant survives at the default bounds. {why}"
        yield Job(reference, {}, "exhaustive", unnoticed)


def _made(row: JobsTable, place: Place) -> Iterator[Job]:
    """Yield the jobs that a function of the user's returns."""
    module, _, name = row.function.partition(":")
    try:
        function: Callable[[], Iterable[Any]] = getattr(importlib.import_module(module), name)
        made = list(function())
    except (Exception, SystemExit, GeneratorExit) as error:  # whatever a user's function does
        raise SpecError(f"{row.function}: {type(error).__name__}: {error}") from error
    for job in made:
        if not isinstance(job, Job):
            raise SpecError(f"{row.function} returns {job!r}, which is not a counterpoint.ci.Job")
        yield replace(job, place=place)


def _references(written: str | Iterable[str]) -> list[str]:
    """Return the references of specs that a table names, see `named_specs.references`.

    Raises
    ------
    SpecError
        If a file does not exist, a folder or a pattern has none, or the catalogue has no such spec.
    """
    names = [written] if isinstance(written, str) else list(written)
    for name in names:
        _must_be_possible(name)
    return references(str(Path(name)) if Path(name).is_file() else name for name in names)


def _must_be_possible(name: str) -> None:
    """Refuse a name that stands for no spec, whatever modules can be imported."""
    file = _FILE.fullmatch(name)
    if Path(name).is_dir() or is_pattern(name) or name.partition("/")[0] in SPECS:
        return
    if file and not Path(file["path"]).is_file():
        raise SpecError(f"there is no file {file['path']}")
    if not file and ":" not in name:
        near = difflib.get_close_matches(name, SPECS, 1)
        hint = f"did you mean {near[0]}?" if near else "counterpoint list names those there are"
        raise SpecError(f"there is no spec, file or folder {name!r}; {hint}")
