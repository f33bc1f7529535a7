"""Reads a log: one line of JSON for each thing that was noted.

A line says which step was taken, what was true after or before it, or both. It need not say all:
parameters, variables and whole steps may be missing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

from counterpoint.files import inputs
from counterpoint.models.runs.steps import Wanted, fitting, quoted, read
from counterpoint.spec.notation import Model, SpecError, Step, Values

KEYS = ("step", "action", "parameters", "state", "before", "time", "note")
"""What a line may have; ``time`` and ``note`` are for people."""

MOST_VALUES = 4096
"""So many values of a variable are compared with what a log says."""

Facts = tuple[tuple[int, str], ...]
"""The numbers of cells, each with the value that was logged, as text."""

Mapping_ = Callable[[Any], Any]


@dataclass(frozen=True)
class Line:
    """What a line of a log says.

    Attributes
    ----------
    number : int
        In the file, from 1 on.
    text : str
        What it says, in one line.
    action : str
        The action of the step; "" if it says none.
    steps : tuple of Step
        The steps that it can mean.
    before, after : Facts
        What was true before and after the step; without a step, ``after`` was true then.
    note : str
        What the line notes for people; "" if nothing.
    """

    number: int
    text: str
    action: str
    steps: tuple[Step, ...]
    before: Facts
    after: Facts
    note: str = ""


class LogError(SpecError):
    """A log is wrong; the message names its line."""


def lines_of(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file that are not empty, with their numbers from 1 on.

    Raises
    ------
    LogError
        If a line is longer than `inputs.LINE`.
    """
    try:
        for number, data in enumerate(inputs.lines_of(file), start=1):
            if data.strip():
                yield number, data
    except inputs.TooLargeError as error:
        raise LogError(str(error)) from None


def read_log(
    model: Model, lines: Iterable[tuple[int, bytes]], mapping: Mapping_ | None = None,
    by_time: bool = False,
) -> list[Line]:  # fmt: skip
    """Return the lines of a log.

    Parameters
    ----------
    model : Model
        The spec whose steps and variables they name.
    lines : iterable of (int, bytes)
        Numbers and contents; empty lines are left out.
    mapping : callable, optional
        Called with the value of each line; returns the value that stands for it here, a list of
        several, or None if the line says nothing.
    by_time : bool
        Whether the lines are put into the order of their times first; those of one time stay in
        the order in which they are.

    Raises
    ------
    LogError
        If a line is wrong.
    SpecError
        If the mapping raises an error.
    """
    values: Iterable[tuple[int, Any]] = ((number, _value(number, data)) for number, data in lines)
    return list(_read(model, sorted(values, key=_time) if by_time else values, mapping))


def read_lines(
    model: Model, lines: Iterable[tuple[int, bytes]], mapping: Mapping_ | None = None
) -> Iterator[Line]:
    """Yield the lines of a log one by one; parameters and errors are those of `read_log`."""
    return _read(model, ((number, _value(number, data)) for number, data in lines), mapping)


def _read(
    model: Model, values: Iterable[tuple[int, Any]], mapping: Mapping_ | None
) -> Iterator[Line]:
    reader = _Reader(model)
    for number, value in values:
        for one in _mapped(number, value, mapping):
            yield reader.line(number, one)


def _value(number: int, data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8-sig" if number == 1 else "utf-8"),
                          object_pairs_hook=_once, parse_constant=_no_number)  # fmt: skip
    except SpecError as error:
        raise LogError(f"line {number:,}: {error}") from None
    except UnicodeDecodeError:
        raise LogError(f"line {number:,}: it is not UTF-8") from None
    except (ValueError, RecursionError) as error:
        if not data.endswith(b"\n"):
            raise LogError(f"line {number:,}: the log breaks off within this line") from None
        what = error.msg if isinstance(error, json.JSONDecodeError) else type(error).__name__
        raise LogError(f"line {number:,}: it is no JSON: {what}") from None


def _time(line: tuple[int, Any]) -> float:
    """Return the time of a line with its number."""
    number, value = line
    if not isinstance(value, Mapping):
        raise LogError(f"line {number:,}: it is {type(value).__name__}, and no object in braces")
    time = value.get("time")
    if isinstance(time, bool) or not isinstance(time, int | float):
        has = "it has no 'time'" if time is None else f"'time' is a number, not {json.dumps(time)}"
        raise LogError(f"line {number:,}: {has}, by which the lines are put into order")
    return time


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; of two values of one key, neither is known to be meant."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise SpecError(f"the key {twice!r} stands twice in an object")
    return found


def _no_number(text: str) -> Any:
    raise SpecError(f"{text} is no value of JSON")


def _mapped(number: int, value: Any, mapping: Mapping_ | None) -> Iterator[Any]:
    if mapping is None:
        yield value
        return
    try:
        found = mapping(value)
    except Exception as error:
        name = getattr(mapping, "__name__", "the mapping")
        raise LogError(f"line {number:,}: {name} raised {type(error).__name__}: {error}") from error
    if isinstance(found, list | tuple):
        yield from found
    elif found is not None:
        yield found


