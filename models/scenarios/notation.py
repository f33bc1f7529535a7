"""The text of scenarios: a head that names the spec, then steps and expectations, one a line.

::

    scenario: T0 reads an old x and a new y
    spec: window-stm
    set: fetch-and-increment=old

    # T0 reads x before T1 overwrites it.
    begin T0
    read T0 x
    expect source[T0, x] == FIRST
    must T0: read; write; commit_read_only

A line that begins with ``#`` is a remark. A file may have several scenarios; what stands before the
first ``scenario:`` is the head of all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from counterpoint.spec.notation import SpecError

Kind = Literal["step", "expect", "must", "for ever"]

_KEY = re.compile(r"(scenario|spec|set|initial|step)\s*:\s*(.*)")
_RULE = re.compile(r"(expect|must)\b\s*(.*)")
FOR_EVER = "for ever:"


class ScenarioError(SpecError):
    """A scenario cannot be read, or names something that its spec does not have."""


@dataclass(frozen=True)
class Line:
    """A step, or something that is expected.

    Attributes
    ----------
    number : int
        The number of the line, from 1 on.
    kind : str
        ``step``, ``expect``, ``must``, or ``for ever`` where the cycle of a lasso begins.
    text : str
        Without the word that says the kind.
    """

    number: int
    kind: Kind
    text: str


@dataclass
class Scenario:
    """A scenario as it was read.

    Attributes
    ----------
    name : str
        The name of its text, for messages: a file.
    number : int
        The line where it begins.
    title : str
    spec : str
        The reference of the spec; "" if none is named.
    settings : list of str
        Parameters as ``name=value``.
    initial : list of str
        What is true of the initial state, as ``cell = value``.
    lines : list of Line
    """

    name: str
    number: int = 1
    title: str = ""
    spec: str = ""
    settings: list[str] = field(default_factory=list)
    initial: list[str] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)

    def error(self, text: str, number: int = 0) -> ScenarioError:
        """Return an error about a line, by default the first one."""
        return ScenarioError(f"{self.name}:{number or self.number}: {text}")


def read_scenarios(text: str, name: str) -> list[Scenario]:
    """Return the scenarios of a text.

    Parameters
    ----------
    text : str
    name : str
        Its name, for messages.

    Raises
    ------
    ScenarioError
        If a line cannot be read, there is no scenario, or one has no spec or no step and no
        expectation; the message has the line.
    """
    head = Scenario(name)
    found: list[Scenario] = []
    for number, line in _lines(text):
        now = found[-1] if found else head
        key = _KEY.fullmatch(line)
        if key is not None and key[1] == "scenario":
            if head.lines or not key[2]:
                raise head.error("scenario: stands before the steps, and has a title", number)
            settings, initial = list(head.settings), list(head.initial)
            found.append(Scenario(name, number, key[2], head.spec, settings, initial))
        elif key is not None and key[1] != "step":
            _add_to_head(now, key[1], key[2], number)
        else:
            now.lines.append(_line(now, line, number))
    for one in found or [head]:
        if not one.spec:
            raise one.error("a scenario names its spec, as in spec: window-stm")
        if not one.lines:
            raise one.error("the scenario has no step and no expectation")
    return found or [head]


def body(text: str) -> list[Line]:
    """Return the lines of a text without a head, whatever they are indented by.

    Raises
    ------
    SpecError
        If a line cannot be read.
    """
    nobody = Scenario("line")
    return [_line(nobody, line, number) for number, line in _lines(text)]


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        bare = line.strip()
        if bare and not bare.startswith("#"):
            yield number, bare


def _add_to_head(scenario: Scenario, key: str, value: str, number: int) -> None:
    if scenario.lines:
        raise scenario.error(f"{key}: stands before the steps", number)
    if not value:
        raise scenario.error(f"{key}: has no value", number)
    if key == "spec":
        scenario.spec = value
    elif "=" not in value:
        of = "a parameter" if key == "set" else "a variable"
        raise scenario.error(f"{key}: {value!r} is no value of {of}, as in name=value", number)
    elif key == "set":
        scenario.settings.append(re.sub(r"\s*=\s*", "=", value, count=1))
    else:
        scenario.initial.append(value)


def _line(scenario: Scenario, line: str, number: int) -> Line:
    if line.replace(" ", "") == FOR_EVER.replace(" ", ""):
        return Line(number, "for ever", "")
    if line.startswith("step:"):
        return Line(number, "step", line.removeprefix("step:").strip())
    if rule := _RULE.fullmatch(line):
        if not rule[2]:
            raise scenario.error(f"{rule[1]} says nothing", number)
        return Line(number, "expect" if rule[1] == "expect" else "must", rule[2])
    return Line(number, "step", line)
