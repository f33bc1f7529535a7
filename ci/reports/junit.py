"""The outcomes as JUnit XML, with the time, file and line of each case."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

from counterpoint.models.present.formats import clean

from ..outcome import Case, Finding, Outcome
from .order import findings
from .places import from_top

WHOLE = "the whole as expected"
"""The case for findings that belong to no single property or measure."""


def junit(outcomes: Sequence[Outcome], folder: Path | None = None) -> str:
    """Return JUnit XML: a suite for each outcome, with a case for each of its parts.

    What fell is a failure, what is unknown an error; warnings are the output of their case. U+FFFD
    replaces characters that XML forbids.

    Parameters
    ----------
    outcomes : sequence of Outcome
    folder : Path, optional
        The folder to which places are relative; by default the present one.
    """
    root = ElementTree.Element("testsuites", name="counterpoint")
    for outcome in outcomes:
        root.append(_suite(outcome, folder or Path()))
    counted = ("tests", "failures", "errors", "skipped")
    for name in counted:
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    root.set("time", f"{sum(outcome.seconds for outcome in outcomes):.3f}")
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def _suite(outcome: Outcome, folder: Path) -> ElementTree.Element:
    suite = ElementTree.Element("testsuite", name=clean(outcome.name))
    for case, found in _cases(outcome):
        suite.append(_case(outcome, case, found, folder))
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(len(suite.findall("*/failure"))))
    suite.set("errors", str(len(suite.findall("*/error"))))
    suite.set("skipped", "0")
    suite.set("time", f"{outcome.seconds:.3f}")
    return suite


def _cases(outcome: Outcome) -> Iterator[tuple[Case, list[Finding]]]:
    """Yield each case with its findings, and the whole with those that no case has.

    A single case with the name of the outcome is the whole itself.
    """
    if [case.name for case in outcome.cases] == [outcome.name]:
        yield outcome.cases[0], findings(outcome)
        return
    names = {case.name for case in outcome.cases}
    for case in outcome.cases:
        yield case, [one for one in findings(outcome) if one.of == case.name]
    rest = max(0.0, outcome.seconds - sum(case.seconds for case in outcome.cases))
    yield Case(WHOLE, rest), [one for one in findings(outcome) if one.of not in names]


def _case(
    outcome: Outcome, case: Case, found: Sequence[Finding], folder: Path
) -> ElementTree.Element:
    element = ElementTree.Element(
        "testcase",
        classname=clean(_class_name(outcome)),
        name=clean(outcome.name if case.name == outcome.name else f"{outcome.name}: {case.name}"),
        time=f"{case.seconds:.3f}",
    )
    places = [*(one.place for one in found), case.place, outcome.place]
    place = next((from_top(one, folder) for one in places if one is not None), None)
    if place is not None:
        element.set("file", clean(place.path))
        element.set("line", str(place.line))
    wrong = [one for one in found if one.level != "warning"]
    if wrong:
        _add_fault(element, outcome, wrong)
    if len(wrong) < len(found):
        warned = [f"Warning: {one.text}" for one in found if one.level == "warning"]
        ElementTree.SubElement(element, "system-out").text = clean("\n".join(warned))
    return element


def _class_name(outcome: Outcome) -> str:
    """Return kind and group with dots between their parts, as Jenkins divides them: no ``.py``."""
    parts = [outcome.kind, *re.split(r"[/:]", re.sub(r"\.py\b", "", outcome.group))]
    return ".".join(part for part in parts if part)


def _add_fault(element: ElementTree.Element, outcome: Outcome, wrong: Sequence[Finding]) -> None:
    """Add a failure if one of the findings fell, else an error."""
    fell = wrong[0].level == "fell"  # the worst is the first
    texts = [one.text for one in wrong]
    fault = ElementTree.SubElement(
        element,
        "failure" if fell else "error",
        message=clean("; ".join(texts)),
        type="fell" if fell else "unknown",
    )
    again = [f"To reproduce: {outcome.again}"] if outcome.again else []
    fault.text = clean("\n".join([*texts, *again]))
