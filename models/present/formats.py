"""Verdicts as JSON, as JUnit XML, and as annotations of GitHub's workflows."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from counterpoint.models.checking.engines import Options
from counterpoint.models.verdict import Verdict

_NOT_REPEATED = frozenset({"smtlib", "compared"})
"""Options that are no part of a verdict: where files are written, and what no command line sets."""


def command_line(
    reference: str,
    parameters: Mapping[str, Any],
    engine: str = "exhaustive",
    properties: Sequence[str] = (),
    options: Options | None = None,
) -> str:
    """Return the command line of a check.

    Parameters
    ----------
    reference : str
        The spec, as `loading.load` takes it.
    parameters : mapping
        Values of parameters, by name.
    engine : str
        A name of `engines.ENGINES`.
    properties : sequence of str
        The properties to check; all if empty.
    options : Options, optional
        Options of the engine; defaults are left out.
    """
    parts = ["counterpoint", "check", reference]
    for name, value in parameters.items():
        parts += ["--set", f"{name}={value}"]
    for name in properties:
        parts += ["--property", name]
    parts += [] if engine == "exhaustive" else ["--engine", engine]
    for name, value in vars(options or Options()).items():
        if value != getattr(Options(), name) and name not in _NOT_REPEATED:
            several = value if isinstance(value, tuple) else (value,)
            option = f"--{name.replace('_', '-')}"
            parts += [part for one in several for part in (option, str(one))]
    return shlex.join(parts)


def command(verdict: Verdict) -> str:
    """Return the command line that reproduces a verdict."""
    model = verdict.model
    changed = model.changed_parameters()
    only = [verdict.claim.name]
    return command_line(model.reference, changed, verdict.engine, only, verdict.asked)


def as_json(verdicts: Sequence[Verdict]) -> str:
    """Return a JSON list with one object for each property."""
    return json.dumps([v.to_json() for v in verdicts], indent=2, ensure_ascii=False)


def title(verdict: Verdict) -> str:
    """Return a verdict in one line."""
    changed = verdict.model.changed_parameters()
    given = "".join(f" {name}={value}" for name, value in changed.items())
    return f"{verdict.model.name}{given}: {verdict.claim.name} {answer_in_words(verdict)}"


def answer_in_words(verdict: Verdict) -> str:
    """Return the answer and how far it reaches, in words."""
    if verdict.answer == "unknown":
        return f"unknown: {verdict.reason}"
    if verdict.answer == "holds":
        if verdict.claim.kind == "sometimes":
            return f"reached after {verdict.extent}"
        return f"holds ({verdict.extent})"
    if verdict.claim.kind == "sometimes":
        return f"violated: {verdict.reason}"
    return f"violated after {verdict.extent}"


def details(verdict: Verdict) -> str:
    """Return the trace and its explanation as plain text."""
    lines = []
    if verdict.trace is not None:
        show = verdict.model.show_step
        lines += [f"{i + 1:3} {show(s)}" for i, s in enumerate(verdict.trace.steps)]
    lines += [verdict.reason] if verdict.reason else []
    lines += verdict.explanation.lines
    lines.append(f"To reproduce: {command(verdict)}")
    return "\n".join(lines)


@dataclass(frozen=True)
class JUnitCase:
    """A test case for JUnit; violated is a failure, unknown an error, holds a pass."""

    name: str
    answer: str
    message: str
    text: str
    seconds: float


def case(verdict: Verdict) -> JUnitCase:
    """Return a verdict as a test case."""
    text = "" if verdict.answer == "holds" else details(verdict)
    return JUnitCase(verdict.claim.name, verdict.answer, title(verdict), text, verdict.seconds)


def as_junit(suites: Iterable[tuple[str, Sequence[JUnitCase]]]) -> str:
    """Return JUnit XML with a suite for each name; U+FFFD replaces characters that XML forbids."""
    root = ElementTree.Element("testsuites", name="counterpoint")
    for name, cases in suites:
        answers = [c.answer for c in cases]
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=clean(name),
            tests=str(len(cases)),
            failures=str(answers.count("violated")),
            errors=str(answers.count("unknown")),
            skipped="0",
            time=f"{max((c.seconds for c in cases), default=0.0):.3f}",
        )
        for one in cases:
            _add_case(suite, name, one)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def _add_case(suite: ElementTree.Element, name: str, case: JUnitCase) -> None:
    added = ElementTree.SubElement(
        suite,
        "testcase",
        classname=clean(name.replace(" ", ".")),
        name=clean(case.name),
        time=f"{case.seconds:.3f}",
    )
    if case.answer != "holds":
        tag = "failure" if case.answer == "violated" else "error"
        fault = ElementTree.SubElement(added, tag, message=clean(case.message), type=case.answer)
        fault.text = clean(case.text)


_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(text: str) -> str:
    """Return a text with U+FFFD in place of each character that XML forbids."""
    return _NO_XML.sub("\ufffd", text)


def suite_name(verdict: Verdict) -> str:
    """Return the name of the JUnit suite of a verdict: spec, parameters, engine."""
    changed = verdict.model.changed_parameters().items()
    return " ".join([verdict.model.name, *(f"{n}={v}" for n, v in changed), verdict.engine])


def by_suite(verdicts: Sequence[Verdict]) -> list[tuple[str, list[JUnitCase]]]:
    """Return verdicts as test cases, grouped by spec and `suite_name`, in order.

    Where two specs have one name, the names of their suites also have their references.
    """
    groups: dict[tuple[str, str], list[JUnitCase]] = {}
    for verdict in verdicts:
        key = (suite_name(verdict), verdict.model.reference)
        groups.setdefault(key, []).append(case(verdict))
    names = [name for name, _ in groups]
    return [
        (name if names.count(name) == 1 else f"{name} {reference}", cases)
        for (name, reference), cases in groups.items()
    ]


def annotation(level: str, heading: str, message: str, file: str = "", line: int = 0) -> str:
    """Return a workflow command of GitHub, with special characters escaped.

    Parameters
    ----------
    level : str
        ``error``, ``warning`` or ``notice``.
    heading, message : str
        The title of the annotation, and its text.
    file : str
        Where it is shown, relative to the top of the repository; "" for nowhere.
    line : int
        The line of the file, from 1 on; 0 for none.
    """
    properties = {"file": file, "line": str(line) if file and line else "", "title": heading}
    given = ",".join(f"{name}={_property(v)}" for name, v in properties.items() if v)
    return f"::{level} {given}::{_message(message)}"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