class _Reader:
    def __init__(self, model: Model) -> None:
        self._model = model
        self._cells = {cell.label: k for k, cell in enumerate(model.cells)}
        self._known: dict[str, tuple[Step, ...]] = {}
        self._shown: dict[int, list[str | int | bool]] = {}

    def line(self, number: int, value: Any) -> Line:
        """Return what a line says."""
        if not isinstance(value, Mapping):
            raise LogError(f"line {number:,}: it is {type(value).__name__}, and no object in "
                           "braces")  # fmt: skip
        for key in value:
            if key not in KEYS:
                raise LogError(f"line {number:,}: it has the key {key!r}; known: "
                               f"{', '.join(KEYS)}")  # fmt: skip
        try:
            wanted = self._wanted(value)
            steps = () if wanted is None else self._steps(wanted)
            before, after = (self._facts(value.get(key), key) for key in ("before", "state"))
        except SpecError as error:
            raise LogError(f"line {number:,}: {error}") from None
        if wanted is None and not (before or after):
            raise LogError(f"line {number:,}: it names no step, and nothing of the state")
        if wanted is None and before:
            raise LogError(f"line {number:,}: 'before' needs a step; without one write 'state'")
        action = "" if wanted is None else wanted.action
        note = value.get("note") or ""
        return Line(number, self._text(wanted, before, after), action, steps, before, after,
                    note if isinstance(note, str) else json.dumps(note))  # fmt: skip

    def _wanted(self, value: Mapping[str, Any]) -> Wanted | None:
        """Return the step that a line names."""
        if "step" in value:
            if "action" in value or "parameters" in value:
                raise SpecError("it has 'step' as well as 'action' or 'parameters'")
            return read(_text(value["step"], "step"))
        if "action" not in value:
            if "parameters" in value:
                raise SpecError("it has 'parameters' without 'action'")
            return None
        given = value.get("parameters", {})
        if not isinstance(given, Mapping):
            raise SpecError('\'parameters\' is an object: {"t": "T0"}')
        named = tuple((name, _label(label, name)) for name, label in given.items())
        action = _text(value["action"], "action").replace("-", "_")
        said = " ".join([action, *(f"{name}={quoted(label)}" for name, label in named)])
        return Wanted(said, action, named, ())

    def _steps(self, wanted: Wanted) -> tuple[Step, ...]:
        if wanted.text not in self._known:
            self._known[wanted.text] = tuple(fitting(self._model, wanted, self._model.steps))
        return self._known[wanted.text]

    def _facts(self, given: Any, key: str) -> Facts:
        """Return the cells that a line is about, with their values."""
        if given is None:
            return ()
        if not isinstance(given, Mapping):
            raise SpecError(f'{key!r} is an object: {{"lock": true}}')
        found = []
        for label, value in given.items():
            if label not in self._cells:
                few = ", ".join(list(self._cells)[:8])
                more = f" and {len(self._cells) - 8:,} more" if len(self._cells) > 8 else ""
                raise SpecError(f"{self._model.name} has no variable {label!r} (it has: "
                                f"{few}{more})")  # fmt: skip
            text = _label(value, label)
            self._must_be_of(self._cells[label], label, value, text)
            found.append((self._cells[label], text))
        return tuple(found)

    def _must_be_of(self, number: int, label: str, value: Any, text: str) -> None:
        """Refuse a value that the variable cannot have because it is of another kind.

        A number outside of a variable's range is of the right kind; no run has it.
        """
        if number not in self._shown:
            cell = self._model.cells[number]
            last = min(cell.high, cell.low + MOST_VALUES)
            self._shown[number] = [
                self._model.show_value(cell, one) for one in range(cell.low, last + 1)
            ]
        shown = self._shown[number]
        cell = self._model.cells[number]
        if cell.high - cell.low > MOST_VALUES and type(value) is type(shown[0]):
            return  # not all are looked at: one that the variable cannot have is in no run
        if type(value) is int and any(type(one) is int for one in shown):
            return
        kinds = str if value is None else type(value)
        if any(type(one) is kinds and str(one) == text for one in shown):
            return
        many = f" and {len(shown) - 8:,} more" if len(shown) > 8 else ""
        known = ", ".join(json.dumps(one, ensure_ascii=False) for one in shown[:8])
        raise SpecError(f"{label!r} cannot be {json.dumps(value, ensure_ascii=False)} (it is one "
                        f"of: {known}{many})")  # fmt: skip

    def _text(self, wanted: Wanted | None, before: Facts, after: Facts) -> str:
        parts = [] if wanted is None else [wanted.text]
        for facts, word in ((before, "before it "), (after, "")):
            if facts:
                said = ", ".join(f"{self._model.cells[k].label} = {text}" for k, text in facts)
                parts.append(word + said)
        return "; ".join(parts)


def _text(value: Any, key: str) -> str:
    if not isinstance(value, str):
        raise SpecError(f"{key!r} is a text, and not {json.dumps(value)[:40]}")
    return value


def _label(value: Any, key: str = "") -> str:
    """Return a value of JSON as the text that stands for it in a spec."""
    if value is None:
        return "None"
    if isinstance(value, bool | int | str):
        return str(value)
    of = f"{key!r}: " if key else ""
    raise SpecError(f"{of}{json.dumps(value)[:40]} is no value of a variable or parameter")


def differences(model: Model, values: Values, facts: Facts) -> list[tuple[str, str, str]]:
    """Return where a state differs from facts: label, logged value, the state's value."""
    found = []
    for k, logged in facts:
        cell = model.cells[k]
        has = str(model.show_value(cell, values[k]))
        if has != logged:
            found.append((cell.label, logged, has))
    return found
