"""Verdicts as JSON, as JUnit XML, and as annotations of GitHub's workflows."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree

from .verdict import Verdict


def command(verdict: Verdict) -> str:
    """Return the command line that reproduces a verdict."""
    model = verdict.model
    parts = ["counterpoint", "check", model.reference]
    for name, value in model.changed_parameters().items():
        parts += ["--set", f"{name}={value}"]
    parts += ["--property", verdict.claim.name]
    if verdict.engine != "exhaustive":
        parts += ["--engine", verdict.engine]
    return shlex.join(parts)


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


def as_junit(suites: Iterable[tuple[str, Sequence[Verdict]]]) -> str:
    """Return JUnit XML with a suite for each name, a case for each property.

    Parameters
    ----------
    suites : iterable of (str, sequence of Verdict)
        A violated property is a failure, an unknown one an error.
    """
    root = ElementTree.Element("testsuites", name="counterpoint")
    for name, verdicts in suites:
        answers = [v.answer for v in verdicts]
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=name,
            tests=str(len(verdicts)),
            failures=str(answers.count("violated")),
            errors=str(answers.count("unknown")),
            skipped="0",
            time=f"{max((v.seconds for v in verdicts), default=0.0):.3f}",
        )
        for verdict in verdicts:
            _case(suite, name, verdict)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def _case(suite: ElementTree.Element, name: str, verdict: Verdict) -> None:
    case = ElementTree.SubElement(
        suite,
        "testcase",
        classname=name.replace(" ", "."),
        name=verdict.claim.name,
        time=f"{verdict.seconds:.3f}",
    )
    if verdict.answer == "holds":
        return
    tag = "failure" if verdict.answer == "violated" else "error"
    fault = ElementTree.SubElement(case, tag, message=title(verdict), type=verdict.answer)
    fault.text = details(verdict)


def suite_name(verdict: Verdict) -> str:
    """Return the name of the JUnit suite of a verdict: spec, parameters, engine."""
    changed = verdict.model.changed_parameters().items()
    return " ".join([verdict.model.name, *(f"{n}={v}" for n, v in changed), verdict.engine])


def by_suite(verdicts: Sequence[Verdict]) -> list[tuple[str, list[Verdict]]]:
    """Return verdicts grouped by `suite_name`, in order."""
    groups: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        groups.setdefault(suite_name(verdict), []).append(verdict)
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
