"""Makes uniform outcomes from the results of checks, policies and crawlers."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterpoint.models.loading import find
from counterpoint.models.present.formats import command_line, details, title
from counterpoint.models.verdict import Verdict
from counterpoint.spec.notation import SpecError

from .gate import JobOutcome
from .job import Job
from .outcome import Case, Finding, Level, Outcome, Place

if TYPE_CHECKING:  # they load numba
    from .crawlers import CrawlerResult
    from .regression.judging import PolicyResult

PRUNE = "counterpoint gate --prune"


def of_check(outcome: JobOutcome) -> Outcome:
    """Return the outcome of a check."""
    job = outcome.job
    places = {v.claim.name: _of_method(job.reference, v.claim.method) for v in outcome.verdicts}
    seconds = {v.claim.name: v.seconds for v in outcome.verdicts}
    findings = [
        Finding(text, level, name, places.get(name) or _named_in(text) or job.place)
        for level, found in _decided(outcome)
        for name, text in found
    ]
    return Outcome(
        "check",
        group_of(job.reference),
        job.name,
        outcome.shown,
        tuple(findings),
        outcome.seconds,
        reproducing(job),
        job.place,
        tuple(Case(name, seconds[name], places[name] or job.place) for name in places),
        outcome,
    )


_NAMED = re.compile(r"(?P<path>[^\n]+?\.py):(?P<line>\d+): ")
"""A message about a line of a file, such as that of a `SpecError` from loading a spec."""


def _named_in(text: str) -> Place | None:
    """Return the place that a message begins with; None if it names no line of a file."""
    named = _NAMED.match(text)
    if named is None or not Path(named["path"]).is_file():
        return None
    return _near(named["path"], int(named["line"]))


_LEVELS: dict[str, Level] = {"violated": "fell", "unknown": "unknown"}


def of_verdict(verdict: Verdict) -> Outcome:
    """Return the outcome of one property, which should hold."""
    reference = verdict.model.reference
    place = _of_method(reference, verdict.claim.method)
    text = f"{title(verdict)}\n{details(verdict)}"
    findings = () if verdict.answer == "holds" else (
        Finding(text, _LEVELS[verdict.answer], verdict.claim.name, place),
    )  # fmt: skip
    name = f"{reference} · {verdict.engine} · {verdict.claim.name}"
    return Outcome("check", group_of(reference), name, "", findings, verdict.seconds, place=place)


def group_of(reference: str) -> str:
    """Return the spec of a reference, without the name of a mutant.

    Examples
    --------
    >>> group_of("tl2/no-lock"), group_of("specs/buffer.py:Buffer/no-guard")
    ('tl2', 'specs/buffer.py:Buffer')
    """
    path, colon, name = reference.partition(":")
    if colon:
        return f"{path}:{name.partition('/')[0]}"
    file, ending, _ = path.partition(".py")
    return file + ending if ending else path.partition("/")[0]


def _decided(outcome: JobOutcome) -> Iterator[tuple[Level, tuple[tuple[str, str], ...]]]:
    yield "fell", outcome.surprises
    yield "unknown", outcome.unknown


def reproducing(job: Job) -> str:
    """Return the command that runs a job alone."""
    return command_line(job.reference, job.parameters, job.engine, job.only, job.options)


@cache
def _of_method(reference: str, method: str) -> Place | None:
    """Return the place of a property; None if it is no method, or its spec cannot be loaded."""
    try:
        return place_of(getattr(find(reference), method, None)) if method else None
    except SpecError:
        return None


def place_of(thing: Callable[..., Any] | None) -> Place | None:
    """Return the file and the first line of a function or a class; None if there is none."""
    try:
        # None is a TypeError, which is caught below
        thing = inspect.unwrap(thing)  # type: ignore[arg-type]
        file, (source, line) = inspect.getsourcefile(thing), inspect.getsourcelines(thing)
    except (TypeError, OSError, ValueError):
        return None
    if file is None:
        return None
    starts = ("def ", "class ", "async def ")
    line += next((n for n, text in enumerate(source) if text.lstrip().startswith(starts)), 0)
    return _near(file, line)


def _near(file: str, line: int) -> Place:
    """Return a place with a path from the present folder, if the file is in it."""
    path = Path(file).absolute()
    inside = path.is_relative_to(Path.cwd())
    return Place(str(path.relative_to(Path.cwd()) if inside else path), line)


def of_policy(result: PolicyResult, place: Place | None = None) -> Outcome:
    """Return the outcome of a policy on one web.

    Parameters
    ----------
    result : PolicyResult
    place : Place, optional
        The row of the configuration.
    """
    from counterpoint.studies.comparison.plan import STEP_LIMIT

    policy, _, web = result.name.rpartition(" on ")
    again = f"counterpoint gate {shlex.quote(result.name)}"
    if result.step_limit != STEP_LIMIT:
        again += f" --step-limit {result.step_limit:g}"
    mended_at = _of_policy(policy) or place
    findings = [Finding(text, "fell", "", mended_at) for text in result.changes]
    if result.unknown:
        findings.append(Finding(result.unknown, "unknown", "", mended_at))
    return Outcome(
        "policy", web, result.name, "", tuple(findings), result.seconds, again, place,
        (Case(result.name, result.seconds, mended_at),), result,
    )  # fmt: skip


def _of_policy(name: str) -> Place | None:
    """Return the place of a user's policy."""
    from counterpoint.crawler.errors import CrawlError
    from counterpoint.crawler.schedulers.finding import find as find_policy

    try:
        make: Any = find_policy(name).policy.make if ":" in name else None
    except CrawlError:
        return None
    return place_of(getattr(make, "found", make))


def of_crawler(result: CrawlerResult, place: Place | None = None) -> Outcome:
    """Return the outcome of a crawler.

    Parameters
    ----------
    result : CrawlerResult
    place : Place, optional
        The row of the configuration.
    """
    case = result.case
    return Outcome(
        "crawler", short_name(case.web), case.name, "", tuple(_of_crawler(result, place)),
        result.seconds, result.again, place, (Case(case.name, result.seconds, place),), result,
    )  # fmt: skip


def _of_crawler(result: CrawlerResult, place: Place | None) -> Iterator[Finding]:
    """Yield the findings; the first one has the details, a line each."""
    decided: list[tuple[Level, str]] = [("fell", text) for text in result.fell]
    decided += [("unknown", text) for text in result.unknown]
    for number, (level, text) in enumerate(decided):
        lines = (text, *result.details) if number == 0 else (text,)
        yield Finding("\n".join(lines), level, place=place)
    for text in result.warnings:
        yield Finding(text, "warning", place=place)


def short_name(web: str) -> str:
    """Return the name of a profile; of a file, its name without the folder and the ending."""
    return Path(web).stem if web.endswith(".toml") else web


def of_unused(path: Path, name: str) -> Outcome:
    """Return the outcome for the baseline of something that the configuration does not name."""
    text = f"the baseline of {name} is not used; {PRUNE} removes it"
    return Outcome(
        "baseline", "", str(path), "", (Finding(text, "fell", "", Place(str(path), 1)),),
        again=PRUNE, cases=(Case(str(path)),),
    )  # fmt: skip
