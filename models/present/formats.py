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


def command_line(
    reference: str,
    parameters: Mapping[str, Any],
    engine: str = "exhaustive",
    properties: Sequence[str] = (),
    options: Options | None = None,
) -> str:
    """Return the command line of a check."""
    parts = ["counterpoint", "check", reference]
    for name, value in parameters.items():
        parts += ["--set", f"{name}={value}"]
    for name in properties:
        parts += ["--property", name]
    parts += [] if engine == "exhaustive" else ["--engine", engine]
    for name, value in vars(options or Options()).items():
        if value != getattr(Options(), name) and name != "smtlib":  # where it was not wanted before
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
    return f"{verdict.model.name}{given}: {verdict.claim.name} {said(verdict)}"


def said(verdict: Verdict) -> str:
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
class Case:
    """A test case for JUnit; violated is a failure, unknown an error, holds a pass."""

    name: str
    answer: str
    message: str
    text: str
    seconds: float


def case(verdict: Verdict) -> Case:
    """Return a verdict as a test case."""
    text = "" if verdict.answer == "holds" else details(verdict)
    return Case(verdict.claim.name, verdict.answer, title(verdict), text, verdict.seconds)


def as_junit(suites: Iterable[tuple[str, Sequence[Case]]]) -> str:
    """Return JUnit XML with a suite for each name; what XML cannot hold is shown as U+FFFD."""
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


def _add_case(suite: ElementTree.Element, name: str, of: Case) -> None:
    added = ElementTree.SubElement(
        suite,
        "testcase",
        classname=clean(name.replace(" ", ".")),
        name=clean(of.name),
        time=f"{of.seconds:.3f}",
    )
    if of.answer != "holds":
        tag = "failure" if of.answer == "violated" else "error"
        fault = ElementTree.SubElement(added, tag, message=clean(of.message), type=of.answer)
        fault.text = clean(of.text)


_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(text: str) -> str:
    """Return a text with U+FFFD for each character that XML cannot hold."""
    return _NO_XML.sub("\ufffd", text)


def suite_name(verdict: Verdict) -> str:
    """Return the name of the JUnit suite of a verdict: spec, parameters, engine."""
    changed = verdict.model.changed_parameters().items()
    return " ".join([verdict.model.name, *(f"{n}={v}" for n, v in changed), verdict.engine])


def by_suite(verdicts: Sequence[Verdict]) -> list[tuple[str, list[Case]]]:
    """Return verdicts as test cases, grouped by `suite_name`, in order."""
    groups: dict[str, list[Case]] = {}
    for verdict in verdicts:
        groups.setdefault(suite_name(verdict), []).append(case(verdict))
    return list(groups.items())


def as_github(verdicts: Sequence[Verdict]) -> str:
    """Return an annotation for each property: error, warning (unknown) or notice."""
    levels = {"violated": "error", "unknown": "warning", "holds": "notice"}
    lines = []
    for verdict in verdicts:
        message = title(verdict)
        if verdict.answer != "holds":
            message += "\n" + details(verdict)
        lines.append(annotation(levels[verdict.answer], f"counterpoint {verdict.engine}", message))
    return "\n".join(lines)


def annotation(level: str, heading: str, message: str) -> str:
    """Return a workflow command with its special characters escaped."""

    def escaped(text: str, *more: tuple[str, str]) -> str:
        for old, new in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"), *more):
            text = text.replace(old, new)
        return text

    return f"::{level} title={escaped(heading, (':', '%3A'), (',', '%2C'))}::{escaped(message)}"
