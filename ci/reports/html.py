"""The report as one HTML page: what fell first, then the rest by spec, by web and by crawler."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from counterpoint.models.present.formats import answer_in_words

from ..outcome import Finding, Outcome
from .counterexamples import Pages, drawn
from .order import ANSWERS, KINDS, MARKS, counted, findings, grouped, totals
from .values import Value, acceptance, values

if TYPE_CHECKING:
    from counterpoint.models.verdict import Verdict

TEMPLATES = Path(__file__).with_name("templates")

OPEN = 20
"""Outcomes that are not as expected are open if there are at most so many."""


@dataclass(frozen=True)
class Property:
    """A property of a check, as the page shows it.

    Attributes
    ----------
    name, meaning : str
    answer : str
        The verdict in words.
    wrong : bool
        Whether it is not as expected.
    why : tuple of str
        Why it is violated.
    link : str
        The page of the counterexample; "" if there is none.
    """

    name: str
    meaning: str
    answer: str
    wrong: bool
    why: tuple[str, ...]
    link: str


@dataclass(frozen=True)
class Row:
    """An outcome, as the page shows it.

    Attributes
    ----------
    outcome : Outcome
    number : int
        Its place among the outcomes, from 1 on.
    why : str
        What it shows, in one or more sentences.
    effort : tuple of str
        States, pages, seconds.
    findings : list of Finding
        The worst first.
    properties : list of Property
        Those of a check.
    chart : str
        The shortest counterexample that is not expected, as text; "" if there is none.
    figures : list of Markup
        Curves of measures that changed.
    values : list of Value
        The measures of a policy or a crawler.
    accept : str
        The command that makes what fell the baseline; "" if there is none.
    """

    outcome: Outcome
    number: int
    why: str
    effort: tuple[str, ...]
    findings: list[Finding]
    properties: list[Property]
    chart: str
    figures: list[Markup]
    values: list[Value]
    accept: str


@dataclass(frozen=True)
class Group:
    """Rows of a section that have the same spec, web, or kind."""

    kind: str
    name: str
    counted: str
    rows: list[Row]


@dataclass(frozen=True)
class Section:
    """A part of the page; its groups may be folded."""

    heading: str
    number: int
    groups: list[Group]
    folded: bool

    @property
    def name(self) -> str:
        """The name in the address of the section."""
        return self.heading.lower().replace(" ", "-")


def page(outcomes: Sequence[Outcome], seconds: float, pages: Pages) -> str:
    """Return the page, which needs no other files and no scripts.

    Parameters
    ----------
    outcomes : sequence of Outcome
    seconds : float
        The time that the gate took.
    pages : mapping
        The pages of counterexamples, see `write_counterexamples`.
    """
    rows = [_row(number, one, pages) for number, one in enumerate(outcomes, start=1)]
    sections = [section for section in _sections(rows) if section.groups]
    unexpected = sum(one.answer != "as expected" for one in outcomes)
    script = (TEMPLATES / "filter.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    answers = [one.answer for one in outcomes]
    return _template().render(
        total=totals(outcomes),
        worst=next((a for a in ANSWERS if a in answers), "as expected"),
        seconds=seconds,
        sections=sections,
        answers=[answer for answer in ANSWERS if answer in answers],
        kinds=[kind for kind in KINDS if any(one.kind == kind for one in outcomes)],
        plurals=KINDS,
        marks=MARKS,
        opened=unexpected <= OPEN,
        style=Markup((TEMPLATES / "style.css").read_text(encoding="utf-8")),
        script=Markup(script),
        digest=digest,
    )


def _sections(rows: Sequence[Row]) -> Iterator[Section]:
    good = [row for row in rows if row.outcome.answer == "as expected"]
    for answer in ANSWERS[:2]:
        own = [row for row in rows if row.outcome.answer == answer]
        yield Section(answer.capitalize(), len(own), _groups(own), folded=False)
    for heading, own in (
        ("Warnings", [row for row in good if row.findings]),
        ("As expected", [row for row in good if not row.findings]),
    ):
        yield Section(heading, len(own), _groups(own), folded=heading != "Warnings")


def _groups(rows: Iterable[Row]) -> list[Group]:
    own = {id(row.outcome): row for row in rows}
    return [
        Group(kind, name, counted(len(outcomes), kind), [own[id(one)] for one in outcomes])
        for (kind, name), outcomes in grouped(row.outcome for row in own.values()).items()
    ]


def _row(number: int, outcome: Outcome, pages: Pages) -> Row:
    found = findings(outcome)
    wrong = {one.of for one in found if one.of and one.level != "warning"}
    verdicts: Sequence[Verdict] = ()
    if outcome.kind == "check" and outcome.detail is not None:
        verdicts = outcome.detail.verdicts
    return Row(
        outcome,
        number,
        _why(outcome, verdicts),
        _effort(outcome, verdicts),
        found,
        [_property(v, v.claim.name in wrong, pages.get((number, v.claim.name), ""))
         for v in verdicts],
        drawn(outcome),
        _figures(outcome),
        values(outcome),
        acceptance(outcome),
    )  # fmt: skip


def _why(outcome: Outcome, verdicts: Sequence[Verdict]) -> str:
    if not verdicts:
        return outcome.why
    answers = [v.answer for v in verdicts]
    broken, number = answers.count("violated"), len(answers)
    counts = "" if "unknown" in [*answers, outcome.answer] else f"All {number} properties hold."
    if broken:
        counts = f"{broken} of {number} properties violated."
    return " ".join(part for part in (outcome.detail.shown, counts) if part)


def _effort(outcome: Outcome, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    seconds = (f"{outcome.seconds:.1f} s",) if outcome.kind != "baseline" else ()
    return (*_amount(outcome, verdicts), *seconds)


def _amount(outcome: Outcome, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """Return how much was done: states, pages, or runs."""
    if verdicts and verdicts[0].states is not None:
        return (f"{verdicts[0].states:,} states",)
    if outcome.kind == "crawler" and outcome.detail is not None:
        number = len(outcome.detail.runs)
        return (f"{number} run" if number == 1 else f"{number} runs",)
    now = outcome.detail.now if outcome.kind == "policy" and outcome.detail is not None else None
    if now is None or not now.digests:
        return ()
    return (f"{now.steps[-1] if now.steps else now.budget:,} pages", f"{len(now.digests)} webs")


def _property(verdict: Verdict, wrong: bool, link: str) -> Property:
    words = answer_in_words(verdict)
    if verdict.answer == "violated" and not wrong:
        words += ", as expected"
    claim = verdict.claim
    return Property(
        claim.name, claim.description, words, wrong, tuple(verdict.explanation.lines), link
    )


def _figures(outcome: Outcome) -> list[Markup]:
    """Return the curves of a policy's measures that changed."""
    if outcome.kind != "policy" or outcome.detail is None or outcome.answer == "as expected":
        return []
    from .figures import figures  # it needs NumPy, which checks of specs can do without

    return figures(outcome.detail)


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html.j2")
