"""What a configuration asks of the gate, or the part of it that a user names."""

from __future__ import annotations

import difflib
import fnmatch
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterpoint.sim_web import profile
from counterpoint.sim_web.errors import WebError
from counterpoint.spec.notation import SpecError

from . import checks, scenarios
from .configuration import Configuration, ConfigurationError
from .configuration.schema import CrawlerTable, PoliciesTable
from .converting import short_name
from .job import Job
from .outcome import Kind, Place
from .scenarios import ScenarioFile

if TYPE_CHECKING:  # they load numba
    from .crawlers import CrawlerCase
    from .regression.cases import RegressionCase

KINDS: dict[str, Kind] = {
    "checks": "check",
    "scenarios": "scenario",
    "policies": "policy",
    "crawlers": "crawler",
}
"""The kinds of entries, as ``--only`` names them."""


@dataclass(frozen=True)
class Entry:
    """One row of the gate.

    Attributes
    ----------
    kind : str
        ``check``, ``scenario``, ``policy`` or ``crawler``.
    name : str
        One line.
    labels : tuple of str
        The names by which a user can ask for it.
    place : Place
        The row of the configuration.
    what : object
        The `Job`, the `ScenarioFile`, the `RegressionCase` with one policy, or the `CrawlerCase`.
    why : str
    row : int
        The number of the table of a policy. Several tables can have one line.
    """

    kind: Kind
    name: str
    labels: tuple[str, ...]
    place: Place
    what: Any
    why: str = ""
    row: int = 0


@dataclass(frozen=True)
class GatePlan:
    """The entries that a run of the gate works on.

    Attributes
    ----------
    entries : tuple of Entry
        Those that are chosen.
    everything : tuple of Entry
        Those of the whole configuration, or of the only kind that was asked for.
    is_whole : bool
        Whether all entries of all kinds are chosen.
    """

    entries: tuple[Entry, ...]
    everything: tuple[Entry, ...]
    is_whole: bool = True

    @property
    def jobs(self) -> list[Job]:
        """The chosen checks."""
        return [one.what for one in self.entries if one.kind == "check"]

    @property
    def scenarios(self) -> list[ScenarioFile]:
        """The chosen files of scenarios."""
        return [one.what for one in self.entries if one.kind == "scenario"]

    @property
    def cases(self) -> list[RegressionCase]:
        """The chosen policies, those of one row together."""
        return _joined(self.entries)

    @property
    def all_cases(self) -> list[RegressionCase]:
        """All policies."""
        return _joined(self.everything)

    @property
    def crawlers(self) -> list[CrawlerCase]:
        """The chosen crawlers."""
        return [one.what for one in self.entries if one.kind == "crawler"]

    @property
    def all_crawlers(self) -> list[CrawlerCase]:
        """All crawlers."""
        return [one.what for one in self.everything if one.kind == "crawler"]

    def place(self, kind: Kind, name: str) -> Place | None:
        """Return the row of an entry."""
        found = (one.place for one in self.everything if (one.kind, one.name) == (kind, name))
        return next(found, None)


def _joined(entries: Iterable[Entry]) -> list[RegressionCase]:
    rows: dict[int, Any] = {}
    for one in entries:
        if one.kind == "policy":
            before = rows.get(one.row)
            policies = (*before.policies, *one.what.policies) if before else one.what.policies
            rows[one.row] = replace(one.what, policies=policies)
    return list(rows.values())


def plan(
    configuration: Configuration, names: Sequence[str] = (), only: Kind | None = None,
    start: Path | None = None,
) -> GatePlan:  # fmt: skip
    """Return what a configuration asks for; its folder must be the current one.

    Parameters
    ----------
    configuration : Configuration
    names : sequence of str
        The chosen entries: names or patterns of specs, files, policies, webs or crawlers; all
        entries if there are none.
    only : str, optional
        The kind of entries.
    start : Path, optional
        The folder in which a user stands, who may name files relative to it; by default that of
        the configuration.

    Raises
    ------
    ConfigurationError
        If a file, a profile, a policy or a spec of the configuration does not exist.
    SpecError
        If a name chooses nothing.
    """
    everything: list[Entry] = []
    if only in (None, "check"):
        everything += map(_check, checks.jobs(configuration))
    if only in (None, "scenario"):
        everything += map(_scenario, scenarios.files(configuration))
    if only in (None, "policy"):
        for number, row in enumerate(configuration.document.policies):
            _must_be_measured(row, configuration, number)
            everything += _policies(row, configuration.place("policies", number), number)
    if only in (None, "crawler"):
        everything += _crawlers(configuration)
    _must_differ(everything)
    chosen = everything
    if names:
        start = start or Path.cwd()
        wanted = {id(one) for name in names for one in _named(name, chosen, start)}
        chosen = [one for one in chosen if id(one) in wanted]
    return GatePlan(tuple(chosen), tuple(everything), only is None and not names)


def _named(name: str, entries: Sequence[Entry], start: Path) -> list[Entry]:
    """Return the entries with a name, or those that match a pattern."""
    ways = list(_written(name, start))
    for way in ways:
        if found := [one for one in entries if way in one.labels]:
            return found
    for way in ways:
        if found := [e for e in entries if any(fnmatch.fnmatchcase(x, way) for x in e.labels)]:
            return found
    known = dict.fromkeys(label for one in entries for label in one.labels)
    near = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean {near[0]}?" if near else "counterpoint gate --list names all"
    raise SpecError(f"nothing in the configuration is named {name!r}; {hint}")


