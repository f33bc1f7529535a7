"""Runs of ``counterpoint step`` as files: written by ``save``, read by ``--from``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from counterpoint.files.outputs import replacing
from counterpoint.models.checking.replaying import read_records, start_of
from counterpoint.models.loading import load
from counterpoint.models.runs.steps import quoted
from counterpoint.models.runs.walk import Walk
from counterpoint.models.scenarios import as_scenario, is_scenario, play, read_scenarios
from counterpoint.models.scenarios.files import text_of
from counterpoint.models.scenarios.player import start
from counterpoint.models.verdict import Verdict, in_steps, what_failed
from counterpoint.spec.notation import Property, SpecError


def save(walk: Walk, written_path: str) -> str:
    """Write a run to a file, and return a line that says so.

    Parameters
    ----------
    walk : Walk
    written_path : str
        As the user typed it: ``--force`` before it replaces a file. A name that ends with
        ``.json`` gets a JSON text for ``counterpoint replay``, any other one a scenario.

    Raises
    ------
    SpecError
        If it is no name of a file, the file exists, nothing can be written there, or the run
        shows nothing that JSON could say.
    """
    words = written_path.split()
    force = "--force" in words
    if len(words) != 1 + force:
        raise SpecError("save takes the name of one file")
    path = Path(next(word for word in words if word != "--force"))
    if path.exists() and not force:
        raise SpecError(f"{path} exists; save --force {path} replaces it")
    text = _as_json(walk) if path.suffix == ".json" else _as_scenario(walk, path)
    try:
        with replacing(path) as unfinished:
            unfinished.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise SpecError(f"{path}: {error.strerror}") from None
    return f"{path}: {in_steps(walk.length)} saved; counterpoint replay {path} repeats them"


def _as_scenario(walk: Walk, path: Path) -> str:
    title = path.stem.replace("-", " ").replace("_", " ")
    return as_scenario(walk.model, walk.trace, title, folder=path.parent)


def _as_json(walk: Walk) -> str:
    """Return the verdicts that a run shows, as ``check --format json`` prints them."""
    shown = [_verdict(walk, claim) for claim in (*walk.violated, *walk.reached)]
    if not shown:
        raise SpecError("the run violates no property and reaches no witness, so a replay of JSON "
                        "would compare nothing: save it as a scenario")  # fmt: skip
    return json.dumps([one.to_json() for one in shown], indent=2, ensure_ascii=False) + "\n"


def _verdict(walk: Walk, claim: Property) -> Verdict:
    return Verdict(
        walk.model,
        claim,
        "step",
        "holds" if claim.kind == "sometimes" else "violated",
        in_steps(walk.length),
        depth=walk.length,
        trace=walk.trace,
        reason=what_failed(walk.model, claim, walk.trace) if claim in walk.violated else "",
    )


def begun(path: Path, reference: str, settings: Sequence[str]) -> tuple[Walk, list[str]]:
    """Return the run of a file as far as it is possible, and what there is to say about it.

    Parameters
    ----------
    path : Path
        A scenario, or JSON of ``check`` or `save`. Of several runs, the first violation is taken,
        or the first run.
    reference : str
        The spec in which it is repeated; "" for that of the file.
    settings : sequence of str
        Parameters, for a given reference.

    Raises
    ------
    SpecError
        If the file cannot be read, or names something that the spec does not have.
    """
    text = text_of(path)
    if is_scenario(text):
        return _of_scenario(text, path, reference, settings)
    records = list(read_records(text, str(path)))
    if not records:
        raise SpecError(f"{path} has no trace: nothing was violated and no witness was reached")
    record = next((one for one in records if one["verdict"] == "violated"), records[0])
    given = [f"{name}={value}" for name, value in record["parameters"].items()]
    model = load(reference, settings) if reference else load(record["reference"], given)
    steps = (" ".join([one["action"], *_given(one["parameters"])]) for one in record["trace"])
    walk = Walk(model, start_of(model, record["initial"]))
    notes = [f"{path}: {record['property']}, {in_steps(len(record['trace']))}"]
    notes += _repeated(walk, steps)
    if isinstance(loop := record.get("loop"), int):
        notes.append(f"The steps after {in_steps(loop)} are repeated for ever.")
    return walk, notes


def _given(parameters: dict[str, Any]) -> Iterator[str]:
    return (f"{name}={quoted(str(label))}" for name, label in parameters.items())


def _of_scenario(
    text: str, path: Path, reference: str, settings: Sequence[str]
) -> tuple[Walk, list[str]]:
    first, *others = read_scenarios(text, str(path))
    number = sum(line.kind == "step" for line in first.lines)
    notes = [f"{path}: {first.title or 'a scenario'}, {in_steps(number)}"]
    if others:
        notes.append(f"It is the first of {len(others) + 1} scenarios in the file.")
    if not reference:
        played = play(first)
        return played.walk, notes + ([] if played.failure is None else [played.outcome])
    model = load(reference, settings)
    walk = Walk(model, start(model, first.initial))
    return walk, notes + list(
        _repeated(walk, (line.text for line in first.lines if line.kind == "step"))
    )


def _repeated(walk: Walk, steps: Iterator[str]) -> list[str]:
    """Take steps as long as they are possible; say which one is not."""
    for text in steps:
        try:
            walk.go(walk.find(text))
        except SpecError as error:
            return [f"It goes no further: {error}"]
    return []