def _written(name: str, start: Path) -> Iterator[str]:
    """Yield a name as the configuration may write it: first as a file, then as it was typed.

    In a folder below that of the configuration, ``stairs.py`` is ``specs/stairs.py``; but
    ``spider`` may be the name of a crawler and, by chance, that of a folder.
    """
    path, colon, rest = name.partition(":")
    place = Path(os.path.normpath(start / path))
    if place.exists() and place.is_relative_to(Path.cwd()):
        yield f"{place.relative_to(Path.cwd())}{colon}{rest}"
    yield name


def _must_differ(entries: Iterable[Entry]) -> None:
    """Refuse a policy or a crawler that two rows name: they would have one baseline.

    Some file systems take large and small letters for the same; the files of policies differ
    there, too.
    """
    seen: dict[tuple[str, str], Place] = {}
    for one in entries:
        if one.kind in ("check", "scenario"):
            continue
        key = (one.kind, one.name.casefold() if one.kind == "crawler" else one.name)
        if before := seen.get(key):
            raise ConfigurationError(f"{one.place}: {one.name} is in {before} already")
        seen[key] = one.place


def _check(job: Job) -> Entry:
    whole, _, name = job.reference.partition(":")
    spec, slash, _ = job.reference.rpartition("/")
    labels = [job.reference, whole, name, job.name]
    if slash and not spec.endswith(".py") and "/" in job.reference:
        labels.append(spec)
    assert job.place is not None
    shown = tuple(dict.fromkeys(label for label in labels if label))
    return Entry("check", job.name, shown, job.place, job, job.why)


def _scenario(file: ScenarioFile) -> Entry:
    labels = tuple(dict.fromkeys((file.name, file.path.name, file.path.stem)))
    return Entry("scenario", file.name, labels, file.place, file, file.why)


def _policies(row: PoliciesTable, place: Place, number: int) -> list[Entry]:
    from counterpoint.crawler.errors import CrawlError
    from counterpoint.crawler.schedulers.finding import find

    from .regression.cases import RegressionCase

    _must_be_webs(row, place)
    bands = {"default": 0.02, **{name: float(b[:-1]) / 100 for name, b in row.band.items()}}
    made = []
    for policy in row.policies:
        try:
            find(policy)
        except CrawlError as error:
            raise ConfigurationError(f"{place}: {error}") from error
        case = RegressionCase(
            row.web, row.pages, row.web_pages or int(profile.load(row.web).pages), (policy,),
            _seeds(row.seeds), bands,
        )  # fmt: skip
        name = f"{policy} on {short_name(row.web)}"
        labels = (policy, name, row.web, short_name(row.web))
        made.append(Entry("policy", name, labels, place, case, row=number))
    return made


def _must_be_measured(row: PoliciesTable, configuration: Configuration, number: int) -> None:
    """Refuse the band of something that is not measured: nothing would ever leave it."""
    from counterpoint.studies.comparison.measures import BY_NAME

    from .regression.cases import DEFAULT, POINTS

    known = (DEFAULT, POINTS, *BY_NAME)
    for name in row.band:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            place = configuration.place("policies", number, "band", name)
            raise ConfigurationError(f"{place}: there is no measure {name} of policies; {hint}")


def _crawlers(configuration: Configuration) -> list[Entry]:
    made = []
    for number, row in enumerate(configuration.document.crawler):
        place = configuration.place("crawler", number)
        _must_be_webs(row, place)
        made.append(Entry("crawler", row.name, (row.name, row.web), place, _case(row, place)))
    return made


def _case(row: CrawlerTable, place: Place) -> CrawlerCase:
    from counterpoint.crawler.errors import CrawlError

    from .crawlers import CrawlerCase

    folder = Path(row.folder).absolute()
    if not folder.is_dir():
        raise ConfigurationError(f"{place}: there is no folder {row.folder}")
    case = CrawlerCase(
        row.name, row.command, row.web, row.pages, row.web_pages, _seeds(row.seeds), row.repeats,
        row.timeout, tuple(row.must), dict(row.band), row.order, folder, dict(row.env), row.clock,
    )  # fmt: skip
    try:
        case.subject()
    except (CrawlError, WebError) as error:
        raise ConfigurationError(f"{place}: {error}") from error
    return case


def _seeds(given: int | list[int]) -> tuple[int, ...]:
    return tuple(range(given)) if isinstance(given, int) else tuple(given)


def _must_be_webs(row: PoliciesTable | CrawlerTable, place: Place) -> None:
    """Refuse a row whose profile does not exist, or gives no web for one of the seeds."""
    from counterpoint.sim_web.generator.web import Web

    try:
        found = profile.load(row.web)
    except WebError as error:
        raise ConfigurationError(f"{place}: {error}") from error
    pages = row.web_pages or int(found.pages)
    for seed in _seeds(row.seeds):
        try:
            Web.check(found, pages, seed)
        except (WebError, MemoryError) as error:
            name = f"{row.name}: " if isinstance(row, CrawlerTable) else ""
            raise ConfigurationError(
                f"{place}: {name}{short_name(row.web)} has no web of {pages:,} pages for seed "
                f"{seed}, see web-pages: {error}"
            ) from error
